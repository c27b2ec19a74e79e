"""Marks over a picture: boxes with labels, click points, drag arrows. Placed so that nothing hides what matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.studio import theme
from echostudio.studio.parts.placing import Area, Label, place

_LABEL_HEIGHT: Final = 20.0
_RING: Final = 11.0


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark in frame pixels.

    A box (``dashed`` for what is only context), a point (a ring; the pixel itself stays visible), or an arrow from
    ``point`` to ``to``. ``clear`` boxes are never covered by a label.
    """

    token: str
    label: str = ""
    box: FrameBox | None = None
    point: tuple[float, float] | None = None
    to: tuple[float, float] | None = None
    dashed: bool = False
    clear: bool = False
    weak: bool = False

    @property
    def box_center(self) -> tuple[float, float] | None:
        """The middle of the box, where there is one."""
        return (self.box.center.x, self.box.center.y) if self.box else None


def at(point: FramePoint) -> tuple[float, float]:
    """Return the middle of a frame pixel."""
    return (point.x + 0.5, point.y + 0.5)


def paint_marks(painter: QPainter, marks: Sequence[Mark], target: QRectF, zoom: float, view: QRectF) -> None:
    """Draw marks over a picture that lies at ``target`` (view pixels) with ``zoom`` view pixels per frame pixel."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setClipRect(view)
    for mark in marks:
        if mark.box is not None:
            _paint_box(painter, mark, _to_view(mark.box, target, zoom))
    for mark in marks:
        if mark.point is not None:
            _paint_point(painter, mark, target, zoom)
    _paint_labels(painter, marks, target, zoom, view)
    painter.restore()


def _to_view(box: FrameBox, target: QRectF, zoom: float) -> QRectF:
    return QRectF(target.x() + box.x * zoom, target.y() + box.y * zoom, box.width * zoom, box.height * zoom)


def _paint_box(painter: QPainter, mark: Mark, box: QRectF) -> None:
    colour = theme.current().colour(mark.token)
    halo = QColor(255, 255, 255, 150)
    outer = box.adjusted(-1, -1, 1, 1)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if not mark.weak:
        painter.setPen(QPen(halo, 4))
        painter.drawRect(outer)
    pen = QPen(colour, 1.2 if mark.weak else 2)
    if mark.dashed:
        pen.setStyle(Qt.PenStyle.CustomDashLine)
        pen.setDashPattern([4, 3])
    painter.setPen(pen)
    painter.drawRect(outer)


def _paint_point(painter: QPainter, mark: Mark, target: QRectF, zoom: float) -> None:
    assert mark.point is not None
    colour = theme.current().colour(mark.token)
    middle = QPointF(target.x() + mark.point[0] * zoom, target.y() + mark.point[1] * zoom)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if mark.to is not None:
        end = QPointF(target.x() + mark.to[0] * zoom, target.y() + mark.to[1] * zoom)
        _paint_arrow(painter, colour, QLineF(middle, end))
    for pen in (QPen(QColor(255, 255, 255, 150), 3.4), QPen(colour, 1.8)):
        painter.setPen(pen)
        painter.drawEllipse(middle, _RING, _RING)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(middle, 1.4, 1.4)


def _paint_arrow(painter: QPainter, colour: QColor, line: QLineF) -> None:
    painter.setPen(QPen(QColor(255, 255, 255, 220), 5))
    painter.drawLine(line)
    painter.setPen(QPen(colour, 2.2))
    painter.drawLine(line)
    if line.length() < 1:
        return
    back = line.unitVector()
    across = QPointF(-back.dy(), back.dx())
    forth = QPointF(back.dx(), back.dy())
    head = QPolygonF([line.p2(), line.p2() - forth * 12 + across * 6, line.p2() - forth * 12 - across * 6])
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(head)


def _paint_labels(painter: QPainter, marks: Sequence[Mark], target: QRectF, zoom: float, view: QRectF) -> None:
    now = theme.current()
    font = now.font("small", bold=True)
    metrics = QFontMetricsF(font)
    wanted = [mark for mark in marks if mark.label]
    labels = [
        Label(_area(_anchor(mark, target, zoom)), metrics.horizontalAdvance(mark.label) + 14, _LABEL_HEIGHT)
        for mark in wanted
    ]
    clear = [_area(_anchor(mark, target, zoom)) for mark in marks if mark.clear or mark.point is not None]
    bounds = _area(target.intersected(view).adjusted(2, 2, -2, -2))
    painter.setFont(font)
    placed = [
        (mark, label, QRectF(where.x, where.y, where.width, where.height))
        for mark, label, where in zip(wanted, labels, place(labels, clear, bounds), strict=True)
        if where is not None
    ]
    for mark, label, box in placed:
        _paint_leader(painter, now.colour(mark.token), label.box, box)
    for mark, _, box in placed:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(now.colour(mark.token))
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(now.colour("on_status"))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), mark.label)


def _paint_leader(painter: QPainter, colour: QColor, owner: Area, box: QRectF) -> None:
    """Draw a thin line to the box when the label had to go far from it."""
    own = QRectF(owner.x, owner.y, owner.width, owner.height)
    if own.adjusted(-14, -14, 14, 14).intersects(box):
        return
    near = QPointF(
        min(max(box.center().x(), own.left()), own.right()), min(max(box.center().y(), own.top()), own.bottom())
    )
    painter.setPen(QPen(colour, 1.2))
    painter.drawLine(QLineF(box.center(), near))


def _anchor(mark: Mark, target: QRectF, zoom: float) -> QRectF:
    if mark.box is not None:
        return _to_view(mark.box, target, zoom).adjusted(-2, -2, 2, 2)
    x, y = mark.point or (0.0, 0.0)
    middle = QPointF(target.x() + x * zoom, target.y() + y * zoom)
    return QRectF(middle.x() - _RING - 3, middle.y() - _RING - 3, 2 * _RING + 6, 2 * _RING + 6)


def _area(box: QRectF) -> Area:
    return Area(box.x(), box.y(), box.width(), box.height())
