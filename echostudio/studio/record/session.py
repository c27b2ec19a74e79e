"""One recording for the page: countdown, start, the person's wishes, stop. The work itself is an operation's."""

from __future__ import annotations

import concurrent.futures
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from echostudio.actionlens.control import RecordControl
from echostudio.cancel import CancelToken
from echostudio.desktop.own_windows import HidesOwnWindows, OwnBoxes
from echostudio.errors import EchoError
from echostudio.operations import desktop as desks
from echostudio.operations import record, runs
from echostudio.operations.record import Recorded
from echostudio.operations.services import Services
from echostudio.studio.page import Studio


class Session(QObject):
    """One recording at a time.

    ``counted`` brings the seconds left of the countdown (0 when it is over), ``ended`` a ``Recorded``, ``failed`` the
    error, ``measured`` the bytes on disk at the end.
    """

    counted = Signal(int)
    began = Signal()
    ended = Signal(object)
    failed = Signal(object)
    measured = Signal(int)

    def __init__(self, studio: Studio, parent: QObject) -> None:
        super().__init__(parent)
        self._studio = studio
        self.control = RecordControl()
        self._token: CancelToken | None = None
        self._packing: tuple[CancelToken, Future[Any]] | None = None
        self._start: Callable[[], None] | None = None
        self._left = 0
        self._run = ""
        self._begun = self._paused_at = self._away = 0.0
        self._countdown = QTimer(self, interval=1000)
        self._countdown.timeout.connect(self._tick)

    @property
    def running(self) -> bool:
        """Whether a recording is under way, its countdown included."""
        return self._start is not None or self._token is not None

    @property
    def spent(self) -> float:
        """Seconds that were recorded, pauses left out."""
        now = self._paused_at or time.monotonic()
        return max(0.0, now - self._begun - self._away) if self._begun else 0.0

    def start(self, display: str, intent: str, countdown: int, own_boxes: OwnBoxes | None = None) -> None:
        """Begin after a countdown of so many seconds."""
        self._start = lambda: self._go(display, intent, own_boxes)
        self._left = countdown
        self._begun = self._away = self._paused_at = 0.0
        self.counted.emit(countdown)
        if countdown:
            self._countdown.start()
        else:
            self._go(display, intent, own_boxes)

    def live(self, run: str) -> None:
        """Say that every source is proved live: the time counts from now."""
        self._run, self._begun = run, time.monotonic()
        self.began.emit()

    def pause(self, on: bool) -> None:
        """Hold the recording, or let it go on."""
        if on == self.control.paused:
            return
        self.control.pause(on)
        if on:
            self._paused_at = time.monotonic()
        else:
            self._away += time.monotonic() - self._paused_at
            self._paused_at = 0.0

    def stop(self) -> None:
        """End the recording, or the countdown to it."""
        self._countdown.stop()
        if self._start is not None:
            self._start = None
            self.ended.emit(None)
        if self._token is not None:
            self._token.cancel("Stopped by the person.")

    def close(self) -> None:
        """End what runs, without telling anyone."""
        self._countdown.stop()
        self._start = None
        if self._token is not None:
            self._token.cancel("The studio is closed.")
        self.rest()

    def rest(self) -> Callable[[], None]:
        """Stop to make the run's pictures smaller; return what waits, in a worker, until nobody touches them."""
        packing = self._packing
        if packing is None:
            return lambda: None
        packing[0].cancel("The run is needed.")
        return lambda: _wait_for(packing[1])

    def _tick(self) -> None:
        self._left -= 1
        self.counted.emit(self._left)
        if self._left <= 0:
            self._countdown.stop()
            if self._start is not None:
                self._start()

    def _go(self, display: str, intent: str, own_boxes: OwnBoxes | None) -> None:
        services = self._studio.services
        self._start, self._token, self.control = None, CancelToken(), RecordControl()
        future = services.jobs.desk(display, _record, services, display, intent, self._token, self.control, own_boxes)
        self._studio.work.ask(self, "record", future, self._done, self._failed)

    def _done(self, recorded: Recorded) -> None:
        self._end()
        self._pack(recorded.run)
        self.ended.emit(recorded)

    def _failed(self, error: EchoError) -> None:
        self._end()
        self.failed.emit(error)

    def _end(self) -> None:
        if not self._paused_at:
            self._paused_at = time.monotonic()
        self._token = None

    def _pack(self, run: str) -> None:
        """Make the pictures smaller in the background; a run that is needed meanwhile goes first."""
        token, services = CancelToken(), self._studio.services
        future = services.jobs.pool(record.repack, services, run, token)
        self._packing = (token, future)
        self._studio.work.ask(self, "pack", future, lambda _: self._ask_size(), lambda _: self._ask_size())

    def _ask_size(self) -> None:
        services = self._studio.services
        if self._run:
            future = services.jobs.pool(runs.size, services, self._run)
            self._studio.work.ask(self, "size", future, self.measured.emit, lambda _: None)


def _record(
    services: Services,
    display: str,
    intent: str,
    token: CancelToken,
    control: RecordControl,
    own_boxes: OwnBoxes | None,
) -> Recorded:
    """Record on a display; runs in the desk's worker. ``own_boxes`` are covered in every frame."""
    with desks.driven(display, f"recording: {intent}") as desk:
        if own_boxes is not None and isinstance(desk, HidesOwnWindows):
            desk.own_boxes = own_boxes
        return record.on_desktop(services, desk, intent, token, control=control)


def _wait_for(future: Future[Any]) -> None:
    """Wait until a job of another executor has ended, however it did."""
    concurrent.futures.wait([future])
