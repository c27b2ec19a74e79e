"""The lens: before, act, after; and what is on disk when it goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from echostudio.actionlens.lens import Lens
from echostudio.actionlens.runfolder import RunWriter, read_run
from echostudio.cancel import CancelToken
from echostudio.desktop.controller import Placed
from echostudio.desktop.scripted import ScriptedDesktop
from echostudio.desktop.scripted_editor import ScriptedEditor
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.happening import StepRecorded
from echostudio.episode.run import Health, RunSource
from echostudio.episode.step import Step, StepStatus
from echostudio.errors import Cancelled, DesktopError, InputFailed
from echostudio.events import EventBus
from echostudio.settings import Settings
from tests.unit.actionlens.make import writer

CLICK = Action(ActionKind.CLICK, {"button": "left", "count": 1})


class Bench:
    def __init__(self, folder: Path) -> None:
        self.desktop = ScriptedDesktop(ScriptedEditor(folder))
        self.writer: RunWriter = writer(folder / "runs", source=RunSource.REPLAY)
        self.bus = EventBus()
        self.told: list[Step] = []
        self.on_disk: list[int] = []
        self.bus.subscribe(self._hear)
        self.lens = Lens(self.desktop, self.writer, Settings(), self.bus)
        self.token = CancelToken()

    def _hear(self, event: object) -> None:
        assert isinstance(event, StepRecorded)
        self.told.append(event.step)
        self.on_disk.append(len(read_run(self.writer.path).steps))

    def click(self, name: str = "File") -> Step:
        place = self.desktop.place_of(name)
        return self.lens.act(0, CLICK, f"Click “{name}”", Placed(place), {}, self.token)

    def last(self) -> Step:
        return read_run(self.writer.path).steps[-1]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.writer.close(Health())


def test_an_act_has_both_lines_and_is_told_after_each(bench: Bench) -> None:
    step = bench.click()
    assert [one.status for one in bench.told] == [StepStatus.UNFINISHED, StepStatus.DONE]
    assert bench.on_disk == [1, 1]
    assert bench.last() == step
    assert step.effect is not None
    assert step.effect.any
    assert step.screen_after is not None
    assert len(step.screen_after.popups) == 1
    assert step.settled_ms is not None


def test_the_before_frame_is_a_fresh_one_and_does_not_show_the_menu(bench: Bench) -> None:
    expected = bench.desktop.grab().pixels
    step = bench.click()
    assert step.before is not None
    assert np.array_equal(bench.writer.blobs.get(step.before.digest), expected)


def test_the_before_line_is_on_disk_before_anything_is_sent(bench: Bench) -> None:
    seen = []
    perform = bench.desktop.perform

    def watched(action: Action, placed: Placed, token: CancelToken) -> None:
        seen.append([one.status for one in read_run(bench.writer.path).steps])
        perform(action, placed, token)

    bench.desktop.perform = watched  # type: ignore[method-assign]
    bench.click()
    assert seen == [[StepStatus.UNFINISHED]]


def test_a_stop_before_acting_sends_nothing_and_says_so(bench: Bench) -> None:
    bench.token.cancel()
    with pytest.raises(Cancelled):
        bench.click()
    assert bench.desktop.performed == []
    assert bench.last().status is StepStatus.FAILED
    assert "before anything was sent" in bench.last().error


def test_a_stop_while_typing_leaves_nothing_pressed(bench: Bench) -> None:
    bench.desktop.clock.call_later(0.2, bench.token.cancel)
    bench.desktop.hold("shift")
    with pytest.raises(Cancelled):
        bench.lens.act(0, Action(ActionKind.TYPE, {"text": "a" * 50}), "Type", Placed(), {}, bench.token)
    assert bench.desktop.modifiers_down() == ()
    assert "while the input" in bench.last().error


def test_a_stop_while_settling_keeps_the_act_as_done(bench: Bench) -> None:
    bench.desktop.clock.call_later(0.22, bench.token.cancel)
    with pytest.raises(Cancelled):
        bench.click()
    assert bench.last().status is StepStatus.DONE
    assert bench.last().after is None


def test_input_that_does_not_arrive_is_a_failed_step(bench: Bench) -> None:
    bench.desktop.fail_input_after = 0
    with pytest.raises(InputFailed):
        bench.click()
    assert bench.last().status is StepStatus.FAILED
    assert bench.last().error


def test_a_lost_screen_after_the_act_keeps_the_act(bench: Bench) -> None:
    bench.desktop.clock.call_later(0.15, lambda: setattr(bench.desktop, "screen", "gone"))
    with pytest.raises(DesktopError):
        bench.click()
    assert bench.last().status is StepStatus.DONE


def test_a_swallowed_click_has_no_effect(bench: Bench) -> None:
    bench.desktop.stage.blinking = False
    bench.desktop.swallow_clicks = True
    step = bench.click("Wrap lines")
    assert step.effect is not None
    assert not step.effect.any


def test_a_secret_is_typed_and_never_stored(bench: Bench) -> None:
    action = Action(ActionKind.TYPE, {"text": "hunter2"})
    step = bench.lens.act(0, action, "Type a secret", Placed(key_interval=0.0), {}, bench.token, secret=True)
    assert bench.desktop.performed[0][0] == action
    assert step.action.parameters == {"text": "***"}
    assert b"hunter2" not in b"".join(path.read_bytes() for path in bench.writer.path.rglob("*") if path.is_file())
    assert step.after is not None
    focus = bench.desktop.focused_element()
    assert focus is not None
    assert focus.box is not None
    box = focus.box
    stored = bench.writer.blobs.get(step.after.digest)[box.y : box.y + box.height, box.x : box.x + box.width]
    assert len(np.unique(stored.reshape(-1, 3), axis=0)) == 1
