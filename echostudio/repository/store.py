"""The repository: what the rest of the program may ask of the library. Values in and out are frozen episode objects."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sqlalchemy import select
from sqlmodel import Session, col

from echostudio.blobs import BlobStore, MissingPicture
from echostudio.episode.lifecycle import LifecycleEvent, LifecycleState
from echostudio.episode.memory import Memory, MemoryRow, Validation
from echostudio.episode.report import ReplayReport
from echostudio.errors import RepositoryError, UnknownRun
from echostudio.repository import damage, life, listing, records, replays
from echostudio.repository.database import BUSY_MS, Database, sqlite_url
from echostudio.repository.life import Why
from echostudio.repository.migrations import migrate
from echostudio.repository.naming import resolve
from echostudio.repository.pictures import pictures_of
from echostudio.repository.tables import LineageRow, MemoryTable, RevisionTable, RunOverrideRow
from echostudio.repository.times import now

DATABASE_NAME = "library.sqlite"
_SUFFIX_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_COUNT_ROWS = """SELECT COALESCE((SELECT MAX(id) FROM lifecycle_event), 0)
 + COALESCE((SELECT MAX(id) FROM replay), 0) + COALESCE((SELECT MAX(id) FROM run_override), 0)"""


class Repository:
    """The memory library in one folder; may be used from any thread, and by several processes at once."""

    def __init__(self, folder: Path, database: Database) -> None:
        """Use ``open``; this takes a database whose schema is up to date."""
        self.folder = folder
        self.blobs = BlobStore(folder / "blobs")
        self._database = database

    @classmethod
    def open(cls, folder: Path, url: str | None = None, *, busy_ms: int = BUSY_MS) -> Repository:
        """Open the library in ``folder``, made new when there is none; ``url`` names another database than SQLite.

        ``busy_ms`` is how long a call waits for another writer. Raises ``RepositoryError`` naming the file when it is
        damaged, or was written by a newer program.
        """
        file = folder / DATABASE_NAME
        if url is None:
            _make_folder(folder)
            _refuse_emptied(file, folder / "blobs")
        database = Database(url or sqlite_url(file), url or str(file), busy_ms)
        try:
            database.prepare()
            migrate(database)
        except BaseException:
            database.close()
            raise
        return cls(folder, database)

    def close(self) -> None:
        """Give the database back."""
        self._database.close()

    def add(self, memory: Memory, pictures: BlobStore | None, who: str, reason: str) -> Memory:
        """Store a new memory as revision 1, candidate, with every picture it refers to, and return what was stored.

        ``pictures`` is where the pictures are now; None when they are in ``blobs`` already. When the id is taken, its
        last part is drawn anew. Raises ``MissingPicture``, ``UsageError`` (no reason), ``RepositoryBusy``,
        ``RepositoryFull``; nothing but unreferenced pictures is left behind then.
        """
        why = Why(who, reason, {"run": memory.source_run} if memory.source_run else {})
        self._take_pictures(memory, pictures)
        at = now()
        first = replace(memory, revision=1, state=LifecycleState.CANDIDATE, created=memory.created or at)
        with self._database.writing() as session:
            first = replace(first, id=_free_id(session, first.id))
            session.add(MemoryTable(id=first.id, created=first.created, updated=at, latest_revision=1))
            session.flush()
            records.write_revision(session, first)
            life.record(session, _revision(session, first.id, 1), "added", why, None)
        return first

    def revise(self, memory: Memory, who: str, reason: str, *, pictures: BlobStore | None = None) -> Memory:
        """Store a changed memory as its next revision, candidate, and return it; nothing older is touched.

        ``memory.revision`` is the revision that it was made from; new pictures are copied from ``pictures``. Results of
        checks that the change has outdated are left behind: the new revision is not validated then.
        """
        why = Why(who, reason, {"from_revision": str(memory.revision)})
        self._take_pictures(memory, pictures)
        with self._database.writing() as session:
            row = life.memory_row(session, resolve(session, memory.id))
            parent = records.read_revision(session, row.id, memory.revision)
            changed = replace(
                memory,
                revision=row.latest_revision + 1,
                state=LifecycleState.CANDIDATE,
                created=now(),
                validation=_still_valid(memory, parent),
            )
            row.latest_revision = changed.revision
            session.add(row)
            records.write_revision(session, changed)
            session.add(_lineage(changed, parent))
            life.record(session, _revision(session, row.id, changed.revision), "revised", why, None)
        return changed

    def get(self, ref: str, revision: int | None = None) -> Memory:
        """Return one revision, the latest without ``revision``; ``ref`` as in ``resolve_id``."""
        with self._database.reading() as session:
            memory_id = resolve(session, ref)
            wanted = life.memory_row(session, memory_id).latest_revision if revision is None else revision
            return records.read_revision(session, memory_id, wanted)

    def in_use(self, ref: str) -> Memory:
        """Return the active revision, else the latest."""
        with self._database.reading() as session:
            row = life.memory_row(session, resolve(session, ref))
            return records.read_revision(session, row.id, row.active_revision or row.latest_revision)

    def rows(self, state: LifecycleState | None = None) -> list[MemoryRow]:
        """Return the light rows of all memories (see ``listing.rows``), most recently changed first."""
        with self._database.reading() as session:
            return listing.rows(session, state)

    def revisions(self, ref: str) -> list[Memory]:
        """Return all revisions, first to latest."""
        with self._database.reading() as session:
            row = life.memory_row(session, resolve(session, ref))
            return [records.read_revision(session, row.id, number) for number in range(1, row.latest_revision + 1)]

    def transition(
        self,
        ref: str,
        revision: int,
        after: LifecycleState,
        who: str,
        reason: str,
        evidence: Mapping[str, str] | None = None,
    ) -> Memory:
        """Move a revision to another lifecycle state and return it.

        Activating one deprecates the revision that was active (event ``superseded``). Raises ``IllegalTransition``,
        and ``UsageError`` without a reason.
        """
        why = Why(who, reason, evidence or {})
        with self._database.writing() as session:
            row = _revision(session, resolve(session, ref), revision)
            life.change_state(session, row, after, why)
            return records.read_revision(session, row.memory_id, revision)

    def set_validation(self, ref: str, revision: int, validation: Validation, who: str = "checks") -> Memory:
        """Add the checks' newest results to a revision and return it; earlier results stay."""
        stamped = validation if validation.at else replace(validation, at=now())
        passed = sum(1 for result in stamped.results if result.passed)
        why = Why(who, f"{passed} of {len(stamped.results)} checks passed.")
        with self._database.writing() as session:
            row = _revision(session, resolve(session, ref), revision)
            session.add(records.validation_row(row.memory_id, revision, stamped))
            life.record(session, row, "validated", why, LifecycleState(row.state))
            return records.read_revision(session, row.memory_id, revision)

    def events(self, ref: str) -> list[LifecycleEvent]:
        """Return all events of a memory in the order in which they happened."""
        with self._database.reading() as session:
            return life.events_of(session, resolve(session, ref))

    def add_replay(self, report: ReplayReport) -> None:
        """Store what a replay reported; raises ``UnknownMemory`` or ``RepositoryError`` for a revision not here."""
        with self._database.writing() as session:
            row = _revision(session, resolve(session, report.memory), report.revision)
            replays.write_replay(session, replace(report, memory=row.memory_id))

    def replays(self, ref: str) -> list[ReplayReport]:
        """Return all stored replays of a memory, newest first."""
        with self._database.reading() as session:
            return replays.of_memory(session, resolve(session, ref))

    def replay(self, run_id: str) -> ReplayReport:
        """Return the newest report of a run; raises ``UnknownRun`` when none is stored."""
        with self._database.reading() as session:
            report = replays.of_run(session, run_id)
        if report is None:
            raise UnknownRun(f"The library holds no replay with the run {run_id}.")
        return report

    def save_overrides(self, run_id: str, overrides: Mapping[str, str]) -> None:
        """Remember which steps of a run the person keeps or drops; earlier decisions stay in the history."""
        with self._database.writing() as session:
            session.add(RunOverrideRow(run_id=run_id, at=now(), body=json.dumps(dict(overrides))))

    def overrides(self, run_id: str) -> dict[str, str]:
        """Return the newest decisions about a run's steps; empty when there are none."""
        query = (
            select(col(RunOverrideRow.body))
            .where(col(RunOverrideRow.run_id) == run_id)
            .order_by(col(RunOverrideRow.id).desc())
            .limit(1)
        )
        with self._database.reading() as session:
            body = session.execute(query).scalar_one_or_none()
        return dict(json.loads(body)) if body else {}

    def data_version(self) -> int:
        """Return a number that grows when this or another process changes the library; cheap enough to poll."""
        return self._database.data_version(_COUNT_ROWS)

    def resolve_id(self, ref: str) -> str:
        """Return the id that ``ref`` names: an id, an exact intent or phrase in any case, or the beginning of an id.

        Raises ``UnknownMemory`` with the nearest names, ``UsageError`` when several are meant.
        """
        with self._database.reading() as session:
            return resolve(session, ref)

    def verify(self) -> list[str]:
        """Return one sentence per damage found in tables and pictures; empty when all is well."""
        return damage.find_all(self._database, self.blobs)

    def _take_pictures(self, memory: Memory, pictures: BlobStore | None) -> None:
        for name in sorted(pictures_of(memory)):
            if self.blobs.path(name) is not None:
                continue
            if pictures is None:
                raise MissingPicture(f"The memory refers to the picture {name[:12]}, which is not in the library.")
            self.blobs.copy_from(pictures, name)


