"""Fake time for the scripted desktop: it moves in small steps, and things happen at their moment."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Callable

from echostudio.cancel import ManualClock

STEP_SECONDS = 0.03
_EARLY = 1e-9


class ScriptedClock(ManualClock):
    """A manual clock that stops at every scheduled moment, and at least every 30 ms to tell its listeners.

    ``tick_listeners`` are called with the fake time after each stop, in the thread that moves the clock. Calls that
    are scheduled run there too, in the order of their moments.
    """

    def __init__(self, start: float = 1000.0) -> None:
        super().__init__(start)
        self.tick_listeners: list[Callable[[float], None]] = []
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._due_lock = threading.Lock()

    def call_later(self, seconds: float, call: Callable[[], None]) -> None:
        """Run ``call`` once the clock has moved on by ``seconds``."""
        with self._due_lock:
            heapq.heappush(self._due, (self.now() + max(0.0, seconds), next(self._numbers), call))

    def advance(self, seconds: float) -> None:
        """Move time forward, step by step."""
        target = self.now() + max(0.0, seconds)
        self._run_due()
        while target - self.now() > _EARLY:
            now = self.now()
            stop = min(now + STEP_SECONDS, target, self._next_moment(target))
            super().advance(stop - now)
            self._run_due()
            for listener in tuple(self.tick_listeners):
                listener(self.now())

    def _next_moment(self, otherwise: float) -> float:
        with self._due_lock:
            return self._due[0][0] if self._due else otherwise

    def _run_due(self) -> None:
        while True:
            with self._due_lock:
                if not self._due or self._due[0][0] > self.now() + _EARLY:
                    return
                _, _, call = heapq.heappop(self._due)
            call()
