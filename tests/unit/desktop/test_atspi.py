"""Parts of the accessibility reader that need no bus."""

from __future__ import annotations

import pytest
from jeepney import HeaderFields, Parser

from echostudio.desktop.accessibility import Accessibility, _best_match
from echostudio.desktop.atspi_bus import COMPONENT, EXTENTS, NAME, ROLE, AtspiBus, BusLost, Question, Ref, call_bytes
from echostudio.desktop.atspi_names import role_name, state_names
from echostudio.desktop.atspi_tree import Node, innermost
from echostudio.episode.evidence import ElementFacts, WindowFacts
from echostudio.episode.geometry import DesktopBox, DesktopPoint


def node(role: str, *box: int) -> Node:
    return Node(Ref(":1.1", f"/{role}"), ElementFacts(role, "", DesktopBox(*box) if box else None, ("showing",)))


@pytest.mark.parametrize("path", ["/a", "/ab", "/abc", "/äöü", "/org/a11y/atspi/accessible/295"])
@pytest.mark.parametrize(
    "question", [ROLE, NAME, EXTENTS, Question(COMPONENT, "GetAccessibleAtPoint", "iiu", (-5, 7, 0))]
)
def test_calls_put_together_by_hand_are_read_back_by_the_library(path: str, question: Question) -> None:
    parser = Parser()
    parser.add_data(call_bytes(Ref(":1.12", path), question, 77))
    message = parser.get_next_message()
    fields = message.header.fields
    assert (message.header.serial, message.body) == (77, question.body)
    assert (fields[HeaderFields.path], fields[HeaderFields.destination]) == (path, ":1.12")
    assert (fields[HeaderFields.interface], fields[HeaderFields.member]) == (question.interface, question.member)
    assert fields.get(HeaderFields.signature, "") == question.signature


def test_numbers_have_the_names_of_the_standard() -> None:
    assert [role_name(number) for number in (33, 35, 40, 43, 61, 79, 95, 98, 130, 9999)] == [
        "menu",
        "menu item",
        "password text",
        "push button",
        "text",
        "entry",
        "document web",
        "list box",
        "switch",
        "unknown",
    ]
    assert state_names((1 << 12 | 1 << 25, 1 << (43 - 32))) == ("focused", "showing", "read only")


def test_a_window_is_found_by_its_box_with_or_without_border() -> None:
    framed, dialog, unplaced = node("frame", 0, 0, 642, 505), node("dialog", 100, 100, 300, 200), node("frame")
    assert _best_match([dialog, framed, unplaced], DesktopBox(1, 20, 640, 480)) is framed
    assert _best_match([dialog, framed], DesktopBox(101, 101, 298, 198)) is dialog
    assert _best_match([dialog], DesktopBox(500, 400, 300, 200)) is None


def test_the_innermost_of_equals_is_the_later_one() -> None:
    outer, first, second = node("panel", 0, 0, 90, 90), node("filler", 5, 5, 20, 20), node("push button", 5, 5, 20, 20)
    assert innermost([outer, first, second], DesktopPoint(6, 6)) is second
    assert innermost([outer, first, second], DesktopPoint(50, 50)) is outer
    assert innermost([outer], DesktopPoint(95, 5)) is None


@pytest.mark.parametrize("address", ["", "nonsense", "tcp:host=a,port=1", "unix:path=/nonexistent/bus"])
def test_a_bus_that_is_not_there_is_told_once(address: str) -> None:
    with pytest.raises(BusLost):
        AtspiBus(address)


def test_without_a_display_there_are_no_elements_and_no_errors() -> None:
    accessible = Accessibility(":65533")
    window = WindowFacts("a", "A", "a", DesktopBox(0, 0, 10, 10), pid=1)
    assert accessible.element_at(DesktopPoint(1, 1)) is None
    assert accessible.focused() is None
    assert accessible.elements(window) == ()
    assert not accessible.tree(window).complete
    assert accessible.text_of_focused() is None
    accessible.close()
    accessible.close()
