"""Menus that opened because the pointer rested."""

from __future__ import annotations

import pytest

from echostudio.actionlens.hovers import Hover, hover_before_click
from echostudio.actionlens.pointer_track import PointerTrack
from echostudio.actionlens.watch import Sample, Standing
from echostudio.episode.evidence import WindowFacts
from echostudio.episode.geometry import DesktopBox, DesktopPoint

MAIN = WindowFacts("editor", "Editor", "notes", DesktopBox(0, 0, 400, 300), handle=1)
MENU = WindowFacts("editor", "Editor", "", DesktopBox(0, 20, 100, 100), handle=2, popup=True)
SUB = WindowFacts("editor", "Editor", "", DesktopBox(100, 40, 100, 100), handle=3, popup=True)
OPEN = [Sample(5.0, 5.01, Standing((MENU, MAIN), MAIN)), Sample(6.0, 6.01, Standing((SUB, MENU, MAIN), MAIN))]


@pytest.fixture
def track() -> PointerTrack:
    track = PointerTrack(60.0)
    track.add(4.0, DesktopPoint(10, 5))
    track.add(5.5, DesktopPoint(50, 50))
    track.add(6.5, DesktopPoint(150, 60))
    return track


def test_a_submenu_that_opened_under_a_resting_pointer_is_a_hover(track: PointerTrack) -> None:
    found = hover_before_click(OPEN, DesktopPoint(150, 60), track, last_input=4.0)
    assert found == Hover(5.01, DesktopPoint(50, 50))


def test_a_menu_that_a_click_opened_is_none(track: PointerTrack) -> None:
    assert hover_before_click(OPEN, DesktopPoint(150, 60), track, last_input=5.9) is None


def test_a_slow_menu_at_the_place_of_the_click_is_none() -> None:
    track = PointerTrack(60.0)
    track.add(4.0, DesktopPoint(50, 50))
    assert hover_before_click(OPEN, DesktopPoint(150, 60), track, last_input=4.5) is None


def test_a_click_outside_popups_or_on_an_old_one_is_none(track: PointerTrack) -> None:
    assert hover_before_click(OPEN, DesktopPoint(300, 200), track, last_input=4.0) is None
    assert hover_before_click(OPEN, DesktopPoint(50, 50), track, last_input=4.0) is None
    assert hover_before_click([], DesktopPoint(50, 50), track, last_input=4.0) is None
