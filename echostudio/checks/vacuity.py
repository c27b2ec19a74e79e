"""Which checks prove nothing: those that still pass when every field has a value that nobody ever used."""

from __future__ import annotations

import secrets
import string
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import PurePath

from echostudio.checks.judge import run
from echostudio.checks.world import World
from echostudio.episode.check import Check
from echostudio.episode.field import Field, FieldKind


def vacuity(checks: Sequence[Check], fields: Iterable[Field], world: World) -> tuple[Check, ...]:
    """Return the checks that pass for fresh random values too; they cannot tell this job from no job.

    Without fields nothing can be judged this way, and nothing is returned.
    """
    values = {field.name: fresh_value(field) for field in fields}
    if not values:
        return ()
    return tuple(check for check, result in zip(checks, run(checks, values, world), strict=True) if result.passed)


def fresh_value(field: Field) -> str:
    """Return a random value of the field's kind that differs from the recorded one."""
    match field.kind:
        case FieldKind.NUMBER:
            return str(10**9 + secrets.randbelow(9 * 10**9))
        case FieldKind.DATE:
            return (date(1900, 1, 1) + timedelta(days=secrets.randbelow(30000))).isoformat()
        case FieldKind.URL:
            return f"https://{_letters()}.invalid/"
        case FieldKind.PATH:
            recorded = PurePath(field.recorded)
            return str(recorded.with_name(f"{_letters()}{recorded.suffix}")) if recorded.name else _letters()
        case FieldKind.CHOICE:
            others = [choice for choice in field.choices if choice != field.recorded]
            return secrets.choice(others) if others else _letters()
        case _:
            return _letters()


def _letters() -> str:
    return "".join(secrets.choice(string.ascii_lowercase) for _ in range(16))
