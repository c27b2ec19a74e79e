"""``{field}`` in a check's values: filled with the values of this run. A literal brace is doubled."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

from rapidfuzz import process

from echostudio.errors import UsageError

_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def fill(text: str, values: Mapping[str, str], *, quote: Callable[[str], str] = str) -> str:
    """Return the text with every ``{field}`` replaced by its value, passed through ``quote``.

    Raises ``UsageError`` for a field that has no value, and for a single brace.
    """

    def replaced(match: re.Match[str]) -> str:
        if match.group() in ("{{", "}}"):
            return match.group()[0]
        name = _name(match, text)
        if name not in values:
            raise _unknown(name, values)
        return quote(values[name])

    return _PART.sub(replaced, text)


def fields_of(text: str) -> tuple[str, ...]:
    """Return the names of the fields that a value refers to, in order; raises ``UsageError`` for a single brace."""
    return tuple(_name(match, text) for match in _PART.finditer(text) if match.group() not in ("{{", "}}"))


def require_known(text: str, known: Collection[str]) -> None:
    """Raise ``UsageError`` when a value refers to a field that is not declared."""
    for name in fields_of(text):
        if name not in known:
            raise _unknown(name, known)


def _name(match: re.Match[str], text: str) -> str:
    name = match.group(1)
    if not name:
        raise UsageError(
            f"“{text}” holds a brace that names no field.", "Double a brace that is meant as one: {{ or }}."
        )
    return name


def _unknown(name: str, known: Collection[str]) -> UsageError:
    close = process.extractOne(name, list(known), score_cutoff=60)
    hint = f"Did you mean {{{close[0]}}}?" if close else "Declare the field first, or double the braces."
    return UsageError(f"There is no field {name}.", hint)
