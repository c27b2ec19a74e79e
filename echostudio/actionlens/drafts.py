"""What the demonstration machine says: actions that begin, and actions that are complete."""

from __future__ import annotations

from dataclasses import dataclass

from echostudio.episode.action import Action
from echostudio.episode.geometry import DesktopPoint


@dataclass(frozen=True, slots=True)
class Draft:
    """An action as far as it is known.

    ``number`` counts from 0 in the order of beginning. ``started`` and ``ended`` are the times of its first and last
    input on the desktop's clock. ``points`` maps ``target`` or ``from`` / ``to`` to places. ``trace`` keeps raw key
    times, deltas and drag places as (clock time, text). ``blocked`` says why it cannot be replayed.
    """

    number: int
    action: Action
    started: float
    ended: float
    points: tuple[tuple[str, DesktopPoint], ...] = ()
    trace: tuple[tuple[float, str], ...] = ()
    blocked: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Started:
    """An action began; its parameters may still change (a click may become a double click or a drag)."""

    draft: Draft


@dataclass(frozen=True, slots=True)
class Finished:
    """An action is complete; ``until`` is the time of the input that ended it, None when a pause did."""

    draft: Draft
    until: float | None = None


Signal = Started | Finished
