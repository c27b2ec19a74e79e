"""Light rows, replays and their counts, and noticing changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from echostudio.episode.field import Binding, Field, FieldKind
from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.verdict import Outcome
from echostudio.errors import RepositoryError, UnknownMemory, UnknownRun
from echostudio.repository import Repository


def test_a_row_tells_what_a_list_needs(library: Repository, make_memory, source) -> None:
    secret = Field("pin", (Binding(0, "target.text"),), FieldKind.SECRET, recorded="1234")
    memory = make_memory()
    memory = library.add(
        replace(memory, phrases=("keep notes",), fields=(*memory.fields, secret)), source, "ann", "why"
    )
    (row,) = library.rows()
    assert (row.id, row.revision, row.intent, row.app) == (memory.id, 1, memory.intent, "mousepad")
    assert (row.state, row.steps, row.checks) == (LifecycleState.CANDIDATE, 2, 1)
    assert (row.fields, row.phrases) == (("file_name", "pin"), ("keep notes",))
    assert row.recorded_values == ("notes.txt",)
    assert (row.replays, row.refused, row.verified) == (0, 0, 0)
    assert memory.program[0].after is not None
    assert row.thumbnail == memory.program[0].after.digest
    assert row.created == memory.created <= row.updated


def test_rows_show_what_is_in_use_and_filters_find_waiting_candidates(library, make_memory, source) -> None:
    first = library.add(make_memory(memory_id="one-aaaa"), source, "ann", "why")
    library.add(make_memory(intent="Other", memory_id="two-bbbb", seed=9), source, "ann", "why")
    library.transition(first.id, 1, LifecycleState.ACTIVE, "ann", "good")
    library.revise(replace(first, intent="Newer"), "ann", "better")
    assert [(row.id, row.revision, row.state) for row in library.rows()] == [
        ("one-aaaa", 1, LifecycleState.ACTIVE),
        ("two-bbbb", 1, LifecycleState.CANDIDATE),
    ]
    candidates = {(row.id, row.revision) for row in library.rows(LifecycleState.CANDIDATE)}
    assert candidates == {("one-aaaa", 2), ("two-bbbb", 1)}
    assert [row.revision for row in library.rows(LifecycleState.ACTIVE)] == [1]
    assert library.rows(LifecycleState.QUARANTINED) == []


def test_the_most_recently_changed_memory_comes_first(library, make_memory, source) -> None:
    for name in ("one-aaaa", "two-bbbb", "three-cccc"):
        library.add(make_memory(memory_id=name), source, "ann", "why")
    with library._database.writing() as session:
        for at, name in ((3, "two-bbbb"), (2, "three-cccc"), (1, "one-aaaa")):
            session.connection().exec_driver_sql(f"UPDATE memory SET updated = '{at}' WHERE id = '{name}'")
    assert [row.id for row in library.rows()] == ["two-bbbb", "three-cccc", "one-aaaa"]


def test_replays_come_back_and_are_counted(library, make_memory, make_report, source) -> None:
    memory = library.add(make_memory(), source, "ann", "why")
    reports = [
        make_report(memory.id, "r1"),
        make_report(memory.id, "r2", Outcome.REFUSED),
        make_report(memory.id, "r3", Outcome.BROKEN),
        make_report(memory.id, "r4", Outcome.REFUSED, dry_run=True),
    ]
    for one in reports:
        library.add_replay(one)
    assert library.replays("save") == list(reversed(reports))
    assert library.replay("r2") == reports[1]
    (row,) = library.rows()
    assert (row.replays, row.refused, row.verified) == (3, 1, 1)


def test_a_resumed_run_answers_with_its_newest_report(library, make_memory, make_report, source) -> None:
    memory = library.add(make_memory(), source, "ann", "why")
    library.add_replay(make_report(memory.id, "r1", Outcome.STOPPED))
    library.add_replay(make_report(memory.id, "r1", Outcome.VERIFIED))
    assert library.replay("r1").outcome is Outcome.VERIFIED
    assert len(library.replays(memory.id)) == 2


def test_replays_of_unknown_things_are_refused(library, make_memory, make_report, source) -> None:
    with pytest.raises(UnknownMemory):
        library.add_replay(make_report("nobody-aaaa", "r1"))
    memory = library.add(make_memory(), source, "ann", "why")
    with pytest.raises(RepositoryError, match="no revision 9"):
        library.add_replay(replace(make_report(memory.id, "r1"), revision=9))
    with pytest.raises(UnknownRun):
        library.replay("r1")
    assert library.replays(memory.id) == []


def test_the_data_version_grows_with_every_change_and_only_then(library, library_folder, make_memory, source) -> None:
    other = Repository.open(library_folder)
    try:
        start = library.data_version()
        assert library.data_version() == start
        library.rows()
        assert library.data_version() == start
        memory = library.add(make_memory(), source, "ann", "why")
        own = library.data_version()
        assert own > start
        other.transition(memory.id, 1, LifecycleState.ACTIVE, "bob", "good")
        foreign = library.data_version()
        assert foreign > own
        other.save_overrides("run-1", {"1": "keep"})
        assert library.data_version() > foreign
    finally:
        other.close()
