"""The tables of the library as typed rows. What each means stands here; how they came about stands in the migrations.

``body`` columns hold JSON of episode values; everything that is listed, searched or joined has a column of its own.
Times are UTC ISO-8601 with milliseconds. Composite keys ``(memory_id, revision)`` name one revision.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import ForeignKeyConstraint, Text
from sqlalchemy.orm import registry
from sqlalchemy.schema import SchemaItem
from sqlmodel import Field, SQLModel


class Row(SQLModel, registry=registry()):
    """Base of all tables; its metadata holds the library's tables and no others."""


def _revision_key() -> tuple[SchemaItem, ...]:
    """Return the reference to ``memory_revision`` that most tables carry."""
    return (ForeignKeyConstraint(["memory_id", "revision"], ["memory_revision.memory_id", "memory_revision.revision"]),)


class SchemaVersionRow(Row, table=True):
    """One applied migration."""

    __tablename__: ClassVar[str] = "schema_version"

    version: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    name: str
    applied_at: str


class MemoryTable(Row, table=True):
    """One memory over all its revisions; ``active_revision`` is the promoted one, if there is one."""

    __tablename__: ClassVar[str] = "memory"

    id: str = Field(primary_key=True)
    created: str
    updated: str = Field(index=True)
    latest_revision: int
    active_revision: int | None = None


class RevisionTable(Row, table=True):
    """One revision. ``light`` is what a list shows, ``content`` the digest of everything that never changes."""

    __tablename__: ClassVar[str] = "memory_revision"

    memory_id: str = Field(primary_key=True, foreign_key="memory.id")
    revision: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    intent: str
    intent_key: str = Field(index=True)
    state: str = Field(index=True)
    app_program: str = Field(index=True)
    app_class: str
    source_run: str = Field(index=True)
    desktop_kind: str
    created: str
    thumbnail: str | None = None
    steps: int
    checks: int
    light: str = Field(sa_type=Text)
    body: str = Field(sa_type=Text)
    content: str


class PhraseRow(Row, table=True):
    """Another wording of a revision's intent."""

    __tablename__: ClassVar[str] = "phrase"
    __table_args__ = _revision_key()

    memory_id: str = Field(primary_key=True)
    revision: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    text: str
    text_key: str = Field(index=True)


class ActionNodeRow(Row, table=True):
    """An action by its digest; equal actions of all memories share one row."""

    __tablename__: ClassVar[str] = "action_node"

    digest: str = Field(primary_key=True)
    kind: str = Field(index=True)
    parameters: str = Field(sa_type=Text)


class PathRow(Row, table=True):
    """One step of a revision's program, in order."""

    __tablename__: ClassVar[str] = "path"
    __table_args__ = _revision_key()

    memory_id: str = Field(primary_key=True)
    revision: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    action_digest: str = Field(foreign_key="action_node.digest", index=True)
    run_step: int
    words: str
    risky: bool
    optional: bool
    body: str = Field(sa_type=Text)


class EvidenceRow(Row, table=True):
    """The evidence of one pointer target of a step (role ``target``, ``from`` or ``to``)."""

    __tablename__: ClassVar[str] = "evidence"
    __table_args__ = _revision_key()

    memory_id: str = Field(primary_key=True)
    revision: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    role: str = Field(primary_key=True)
    point_x: int
    point_y: int
    element_role: str
    element_name: str
    margin: float | None = None
    body: str = Field(sa_type=Text)


class BlobRow(Row, table=True):
    """A reference from a revision to a stored picture."""

    __tablename__: ClassVar[str] = "blob"
    __table_args__ = _revision_key()

    digest: str = Field(primary_key=True)
    memory_id: str = Field(primary_key=True)
    revision: int = Field(primary_key=True)
    width: int
    height: int


class FieldRow(Row, table=True):
    """A declared flexible input of a revision."""

    __tablename__: ClassVar[str] = "field"
    __table_args__ = _revision_key()

    memory_id: str = Field(primary_key=True)
    revision: int = Field(primary_key=True)
    name: str = Field(primary_key=True)
    position: int
    kind: str
    recorded: str
    body: str = Field(sa_type=Text)


class CheckRow(Row, table=True):
    """An artifact check of a revision, groups with their parts inside the body."""

    __tablename__: ClassVar[str] = "check"
    __table_args__ = _revision_key()

    memory_id: str = Field(primary_key=True)
    revision: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    kind: str
    body: str = Field(sa_type=Text)


class ValidationRow(Row, table=True):
    """The checks' results at one time; the newest one counts."""

    __tablename__: ClassVar[str] = "validation"
    __table_args__ = _revision_key()

    id: int | None = Field(default=None, primary_key=True)
    memory_id: str = Field(index=True)
    revision: int
    at: str
    positive: bool
    body: str = Field(sa_type=Text)


class LifecycleEventRow(Row, table=True):
    """One change of one revision: appended, never updated."""

    __tablename__: ClassVar[str] = "lifecycle_event"
    __table_args__ = _revision_key()

    id: int | None = Field(default=None, primary_key=True)
    memory_id: str = Field(index=True)
    revision: int
    kind: str
    at: str
    who: str
    reason: str
    before: str | None = None
    after: str | None = None
    evidence: str = Field(sa_type=Text)


class LineageRow(Row, table=True):
    """Where a revision came from: ``revision``, ``branch``, ``repair`` or ``merge`` of a parent revision."""

    __tablename__: ClassVar[str] = "lineage"
    __table_args__ = (
        *_revision_key(),
        ForeignKeyConstraint(
            ["parent_id", "parent_revision"], ["memory_revision.memory_id", "memory_revision.revision"]
        ),
    )

    memory_id: str = Field(primary_key=True)
    revision: int = Field(primary_key=True)
    parent_id: str = Field(primary_key=True)
    parent_revision: int = Field(primary_key=True)
    kind: str
    at: str


class ReplayRow(Row, table=True):
    """One replay of a revision; the body is its report without the steps."""

    __tablename__: ClassVar[str] = "replay"
    __table_args__ = _revision_key()

    id: int | None = Field(default=None, primary_key=True)
    run_id: str = Field(index=True)
    memory_id: str = Field(index=True)
    revision: int
    outcome: str
    refusal_code: str | None = None
    dry_run: bool
    started: str
    seconds: float
    body: str = Field(sa_type=Text)


class ReplayStepRow(Row, table=True):
    """One step of a replay with its verdicts."""

    __tablename__: ClassVar[str] = "replay_step"

    replay_id: int = Field(primary_key=True, foreign_key="replay.id", sa_column_kwargs={"autoincrement": False})
    position: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    status: str
    route: str
    ms: float
    body: str = Field(sa_type=Text)


class RunOverrideRow(Row, table=True):
    """What the person decided about a run's steps; the newest row of a run counts."""

    __tablename__: ClassVar[str] = "run_override"

    id: int | None = Field(default=None, primary_key=True)
    run_id: str = Field(index=True)
    at: str
    body: str = Field(sa_type=Text)
