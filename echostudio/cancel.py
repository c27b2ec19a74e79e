"""Waiting: tokens that end work early, and the clock that every wait runs on.

Every wait in the program goes through a ``Clock`` with a ``CancelToken``; the scripted desktop brings a clock
of its own, so that whole flows run without real time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

from echostudio.errors import Cancelled


class CancelToken:
    """A flag that one thread sets and others look at."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.reason = ""

    def cancel(self, reason: str = "") -> None:
        """Ask the work that holds this token to stop; the first reason stays."""
        if not self._event.is_set():
            self.reason = reason
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """Whether someone asked to stop."""
        return self._event.is_set()

    def check(self) -> None:
        """Raise ``Cancelled`` when someone asked to stop."""
        if self._event.is_set():
            raise Cancelled(self.reason or "Stopped.")

    def wait(self, seconds: float) -> bool:
        """Wait in real time; return True as soon as the token is cancelled."""
        return self._event.wait(seconds)


class Clock(Protocol):
    """Monotonic time in seconds, and waiting on it."""

    def now(self) -> float:
        """Return monotonic seconds."""
        ...

    def sleep(self, seconds: float, token: CancelToken) -> None:
        """Wait; raise ``Cancelled`` as soon as the token is cancelled."""
        ...


class SystemClock:
    """The machine's monotonic clock."""

    def now(self) -> float:
        """Return monotonic seconds."""
        return time.monotonic()

    def sleep(self, seconds: float, token: CancelToken) -> None:
        """Wait; raise ``Cancelled`` as soon as the token is cancelled."""
        token.check()
        if token.wait(max(0.0, seconds)):
            token.check()


class ManualClock:
    """A clock that moves only when someone sleeps on it or advances it; for the scripted desktop."""

    def __init__(self, start: float = 1000.0) -> None:
        self._now = start
        self._lock = threading.Lock()
        self.on_advance: Callable[[float], None] | None = None

    def now(self) -> float:
        """Return the present fake time in seconds."""
        with self._lock:
            return self._now

    def advance(self, seconds: float) -> None:
        """Move time forward and tell the listener, if there is one."""
        with self._lock:
            self._now += max(0.0, seconds)
            now = self._now
        if self.on_advance is not None:
            self.on_advance(now)

    def sleep(self, seconds: float, token: CancelToken) -> None:
        """Advance at once; raise ``Cancelled`` when the token is cancelled."""
        token.check()
        self.advance(seconds)
        token.check()


def wait_until(
    condition: Callable[[], bool], clock: Clock, token: CancelToken, timeout: float, interval: float = 0.02
) -> bool:
    """Poll ``condition`` until it holds; return False after ``timeout`` seconds on ``clock``."""
    deadline = clock.now() + timeout
    while True:
        if condition():
            return True
        if clock.now() >= deadline:
            return False
        clock.sleep(interval, token)
