"""Input that the system saw and the recorder did not get: counted, marked in the run, never passed over in silence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from echostudio.desktop.controller import RawInput


@runtime_checkable
class CountingInput(Protocol):
    """An input source that knows how many events the system saw and it did not deliver."""

    def lost(self) -> int:
        """Return how many events were lost since the source was started, as far as that is known by now."""
        ...


class Losses:
    """The gaps of one recording; ``mark`` writes one into the life cycle."""

    def __init__(self, mark: Callable[..., None]) -> None:
        self._mark = mark
        self._counting: CountingInput | None = None
        self._here = 0
        self.lost = 0
        self.gaps = 0

    def watch(self, source: RawInput) -> None:
        """Ask this source from now on."""
        self._counting, self._here = (source if isinstance(source, CountingInput) else None), 0

    def look(self) -> None:
        """Note as a gap what has been lost since the last look."""
        lost = self._counting.lost() if self._counting is not None else 0
        if lost > self._here:
            self.gaps += 1
            self._mark("gap", lost=lost - self._here)
            self.lost += lost - self._here
            self._here = lost

    def broke(self, reason: str) -> None:
        """Note that the source ended by itself; nobody knows what was lost."""
        self.gaps += 1
        self._mark("gap", reason=reason)
