"""Fields: the declared flexible inputs of a memory."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

_DATE_FORMS = (
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%Y/%m/%d",
    "%d-%m-%Y",
    "%Y%m%d",
    "%d %B %Y",
    "%B %d, %Y",
)


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
    """Return why a value does not fit the field, as part of a sentence, or None when it fits.

    A date is written like the recorded one. A text without a pattern of its own may hold line breaks and tabs only
    where the recorded one does: in a single-line input they would press Enter, or leave it.
    """
    if not value and field.kind is not FieldKind.TEXT:
        return "it is empty"
    problem = _kind_problem(field, value)
    if problem is not None:
        return problem
    if not field.pattern:
        return _key_problem(field, value)
    try:
        matches = re.fullmatch(field.pattern, value) is not None
    except re.error:
        return f"the pattern {field.pattern} is not a regular expression"
    return None if matches else f"{_shown(field, value)} does not match the pattern {field.pattern}"


def _kind_problem(field: Field, value: str) -> str | None:
    if any(unicodedata.category(character) == "Cc" and character not in "\n\t" for character in value):
        return "it holds a control character that cannot be typed"
    match field.kind:
        case FieldKind.NUMBER:
            fits, what = re.fullmatch(r"[+-]?\d+([.,]\d+)?", value) is not None, "a number"
        case FieldKind.DATE:
            fits, what = _is_date(field.recorded, value), f"a date like {field.recorded or '2026-11-30'}"
        case FieldKind.URL:
            fits, what = re.fullmatch(r"[a-z][a-z0-9+.\-]*://\S+", value, re.IGNORECASE) is not None, "an address"
        case FieldKind.PATH:
            fits, what = "\n" not in value and "\t" not in value, "a path"
        case FieldKind.CHOICE:
            fits, what = value in field.choices, f"one of {', '.join(field.choices) or 'no choices'}"
        case _:
            return None
    return None if fits else f"{_shown(field, value)} is not {what}"


def _key_problem(field: Field, value: str) -> str | None:
    if "\n" in value and "\n" not in field.recorded:
        return "it holds a line break, which would press Enter; the recorded value holds none"
    if "\t" in value and "\t" not in field.recorded:
        return "it holds a tab, which would leave the input; the recorded value holds none"
    return None


def _is_date(recorded: str, value: str) -> bool:
    """Whether the value is a date in a form that the recorded one has too; without one, ISO."""
    forms = [form for form in _DATE_FORMS if _reads(form, recorded)] or [_DATE_FORMS[0]]
    return any(_reads(form, value) for form in forms)


def _reads(form: str, value: str) -> bool:
    try:
        datetime.strptime(value, form)
    except ValueError:
        return False
    return True


def _shown(field: Field, value: str) -> str:
    return "the value" if field.kind is FieldKind.SECRET else f"“{value}”"
