"""What counts as an effect, and when a screen is quiet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from echostudio.episode.evidence import ElementFacts, ScreenFacts, WindowFacts
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import DesktopBox, FrameBox, ScreenMap
from echostudio.observer.effects import MOST_BOXES, caret_boxes, caret_like, effect, quiet

WINDOW = WindowFacts("mousepad", "Mousepad", "untitled - Mousepad", DesktopBox(10, 10, 100, 60), pid=7, handle=99)
ENTRY = ElementFacts("text", "Name", DesktopBox(20, 30, 50, 20))


def frame(*painted: FrameBox, size: tuple[int, int] = (160, 120)) -> Frame:
    pixels = np.full((size[1], size[0], 3), 200, np.uint8)
    for box in painted:
        pixels[box.y : box.bottom, box.x : box.right] = (10, 20, 30)
    return Frame(pixels, 1.0, ScreenMap.single(*size))


def facts(**changes: object) -> ScreenFacts:
    return replace(ScreenFacts(WINDOW, (), ENTRY), **changes)  # type: ignore[arg-type]


def test_nothing_changed_is_no_effect() -> None:
    found = effect(frame(), frame(), facts(), facts())
    assert not found.any
    assert found.boxes == ()
    assert found.title_after == "untitled - Mousepad"


def test_the_tick_of_a_checkbox_is_an_effect() -> None:
    tick = FrameBox(50, 40, 5, 5)
    found = effect(frame(), frame(tick), None, None)
    assert found.any
    assert found.changed_pixels == 25
    assert found.boxes == (tick,)


def test_a_lonely_thin_letter_is_an_effect_although_it_looks_like_a_caret() -> None:
    assert effect(frame(), frame(FrameBox(50, 40, 1, 12)), None, None).any


def test_ignored_areas_do_not_count_but_what_lies_beside_them_does() -> None:
    clock, tick = FrameBox(100, 0, 40, 12), FrameBox(50, 80, 5, 5)
    assert not effect(frame(), frame(clock), None, None, ignore=[clock]).any
    assert effect(frame(), frame(clock, tick), None, None, ignore=[clock]).boxes == (tick,)
    assert not effect(frame(), frame(FrameBox(0, 0, 5, 5)), None, None, ignore=[FrameBox(-3, -3, 20, 20)]).any


def test_boxes_are_the_largest_twelve_and_pixels_count_all() -> None:
    spots = [FrameBox(4 + 30 * (i % 5), 4 + 30 * (i // 5), 1 + i, 2) for i in range(15)]
    found = effect(frame(), frame(*spots), None, None)
    assert len(found.boxes) == MOST_BOXES
    assert found.boxes[0] == spots[-1]
    assert found.changed_pixels == sum(box.width * box.height for box in spots)


def test_another_screen_size_is_changed_everywhere() -> None:
    found = effect(frame(), frame(size=(100, 50)), None, None)
    assert found.changed_pixels == 100 * 50
    assert found.boxes == (FrameBox(0, 0, 100, 50),)


@pytest.mark.parametrize(
    "after",
    [
        facts(window=replace(WINDOW, title="report.txt - Mousepad")),
        facts(window=replace(WINDOW, handle=100)),
        facts(window=None),
        facts(popups=(replace(WINDOW, handle=5, popup=True),)),
    ],
    ids=["title", "other window", "no window", "menu"],
)
def test_window_changes_are_effects(after: ScreenFacts) -> None:
    found = effect(frame(), frame(), facts(), after)
    assert found.window_changed
    assert found.any


def test_unknown_facts_are_no_evidence_of_a_change() -> None:
    assert not effect(frame(), frame(), None, facts()).any
    assert not effect(frame(), frame(), facts(), None).any
    assert not effect(frame(), frame(), facts(focus=None), facts()).focus_changed


def test_focus_on_another_element_is_an_effect_and_a_moved_window_is_not() -> None:
    other = facts(focus=replace(ENTRY, name="Folder"))
    assert effect(frame(), frame(), facts(), other).focus_changed
    twin = facts(focus=replace(ENTRY, box=DesktopBox(20, 60, 50, 20)))
    assert effect(frame(), frame(), facts(), twin).focus_changed
    moved = facts(
        window=replace(WINDOW, box=DesktopBox(15, 12, 100, 60)), focus=replace(ENTRY, box=DesktopBox(25, 32, 50, 20))
    )
    assert not effect(frame(), frame(), facts(), moved).any


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        (FrameBox(0, 0, 1, 12), True),
        (FrameBox(0, 0, 3, 40), True),
        (FrameBox(0, 0, 4, 12), False),
        (FrameBox(0, 0, 2, 7), False),
        (FrameBox(0, 0, 2, 41), False),
        (FrameBox(0, 0, 12, 1), False),
    ],
)
def test_the_shape_of_a_caret(box: FrameBox, expected: bool) -> None:
    assert caret_like(box) is expected


def test_quiet_counts_pixels_but_no_caret() -> None:
    caret = FrameBox(50, 40, 2, 16)
    assert quiet(frame(), frame(), 1)
    assert quiet(frame(), frame(caret), 1)
    assert not quiet(frame(), frame(FrameBox(50, 40, 8, 16)), 128)
    assert quiet(frame(), frame(FrameBox(50, 40, 8, 16)), 129)
    assert quiet(frame(), frame(caret, FrameBox(100, 90, 5, 5)), 26)
    assert not quiet(frame(), frame(caret, FrameBox(100, 90, 5, 5)), 25)
    assert not quiet(frame(), frame(size=(100, 50)), 10_000)


def test_carets_are_named_for_those_who_know_them() -> None:
    caret = FrameBox(50, 40, 2, 16)
    assert caret_boxes(frame(), frame(caret, FrameBox(100, 90, 5, 5))) == (caret,)
    assert caret_boxes(frame(), frame(size=(100, 50))) == ()
