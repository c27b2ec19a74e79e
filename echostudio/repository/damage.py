"""Finding damage: every row against its revision, every picture against its address. Reads only, repairs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlalchemy import select
from sqlmodel import Session, col

from echostudio import codec
from echostudio.blobs import BlobStore, MissingPicture
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.lifecycle import LifecycleState
from echostudio.errors import EchoError, RepositoryError
from echostudio.repository import records, replays
from echostudio.repository.database import Database
from echostudio.repository.pictures import pictures_of
from echostudio.repository.tables import (
    ActionNodeRow,
    BlobRow,
    LifecycleEventRow,
    MemoryTable,
    ReplayRow,
    RevisionTable,
)


def find_all(database: Database, blobs: BlobStore) -> list[str]:
    """Return one sentence per damage; a part of the database that cannot be read is one itself."""
    found: list[str] = []
    referred: set[str] = set()
    for look in (_database, _memories, _revisions, _actions, _replays):
        try:
            with database.reading() as session:
                found.extend(look(session))
        except RepositoryError as fault:
            found.append(fault.sentence)
    try:
        with database.reading() as session:
            referred.update(session.execute(select(col(BlobRow.digest)).distinct()).scalars())
    except RepositoryError as fault:
        found.append(fault.sentence)
    found.extend(_pictures(blobs, referred))
    return list(dict.fromkeys(found))


def _database(session: Session) -> Iterator[str]:
    """Ask SQLite itself."""
    connection = session.connection()
    if connection.dialect.name != "sqlite":
        return
    for (answer,) in connection.exec_driver_sql("PRAGMA integrity_check(20)"):
        if answer != "ok":
            yield f"The database says: {' '.join(str(answer).split())}."
    for table, row, parent, _ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
        yield f"Row {row} of table {table} refers to a row of {parent} that is not there."


def _memories(session: Session) -> Iterator[str]:
    """Check that each memory has all its revisions, and the one that it calls active."""
    stored: dict[str, dict[int, str]] = {}
    for memory_id, revision, state in session.execute(
        select(col(RevisionTable.memory_id), col(RevisionTable.revision), col(RevisionTable.state))
    ):
        stored.setdefault(memory_id, {})[revision] = state
    for memory in session.execute(select(MemoryTable)).scalars():
        states = stored.get(memory.id, {})
        for number in range(1, memory.latest_revision + 1):
            if number not in states:
                yield f"{memory.id} has lost its revision {number}."
        active = {number for number, state in states.items() if state == LifecycleState.ACTIVE}
        if active != ({memory.active_revision} - {None}):
            yield f"{memory.id} disagrees with its revisions about which one is active."


def _revisions(session: Session) -> Iterator[str]:
    """Put every revision together, compare it with its digest, its picture references and its last event."""
    last_states = _last_states(session)
    for row in session.execute(select(RevisionTable)).scalars():
        name = f"Revision {row.revision} of {row.memory_id}"
        try:
            memory = records.read_revision(session, row.memory_id, row.revision)
        except RepositoryError:
            yield f"{name} cannot be read: a row is missing or does not fit."
            continue
        if records.content_digest(memory) != row.content:
            yield f"{name} is not what was stored: its content was changed afterwards."
        if last_states.get((row.memory_id, row.revision)) != row.state:
            yield f"{name} is {row.state}, but its events say otherwise."
        query = select(col(BlobRow.digest)).where(
            col(BlobRow.memory_id) == row.memory_id, col(BlobRow.revision) == row.revision
        )
        for lost in sorted(pictures_of(memory) - set(session.execute(query).scalars())):
            yield f"{name} has lost its reference to the picture {lost[:12]}."


def _last_states(session: Session) -> dict[tuple[str, int], str | None]:
    query = select(
        col(LifecycleEventRow.memory_id), col(LifecycleEventRow.revision), col(LifecycleEventRow.after)
    ).order_by(col(LifecycleEventRow.id))
    return {(memory_id, revision): after for memory_id, revision, after in session.execute(query)}


def _actions(session: Session) -> Iterator[str]:
    """Compare each shared action with its digest."""
    for row in session.execute(select(ActionNodeRow)).scalars():
        try:
            action = Action(ActionKind(row.kind), records.parameters_of(row))
        except ValueError:
            yield f"The action {row.digest[:12]} cannot be read."
            continue
        if action.digest != row.digest:
            yield f"The action {row.digest[:12]} is not what was stored."


def _replays(session: Session) -> Iterator[str]:
    for row in session.execute(select(ReplayRow)).scalars():
        try:
            replays.read_replay(session, row)
        except RepositoryError as fault:
            yield fault.sentence


def _pictures(blobs: BlobStore, referred: Iterable[str]) -> Iterator[str]:
    """Decode every referred picture and compare its pixels with its address."""
    for name in sorted(referred):
        try:
            path = blobs.path(name)
        except MissingPicture as fault:
            yield fault.sentence
            continue
        if path is None:
            yield f"The picture {name[:12]} is missing."
            continue
        try:
            pixels = blobs.get(name)
        except EchoError:
            yield f"The picture {name[:12]} cannot be read: {path}."
            continue
        if codec.digest(pixels) != name:
            yield f"The picture {name[:12]} does not show what was stored: {path}."
