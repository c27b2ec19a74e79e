"""What a key is to the recorder: a modifier, an editing key, a key that is pressed by itself, or one of text."""

from __future__ import annotations

from echostudio.desktop.controller import RawEvent

MODIFIER_ORDER = ("ctrl", "alt", "shift", "super")
CHORD_MODIFIERS = frozenset({"ctrl", "alt", "super"})

_ALIASES = {
    "control": "ctrl",
    "cmd": "super",
    "win": "super",
    "meta": "super",
    "return": "enter",
    "kp_enter": "enter",
    "esc": "escape",
    "iso_left_tab": "tab",
    "page_down": "page_down",
    "pagedown": "page_down",
    "next": "page_down",
    "pageup": "page_up",
    "prior": "page_up",
    "altgr": "alt_gr",
    "iso_level3_shift": "alt_gr",
}
_SILENT = frozenset({"alt_gr", "caps_lock", "num_lock", "scroll_lock", "mode_switch", "compose", "multi_key"})
PRESSABLE = frozenset(
    ("enter", "tab", "escape", "backspace", "delete", "up", "down", "left", "right", "home", "end", "page_up")
    + ("page_down", "insert", "space", *(f"f{number}" for number in range(1, 25)))
)
# Held keys whose every repeat moves or removes something; the repeats of all others say nothing new.
REPEATING = frozenset(
    {"up", "down", "left", "right", "page_up", "page_down", "backspace", "delete", "tab", "enter", "space"}
)


def name_of(event: RawEvent) -> str:
    """Return the key's name as actions use it: lower case, without left and right."""
    name = event.key if len(event.key) == 1 else event.key.lower()
    for ending in ("_l", "_r", "_left", "_right"):
        stem = name.removesuffix(ending)
        if stem != name and stem in {"ctrl", "control", "shift", "alt", "super", "cmd", "win", "meta"}:
            name = stem
    return _ALIASES.get(name, name)


def is_modifier(name: str) -> bool:
    """Whether the key changes what others mean and can be part of a chord."""
    return name in MODIFIER_ORDER


def is_silent(name: str) -> bool:
    """Whether the key only changes which characters come: its work shows in the committed text."""
    return name in _SILENT or name.startswith("dead_")


def is_pressable(name: str) -> bool:
    """Whether an action may press the key."""
    return name in PRESSABLE or len(name) == 1
