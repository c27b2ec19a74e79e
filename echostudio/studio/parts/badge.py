"""Badges: a rounded word with an icon, for states, fields and facts; and the same drawing for own-painted rows."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from echostudio.studio import icons, theme
from echostudio.studio.looks import Look

HEIGHT: Final = 22
_ICON: Final = 13
_PAD: Final = 9


def badge_width(look: Look) -> float:
    """Return how wide a badge of this look is, in pixels."""
    words = QFontMetricsF(theme.current().font("small")).horizontalAdvance(look.word)
    return 2 * _PAD + words + (_ICON + 5 if look.icon else 0)


def paint_badge(painter: QPainter, left_middle: QPointF, look: Look) -> float:
    """Draw a badge whose left end's middle is given; return its width."""
    now = theme.current()
    width = badge_width(look)
    box = QRectF(left_middle.x() + 0.5, left_middle.y() - HEIGHT / 2 + 0.5, width - 1, HEIGHT - 1)
    plain = look.token in ("muted", "faint", "text")
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(now.colour("line") if plain else now.colour(look.token, 0.45), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush if plain else now.colour(look.token, 0.10))
    painter.drawRoundedRect(box, HEIGHT / 2, HEIGHT / 2)
    left = box.left() + _PAD
    if look.icon:
        icons.paint(painter, QRectF(left, box.center().y() - _ICON / 2, _ICON, _ICON), look.icon, look.token)
        left += _ICON + 5
    painter.setFont(now.font("small"))
    painter.setPen(now.colour(look.token))
    text = QRectF(left, box.top(), box.right() - left, box.height())
    painter.drawText(text, int(Qt.AlignmentFlag.AlignVCenter), look.word)
    painter.restore()
    return width


class Badge(QWidget):
    """A badge as a widget; its word is its accessible name."""

    def __init__(self, look: Look | None = None, tip: str = "") -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._look: Look | None = None
        self.show_look(look, tip)

    @property
    def look(self) -> Look | None:
        """What is shown now."""
        return self._look

    def show_look(self, look: Look | None, tip: str = "") -> None:
        """Show another look; None hides the badge."""
        self._look = look
        if look is None or self.parentWidget() is not None:  # a widget without a parent would open as a window
            self.setVisible(look is not None)
        self.setAccessibleName(look.word if look else "")
        self.setToolTip(tip)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for exactly the room that the words need."""
        return QSize(round(badge_width(self._look) + 0.5) if self._look else 0, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw it."""
        if self._look is None:
            return
        painter = QPainter(self)
        paint_badge(painter, QPointF(0, self.height() / 2), self._look)
        painter.end()


def fact(words: str, icon: str = "") -> Look:
    """Return the look of a plain fact."""
    return Look(icon, words, "muted")
