"""Where the pointer was: a bounded memory of its moves, asked when it entered a box and whether it rests."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque

from echostudio.episode.geometry import DesktopBox, DesktopPoint


class PointerTrack:
    """Samples of (clock time, place), oldest first; old ones are forgotten."""

    def __init__(self, seconds: float, most: int = 20_000) -> None:
        self._seconds = seconds
        self._samples: deque[tuple[float, DesktopPoint]] = deque(maxlen=most)

    def add(self, at: float, point: DesktopPoint) -> None:
        """Note where the pointer is from ``at`` on; samples come in the order of their times."""
        self._samples.append((at, point))
        while len(self._samples) > 2 and self._samples[1][0] < at - self._seconds:
            self._samples.popleft()

    @property
    def last(self) -> tuple[float, DesktopPoint] | None:
        """The newest sample."""
        return self._samples[-1] if self._samples else None

    def at(self, time: float) -> DesktopPoint | None:
        """Return where the pointer was at ``time``, None before the first sample."""
        samples = tuple(self._samples)
        place = bisect_right(samples, time, key=lambda sample: sample[0])
        return samples[place - 1][1] if place else None

    def entered(self, box: DesktopBox, before: float) -> float | None:
        """Return when the pointer came into ``box`` for its last stay before ``before``.

        None when it was inside as far as the memory reaches, or nothing is known.
        """
        entry: float | None = None
        for at, point in reversed(self._samples):
            if at > before:
                continue
            if not box.contains(point):
                return entry if entry is not None else before
            entry = at
        return None
