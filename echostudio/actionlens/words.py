"""The sentence that people read for an action: “Click “Save””, “Type “hello””, “Press Ctrl+S”."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from echostudio.episode.action import Action, ActionKind
from echostudio.episode.evidence import TargetEvidence

_LONGEST = 60
_COUNTS = {2: "Double-click", 3: "Triple-click"}
_BUTTONS = {"right": "Right-click", "middle": "Middle-click", "back": "Click Back", "forward": "Click Forward"}
_NAMES = {"page_up": "Page Up", "page_down": "Page Down", "ctrl": "Ctrl", "alt_gr": "AltGr"}


def sentence(action: Action, targets: Mapping[str, TargetEvidence] | None = None, *, secret: bool = False) -> str:
    """Return the sentence for an action; a secret's text is never in it."""
    parameters, targets = action.parameters, targets or {}
    place = _place(targets.get("target"))
    match action.kind:
        case ActionKind.CLICK:
            return f"{_with(parameters)}{_click(parameters)} {place}"
        case ActionKind.DRAG:
            return f"{_with(parameters)}Drag from {_place(targets.get('from'))} to {_place(targets.get('to'))}"
        case ActionKind.SCROLL:
            return _scroll(parameters)
        case ActionKind.TYPE:
            return "Type a secret" if secret else f"Type {_quoted(str(parameters.get('text', '')))}"
        case ActionKind.HOTKEY:
            return f"Press {'+'.join(key_name(str(key)) for key in parameters.get('keys', ()))}"
        case ActionKind.PRESS:
            return f"Press {key_name(str(parameters.get('key', '')))}"
        case ActionKind.HOVER:
            return f"Point at {place}"
        case ActionKind.WAIT:
            return f"Wait {float(parameters.get('seconds', 0)):g} s"
        case ActionKind.LAUNCH:
            return f"Start {_quoted(str(parameters.get('command', '')))}"
        case ActionKind.FOCUS:
            return f"Go to the window {_quoted(str(parameters.get('window', '')))}"


def begun(action: Action, targets: Mapping[str, TargetEvidence] | None = None) -> str:
    """Return the sentence for an action that has only begun: what is typed is not known yet."""
    return "Type …" if action.kind is ActionKind.TYPE else sentence(action, targets)


def key_name(key: str) -> str:
    """Return a key as people write it: ``Ctrl``, ``S``, ``Page Up``, ``F5``."""
    if key in _NAMES:
        return _NAMES[key]
    return key.upper() if len(key) == 1 else key[:1].upper() + key[1:].replace("_", " ")


def _place(evidence: TargetEvidence | None) -> str:
    """Name a target: by its element, else by its place in a window."""
    if evidence is None:
        return "the screen"
    if evidence.element is not None and evidence.element.name.strip():
        return _quoted(evidence.element.name)
    at = f"({evidence.point.x}, {evidence.point.y})"
    title = evidence.window.title.strip() if evidence.window is not None else ""
    role = evidence.element.role if evidence.element is not None else ""
    what = f"the {role} at {at}" if role else f"at {at}"
    return f"{what} in {_quoted(title)}" if title else what


def _quoted(text: str) -> str:
    flat = text.replace("\n", "⏎")
    return f"“{flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1] + '…'}”"


def _click(parameters: Mapping[str, Any]) -> str:
    button = str(parameters.get("button", "left"))
    count = int(parameters.get("count", 1))
    if button == "left":
        return _COUNTS.get(count, "Click")
    return f"{_BUTTONS.get(button, 'Click')}{f' {count} times' if count > 1 else ''}"


def _with(parameters: Mapping[str, Any]) -> str:
    return "".join(f"{key_name(str(key))}+" for key in parameters.get("modifiers", ()))


def _scroll(parameters: Mapping[str, Any]) -> str:
    dx, dy = float(parameters.get("dx", 0)), float(parameters.get("dy", 0))
    if dy:
        return f"Scroll {'down' if dy > 0 else 'up'} {abs(dy):g}"
    return f"Scroll {'right' if dx > 0 else 'left'} {abs(dx):g}"
