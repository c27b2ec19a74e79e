"""The light rows by which a library lists and searches memories, in one query."""

from __future__ import annotations

from typing import Any

from pydantic_core import from_json
from sqlalchemy import func, select
from sqlmodel import Session, col

from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import MemoryRow
from echostudio.repository.naming import is_current
from echostudio.repository.replays import counts
from echostudio.repository.tables import MemoryTable, RevisionTable


def rows(session: Session, state: LifecycleState | None) -> list[MemoryRow]:
    """Return one row per memory, most recently changed first.

    Without ``state`` each row shows the revision in use: the active one, else the latest. With ``state`` it shows the
    active or latest revision that has this state, so a candidate that waits behind an active revision is found.
    """
    replays = counts()
    if state is None:
        shown = col(RevisionTable.revision) == func.coalesce(
            col(MemoryTable.active_revision), col(MemoryTable.latest_revision)
        )
    else:
        shown = is_current() & (col(RevisionTable.state) == state.value)
    query = (
        select(
            col(MemoryTable.id),
            col(RevisionTable.revision),
            col(RevisionTable.intent),
            col(RevisionTable.app_program),
            col(RevisionTable.state),
            col(RevisionTable.steps),
            col(RevisionTable.checks),
            col(MemoryTable.created),
            col(MemoryTable.updated),
            col(RevisionTable.thumbnail),
            col(RevisionTable.light),
            func.coalesce(replays.c.replays, 0),
            func.coalesce(replays.c.refused, 0),
            func.coalesce(replays.c.verified, 0),
        )
        .join(RevisionTable, col(RevisionTable.memory_id) == col(MemoryTable.id))
        .outerjoin(replays, replays.c.memory_id == col(MemoryTable.id))
        .where(shown)
        .order_by(col(MemoryTable.updated).desc(), col(MemoryTable.id))
    )
    return [_row(*found) for found in session.execute(query)]


def _row(*found: Any) -> MemoryRow:
    """Return the value of one found row; its columns stand in the order of the query."""
    memory_id, revision, intent, app, state, steps, checks, created, updated, thumbnail, light, *counted = found
    facts = from_json(light)
    replayed, refused, verified = counted
    return MemoryRow(
        id=memory_id,
        revision=revision,
        intent=intent,
        app=app,
        state=LifecycleState(state),
        steps=steps,
        fields=tuple(facts["fields"]),
        checks=checks,
        created=created,
        updated=updated,
        replays=replayed,
        refused=refused,
        verified=verified,
        thumbnail=thumbnail,
        phrases=tuple(facts["phrases"]),
        recorded_values=tuple(facts["recorded"]),
    )
