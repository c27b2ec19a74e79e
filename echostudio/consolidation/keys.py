"""What keys do to text: which steps select, undo, delete, or only move the caret."""

from __future__ import annotations

from echostudio.episode.action import ActionKind
from echostudio.episode.step import Step

CARET_KEYS = frozenset({"left", "right", "up", "down", "home", "end", "page_up", "page_down"})
DELETING_KEYS = frozenset({"backspace", "delete"})
_COMMAND = frozenset({"ctrl", "cmd", "meta", "super"})


def pressed(step: Step) -> str:
    """Return the key of a press, lower case, or an empty string."""
    return str(step.action.parameters.get("key", "")).casefold() if step.action.kind is ActionKind.PRESS else ""


def chord(step: Step) -> tuple[str, ...]:
    """Return the keys of a hotkey, lower case, or an empty tuple."""
    if step.action.kind is not ActionKind.HOTKEY:
        return ()
    return tuple(str(key).casefold() for key in step.action.parameters.get("keys", ()))


def typed(step: Step) -> str:
    """Return the text of a type step, or an empty string."""
    return str(step.action.parameters.get("text", "")) if step.action.kind is ActionKind.TYPE else ""


def selects_all(step: Step) -> bool:
    """Whether the step is ctrl+a (or the system's command key with a)."""
    return _is_command(step, "a")


def undoes(step: Step) -> bool:
    """Whether the step is ctrl+z."""
    return _is_command(step, "z")


def replaces_selection(step: Step) -> bool:
    """Whether the step puts something in the place of a selection, or deletes it."""
    return bool(typed(step)) or pressed(step) in DELETING_KEYS or _is_command(step, "v")


def moves_caret(step: Step) -> bool:
    """Whether the step only moves the caret, or the end of a selection."""
    keys = chord(step)
    return pressed(step) in CARET_KEYS or bool(keys and keys[-1] in CARET_KEYS)


def moves_focus(step: Step) -> bool:
    """Whether the step goes to another field by the tab key, which some programs show nowhere."""
    keys = chord(step)
    return pressed(step) == "tab" or bool(keys and keys[-1] == "tab")


def leaves_field(step: Step) -> bool:
    """Whether the step may send the text off or move to another field."""
    text = typed(step)
    return "\n" in text or "\t" in text or pressed(step) in {"enter", "tab", "escape"}


def _is_command(step: Step, letter: str) -> bool:
    keys = chord(step)
    return len(keys) == 2 and keys[0] in _COMMAND and keys[1] == letter
