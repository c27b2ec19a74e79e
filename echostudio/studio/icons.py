"""Icons of one family (Phosphor, through qtawesome), drawn at paint time in the colours of the present theme."""

from __future__ import annotations

from typing import Final

import qtawesome
from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap

from echostudio.studio import theme

_FAMILY: Final = "ph"


class _Engine(QIconEngine):
    """Draws one glyph; asks the theme for its colour on each paint, so that a switch of theme needs no new icons."""

    def __init__(self, name: str, token: str, on_token: str) -> None:
        super().__init__()
        self._spec = (name, token, on_token)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        name, token, on_token = self._spec
        if mode == QIcon.Mode.Disabled:
            token = "faint"
        elif state == QIcon.State.On:
            token = on_token
        paint(painter, QRectF(rect), name, token)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        return _Engine(*self._spec)


def icon(name: str, token: str = "text", on_token: str = "") -> QIcon:
    """Return an icon by its Phosphor name; ``on_token`` colours it while its button is checked."""
    return QIcon(_Engine(name, token, on_token or token))


def paint(painter: QPainter, rect: QRectF, name: str, token: str) -> None:
    """Draw one icon into a rectangle."""
    edge = min(rect.width(), rect.height())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    painter.setFont(qtawesome.font(_FAMILY, max(1, round(edge))))
    painter.setPen(theme.current().colour(token))
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), qtawesome.charmap(f"{_FAMILY}.{name}"))
    painter.restore()
