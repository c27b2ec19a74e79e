"""What a typed text seems to be, and what a field for it could be called."""

from __future__ import annotations

import re

from echostudio.episode.field import FieldKind
from echostudio.episode.memory import MemoryStep

_URL = re.compile(r"[a-z][a-z0-9+.\-]*://\S+", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_ROOTED = re.compile(r"(~|\.{1,2})?[/\\][^\n\t]*|[A-Za-z]:[/\\][^\n\t]*")
_FILE_NAME = re.compile(r"[^\n\t/\\]{1,120}\.[A-Za-z][A-Za-z0-9]{0,4}")
_NAMES = {
    FieldKind.PATH: "file_name",
    FieldKind.URL: "address",
    FieldKind.NUMBER: "number",
    FieldKind.DATE: "date",
}


def kind_of(text: str) -> FieldKind:
    """Return the kind of field that a typed text suggests; plain text when nothing speaks for another."""
    if _URL.fullmatch(text):
        return FieldKind.URL
    if _DATE.fullmatch(text):
        return FieldKind.DATE
    if _NUMBER.fullmatch(text):
        return FieldKind.NUMBER
    if _ROOTED.fullmatch(text) or _FILE_NAME.fullmatch(text):
        return FieldKind.PATH
    return FieldKind.TEXT


def suggested_name(kind: FieldKind, step: MemoryStep) -> str:
    """Return a name for a field: its input's label where the program tells one, else what it holds."""
    focus = step.screen.focus if step.screen is not None else None
    label = focus.name if focus is not None and kind not in _NAMES else ""
    words = re.findall(r"\w+", label.casefold())[:3]
    name = "_".join(words)
    return name if name.isidentifier() and len(name) <= 30 else _NAMES.get(kind, "text")
