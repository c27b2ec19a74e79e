"""A menu that opened because the pointer rested: found when the person then clicks into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from echostudio.actionlens.pointer_track import PointerTrack
from echostudio.actionlens.watch import Sample, Standing
from echostudio.episode.geometry import DesktopPoint

_OWN_DOING_SECONDS = 0.35
_MOVED = 8


@dataclass(frozen=True, slots=True)
class Hover:
    """The pointer rested at ``point``, and at ``at`` (clock seconds) a popup had opened."""

    at: float
    point: DesktopPoint


def hover_before_click(
    standings: Sequence[Sample[Standing]], click: DesktopPoint, track: PointerTrack, last_input: float
) -> Hover | None:
    """Return the hover that opened the popup under a click, or None when a key or button opened it.

    ``standings`` are the readings of windows before the click, oldest first; ``last_input`` is the time of the last
    button or key before it (clock seconds).
    """
    popup = standings[-1].value.under(click) if standings else None
    if popup is None or not popup.popup:
        return None
    without = None
    for sample in standings:
        if any(window.handle == popup.handle for window in sample.value.windows):
            break
        without = sample
    else:
        return None
    rested, pressed = track.at(sample.began), track.at(last_input)
    if without is None or rested is None or sample.began - last_input < _OWN_DOING_SECONDS:
        return None
    if pressed is not None and max(abs(pressed.x - rested.x), abs(pressed.y - rested.y)) <= _MOVED:
        return None
    return Hover(without.ended, rested)
