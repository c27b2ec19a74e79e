"""Verify finds and names every damage, and finds none in a sound library."""

from __future__ import annotations

import numpy as np
import pytest

from echostudio import codec
from echostudio.episode.lifecycle import LifecycleState
from echostudio.errors import RepositoryError
from echostudio.repository import Repository


@pytest.fixture
def memory(library: Repository, make_memory, make_report, source):
    stored = library.add(make_memory(), source, "ann", "why")
    library.add_replay(make_report(stored.id, "r1"))
    assert library.verify() == []
    return stored


def harm(library: Repository, *statements: str) -> None:
    with library._database._engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
        for statement in statements:
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql("PRAGMA foreign_keys=ON")


def test_a_missing_picture_is_named(library, memory) -> None:
    name = memory.program[0].before.digest
    library.blobs.path(name).unlink()
    assert library.verify() == [f"The picture {name[:12]} is missing."]


def test_a_picture_of_something_else_is_named(library, memory) -> None:
    name = memory.program[0].before.digest
    path = library.blobs.path(name)
    path.write_bytes(codec.encode_png(np.zeros((20, 32, 3), np.uint8)))
    (damage,) = library.verify()
    assert damage.startswith(f"The picture {name[:12]} does not show what was stored")


def test_a_torn_picture_is_named(library, memory) -> None:
    name = memory.program[0].before.digest
    path = library.blobs.path(name)
    path.write_bytes(path.read_bytes()[:20])
    (damage,) = library.verify()
    assert damage.startswith(f"The picture {name[:12]} cannot be read")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM memory_revision", "has lost its revision 1"),
        ("DELETE FROM memory", "refers to a row of memory"),
        ("DELETE FROM path WHERE position = 1", "cannot be read: a row is missing"),
        ("DELETE FROM action_node", "refers to a row of action_node"),
        ("DELETE FROM evidence", "its content was changed afterwards"),
        ("DELETE FROM blob WHERE rowid = 1", "has lost its reference to the picture"),
        ("UPDATE memory_revision SET intent = 'Other'", "its content was changed afterwards"),
        ("UPDATE memory_revision SET body = '{'", "cannot be read: a row is missing or does not fit"),
        ("UPDATE memory_revision SET state = 'active'", "disagrees with its revisions about which one is active"),
        ("UPDATE memory_revision SET state = 'quarantined'", "is quarantined, but its events say otherwise"),
        ("UPDATE memory SET active_revision = 1", "disagrees with its revisions about which one is active"),
        ("UPDATE memory SET latest_revision = 2", "has lost its revision 2"),
        ("UPDATE action_node SET parameters = '{}' WHERE kind = 'type'", "is not what was stored"),
        ("UPDATE action_node SET parameters = '[' WHERE kind = 'type'", "cannot be read"),
        ("UPDATE replay_step SET body = 'x'", "The report of replay r1 is damaged"),
        ("UPDATE blob SET digest = 'zz' WHERE rowid = 1", "'zz' is not a picture's address"),
    ],
)
def test_each_damaged_row_is_named(library, memory, statement: str, words: str) -> None:
    harm(library, statement)
    assert any(words in damage for damage in library.verify())


def test_a_damaged_revision_is_an_error_with_its_name_and_spares_the_rest(library, memory, make_memory, source) -> None:
    other = library.add(make_memory(memory_id="other-aaaa", seed=20), source, "ann", "why")
    harm(library, f"UPDATE memory_revision SET body = '{{' WHERE memory_id = '{memory.id}'")
    with pytest.raises(RepositoryError, match=f"Revision 1 of {memory.id} is damaged"):
        library.get(memory.id)
    assert library.get(other.id) == other
    assert len(library.rows()) == 2


def test_a_sound_life_shows_no_damage(library, memory) -> None:
    library.transition(memory.id, 1, LifecycleState.ACTIVE, "ann", "good")
    second = library.revise(memory, "ann", "again")
    library.transition(memory.id, second.revision, LifecycleState.ACTIVE, "ann", "better")
    library.transition(memory.id, second.revision, LifecycleState.QUARANTINED, "ann", "worse")
    assert library.verify() == []
