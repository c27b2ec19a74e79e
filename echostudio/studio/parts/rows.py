"""What own-painted rows share: the ground under a cell, and a small picture with rounded corners."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QStyle

from echostudio.studio import icons, theme


def paint_ground(painter: QPainter, box: QRectF, state: QStyle.StateFlag, *, first: bool, last: bool) -> None:
    """Paint the ground of a table's cell: a line below, or one rounded bar over the whole row when it is chosen."""
    now = theme.current()
    selected = bool(state & QStyle.StateFlag.State_Selected)
    if not selected and not state & QStyle.StateFlag.State_MouseOver:
        painter.setPen(QPen(now.colour("line", 0.6), 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        return
    painter.setClipRect(box)
    ends = box.adjusted(0 if first else -20, 2, 0 if last else 20, -2)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(now.colour("selection") if selected else now.colour("hover"))
    painter.drawRoundedRect(ends, 8, 8)
    painter.setClipping(False)


def paint_thumb(painter: QPainter, place: QRectF, image: QImage | None, empty: str = "") -> None:
    """Paint a picture that fills its place; where there is none, an icon that says so."""
    now = theme.current()
    path = QPainterPath()
    path.addRoundedRect(place, 4, 4)
    painter.fillPath(path, now.colour("inset"))
    if image is not None:
        painter.save()
        painter.setClipPath(path)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        size = image.size().scaled(place.size().toSize(), Qt.AspectRatioMode.KeepAspectRatioByExpanding)
        target = QRectF(0, 0, size.width(), size.height())
        target.moveCenter(place.center())
        painter.drawImage(target, image)
        painter.restore()
    elif empty:
        mark = QRectF(place.center().x() - 9, place.center().y() - 9, 18, 18)
        icons.paint(painter, mark, empty, "faint")
    painter.setPen(QPen(now.colour("line"), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)