def _revision(session: Session, memory_id: str, revision: int) -> RevisionTable:
    row = session.get(RevisionTable, (memory_id, revision))
    if row is None:
        raise RepositoryError(f"{memory_id} has no revision {revision}.")
    return row


def _still_valid(memory: Memory, parent: Memory) -> Validation:
    """Return the checks' results that a revision may keep: none that were found with other checks or other values."""
    if memory.validation != parent.validation:
        return memory.validation
    recorded = {field.name: field.recorded for field in memory.fields}
    same_values = all(recorded.get(field.name, field.recorded) == field.recorded for field in parent.fields)
    return memory.validation if memory.checks == parent.checks and same_values else Validation()


def _lineage(child: Memory, parent: Memory) -> LineageRow:
    return LineageRow(
        memory_id=child.id,
        revision=child.revision,
        parent_id=parent.id,
        parent_revision=parent.revision,
        kind="revision",
        at=child.created,
    )


def _free_id(session: Session, wanted: str) -> str:
    """Return the id, with its last part drawn anew as long as it is taken."""
    candidate = wanted
    while session.get(MemoryTable, candidate) is not None:
        base = wanted.rpartition("-")[0] or wanted
        candidate = f"{base}-{''.join(secrets.choice(_SUFFIX_LETTERS) for _ in range(4))}"
    return candidate


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise RepositoryError(f"The library folder {folder} cannot be made: {fault.strerror}.") from fault


def _refuse_emptied(file: Path, blobs: Path) -> None:
    """Refuse a database of no bytes beside stored pictures: SQLite would silently begin a new, empty library there."""
    emptied = file.exists() and file.stat().st_size == 0
    if emptied and any(blobs.glob("??/*")):
        raise RepositoryError(f"{file} is empty although its pictures are there.", "Put a backup in its place.")
