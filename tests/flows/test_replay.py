"""Replaying on the scripted desktop: hits, refusals, failures, stops."""

from __future__ import annotations

from typing import Any

import pytest

from echostudio.desktop.scripted_person import ScriptedPerson
from echostudio.episode.happening import GateJudged, ReplayFinished, ReplayStepFinished, TargetMatched
from echostudio.episode.verdict import GateName, Outcome, RefusalCode, Route, Verdict
from echostudio.operations import library
from echostudio.replay.control import ReplayControl
from tests.flows.line import NAME, TEXT, Line, inputs

OTHER = {"file_name": "friday.txt", "text": "other words"}


def test_given_a_memory_when_replayed_with_other_values_then_the_file_holds_them(line: Line) -> None:
    memory = line.active()
    desktop = line.editor(window_at=(90, 50))
    report = line.replayed(memory, desktop, OTHER)
    assert report.outcome is Outcome.VERIFIED, report
    assert (line.folder / "friday.txt").read_text() == "other words"
    assert [step.status for step in report.steps] == ["done"] * len(memory.program)
    assert {step.route for step in report.steps if step.words.startswith("Type")} == {Route.B}
    assert report.changed == OTHER


def test_every_pointer_step_keeps_its_scores_and_candidates(line: Line) -> None:
    report = line.replayed(line.active(), line.editor())
    matched = [result for step in report.steps for result in step.reaim.values()]
    assert len(matched) == 4
    for result in matched:
        assert result.accepted
        assert result.best >= 0.78
        assert result.margin >= 0.02
        assert any(match.candidates for match in result.crops)
        assert all(len(match.candidates) <= 8 for match in result.crops)


def test_what_happened_live_is_what_is_stored(line: Line) -> None:
    memory, heard = line.active(), []
    line.services.bus.subscribe(heard.append)
    report = line.replayed(memory, line.editor())
    assert tuple(e.verdict for e in heard if isinstance(e, GateJudged)) == report.gates
    assert tuple(e.step for e in heard if isinstance(e, ReplayStepFinished)) == report.steps
    assert sum(isinstance(e, TargetMatched) for e in heard) == 4
    finished = [e.report for e in heard if isinstance(e, ReplayFinished)]
    assert len(finished) == 1
    assert library.replay_report(line.services, report.run) == report


REFUSED_BEFORE_INPUT: dict[str, tuple[dict[str, Any], dict[str, str], RefusalCode]] = {
    "an undeclared value": ({}, {"button": "right"}, RefusalCode.UNDECLARED_CHANGE),
    "an erased first target": ({"erase": "File"}, {}, RefusalCode.TARGET_MISMATCH),
    "a dark theme": ({"dark": True}, {}, RefusalCode.TARGET_NOT_FOUND),
}


@pytest.mark.parametrize("name", REFUSED_BEFORE_INPUT)
def test_given_a_wrong_start_when_replayed_then_nothing_is_sent(line: Line, name: str) -> None:
    options, values, code = REFUSED_BEFORE_INPUT[name]
    memory, desktop = line.active(), line.editor(**options)
    desktop.accessible = name == "an undeclared value"
    report = line.replayed(memory, desktop, values)
    assert report.outcome is Outcome.REFUSED
    assert report.refusal is not None
    assert report.refusal.code is code or (code.local and report.refusal.code.local)
    assert report.refusal.sentence
    assert report.refusal.next
    assert inputs(desktop) == []
    if report.refusal.code.local:
        shown = report.steps[0]
        assert (shown.status, shown.index) == ("refused", report.refusal.step)
        assert not shown.reaim["target"].accepted
        assert shown.before is not None
        assert library.replay_picture(line.services, report.run, shown.before.digest).shape == (270, 480, 3)
    else:
        assert report.steps == ()


def test_given_no_program_when_replayed_then_app_mismatch_and_all_gates_are_told(line: Line) -> None:
    memory, desktop = line.active(), line.editor()
    desktop.close_windows()
    report = line.replayed(memory, desktop)
    assert report.refusal is not None
    assert report.refusal.code is RefusalCode.APP_MISMATCH
    assert [gate.gate for gate in report.gates] == list(GateName)
    assert inputs(desktop) == []


def test_given_a_dialog_in_front_when_replayed_then_state_mismatch(line: Line) -> None:
    memory, desktop = line.active(), line.editor()
    ScriptedPerson(desktop).hotkey("ctrl", "shift", "s")
    report = line.replayed(memory, desktop)
    assert report.refusal is not None
    assert report.refusal.code is RefusalCode.STATE_MISMATCH
    assert "Save As" in report.refusal.sentence
    assert inputs(desktop) == []


def test_given_a_doubled_target_when_reached_then_it_is_refused_and_never_clicked(line: Line) -> None:
    memory, desktop = line.active(), line.editor(doubled_button=True)
    report = line.replayed(memory, desktop, OTHER)
    assert report.outcome is Outcome.REFUSED
    assert report.refusal is not None
    assert report.refusal.code is RefusalCode.TARGET_AMBIGUOUS
    assert report.refusal.code.local
    assert not (line.folder / "friday.txt").exists()
    assert report.undo


