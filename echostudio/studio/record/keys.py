"""Keys on their way into a desktop: what a Qt key event means there, and the chord that gives the keys back."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence

from echostudio.studio.commands import COMMANDS

_SYMS: Final = {
    Qt.Key.Key_Backspace: 0xFF08, Qt.Key.Key_Tab: 0xFF09, Qt.Key.Key_Backtab: 0xFF09, Qt.Key.Key_Return: 0xFF0D,
    Qt.Key.Key_Enter: 0xFF8D, Qt.Key.Key_Escape: 0xFF1B, Qt.Key.Key_Home: 0xFF50, Qt.Key.Key_Left: 0xFF51,
    Qt.Key.Key_Up: 0xFF52, Qt.Key.Key_Right: 0xFF53, Qt.Key.Key_Down: 0xFF54, Qt.Key.Key_PageUp: 0xFF55,
    Qt.Key.Key_PageDown: 0xFF56, Qt.Key.Key_End: 0xFF57, Qt.Key.Key_Insert: 0xFF63, Qt.Key.Key_Menu: 0xFF67,
    Qt.Key.Key_Shift: 0xFFE1, Qt.Key.Key_Control: 0xFFE3, Qt.Key.Key_Alt: 0xFFE9, Qt.Key.Key_Meta: 0xFFEB,
    Qt.Key.Key_AltGr: 0xFE03, Qt.Key.Key_Delete: 0xFFFF, Qt.Key.Key_Pause: 0xFF13, Qt.Key.Key_Print: 0xFF61,
    Qt.Key.Key_CapsLock: 0xFFE5, Qt.Key.Key_NumLock: 0xFF7F, Qt.Key.Key_Space: 0x20,
}  # fmt: skip
_UNICODE: Final = 0x01000000
_GIVE_BACK: Final = frozenset({Qt.Key.Key_Control, Qt.Key.Key_Alt})


def meaning(event: QKeyEvent) -> tuple[int, int]:
    """Return physical key and keysym of a key event; on X11 the very ones of the person's keyboard."""
    if QGuiApplication.platformName() == "xcb":
        return event.nativeScanCode(), event.nativeVirtualKey()
    key = Qt.Key(event.key())
    if key in _SYMS:
        return 0, _SYMS[key]
    if Qt.Key.Key_F1 <= key <= Qt.Key.Key_F24:
        return 0, 0xFFBE + key - Qt.Key.Key_F1
    text = event.text()
    if len(text) == 1 and text.isprintable():
        number = ord(text)
        return 0, number if number <= 0xFF else _UNICODE + number
    # With Ctrl held the text is a control character: the key itself tells the letter.
    return 0, ord(chr(key).lower()) if 0x20 < key <= 0x7E else 0


def reserved() -> frozenset[QKeyCombination]:
    """Return the keys of the recording itself; they never go into a desktop."""
    ours = [command for command in COMMANDS if command.group == "Record" and "recorded" not in command.needs]
    found = [key for command in ours for key in command.keys]
    return frozenset(QKeySequence(key)[0] for key in found)  # type: ignore[index]  # the stubs lack it


class GiveBack:
    """Notices Ctrl and Alt pressed together and let go, with nothing else pressed meanwhile."""

    def __init__(self) -> None:
        self._down: set[int] = set()
        self._met = False

    def press(self, key: int) -> None:
        """Take a key that went down."""
        self._down.add(key)
        self._met = self._down == _GIVE_BACK

    def release(self, key: int) -> bool:
        """Take a key that went up; whether the keys are to be given back now."""
        self._down.discard(key)
        met, self._met = self._met and key in _GIVE_BACK, False
        return met

    def clear(self) -> None:
        """Forget what is down."""
        self._down.clear()
        self._met = False
