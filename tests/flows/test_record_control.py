"""What the person may say while a recording runs, on the scripted desktop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from echostudio.actionlens.control import RecordControl
from echostudio.actionlens.lines import read_lines
from echostudio.actionlens.recorder import Recorder
from echostudio.actionlens.runfolder import read_manifest, read_run, recover
from echostudio.actionlens.runreader import LIFECYCLE, MANIFEST, OBSERVATIONS, STEPS, manifest_bytes, read_events
from echostudio.consolidation.consolidate import propose
from echostudio.desktop.controller import RawSink
from echostudio.desktop.scripted_program import ScriptedProgram
from echostudio.episode.action import ActionKind
from echostudio.episode.geometry import DesktopBox, FramePoint, Monitor, ScreenMap
from echostudio.episode.happening import HealthChanged
from echostudio.episode.run import Health, Run
from echostudio.episode.step import UNDONE, StepStatus
from echostudio.errors import SettingsError
from echostudio.settings import RecordSettings, Settings
from tests.flows.test_record import SECRET, Recording


class Controlled(Recording):
    """A demonstration with switches."""

    def __init__(self, folder: Path, program: ScriptedProgram | None = None, **rules: Any) -> None:
        super().__init__(folder, program)
        self.control = RecordControl()
        self.rules = Settings(record=RecordSettings(**rules))

    def run(self) -> tuple[Run, Health]:
        self.person.wait(1.0)
        self.person.then(self.token.cancel)
        health = Recorder(self.desktop, self.writer, self.rules, self.bus, self.control).record(self.token)
        return read_run(self.writer.path), health

    @property
    def life(self) -> list[dict[str, Any]]:
        return [line.data for line in read_lines(self.writer.path / LIFECYCLE).lines]

    @property
    def kinds(self) -> list[str]:
        return [line["kind"] for line in self.life]


def test_nothing_of_a_private_time_is_stored_but_how_long_it_was(tmp_path: Path) -> None:
    recording = Controlled(tmp_path)
    person = recording.person
    person.click("Document")
    person.type("open words")
    pictures: set[str] = set()
    person.then(lambda: pictures.update(recording.writer.blobs.names()))
    person.hotkey("shift", "f9")
    person.type(SECRET)
    person.wait(3.0)
    person.then(lambda: pictures.symmetric_difference_update(recording.writer.blobs.names()))
    person.hotkey("shift", "f9")
    person.hotkey("ctrl", "a")
    run, health = recording.run()
    assert [step.words for step in run.steps][:2] == ["Click “Document”", "Type “open words”"]
    private = run.steps[2]
    assert private.status is StepStatus.BLOCKED
    assert private.words.startswith("Private for ")
    assert 3 <= private.action.parameters["seconds"] < 8
    assert (private.before, private.after, private.screen_before, private.trace) == (None, None, None, ())
    assert run.steps[3].words == "Press Ctrl+A"
    for name in (STEPS, OBSERVATIONS, LIFECYCLE, "events.jsonl"):
        assert SECRET not in (recording.writer.path / name).read_text()
    assert "".join(event.text for event in read_events(recording.writer.path)) == "open words"
    # Only the after frame of what had been typed before came in meanwhile.
    assert len(pictures) <= 1
    begun, ended = private.started, private.started + private.action.parameters["seconds"]
    assert not [e for e in read_events(recording.writer.path) if begun < e.at - recording.life[1]["clock"] < ended]
    assert health.captured == health.stored


def test_the_first_before_frame_after_a_private_time_was_taken_after_it(tmp_path: Path) -> None:
    recording = Controlled(tmp_path)
    recording.person.click("Document")
    recording.person.hotkey("shift", "f9")
    recording.person.type(SECRET)
    recording.person.hotkey("shift", "f9")
    recording.person.click("File")
    run, _ = recording.run()
    click = run.steps[-1]
    assert click.words == "Click “File”"
    assert click.before_age_ms is not None
    assert click.before_age_ms < 200


def test_hotkeys_and_their_modifiers_leave_no_trace(tmp_path: Path) -> None:
    recording = Controlled(tmp_path)
    recording.person.hotkey("shift", "f9")
    recording.person.hotkey("shift", "f9")
    recording.person.type("aB")
    recording.person.press("f9")
    health = Recorder(recording.desktop, recording.writer, recording.rules, recording.bus).record(recording.token)
    run = read_run(recording.writer.path)
    assert run.manifest.complete
    assert [step.words for step in run.steps] == ["Private for 1 s", "Type “aB”"]
    assert [event.key for event in read_events(recording.writer.path)].count("shift") == 2
    assert all(event.key != "f9" for event in read_events(recording.writer.path))
    assert health.captured == health.stored


def test_a_recording_that_is_stopped_in_private_mode_says_so(tmp_path: Path) -> None:
    recording = Controlled(tmp_path)
    recording.person.hotkey("shift", "f9")
    recording.person.type(SECRET)
    run, _ = recording.run()
    assert [step.status for step in run.steps] == [StepStatus.BLOCKED]
    assert SECRET.encode() not in recording.bytes_on_disk
    proposal = propose(run)
    assert not proposal.steps[0].kept


def test_another_key_may_stop(tmp_path: Path) -> None:
    recording = Controlled(tmp_path, stop_key="ctrl+f10", private_key="")
    recording.person.press("f9")
    recording.person.hotkey("ctrl", "f10")
    Recorder(recording.desktop, recording.writer, recording.rules, recording.bus).record(recording.token)
    assert [step.words for step in read_run(recording.writer.path).steps] == ["Press F9"]
    keys = {event.key for event in read_events(recording.writer.path)}
    assert keys == {"f9"}


def test_a_key_that_cannot_be_pressed_is_refused(tmp_path: Path) -> None:
    recording = Controlled(tmp_path, stop_key="hyper+nothing")
    with pytest.raises(SettingsError, match=r"hyper\+nothing"):
        Recorder(recording.desktop, recording.writer, recording.rules, recording.bus)


def test_a_pause_leaves_no_step_and_no_wait(tmp_path: Path) -> None:
    recording = Controlled(tmp_path)
    recording.person.click("Document")
    recording.person.then(recording.control.pause)
    recording.person.type("not this")
    recording.person.wait(20)
    recording.person.then(lambda: recording.control.pause(False))
    recording.person.type("this")
    run, health = recording.run()
    assert [step.words for step in run.steps] == ["Click “Document”", "Type “this”"]
    assert "not this" not in "".join(event.text for event in read_events(recording.writer.path))
    assert [kind for kind in recording.kinds if kind in ("paused", "resumed")] == ["paused", "resumed"]
    assert health.captured == health.stored


def test_ignored_input_is_counted_and_not_recorded(tmp_path: Path) -> None:
    recording = Controlled(tmp_path)
    recording.person.click("Document")
    recording.person.then(recording.control.ignore)
    recording.person.type("abc")
    recording.person.then(lambda: recording.control.ignore(False))
    recording.person.hotkey("ctrl", "a")
    run, health = recording.run()
    assert [step.words for step in run.steps] == ["Click “Document”", "Press Ctrl+A"]
    assert "6 input events were ignored as asked" in health.notes
    assert recording.life[recording.kinds.index("listening")]["events"] == 6


def test_the_last_step_is_taken_back_and_dropped_with_its_reason(tmp_path: Path) -> None:
    recording = Controlled(tmp_path)
    recording.person.click("Document")
    recording.person.type("wrong")
    recording.person.then(recording.control.undo_last)
    recording.person.hotkey("ctrl", "a")
    recording.person.wait(3)
    recording.person.then(recording.control.undo_last)
    recording.person.then(recording.control.undo_last)
    run, _ = recording.run()
    assert [step.undone for step in run.steps] == [True, True, True]
    assert run.steps[1].action.parameters == {"text": "wrong"}
    assert all(step.status is StepStatus.DONE and step.after is not None for step in run.steps)
    assert [(step.kept, step.reason) for step in propose(run).steps] == [(False, UNDONE)] * 3
    assert propose(run, {"1": "keep"}).steps[1].kept
    undone = [line["step"] for line in recording.life if line["kind"] == "undone"]
    assert undone == [run.steps[index].id for index in (1, 2, 0)]


def test_there_may_be_nothing_to_take_back(tmp_path: Path) -> None:
    recording = Controlled(tmp_path)
    recording.person.then(recording.control.undo_last)
    run, _ = recording.run()
    assert run.steps == ()
    assert [line["step"] for line in recording.life if line["kind"] == "undone"] == [None]


def test_notes_and_marks_are_kept_where_they_belong(tmp_path: Path) -> None:
    recording = Controlled(tmp_path)
    recording.person.click("Document")
    recording.person.then(lambda: recording.control.note("the customer's file; not ours"))
    recording.person.wait(3)
    recording.person.then(lambda: recording.control.mark("half way"))
    run, _ = recording.run()
    assert run.steps[0].note == "the customer's file, not ours"
    assert run.steps[0].status is StepStatus.DONE
    notes = [(line["text"], line["step"]) for line in recording.life if line["kind"] == "note"]
    assert notes == [("the customer's file; not ours", run.steps[0].id)]
    assert [line["text"] for line in recording.life if line["kind"] == "marked"] == ["half way"]


def test_health_is_told_live_and_at_most_twice_a_second(tmp_path: Path) -> None:
    recording = Controlled(tmp_path)
    recording.person.type("some words that take a while to type")
    recording.person.then(recording.control.pause)
    recording.person.wait(2)
    begun = recording.desktop.clock.now()
    recording.run()
    spent = recording.desktop.clock.now() - begun
    told = [event for event in recording.told if isinstance(event, HealthChanged)]
    assert 3 <= len(told) <= 2 * spent + 1
    assert told[-1].health.captured == told[-1].health.stored > 50
    assert [event.state for event in told][-1] == "paused"
    assert told[-1].megabytes >= 0


def test_a_recording_stops_in_order_at_its_cap(tmp_path: Path) -> None:
    recording = Controlled(tmp_path, run_megabytes=1)
    filler = recording.writer.path / "steps.jsonl"
    recording.person.click("Document")
    recording.person.then(lambda: recording.writer.mark("marked", text="x" * 1_100_000))
    recording.person.wait(600)
    run, health = recording.run()
    assert run.manifest.complete
    assert filler.exists()
    assert [step.words for step in run.steps] == ["Click “Document”"]
    assert any("reached its 1 MB and was stopped" in note for note in health.notes)
    assert "full" in recording.kinds
    assert not recording.token.cancelled


class Lossy:
    """An input source that admits to have lost something."""

    def __init__(self, source: Any, lost: list[int]) -> None:
        self._source, self._lost = source, lost

    def start(self, sink: RawSink) -> None:
        self._source.start(sink)

    def stop(self) -> None:
        self._source.stop()

    def lost(self) -> int:
        return self._lost[0]


def test_lost_input_is_a_gap_and_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = Controlled(tmp_path)
    lost, source = [0], recording.desktop.raw_input
    monkeypatch.setattr(recording.desktop, "raw_input", lambda: Lossy(source(), lost))
    recording.person.click("Document")
    recording.person.then(lambda: lost.__setitem__(0, 3))
    recording.person.click("File")
    run, health = recording.run()
    assert health.gaps == 1
    assert "3 input events were lost before they reached the recorder" in health.notes
    assert [line["lost"] for line in recording.life if line["kind"] == "gap"] == [3]
    assert run.steps[0].action.kind is ActionKind.CLICK


def test_a_change_of_monitors_is_marked_with_both_maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = Controlled(tmp_path)
    one, grab = recording.desktop.screen_map(), recording.desktop.grab
    half, rest = DesktopBox(0, 0, 240, 270), DesktopBox(240, 0, 240, 270)
    two = ScreenMap((Monitor("left", half, FramePoint(0, 0)), Monitor("right", rest, FramePoint(240, 0))))
    shown = [one]
    monkeypatch.setattr(recording.desktop, "grab", lambda: replace(grab(), screen=shown[0]))
    recording.person.click("Document")
    recording.person.then(lambda: shown.__setitem__(0, two))
    recording.person.click("File")
    run, health = recording.run()
    (line,) = [line for line in recording.life if line["kind"] == "screen_changed"]
    assert len(line["before"]["monitors"]) == 1
    assert [monitor["name"] for monitor in line["after"]["monitors"]] == ["left", "right"]
    assert run.manifest.screen == two
    assert [step.targets["target"].screen for step in run.steps] == [one, two]
    assert health.captured == health.stored


def test_a_run_that_was_cut_off_after_a_pause_is_recovered_with_both_texts(tmp_path: Path) -> None:
    recording = Controlled(tmp_path)
    recording.person.type("one")
    recording.person.then(recording.control.pause)
    recording.person.then(lambda: recording.control.pause(False))
    recording.person.type("two")
    recording.run()
    path = recording.writer.path
    steps = path / STEPS
    kept = [line for line in steps.read_text().splitlines() if '"phase": "before"' in line]
    steps.write_text("\n".join(kept) + "\n")
    (path / MANIFEST).write_bytes(manifest_bytes(replace(read_manifest(path), complete=False, ended=None)))
    assert [step.action.parameters for step in recover(path).steps] == [{"text": "one"}, {"text": "two"}]
