"""The score of one crop over the scales: best and second best, against the score that is needed."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from echostudio.operations.lab_search import ScalePoint
from echostudio.studio import theme

_HEIGHT: Final = 138
_LEFT: Final = 30.0
_BOTTOM: Final = 20.0
_TOP: Final = 8.0


class CurveView(QWidget):
    """Draws the curve; the pointer reads a scale off it."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Score over scale"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self._points: tuple[ScalePoint, ...] = ()
        self._needed = 0.0
        self._scale = 0.0
        self._hover: ScalePoint | None = None

    def show_curve(self, points: tuple[ScalePoint, ...], needed: float, scale: float) -> None:
        """Show other points, the needed score, and the scale that won (0 for none)."""
        if (points, needed, scale) == (self._points, self._needed, self._scale):
            return
        self._points, self._needed, self._scale, self._hover = points, needed, scale, None
        top = max(points, key=lambda one: one.best, default=None)
        self.setAccessibleDescription(
            self.tr("highest {0:.3f} at scale {1:.2f}").format(top.best, top.scale) if top else ""
        )
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for the width there is."""
        return QSize(300, _HEIGHT)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Read off the nearest scale."""
        if self._points:
            x = event.position().x()
            self._hover = min(self._points, key=lambda one: abs(self._x(one.scale) - x))
            self.update()

    def leaveEvent(self, event: object) -> None:  # noqa: N802 - Qt's name
        """Stop reading."""
        self._hover = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw grid, curves, threshold and the winning scale."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.current().font("small"))
        self._paint_grid(painter)
        if len(self._points) > 1:
            self._paint_line(painter, "second")
            self._paint_line(painter, "best")
        self._paint_needed(painter)
        reading = self._hover or next((one for one in self._points if abs(one.scale - self._scale) < 0.026), None)
        if reading is not None:
            self._paint_reading(painter, reading)
        painter.end()

    def _area(self) -> QRectF:
        return QRectF(_LEFT, _TOP, self.width() - _LEFT - 6, self.height() - _TOP - _BOTTOM)

    def _x(self, scale: float) -> float:
        area = self._area()
        low, high = (self._points[0].scale, self._points[-1].scale) if len(self._points) > 1 else (0.5, 2.0)
        return area.left() + area.width() * (scale - low) / max(0.01, high - low)

    def _y(self, score: float) -> float:
        area = self._area()
        return area.bottom() - area.height() * max(0.0, min(1.0, score))

    def _paint_grid(self, painter: QPainter) -> None:
        now, area = theme.current(), self._area()
        right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for score in (0.0, 0.5, 1.0):
            y = self._y(score)
            painter.setPen(QPen(now.colour("line", 0.8 if score == 0.0 else 0.45), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(now.colour("faint"))
            painter.drawText(QRectF(0, y - 8, _LEFT - 6, 16), right, f"{score:g}")
        if len(self._points) > 1:
            low, high = self._points[0].scale, self._points[-1].scale
            painter.setPen(now.colour("faint"))
            for scale in sorted({low, 1.0, 1.5, high}):
                if low <= scale <= high:
                    x = min(max(self._x(scale), area.left() + 12), area.right() - 12)
                    box = QRectF(x - 20, area.bottom() + 3, 40, 16)
                    painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), f"{scale:g}×")

    def _paint_line(self, painter: QPainter, name: str) -> None:
        now = theme.current()
        path = QPainterPath()
        for place, point in enumerate(self._points):
            to = QPointF(self._x(point.scale), self._y(getattr(point, name)))
            if place:
                path.lineTo(to)
            else:
                path.moveTo(to)
        pen = QPen(now.colour(name), 2 if name == "best" else 1.6)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        if name == "second":
            pen.setDashPattern([3, 2])
        if name == "best":
            fill = QPainterPath(path)
            fill.lineTo(self._x(self._points[-1].scale), self._y(0))
            fill.lineTo(self._x(self._points[0].scale), self._y(0))
            painter.fillPath(fill, now.colour("best", 0.10))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen)
        painter.drawPath(path)

    def _paint_needed(self, painter: QPainter) -> None:
        now, area = theme.current(), self._area()
        y = self._y(self._needed)
        pen = QPen(now.colour("text", 0.75), 1.2)
        pen.setDashPattern([5, 4])
        painter.setPen(pen)
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        words = self.tr("needs {0:.2f}").format(self._needed)
        box = QRectF(area.right() - 70, y + 2, 68, 15)
        painter.setPen(now.colour("muted"))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), words)

    def _paint_reading(self, painter: QPainter, point: ScalePoint) -> None:
        now, area = theme.current(), self._area()
        x = self._x(point.scale)
        painter.setPen(QPen(now.colour("text", 0.28), 1))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        painter.setPen(QPen(now.colour("panel"), 1.5))
        for name in ("second", "best"):
            painter.setBrush(now.colour(name))
            painter.drawEllipse(QPointF(x, self._y(getattr(point, name))), 4, 4)
        words = f"{point.scale:g}×   best {point.best:.3f}   second {point.second:.3f}"
        width = painter.fontMetrics().horizontalAdvance(words) + 14
        left = min(max(area.left(), x - width / 2), area.right() - width)
        box = QRectF(left, area.bottom() - 24, width, 18)
        painter.setPen(QPen(now.colour("line"), 1))
        painter.setBrush(now.colour("raised"))
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(now.colour("text"))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), words)
