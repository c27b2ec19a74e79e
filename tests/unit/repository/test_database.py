"""The database as such: migrations, locks, full disks, damaged files, several processes."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, MetaData
from sqlalchemy.engine import Engine
from sqlmodel import SQLModel

from echostudio.errors import RepositoryBusy, RepositoryError, RepositoryFull
from echostudio.repository import Repository, schema_v1
from echostudio.repository.database import Database, sqlite_url
from echostudio.repository.migrations import MIGRATIONS, Migration, migrate, pending
from echostudio.repository.tables import Row

FILE = "library.sqlite"


def shape(metadata: MetaData) -> dict[str, object]:
    return {
        name: (
            {c.name: (str(c.type).split("(")[0], c.nullable, c.primary_key) for c in table.columns},
            sorted(sorted(c.name for c in index.columns) for index in table.indexes),
            sorted(str(sorted(key.target_fullname for key in fk.elements)) for fk in table.foreign_key_constraints),
        )
        for name, table in metadata.tables.items()
    }


def test_the_models_and_the_migrated_schema_are_one() -> None:
    models = shape(Row.metadata)
    del models["schema_version"]
    assert models == shape(schema_v1.TABLES)
    assert Row.metadata is not SQLModel.metadata


def test_a_fresh_library_records_its_migrations_once(library: Repository, library_folder: Path) -> None:
    library.close()
    Repository.open(library_folder).close()
    database = Database(sqlite_url(library_folder / FILE), "here")
    with database.reading() as session:
        rows = session.connection().exec_driver_sql("SELECT version, name, applied_at FROM schema_version").all()
        assert pending(session.connection()) == ()
    database.close()
    assert [(row[0], row[1]) for row in rows] == [(1, "first tables")]
    assert rows[0][2].endswith("Z")


def test_an_old_library_is_brought_up_step_by_step(library, library_folder: Path, make_memory, source) -> None:
    stored = library.add(make_memory(), source, "ann", "why")
    library.close()

    def remark(connection: Connection) -> None:
        connection.exec_driver_sql("ALTER TABLE memory ADD COLUMN remark VARCHAR DEFAULT 'new'")

    def fail(connection: Connection) -> None:
        connection.exec_driver_sql("ALTER TABLE memory ADD COLUMN half VARCHAR")
        raise RuntimeError("power cut")

    database = Database(sqlite_url(library_folder / FILE), "here")
    try:
        with pytest.raises(RuntimeError):
            migrate(database, (*MIGRATIONS, Migration(2, "remark", remark), Migration(3, "half", fail)))
        with database.reading() as session:
            columns = [row[1] for row in session.connection().exec_driver_sql("PRAGMA table_info(memory)")]
            reached = session.connection().exec_driver_sql("SELECT MAX(version) FROM schema_version").scalar_one()
            intent = session.connection().exec_driver_sql("SELECT intent FROM memory_revision").scalar_one()
    finally:
        database.close()
    assert "remark" in columns
    assert "half" not in columns
    assert (reached, intent) == (2, stored.intent)


def test_a_newer_library_is_refused_in_a_sentence(library, library_folder: Path) -> None:
    with library._database.writing() as session:
        session.connection().exec_driver_sql("INSERT INTO schema_version VALUES (99, 'later', 'then')")
    library.close()
    with pytest.raises(RepositoryError, match="version 99; this EchoStudio knows versions up to 1") as newer:
        Repository.open(library_folder)
    assert "newer EchoStudio" in newer.value.hint


@pytest.mark.parametrize(
    "content", [b"this is no database, but some text\n" * 40, b"SQLite format 3\0" + b"\xff" * 4000]
)
def test_a_file_that_is_no_library_is_named(library_folder: Path, content: bytes) -> None:
    library_folder.mkdir()
    (library_folder / FILE).write_bytes(content)
    with pytest.raises(RepositoryError, match=r"library\.sqlite is damaged"):
        Repository.open(library_folder)
    assert (library_folder / FILE).read_bytes() == content


def test_a_torn_library_is_told_and_never_crashes(library, library_folder: Path, make_memory, source) -> None:
    for number in range(12):
        library.add(make_memory(memory_id=f"memory-{number}-aaaa", intent=f"Intent {number}"), source, "ann", "why")
    library.close()
    file = library_folder / FILE
    whole = file.read_bytes()
    told = 0
    for part in (0.2, 0.5, 0.9):
        file.write_bytes(whole[: int(len(whole) * part)])
        try:
            torn = Repository.open(library_folder)
        except RepositoryError as fault:
            told += "library.sqlite" in fault.sentence
            continue
        told += bool(torn.verify())
        torn.close()
    assert told == 3


def test_an_emptied_library_is_not_taken_for_a_new_one(library, library_folder: Path, make_memory, source) -> None:
    library.add(make_memory(), source, "ann", "why")
    library.close()
    for leftover in library_folder.glob(f"{FILE}*"):
        leftover.unlink()
    (library_folder / FILE).touch()
    with pytest.raises(RepositoryError, match="is empty although its pictures are there"):
        Repository.open(library_folder)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RepositoryError, match="cannot be made"):
        Repository.open(tmp_path / "file" / "library")


def test_a_lock_that_stays_is_told_and_then_works(library, library_folder: Path, make_memory, source) -> None:
    library.close()
    library = Repository.open(library_folder, busy_ms=50)
    other = Database(sqlite_url(library_folder / FILE), "there")
    try:
        with other.writing():
            assert library.rows() == []  # reading goes on beside a writer
            with pytest.raises(RepositoryBusy):
                library.add(make_memory(), source, "ann", "why")
        assert library.add(make_memory(), source, "ann", "why").revision == 1
        assert len(library.rows()) == 1
    finally:
        other.close()
        library.close()


def test_a_full_disk_is_told_and_leaves_nothing_half(library, make_memory, source) -> None:
    engine: Engine = library._database._engine
    with engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    limit = f"PRAGMA max_page_count={pages}"
    with engine.connect() as first:
        first.exec_driver_sql(limit)  # the pool hands this very connection out again

    def fill() -> None:
        for number in range(50):
            library.add(make_memory(memory_id=f"memory-{number}-aaaa"), source, "ann", "why")

    with pytest.raises(RepositoryFull, match="is full"):
        fill()
    count = len(library.rows())
    assert count < 50
    assert library.verify() == []
    with engine.connect() as first:
        first.exec_driver_sql("PRAGMA max_page_count=100000")
    library.add(make_memory(memory_id="later-aaaa"), source, "ann", "space again")
    assert len(library.rows()) == count + 1


def test_threads_share_one_repository(library, make_memory, source) -> None:
    memory = library.add(make_memory(), source, "ann", "why")

    def revise() -> int:
        for _ in range(5):
            library.revise(memory, "ann", "again")
        return len(library.rows())

    with ThreadPoolExecutor(3) as pool:
        assert [job.result() for job in [pool.submit(revise) for _ in range(3)]] == [1, 1, 1]
    assert [one.revision for one in library.revisions(memory.id)] == list(range(1, 17))


WRITER = """
import sys
from pathlib import Path
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.memory import AppIdentity, Memory, MemoryStep, Preconditions, Reasoning
from echostudio.repository import Repository
name, count = sys.argv[2], int(sys.argv[3])
sys.stdin.readline()
library = Repository.open(Path(sys.argv[1]))
for number in range(count):
    step = MemoryStep(0, 0, Action(ActionKind.TYPE, {"text": f"{name} {number}"}), "Type")
    app = AppIdentity("p", "c")
    memory = Memory("shared-aaaa", 1, f"{name} {number}", app, Preconditions(), (step,), Reasoning(True))
    stored = library.add(memory, None, name, "why")
    library.revise(stored, name, "again")
    library.save_overrides(f"{name}-{number}", {"0": "keep"})
