"""The Library without a memory: what it is for, the demonstration by a button, and the way by hand."""

from __future__ import annotations

import sys
from typing import Final

from PySide6.QtCore import QProcess, QProcessEnvironment, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from echostudio.studio import icons, theme
from echostudio.studio.parts.controls import button
from echostudio.studio.parts.text import label

_LINES_KEPT: Final = 400


class Emblem(QWidget):
    """A large calm icon on a soft disc."""

    def __init__(self, name: str, token: str = "accent") -> None:
        super().__init__()
        self.setFixedSize(QSize(72, 72))
        self._name, self._token = name, token

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.current().colour(self._token, 0.14))
        painter.drawEllipse(QRectF(self.rect()))
        icons.paint(painter, QRectF(self.rect()).adjusted(20, 20, -20, -20), self._name, self._token)
        painter.end()


class DemoRun(QProcess):
    """The demonstration as a child program that works in this studio's home."""

    line = Signal(str)

    def __init__(self, home: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._rest = ""
        environment = QProcessEnvironment.systemEnvironment()
        environment.insert("ECHOSTUDIO_HOME", home)
        environment.insert("PYTHONUNBUFFERED", "1")
        self.setProcessEnvironment(environment)
        self.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        self.readyReadStandardOutput.connect(self._read)

    def begin(self) -> None:
        """Start it; its lines come by ``line``."""
        self.start(sys.executable, ["-m", "echostudio", "demo"])

    def _read(self) -> None:
        text = self._rest + bytes(self.readAllStandardOutput().data()).decode(errors="replace")
        *lines, self._rest = text.split("\n")
        for one in lines:
            self.line.emit(one.rstrip("\r"))


class EmptyLibrary(QWidget):
    """Says what to do next, and runs the demonstration."""

    demo_ended = Signal()

    def __init__(self, home: str) -> None:
        super().__init__()
        self._home = home
        self._run: DemoRun | None = None
        self.start = button(self.tr("Run the demonstration"), "primary", "rocket-launch")
        self.stop = button(self.tr("Stop"), "", "stop")
        self.stop.hide()
        self.log = QPlainTextEdit()
        self.log.setReadOnly(True)
        self.log.setMaximumBlockCount(_LINES_KEPT)
        self.log.setAccessibleName(self.tr("What the demonstration says"))
        self.log.setMinimumHeight(180)
        self.log.hide()
        self.note = label("", tone="muted", wrap=True)
        self.note.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._lay_out()
        self.start.clicked.connect(self.begin)
        self.stop.clicked.connect(self._end)

    def _lay_out(self) -> None:
        body = QVBoxLayout()
        body.setSpacing(12)
        body.addWidget(Emblem("books"), 0, Qt.AlignmentFlag.AlignHCenter)
        body.addWidget(label(self.tr("No memory yet"), "title"), 0, Qt.AlignmentFlag.AlignHCenter)
        words = self.tr(
            "A memory is work that you showed once, with the evidence to do it again safely: on another day, in "
            "another window, with other values. When it is not sure, it refuses before it touches anything."
        )
        text = label(words, tone="muted", wrap=True)
        text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        body.addWidget(text)
        body.addSpacing(4)
        row = QHBoxLayout()
        row.addStretch()
        row.addWidget(self.start)
        row.addWidget(self.stop)
        row.addStretch()
        body.addLayout(row)
        body.addWidget(self.note)
        body.addWidget(self._by_hand())
        body.addWidget(self.log, 1)
        box = QWidget()
        box.setLayout(body)
        box.setMaximumWidth(620)
        outer = QHBoxLayout()
        outer.addStretch()
        outer.addWidget(box, 4)
        outer.addStretch()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(32, 48, 32, 32)
        whole.addStretch(1)
        whole.addLayout(outer)
        whole.addStretch(2)
        self.note.setText(self.tr("It works on screens of its own and leaves yours alone."))

    def _by_hand(self) -> QFrame:
        card = QFrame()
        card.setObjectName("card")
        column = QVBoxLayout(card)
        column.setContentsMargins(16, 12, 16, 14)
        column.addWidget(label(self.tr("Or show a workflow of your own"), "section"))
        for command in ('echostudio record --intent "What the work is for"', "echostudio consolidate RUN"):
            line = label(command, "key")
            line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            line.setMinimumHeight(26)
            column.addWidget(line)
        return card

    def begin(self) -> None:
        """Run the demonstration, unless it runs already."""
        if self._run is not None:
            return
        self._run = DemoRun(self._home, self)
        self._run.line.connect(self.log.appendPlainText)
        self._run.finished.connect(lambda code, _status: self._ended(code))
        self._run.errorOccurred.connect(self._could_not)
        self.log.clear()
        self.log.show()
        self.start.setEnabled(False)
        self.stop.show()
        self.note.setText(self.tr("The demonstration runs. It takes about a minute."))
        self._run.begin()

    def close_run(self) -> None:
        """End a demonstration that still runs, and wait for its end."""
        if self._run is not None:
            self._run.terminate()
            if not self._run.waitForFinished(5000):
                self._run.kill()
                self._run.waitForFinished(1000)

    def _end(self) -> None:
        if self._run is not None:
            self._run.terminate()

    def _could_not(self, fault: QProcess.ProcessError) -> None:
        if fault == QProcess.ProcessError.FailedToStart:
            self._ended(-1)

    def _ended(self, code: int) -> None:
        if self._run is None:
            return
        self._run.deleteLater()
        self._run = None
        self.start.setEnabled(True)
        self.stop.hide()
        good = self.tr("Every part of the demonstration held.")
        self.note.setText(good if code == 0 else self.tr("The demonstration ended early; its last lines say why."))
        self.demo_ended.emit()
