"""Labels and rules in the studio's type: titles, section heads, muted words, key caps, dividing lines."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget


def label(text: str, role: str = "", tone: str = "", *, wrap: bool = False) -> QLabel:
    """Return a plain-text label; ``role`` and ``tone`` are those of the style sheet."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        made.setProperty("role", role)
    if tone:
        made.setProperty("tone", tone)
    made.setWordWrap(wrap)
    if role == "key":
        made.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return made


def paragraph(text: str, width: int = 480) -> QLabel:
    """Return muted words in the middle of an empty page, wrapped at a width and never cut."""
    made = label(text, tone="muted", wrap=True)
    made.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    made.setFixedWidth(width)
    made.ensurePolished()
    made.setMinimumHeight(made.heightForWidth(width))
    return made


def set_tone(widget: QWidget, tone: str) -> None:
    """Change a label's tone and let the style sheet look again."""
    if widget.property("tone") != tone:
        widget.setProperty("tone", tone)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def rule() -> QFrame:
    """Return a dividing line across the width."""
    line = QFrame()
    line.setObjectName("rule")
    return line


class ElidedLabel(QLabel):
    """A one-line label that ends in an ellipsis when there is no room, with its whole text as the tool tip."""

    def __init__(self, text: str = "", role: str = "", tone: str = "") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", role)
        self.setProperty("tone", tone)
        self.setSizePolicy(
            QSizePolicy.Policy.Maximum if role == "title" else QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed
        )
        self.setMinimumWidth(24)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Let the layout squeeze it."""
        return QSize(24, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Offer the whole text as the tool tip when it is cut."""
        super().resizeEvent(event)
        cut = self.fontMetrics().horizontalAdvance(self.text()) > self.width()
        self.setToolTip(self.text() if cut else "")

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the text, cut at its end."""
        painter = QPainter(self)
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), shown)
        painter.end()
