"""Events: one plain bus, and the events that carry no nouns. Events with nouns stand in ``episode.happening``.

An event is a frozen value, past tense. Delivery is synchronous in the publisher's thread; a failing subscriber is
logged and does not stop the others.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

_log = logging.getLogger(__name__)

Subscriber = Callable[[object], None]


class EventBus:
    """Delivers every published value to every subscriber."""

    def __init__(self) -> None:
        self._subscribers: tuple[Subscriber, ...] = ()
        self._lock = threading.Lock()

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Add a subscriber; return the function that takes it away again."""
        with self._lock:
            self._subscribers = (*self._subscribers, subscriber)

        def stop() -> None:
            with self._lock:
                self._subscribers = tuple(s for s in self._subscribers if s is not subscriber)

        return stop

    def publish(self, event: object) -> None:
        """Hand an event to all subscribers, in the order in which they came."""
        for subscriber in self._subscribers:
            try:
                subscriber(event)
            except Exception:  # noqa: BLE001 - one broken subscriber must not stop the work that publishes
                _log.exception("a subscriber failed on %s", type(event).__name__)


@dataclass(frozen=True, slots=True)
class JobProgress:
    """A job said how far it is: ``done`` of ``total`` (0 = unknown), and what it is doing."""

    job: str
    done: int
    total: int
    words: str


@dataclass(frozen=True, slots=True)
class JobFinished:
    """A job ended: ``failed`` holds the sentence, empty when it went well."""

    job: str
    failed: str = ""


@dataclass(frozen=True, slots=True)
class LibraryChanged:
    """Memories were added or changed; ``origin`` says by whom (``self`` or ``other`` process)."""

    memories: tuple[str, ...]
    origin: str = "self"
