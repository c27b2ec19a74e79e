"""The studio's connection to one desktop: pictures out as fast as they change, mouse and keys in, in their order."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np
import shiboken6
from PySide6.QtCore import QObject, QSize, QTimer, Signal
from PySide6.QtGui import QImage

from echostudio import codec
from echostudio.codec import Pixels
from echostudio.desktop.controller import Desktop, DirectInput
from echostudio.episode.geometry import DesktopPoint, ScreenMap
from echostudio.errors import Cancelled, DesktopError, EchoError, InputFailed
from echostudio.operations import desktop
from echostudio.operations.services import Services
from echostudio.studio.pictures import to_image

_LIVELY_MS: Final = 33
_CALM_MS: Final = 125
_CALM_AFTER_S: Final = 1.5
Deed = Callable[[DirectInput], None]


@dataclass(frozen=True)
class Seen:
    """What a desktop shows: its picture (already in the asked size) or None where nothing changed."""

    image: QImage | None
    screen: ScreenMap


class Eye:
    """Looks at one desktop and acts on it; one worker looks, another acts, any thread may close it."""

    def __init__(self, display: str) -> None:
        self._display = display
        self._desktop: Desktop | None = None
        self._hand: DirectInput | None = None
        self._lock = threading.Lock()
        self._hands = threading.Lock()
        self._closed = False
        self._before: Pixels | None = None
        self._asked: tuple[int, int] | None = None

    def look(self, size: tuple[int, int] | None) -> Seen:
        """Grab the screen, scaled down to ``size`` when that is smaller; raises ``Cancelled`` once closed."""
        try:
            with self._lock:
                frame = self._open().grab()
                same = self._before is not None and size == self._asked and np.array_equal(self._before, frame.pixels)
                self._before, self._asked = frame.pixels, size
            if same:
                return Seen(None, frame.screen)
            pixels = frame.pixels
            if size is not None and size[0] < pixels.shape[1]:
                pixels = codec.resize(pixels, *size)
            return Seen(to_image(pixels), frame.screen)
        finally:
            if self._closed:
                self.close()

    def act(self, deeds: list[Deed]) -> None:
        """Do these deeds with the desktop's hand, one after another."""
        try:
            with self._hands:
                with self._lock:
                    opened = self._open()
                    hand = self._hand = self._hand or desktop.hand(opened)
                if hand is None:
                    return
                for deed in deeds:
                    with suppress(InputFailed):  # a character that no key writes here is left out
                        deed(hand)
        finally:
            if self._closed:
                self.close()

    def close(self) -> None:
        """Let go of what is held and of the connection, at once or as soon as the worker on it is done."""
        self._closed = True
        if not self._hands.acquire(blocking=False):
            return
        try:
            if self._lock.acquire(blocking=False):
                try:
                    self._shut()
                finally:
                    self._lock.release()
        finally:
            self._hands.release()

    def _open(self) -> Desktop:
        if self._closed:
            raise Cancelled("This desktop is not looked at any more.")
        if self._desktop is None:
            self._desktop = desktop.look(self._display)
        return self._desktop

    def _shut(self) -> None:
        opened, self._desktop = self._desktop, None
        hand, self._hand = self._hand, None
        try:
            if hand is not None:
                hand.release()
        except DesktopError:
            # The desktop went first, and took what was held with it.
            return
        finally:
            if opened is not None:
                opened.close()


class DesktopLink(QObject):
    """One desktop for one view. ``seen`` brings a ``Seen`` (the newest wins), ``lost`` the error that ended it."""

    seen = Signal(object)
    lost = Signal(object)
    _looked = Signal(object)

    def __init__(self, services: Services, display: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.display = display
        self._jobs = services.jobs
        self._eye = Eye(display)
        self._size: QSize | None = None
        self._deeds: deque[tuple[str, Deed]] = deque()
        self._acting = False
        self._guard = threading.Lock()
        self._closed = self._looking = False
        self._stirred = self._asked_at = time.monotonic()
        self._times: deque[float] = deque(maxlen=30)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._ask)
        self._looked.connect(self._came)

    @property
    def rate(self) -> float:
        """Pictures a second of late; 0 while the screen is at rest."""
        spent = self._times[-1] - self._times[0] if len(self._times) > 5 else 0.0
        lively = time.monotonic() - self._stirred < _CALM_AFTER_S
        return (len(self._times) - 1) / spent if spent > 0 and lively else 0.0

    def watch(self, wanted: bool) -> None:
        """Look at the desktop, or rest while nobody sees it."""
        if not wanted:
            self._timer.stop()
        elif not self._timer.isActive() and not self._looking and not self._closed:
            self._ask()

    def resize(self, size: QSize | None) -> None:
        """Ask for pictures of this size from now on; None for the desktop's own."""
        self._size = size

    def send(self, deed: Deed, kind: str = "") -> None:
        """Pass something on to the desktop, in order; of several waiting moves in a row only the last one counts."""
        if self._closed:
            return
        self._stirred = time.monotonic()
        with self._guard:
            if kind and self._deeds and self._deeds[-1][0] == kind:
                self._deeds.pop()
            self._deeds.append((kind, deed))
            if self._acting:
                return
            self._acting = True
        self._jobs.desk(f"{self.display} hands", self._act).add_done_callback(self._acted)

    def move(self, point: DesktopPoint) -> None:
        """Move the desktop's pointer."""
        self.send(lambda hand: hand.move(point), "move")

    def close(self) -> None:
        """Stop looking and acting; safe to call twice."""
        self._closed = True
        self._timer.stop()
        self._eye.close()

    def _ask(self) -> None:
        if self._closed or self._looking:
            return
        self._looking = True
        self._asked_at = time.monotonic()
        size = (self._size.width(), self._size.height()) if self._size is not None else None
        self._jobs.desk(f"{self.display} eyes", self._eye.look, size).add_done_callback(self._pass_on)

    def _pass_on(self, future: Future[Seen]) -> None:
        """Run in the worker's thread."""
        if not self._closed and shiboken6.isValid(self):
            self._looked.emit(future)

    def _came(self, future: Future[Seen]) -> None:
        self._looking = False
        if self._closed or future.cancelled():
            return
        try:
            seen = future.result()
        except Cancelled:
            return
        except EchoError as fault:
            self.close()
            self.lost.emit(fault)
            return
        now = time.monotonic()
        self._times.append(now)
        if seen.image is not None:
            self._stirred = now
        calm = now - self._stirred > _CALM_AFTER_S
        spent = (now - self._asked_at) * 1000
        self._timer.start(max(1, round((_CALM_MS if calm else _LIVELY_MS) - spent)))
        self.seen.emit(seen)

    def _act(self) -> None:
        while True:
            with self._guard:
                deeds = [deed for _, deed in self._deeds]
                self._deeds.clear()
                if not deeds:
                    self._acting = False
                    return
            self._eye.act(deeds)

    def _acted(self, future: Future[None]) -> None:
        """Run in the worker's thread: tell a lost desktop; one that is closed has nothing to tell."""
        fault = None if future.cancelled() else future.exception()
        if fault is not None:
            with self._guard:
                self._acting = False
            if isinstance(fault, EchoError) and not isinstance(fault, Cancelled):
                self._fail(fault)

    def _fail(self, fault: EchoError) -> None:
        failed: Future[Seen] = Future()
        failed.set_exception(fault)
        self._pass_on(failed)
