"""The Lab page over a real library: opened with one key, looked at, tuned, stored."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from echostudio import codec
from echostudio.episode.evidence import CropKind
from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import Memory
from echostudio.operations import lab
from echostudio.operations.services import Services
from echostudio.reaim import perturb
from echostudio.studio import app
from echostudio.studio.app import wait_ready
from echostudio.studio.lab.cards import ReasonDialog
from echostudio.studio.lab.state import Source
from echostudio.studio.lab.view import LabPage
from echostudio.studio.main_window import MainWindow
from tests.studio.conftest import REFUSED_RUN
from tests.studio.samples import SPOTS, Sample, paint

STEP = 4


@pytest.fixture
def sample(services: Services) -> Sample:
    """Screens on which every step's target has texture and surroundings of its own."""
    noise = np.random.default_rng(5).integers(60, 200, (270, 480, 3), dtype=np.uint8)
    frames = []
    for seed in range(6):
        picture = paint(seed, SPOTS)
        for spot in SPOTS:
            area = np.s_[spot.y - 5 : spot.y + 5, spot.x - 16 : spot.x + 16]
            picture[area] = noise[area]
        frames.append(picture)
    return Sample(services.repository.blobs, tuple(frames))


@pytest.fixture
def page(window: MainWindow, memory: Memory) -> LabPage:
    window.open("lab", f"{memory.id}:{STEP}")
    assert wait_ready(window)
    return window.lab


def dialog_of(page: LabPage) -> ReasonDialog:
    return next(one for one in page.findChildren(QDialog) if isinstance(one, ReasonDialog) and one.isVisible())


def test_without_a_step_the_page_says_how_to_get_one(window: MainWindow) -> None:
    window.go("lab")
    assert window.lab._nothing.isVisible()
    assert not window.commands.enabled("lab.live")


@pytest.mark.usefixtures("memory")
class TestOpening:
    def test_l_on_a_step_of_the_timeline_opens_it_on_its_recorded_screen(
        self, window: MainWindow, memory: Memory, qtbot: QtBot
    ) -> None:
        window.open("timeline", f"{memory.id}@1")
        assert wait_ready(window)
        assert not window.commands.enabled("timeline.lab"), "typing has no target"
        qtbot.keyClick(window.timeline.steps, Qt.Key.Key_End)
        qtbot.keyClick(window.timeline.steps, Qt.Key.Key_L)
        assert window.page.name == "lab"
        assert wait_ready(window)
        state = window.lab.state
        assert (state.step, state.role) == (STEP, "target")
        assert state.source is not None
        assert state.source.kind == "recorded"
        assert state.result is not None
        assert state.result.accepted, state.result.sentence
        assert state.heat is not None

    def test_l_on_a_refusal_opens_the_picture_that_the_replay_searched(self, window: MainWindow, qtbot: QtBot) -> None:
        window.open("replay", REFUSED_RUN)
        assert wait_ready(window)
        qtbot.keyClick(window.replay.steps, Qt.Key.Key_L)
        assert window.page.name == "lab"
        assert wait_ready(window)
        source = window.lab.state.source
        assert source is not None
        assert source.stored is not None
        assert (source.stored.run, source.accepted) == (REFUSED_RUN, False)

    def test_a_shot_opens_a_step_on_a_file(self, services: Services, memory: Memory, tmp_path: Path) -> None:
        picture, shot = tmp_path / "a@b.png", tmp_path / "shot.png"
        picture.write_bytes(codec.encode_png(np.zeros((200, 300, 3), np.uint8)))
        services.close()
        assert app.run(services.home, f"lab:{memory.id}:{STEP}:{picture}", shot, "dark", "1440x900") == 0
        assert QImage(str(shot)).width() == 1440


