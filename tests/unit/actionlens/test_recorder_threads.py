"""The recorder on a real clock: its threads, slow hands of its own, and its end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from echostudio.actionlens.intake import Intake
from echostudio.actionlens.recorder import Recorder
from echostudio.actionlens.runfolder import read_run
from echostudio.cancel import CancelToken, SystemClock, wait_until
from echostudio.desktop.controller import RawEvent, RawInput, RawKind, RawSink
from echostudio.desktop.scripted import ScriptedDesktop
from echostudio.desktop.scripted_editor import ScriptedEditor
from echostudio.episode.frame import Frame, PictureRef
from echostudio.episode.geometry import DesktopPoint, FrameBox
from echostudio.episode.happening import StepRecorded
from echostudio.episode.run import Health
from echostudio.episode.step import Step, StepStatus
from echostudio.errors import DesktopError, RepositoryFull
from echostudio.events import EventBus
from echostudio.settings import Settings
from tests.unit.actionlens.make import writer


class RealTime(ScriptedDesktop):
    """The scripted screen on the machine's clock; the test plays the input source."""

    def __init__(self, folder: Path) -> None:
        super().__init__(ScriptedEditor(folder))
        self.clock = SystemClock()  # type: ignore[assignment]

    def tell(self, kind: RawKind, at: float | None = None, **facts: object) -> None:
        moment = time.monotonic() if at is None else at
        self.emit(RawEvent(kind, moment, DesktopPoint(100, 100), **facts))  # type: ignore[arg-type]


class Session:
    """A recording in a thread of its own."""

    def __init__(self, folder: Path, desktop: RealTime | None = None) -> None:
        self.desktop = desktop or RealTime(folder)
        self.writer = writer(folder / "runs")
        self.token = CancelToken()
        self.bus = EventBus()
        self.steps: list[Step] = []
        self.bus.subscribe(lambda event: self.steps.append(event.step) if isinstance(event, StepRecorded) else None)
        self.health: Health | None = None
        self.error: BaseException | None = None
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            self.health = Recorder(self.desktop, self.writer, Settings(), self.bus).record(self.token, self.ready.set)
        except Exception as fault:  # noqa: BLE001 - handed to the test's own thread
            self.error = fault
        self.ready.set()

    def start(self) -> None:
        self.thread.start()
        assert self.ready.wait(10)

    def stop(self) -> float:
        begun = time.monotonic()
        self.token.cancel()
        self.thread.join(10)
        return time.monotonic() - begun

    def until(self, condition: Callable[[], bool]) -> None:
        assert wait_until(condition, SystemClock(), CancelToken(), 10.0)


def test_a_click_is_recorded_and_completed_without_further_input(tmp_path: Path) -> None:
    session = Session(tmp_path)
    session.start()
    session.desktop.tell(RawKind.BUTTON_DOWN, button="left")
    session.desktop.tell(RawKind.BUTTON_UP, button="left")
    session.until(lambda: any(step.status is StepStatus.DONE for step in session.steps))
    assert session.stop() < 2.0
    (step,) = read_run(session.writer.path).steps
    assert step.before is not None
    assert step.after is not None
    assert session.health is not None
    assert session.health.captured == session.health.stored == 2


def test_a_double_click_stays_one_although_the_recorder_itself_is_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(tmp_path)
    put, calm = session.writer.put_frame, CancelToken()

    def slowly(frame: Frame, masks: tuple[FrameBox, ...] = ()) -> PictureRef:
        calm.wait(0.6)
        return put(frame, masks)

    monkeypatch.setattr(session.writer, "put_frame", slowly)
    session.start()
    begun = time.monotonic()
    session.desktop.tell(RawKind.BUTTON_DOWN, begun, button="left")
    session.desktop.tell(RawKind.BUTTON_UP, begun + 0.02, button="left")
    session.until(lambda: time.monotonic() > begun + 0.1)
    session.desktop.tell(RawKind.BUTTON_DOWN, begun + 0.1, button="left")
    session.desktop.tell(RawKind.BUTTON_UP, begun + 0.12, button="left")
    session.until(lambda: any(step.status is StepStatus.DONE for step in session.steps))
    session.stop()
    (step,) = read_run(session.writer.path).steps
    assert step.action.parameters["count"] == 2


