"""The Library's state: search, filter, order, counts; and the evidence beside the promote button."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from echostudio.blobs import BlobStore
from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import MemoryRow, Validation
from echostudio.studio.library.state import LibraryState, findings, may_become, weakest_margin
from tests.studio.samples import Sample


def row(ref: str, intent: str, state: LifecycleState = LifecycleState.ACTIVE, **more: object) -> MemoryRow:
    base = MemoryRow(ref, 1, intent, "mousepad", state, 5, (), 1, "2026-01-01", f"2026-01-0{ref}", 0, 0, 0, None)
    return replace(base, **more)  # type: ignore[arg-type]


@pytest.fixture
def state() -> LibraryState:
    rows = [
        row("1", "Save a report", replays=10, refused=1, phrases=("store the report",)),
        row("2", "Export an invoice", LifecycleState.CANDIDATE, replays=2, refused=2, recorded_values=("may.pdf",)),
        row("3", "Change the theme", LifecycleState.QUARANTINED, app="gimp"),
    ]
    return LibraryState().with_rows(rows)


def ids(state: LibraryState) -> list[str]:
    return [one.id for one in state.visible]


def test_the_newest_come_first(state: LibraryState) -> None:
    assert ids(state) == ["3", "2", "1"]


@pytest.mark.parametrize(
    ("query", "found"),
    [("REPORT", ["1"]), ("store", ["1"]), ("gimp", ["3"]), ("may.pdf", ["2"]), ("an inv", ["2"]), ("nothing such", [])],
)
def test_search_looks_at_intent_phrases_program_and_values(state: LibraryState, query: str, found: list[str]) -> None:
    assert ids(state.with_query(query)) == found


def test_the_repositorys_answer_adds_to_the_search_while_it_is_still_the_question(state: LibraryState) -> None:
    asked = state.with_query("click save")
    assert ids(asked) == []
    answered = asked.with_found("click save", [state.rows[0]])
    assert ids(answered) == ["1"]
    assert ids(answered.with_query("click").with_found("click save", [state.rows[0]])) == []


def test_filter_and_counts(state: LibraryState) -> None:
    assert ids(state.with_only(LifecycleState.CANDIDATE)) == ["2"]
    assert state.with_only(LifecycleState.CANDIDATE).counts[LifecycleState.ACTIVE] == 1
    assert state.with_query("report").counts[LifecycleState.QUARANTINED] == 0


def test_order_by_column_turns_round(state: LibraryState) -> None:
    by_name = state.sorted_by("intent")
    assert ids(by_name) == ["3", "2", "1"]
    assert ids(by_name.sorted_by("intent")) == ["1", "2", "3"]
    assert ids(state.sorted_by("refused"))[0] == "2"


def test_ten_thousand_rows_are_searched_within_a_key_stroke(state: LibraryState) -> None:
    many = state.with_rows([row("1", f"Save report number {n}") for n in range(10_000)])
    began = time.perf_counter()
    assert len(many.with_query("number 99").visible) > 0
    assert time.perf_counter() - began < 1.0


def test_findings_name_every_blocker_and_the_evidence(tmp_path: Path) -> None:
    memory = Sample(BlobStore(tmp_path)).memory()
    sentences = [finding.sentence for finding in findings(memory, ())]
    assert "5 of 6 steps kept" in sentences
    assert "2 checks passed on the demonstration" in sentences
    assert any("0.041" in sentence for sentence in sentences)
    blocked = findings(replace(memory, validation=Validation()), ("No check was run.",))
    assert blocked[0].sentence == "No check was run."
    assert not any("passed" in finding.sentence for finding in blocked)


def test_a_weak_target_outweighs_a_smaller_good_margin(tmp_path: Path) -> None:
    sample = Sample(BlobStore(tmp_path))
    memory = sample.memory()
    weak = replace(memory.program[1], targets={"target": sample.target(1, sample.spots[0], "File", 0.011)})
    changed = replace(memory, program=(memory.program[0], weak, *memory.program[2:]))
    assert weakest_margin(changed) == (pytest.approx(0.011), False, 1)


def test_the_lifecycle_decides_what_a_memory_may_become() -> None:
    assert may_become(LifecycleState.CANDIDATE, LifecycleState.ACTIVE)
    assert not may_become(LifecycleState.DEPRECATED, LifecycleState.ACTIVE)
