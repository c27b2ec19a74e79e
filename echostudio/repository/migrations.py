"""The library's schema versions: an ordered list of plain functions, each recorded with the time it was applied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, inspect, text

from echostudio.errors import RepositoryError
from echostudio.repository import schema_v1
from echostudio.repository.database import Database
from echostudio.repository.times import now


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from the version before; ``apply`` runs inside a transaction that also records it."""

    version: int
    name: str
    apply: Callable[[Connection], None]


MIGRATIONS: tuple[Migration, ...] = (Migration(1, "first tables", schema_v1.create),)

_RECORDS = """CREATE TABLE IF NOT EXISTS schema_version (
version INTEGER NOT NULL, name VARCHAR NOT NULL, applied_at VARCHAR NOT NULL, PRIMARY KEY (version))"""


def pending(connection: Connection, migrations: Sequence[Migration] = MIGRATIONS) -> tuple[Migration, ...]:
    """Return what has not been applied yet; asks only.

    Raises ``RepositoryError`` when the library was written by a newer program.
    """
    reached = _reached(connection)
    newest = migrations[-1].version
    if reached > newest:
        raise RepositoryError(
            f"This library has schema version {reached}; this EchoStudio knows versions up to {newest}.",
            "Use the newer EchoStudio that wrote it.",
        )
    return tuple(migration for migration in migrations if migration.version > reached)


def migrate(database: Database, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the library up to the newest version; each migration is one transaction, so a crash loses none."""
    with database.reading() as session:
        open_steps = pending(session.connection(), migrations)
    for _ in open_steps:
        with database.writing() as session:
            # Asked again under the write lock: another process may have done it meanwhile.
            remaining = pending(session.connection(), migrations)
            if remaining:
                _apply(session.connection(), remaining[0])


def _apply(connection: Connection, migration: Migration) -> None:
    connection.exec_driver_sql(_RECORDS)
    migration.apply(connection)
    connection.execute(
        text("INSERT INTO schema_version (version, name, applied_at) VALUES (:version, :name, :at)"),
        {"version": migration.version, "name": migration.name, "at": now()},
    )


def _reached(connection: Connection) -> int:
    if not inspect(connection).has_table("schema_version"):
        return 0
    return int(connection.exec_driver_sql("SELECT COALESCE(MAX(version), 0) FROM schema_version").scalar_one())
