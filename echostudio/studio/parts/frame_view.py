"""The picture viewer: one screenshot, unaltered, with marks over it; zoom to fit, 1:1 or by the wheel; drag to pan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from echostudio.studio import theme
from echostudio.studio.parts.marks import Mark, paint_marks

_LOWEST: Final = 0.05
_HIGHEST: Final = 8.0
_ALL: Final = 4000


class FrameView(QWidget):
    """Shows a frame. The picture's pixels are never altered; marks are drawn over them and can be switched off."""

    zoom_changed = Signal(float)
    view_changed = Signal(float, QPointF)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMinimumSize(160, 100)
        self._image: QImage | None = None
        self._scaled: QImage | None = None
        self._marks: tuple[Mark, ...] = ()
        self._zoom: float | None = None
        self._middle: QPointF | None = None
        self._grabbed: QPointF | None = None
        self._empty = ""

    def show_image(self, image: QImage | None, empty: str = "") -> None:
        """Show another picture (kept as it is), or words where there is none."""
        if image is not None and (self._image is None or image.size() != self._image.size()):
            self._middle = None
        if image is not None or self._image is not None:
            self.updateGeometry()
        self._image, self._scaled, self._empty = image, None, empty
        self.update()
        self.zoom_changed.emit(self.zoom)

    def show_marks(self, marks: Sequence[Mark]) -> None:
        """Draw these marks over the picture."""
        self._marks = tuple(marks)
        self.update()

    @property
    def image(self) -> QImage | None:
        """The picture that is shown."""
        return self._image

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks that are drawn."""
        return self._marks

    @property
    def zoom(self) -> float:
        """View pixels per frame pixel."""
        if self._zoom is not None:
            return self._zoom
        if self._image is None or self._image.isNull():
            return 1.0
        size = self.size()
        return max(_LOWEST, min(size.width() / self._image.width(), size.height() / self._image.height(), 1.0))

    @property
    def fits(self) -> bool:
        """Whether the zoom follows the size of the view."""
        return self._zoom is None

    def fit(self) -> None:
        """Show the whole picture, however large the view is."""
        self._set_view(None, None)

    def actual_size(self) -> None:
        """Show one frame pixel as one view pixel, around what is marked."""
        focus = next((mark.point or mark.box_center for mark in self._marks), None)
        middle = QPointF(*focus) if focus else self._middle
        self._set_view(1.0, middle)

    def zoom_by(self, factor: float, around: QPointF | None = None) -> None:
        """Zoom around a view place (the middle by default), which stays where it is."""
        if self._image is None:
            return
        around = around or QPointF(self.width() / 2, self.height() / 2)
        fixed = self.to_frame(around)
        zoom = max(_LOWEST, min(_HIGHEST, self.zoom * factor))
        offset = (around - QPointF(self.width() / 2, self.height() / 2)) / zoom
        self._set_view(zoom, fixed - offset)

    def follow(self, zoom: float | None, middle: QPointF | None) -> None:
        """Take over another view's zoom and place without telling on."""
        self._zoom, self._middle, self._scaled = zoom, middle, None
        self.updateGeometry()
        self.update()
        self.zoom_changed.emit(self.zoom)

    def to_frame(self, place: QPointF) -> QPointF:
        """Convert a view place to frame pixels."""
        target = self.target()
        return QPointF((place.x() - target.x()) / self.zoom, (place.y() - target.y()) / self.zoom)

    def target(self) -> QRectF:
        """Return where the whole picture lies in view pixels."""
        if self._image is None:
            return QRectF(self.rect())
        zoom = self.zoom
        width, height = self._image.width() * zoom, self._image.height() * zoom
        middle = self._middle or QPointF(self._image.width() / 2, self._image.height() / 2)
        left = _placed(self.width(), width, middle.x() * zoom)
        top = (
            0.0 if height <= self.height() and self._zoom is None else _placed(self.height(), height, middle.y() * zoom)
        )
        return QRectF(round(left), round(top), round(width), round(height))

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for much."""
        return QSize(800, 450)

    def heightForWidth(self, width: int) -> int:  # noqa: N802 - Qt's name
        """Ask for exactly the picture's height while it fits, and for all there is while it is zoomed."""
        if self._image is None or self._image.isNull():
            return round(width * 9 / 16)
        if not self.fits:
            return _ALL
        return min(self._image.height(), round(width * self._image.height() / self._image.width()))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw picture, frame line, marks and the focus ring."""
        painter = QPainter(self)
        now = theme.current()
        if self._image is None or self._image.isNull():
            painter.setPen(now.colour("faint"))
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), self._empty)
            painter.end()
            return
        target = self.target()
        self._paint_image(painter, target)
        painter.setPen(QPen(now.colour("line"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(target.adjusted(-0.5, -0.5, 0.5, 0.5))
        paint_marks(painter, self._marks, target, self.zoom, QRectF(self.rect()))
        if self.hasFocus():
            painter.setPen(QPen(now.colour("accent"), 2))
            painter.drawRect(target.intersected(QRectF(self.rect())).adjusted(1, 1, -1, -1))
        painter.end()

    def _paint_image(self, painter: QPainter, target: QRectF) -> None:
        assert self._image is not None
        if self.zoom >= 1.0:
            painter.drawImage(target, self._image)
            return
        size = target.size().toSize()
        if self._scaled is None or self._scaled.size() != size:
            self._scaled = self._image.scaled(
                size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
        painter.drawImage(target.topLeft(), self._scaled)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Tell the zoom when it follows the size."""
        super().resizeEvent(event)
        self.zoom_changed.emit(self.zoom)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Zoom with Ctrl; else leave the wheel to others."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.angleDelta().y():
            self.zoom_by(1.25 if event.angleDelta().y() > 0 else 0.8, event.position())
            event.accept()
        else:
            event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Begin to pan."""
        self._grabbed = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Pan while the button is down and the picture is larger than the view."""
        if self._grabbed is None or self._zoom is None or self._image is None:
            return
        moved = (event.position() - self._grabbed) / self.zoom
        self._grabbed = event.position()
        middle = self._middle or QPointF(self._image.width() / 2, self._image.height() / 2)
        self._set_view(self._zoom, middle - moved)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """End panning."""
        self._grabbed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Switch between fit and actual size, around the place."""
        if self.fits:
            self._set_view(1.0, self.to_frame(event.position()))
        else:
            self.fit()

    def _set_view(self, zoom: float | None, middle: QPointF | None) -> None:
        if self._image is not None and middle is not None:
            middle = QPointF(
                max(0.0, min(middle.x(), self._image.width())), max(0.0, min(middle.y(), self._image.height()))
            )
        self.follow(zoom, middle)
        self.view_changed.emit(self._zoom or 0.0, self._middle or QPointF())


def _placed(room: float, size: float, middle: float) -> float:
    """Return the start of a picture side: centred when it is smaller than the view, else kept inside it."""
    if size <= room:
        return (room - size) / 2
    return max(room - size, min(0.0, room / 2 - middle))
