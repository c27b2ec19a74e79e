"""Raw events on their way from the source's thread to the recorder: counted, put in order, never lost."""

from __future__ import annotations

import heapq
import itertools
import threading
from dataclasses import replace

from echostudio.desktop.controller import RawEvent

REORDER_SECONDS = 0.012


class Intake:
    """A queue that sorts events within a small window of time.

    ``captured`` counts what came in, ``reordered`` what came after a later event.
    """

    def __init__(self, window: float = REORDER_SECONDS) -> None:
        self._window = window
        self._heap: list[tuple[float, int, RawEvent]] = []
        self._numbers = itertools.count()
        self._arrived = threading.Condition()
        self._newest = self._released = float("-inf")
        self.captured = 0
        self.reordered = 0

    def put(self, event: RawEvent) -> None:
        """Take an event; called in the source's thread."""
        with self._arrived:
            self.captured += 1
            if event.at < self._newest:
                self.reordered += 1
            self._newest = max(self._newest, event.at)
            heapq.heappush(self._heap, (event.at, next(self._numbers), event))
            self._arrived.notify()

    def take(self, now: float, *, everything: bool = False) -> list[RawEvent]:
        """Return the events that no earlier one can overtake any more, in order.

        An event that comes even later than the window is moved to the time of the one that went before it.
        """
        ready: list[RawEvent] = []
        with self._arrived:
            while self._heap and (everything or self._heap[0][0] <= now - self._window):
                at, _, event = heapq.heappop(self._heap)
                self._released = max(self._released, at)
                ready.append(event if at == self._released else replace(event, at=self._released))
        return ready

    def wait(self, seconds: float) -> None:
        """Wait until something arrives, at most so long; what waits for the window keeps this short."""
        with self._arrived:
            self._arrived.wait(min(seconds, self._window) if self._heap else seconds)
