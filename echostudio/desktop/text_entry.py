"""Text by committed characters through XTEST, exact in every toolkit.

A character that the present layout has is typed with its own key, Shift and AltGr. Any other is put on a key that
means nothing, typed, and taken away again. Programs read the map when they handle the key, some time after it was
sent; so a borrowed key keeps its character for a while after it was pressed, and the one pressed longest ago is the
first to be reused.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

from echostudio.cancel import CancelToken, Clock
from echostudio.desktop import keysyms
from echostudio.desktop.connection import Connection
from echostudio.desktop.injection import Injector
from echostudio.desktop.keymap import LOCK_MASK, Keymap, Stroke, group_of
from echostudio.errors import InputFailed

_NAMED = {"\n": keysyms.RETURN, "\t": keysyms.TAB}
_REBIND_SECONDS = 0.02
# How far a busy program may lag behind the keys and still read what they meant.
_LAG_SECONDS = 0.4


def refused_characters(text: str) -> tuple[str, ...]:
    """Return the characters that no key can write: control characters but newline and tab, lone surrogates."""
    bad = (char for char in text if char not in _NAMED and unicodedata.category(char) in ("Cc", "Cs"))
    return tuple(dict.fromkeys(bad))


class TextEntry:
    """Types text on one X display."""

    def __init__(self, connection: Connection, injector: Injector, clock: Clock) -> None:
        self._connection = connection
        self._injector = injector
        self._clock = clock

    def type(self, text: str, interval: float, token: CancelToken) -> None:
        """Type a text, ``interval`` seconds between characters.

        Raises ``InputFailed`` before anything is typed when a character cannot be typed, and ``Cancelled`` between
        two characters.
        """
        text = text.replace("\r\n", "\n")
        bad = refused_characters(text)
        if bad:
            names = ", ".join(f"U+{ord(char):04X}" for char in bad)
            raise InputFailed(f"The text holds characters that no key writes: {names}.", "Remove them from the value.")
        if not text:
            return
        keys = _Keys(self._connection, self._injector.state(), text)
        try:
            with self._caps_lock_off(keys.map):
                self._send(text, keys, interval, token)
        finally:
            if keys.borrowed:
                self._clock.sleep(_LAG_SECONDS, CancelToken())
                keys.restore()

    def _send(self, text: str, keys: _Keys, interval: float, token: CancelToken) -> None:
        for index, char in enumerate(text):
            token.check()
            if keys.needs_borrowing(char):
                self._clock.sleep(keys.reusable_at() - self._clock.now(), token)
                keys.borrow(text[index:], self._clock.now())
                self._clock.sleep(_REBIND_SECONDS, token)
            self._strike(keys.stroke(char, self._clock.now()), keys)
            if interval > 0 and index < len(text) - 1:
                self._clock.sleep(interval, token)

    def _strike(self, stroke: Stroke, keys: _Keys) -> None:
        held = ([keys.shift] if stroke.shift else []) + ([keys.level3] if stroke.level3 else [])
        try:
            for code in held:
                self._injector.key_down(code)
            self._injector.tap(stroke.code)
        finally:
            for code in reversed(held):
                self._injector.key_up(code)

    @contextmanager
    def _caps_lock_off(self, keymap: Keymap) -> Iterator[None]:
        if not self._injector.state() & LOCK_MASK:
            yield
            return
        code = keymap.code_of(keysyms.CAPS_LOCK)
        if code is None:
            raise InputFailed("Caps Lock is on and this layout has no key to switch it off.", "Switch Caps Lock off.")
        self._injector.tap(code)
        try:
            yield
        finally:
            self._injector.tap(code)


class _Keys:
    """The keys that one text needs, borrowed ones included."""

    def __init__(self, connection: Connection, state: int, text: str) -> None:
        self._connection = connection
        connection.drain_events()
        self.map = connection.read_keymap()
        self._group = group_of(state)
        self._free = list(self.map.empty_codes())
        self.borrowed: dict[str, int] = {}
        self.shift = self.map.code_of(keysyms.SHIFT_LEFT) or 0
        self.level3 = self.map.code_of(keysyms.LEVEL3_SHIFT) or 0
        self._pressed: dict[int, float] = {}
        self._own = {char: stroke for char in set(text) if (stroke := self._find(char)) is not None}
        missing = next((char for char in text if char not in self._own), "")
        if missing and not self._free:
            raise InputFailed(f"This keyboard layout has no key for {missing!r} and none is free to borrow.")

    def _find(self, char: str) -> Stroke | None:
        if char in _NAMED:
            code = self.map.code_of(_NAMED[char])
            return Stroke(code) if code is not None else None
        # The core map lists two groups only; under a third every character is borrowed.
        stroke = self.map.stroke(char, self._group) if self._group < 2 else None
        if stroke is None or (stroke.shift and not self.shift) or (stroke.level3 and not self.level3):
            return None
        return stroke

    def stroke(self, char: str, now: float) -> Stroke:
        """Return the key of a character that is on the map or borrowed, to be pressed at ``now``."""
        own = self._own.get(char)
        if own is not None:
            return own
        # To the end of the row, which is ordered by the last press.
        code = self.borrowed.pop(char)
        self.borrowed[char] = code
        self._pressed[code] = now
        return Stroke(code)

    def needs_borrowing(self, char: str) -> bool:
        """Whether a key has to be borrowed before this character can be typed."""
        return char not in self._own and char not in self.borrowed

    def reusable_at(self) -> float:
        """Return when the next key may be borrowed, in seconds of the clock; 0 when one is free."""
        if self._free:
            return 0.0
        return self._pressed.get(next(iter(self.borrowed.values())), 0.0) + _LAG_SECONDS

    def borrow(self, text: str, now: float) -> None:
        """Put the missing characters of the coming text on keys, as many as are free or may be reused."""
        coming = [char for char in dict.fromkeys(text) if self.needs_borrowing(char)]
        for number, char in enumerate(coming):
            # The caller has waited for the first one.
            if number and self.reusable_at() > now:
                break
            code = self._free.pop(0) if self._free else self.borrowed.pop(next(iter(self.borrowed)))
            self._bind(code, _NAMED.get(char) or keysyms.keysym_of(char))
            self.borrowed[char] = code
            self._pressed[code] = now

    def restore(self) -> None:
        """Take all characters off the borrowed keys."""
        for code in self.borrowed.values():
            self._bind(code, 0)
        self.borrowed.clear()

    def _bind(self, code: int, keysym: int) -> None:
        with self._connection.use() as display:
            display.change_keyboard_mapping(code, [[keysym] * 2])
            display.sync()
