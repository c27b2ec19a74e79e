"""Episode values to JSON and back, validated; every file and table writes them this way."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import TypeAdapter

T = TypeVar("T")


_adapters: dict[Any, TypeAdapter[Any]] = {}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    """Build each adapter once; building one costs milliseconds."""
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]


def to_json(value: object) -> Any:
    """Return plain JSON data (dicts, lists, strings, numbers) for an episode value."""
    return _adapter(type(value)).dump_python(value, mode="json")


def to_text(value: object) -> str:
    """Return the value as one line of JSON."""
    return _adapter(type(value)).dump_json(value).decode()


def from_json(kind: type[T], data: Any) -> T:
    """Build an episode value from JSON data; raises ``pydantic.ValidationError`` when it does not fit."""
    value: T = _adapter(kind).validate_python(data)
    return value


def from_text(kind: type[T], text: str | bytes) -> T:
    """Build an episode value from JSON text; raises ``pydantic.ValidationError`` when it does not fit."""
    value: T = _adapter(kind).validate_json(text)
    return value
