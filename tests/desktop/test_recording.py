"""Recording on a real X server: before frames, nothing lost, gaps seen, orders from outside."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from echostudio.actionlens.lines import read_lines
from echostudio.actionlens.runfolder import read_run
from echostudio.actionlens.runreader import LIFECYCLE, read_events
from echostudio.cancel import CancelToken, SystemClock, wait_until
from echostudio.desktop.controller import Desktop, RawEvent, RawKind
from echostudio.desktop.listener import X11RawInput
from echostudio.desktop.record_stream import Recorded
from echostudio.episode.frame import Frame
from echostudio.episode.happening import StepRecorded
from echostudio.episode.run import Run
from echostudio.episode.step import StepStatus
from echostudio.operations import record
from echostudio.operations.services import Services
from tests.desktop.conftest import Stages
from tests.desktop.programs import MOUSEPAD
from tests.desktop.recording import Live, desktop_on, live, red_window

pytestmark = pytest.mark.desktop

SLOW = 0.12
CLICKS = 6


def reds(recording: Live, run: Run) -> list[tuple[bool, bool]]:
    """Return for every click whether its before frame and the frame of its press show the red."""
    found = []
    for step in run.steps:
        assert step.before is not None
        point = step.targets["target"].point
        pixels = recording.writer.blobs.get(step.before.digest)
        found.append(
            (tuple(pixels[point.y, point.x]) == (255, 0, 0), tuple(pixels[point.y, point.x]) == (255, 255, 255))
        )
    return found


def late(grab: Callable[[], Frame]) -> Callable[[], Frame]:
    """A grab that takes its picture at the end of a long time."""

    def slowly() -> Frame:
        started = SystemClock().now()
        CancelToken().wait(SLOW)
        return replace(grab(), started=started)

    return slowly


def early(grab: Callable[[], Frame]) -> Callable[[], Frame]:
    """A grab that takes its picture at the beginning of a long time."""

    def slowly() -> Frame:
        frame = grab()
        CancelToken().wait(SLOW)
        return replace(frame, taken=SystemClock().now())

    return slowly


@pytest.mark.parametrize("slowed", [None, late, early])
def test_the_before_frame_never_holds_what_the_press_caused(
    stages: Stages,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    slowed: Callable[[Callable[[], Frame]], Callable[[], Frame]] | None,
) -> None:
    here = stages(1280, 800)
    with red_window(here.display) as middle, desktop_on(here.display) as desk:
        if slowed is not None:
            monkeypatch.setattr(desk, "grab", slowed(desk.grab))
        with live(desk, tmp_path / "runs") as recording:
            for place in range(CLICKS):
                here.person.glide(replace(middle, x=middle.x + 12 * place))
                press_long(here.display)
                here.person.pause(0.45)
            recording.stop()
    run = read_run(recording.writer.path)
    clicks = reds(recording, run)
    assert len(clicks) == CLICKS
    assert all(white and not red for red, white in clicks)


def press_long(display: str) -> None:
    """Hold the button long enough that several grabs see the red."""
    own = Display(display)
    try:
        xtest.fake_input(own, X.ButtonPress, 1)
        own.sync()
        CancelToken().wait(0.15)
        xtest.fake_input(own, X.ButtonRelease, 1)
        own.sync()
    finally:
        own.close()


def test_a_grab_shows_every_painting_at_once_and_shares_what_did_not_change(stages: Stages) -> None:
    here = stages(800, 600)
    with desktop_on(here.display) as desk:
        painter = Display(here.display)
        root = painter.screen().root
        window = root.create_window(
            40, 50, 200, 100, 0, painter.screen().root_depth, X.InputOutput, X.CopyFromParent,
            background_pixel=0x00FF00, override_redirect=True,
        )  # fmt: skip
        window.map()
        painter.sync()
        pen = window.create_gc(foreground=0x0000FF)
        assert tuple(desk.grab().pixels[60, 60]) == (0, 255, 0)
        for place in range(60):
            window.fill_rectangle(pen, 3 * place, 20, 2, 2)
            painter.sync()
            frame = desk.grab()
            assert tuple(frame.pixels[70, 40 + 3 * place]) == (0, 0, 255), place
        again = desk.grab()
        assert again.pixels is frame.pixels
        assert again.taken > frame.taken
        window.destroy()
        painter.sync()
        assert tuple(desk.grab().pixels[60, 60]) != (0, 255, 0)
        painter.close()


def test_a_burst_of_keys_and_moves_arrives_whole_and_in_order(stages: Stages, tmp_path: Path) -> None:
    here = stages(640, 480)
    with desktop_on(here.display) as desk, live(desk, tmp_path / "runs") as recording:
        sender = Display(here.display)
        for turn in range(400):
            xtest.fake_input(sender, X.KeyPress, 38)
            xtest.fake_input(sender, X.KeyRelease, 38)
            xtest.fake_input(sender, X.MotionNotify, x=turn, y=turn % 400)
            if turn % 20 == 19:
                sender.sync()
        sender.close()
        health = recording.stop()
    events = read_events(recording.writer.path)
    assert [sum(event.kind is kind for event in events) for kind in (RawKind.KEY_DOWN, RawKind.KEY_UP)] == [400, 400]
    assert [e.point.x for e in events if e.kind is RawKind.MOVE] == list(range(400))
    assert (health.captured, health.reordered, health.gaps) == (health.stored, 0, 0)
    assert read_run(recording.writer.path).steps[0].action.parameters == {"text": "a" * 400}


def test_a_recorder_that_is_busy_for_a_second_loses_nothing(stages: Stages) -> None:
    here = stages(640, 480)
    source, taken = X11RawInput(here.display, SystemClock()), list[RawEvent]()
    busy = CancelToken()

    def slowly(event: RawEvent) -> None:
        if not taken:
            busy.wait(1.0)
        taken.append(event)

    source.start(slowly)
    sender = Display(here.display)
    for turn in range(2500):
        xtest.fake_input(sender, X.KeyPress, 38)
        xtest.fake_input(sender, X.KeyRelease, 38)
        if turn % 3 == 0:
            sender.sync()
    sender.close()
    source.stop()
    assert len(taken) == 5000
    assert source.lost() == 0


def test_what_the_stream_lost_is_seen_by_the_second_connection(
    stages: Stages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = stages(640, 480)
    eaten: list[int] = []

    class Eating(X11RawInput):
        """A stream that loses the key S."""

        def _take(self, reply: Recorded) -> None:
            data = reply.data
            if len(data) == 32 and data[0] & 0x7F in (2, 3) and data[1] == 39:
                eaten.append(data[0])
                return
            super()._take(reply)

    with desktop_on(here.display) as desk:
        monkeypatch.setattr(desk, "raw_input", lambda: Eating(desk_name(desk), desk.clock))
        with live(desk, tmp_path / "runs") as recording:
            sender = Display(here.display)
            for code in (38, 39, 40, 39, 38):
                xtest.fake_input(sender, X.KeyPress, code)
                xtest.fake_input(sender, X.KeyRelease, code)
                sender.sync()
            sender.close()
            assert wait_until(lambda: recording.recorder.health.gaps > 0, SystemClock(), CancelToken(), 5)
            health = recording.stop()
    assert len(eaten) == 4
    assert health.gaps == 1
    assert "2 input events were lost before they reached the recorder" in health.notes
    assert [
        line.data["lost"] for line in read_lines(recording.writer.path / LIFECYCLE).lines if "lost" in line.data
    ] == [2]


def desk_name(desk: Desktop) -> str:
    return str(getattr(desk, "name", ""))


def test_monitors_that_change_while_recording_are_marked(stages: Stages, tmp_path: Path) -> None:
    here = stages(800, 600)
    with desktop_on(here.display) as desk, live(desk, tmp_path / "runs") as recording:
        for name, box, output in (
            ("left", "400/100x600/150+0+0", "screen"),
            ("right", "400/100x600/150+400+0", "none"),
        ):
            command = ["xrandr", "--display", here.display, "--setmonitor", name, box, output]
            subprocess.run(command, check=True, capture_output=True)
        changed = lambda: len(recording.writer.manifest.screen.monitors) == 2  # noqa: E731
        assert wait_until(changed, SystemClock(), CancelToken(), 5)
        health = recording.stop()
    names = {monitor.name for monitor in read_run(recording.writer.path).manifest.screen.monitors}
    assert names == {"left", "right"}
    assert health.gaps == 0
    kinds = [line.data["kind"] for line in read_lines(recording.writer.path / LIFECYCLE).lines]
    assert "screen_changed" in kinds


def test_stopping_is_quick_while_steps_are_open(stages: Stages, tmp_path: Path) -> None:
    here = stages(1920, 1080)
    here.start(MOUSEPAD, tmp_path)
    with desktop_on(here.display) as desk, live(desk, tmp_path / "runs") as recording:
        here.person.type("words")
        for _ in range(3):
            press_long(here.display)
        begun = SystemClock().now()
        recording.stop()
        spent = SystemClock().now() - begun
    assert spent <= 2.0
    assert all(step.status is StepStatus.DONE for step in read_run(recording.writer.path).steps)


def test_orders_come_over_standard_input_and_private_keys_reach_no_file(
    services: Services, stages: Stages, tmp_path: Path
) -> None:
    here = stages(1024, 768)
    here.start(MOUSEPAD, tmp_path)
    ready = tmp_path / "ready"
    command = [sys.executable, "-m", "echostudio", "--home", str(services.home), "record", "--intent", "orders"]
    command += ["--display", here.display, "--ready-file", str(ready), "--control"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert wait_until(lambda: ready.exists() or child.poll() is not None, SystemClock(), CancelToken(), 30)
        folder = services.runs / ready.read_text()

        def order(line: str, kind: str) -> None:
            assert child.stdin is not None
            child.stdin.write(line + "\n")
            child.stdin.flush()
            life = folder / LIFECYCLE
            assert wait_until(lambda: f'"kind": "{kind}"' in life.read_text(), SystemClock(), CancelToken(), 10)

        here.person.type("seen")
        order("private", "private")
        here.person.type("hunter2")
        order("public", "public")
        here.person.hotkey("ctrl", "a")
        order("note all of it", "note")
        order("undo", "undone")
        child.stdin.write("stop\n")
        child.stdin.flush()
        output, errors = child.communicate(timeout=30)
    assert child.returncode == 0, errors
    run = record.load(services, folder.name)
    assert [step.words.split(" for ")[0] for step in run.steps] == ["Type “seen”", "Private", "Press Ctrl+A"]
    assert run.steps[2].undone
    assert "all of it" in run.steps[2].note
    assert b"hunter2" not in b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert "Next: echostudio consolidate" in output


def test_repacked_runs_are_small_and_equal(services: Services, stages: Stages, tmp_path: Path) -> None:
    here = stages(1280, 800)
    here.start(MOUSEPAD, tmp_path)
    with desktop_on(here.display) as desk, live(desk, services.runs) as recording:
        steps: list[StepRecorded] = []
        recording.bus.subscribe(lambda event: steps.append(event) if isinstance(event, StepRecorded) else None)
        here.person.type("small")
        here.person.hotkey("ctrl", "a")
        recording.stop()
    blobs = recording.writer.blobs
    before = {name: blobs.get(name) for name in blobs.names()}
    done = record.repack(services, recording.writer.id, CancelToken())
    assert done.pictures == len(before) >= 2
    assert done.after < done.before
    assert all(np.array_equal(blobs.get(name), pixels) for name, pixels in before.items())
