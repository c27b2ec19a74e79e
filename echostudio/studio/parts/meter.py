"""A measured value against what is needed: a bar with a mark at the threshold, and both numbers in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from echostudio.studio import theme

_BAR: Final = 8


@dataclass(frozen=True, slots=True)
class Measure:
    """A measured value, what is needed, and the value at the bar's right end."""

    name: str
    value: float
    needed: float
    full: float = 1.0

    @property
    def enough(self) -> bool:
        """Whether the value reaches what is needed."""
        return self.value >= self.needed

    @property
    def words(self) -> str:
        """Return both numbers: ``0.214 ≥ 0.02`` or ``0.007 · needs 0.02``."""
        sign = "≥" if self.enough else "· needs"
        return f"{self.value:.3f} {sign} {self.needed:g}"


class Meter(QWidget):
    """Draws one measure; its words are its accessible description."""

    def __init__(self, measure: Measure | None = None) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._measure: Measure | None = None
        self.show_measure(measure)

    def show_measure(self, measure: Measure | None) -> None:
        """Show another measure; None draws an empty bar."""
        self._measure = measure
        self.setAccessibleName(measure.name if measure else "")
        self.setAccessibleDescription(measure.words if measure else "")
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for a line of words and the bar."""
        return QSize(160, 34)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw words above, bar below."""
        if self._measure is None:
            return
        now, measure = theme.current(), self._measure
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        token = "accepted" if measure.enough else "refused"
        words = QRectF(0, 0, self.width(), 20)
        painter.setPen(now.colour("text"))
        painter.drawText(words, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), measure.name)
        painter.setFont(now.font("small"))
        painter.setPen(now.colour("muted" if measure.enough else "refused"))
        painter.drawText(words, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), measure.words)
        bar = QRectF(0, 23, self.width(), _BAR)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(now.colour("inset") if now.name == "light" else now.colour("line"))
        painter.drawRoundedRect(bar, 4, 4)
        share = min(1.0, max(0.0, measure.value / measure.full))
        if share > 0:
            painter.setBrush(now.colour(token))
            painter.drawRoundedRect(QRectF(0, bar.top(), max(_BAR, bar.width() * share), _BAR), 4, 4)
        at = min(1.0, measure.needed / measure.full) * (bar.width() - 2)
        painter.setBrush(now.colour("text"))
        painter.drawRect(QRectF(at, bar.top() - 2, 2, _BAR + 4))
        painter.end()