def test_given_a_disk_that_loses_content_when_replayed_then_never_called_success(line: Line) -> None:
    report = line.replayed(line.active(), line.editor(empty_save=True), OTHER)
    assert [step.status for step in report.steps] == ["done"] * len(report.steps)
    assert report.outcome is Outcome.COMPLETED_UNVERIFIED
    assert [(check.kind, check.passed) for check in report.checks] == [("file_exists", True), ("text_contains", False)]


def test_given_swallowed_clicks_when_replayed_then_broken_with_no_effect(line: Line) -> None:
    memory, desktop = line.active(), line.editor()
    desktop.swallow_clicks = True
    report = line.replayed(memory, desktop, OTHER)
    assert report.outcome is Outcome.BROKEN
    assert report.refusal is not None
    assert report.refusal.code is RefusalCode.NO_EFFECT
    assert inputs(desktop).count("click") == 1


def test_given_input_that_fails_when_replayed_then_input_failed_and_never_sent_again(line: Line) -> None:
    memory, desktop = line.active(), line.editor()
    desktop.fail_input_after = 2
    report = line.replayed(memory, desktop, OTHER)
    assert report.outcome is Outcome.BROKEN
    assert report.refusal is not None
    assert report.refusal.code is RefusalCode.INPUT_FAILED
    assert len([step for step in report.steps if step.status == "done"]) == 2


def test_given_a_slow_dialog_when_replayed_then_it_waits_and_verifies(line: Line) -> None:
    report = line.replayed(line.active(), line.editor(dialog_delay=4.0), OTHER)
    assert report.outcome is Outcome.VERIFIED, report.refusal
    assert max(step.waited_ms for step in report.steps) > 2500


def test_given_a_stop_when_replaying_then_stopped_and_nothing_held(line: Line) -> None:
    memory, desktop, control = line.active(), line.editor(), ReplayControl()
    line.services.bus.subscribe(lambda e: control.stop() if isinstance(e, TargetMatched) else None)
    report = line.replayed(memory, desktop, OTHER, control)
    assert report.outcome is Outcome.STOPPED
    assert desktop.modifiers_down() == ()
    assert inputs(desktop) == ["type"]
    assert not (line.folder / "friday.txt").exists()


def test_given_the_panic_key_when_replaying_then_it_stops_before_the_next_input(line: Line) -> None:
    memory, desktop = line.active(), line.editor()
    person = ScriptedPerson(desktop)
    line.services.bus.subscribe(
        lambda e: person.hotkey("ctrl", "alt", "q") if isinstance(e, ReplayStepFinished) and e.step.index == 0 else None
    )
    report = line.replayed(memory, desktop, OTHER)
    assert report.outcome is Outcome.STOPPED
    assert inputs(desktop) == ["type"]
    assert desktop.modifiers_down() == ()


def test_given_a_moved_pointer_when_nobody_can_resume_then_it_stops(line: Line) -> None:
    memory, desktop = line.active(), line.editor()
    start = desktop.screen_map().to_desktop(desktop.grab().box.center)
    line.services.bus.subscribe(
        lambda e: desktop.move_pointer(start) if isinstance(e, ReplayStepFinished) and e.step.index == 1 else None
    )
    report = line.replayed(memory, desktop, OTHER)
    assert report.outcome is Outcome.STOPPED
    assert inputs(desktop) == ["type", "click"]


def test_given_a_held_modifier_when_replayed_then_nothing_is_typed(line: Line) -> None:
    memory, desktop = line.active(), line.editor()
    desktop.hold("ctrl")
    report = line.replayed(memory, desktop, OTHER)
    assert report.outcome is Outcome.REFUSED
    assert inputs(desktop) == []


def test_a_dry_run_judges_everything_and_sends_nothing(line: Line) -> None:
    memory, desktop = line.active(), line.editor()
    before = desktop.pointer()
    report = line.replayed(memory, desktop, OTHER, dry_run=True)
    assert report.dry_run
    assert report.refusal is None
    assert [gate.gate for gate in report.gates] == list(GateName)
    assert inputs(desktop) == []
    assert desktop.pointer() == before


def test_a_lost_desktop_is_a_sentence_not_a_crash(line: Line) -> None:
    memory, desktop = line.active(), line.editor()
    desktop.screen = "gone"
    report = line.replayed(memory, desktop, OTHER)
    assert report.outcome is Outcome.REFUSED
    assert report.refusal is not None
    assert inputs(desktop) == []


def test_a_candidate_is_not_replayed(line: Line) -> None:
    desktop = line.editor()
    report = line.replayed(line.candidate(), desktop)
    assert report.refusal is not None
    assert report.refusal.code is RefusalCode.NOT_ACTIVE
    assert inputs(desktop) == []


def test_the_recorded_values_replay_too(line: Line) -> None:
    memory = line.active()
    (line.folder / NAME).unlink()
    report = line.replayed(memory, line.editor())
    assert report.outcome is Outcome.VERIFIED, report.refusal
    assert (line.folder / NAME).read_text() == TEXT
    assert report.changed == {}


def test_a_dry_run_of_a_candidate_waives_lifecycle_and_validation_only(line: Line) -> None:
    desktop = line.editor()
    report = line.replayed(line.candidate(), desktop, dry_run=True)
    assert [gate.gate for gate in report.gates if gate.verdict is Verdict.WAIVED] == [
        GateName.LIFECYCLE,
        GateName.VALIDATION,
    ]
    assert report.refusal is None
    assert inputs(desktop) == []
