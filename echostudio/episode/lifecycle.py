"""The life of a memory: states, the allowed changes between them, and the events that are only ever appended."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class LifecycleState(StrEnum):
    """What a revision may be used for."""

    CANDIDATE = "candidate"
    ACTIVE = "active"
    QUARANTINED = "quarantined"
    DEPRECATED = "deprecated"


ALLOWED: dict[LifecycleState, frozenset[LifecycleState]] = {
    LifecycleState.CANDIDATE: frozenset({LifecycleState.ACTIVE, LifecycleState.QUARANTINED, LifecycleState.DEPRECATED}),
    LifecycleState.ACTIVE: frozenset({LifecycleState.QUARANTINED, LifecycleState.DEPRECATED}),
    LifecycleState.QUARANTINED: frozenset({LifecycleState.ACTIVE, LifecycleState.DEPRECATED}),
    LifecycleState.DEPRECATED: frozenset(),
}


@dataclass(frozen=True, slots=True)
class LifecycleEvent:
    """One change: who, when (UTC ISO-8601), what, why, and the evidence it rests on."""

    memory: str
    revision: int
    kind: str
    at: str
    who: str
    reason: str
    before: LifecycleState | None = None
    after: LifecycleState | None = None
    evidence: dict[str, str] = field(default_factory=dict)
