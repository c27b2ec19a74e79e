"""Recording whole demonstrations on the scripted desktop."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from echostudio.actionlens.follower import RunFollower
from echostudio.actionlens.lines import read_lines
from echostudio.actionlens.recorder import Recorder
from echostudio.actionlens.runfolder import RunWriter, read_run, recover, utc_now
from echostudio.actionlens.runreader import LIFECYCLE, read_events
from echostudio.cancel import CancelToken
from echostudio.codec import Pixels
from echostudio.desktop.scripted import ScriptedDesktop
from echostudio.desktop.scripted_editor import EditorOptions, ScriptedEditor
from echostudio.desktop.scripted_person import ScriptedPerson
from echostudio.desktop.scripted_program import ScriptedProgram, Window
from echostudio.desktop.scripted_text import Entry
from echostudio.desktop.scripted_widgets import Button, ListRows
from echostudio.episode.evidence import CropVariant, TargetEvidence
from echostudio.episode.happening import HealthChanged, RunFinished, RunStarted, StepRecorded
from echostudio.episode.run import Health, Manifest, Run, RunSource
from echostudio.episode.step import Step, StepStatus
from echostudio.errors import DesktopError, RepositoryFull
from echostudio.events import EventBus
from echostudio.settings import Settings

SECRET = "hunter2"


class Recording:
    """A demonstration: the test says what the person does, then ``run`` records it."""

    def __init__(self, folder: Path, program: ScriptedProgram | None = None, *, accessible: bool = True) -> None:
        self.desktop = ScriptedDesktop(program or ScriptedEditor(folder), accessible=accessible)
        self.person = ScriptedPerson(self.desktop, planned=True)
        self.bus = EventBus()
        self.told: list[object] = []
        self.bus.subscribe(self.told.append)
        self.token = CancelToken()
        self.writer = self._writer(folder)

    def _writer(self, folder: Path, write: Callable[[int, bytes], int] = os.write) -> RunWriter:
        screen = self.desktop.screen_map()
        manifest = Manifest("run", RunSource.HUMAN, "save a note", self.desktop.kind, screen, utc_now())
        return RunWriter.create(folder / "runs", manifest, write)

    def run(self) -> tuple[Run, Health]:
        self.person.wait(1.0)
        self.person.then(self.token.cancel)
        health = Recorder(self.desktop, self.writer, Settings(), self.bus).record(self.token)
        return read_run(self.writer.path), health

    def shown(self, step: Step) -> Pixels:
        assert step.before is not None
        return self.writer.blobs.get(step.before.digest)

    @property
    def bytes_on_disk(self) -> bytes:
        return b"".join(path.read_bytes() for path in self.writer.path.rglob("*") if path.is_file())


def target(step: Step) -> TargetEvidence:
    return step.targets["target"]


def test_a_file_is_saved_and_every_step_tells_what_was_done(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    person = recording.person
    person.click("Document")
    person.type("Hello, World\nsecond line")
    person.click("File")
    person.click("Save As...")
    person.type("report.txt")
    person.press("enter")
    run, health = recording.run()
    assert (tmp_path / "report.txt").read_text() == "Hello, World\nsecond line"
    assert [step.words for step in run.steps] == [
        "Click “Document”",
        "Type “Hello, World⏎second line”",
        "Click “File”",
        "Click “Save As...”",
        "Type “report.txt”",
        "Press Enter",
    ]
    assert all(step.status is StepStatus.DONE for step in run.steps)
    assert all(step.after is not None and step.screen_after is not None for step in run.steps)
    assert health.captured == health.stored > 0
    assert (health.reordered, health.gaps, health.torn_lines) == (0, 0, 0)
    assert run.manifest.complete
    assert run.manifest.health == health


def test_the_before_frame_of_a_click_that_opens_a_menu_does_not_hold_the_menu(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.person.click("File")
    recording.person.click("Save As...")
    run, _ = recording.run()
    opened, chosen = run.steps
    popup = chosen.screen_before.popups[0].box if chosen.screen_before else None
    assert popup is not None
    place = (slice(popup.y, popup.y + popup.height), slice(popup.x, popup.x + popup.width))
    assert not np.array_equal(recording.shown(opened)[place], recording.shown(chosen)[place])
    assert not opened.screen_before or opened.screen_before.popups == ()
    assert opened.effect is not None
    assert opened.effect.window_changed


def test_a_menu_item_that_vanishes_keeps_its_crops_and_its_name(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.person.click("File")
    recording.person.click("Save As...")
    run, _ = recording.run()
    evidence = target(run.steps[1])
    assert evidence.element is not None
    assert (evidence.element.role, evidence.element.name) == ("menu item", "Save As...")
    assert evidence.window is not None
    assert evidence.window.popup
    popup = evidence.screen.box_to_frame(evidence.window.box)
    assert all(crop.box.clipped(popup) == crop.box for crop in evidence.crops)
    assert evidence.self_test is not None
    assert evidence.self_test.passed


def test_the_approach_crop_has_no_hover_highlight_and_the_before_crop_has(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.desktop.stage.blinking = False
    plain = recording.desktop.grab().pixels
    recording.person.click("File")
    run, _ = recording.run()
    crops = {(crop.kind, crop.variant): crop for crop in target(run.steps[0]).crops}
    for (_, variant), crop in crops.items():
        box = crop.box
        stored = recording.writer.blobs.get(crop.picture.digest)[box.y : box.bottom, box.x : box.right]
        same = np.array_equal(stored, plain[box.y : box.bottom, box.x : box.right])
        assert same is (variant is CropVariant.APPROACH)
    assert {variant for _, variant in crops} == {CropVariant.APPROACH, CropVariant.BEFORE}


def test_before_frames_are_strictly_older_than_the_input_and_fresh(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.person.click("File")
    recording.person.press("escape")
    recording.person.type("abc")
    run, health = recording.run()
    ages = [step.before_age_ms for step in run.steps]
    assert all(age is not None and 0 < age <= 40 for age in ages)
    assert health.oldest_before_ms == pytest.approx(max(age for age in ages if age is not None), abs=0.1)


def test_steps_are_told_only_after_they_are_on_disk(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    follower, followed, heard = RunFollower(recording.writer.path), [], []

    def hear(event: object) -> None:
        if isinstance(event, StepRecorded):
            heard.append(event.step)
            followed.extend(follower.poll())
            assert event.step in followed

    recording.bus.subscribe(hear)
    recording.person.click("File")
    recording.person.click("Save As...")
    recording.person.type("x")
    recording.run()
    assert heard == followed
    others = [type(event) for event in recording.told if not isinstance(event, StepRecorded | HealthChanged)]
    assert others == [RunStarted, RunFinished]
    assert follower.finished


def test_double_click_scroll_and_drag_are_recorded_as_such(tmp_path: Path) -> None:
    program = ScriptedProgram()
    rows = ListRows("Files", (10, 10, 200, 120), rows=[f"file {letter}" for letter in "abcdefghijkl"])
    program.build = lambda: program.open(Window("Files", (40, 40, 300, 160), [rows]))  # type: ignore[method-assign]
    recording = Recording(tmp_path, program)
    recording.person.click("file c", count=2)
    recording.person.scroll("file d", 3)
    recording.person.drag("file e", "file g")
    run, _ = recording.run()
    double, scroll, drag = run.steps
    assert double.action.parameters["count"] == 2
    assert double.words == "Double-click “file c”"
    assert scroll.action.parameters == {"dx": 0, "dy": 3}
    assert set(drag.targets) == {"from", "to"}
    assert all(evidence.crops for evidence in drag.targets.values())
    assert drag.targets["from"].point != drag.targets["to"].point


class Login(ScriptedProgram):
    """A window with a name, a password, and a button."""

    name = "login"
    window_class = "Login"

    def __init__(self) -> None:
        super().__init__()
        self.user = Entry("User", (20, 10, 160, 22))
        self.password = Entry("Password", (20, 44, 160, 22), secret=True)
        self.button = Button("Log in", (20, 78, 80, 24))

    def build(self) -> None:
        self.open(Window("Log in", (60, 60, 220, 120), [self.user, self.password, self.button], focus=self.user))


@pytest.mark.parametrize("way", ["click", "tab"])
def test_a_password_never_reaches_the_disk(tmp_path: Path, way: str) -> None:
    program = Login()
    recording = Recording(tmp_path, program)
    recording.person.click("User")
    recording.person.type("anna")
    if way == "click":
        recording.person.click("Password")
    else:
        recording.person.press("tab")
        recording.person.wait(0.3)
    recording.person.type(SECRET)
    recording.person.click("Log in")
    run, health = recording.run()
    assert program.password.text == SECRET
    assert SECRET.encode() not in recording.bytes_on_disk
    typed = "".join(event.text for event in read_events(recording.writer.path))
    assert typed in ("anna", "anna\t")
    secret = run.steps[-2]
    assert secret.action.parameters == {"text": ""}
    assert (secret.words, secret.note, secret.trace) == ("Type a secret", "secret", ())
    assert "Type “anna”" in [step.words for step in run.steps]
    assert health.captured - health.stored == 2 * len(SECRET)
    assert any("kept off the disk" in note for note in health.notes)
    kinds = [line.data["kind"] for line in read_lines(recording.writer.path / LIFECYCLE).lines]
    assert "keys_withheld" in kinds


def test_the_password_field_is_painted_over_in_every_picture_from_then_on(tmp_path: Path) -> None:
    recording = Recording(tmp_path, Login())
    recording.person.click("Password")
    recording.person.type(SECRET)
    recording.person.click("Log in")
    run, _ = recording.run()
    box = next(e.box for e in recording.desktop.elements() if e.name == "Password")
    assert box is not None
    for step in run.steps[1:]:
        for picture in (step.before, step.after):
            assert picture is not None
            field = recording.writer.blobs.get(picture.digest)[box.y : box.y + box.height, box.x : box.x + box.width]
            assert len(np.unique(field.reshape(-1, 3), axis=0)) == 1


def test_a_program_without_accessibility_can_still_be_recorded(tmp_path: Path) -> None:
    recording = Recording(tmp_path, accessible=False)
    recording.person.click("Document")
    recording.person.type("plain words")
    recording.person.hotkey("ctrl", "shift", "s")
    run, health = recording.run()
    assert [step.action.parameters.get("text") for step in run.steps] == [None, "plain words", None]
    assert run.steps[2].words == "Press Ctrl+Shift+S"
    assert run.steps[0].words.startswith("Click at (")
    assert health.captured == health.stored


def test_the_stop_key_ends_the_recording_and_is_not_in_it(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.person.click("File")
    recording.person.press("escape")
    recording.person.press("f9")
    health = Recorder(recording.desktop, recording.writer, Settings(), recording.bus).record(recording.token)
    run = read_run(recording.writer.path)
    assert [step.words for step in run.steps] == ["Click “File”", "Press Escape"]
    assert all(event.key != "f9" for event in read_events(recording.writer.path))
    assert health.captured == health.stored
    assert run.manifest.complete


def test_a_stop_in_the_middle_of_typing_keeps_what_was_typed(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.person.type("half a sen")
    recording.person.then(recording.token.cancel)
    Recorder(recording.desktop, recording.writer, Settings(), recording.bus).record(recording.token)
    (step,) = read_run(recording.writer.path).steps
    assert step.action.parameters == {"text": "half a sen"}
    assert step.after is not None


def test_a_new_window_after_enter_separates_two_texts(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.person.hotkey("ctrl", "shift", "s")
    recording.person.type("a.txt\nmore")
    run, _ = recording.run()
    assert [step.words for step in run.steps[1:]] == ["Type “a.txt”", "Press Enter", "Type “more”"]
    assert (tmp_path / "a.txt").exists()


def test_a_slow_dialog_is_waited_for_in_the_after_frame(tmp_path: Path) -> None:
    recording = Recording(tmp_path, ScriptedEditor(tmp_path, EditorOptions(dialog_delay=0.2)))
    recording.person.click("File")
    recording.person.click("Save As...")
    run, _ = recording.run()
    after = run.steps[1].screen_after
    assert after is not None
    assert after.window is not None
    assert after.window.title == "Save As"


def test_a_screen_that_is_gone_from_the_start_is_refused(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.desktop.screen = "gone"
    with pytest.raises(DesktopError):
        recording.run()
    assert not read_run(recording.writer.path).manifest.complete
    assert not recording.desktop.watched


def test_a_screen_that_is_lost_while_recording_keeps_the_steps_so_far(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.person.click("File")
    recording.person.then(lambda: setattr(recording.desktop, "screen", "gone"))
    recording.person.wait(5)
    with pytest.raises(DesktopError):
        recording.run()
    run = read_run(recording.writer.path)
    assert not run.manifest.complete
    assert [step.words for step in run.steps] == ["Click “File”"]


@pytest.mark.parametrize("room", [900, 9_000, 15_000])
def test_a_full_disk_keeps_every_step_that_was_told(tmp_path: Path, room: int) -> None:
    recording = Recording(tmp_path)
    left = [room]

    def write(file: int, data: bytes) -> int:
        if left[0] < len(data):
            raise OSError(errno.ENOSPC, "No space left on device")
        left[0] -= len(data)
        return os.write(file, data)

    recording.writer.close(Health())
    recording.writer = recording._writer(tmp_path / "small", write)
    recording.person.click("File")
    recording.person.press("escape")
    recording.person.type("some words")
    with pytest.raises(RepositoryFull):
        recording.run()
    told = [event.step for event in recording.told if isinstance(event, StepRecorded)]
    run = read_run(recording.writer.path)
    assert {step.id for step in told} <= {step.id for step in run.steps}
    assert run.manifest.health.torn_lines == 0
    assert not run.manifest.complete
    assert not recording.desktop.watched
    assert recover(recording.writer.path).manifest.complete


def test_a_menu_that_opened_by_hovering_becomes_a_hover_step(tmp_path: Path) -> None:
    editor = ScriptedEditor(tmp_path)
    recording = Recording(tmp_path, editor)
    item = Button("Export", (2, 2, 96, 22))
    popup = Window("", (200, 90, 100, 26), [item], popup=True, program=editor)
    recording.person.click("File")
    recording.person.move("New")
    recording.person.then(lambda: editor.open(popup))
    recording.person.click("Export")
    run, _ = recording.run()
    assert [step.words for step in run.steps] == ["Click “File”", "Point at “New”", "Click “Export”"]
    hover = run.steps[1]
    assert hover.status is StepStatus.DONE
    assert hover.note.startswith("proposed")
    assert hover.effect is not None
    assert hover.effect.any
    assert target(hover).crops
    assert not np.array_equal(recording.shown(hover), recording.shown(run.steps[2]))
