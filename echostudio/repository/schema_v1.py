"""The first schema, frozen: what migration 1 makes. Never change it; add a migration instead."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.schema import SchemaItem

TABLES = MetaData()


def _text(name: str, *, key: bool = False, index: bool = False, null: bool = False) -> Column[str]:
    return Column(name, String, primary_key=key, index=index, nullable=null)


def _whole(name: str, *, key: bool = False, null: bool = False) -> Column[int]:
    return Column(name, Integer, primary_key=key, nullable=null, autoincrement=False)


def _counted() -> Column[int]:
    return Column("id", Integer, primary_key=True, nullable=False)


def _body(name: str = "body") -> Column[str]:
    return Column(name, Text, nullable=False)


def _revision(*, key: bool = True, index: bool = False) -> tuple[SchemaItem, ...]:
    """Return the two columns that name a revision, and the reference to it."""
    return (
        _text("memory_id", key=key, index=index),
        _whole("revision", key=key),
        ForeignKeyConstraint(["memory_id", "revision"], ["memory_revision.memory_id", "memory_revision.revision"]),
    )


Table(
    "memory",
    TABLES,
    _text("id", key=True),
    _text("created"),
    _text("updated", index=True),
    _whole("latest_revision"),
    _whole("active_revision", null=True),
)
Table(
    "memory_revision",
    TABLES,
    Column("memory_id", String, ForeignKey("memory.id"), primary_key=True, nullable=False),
    _whole("revision", key=True),
    _text("intent"),
    _text("intent_key", index=True),
    _text("state", index=True),
    _text("app_program", index=True),
    _text("app_class"),
    _text("source_run", index=True),
    _text("desktop_kind"),
    _text("created"),
    _text("thumbnail", null=True),
    _whole("steps"),
    _whole("checks"),
    _body("light"),
    _body(),
    _text("content"),
)
Table("phrase", TABLES, *_revision(), _whole("position", key=True), _text("text"), _text("text_key", index=True))
Table("action_node", TABLES, _text("digest", key=True), _text("kind", index=True), _body("parameters"))
Table(
    "path",
    TABLES,
    *_revision(),
    _whole("position", key=True),
    Column("action_digest", String, ForeignKey("action_node.digest"), index=True, nullable=False),
    _whole("run_step"),
    _text("words"),
    Column("risky", Boolean, nullable=False),
    Column("optional", Boolean, nullable=False),
    _body(),
)
Table(
    "evidence",
    TABLES,
    *_revision(),
    _whole("position", key=True),
    _text("role", key=True),
    _whole("point_x"),
    _whole("point_y"),
    _text("element_role"),
    _text("element_name"),
    Column("margin", Float, nullable=True),
    _body(),
)
Table("blob", TABLES, _text("digest", key=True), *_revision(), _whole("width"), _whole("height"))
Table(
    "field",
    TABLES,
    *_revision(),
    _text("name", key=True),
    _whole("position"),
    _text("kind"),
    _text("recorded"),
    _body(),
)
Table("check", TABLES, *_revision(), _whole("position", key=True), _text("kind"), _body())
Table(
    "validation",
    TABLES,
    _counted(),
    *_revision(key=False, index=True),
    _text("at"),
    Column("positive", Boolean, nullable=False),
    _body(),
)
Table(
    "lifecycle_event",
    TABLES,
    _counted(),
    *_revision(key=False, index=True),
    _text("kind"),
    _text("at"),
    _text("who"),
    _text("reason"),
    _text("before", null=True),
    _text("after", null=True),
    _body("evidence"),
)
Table(
    "lineage",
    TABLES,
    *_revision(),
    _text("parent_id", key=True),
    _whole("parent_revision", key=True),
    _text("kind"),
    _text("at"),
    ForeignKeyConstraint(["parent_id", "parent_revision"], ["memory_revision.memory_id", "memory_revision.revision"]),
)
Table(
    "replay",
    TABLES,
    _counted(),
    _text("run_id", index=True),
    *_revision(key=False, index=True),
    _text("outcome"),
    _text("refusal_code", null=True),
    Column("dry_run", Boolean, nullable=False),
    _text("started"),
    Column("seconds", Float, nullable=False),
    _body(),
)
Table(
    "replay_step",
    TABLES,
    Column("replay_id", Integer, ForeignKey("replay.id"), primary_key=True, nullable=False, autoincrement=False),
    _whole("position", key=True),
    _text("status"),
    _text("route"),
    Column("ms", Float, nullable=False),
    _body(),
)
Table("run_override", TABLES, _counted(), _text("run_id", index=True), _text("at"), _body())

_APPEND_ONLY = """CREATE TRIGGER lifecycle_event_no_{verb} BEFORE {VERB} ON lifecycle_event
BEGIN SELECT RAISE(ABORT, 'lifecycle events are only ever appended'); END"""


def create(connection: Connection) -> None:
    """Make all tables of version 1; on SQLite also the guards of the event table."""
    TABLES.create_all(connection)
    if connection.dialect.name == "sqlite":
        for verb in ("update", "delete"):
            connection.exec_driver_sql(_APPEND_ONLY.format(verb=verb, VERB=verb.upper()))