def test_stopping_with_steps_open_keeps_them_and_is_quick(tmp_path: Path) -> None:
    session = Session(tmp_path)
    session.start()
    for key in "words":
        session.desktop.tell(RawKind.KEY_DOWN, key=key, text=key, code=ord(key))
        session.desktop.tell(RawKind.KEY_UP, key=key, code=ord(key))
    session.desktop.tell(RawKind.BUTTON_DOWN, button="left")
    assert session.stop() < 2.0
    steps = read_run(session.writer.path).steps
    assert [step.action.parameters.get("text") for step in steps] == ["words", None]
    assert all(step.status is StepStatus.DONE for step in steps)


def test_a_full_disk_in_the_second_thread_ends_the_recording_with_its_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(tmp_path)

    def full(step: Step) -> None:
        raise RepositoryFull("The disk is full.")

    monkeypatch.setattr(session.writer, "write_after", full)
    session.start()
    session.desktop.tell(RawKind.BUTTON_DOWN, button="left")
    session.desktop.tell(RawKind.BUTTON_UP, button="left")
    session.until(lambda: session.error is not None)
    session.thread.join(10)
    assert isinstance(session.error, RepositoryFull)
    (step,) = read_run(session.writer.path).steps
    assert step.status is StepStatus.UNFINISHED
    assert not session.desktop.watched


class Breaking:
    """An input source that ends by itself when told to."""

    def __init__(self, source: RawInput) -> None:
        self._source = source
        self.failure: DesktopError | None = None

    def start(self, sink: RawSink) -> None:
        self._source.start(sink)

    def stop(self) -> None:
        self._source.stop()


def test_an_input_source_that_breaks_off_is_replaced_and_shown_as_a_gap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop = RealTime(tmp_path)
    made: list[Breaking] = []
    source = desktop.raw_input

    def breaking() -> Breaking:
        made.append(Breaking(source()))
        return made[-1]

    monkeypatch.setattr(desktop, "raw_input", breaking)
    session = Session(tmp_path, desktop)
    session.start()
    made[0].failure = DesktopError("The stream ended.")
    session.until(lambda: len(made) == 2 and desktop.watched)
    desktop.tell(RawKind.KEY_DOWN, key="escape", code=9)
    desktop.tell(RawKind.KEY_UP, key="escape", code=9)
    session.until(lambda: bool(session.steps))
    session.stop()
    assert session.health is not None
    assert session.health.gaps == 1
    assert any("The stream ended." in note for note in session.health.notes)


def events_at(*times: float) -> list[RawEvent]:
    return [RawEvent(RawKind.MOVE, at, DesktopPoint(0, 0)) for at in times]


def test_events_are_put_in_order_and_the_disorder_is_counted() -> None:
    intake = Intake(0.012)
    for event in events_at(1.000, 1.004, 1.002, 1.006):
        intake.put(event)
    assert intake.take(1.010) == []
    assert [event.at for event in intake.take(1.016)] == [1.000, 1.002, 1.004]
    assert [event.at for event in intake.take(1.016, everything=True)] == [1.006]
    assert (intake.captured, intake.reordered) == (4, 1)


def test_an_event_that_comes_far_too_late_is_kept_and_moved() -> None:
    intake = Intake(0.012)
    (first, late) = events_at(2.0, 1.5)
    intake.put(first)
    assert intake.take(3.0) == [first]
    intake.put(late)
    assert [event.at for event in intake.take(3.0)] == [2.0]
    assert intake.reordered == 1
