"""Fields: the declared flexible inputs of a memory."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
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


def constraint_problem(field: Field, value: str) -> str | None:
    """Return why a value does not fit the field, as part of a sentence, or None when it fits."""
    if not value and field.kind is not FieldKind.TEXT:
        return "it is empty"
    problem = _kind_problem(field, value)
    if problem is None and field.pattern and re.fullmatch(field.pattern, value) is None:
        return f"{_shown(field, value)} does not match the pattern {field.pattern}"
    return problem


def _kind_problem(field: Field, value: str) -> str | None:
    if any(unicodedata.category(character) == "Cc" and character not in "\n\t" for character in value):
        return "it holds a control character that cannot be typed"
    match field.kind:
        case FieldKind.NUMBER:
            fits, what = re.fullmatch(r"[+-]?\d+([.,]\d+)?", value) is not None, "a number"
        case FieldKind.DATE:
            fits, what = _is_date(value), "a date like 2026-11-30"
        case FieldKind.URL:
            fits, what = re.fullmatch(r"[a-z][a-z0-9+.\-]*://\S+", value, re.IGNORECASE) is not None, "an address"
        case FieldKind.PATH:
            fits, what = "\n" not in value and "\t" not in value, "a path"
        case FieldKind.CHOICE:
            fits, what = value in field.choices, f"one of {', '.join(field.choices) or 'no choices'}"
        case _:
            return None
    return None if fits else f"{_shown(field, value)} is not {what}"


def _is_date(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _shown(field: Field, value: str) -> str:
    return "the value" if field.kind is FieldKind.SECRET else f"“{value}”"
