"""The time that the library writes down."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """Return the present UTC time as ISO-8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