library.close()
"""


def test_two_processes_that_begin_and_write_at_once_lose_nothing(library_folder: Path) -> None:
    count = 4
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(library_folder), name, str(count)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("ann", "bob")
    ]
    assert all(writer.stdin is not None for writer in writers)
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    errors = [writer.communicate(timeout=60)[1] for writer in writers]
    assert errors == ["", ""]
    library = Repository.open(library_folder)
    try:
        rows = library.rows()
        assert sorted(row.intent for row in rows) == sorted(
            f"{name} {number}" for name in ("ann", "bob") for number in range(count)
        )
        assert all(len(library.revisions(row.id)) == 2 for row in rows)
        assert all(library.overrides(f"{name}-{count - 1}") == {"0": "keep"} for name in ("ann", "bob"))
        assert library.verify() == []
    finally:
        library.close()


def test_a_killed_writer_leaves_a_sound_library(library_folder: Path) -> None:
    Repository.open(library_folder).close()
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(library_folder), "ann", "100000"], stdin=subprocess.PIPE, text=True
    )
    library = Repository.open(library_folder)
    try:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
        start = library.data_version()
        while library.data_version() < start + 5:
            assert writer.poll() is None
        writer.kill()
        writer.wait(timeout=20)
        rows = library.rows()
        assert rows
        assert library.verify() == []
        assert library.revise(library.get(rows[0].id), "bob", "after the kill").revision in (2, 3)
    finally:
        writer.kill()
        writer.stdin.close() if writer.stdin else None
        writer.wait(timeout=20)
        library.close()
