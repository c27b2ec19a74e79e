"""Background work for views: ask, go on drawing, get the answer on the GUI thread. Newest wins per owner and key."""

from __future__ import annotations

import concurrent.futures
import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal

from echostudio.errors import Cancelled, EchoError
from echostudio.studio.jobs_state import JobList

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Ask:
    """One question under way: who asked, under which key and number, and what to do with the answer."""

    owner: QObject
    key: str
    number: int
    done: Callable[[Any], None]
    failed: Callable[[EchoError], None] | None
    shown: int


class Work(QObject):
    """Hands futures' answers to the GUI thread and counts what is still under way."""

    answered = Signal()
    failed = Signal(object)
    jobs_changed = Signal()
    _arrived = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.jobs = JobList()
        self._newest: dict[tuple[int, str], int] = {}
        self._count = 0
        self._open: set[int] = set()
        self._closed = False
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def pending(self) -> int:
        """How many answers are still awaited."""
        return len(self._open)

    def ask(
        self,
        owner: QObject,
        key: str,
        future: Future[Any],
        done: Callable[[Any], None],
        failed: Callable[[EchoError], None] | None = None,
        *,
        words: str = "",
        cancel: Callable[[], None] | None = None,
    ) -> None:
        """Deliver the future's answer to ``done`` on the GUI thread.

        An older question of the same owner and key is forgotten. An ``EchoError`` goes to ``failed``, or is shown as a
        message; ``Cancelled`` is shown as nothing; anything else is a bug and reaches the crash dialog. With ``words``
        the work is listed as a job while it lasts, with a way to cancel when ``cancel`` is given.
        """
        self._count += 1
        number = self._count
        self._newest[id(owner), key] = number
        self._open.add(number)
        shown = self.jobs.begin(words, cancel) if words else 0
        asked = _Ask(owner, key, number, done, failed, shown)
        if shown:
            self.jobs_changed.emit()
        future.add_done_callback(lambda finished: self._send(asked, finished))

    def close(self) -> None:
        """Deliver nothing any more; answers that come later are dropped."""
        self._closed = True

    def _send(self, asked: _Ask, future: Future[Any]) -> None:
        """Run in the worker's thread: only pass on, and only while there is someone to pass on to."""
        if not self._closed and shiboken6.isValid(self):
            self._arrived.emit(asked, future)

    def _deliver(self, asked: _Ask, future: Future[Any]) -> None:
        self._open.discard(asked.number)
        if asked.shown:
            self.jobs.end(asked.shown)
            self.jobs_changed.emit()
        try:
            if self._wanted(asked):
                self._hand_over(asked, future)
        finally:
            self.answered.emit()

    def _wanted(self, asked: _Ask) -> bool:
        newest = self._newest.get((id(asked.owner), asked.key)) == asked.number
        return not self._closed and newest and shiboken6.isValid(asked.owner)

    def _hand_over(self, asked: _Ask, future: Future[Any]) -> None:
        try:
            answer = future.result()
        except (Cancelled, concurrent.futures.CancelledError):
            return
        except EchoError as error:
            _log.info("%s", error.sentence)
            if asked.failed is not None:
                asked.failed(error)
            else:
                self.failed.emit(error)
            return
        asked.done(answer)
