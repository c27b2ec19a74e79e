"""Stored pictures for painting: decoded off the GUI thread, copied into images of Qt's own, kept while room lasts."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage

from echostudio.codec import Pixels
from echostudio.errors import EchoError
from echostudio.operations import library, runs
from echostudio.operations.services import Services
from echostudio.studio.work import Work

_FRAMES_KEPT: Final = 12
_THUMBS_KEPT: Final = 2000
THUMB_SIZE: Final = QSize(256, 144)


@dataclass(frozen=True, slots=True)
class PictureKey:
    """Which picture: its digest, and the place that holds it (``library``, ``run`` or ``replay`` with the run's id)."""

    digest: str
    place: str = "library"
    run: str = ""


def to_image(pixels: Pixels) -> QImage:
    """Copy RGB pixels into a 32-bit image that owns its memory (the format Qt paints fastest)."""
    height, width = pixels.shape[:2]
    four = np.empty((height, width, 4), dtype=np.uint8)
    four[:, :, 0] = pixels[:, :, 2]
    four[:, :, 1] = pixels[:, :, 1]
    four[:, :, 2] = pixels[:, :, 0]
    four[:, :, 3] = 255
    return QImage(four.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()


class Pictures(QObject):
    """A cache that answers at once with what it has, and tells when more has come."""

    loaded = Signal(object)

    def __init__(self, services: Services, work: Work, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._work = work
        self._frames: OrderedDict[PictureKey, QImage] = OrderedDict()
        self._thumbs: OrderedDict[PictureKey, QImage] = OrderedDict()
        self._asked: set[tuple[str, PictureKey]] = set()

    def frame(self, key: PictureKey) -> QImage | None:
        """Return the whole picture, or None and load it; ``loaded`` tells when it is there."""
        if key in self._frames:
            self._frames.move_to_end(key)
            return self._frames[key]
        self._ask("frame", key)
        return None

    def thumb(self, key: PictureKey) -> QImage | None:
        """Return a small copy, or None and load it."""
        if key in self._thumbs:
            self._thumbs.move_to_end(key)
            return self._thumbs[key]
        self._ask("thumb", key)
        return None

    def _ask(self, size: str, key: PictureKey) -> None:
        if (size, key) in self._asked:
            return
        self._asked.add((size, key))
        read = _read_frame if size == "frame" else _read_thumb
        future = self._services.jobs.pool(read, self._services, key)
        self._work.ask(self, f"{size} {key}", future, lambda image: self._keep(size, key, image), self._missing)

    def _keep(self, size: str, key: PictureKey, image: QImage) -> None:
        kept, limit = (self._frames, _FRAMES_KEPT) if size == "frame" else (self._thumbs, _THUMBS_KEPT)
        kept[key] = image
        self._asked.discard((size, key))
        while len(kept) > limit:
            kept.popitem(last=False)
        self.loaded.emit(key)

    def _missing(self, error: EchoError) -> None:
        """Leave a missing picture as asked for, so that no paint asks again; the page shows an empty place."""


def read_pixels(services: Services, key: PictureKey) -> Pixels:
    """Read a picture's pixels; for workers, never for the GUI thread."""
    if key.place == "run":
        return library.run_picture(services, key.run, key.digest)
    if key.place == "replay":
        return library.replay_picture(services, key.run, key.digest)
    return library.picture(services, key.digest)


def _read_frame(services: Services, key: PictureKey) -> QImage:
    return to_image(read_pixels(services, key))


def _read_thumb(services: Services, key: PictureKey) -> QImage:
    if key.place == "library":
        path = library.thumbnail(services, key.digest)
    else:
        path = runs.thumbnail(services, key.run, key.digest)
    image = QImage(str(path)) if path is not None else QImage()
    if image.isNull():
        image = _read_frame(services, key)
    return image.scaled(
        THUMB_SIZE, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    ).convertToFormat(QImage.Format.Format_RGB32)
