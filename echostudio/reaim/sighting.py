"""What a search for one crop found, whichever way it searched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from echostudio.episode.geometry import FrameBox
from echostudio.episode.verdict import Candidate
from echostudio.reaim.scoremap import ScoreMap


@dataclass(frozen=True, slots=True)
class Sighting:
    """Best and second best of one crop over the whole frame and all scales.

    Attributes:
        best: The highest score whose click lies in the allowed window; None when no scale fits the frame.
        second: The highest score of another place: no overlap with ``best``, or a separate peak of the same scale
            that overlaps it and scores within the needed margin. It may lie outside the window and may then be
            higher than ``best``.
        candidates: Places that do not overlap each other, best first, ``best`` always among them.
        fits: Whether the crop fits into the frame at any searched scale.
        flat: Whether the crop is too flat to be evidence.
    """

    best: Candidate | None
    second: Candidate | None
    candidates: tuple[Candidate, ...] = ()
    fits: bool = True
    flat: bool = False

    @property
    def score(self) -> float:
        """Best score; 0 when there is none."""
        return max(0.0, self.best.score) if self.best else 0.0

    @property
    def second_score(self) -> float:
        """Second best score; 0 when there is none."""
        return max(0.0, self.second.score) if self.second else 0.0

    @property
    def margin(self) -> float:
        """Best minus second best."""
        return self.score - self.second_score


def sighted(best: Candidate, near: Candidate | None, free: Sequence[Candidate], keep: int) -> Sighting:
    """Put a sighting together from the best place, its near twin if any, and places that do not overlap it."""
    kept = (best, *apart(free, max(0, keep - 1)))
    return Sighting(best, highest((near, *free)), tuple(sorted(kept, key=lambda one: -one.score)))


def near_distance(box: FrameBox) -> int:
    """How far a separate peak inside the best box must lie from it to be another place, in pixels."""
    return max(6, min(box.width, box.height) // 12)


def apart(candidates: Iterable[Candidate], keep: int) -> tuple[Candidate, ...]:
    """The best candidates that do not overlap each other."""
    chosen: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda one: -one.score):
        if len(chosen) == keep:
            break
        if candidate.score > 0 and not any(candidate.box.overlaps(other.box) for other in chosen):
            chosen.append(candidate)
    return tuple(chosen)


def peaks(maps: Sequence[ScoreMap], first: Candidate, keep: int) -> list[Candidate]:
    """Up to ``keep`` places without overlap, ``first`` leading; the maps are used up."""
    found = [first]
    while len(found) < keep:
        for one in maps:
            one.exclude(found[-1].box)
        best = highest(one.best() for one in maps)
        if best is None or best.score <= 0:
            break
        found.append(best)
    return found


def highest(candidates: Iterable[Candidate | None]) -> Candidate | None:
    """The candidate with the highest score, if there is any."""
    return max((one for one in candidates if one is not None), key=lambda one: one.score, default=None)
