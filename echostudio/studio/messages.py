"""What went wrong or well, in sentences: toasts for what a person can act on, a dialog for bugs."""

from __future__ import annotations

import logging
import sys
import traceback
from types import TracebackType
from typing import Final

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from echostudio.errors import EchoError
from echostudio.studio.looks import Look
from echostudio.studio.parts.controls import button
from echostudio.studio.parts.lines import Glyph
from echostudio.studio.parts.text import label

_log = logging.getLogger(__name__)
_SHOWN_MS: Final = 8000
_GOOD: Final = Look("check-circle-fill", "done", "accepted")
_BAD: Final = Look("warning-fill", "attention", "refused")


class Toast(QFrame):
    """One message above the status line; goes by itself unless the pointer rests on it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("toast")
        self._glyph = Glyph(_GOOD, 18)
        self._sentence = label("", wrap=True)
        self._hint = label("", "small", "muted", wrap=True)
        close = button("✕", "quiet", tip=self.tr("Close this message"))
        close.setFixedWidth(32)
        close.clicked.connect(self.hide)
        self._window = window
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 6, 10)
        row.setSpacing(10)
        row.addWidget(self._glyph)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._sentence)
        words.addWidget(self._hint)
        row.addLayout(words, 1)
        row.addWidget(close)
        self._timer = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self._timer.timeout.connect(self._expire)
        self.hide()
        window.installEventFilter(self)

    @property
    def words(self) -> str:
        """The sentence that is shown."""
        return self._sentence.text()

    def say(self, look: Look, sentence: str, hint: str = "") -> None:
        """Show a message in place of the one before."""
        self._glyph.show_look(look)
        self._sentence.setText(sentence)
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self.setAccessibleName(f"{sentence} {hint}".strip())
        self._place()
        self.show()
        self.raise_()
        self._timer.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Stay at the same place when the window changes its size."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def _place(self) -> None:
        window, layout = self._window, self._row
        width = min(520, window.width() - 48)
        self.setFixedWidth(width)
        layout.activate()
        height = layout.heightForWidth(width)
        self.setFixedHeight(max(44, height))
        self.move((window.width() - width) // 2, window.height() - self.height() - 44)

    def _expire(self) -> None:
        if self.underMouse():
            self._timer.start()
        else:
            self.hide()


class Messages(QObject):
    """The one translator from errors to words on the screen."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.toast = Toast(window)

    def error(self, error: EchoError) -> None:
        """Show an expected error: its sentence, and what to do next."""
        _log.info("%s %s", error.sentence, error.hint)
        self.toast.say(_BAD, error.sentence, error.hint)

    def good(self, sentence: str) -> None:
        """Say that something was done."""
        self.toast.say(_GOOD, sentence)


class CrashDialog(QDialog):
    """Says that the studio met a bug, and gives the text that helps to mend it."""

    def __init__(self, details: str, log_file: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("EchoStudio met a bug"))
        self.setMinimumSize(560, 320)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        column.addWidget(label(self.tr("Something went wrong inside EchoStudio."), "heading"))
        words = self.tr("Your memories and runs are safe on disk. The details are also in {0}.").format(log_file)
        column.addWidget(label(words, tone="muted", wrap=True))
        text = QPlainTextEdit(details)
        text.setReadOnly(True)
        text.setAccessibleName(self.tr("Details of the bug"))
        column.addWidget(text, 1)
        row = QHBoxLayout()
        copy = button(self.tr("Copy the details"), icon="copy")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(details))
        done = button(self.tr("Continue"), "primary")
        done.clicked.connect(self.accept)
        row.addWidget(copy)
        row.addStretch()
        row.addWidget(done)
        column.addLayout(row)


def install_excepthook(window: QWidget, log_file: str) -> None:
    """Show every exception that nobody handled, once at a time, and log it."""
    open_dialogs: list[CrashDialog] = []

    def hook(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, fault, trace)
            return
        _log.critical("unhandled", exc_info=(kind, fault, trace))
        if not open_dialogs:
            dialog = CrashDialog("".join(traceback.format_exception(kind, fault, trace)), log_file, window)
            open_dialogs.append(dialog)
            dialog.finished.connect(lambda _: open_dialogs.clear())
            dialog.open()

    sys.excepthook = hook
