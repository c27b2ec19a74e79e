"""Fields: the declared flexible inputs of a memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FieldKind(StrEnum):
    """What kind of value a field takes."""

    TEXT = "text"
    PATH = "path"
    URL = "url"
    DATE = "date"
    NUMBER = "number"
    CHOICE = "choice"
    SECRET = "secret"


@dataclass(frozen=True, slots=True)
class Binding:
    """One place that a field fills: step index in the kept program, and parameter path."""

    action_index: int
    path: str


@dataclass(frozen=True, slots=True)
class Field:
    """A declared input: one or more places, a kind, an optional pattern or list of choices, the recorded value."""

    name: str
    bindings: tuple[Binding, ...]
    kind: FieldKind = FieldKind.TEXT
    pattern: str = ""
    choices: tuple[str, ...] = ()
    recorded: str = ""
    description: str = ""
