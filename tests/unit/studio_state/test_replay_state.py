"""The Replay page's state: the same from live events and from the finished report; early judgement of values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from echostudio.blobs import BlobStore
from echostudio.episode.field import Binding, Field, FieldKind
from echostudio.episode.happening import (
    ChecksJudged,
    GateJudged,
    ReplayFinished,
    ReplayPaused,
    ReplayResumed,
    ReplayStepFinished,
    ReplayStepStarted,
    TargetMatched,
)
from echostudio.episode.memory import Memory
from echostudio.episode.report import ReplayReport
from echostudio.episode.verdict import Outcome, Verdict
from echostudio.studio.replay.state import ReplayState, compared, figure, of_report, planned, value_problem
from tests.studio.samples import Sample, gates, refused_report, verified_report


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    return Sample(BlobStore(tmp_path / "blobs"))


@pytest.fixture
def memory(sample: Sample) -> Memory:
    return sample.memory()


def followed(report: ReplayReport, memory: Memory) -> ReplayState:
    """Follow a replay's events up to just before its end."""
    state = planned(memory).begun(dry_run=report.dry_run, changed=report.changed)
    for verdict in report.gates:
        state = state.apply(GateJudged(memory.id, verdict))
    for step in report.steps:
        state = state.apply(ReplayStepStarted(memory.id, step.index, step.words, "the target"))
        for role, result in step.reaim.items():
            picture = step.before.digest if step.before else None
            state = state.apply(TargetMatched(memory.id, step.index, role, result, picture))
        state = state.apply(ReplayStepFinished(memory.id, step))
    return state.apply(ChecksJudged(memory.id, report.checks)) if report.checks else state


@pytest.mark.parametrize("make", [refused_report, verified_report])
def test_live_events_and_the_report_give_the_same_state(make: object, sample: Sample, memory: Memory) -> None:
    report = make(memory, sample.refs, sample.spots)  # type: ignore[operator]
    live, after = followed(report, memory), of_report(report, memory)
    assert (live.gates, live.steps, live.checks, live.changed) == (
        after.gates,
        after.steps,
        after.checks,
        after.changed,
    )
    assert live.apply(ReplayFinished(report)) == after


def test_before_its_end_a_replay_has_no_outcome(sample: Sample, memory: Memory) -> None:
    live = followed(refused_report(memory, sample.refs, sample.spots), memory)
    assert live.running
    assert live.outcome is None


def test_gates_stand_in_their_order_whichever_came_first(memory: Memory) -> None:
    state = planned(memory).begun(dry_run=True, changed={})
    for verdict in reversed(gates()):
        state = state.apply(GateJudged(memory.id, verdict))
    assert state.gates == gates()
    again = replace(gates()[2], verdict=Verdict.REFUSED)
    assert state.apply(GateJudged(memory.id, again)).gates[2].verdict == Verdict.REFUSED
    assert state.passed_gates == 9


def test_events_of_another_memory_or_before_the_start_change_nothing(memory: Memory) -> None:
    idle = planned(memory)
    assert idle.apply(GateJudged(memory.id, gates()[0])) is idle
    running = idle.begun(dry_run=False, changed={})
    assert running.apply(GateJudged("m-other", gates()[0])) is running


def test_pause_and_resume(memory: Memory) -> None:
    state = planned(memory).begun(dry_run=False, changed={})
    paused = state.apply(ReplayPaused(memory.id, 2, "A breakpoint."))
    assert (paused.paused, paused.current) == ("A breakpoint.", 2)
    assert paused.apply(ReplayResumed(memory.id)).paused is None


def test_steps_that_were_not_reached_stay_pending(sample: Sample, memory: Memory) -> None:
    report = refused_report(memory, sample.refs, sample.spots)
    early = replace(report, steps=report.steps[:2], refusal=replace(report.refusal, step=1) if report.refusal else None)
    state = of_report(early, memory)
    assert [step.status for step in state.steps] == ["done", "done", "pending", "pending", "pending"]
    assert state.refused_index == 1


def test_a_refused_step_shows_the_aim_that_failed(sample: Sample, memory: Memory) -> None:
    state = of_report(refused_report(memory, sample.refs, sample.spots), memory)
    aim = state.steps[4].aim
    assert aim is not None
    assert not aim.accepted
    assert aim.margin == pytest.approx(0.007)
    assert state.outcome == Outcome.REFUSED
    assert state.inputs_sent


def test_a_dry_run_never_says_that_input_was_sent(sample: Sample, memory: Memory) -> None:
    report = replace(verified_report(memory, sample.refs, sample.spots), dry_run=True)
    assert not of_report(report, memory).inputs_sent


@pytest.mark.parametrize(
    ("kind", "value", "good"),
    [
        (FieldKind.TEXT, "", True),
        (FieldKind.NUMBER, "12.5", True),
        (FieldKind.NUMBER, "twelve", False),
        (FieldKind.DATE, "2026-03-31", True),
        (FieldKind.DATE, "31.3.2026", False),
        (FieldKind.URL, "https://example.org/a", True),
        (FieldKind.URL, "example", False),
        (FieldKind.PATH, " ", False),
        (FieldKind.PATH, "a/b.txt", True),
        (FieldKind.SECRET, "", False),
        (FieldKind.SECRET, "open sesame", True),
    ],
)
def test_values_are_judged_by_kind(kind: FieldKind, value: str, good: bool) -> None:
    declared = Field("x", (Binding(0, "text"),), kind)
    assert (value_problem(declared, value) == "") is good


def test_values_are_judged_by_pattern_and_choices() -> None:
    patterned = Field("x", (), FieldKind.TEXT, r"\d+")
    assert value_problem(patterned, "12") == ""
    assert "pattern" in value_problem(patterned, "12a")
    chosen = Field("x", (), FieldKind.CHOICE, "", ("red", "blue"))
    assert value_problem(chosen, "red") == ""
    assert value_problem(chosen, "green") == "One of: red, blue."


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.1234567, "0.123"), (True, "yes"), (None, "–"), ("", "–"), ({"a": 1}, "a 1"), ([1, 2], "1, 2"), (3, "3")],
)
def test_figures_are_readable(value: object, words: str) -> None:
    assert figure(value) == words


def test_measured_and_needed_can_be_compared_at_a_glance() -> None:
    assert compared(0.91, 0.18) == ("0.91", "≥ 0.18")
    assert compared("active", "active") == ("active", "active")
    table = {"facts": True, "whole": 0.4, "tree": "complete"}
    assert compared(table, {"facts": True, "whole": 0.6}) == ("whole 0.4", "≥ 0.6")


def test_a_gates_refusal_stands_before_every_step(sample: Sample, memory: Memory) -> None:
    report = refused_report(memory, sample.refs, sample.spots)
    assert report.refusal is not None
    by_gate = replace(report, steps=(), refusal=replace(report.refusal, gate="state", step=0))
    state = of_report(by_gate, memory)
    assert state.refused_at_start
    assert not state.inputs_sent
    assert not of_report(report, memory).refused_at_start
