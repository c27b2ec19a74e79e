"""Move the pointer out of the way before looking, so that nothing under it is highlighted."""

from __future__ import annotations

from collections.abc import Sequence

from echostudio.desktop.controller import Desktop
from echostudio.episode.evidence import WindowFacts
from echostudio.episode.geometry import DesktopPoint, ScreenMap


def parking_place(screen: ScreenMap, windows: Sequence[WindowFacts]) -> DesktopPoint:
    """Return a corner that no window covers, else the bottom right corner, where little reacts to a pointer."""
    corners = []
    for monitor in screen.monitors:
        box = monitor.desktop
        right, bottom = box.x + box.width - 2, box.y + box.height - 2
        corners += [DesktopPoint(right, bottom), DesktopPoint(box.x + 1, bottom), DesktopPoint(right, box.y + 1)]
    free = [corner for corner in corners if not any(window.box.contains(corner) for window in windows)]
    return (free or corners)[0]


def park(desktop: Desktop) -> bool:
    """Park the pointer unless a menu or popup is open (moving away could close it); return whether it moved."""
    windows = desktop.windows()
    if any(window.popup for window in windows):
        return False
    place = parking_place(desktop.screen_map(), windows)
    if desktop.pointer() == place:
        return False
    desktop.move_pointer(place)
    return True
