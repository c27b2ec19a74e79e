"""The pictures a step can be looked at on: small ones in a row, each with what a replay decided on it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from echostudio.studio import icons, theme
from echostudio.studio.lab.state import Source
from echostudio.studio.pictures import PictureKey, Pictures

HEIGHT: Final = 116
_PICTURE: Final = QSize(112, 63)
_SPACE: Final = 12
_LEFT: Final = 16
_TOP: Final = 10
_ICONS: Final = {"live": "monitor", "file": "image-square", "pasted": "clipboard-text"}


class PictureStrip(QAbstractScrollArea):
    """Shows the sources in a row; a click looks at one."""

    chosen = Signal(int)

    def __init__(self, pictures: Pictures) -> None:
        super().__init__()
        self.setObjectName("bottompanel")
        self.setAccessibleName(self.tr("Pictures"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFixedHeight(HEIGHT)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setAutoFillBackground(False)
        self._pictures = pictures
        self._sources: tuple[Source, ...] = ()
        self._current = -1
        self.thumbs: dict[str, QImage] = {}
        pictures.loaded.connect(lambda _: self.viewport().update())

    def show_sources(self, sources: tuple[Source, ...], current: int) -> None:
        """Show other pictures, and which one is looked at."""
        if sources is self._sources and current == self._current:
            return
        self._sources, self._current = sources, current
        whole = _LEFT + len(sources) * (_PICTURE.width() + _SPACE)
        self.horizontalScrollBar().setRange(0, max(0, whole - self.viewport().width()))
        left = _LEFT + current * (_PICTURE.width() + _SPACE)
        bar = self.horizontalScrollBar()
        if current >= 0 and not bar.value() <= left <= bar.value() + self.viewport().width() - _PICTURE.width():
            bar.setValue(left - _PICTURE.width())
        names = [f"{one.title} {one.under}" for one in sources]
        self.setAccessibleDescription(names[current] if 0 <= current < len(names) else "")
        self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Scroll sideways with either wheel."""
        delta, bar = event.angleDelta(), self.horizontalScrollBar()
        bar.setValue(bar.value() - (delta.x() or delta.y()))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Look at the picture under the pointer."""
        place = self.source_at(event.position().toPoint())
        if place >= 0:
            self.chosen.emit(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Leave the arrows to the page's commands."""
        event.ignore()

    def source_at(self, point: QPoint) -> int:
        """Return which picture lies under a place of the viewport, or -1."""
        x = point.x() + self.horizontalScrollBar().value() - _LEFT
        place, rest = divmod(x, _PICTURE.width() + _SPACE)
        return place if 0 <= place < len(self._sources) and rest < _PICTURE.width() else -1

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the pictures in view."""
        now = theme.current()
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), now.colour("panel"))
        painter.fillRect(0, 0, self.viewport().width(), 1, now.colour("line"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        offset = self.horizontalScrollBar().value()
        for place, source in enumerate(self._sources):
            left = _LEFT + place * (_PICTURE.width() + _SPACE) - offset
            if -_PICTURE.width() < left < self.viewport().width():
                self._paint_source(painter, source, left, place == self._current)
        painter.end()

    def _paint_source(self, painter: QPainter, source: Source, left: int, current: bool) -> None:
        now = theme.current()
        box = QRectF(left, _TOP, _PICTURE.width(), _PICTURE.height())
        path = QPainterPath()
        path.addRoundedRect(box, 5, 5)
        painter.fillPath(path, now.colour("inset"))
        image = self._thumb(source)
        if image is not None and not image.isNull():
            painter.setClipPath(path)
            scale = max(box.width() / image.width(), box.height() / image.height())
            width, height = image.width() * scale, image.height() * scale
            painter.drawImage(QRectF(box.center().x() - width / 2, box.center().y() - height / 2, width, height), image)
            painter.setClipping(False)
        else:
            icons.paint(painter, box.adjusted(40, 16, -40, -16), _ICONS.get(source.kind, "image"), "faint")
        painter.setPen(QPen(now.colour("accent" if current else "line"), 2 if current else 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        self._paint_words(painter, source, box, current)

    def _paint_words(self, painter: QPainter, source: Source, box: QRectF, current: bool) -> None:
        now = theme.current()
        left = box.left()
        if source.accepted is not None:
            look = ("check-bold", "accepted") if source.accepted else ("warning-fill", "refused")
            icons.paint(painter, QRectF(left, box.bottom() + 7, 12, 12), *look)
            left += 16
        painter.setFont(now.font("small", bold=current))
        painter.setPen(now.colour("text" if current else "muted"))
        metrics = painter.fontMetrics()
        line = QRectF(left, box.bottom() + 5, box.right() - left, 16)
        painter.drawText(line, 0, metrics.elidedText(source.title, Qt.TextElideMode.ElideRight, int(line.width())))
        painter.setFont(now.font("small"))
        painter.setPen(now.colour("faint"))
        line = QRectF(box.left(), box.bottom() + 21, box.width(), 16)
        painter.drawText(line, 0, metrics.elidedText(source.under, Qt.TextElideMode.ElideMiddle, int(line.width())))

    def _thumb(self, source: Source) -> QImage | None:
        if source.stored is None:
            return self.thumbs.get(source.key)
        stored = source.stored
        place = "replay" if stored.kind == "replay" else "library"
        return self._pictures.thumb(PictureKey(stored.picture.digest, place, stored.run))
