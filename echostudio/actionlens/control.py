"""What the person may say while a recording runs: pause, private mode, ignore, mark, note, undo, stop.

Plain switches that any thread may set: the recorder's hotkeys, the command line, the Record page. Whether something
may be kept follows from *when* it happened, so an event that arrives late is judged like one that came in time.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

_SPANS = 64


class OrderKind(StrEnum):
    """What the recorder is asked to do."""

    PAUSE = "pause"
    RESUME = "resume"
    PRIVATE = "private"
    PUBLIC = "public"
    IGNORE = "ignore"
    LISTEN = "listen"
    MARK = "mark"
    NOTE = "note"
    UNDO = "undo"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Order:
    """One wish of the person, and when it was said (clock seconds)."""

    kind: OrderKind
    at: float
    text: str = ""


class _Switch:
    """A switch that remembers when it was on."""

    def __init__(self) -> None:
        self._ended: deque[tuple[float, float]] = deque(maxlen=_SPANS)
        self.since: float | None = None

    def turn(self, on: bool, at: float) -> bool:
        """Set the switch; return whether that changed it."""
        if on == (self.since is not None):
            return False
        if self.since is not None:
            self._ended.append((self.since, at))
        self.since = at if on else None
        return True

    def was_on(self, at: float) -> bool:
        if self.since is not None and at >= self.since:
            return True
        return any(begun <= at < ended for begun, ended in self._ended)


class RecordControl:
    """The switches of one recording; every method may be called from any thread, also before it has begun."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._pause, self._private, self._ignore = _Switch(), _Switch(), _Switch()
        self._orders: deque[Order] = deque()

    def attach(self, now: Callable[[], float]) -> None:
        """Take the time from the recorder's clock from now on."""
        self._now = now

    # What the person says

    def pause(self, on: bool = True, at: float | None = None) -> None:
        """Stop to record, without a trace in the steps, or go on. ``at`` is clock seconds; now by default."""
        self._turn(self._pause, on, at, OrderKind.PAUSE, OrderKind.RESUME)

    def private(self, on: bool = True, at: float | None = None) -> None:
        """Keep nothing of this time but one blocked step that says how long it was, or go on."""
        self._turn(self._private, on, at, OrderKind.PRIVATE, OrderKind.PUBLIC)

    def ignore(self, on: bool = True, at: float | None = None) -> None:
        """Watch the screen but not the person's hands, or go on."""
        self._turn(self._ignore, on, at, OrderKind.IGNORE, OrderKind.LISTEN)

    def mark(self, text: str = "") -> None:
        """Remember this moment."""
        self._say(OrderKind.MARK, text)

    def note(self, text: str) -> None:
        """Write a remark to the last step."""
        self._say(OrderKind.NOTE, text)

    def undo_last(self) -> None:
        """Take the last step out of the demonstration; it stays in the run, marked as undone."""
        self._say(OrderKind.UNDO)

    def stop(self) -> None:
        """End the recording in order."""
        self._say(OrderKind.STOP)

    # What the recorder asks

    @property
    def paused(self) -> bool:
        """Whether the recording pauses."""
        return self._pause.since is not None

    @property
    def is_private(self) -> bool:
        """Whether private mode is on."""
        return self._private.since is not None

    @property
    def ignoring(self) -> bool:
        """Whether the person's input is ignored."""
        return self._ignore.since is not None

    @property
    def state(self) -> str:
        """One word for the display: ``private paused ignoring recording``."""
        if self.is_private:
            return "private"
        if self.paused:
            return "paused"
        return "ignoring" if self.ignoring else "recording"

    def blind_at(self, at: float) -> bool:
        """Whether nothing of that moment may be kept, neither pictures nor input nor facts."""
        with self._lock:
            return self._private.was_on(at) or self._pause.was_on(at)

    def deaf_at(self, at: float) -> bool:
        """Whether input of that moment is no part of the demonstration."""
        with self._lock:
            return self._private.was_on(at) or self._pause.was_on(at) or self._ignore.was_on(at)

    def ignored_at(self, at: float) -> bool:
        """Whether input of that moment is left out only because the person said so."""
        with self._lock:
            return self._ignore.was_on(at) and not (self._private.was_on(at) or self._pause.was_on(at))

    def due(self, until: float) -> list[Order]:
        """Take the orders that were said up to ``until`` (clock seconds), oldest first."""
        found: list[Order] = []
        with self._lock:
            while self._orders and self._orders[0].at <= until:
                found.append(self._orders.popleft())
        return found

    def _turn(self, switch: _Switch, on: bool, at: float | None, begin: OrderKind, end: OrderKind) -> None:
        with self._lock:
            moment = self._now() if at is None else at
            if switch.turn(on, moment):
                self._orders.append(Order(begin if on else end, moment))

    def _say(self, kind: OrderKind, text: str = "") -> None:
        with self._lock:
            self._orders.append(Order(kind, self._now(), text))
