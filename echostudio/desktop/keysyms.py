"""Keysyms: X's numbers for what a key means, as characters and as key names.

A keysym below 0x100 is Latin-1, one from 0x1000000 on is Unicode; the legacy pages between follow national
8-bit character sets, so that Python's codecs know most of them.
"""

from __future__ import annotations

import unicodedata

UNICODE = 0x01000000

RETURN = 0xFF0D
TAB = 0xFF09
CAPS_LOCK = 0xFFE5
NUM_LOCK = 0xFF7F
SHIFT_LEFT = 0xFFE1
LEVEL3_SHIFT = 0xFE03

_NAMED = {
    0xFF08: "backspace",
    TAB: "tab",
    0xFE20: "tab",
    RETURN: "enter",
    0xFF8D: "enter",
    0xFF13: "pause",
    0xFF14: "scroll_lock",
    0xFF1B: "escape",
    0xFF50: "home",
    0xFF51: "left",
    0xFF52: "up",
    0xFF53: "right",
    0xFF54: "down",
    0xFF55: "page_up",
    0xFF56: "page_down",
    0xFF57: "end",
    0xFF61: "print_screen",
    0xFF63: "insert",
    0xFF67: "menu",
    NUM_LOCK: "num_lock",
    0xFF95: "home",
    0xFF96: "left",
    0xFF97: "up",
    0xFF98: "right",
    0xFF99: "down",
    0xFF9A: "page_up",
    0xFF9B: "page_down",
    0xFF9C: "end",
    0xFF9D: "begin",
    0xFF9E: "insert",
    0xFF9F: "delete",
    SHIFT_LEFT: "shift",
    0xFFE2: "shift",
    0xFFE3: "ctrl",
    0xFFE4: "ctrl",
    CAPS_LOCK: "caps_lock",
    0xFFE7: "alt",
    0xFFE8: "alt",
    0xFFE9: "alt",
    0xFFEA: "alt",
    0xFFEB: "super",
    0xFFEC: "super",
    0xFFED: "super",
    0xFFEE: "super",
    LEVEL3_SHIFT: "altgr",
    0xFF7E: "altgr",
    0xFFFF: "delete",
    0x20: "space",
} | {0xFFBE + index: f"f{index + 1}" for index in range(24)}

MODIFIERS = ("ctrl", "shift", "alt", "super", "altgr")

# The keysym by which each key name is sent; where several exist, the one on the main block of the keyboard.
BY_NAME = {
    "backspace": 0xFF08,
    "tab": TAB,
    "enter": RETURN,
    "return": RETURN,
    "pause": 0xFF13,
    "scroll_lock": 0xFF14,
    "escape": 0xFF1B,
    "home": 0xFF50,
    "left": 0xFF51,
    "up": 0xFF52,
    "right": 0xFF53,
    "down": 0xFF54,
    "page_up": 0xFF55,
    "page_down": 0xFF56,
    "end": 0xFF57,
    "print_screen": 0xFF61,
    "insert": 0xFF63,
    "menu": 0xFF67,
    "num_lock": NUM_LOCK,
    "shift": SHIFT_LEFT,
    "ctrl": 0xFFE3,
    "caps_lock": CAPS_LOCK,
    "alt": 0xFFE9,
    "super": 0xFFEB,
    "altgr": LEVEL3_SHIFT,
    "delete": 0xFFFF,
    "space": 0x20,
} | {f"f{index + 1}": 0xFFBE + index for index in range(24)}

# Dead keys and the combining mark that each one adds to the next letter.
_DEAD = {
    0xFE50: "\u0300",
    0xFE51: "\u0301",
    0xFE52: "\u0302",
    0xFE53: "\u0303",
    0xFE54: "\u0304",
    0xFE55: "\u0306",
    0xFE56: "\u0307",
    0xFE57: "\u0308",
    0xFE58: "\u030a",
    0xFE59: "\u030b",
    0xFE5A: "\u030c",
    0xFE5B: "\u0327",
    0xFE5C: "\u0328",
}
# What a dead key writes by itself (before a space).
_SPACING = dict(zip(_DEAD, "`´^~¯˘˙¨°˝ˇ¸˛", strict=True))

_PAGES = {
    0x01: "iso8859_2",
    0x02: "iso8859_3",
    0x03: "iso8859_4",
    0x04: "shift_jis",
    0x05: "iso8859_6",
    0x06: "koi8_r",
    0x07: "iso8859_7",
    0x0C: "iso8859_8",
    0x0D: "iso8859_11",
    0x12: "iso8859_14",
    0x13: "iso8859_15",
}


