"""Adding, revising, reading and naming memories."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echostudio.blobs import BlobStore, MissingPicture
from echostudio.episode import wire
from echostudio.episode.check import Check, CheckResult
from echostudio.episode.field import Binding, Field, FieldKind
from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import Memory, Validation
from echostudio.errors import RepositoryError, UnknownMemory, UsageError
from echostudio.repository import Repository, pictures_of


def test_an_added_memory_comes_back_as_it_was(library: Repository, make_memory, source: BlobStore) -> None:
    memory = replace(make_memory(), phrases=("keep my notes",), checks=_nested_checks())
    stored = library.add(memory, source, "ann", "first demonstration")
    assert stored == replace(memory, created=stored.created)
    assert stored.created.endswith("Z")
    assert library.get(stored.id) == stored


def _nested_checks() -> tuple[Check, ...]:
    inner = Check("not", parts=(Check("file_absent", {"path": "{file_name}"}),))
    return (Check("all", parts=(Check("file_exists", {"path": "{file_name}"}), inner)),)


def test_adding_makes_a_candidate_whatever_the_value_says(library, make_memory, source) -> None:
    stored = library.add(replace(make_memory(), revision=7, state=LifecycleState.ACTIVE), source, "ann", "why")
    assert (stored.revision, stored.state) == (1, LifecycleState.CANDIDATE)
    assert library.get(stored.id).state is LifecycleState.CANDIDATE


def test_every_picture_is_copied_with_its_thumbnail(library, make_memory, source) -> None:
    memory = library.add(make_memory(), source, "ann", "why")
    assert len(pictures_of(memory)) == 3
    assert set(library.blobs.names()) == pictures_of(memory)
    assert all(library.blobs.thumbnail_path(name) for name in pictures_of(memory))


def test_pictures_of_finds_every_reference_in_the_value(make_memory) -> None:
    memory = make_memory()
    text = wire.to_text(memory)
    assert all(name in text for name in pictures_of(memory))
    assert text.count('"digest"') == sum(
        (step.before is not None) + (step.after is not None) + sum(len(t.crops) for t in step.targets.values())
        for step in memory.program
    )


def test_a_missing_picture_leaves_no_memory_behind(library, make_memory, source) -> None:
    memory = make_memory()
    lost = next(iter(pictures_of(memory)))
    path = source.path(lost)
    assert path is not None
    path.unlink()
    with pytest.raises(MissingPicture):
        library.add(memory, source, "ann", "why")
    assert library.rows() == []


def test_without_a_source_the_pictures_must_be_in_the_library(library, make_memory, source) -> None:
    memory = make_memory()
    with pytest.raises(MissingPicture):
        library.add(memory, None, "ann", "why")
    library.add(memory, source, "ann", "why")
    again = library.add(memory, None, "ann", "again")
    assert again.id != memory.id


def test_a_crash_before_the_transaction_leaves_only_unreferenced_pictures(
    library, make_memory, source, monkeypatch
) -> None:
    memory = make_memory()

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("echostudio.repository.records.write_revision", crash)
    with pytest.raises(KeyboardInterrupt):
        library.add(memory, source, "ann", "why")
    assert set(library.blobs.names()) == pictures_of(memory)
    assert library.rows() == []
    assert library.verify() == []


def test_a_taken_id_gets_another_last_part(library, make_memory, source) -> None:
    first = library.add(make_memory(), source, "ann", "why")
    second = library.add(make_memory(), source, "ann", "why")
    assert first.id == "save-two-lines-x7k2"
    assert second.id != first.id
    assert second.id.startswith("save-two-lines-")
    assert library.get(second.id).intent == first.intent


@pytest.mark.parametrize(("who", "reason"), [("ann", ""), ("ann", "  \n"), ("", "why")])
def test_a_change_needs_who_and_why(library, make_memory, source, who: str, reason: str) -> None:
    with pytest.raises(UsageError):
        library.add(make_memory(), source, who, reason)
    assert library.rows() == []


def test_revising_keeps_the_old_revision_untouched(library, make_memory, source) -> None:
    first = library.add(make_memory(), source, "ann", "why")
    second = library.revise(replace(first, intent="Save my lines"), "bob", "renamed")
    third = library.revise(replace(second, phrases=("write down",)), "bob", "phrase")
    assert [memory.revision for memory in library.revisions(first.id)] == [1, 2, 3]
    assert library.get(first.id, 1) == first
    assert library.get(first.id) == third
    assert third.state is LifecycleState.CANDIDATE


def test_revising_from_an_old_revision_still_makes_the_next_number(library, make_memory, source) -> None:
    first = library.add(make_memory(), source, "ann", "why")
    library.revise(replace(first, intent="Two"), "ann", "why")
    third = library.revise(replace(first, intent="Three"), "ann", "back to the first")
    assert third.revision == 3
    assert library.get(first.id, 2).intent == "Two"
    assert library.events(first.id)[-1].evidence == {"from_revision": "1"}


def test_revising_brings_new_pictures_along(library, make_memory, source, tmp_path: Path) -> None:
    first = library.add(make_memory(), source, "ann", "why")
    repaired = replace(first, program=make_memory(seed=50).program)
    with pytest.raises(MissingPicture):
        library.revise(repaired, "ann", "repair")
    library.revise(repaired, "ann", "repair", pictures=source)
    assert pictures_of(repaired) <= set(library.blobs.names())


def test_results_of_other_checks_do_not_outlive_a_revision(library, make_memory, source) -> None:
    first = library.add(make_memory(), source, "ann", "why")
    passed = Validation("2026-01-01T00:00:00Z", (CheckResult("file_exists", True, "a", "a"),))
    validated = library.set_validation(first.id, 1, passed)
    renamed = library.revise(replace(validated, intent="Other words"), "ann", "rename")
    assert renamed.validation == passed
    other = replace(renamed, checks=(Check("file_exists", {"path": "elsewhere.txt"}),))
    assert library.revise(other, "ann", "check").validation == Validation()
    moved = (Field("file_name", (Binding(1, "text"),), FieldKind.PATH, recorded="other.txt"),)
    assert library.revise(replace(renamed, fields=moved), "ann", "field").validation == Validation()


def test_names_a_memory_by_id_prefix_intent_or_phrase(library, make_memory, source) -> None:
    memory = replace(make_memory(), phrases=("Notizen  sichern",))
    library.add(memory, source, "ann", "why")
    for ref in (
        "save-two-lines-x7k2",
        "save",
        "SAVE two  lines as notes",
        "ｓave two lines as notes",
        "notizen sichern",
    ):
        assert library.resolve_id(ref) == memory.id
    for ref in ("sav", "two lines", "", "   ", "%ave", "save_two"):
        with pytest.raises(UnknownMemory):
            library.resolve_id(ref)


def test_an_old_intent_no_longer_names_the_memory(library, make_memory, source) -> None:
    first = library.add(make_memory(), source, "ann", "why")
    library.revise(replace(first, intent="Write a letter"), "ann", "rename")
    assert library.resolve_id("write a letter") == first.id
    with pytest.raises(UnknownMemory):
        library.resolve_id("Save two lines as notes")


def test_a_promoted_intent_names_the_memory_beside_the_newer_candidate(library, make_memory, source) -> None:
    first = library.add(make_memory(), source, "ann", "why")
    library.transition(first.id, 1, LifecycleState.ACTIVE, "ann", "good")
    library.revise(replace(first, intent="Write a letter"), "ann", "rename")
    assert library.resolve_id("Save two lines as notes") == library.resolve_id("Write a letter") == first.id


def test_several_meant_memories_are_listed(library, make_memory, source) -> None:
    library.add(make_memory(memory_id="save-a-aaaa"), source, "ann", "why")
    library.add(make_memory(memory_id="save-b-bbbb"), source, "ann", "why")
    for ref in ("save", "Save two lines as notes"):
        with pytest.raises(UsageError, match="save-a-aaaa, save-b-bbbb"):
            library.resolve_id(ref)
    assert library.resolve_id("save-a") == "save-a-aaaa"


def test_an_unknown_memory_names_the_nearest(library, make_memory, source) -> None:
    with pytest.raises(UnknownMemory) as empty:
        library.get("anything")
    assert empty.value.hint == "The library is empty."
    library.add(make_memory(), source, "ann", "why")
    with pytest.raises(UnknownMemory) as near:
        library.get("Save to lines as note")
    assert "Save two lines as notes" in near.value.hint
    with pytest.raises(UnknownMemory) as far:
        library.get("qqqqqqqq")
    assert "memory list" in far.value.hint


def test_an_unknown_revision_is_told(library, make_memory, source) -> None:
    library.add(make_memory(), source, "ann", "why")
    with pytest.raises(RepositoryError, match="no revision 4"):
        library.get("save", 4)


def test_equal_actions_share_one_node(library, make_memory, source) -> None:
    library.add(make_memory(memory_id="one-aaaa", seed=1), source, "ann", "why")
    library.add(make_memory(memory_id="two-bbbb", seed=9), source, "ann", "why")
    with library._database.reading() as session:
        count = session.connection().exec_driver_sql("SELECT COUNT(*) FROM action_node").scalar_one()
        paths = session.connection().exec_driver_sql("SELECT COUNT(*) FROM path").scalar_one()
    assert (count, paths) == (2, 4)


def test_overrides_remember_the_newest_decision(library) -> None:
    assert library.overrides("run-1") == {}
    library.save_overrides("run-1", {"3": "keep"})
    library.save_overrides("run-1", {"3": "drop", "4": "keep"})
    library.save_overrides("run-2", {})
    assert library.overrides("run-1") == {"3": "drop", "4": "keep"}
    assert library.overrides("run-2") == {}


def test_everything_is_there_after_reopening(library, library_folder: Path, make_memory, source) -> None:
    stored = library.add(make_memory(), source, "ann", "why")
    library.close()
    again = Repository.open(library_folder)
    try:
        assert again.get("save") == stored
        assert again.verify() == []
    finally:
        again.close()


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(intent=WORDS, text=WORDS, phrase=WORDS, name=WORDS, seconds=st.floats(0, 1e6))
def test_any_words_round_trip(library, make_memory, source, intent, text, phrase, name, seconds) -> None:
    memory: Memory = make_memory(intent=intent)
    typed = replace(memory.program[1], action=memory.program[1].action.with_parameter("text", text), seconds=seconds)
    fields = (replace(memory.fields[0], name=name, recorded=text),)
    memory = replace(memory, phrases=(phrase,), program=(memory.program[0], typed), fields=fields)
    stored = library.add(memory, source, "ann", "why")
    assert library.get(stored.id) == stored
    assert replace(stored, id=memory.id, created="") == memory
