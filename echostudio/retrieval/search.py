"""From a request's words to candidates: light rows first, whole memories only for those whose words fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import Memory, MemoryRow
from echostudio.episode.verdict import GateVerdict
from echostudio.retrieval import intent


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that may serve a request."""

    memory: Memory
    intent_score: float
    compatibility: float
    gates: tuple[GateVerdict, ...]
    values: dict[str, str] = field(default_factory=dict)


def light_candidates(request: str, rows: Iterable[MemoryRow], needed: float, most: int = 5) -> list[MemoryRow]:
    """Return the rows whose words fit, best first; recorded values in a phrase count like any other word here.

    The threshold is halved for this first look, since masking values in stage 2 can only raise a score.
    """
    scored = []
    for row in rows:
        if row.state is LifecycleState.DEPRECATED:
            continue
        score = intent.match(request, (row.intent, *row.phrases)).score
        if score >= needed / 2:
            scored.append((score, row))
    scored.sort(key=lambda pair: (-pair[0], pair[1].id))
    return [row for _, row in scored[:most]]
