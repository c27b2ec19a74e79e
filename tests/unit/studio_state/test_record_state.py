"""The Record page's state: the same from live events and from the run folder; what each step and figure says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from echostudio.blobs import BlobStore
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.evidence import SelfTest
from echostudio.episode.happening import HealthChanged, RunFinished, RunStarted, StepRecorded
from echostudio.episode.run import Health, Run
from echostudio.episode.step import UNDONE, Step, StepStatus
from echostudio.studio.record.state import (
    Figure,
    Phase,
    RecordState,
    clock,
    figures,
    live_step,
    of_run,
    standing,
    summary,
)
from tests.studio.samples import Sample


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Sample(BlobStore(tmp_path)).run()


def followed(run: Run, steps: tuple[Step, ...] | None = None) -> RecordState:
    """Follow a recording's events up to just before its end; each step comes twice, as it does in life."""
    begun = replace(run.manifest, ended=None, complete=False, health=Health())
    state = RecordState(phase=Phase.STARTING).apply(RunStarted(begun, "x"))
    for step in run.steps if steps is None else steps:
        unfinished = replace(step, status=StepStatus.UNFINISHED, after=None, effect=None, ended=None)
        state = state.apply(StepRecorded(run.manifest.id, unfinished)).apply(StepRecorded(run.manifest.id, step))
    return state


def end(run: Run) -> RunFinished:
    return RunFinished(run.manifest.id, run.manifest.complete, run.manifest.health)


def by_name(state: RecordState) -> dict[str, Figure]:
    return {figure.name: figure for figure in figures(state)}


def judged(step: Step, **changes: object) -> tuple[str, str, str]:
    shown = live_step(replace(step, **changes))  # type: ignore[arg-type]
    return shown.says.word, shown.says.token, shown.warning


def test_live_events_and_the_run_folder_give_the_same_state(run: Run) -> None:
    assert followed(run).phase is Phase.RECORDING
    assert followed(run).apply(end(run)) == of_run(run)


def test_events_of_another_run_and_before_the_start_change_nothing(run: Run) -> None:
    idle = RecordState()
    assert idle.apply(RunStarted(run.manifest, "x")) is idle
    live = followed(run)
    assert live.apply(StepRecorded("other", run.steps[0])) is live
    assert live.apply(RunFinished("other", True, Health())) is live
    assert live.apply(HealthChanged("other", Health(9), "paused", 1.0, 0)) is live


def test_each_step_says_how_well_it_could_be_found_again(run: Run) -> None:
    typed, click = run.steps[0], run.steps[1]
    assert judged(click) == ("unique by 0.214", "accepted", "")
    assert judged(typed) == ("could be a field", "field", "")
    assert judged(typed, note="secret") == ("secret, not stored", "muted", "")
    assert judged(typed, note="text withheld: the focused field is unknown")[1:] == (
        "refused",
        "Nobody knows what field this went to, so its text was not stored. It can be given at replay.",
    )
    assert judged(click, targets={}, status=StepStatus.UNFINISHED)[0] == "goes on"
    assert judged(click, action=Action(ActionKind.SCROLL, {}), targets={}) == ("", "muted", "")
    blocked = judged(click, status=StepStatus.BLOCKED, error="Two buttons at once.")
    assert blocked == ("Two buttons at once.", "failed", "Two buttons at once.")


def test_a_weak_target_warns_with_its_own_reason(run: Run) -> None:
    click = run.steps[1]
    twin = replace(click.targets["target"], self_test=SelfTest(1.0, 0.99, 0.01, False, "wide", "A twin is there."))
    assert judged(click, targets={"target": twin}) == (
        "weak target: unique by only 0.010",
        "refused",
        "A twin is there.",
    )
    flat = replace(twin, self_test=SelfTest(1.0, 0.5, 0.5, False, "wide", "It is flat."))
    assert judged(click, targets={"target": flat})[0] == "weak target: too little to tell it by"


def test_the_worse_end_of_a_drag_counts(run: Run) -> None:
    click = run.steps[1]
    good = click.targets["target"]
    bad = replace(good, self_test=SelfTest(1.0, 0.6, 0.4, False, "wide", "It is flat."))
    assert live_step(replace(click, targets={"from": good, "to": bad})).warning == "It is flat."


def test_only_the_last_steps_warn_while_their_screen_is_there_and_an_undone_one_does_not(run: Run) -> None:
    weak = replace(
        run.steps[1],
        index=0,
        targets={"target": replace(run.steps[1].targets["target"], self_test=SelfTest(1, 1, 0.0, False, "x", "Twin."))},
    )
    later = tuple(replace(run.steps[0], index=number) for number in range(1, 5))
    state = followed(run, (weak, *later[:3]))
    assert state.warned == state.steps[0]
    assert followed(run, (weak, *later)).warned is None
    undone = state.apply(StepRecorded(run.manifest.id, replace(weak, note=UNDONE)))
    assert undone.warned is None
    assert undone.steps[0].says.word == "undone: not part of the work"


def test_the_last_step_is_the_last_that_was_not_undone(run: Run) -> None:
    state = followed(run, run.steps[:2])
    assert state.last == state.steps[1]
    undone = state.apply(StepRecorded(run.manifest.id, replace(run.steps[1], note=f"a remark; {UNDONE}")))
    assert undone.last == undone.steps[0]


def test_health_is_followed_and_a_loss_is_seen(run: Run) -> None:
    live = followed(run).apply(HealthChanged(run.manifest.id, Health(50, 50, 3, 0, 0, 61.0), "paused", 2.1, 500))
    shown = by_name(live)
    assert live.mode == "paused"
    assert shown["events caught / kept"] == Figure("events caught / kept", "50 / 50", True)
    assert shown["oldest before picture"].words == "61 ms"
    assert shown["on disk"].words == "2.1 MB of 500 MB"
    assert shown["screen"].words == "480×270"
    assert all(figure.good for figure in shown.values())
    lost = by_name(live.with_health(Health(50, 48, gaps=1, oldest_before_ms=300.0), 450_000_000))
    assert {name for name, figure in lost.items() if not figure.good} == {
        "events caught / kept", "gaps", "oldest before picture", "on disk",
    }  # fmt: skip


def test_keys_that_were_kept_back_are_no_loss(run: Run) -> None:
    health = Health(50, 40, notes=("10 key events were kept off the disk",))
    assert by_name(followed(run).with_health(health))["events caught / kept"].good


def test_the_summary_tells_steps_time_and_what_to_look_at(run: Run) -> None:
    done = of_run(run)
    assert summary(done, 102.0) == ("5 steps in 1 min 42 s", "Nothing was lost; each target can be found again.")
    assert summary(RecordState(), 3.0)[0] == "Nothing was done"
    assert "2 gaps" in summary(done.with_health(Health(gaps=2)), 1.0)[1]


def test_how_it_stands_is_told_by_mode_and_time(run: Run) -> None:
    live = followed(run)
    told = [standing(live, mode, 102.0) for mode in ("recording", "paused", "private", "ignoring")]
    assert [look.word for look in told if look] == [
        "recording 01:42", "paused 01:42", "private: nothing is kept 01:42", "your input is ignored 01:42",
    ]  # fmt: skip
    assert standing(live.at(Phase.DONE), "recording", 1.0) is None
    waiting = standing(live.at(Phase.COUNTDOWN), "recording", 0.0)
    assert waiting is not None
    assert waiting.word == "begins in a moment"


def test_running_time() -> None:
    assert [clock(0), clock(102.9), clock(6102)] == ["00:00", "01:42", "1:41:42"]
