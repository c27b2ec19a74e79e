"""Keeps bare keys away from commands while the focused control needs them itself."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)

from echostudio.studio.commands import COMMANDS
from echostudio.studio.lab.sliders import ThresholdSlider

_MOVES: Final = frozenset({Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End})


class KeyGuard(QObject):
    """An event filter of the application.

    In a text box every key of a page's command stays with the box. A button keeps Space, a tab bar and a drop-down
    list keep the arrows; so the whole studio works by keyboard.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        combinations = {_keys(key) for command in COMMANDS if command.bare for key in command.keys}
        control = Qt.KeyboardModifier.ControlModifier
        self._bare = {keys for keys in combinations if not keys.keyboardModifiers() & control}
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Take the key for the focused control before a shortcut sees it."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            focus = QApplication.focusWidget()
            if focus is not None and self.keeps(focus, event.keyCombination()):
                event.accept()
                return True
        return False

    def keeps(self, focus: QWidget, keys: QKeyCombination) -> bool:
        """Whether the focused control needs these keys itself."""
        if isinstance(focus, QLineEdit | QTextEdit | QPlainTextEdit | QAbstractSpinBox):
            return keys in self._bare
        if isinstance(focus, QAbstractButton):
            return keys.key() in (Qt.Key.Key_Space, Qt.Key.Key_Select)
        if isinstance(focus, QTabBar | QComboBox | QAbstractSlider | ThresholdSlider):
            return keys.key() in _MOVES or keys.key() == Qt.Key.Key_Space
        return False


def _keys(text: str) -> QKeyCombination:
    """Return the one key combination that a shortcut text names."""
    combination: QKeyCombination = QKeySequence(text)[0]  # type: ignore[index]  # the stubs lack it
    return combination
