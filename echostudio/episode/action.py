"""Actions: primitives with parameters. Positions are evidence, never part of an action.

Parameters are a flat mapping from *parameter path* to a JSON value. All paths:
click ``button count modifiers target.text``; drag ``button from.text to.text modifiers``; scroll ``dx dy target.text``;
type ``text``; hotkey ``keys``; press ``key``; hover ``target.text``; wait ``seconds``; launch ``command``;
focus ``window``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from blake3 import blake3


class ActionKind(StrEnum):
    """The primitives."""

    CLICK = "click"
    DRAG = "drag"
    SCROLL = "scroll"
    TYPE = "type"
    HOTKEY = "hotkey"
    PRESS = "press"
    HOVER = "hover"
    WAIT = "wait"
    LAUNCH = "launch"
    FOCUS = "focus"


PARAMETER_PATHS: Mapping[ActionKind, tuple[str, ...]] = {
    ActionKind.CLICK: ("button", "count", "modifiers", "target.text"),
    ActionKind.DRAG: ("button", "modifiers", "from.text", "to.text"),
    ActionKind.SCROLL: ("dx", "dy", "target.text"),
    ActionKind.TYPE: ("text",),
    ActionKind.HOTKEY: ("keys",),
    ActionKind.PRESS: ("key",),
    ActionKind.HOVER: ("target.text",),
    ActionKind.WAIT: ("seconds",),
    ActionKind.LAUNCH: ("command",),
    ActionKind.FOCUS: ("window",),
}

POINTER_KINDS = frozenset({ActionKind.CLICK, ActionKind.DRAG, ActionKind.SCROLL, ActionKind.HOVER})
KEY_KINDS = frozenset({ActionKind.TYPE, ActionKind.HOTKEY, ActionKind.PRESS})


@dataclass(frozen=True, slots=True)
class Action:
    """One primitive with its parameters, for example ``Action(CLICK, {"button": "left", "count": 1})``.

    ``keys`` of a hotkey is a list like ``["ctrl", "shift", "s"]``: modifiers first, the key last.
    ``key`` of a press is a key name: ``enter tab escape backspace delete up down left right home end page_up
    page_down insert space f1 ... f24`` or a single character.
    """

    kind: ActionKind
    parameters: dict[str, Any] = field(default_factory=dict)

    def with_parameter(self, path: str, value: object) -> Action:
        """Return a copy in which one parameter has another value."""
        return Action(self.kind, {**self.parameters, path: value})

    @property
    def digest(self) -> str:
        """Content address of the action, by which equal actions share a node."""
        body = json.dumps([self.kind.value, self.parameters], sort_keys=True, ensure_ascii=False)
        return str(blake3(body.encode()).hexdigest())
