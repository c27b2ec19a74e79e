"""Checks: what must be true in the world when the job is done, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Check:
    """One check: a kind from the catalogue and its parameters; values may hold ``{field}``.

    The kinds ``all``, ``any`` and ``not`` hold other checks in ``parts`` and no parameters.
    """

    kind: str
    parameters: dict[str, str] = field(default_factory=dict)
    parts: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check found; ``passed`` is None when it could not be judged."""

    kind: str
    passed: bool | None
    expected: str
    actual: str
    sentence: str = ""
