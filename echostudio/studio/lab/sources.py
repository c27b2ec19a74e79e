"""Where pictures that are not stored come from: a live desktop, a file, the clipboard."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtGui import QCursor, QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from echostudio.codec import Pixels
from echostudio.desktop.controller import VirtualInfo
from echostudio.operations import lab
from echostudio.operations.lab import LabScreen
from echostudio.studio.lab.state import Source

Reader = Callable[[], LabScreen]


class Shows(Protocol):
    """The page, as far as a chosen picture concerns it."""

    def show_source(self, source: Source, given: Reader | None = None) -> None:
        """Look at a picture."""


class Choosing(QObject):
    """Asks the person for a picture; ``readers`` keeps how each of them is read again."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._window = parent
        self.running: tuple[VirtualInfo, ...] = ()
        self.readers: dict[str, Reader] = {}
        self._pasted = 0

    def live(self, page: Shows) -> None:
        """Look at the desktop; a menu asks which one when there are several."""
        displays = [info.display for info in self.running]
        own = os.environ.get("DISPLAY", "")
        displays += [own] if own and own not in displays else []
        if len(displays) < 2:
            self.grab(page, displays[0] if displays else "")
            return
        menu = QMenu(self._window)
        for display in displays:
            action = menu.addAction(self.tr("Desktop {0}").format(display))
            action.triggered.connect(lambda _=False, display=display: self.grab(page, display))
        menu.popup(QCursor.pos())

    def grab(self, page: Shows, display: str) -> None:
        """Look at one desktop."""
        page.show_source(Source("live", display), lambda: lab.grab(display or None))

    def file(self, page: Shows) -> None:
        """Ask for a picture file."""
        kinds = self.tr("Pictures (*.png *.webp *.jpg *.jpeg)")
        name, _ = QFileDialog.getOpenFileName(self._window, self.tr("Look at a picture"), "", kinds)
        if name:
            self.open_file(page, name)

    def open_file(self, page: Shows, name: str) -> None:
        """Look at a picture file."""
        path = Path(name)
        page.show_source(Source("file", path.name), lambda: lab.load_screen(path))

    def paste(self, page: Shows) -> None:
        """Look at the picture in the clipboard, or at the picture file that was copied."""
        data = QGuiApplication.clipboard().mimeData()
        files = [url.toLocalFile() for url in data.urls() if url.isLocalFile()] if data is not None else []
        if files:
            self.open_file(page, files[0])
            return
        self._pasted += 1
        pixels = from_image(QGuiApplication.clipboard().image())
        given = (lambda: lab.load_screen(b"")) if pixels is None else (lambda: lab.screen_of(pixels))
        page.show_source(Source("pasted", str(self._pasted)), given)


def from_image(image: QImage) -> Pixels | None:
    """Return an image's pixels as RGB, None for no image."""
    if image.isNull():
        return None
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    width, height, stride = plain.width(), plain.height(), plain.bytesPerLine()
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(height, stride)
    return rows[:, : 3 * width].reshape(height, width, 3).copy()