def _run(first: int, text: str) -> dict[int, str]:
    """Keysyms in a row; a blank leaves a gap."""
    return {first + index: char for index, char in enumerate(text) if char != " "}


# Where a page departs from its character set, and the pages that follow none.
_EXCEPTIONS = (
    _run(0x6A1, "ђѓёєѕіїјљњћќґўџ№ЂЃЁЄЅІЇЈЉЊЋЌҐЎЏ")
    | _run(0x7A1, "ΆΈΉΊΪ ΌΎΫ Ώ  ΅― άέήίϊΐόύϋΰώ")
    | _run(0x7F2, "σς")
    | _run(0x8FB, "←↑→↓")
    | {0x8BC: "≤", 0x8BD: "≠", 0x8BE: "≥", 0x8C1: "∝", 0x8C2: "∞", 0x8D6: "√", 0x8DA: "⊂", 0x8DE: "∧", 0x8DF: "∨"}
    | _run(0xAA1, "\u2003\u2002\u2004\u2005\u2007\u2008\u2009\u200a—–")
    | {0xAAE: "…", 0xAAF: "‥"}
    | _run(0xAB0, "⅓⅔⅕⅖⅗⅘⅙⅚")
    | _run(0xAC3, "⅛⅜⅝⅞")
    | {0xAC9: "™", 0xAD0: "‘", 0xAD1: "’", 0xAD2: "“", 0xAD3: "”", 0xAD6: "′", 0xAD7: "″", 0xAE6: "•"}
    | {0xAEC: "♣", 0xAED: "♦", 0xAEE: "♥", 0xAF1: "†", 0xAF2: "‡", 0xAF3: "✓", 0xAFD: "‚", 0xAFE: "„"}
)


def character(keysym: int) -> str:
    """Return the character of a keysym, or an empty text when it stands for none (Return, F5, Shift ...)."""
    if 0x20 <= keysym <= 0x7E or 0xA0 <= keysym <= 0xFF:
        return chr(keysym)
    if UNICODE + 0x20 <= keysym <= UNICODE + 0x10FFFF:
        return "" if 0xD800 <= keysym - UNICODE <= 0xDFFF else chr(keysym - UNICODE)
    if 0x20A0 <= keysym <= 0x20CF:
        return chr(keysym)
    if 0xFFAA <= keysym <= 0xFFB9 or keysym in (0xFF80, 0xFFBD):
        return chr(keysym & 0x7F)
    return _legacy(keysym)


def _legacy(keysym: int) -> str:
    if keysym in _EXCEPTIONS:
        return _EXCEPTIONS[keysym]
    page, byte = keysym >> 8, keysym & 0xFF
    if page not in _PAGES or byte < 0xA0 or (page == 0x06 and byte < 0xC0):
        return ""
    try:
        char = bytes([byte]).decode(_PAGES[page])
    except UnicodeDecodeError:
        return ""
    # The half-width kana of the 8-bit set stand for the full-width ones.
    return unicodedata.normalize("NFKC", char) if page == 0x04 else char


def keysym_of(char: str) -> int:
    """Return the keysym that stands for a character: Latin-1 as it is, the rest as Unicode keysym."""
    number = ord(char)
    return number if 0x20 <= number <= 0x7E or 0xA0 <= number <= 0xFF else UNICODE + number


def key_name(keysym: int) -> str:
    """Return the name of a key whose unshifted keysym this is: ``enter``, ``f5``, ``a``, ``^`` for a dead key."""
    if keysym in _NAMED:
        return _NAMED[keysym]
    if keysym in _SPACING:
        return _SPACING[keysym]
    return character(keysym)


def is_modifier(keysym: int) -> bool:
    """Whether the key only changes what others mean."""
    return _NAMED.get(keysym, "") in (*MODIFIERS, "caps_lock", "num_lock")


def is_keypad(keysym: int) -> bool:
    """Whether the keysym lies on the number pad."""
    return 0xFF80 <= keysym <= 0xFFBD


class DeadKeys:
    """Joins a dead key and the letter after it into the character that a program receives."""

    def __init__(self) -> None:
        self._pending = 0

    def feed(self, keysym: int) -> str:
        """Take the keysym of a pressed key; return the committed text, empty while a dead key waits."""
        if is_modifier(keysym):
            return ""
        waiting, self._pending = self._pending, 0
        if keysym in _DEAD:
            if not waiting:
                self._pending = keysym
                return ""
            return _SPACING[keysym] if waiting == keysym else ""
        char = character(keysym)
        if not waiting or not char:
            return char
        if char == " ":
            return _SPACING[waiting]
        joined = unicodedata.normalize("NFC", char + _DEAD[waiting])
        return joined if len(joined) == 1 else ""
