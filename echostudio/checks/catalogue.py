"""The one registry of check kinds, and whether a check is well formed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from rapidfuzz import process

from echostudio.checks.files import DirectoryListing, FileAbsent, FileExists, TextContains, TextMatches
from echostudio.checks.kind import CheckKind
from echostudio.checks.substitution import fields_of, fill, require_known
from echostudio.checks.windows import WindowTitle
from echostudio.episode.check import Check
from echostudio.errors import UsageError

CATALOGUE: Mapping[str, type[CheckKind]] = {
    kind.kind: kind for kind in (FileExists, FileAbsent, TextContains, TextMatches, DirectoryListing, WindowTitle)
}
GROUPS: Mapping[str, str] = {
    "all": "Every part passes.",
    "any": "At least one part passes.",
    "not": "Its one part does not pass.",
}


def validate(check: Check, fields: Collection[str] | None = None) -> None:
    """Raise ``UsageError`` naming the kind, key or field that is wrong.

    With ``fields`` every ``{field}`` must be one of them; without, only its form is looked at.
    """
    if check.kind in GROUPS:
        _validate_group(check, fields)
        return
    kind = CATALOGUE.get(check.kind)
    if kind is None:
        raise UsageError(f"There is no check {check.kind}.", _near(check.kind, [*CATALOGUE, *GROUPS]))
    if check.parts:
        raise UsageError(f"{check.kind} holds no other checks.", f"Groups are: {', '.join(GROUPS)}.")
    for key in kind.keys:
        if not check.parameters.get(key):
            raise UsageError(f"{check.kind} needs {key}: {kind.keys[key]}.", _form(kind))
    for key, value in check.parameters.items():
        if key not in kind.keys:
            raise UsageError(f"{check.kind} has no {key}.", _form(kind))
        _validate_value(kind, key, value, fields)


def fields_used(check: Check) -> frozenset[str]:
    """Return the names of all fields that a check or its parts refer to."""
    own = {name for value in check.parameters.values() for name in fields_of(value)}
    return frozenset(own).union(*(fields_used(part) for part in check.parts))


def _validate_group(check: Check, fields: Collection[str] | None) -> None:
    if check.parameters:
        raise UsageError(f"The group {check.kind} has no {next(iter(check.parameters))}.", "A group holds checks only.")
    if not check.parts or (check.kind == "not" and len(check.parts) != 1):
        needed = "exactly one check" if check.kind == "not" else "at least one check"
        raise UsageError(f"The group {check.kind} needs {needed}.")
    for part in check.parts:
        validate(part, fields)


def _validate_value(kind: type[CheckKind], key: str, value: str, fields: Collection[str] | None) -> None:
    names = fields_of(value)
    if fields is not None:
        require_known(value, fields)
    if key in kind.patterns:
        try:
            re.compile(fill(value, dict.fromkeys(names, "x"), quote=re.escape))
        except re.error as fault:
            raise UsageError(
                f"{key} is not a regular expression: {fault}.", "Double its own braces: {{2,3}}."
            ) from fault


def _form(kind: type[CheckKind]) -> str:
    return f"Its form: {kind.kind} {' '.join(f'{key}=…' for key in kind.keys)}."


def _near(word: str, known: Collection[str]) -> str:
    close = process.extractOne(word, list(known), score_cutoff=60)
    return f"Did you mean {close[0]}?" if close else f"There are: {', '.join(known)}."