class TestLooking:
    def test_verdict_gauges_table_and_marks_tell_the_same(self, page: LabPage) -> None:
        result = page.state.result
        assert result is not None
        assert page.card.head.text() == "Accepted by context"
        assert page.card.meters[0].accessibleDescription().startswith(f"{result.margin:.3f}")
        assert "context before" in page.panel.table.accessibleDescription()
        assert [mark.label for mark in page.canvas.marks if mark.label.startswith("best")] == [
            f"best {result.best:.3f}"
        ]

    def test_arrows_go_through_the_pictures(self, page: LabPage, window: MainWindow, qtbot: QtBot) -> None:
        assert page.state.position == 0
        qtbot.keyClick(page.canvas, Qt.Key.Key_Right)
        assert wait_ready(window)
        assert page.state.position == 1
        qtbot.keyClick(page.canvas, Qt.Key.Key_Left)
        assert wait_ready(window)
        assert page.state.position == 0

    def test_a_click_on_a_crop_shows_its_map(self, page: LabPage, window: MainWindow) -> None:
        first = page.state.heat
        page.panel.table.chosen.emit(1)
        assert wait_ready(window)
        assert page.state.heat is not None
        assert page.state.heat is not first
        assert page.state.heat.kind is CropKind.WIDE

    def test_an_erased_target_is_refused_in_words(
        self, page: LabPage, window: MainWindow, sample: Sample, tmp_path: Path
    ) -> None:
        target = page.state.memory.program[STEP].targets["target"] if page.state.memory else None
        assert target is not None
        box = next(crop.box for crop in target.crops if crop.kind is CropKind.CONTEXT)
        gone = tmp_path / "gone.png"
        gone.write_bytes(codec.encode_png(perturb.erase(sample.frames[STEP], box)))
        page.choosing.open_file(page, str(gone))
        assert wait_ready(window)
        assert page.card.head.text().startswith("Refused")
        assert page.state.sources[-1] == Source("file", "gone.png")

    def test_a_pasted_picture_is_looked_at(
        self, page: LabPage, window: MainWindow, sample: Sample, qtbot: QtBot
    ) -> None:
        height, width = sample.frames[STEP].shape[:2]
        image = QImage(sample.frames[STEP].tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888)
        # A copy: the clipboard outlives these bytes, and would read freed memory when the program ends.
        QGuiApplication.clipboard().setImage(image.copy())
        qtbot.keyClick(page.canvas, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        assert wait_ready(window)
        assert page.state.source == Source("pasted", "1")
        assert page.state.result is not None
        assert page.state.result.accepted
        QGuiApplication.clipboard().clear()

    def test_what_is_no_picture_is_said_and_the_page_lives_on(
        self, page: LabPage, window: MainWindow, tmp_path: Path
    ) -> None:
        page.choosing.open_file(page, str(tmp_path / "none.png"))
        assert wait_ready(window)
        assert "none.png" in window.messages.toast.words
        assert page.card.head.text() == "Could not be looked at"
        page.show_source(page.state.sources[0])
        assert wait_ready(window)
        assert page.state.result is not None

    def test_a_large_frame_never_holds_the_window(self, page: LabPage, window: MainWindow, qtbot: QtBot) -> None:
        small = lab.screen_of(paint(9, SPOTS)).frame.pixels
        large = np.ascontiguousarray(np.tile(small, (8, 8, 1))[:2160, :3840])
        page.show_source(Source("live", ":8"), lambda: lab.screen_of(large))
        longest, last = 0.0, time.perf_counter()
        while page.searcher.busy:
            qtbot.wait(1)
            longest, last = max(longest, time.perf_counter() - last), time.perf_counter()
        assert page.state.result is not None
        assert longest < 1.0, "the search must not run on the window's thread"

    def test_a_stopped_search_says_so_and_can_be_asked_again(
        self, page: LabPage, window: MainWindow, qtbot: QtBot
    ) -> None:
        page.show_source(page.state.sources[1])
        qtbot.waitUntil(lambda: page.screen_shown is not None)
        running = [job for job in window.work.jobs.running if job.cancel is not None]
        assert running
        for job in running:
            assert job.cancel is not None
            job.cancel()
        assert page.card.head.text() == "Stopped; F5 looks again"
        qtbot.keyClick(page.canvas, Qt.Key.Key_F5)
        assert wait_ready(window)
        assert page.state.result is not None


class TestTuning:
    def test_a_slider_decides_at_once_without_a_search(self, page: LabPage, qtbot: QtBot) -> None:
        before = page.state.result
        slider = page.panel.sliders["eta_match"]
        slider.setFocus()
        slider.set_value(1.0)
        assert page.state.result is before
        assert not page.searcher.busy
        assert page.state.changed
        assert page.panel.save.isEnabled()
        qtbot.keyClick(slider, Qt.Key.Key_Left)
        assert slider.value == pytest.approx(0.99)

    def test_the_arrows_belong_to_a_focused_slider(self, page: LabPage, window: MainWindow, qtbot: QtBot) -> None:
        slider = page.panel.sliders["eta_margin"]
        slider.setFocus()
        qtbot.keyClick(slider, Qt.Key.Key_Right)
        assert page.state.policy.eta_margin == pytest.approx(0.025)
        assert wait_ready(window)
        assert page.state.position == 0

    def test_reset_goes_back(self, page: LabPage, window: MainWindow) -> None:
        page.panel.sliders["eta_margin"].set_value(0.1)
        page.panel.reset.click()
        assert wait_ready(window)
        assert not page.state.changed
        assert not page.panel.save.isEnabled()

    def test_saving_needs_a_reason_and_makes_a_revision_with_its_own_thresholds(
        self, page: LabPage, window: MainWindow, services: Services, memory: Memory
    ) -> None:
        page.panel.sliders["eta_match"].set_value(0.7)
        page.panel.save.click()
        dialog = dialog_of(page)
        assert not dialog.main.isEnabled()
        dialog.write("the font is softer there")
        dialog.main.click()
        assert wait_ready(window)
        stored = services.repository.get(memory.id)
        assert stored.policy == {"eta_match": 0.7}
        assert stored.state is LifecycleState.CANDIDATE
        assert "softer" in services.repository.events(memory.id)[-1].reason
        assert "candidate" in window.messages.toast.words
        assert page.state.base.eta_match == pytest.approx(0.7)
        assert not page.state.changed

    def test_past_replays_that_would_turn_round_are_counted(self, page: LabPage) -> None:
        assert len(page.state.past_rows) == 1
        page.panel.sliders["eta_margin"].set_value(0.005)
        assert [flip.run for flip in page.state.flips] == [REFUSED_RUN]
        assert "refuse → accept" in page.panel.past.accessibleDescription()


class TestPicking:
    @pytest.fixture
    def picking(self, page: LabPage, window: MainWindow, qtbot: QtBot) -> Iterator[LabPage]:
        qtbot.keyClick(page.canvas, Qt.Key.Key_P)
        assert page.canvas.picking
        assert wait_ready(window)
        yield page
        page.bar.pick.setChecked(False)

    def test_it_begins_with_the_target_as_it_is_and_its_margin(self, picking: LabPage) -> None:
        assert picking.picking.proposal is not None
        assert picking.picking.test is not None
        assert picking.picking.card.take.isEnabled()
        assert any("by" in mark.label for mark in picking.canvas._proposal_marks(picking.picking.proposal))

    def test_a_click_proposes_and_a_drag_reshapes_a_crop(
        self, picking: LabPage, window: MainWindow, qtbot: QtBot
    ) -> None:
        canvas = picking.canvas
        target = canvas.target()

        def at(x: float, y: float) -> QPoint:
            return QPointF(target.x() + x * canvas.zoom, target.y() + y * canvas.zoom).toPoint()

        qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=at(200.0, 60.0))
        assert wait_ready(window)
        proposal = picking.picking.proposal
        assert proposal is not None
        assert (proposal.point.x, proposal.point.y) == (200, 60)
        box = proposal.boxes[CropKind.CONTEXT]
        qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=at(box.right, box.center.y))
        qtbot.mouseMove(canvas, at(box.right + 30, box.center.y))
        qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=at(box.right + 30, box.center.y))
        assert wait_ready(window)
        wider = picking.picking.proposal
        assert wider is not None
        assert abs(wider.boxes[CropKind.CONTEXT].right - box.right - 30) <= 2
        assert wider.point == proposal.point

    def test_storing_makes_a_revision_with_the_picked_point(
        self, picking: LabPage, window: MainWindow, services: Services, memory: Memory
    ) -> None:
        picking.picking.card.take.click()
        dialog = dialog_of(picking)
        dialog.write("picked on purpose")
        dialog.main.click()
        assert wait_ready(window)
        stored = services.repository.get(memory.id)
        assert stored.revision == memory.revision + 1
        assert stored.program[STEP].targets["target"].self_test is not None
        assert not picking.canvas.picking
        assert picking.state.memory == stored

    def test_escape_leaves_everything_as_it_was(
        self, picking: LabPage, services: Services, memory: Memory, qtbot: QtBot
    ) -> None:
        qtbot.keyClick(picking.canvas, Qt.Key.Key_Escape)
        assert not picking.canvas.picking
        assert picking.card.isVisible()
        assert services.repository.get(memory.id).revision == memory.revision
