"""The core keyboard map: which key and level gives a character, and what a key means under modifiers.

The columns of a key are, as the X server lists them: group 1 plain and shifted, group 2 plain and shifted, then
group 1 and group 2 with AltGr, plain and shifted. A key with one group has it repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from echostudio.desktop import keysyms

SHIFT_MASK = 1
LOCK_MASK = 2
CONTROL_MASK = 4

# Columns that plain, Shift, AltGr and Shift+AltGr reach, per group.
_COLUMNS = ((0, 1, 4, 5), (2, 3, 6, 7))


@dataclass(frozen=True, slots=True)
class Stroke:
    """A key and what must be held with it."""

    code: int
    shift: bool = False
    level3: bool = False


@dataclass(frozen=True, slots=True)
class Masks:
    """Bits of the modifier state that depend on the layout; 0 when the layout has none."""

    alt: int = 8
    num_lock: int = 16
    super_: int = 64
    level3: int = 128


class Keymap:
    """A snapshot of the core keyboard map that may be corrected key by key."""

    def __init__(self, columns: Mapping[int, Sequence[int]], modifiers: Sequence[Sequence[int]]) -> None:
        self._columns = {code: tuple(syms) for code, syms in columns.items()}
        self.masks = _masks(self._columns, modifiers)
        self._index: dict[tuple[str, int], Stroke] | None = None

    def _build(self) -> dict[tuple[str, int], Stroke]:
        index: dict[tuple[str, int], Stroke] = {}
        for group in (0, 1):
            for level, column in enumerate(_COLUMNS[group]):
                if level >= 2 and not self.masks.level3:
                    continue
                for code, syms in self._columns.items():
                    char = keysyms.character(syms[column]) if column < len(syms) else ""
                    if char and not keysyms.is_keypad(syms[column]):
                        index.setdefault((char, group), Stroke(code, bool(level & 1), level >= 2))
        return index

    def change(self, code: int, syms: Sequence[int]) -> None:
        """Take over what another program put on a key."""
        self._columns[code] = tuple(syms)
        self._index = None

    def stroke(self, char: str, group: int) -> Stroke | None:
        """Return how a character is typed in the present group, or None when the map has no key for it."""
        if self._index is None:
            self._index = self._build()
        return self._index.get((char, group))

    def code_of(self, keysym: int) -> int | None:
        """Return the key that has this keysym in any column; unshifted ones first."""
        for column in range(8):
            for code, syms in self._columns.items():
                if column < len(syms) and syms[column] == keysym:
                    return code
        return None

    def code_of_name(self, name: str) -> int | None:
        """Return the physical key of a key name such as ``enter``, ``ctrl`` or ``s``, whatever the group."""
        if name in keysyms.BY_NAME:
            return self.code_of(keysyms.BY_NAME[name])
        for column in (0, 2, 1, 3):
            for code, syms in self._columns.items():
                if column < len(syms) and keysyms.key_name(syms[column]) == name:
                    return code
        return None

    def empty_codes(self) -> tuple[int, ...]:
        """Return the keys that mean nothing and may be borrowed."""
        return tuple(code for code, syms in self._columns.items() if not any(syms))

    def columns(self, code: int) -> tuple[int, ...]:
        """Return all keysyms of a key."""
        return self._columns.get(code, ())

    def name(self, code: int, state: int) -> str:
        """Return the unshifted name of a key in the group of ``state``; ``code<N>`` when it means nothing."""
        syms = self._group(code, state)[:2]
        if any(keysyms.is_keypad(keysym) for keysym in syms):
            return keysyms.key_name(self.keysym(code, state & ~SHIFT_MASK)) or f"code{code}"
        return (keysyms.key_name(syms[0]).lower() if syms else "") or f"code{code}"

    def keysym(self, code: int, state: int) -> int:
        """Return what a pressed key means under a modifier state; 0 for nothing."""
        plain, shifted, level3, level4 = (*self._group(code, state), 0, 0, 0, 0)[:4]
        shift, lock = bool(state & SHIFT_MASK), bool(state & LOCK_MASK)
        if keysyms.is_keypad(plain) or keysyms.is_keypad(shifted):
            number = bool(state & self.masks.num_lock)
            return (shifted or plain) if number != shift else plain
        if state & self.masks.level3 and (level3 or level4):
            return _cased((level4 if shift else level3) or level3, lock and not shift)
        if not shifted:
            return _cased(plain, shift != lock)
        if lock and _is_pair(plain, shifted):
            shift = not shift
        return shifted if shift else plain

    def commits_text(self, state: int) -> bool:
        """Whether a key pressed under this state writes its character (no Ctrl, Alt or Super is held)."""
        return not state & (CONTROL_MASK | self.masks.alt | self.masks.super_)

    def _group(self, code: int, state: int) -> tuple[int, ...]:
        syms = self._columns.get(code, ())
        group = (state >> 13) & 1
        found = tuple(syms[column] if column < len(syms) else 0 for column in _COLUMNS[group])
        if group and not any(found):
            return tuple(syms[column] if column < len(syms) else 0 for column in _COLUMNS[0])
        return found


def group_of(state: int) -> int:
    """Return the layout group (0 to 3) of a modifier state."""
    return (state >> 13) & 3


def _is_pair(plain: int, shifted: int) -> bool:
    """Whether two keysyms are the two cases of one letter."""
    small, big = keysyms.character(plain), keysyms.character(shifted)
    return bool(small) and small != big and (small.upper() == big or big.lower() == small)


def _cased(keysym: int, upper: bool) -> int:
    char = keysyms.character(keysym)
    big = char.upper()
    return keysyms.keysym_of(big) if upper and len(big) == 1 and big != char else keysym


def _masks(columns: Mapping[int, Sequence[int]], modifiers: Sequence[Sequence[int]]) -> Masks:
    """Find the bits of Alt, Num Lock, Super and AltGr among the five free modifiers."""
    found = {"alt": 0, "num_lock": 0, "super": 0, "altgr": 0}
    for index, codes in enumerate(modifiers):
        for keysym in {keysym for code in codes for keysym in columns.get(code, ())[:2]} if index >= 3 else ():
            name = keysyms.key_name(keysym)
            if name in found:
                found[name] |= 1 << index
    return Masks(found["alt"], found["num_lock"], found["super"] & ~found["alt"], found["altgr"])
