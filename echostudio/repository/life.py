"""The life of revisions: state changes, and the events that record who did what, when, why, on which evidence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlmodel import Session, col

from echostudio.episode.lifecycle import ALLOWED, LifecycleEvent, LifecycleState
from echostudio.errors import IllegalTransition, RepositoryError, UsageError
from echostudio.repository.tables import LifecycleEventRow, MemoryTable, RevisionTable
from echostudio.repository.times import now

_DEEDS = {
    LifecycleState.ACTIVE: "promoted",
    LifecycleState.QUARANTINED: "quarantined",
    LifecycleState.DEPRECATED: "deprecated",
}


@dataclass(frozen=True, slots=True)
class Why:
    """Who changes something, why, and on which evidence."""

    who: str
    reason: str
    evidence: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ``UsageError`` when name or reason is missing: an event without them explains nothing."""
        if not self.reason.strip():
            raise UsageError("A reason is needed.", "Say in a few words why the memory changes.")
        if not self.who.strip():
            raise UsageError("Who changes the memory is not known.", "Give a name.")


def change_state(session: Session, row: RevisionTable, after: LifecycleState, why: Why) -> None:
    """Move one revision to another state and record it.

    Activating a revision deprecates the one that was active (event ``superseded``). Raises ``IllegalTransition``.
    """
    before = LifecycleState(row.state)
    if after not in ALLOWED[before]:
        allowed = ", ".join(sorted(ALLOWED[before])) or "nothing else"
        raise IllegalTransition(
            f"Revision {row.revision} of {row.memory_id} is {before} and cannot become {after}.",
            f"From {before} it can become: {allowed}.",
        )
    memory = memory_row(session, row.memory_id)
    if after is LifecycleState.ACTIVE and memory.active_revision not in (None, row.revision):
        _supersede(session, memory, row.revision, why)
    if after is LifecycleState.ACTIVE:
        memory.active_revision = row.revision
    elif memory.active_revision == row.revision:
        memory.active_revision = None
    row.state = after.value
    session.add(row)
    record(session, row, _DEEDS[after], why, before)


def record(session: Session, row: RevisionTable, kind: str, why: Why, before: LifecycleState | None) -> None:
    """Append one event; the state after it is the revision's present state."""
    at = now()
    session.add(
        LifecycleEventRow(
            memory_id=row.memory_id,
            revision=row.revision,
            kind=kind,
            at=at,
            who=why.who,
            reason=why.reason.strip(),
            before=before.value if before else None,
            after=row.state,
            evidence=json.dumps(dict(why.evidence), ensure_ascii=False),
        )
    )
    memory = memory_row(session, row.memory_id)
    memory.updated = at
    session.add(memory)
    session.flush()


def events_of(session: Session, memory_id: str) -> list[LifecycleEvent]:
    """Return all events of a memory in the order in which they happened."""
    query = (
        select(LifecycleEventRow)
        .where(col(LifecycleEventRow.memory_id) == memory_id)
        .order_by(col(LifecycleEventRow.id))
    )
    return [_event(row) for row in session.execute(query).scalars()]


def memory_row(session: Session, memory_id: str) -> MemoryTable:
    """Return the row of a memory that is known to exist; raises ``RepositoryError`` when it does not."""
    row = session.get(MemoryTable, memory_id)
    if row is None:
        raise RepositoryError(f"The library has lost its row of {memory_id}.", "`echostudio store verify` says more.")
    return row


def _supersede(session: Session, memory: MemoryTable, by: int, why: Why) -> None:
    old = session.get(RevisionTable, (memory.id, memory.active_revision))
    if old is None:
        raise RepositoryError(f"{memory.id} has lost its active revision.", "`echostudio store verify` says more.")
    before = LifecycleState(old.state)
    old.state = LifecycleState.DEPRECATED.value
    session.add(old)
    evidence = {**why.evidence, "superseded_by": str(by)}
    record(session, old, "superseded", Why(why.who, why.reason, evidence), before)


def _event(row: LifecycleEventRow) -> LifecycleEvent:
    return LifecycleEvent(
        memory=row.memory_id,
        revision=row.revision,
        kind=row.kind,
        at=row.at,
        who=row.who,
        reason=row.reason,
        before=LifecycleState(row.before) if row.before else None,
        after=LifecycleState(row.after) if row.after else None,
        evidence=json.loads(row.evidence),
    )
