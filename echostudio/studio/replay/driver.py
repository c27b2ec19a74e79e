"""Starts, steers and ends one replay for the page; the desktop's picture comes from here while it runs."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage

from echostudio.desktop.controller import VirtualInfo
from echostudio.episode.report import ReplayReport
from echostudio.errors import EchoError
from echostudio.operations import desktop
from echostudio.operations import replay as deeds
from echostudio.replay.control import ReplayControl
from echostudio.studio.page import Studio
from echostudio.studio.pictures import to_image
from echostudio.studio.replay.place import Place

_PICTURE_MS: Final = 200


class Driver(QObject):
    """One replay at a time."""

    ended = Signal(object)
    failed = Signal(object)
    pictured = Signal(object)
    moved_to = Signal(str)

    def __init__(self, studio: Studio, parent: QObject) -> None:
        super().__init__(parent)
        self._studio = studio
        self._control: ReplayControl | None = None
        self._display = ""
        self._looking = False
        self._timer = QTimer(self, interval=_PICTURE_MS)
        self._timer.timeout.connect(self._look)
        self.breakpoints: set[int] = set()

    @property
    def running(self) -> bool:
        """Whether a replay is under way."""
        return self._control is not None

    @property
    def paused(self) -> bool:
        """Whether it is held."""
        return self._control is not None and self._control.paused

    @property
    def display(self) -> str:
        """The display it runs on."""
        return self._display

    def start(self, request: deeds.ReplayRequest, place: Place, *, single: bool, words: str) -> None:
        """Start a replay there; makes the virtual desktop first when a new one is wanted."""
        control = ReplayControl()
        control.breakpoints |= self.breakpoints
        if single:
            control.step()
        self._control = control
        if place.display is not None:
            self._go(request, place.display, words)
            return
        width, height = place.size or (1600, 900)
        future = self._studio.services.jobs.pool(desktop.up, width, height)
        self._studio.work.ask(
            self, "up", future, lambda info: self._desktop_came(request, info, words), self._failed,
            words=self.tr("Starting a virtual desktop"),
        )  # fmt: skip

    def pause_or_resume(self) -> None:
        """Hold the replay before its next input, or let it go on."""
        if self._control is not None:
            if self._control.paused:
                self._control.resume()
            else:
                self._control.pause()

    def step(self) -> None:
        """Do one step, then hold."""
        if self._control is not None:
            self._control.step()

    def stop(self) -> None:
        """End the replay."""
        if self._control is not None:
            self._control.stop()

    def toggle_breakpoint(self, index: int) -> None:
        """Set or take away a breakpoint, also while it runs."""
        self.breakpoints ^= {index}
        if self._control is not None:
            self._control.breakpoints.clear()
            self._control.breakpoints |= self.breakpoints

    def close(self) -> None:
        """Stop looking, and ask a running replay to end."""
        self._timer.stop()
        self.stop()

    def _desktop_came(self, request: deeds.ReplayRequest, info: VirtualInfo, words: str) -> None:
        self.moved_to.emit(info.display)
        self._go(request, info.display, words)

    def _go(self, request: deeds.ReplayRequest, display: str, words: str) -> None:
        control = self._control
        if control is None or control.token.cancelled:
            self._end()
            return
        self._display = display
        chosen = deeds.ReplayRequest(
            memory=request.memory,
            values=request.values,
            display=display,
            launch=request.launch,
            dry_run=request.dry_run,
        )
        try:
            future = deeds.start(self._studio.services, chosen, control)
        except EchoError as error:
            self._failed(error)
            return
        self._studio.work.ask(self, "replay", future, self._done, self._failed, words=words, cancel=control.stop)
        self._timer.start()

    def _done(self, report: ReplayReport) -> None:
        self._end()
        self.ended.emit(report)

    def _failed(self, error: EchoError) -> None:
        self._end()
        self.failed.emit(error)

    def _end(self) -> None:
        self._control = None
        self._timer.stop()

    def _look(self) -> None:
        """Ask for a picture of the desktop, unless one is still on its way."""
        if self._looking:
            return
        self._looking = True
        future = self._studio.services.jobs.pool(_picture, self._display)
        self._studio.work.ask(self, "picture", future, self._pictured, lambda _: self._pictured(None))

    def _pictured(self, image: QImage | None) -> None:
        self._looking = False
        if image is not None and self.running:
            self.pictured.emit(image)


def _picture(display: str) -> QImage:
    """Grab a desktop and copy it into an image; runs in the pool."""
    return to_image(desktop.picture(display).pixels)
