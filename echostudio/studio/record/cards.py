"""Cards of the Record page: how it goes, this screen, the end of a recording, a note; and the countdown."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from echostudio.studio import theme
from echostudio.studio.commands import TABLE, key_text
from echostudio.studio.library.empty import Emblem
from echostudio.studio.looks import Look
from echostudio.studio.parts.controls import button
from echostudio.studio.parts.lines import Glyph, Line, LineList
from echostudio.studio.parts.text import label, paragraph
from echostudio.studio.record.state import RecordState, summary

_WELL: Final = Look("check-circle-fill", "recorded", "accepted")
_CARE: Final = Look("warning-fill", "look at this", "refused")
_KEYS: Final = ("start", "pause", "private", "ignore", "mark", "note", "undo")


class HowTo(QWidget):
    """What to expect, and the keys, while nothing was recorded yet."""

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(10)
        column.addWidget(label(self.tr("How it goes"), "section"))
        lines = LineList()
        lines.show_lines(
            [
                Line(Look("number-circle-one", "first", "accent"), self.tr("Choose where, and say what it is for.")),
                Line(
                    Look("number-circle-two", "second", "accent"),
                    self.tr("Do the work as you always do. Every click, drag and text becomes a step at once."),
                ),
                Line(
                    Look("number-circle-three", "third", "accent"),
                    self.tr(
                        "Each step shows whether its target could be found again, while the screen is still there."
                    ),
                ),
                Line(
                    Look("lock-simple", "secrets", "accent"),
                    self.tr("Passwords never reach the disk. Private mode keeps nothing of a whole stretch."),
                ),
            ]
        )
        column.addWidget(lines)
        column.addSpacing(8)
        column.addWidget(label(self.tr("Keys while it records"), "section"))
        for name in _KEYS:
            row = QHBoxLayout()
            row.addWidget(label(TABLE[f"record.{name}"].title, tone="muted"))
            row.addStretch()
            row.addWidget(label(key_text(TABLE[f"record.{name}"].keys), "key"))
            column.addLayout(row)
        column.addStretch()


class HostCard(QWidget):
    """What happens when the person's own screen is recorded."""

    def __init__(self) -> None:
        super().__init__()
        words = paragraph(
            self.tr(
                "This window steps aside before the recording begins. A small strip at the edge of the screen shows "
                "that it records; clicks go through it, it moves away from the pointer, and what it covers is grey in "
                "every picture."
            )
        )
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addStretch(2)
        middle = Qt.AlignmentFlag.AlignHCenter
        column.addWidget(Emblem("monitor"), 0, middle)
        column.addWidget(label(self.tr("Your own screen is recorded"), "title"), 0, middle)
        column.addWidget(words, 0, middle)
        column.addStretch(3)


class NewDesktopCard(QWidget):
    """What a virtual desktop is for, and the button that makes one."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        words = paragraph(
            self.tr(
                "A virtual desktop is a screen of its own, usable right here. Your mouse and keys go into it only "
                "while you work there, and nothing else on your machine is seen or recorded."
            )
        )
        self.deed = button(self.tr("Make a virtual desktop"), "primary", "monitor")
        self.deed.clicked.connect(self.wanted)
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addStretch(2)
        middle = Qt.AlignmentFlag.AlignHCenter
        column.addWidget(Emblem("monitor-play"), 0, middle)
        column.addWidget(label(self.tr("Record on a virtual desktop"), "title"), 0, middle)
        column.addWidget(words, 0, middle)
        column.addWidget(self.deed, 0, middle)
        column.addStretch(3)

    def show_busy(self, busy: bool) -> None:
        """Say that it is being made."""
        self.deed.setEnabled(not busy)
        self.deed.setText(" " + (self.tr("It is being made …") if busy else self.tr("Make a virtual desktop")))


class SummaryCard(QFrame):
    """What a recording came to, and the ways on."""

    consolidated = Signal()
    opened = Signal()
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self._glyph = Glyph(_WELL, 22)
        self._head = label("", "heading")
        self._text = label("", tone="muted", wrap=True)
        self.consolidate = button(self.tr("Consolidate"), "primary", "magic-wand")
        self.consolidate.setToolTip(self.tr("Make a candidate memory of it and open its Timeline"))
        self.consolidate.setAutoDefault(True)  # so that Enter does it
        self.consolidate.clicked.connect(self.consolidated)
        self.open = button(self.tr("Open in the Timeline"), "", "film-strip")
        self.open.clicked.connect(self.opened)
        close = button("✕", "quiet", tip=self.tr("Put this away"))
        close.setFixedWidth(32)
        close.clicked.connect(self.closed)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._head)
        words.addWidget(self._text)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 8, 10)
        row.setSpacing(12)
        row.addWidget(self._glyph)
        row.addLayout(words, 1)
        row.addWidget(self.open)
        row.addWidget(self.consolidate)
        row.addWidget(close)
        self.hide()

    @property
    def words(self) -> str:
        """The head that is shown."""
        return self._head.text()

    def show_state(self, state: RecordState, spent: float) -> None:
        """Show what was recorded."""
        head, sentence = summary(state, spent)
        well = bool(state.steps) and not state.health.gaps and not any(step.warning for step in state.steps)
        self._glyph.show_look(_WELL if well else _CARE)
        self._head.setText(head)
        self._text.setText(sentence)
        self.setAccessibleName(f"{head}. {sentence}")
        for deed in (self.consolidate, self.open):
            deed.setVisible(bool(state.steps))
        self.show()


class NoteLine(QWidget):
    """A line for a remark to the last step; Enter writes it, Escape does not."""

    written = Signal(str)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._head = label("", tone="muted")
        self.line = QLineEdit()
        self.line.setAccessibleName(self.tr("Note to the last step"))
        self.line.setPlaceholderText(self.tr("What should be known about this step"))
        deed = button(self.tr("Write it"))
        deed.clicked.connect(self._write)
        self.line.returnPressed.connect(self._write)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._head)
        row.addWidget(self.line, 1)
        row.addWidget(deed)
        self.hide()

    def begin(self, number: int) -> None:
        """Ask for a note to a step."""
        self._head.setText(self.tr("Note to step {0}").format(number))
        self.line.clear()
        self.show()
        self.line.setFocus()

    def _write(self) -> None:
        words = self.line.text().strip()
        self.hide()
        if words:
            self.written.emit(words)
        self.left.emit()


class Countdown(QWidget):
    """The seconds left, large, over the middle of its parent."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.resize(QSize(132, 132))
        self._left = 0
        self.hide()

    def show_left(self, left: int) -> None:
        """Show how many seconds are left; none hides it."""
        self._left = left
        parent = self.parentWidget()
        if parent is not None:
            self.move((parent.width() - self.width()) // 2, (parent.height() - self.height()) // 2)
        self.setAccessibleName(str(left))
        self.setVisible(left > 0)
        self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw disc and figure."""
        now = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        disc = QRectF(self.rect()).adjusted(3, 3, -3, -3)
        painter.setPen(QPen(now.colour("failed"), 4))
        painter.setBrush(now.colour("raised", 0.94))
        painter.drawEllipse(disc)
        font = now.font("title", bold=True)
        font.setPixelSize(64)
        painter.setFont(font)
        painter.setPen(now.colour("text"))
        painter.drawText(disc, int(Qt.AlignmentFlag.AlignCenter), str(self._left))
        painter.end()
