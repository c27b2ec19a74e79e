"""A person's hand on an X display: pointer, buttons, wheels and keys through XTEST, as they come."""

from __future__ import annotations

from echostudio.cancel import CancelToken, Clock
from echostudio.desktop import keysyms
from echostudio.desktop.connection import Connection
from echostudio.desktop.injection import BUTTONS, SCROLL_DOWN, SCROLL_LEFT, SCROLL_RIGHT, SCROLL_UP, Injector
from echostudio.desktop.keymap import Keymap
from echostudio.desktop.text_entry import TextEntry, refused_characters
from echostudio.episode.geometry import DesktopPoint

_MOST_TICKS = 40


class X11DirectInput:
    """Implements ``DirectInput`` on a connection of its desktop."""

    def __init__(self, connection: Connection, clock: Clock) -> None:
        self._connection = connection
        self._injector = Injector(connection, clock)
        self._text = TextEntry(connection, self._injector, clock)
        self._map: Keymap | None = None
        self._down: dict[tuple[int, int], int] = {}

    def move(self, point: DesktopPoint) -> None:
        """Move the pointer; does not look whether it arrived."""
        self._injector.move(point)

    def button(self, button: str, pressed: bool) -> None:
        """Press or let go of a button: ``left middle right back forward``; others are ignored."""
        number = BUTTONS.get(button)
        if number is not None:
            (self._injector.button_down if pressed else self._injector.button_up)(number)

    def scroll(self, dx: int, dy: int) -> None:
        """Turn the wheels by whole ticks; positive is right and down."""
        for ticks, before, after in ((dx, SCROLL_LEFT, SCROLL_RIGHT), (dy, SCROLL_UP, SCROLL_DOWN)):
            for _ in range(min(abs(ticks), _MOST_TICKS)):
                self._injector.button_down(after if ticks > 0 else before)
                self._injector.button_up(after if ticks > 0 else before)

    def key(self, code: int, keysym: int, pressed: bool) -> None:
        """Press or let go of a key; see ``DirectInput``."""
        if not pressed:
            self._let_go(code, keysym)
            return
        keymap = self._keymap()
        own = _code(keymap, code, keysym)
        char = keysyms.character(keysym)
        state = self._injector.state() if char else 0
        writes = keysyms.character(keymap.keysym(own, state)) if own is not None else ""
        if char and char != writes and keymap.commits_text(state):
            self.text(char)
        elif own is not None:
            self._down[code, keysym if not code else 0] = own
            self._injector.key_down(own)

    def text(self, text: str) -> None:
        """Write characters that no single key gives; those that cannot be written are left out."""
        refused = refused_characters(text)
        held = [own for own in self._down.values() if self._is_shift(own)]
        for own in held:
            self._injector.key_up(own)
        self._text.type("".join(char for char in text if char not in refused), 0.0, CancelToken())
        for own in held:
            self._injector.key_down(own)

    def release(self) -> None:
        """Let go of everything that is held down; the keyboard map is read anew before the next key."""
        self._down.clear()
        self._map = None
        self._injector.release_all()

    def _let_go(self, code: int, keysym: int) -> None:
        own = self._down.pop((code, keysym if not code else 0), None)
        if own is not None:
            self._injector.key_up(own)

    def _keymap(self) -> Keymap:
        if self._map is None:
            self._map = self._connection.read_keymap()
        return self._map

    def _is_shift(self, code: int) -> bool:
        return any(keysyms.key_name(sym) in ("shift", "altgr") for sym in self._keymap().columns(code)[:1])


def _code(keymap: Keymap, code: int, keysym: int) -> int | None:
    """Return the desktop's key: the same physical one where it has that meaning, else one that has it."""
    if not keysym:
        return code or None
    return code if code and keysym in keymap.columns(code) else keymap.code_of(keysym)
