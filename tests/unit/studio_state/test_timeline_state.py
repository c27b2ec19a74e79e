"""The Timeline's state: the same from a folder and from live events; what a memory shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from echostudio.blobs import BlobStore
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.happening import RunFinished, RunStarted, StepRecorded
from echostudio.episode.run import Health, Run
from echostudio.episode.step import StepStatus
from echostudio.studio.timeline.state import (
    TimelineState,
    effect_sentences,
    flexible_paths,
    gaps,
    of_memory,
    of_run,
    suggested_name,
)
from tests.studio.samples import Sample


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    return Sample(BlobStore(tmp_path / "blobs"))


def followed(run: Run) -> TimelineState:
    """Follow a run's events as they come while it is recorded: a before line, then an after line, per step."""
    started = replace(run.manifest, ended=None, complete=False, health=Health())
    state = TimelineState().apply(RunStarted(started, "somewhere"))
    for step in run.steps:
        before = replace(step, status=StepStatus.UNFINISHED, ended=None, after=None, effect=None, screen_after=None)
        state = state.apply(StepRecorded(run.manifest.id, before))
        state = state.apply(StepRecorded(run.manifest.id, step))
    return state.apply(RunFinished(run.manifest.id, run.manifest.complete, run.manifest.health))


def test_live_events_and_the_folder_give_the_same_state(sample: Sample) -> None:
    run = sample.run()
    assert followed(run) == of_run(run)


def test_a_step_under_way_is_shown_unfinished_and_the_run_live(sample: Sample) -> None:
    run = sample.run()
    state = TimelineState().apply(RunStarted(replace(run.manifest, ended=None, complete=False), "x"))
    state = state.apply(StepRecorded(run.manifest.id, replace(run.steps[0], status=StepStatus.UNFINISHED)))
    assert state.run is not None
    assert state.run.live
    assert [step.status for step in state.steps] == [StepStatus.UNFINISHED]


def test_steps_of_another_run_change_nothing(sample: Sample) -> None:
    run = sample.run()
    state = of_run(run)
    assert state.apply(StepRecorded("another", replace(run.steps[0], words="Not ours"))) is state


def test_events_never_change_a_memory(sample: Sample) -> None:
    state, run = of_memory(sample.memory()), sample.run()
    assert state.apply(StepRecorded(run.manifest.id, run.steps[0])) is state


def test_dropped_steps_stand_where_they_happened_with_their_reason(sample: Sample) -> None:
    state = of_memory(sample.memory())
    assert [step.run_step for step in state.steps] == [0, 1, 2, 3, 4, 5]
    assert [step.dropped for step in state.steps] == [False, False, True, False, False, False]
    assert state.steps[2].reason == "no effect"
    assert (state.kept, len(state.steps)) == (5, 6)


def test_fields_are_shown_at_every_place_that_they_fill(sample: Sample) -> None:
    state = of_memory(sample.memory())
    assert state.steps[0].field_at("text") == "body"
    assert state.steps[4].field_at("text") == "file_name"
    assert state.steps[1].fields == ()


def test_gaps_come_from_pauses_in_a_memory_and_from_times_in_a_run(sample: Sample) -> None:
    assert gaps(of_memory(sample.memory()))[4] == pytest.approx(6.2)
    run = sample.run()
    found = gaps(of_run(run))
    assert found[0] == 0.0
    assert found[4] == pytest.approx(run.steps[4].started - (run.steps[3].ended or 0.0))


def test_the_smallest_margin_speaks_for_a_step(sample: Sample) -> None:
    state = of_memory(sample.memory())
    assert state.steps[1].margin == pytest.approx(0.214)
    assert state.steps[0].margin is None


def test_only_what_may_sensibly_change_gets_a_switch() -> None:
    assert flexible_paths(Action(ActionKind.TYPE, {"text": "x"})) == ("text",)
    assert flexible_paths(Action(ActionKind.CLICK, {"button": "left", "target.text": "Save"})) == ("target.text",)
    assert flexible_paths(Action(ActionKind.CLICK, {"button": "left", "target.text": ""})) == ()
    assert flexible_paths(Action(ActionKind.HOTKEY, {"keys": ["ctrl", "s"]})) == ()


def test_a_suggested_name_is_free_and_a_word(sample: Sample) -> None:
    step = of_memory(sample.memory()).steps[5]
    assert suggested_name(step, "target.text", ()) == "save"
    assert suggested_name(step, "target.text", ("save", "save_2")) == "save_3"


def test_a_step_without_effect_says_so(sample: Sample) -> None:
    step = of_memory(sample.memory()).steps[1]
    assert effect_sentences(replace(step, effect=None)) == ("What it did was not recorded.",)
    assert "pixels changed" in effect_sentences(step)[0]
