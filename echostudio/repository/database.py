"""The database behind the library: connections, transactions, and what its errors mean for the person."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session

from echostudio.errors import EchoError, RepositoryBusy, RepositoryError, RepositoryFull

BUSY_MS = 5000
_BEGIN = "echostudio_begin"


class Database:
    """One engine; sessions live inside one ``with`` block and never cross threads."""

    def __init__(self, url: str, where: str, busy_ms: int = BUSY_MS) -> None:
        """Connect lazily to ``url``; ``where`` names the library in sentences, ``busy_ms`` is the wait for a lock."""
        self.where = where
        self._engine = _engine(url, busy_ms)
        self._readers = self._engine.execution_options(**{_BEGIN: "BEGIN"})
        self._writers = self._engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})
        self._watch: Connection | None = None
        self._watch_lock = Lock()
        self._seen: int | None = None
        self._changes = 0

    @property
    def sqlite(self) -> bool:
        """Whether this is the embedded database."""
        return self._engine.dialect.name == "sqlite"

    def prepare(self) -> None:
        """Switch the embedded database to write-ahead logging, which lets readers and a writer work side by side."""
        if not self.sqlite:
            return
        with self._told(), self._engine.connect() as connection:
            mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar()
            if mode not in ("wal", "memory"):
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Give a session that sees one snapshot."""
        with self._told(), Session(self._readers) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Give a session that owns the write lock; it commits at the end, or leaves nothing behind."""
        with self._told(), Session(self._writers) as session, session.begin():
            session.connection()
            yield session

    def data_version(self, count_rows: str) -> int:
        """Return a number that grows when any process changes the library; ``count_rows`` serves other databases."""
        with self._watch_lock, self._told():
            if self._watch is None:
                self._watch = self._engine.connect()
            query = "PRAGMA data_version" if self.sqlite else count_rows
            seen = int(self._watch.exec_driver_sql(query).scalar_one())
            self._watch.rollback()
            if seen != self._seen:
                self._seen = seen
                self._changes += 1
            return self._changes

    def close(self) -> None:
        """Give all connections back."""
        with self._watch_lock:
            if self._watch is not None:
                self._watch.close()
                self._watch = None
        self._engine.dispose()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as fault:
            meaning = _meaning(fault, self.where)
            if meaning is None:
                raise
            raise meaning from fault


def sqlite_url(file: Path) -> str:
    """Return the URL of a SQLite file."""
    return f"sqlite:///{file}"


def _engine(url: str, busy_ms: int) -> Engine:
    if not url.startswith("sqlite"):
        return create_engine(url, pool_pre_ping=True)
    engine = create_engine(url, connect_args={"timeout": busy_ms / 1000})
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)
    return engine


def _on_connect(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    """Take transactions out of the driver's hands: it would begin them late, and without the write lock."""
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys=ON")


def _on_begin(connection: Connection) -> None:
    statement = connection.get_execution_options().get(_BEGIN)
    if statement:
        connection.exec_driver_sql(statement)


def _meaning(fault: DBAPIError, where: str) -> EchoError | None:
    """Translate a database error; None when it is a bug of ours."""
    name = str(getattr(fault.orig, "sqlite_errorname", ""))
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return RepositoryBusy("The library is being written by another program.", "Try again in a moment.")
    if name.startswith("SQLITE_FULL"):
        return RepositoryFull(f"The disk that holds {where} is full.", "Free some space and try again.")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return RepositoryError(
            f"{where} is damaged.", "Put a backup in its place; the pictures beside it are unharmed."
        )
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_IOERR", "SQLITE_AUTH")):
        return RepositoryError(f"{where} cannot be opened or written: {fault.orig}.", "Check the folder's permissions.")
    if not name and isinstance(fault, OperationalError):
        return RepositoryError(f"The database {where} cannot be used: {fault.orig}.")
    return None
