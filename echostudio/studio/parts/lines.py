"""A list of findings: icon, sentence, and where it stands; wraps long sentences and never cuts them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from echostudio.studio import icons
from echostudio.studio.looks import Look
from echostudio.studio.parts.text import label


@dataclass(frozen=True, slots=True)
class Line:
    """One finding. ``under`` puts the place below the sentence; ``key`` makes it something to open."""

    look: Look
    sentence: str
    where: str = ""
    struck: bool = False
    under: bool = False
    key: str = ""


class Glyph(QWidget):
    """One icon as a widget, named by the look's word."""

    def __init__(self, look: Look, size: int = 16) -> None:
        super().__init__()
        self.setFixedSize(QSize(size, size + 2))
        self.setAccessibleName(look.word)
        self.setToolTip(look.word)
        self._look = look

    def show_look(self, look: Look) -> None:
        """Show another icon."""
        self._look = look
        self.setAccessibleName(look.word)
        self.setToolTip(look.word)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw it."""
        painter = QPainter(self)
        icons.paint(painter, QRectF(0, 1, self.width(), self.width()), self._look.icon, self._look.token)
        painter.end()


class _Row(QWidget):
    """One line; clicked or Enter opens it when it has a key."""

    opened = Signal(str)

    def __init__(self, line: Line) -> None:
        super().__init__()
        self._key = line.key
        self.setAccessibleName(f"{line.look.word}: {line.sentence}")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 3, 0, 3)
        row.setSpacing(10)
        row.addWidget(Glyph(line.look), 0, Qt.AlignmentFlag.AlignTop)
        text = label(line.sentence, tone="faint" if line.struck else "", wrap=True)
        text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        if line.struck:
            font = text.font()
            font.setStrikeOut(True)
            text.setFont(font)
        where = label(line.where, "small", "muted", wrap=line.under)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        grid.addWidget(text, 0, 0)
        if line.where:
            where.setContentsMargins(0, 0 if line.under else 1, 0, 0)
            place = (1, 0) if line.under else (0, 1)
            grid.addWidget(where, *place, Qt.AlignmentFlag.AlignTop)
        grid.setColumnStretch(0, 1)
        row.addLayout(grid, 1)
        if line.key:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
            self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Open it."""
        if self._key:
            self.opened.emit(self._key)


class LineList(QWidget):
    """Lines below each other."""

    opened = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(3)
        self._lines: tuple[Line, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        """What is shown now."""
        return self._lines

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Show these lines; nothing is rebuilt when they are the same."""
        if tuple(lines) == self._lines:
            return
        self._lines = tuple(lines)
        while item := self._column.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        for line in lines:
            row = _Row(line)
            row.opened.connect(self.opened)
            self._column.addWidget(row)
