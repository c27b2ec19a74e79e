"""A person's hand on a real X server: what is passed in is heard by a recording, and arrives in programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from echostudio.desktop import keysyms
from echostudio.desktop.controller import RawKind
from echostudio.desktop.own_windows import COVER
from echostudio.desktop.x11 import X11Desktop
from echostudio.episode.geometry import DesktopBox, DesktopPoint
from echostudio.operations import desktop as desks
from tests.desktop.test_x11_input import Desk, desk, shared, soon, typed

__all__ = ["desk", "shared"]
pytestmark = pytest.mark.desktop

# Physical keys of a usual keyboard, and what they mean on an American one.
PRESSED = {"h": 43, "i": 31, "z": 52, "y": 29, "1": 10, "/": 61}
SHIFT = 50


@pytest.fixture
def hand(desk: Desk) -> Iterator[object]:
    made = desks.hand(desk.desktop)
    assert made is not None
    yield made
    made.release()


def strike(hand: desks.DirectInput, char: str, code: int, *, shift: bool = False) -> None:
    """Press a key as the person's own keyboard would tell it: physical key and meaning."""
    if shift:
        hand.key(SHIFT, keysyms.SHIFT_LEFT, True)
    hand.key(code, keysyms.keysym_of(char), True)
    hand.key(code, keysyms.keysym_of(char), False)
    if shift:
        hand.key(SHIFT, keysyms.SHIFT_LEFT, False)


def test_keys_of_the_same_layout_are_the_same_physical_keys(desk: Desk, hand: desks.DirectInput) -> None:
    with desk.hearing() as events:
        for char in "hi":
            strike(hand, char, PRESSED[char])
        strike(hand, "!", PRESSED["1"], shift=True)
        assert soon(lambda: typed(events) == "hi!")
    assert [event.code for event in events if event.kind is RawKind.KEY_DOWN] == [43, 31, SHIFT, 10]


def test_where_the_layouts_differ_the_meaning_counts(desk: Desk, hand: desks.DirectInput, tmp_path: Path) -> None:
    desk.layout("de")
    file = tmp_path / "out"
    with desk.terminal(file) as program:
        strike(hand, "z", PRESSED["z"])
        strike(hand, "y", PRESSED["y"])
        strike(hand, "/", PRESSED["/"])
        strike(hand, "?", PRESSED["/"], shift=True)
        strike(hand, "H", PRESSED["h"], shift=True)
        hand.text("é中")
        hand.key(36, keysyms.RETURN, True)
        hand.key(36, keysyms.RETURN, False)
        assert desk.written(file, program) == "zy/?Hé中\n"


def test_a_key_that_went_down_under_shift_goes_up_without_it(desk: Desk, hand: desks.DirectInput) -> None:
    hand.key(SHIFT, keysyms.SHIFT_LEFT, True)
    hand.key(PRESSED["h"], ord("H"), True)
    hand.key(SHIFT, keysyms.SHIFT_LEFT, False)
    with desk.hearing() as events:
        hand.key(PRESSED["h"], ord("h"), False)
        assert soon(lambda: any(event.kind is RawKind.KEY_UP and event.code == 43 for event in events))


def test_mouse_wheel_and_buttons(desk: Desk, hand: desks.DirectInput) -> None:
    with desk.hearing() as events:
        hand.move(DesktopPoint(40, 700))
        hand.button("middle", True)
        hand.button("middle", False)
        hand.scroll(0, 2)
        hand.scroll(-1, 0)
        assert soon(lambda: sum(event.kind is RawKind.SCROLL for event in events) == 3)
    assert [event.button for event in events if event.kind is RawKind.BUTTON_DOWN] == ["middle"]
    assert sum(event.delta[1] for event in events if event.kind is RawKind.SCROLL) == 2
    assert sum(event.delta[0] for event in events if event.kind is RawKind.SCROLL) == -1
    assert desk.desktop.pointer() == DesktopPoint(40, 700)


def test_release_lets_go_of_everything(desk: Desk, hand: desks.DirectInput) -> None:
    hand.key(37, 0xFFE3, True)
    assert soon(lambda: desk.desktop.modifiers_down() == ("ctrl",))
    hand.release()
    assert soon(lambda: desk.desktop.modifiers_down() == ())


def test_own_windows_are_covered_in_every_frame(desk: Desk) -> None:
    assert isinstance(desk.desktop, X11Desktop)
    boxes = [DesktopBox(10, 20, 30, 40), DesktopBox(1000, 760, 50, 50)]
    desk.desktop.own_boxes = lambda: boxes
    try:
        pixels = desk.desktop.grab().pixels
    finally:
        desk.desktop.own_boxes = None
    grey = (pixels == np.array(COVER)).all(axis=2)
    assert grey.sum() == 30 * 40 + 24 * 8
    assert grey[20:60, 10:40].all()
    assert not (desk.desktop.grab().pixels == np.array(COVER)).all(axis=2)[20:60, 10:40].any()
