"""The Record page and the view of a desktop: what goes in, what is shown, and a whole recording with its end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from echostudio.actionlens.control import RecordControl
from echostudio.actionlens.runfolder import RunWriter
from echostudio.cancel import CancelToken
from echostudio.desktop.controller import VirtualInfo
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import DesktopPoint, ScreenMap
from echostudio.episode.happening import HealthChanged, RunFinished, RunStarted, StepRecorded
from echostudio.episode.run import Health
from echostudio.episode.step import StepStatus
from echostudio.errors import DesktopError
from echostudio.operations import desktop
from echostudio.operations.record import Recorded
from echostudio.operations.services import Services
from echostudio.studio.app import wait_ready
from echostudio.studio.main_window import MainWindow
from echostudio.studio.record import session
from echostudio.studio.record.desktop_view import DesktopView
from echostudio.studio.record.hud import Hud
from echostudio.studio.record.place import parse_command, parse_size
from echostudio.studio.record.state import Phase
from tests.studio.samples import Sample
from tests.studio.test_pages import _unnamed as unnamed

SIZE = (800, 400)
MODIFIERS = (0xFFE1, 0xFFE3, 0xFFE9)
RUN = "20261130-180000-cafe"


class Hand:
    """Notes what is done with a desktop."""

    def __init__(self) -> None:
        self.done: list[tuple[object, ...]] = []

    def move(self, point: DesktopPoint) -> None:
        self.done.append(("move", point.x, point.y))

    def button(self, button: str, pressed: bool) -> None:
        self.done.append(("button", button, pressed))

    def scroll(self, dx: int, dy: int) -> None:
        self.done.append(("scroll", dx, dy))

    def key(self, code: int, keysym: int, pressed: bool) -> None:
        self.done.append(("key", keysym, pressed))

    def text(self, text: str) -> None:
        self.done.append(("text", text))

    def release(self) -> None:
        self.done.append(("release",))


class Painted:
    """A desktop that shows one colour and has a hand; it can be lost."""

    def __init__(self) -> None:
        self.colour = 40
        self.hand = Hand()
        self.lost = False
        self.closed = threading.Event()
        self.threads: set[str] = set()

    def grab(self) -> Frame:
        self.threads.add(threading.current_thread().name)
        if self.lost:
            raise DesktopError("The desktop :7 is gone.")
        pixels = np.full((SIZE[1], SIZE[0], 3), self.colour, np.uint8)
        return Frame(pixels, 0.0, ScreenMap.single(*SIZE))

    def direct_input(self) -> Hand:
        return self.hand

    def close(self) -> None:
        self.closed.set()


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> Painted:
    made = Painted()
    monkeypatch.setattr(desktop, "look", lambda display: made)
    info = VirtualInfo(":7", 1, *SIZE)
    monkeypatch.setattr(desktop, "running", lambda: (info,))
    return made


@pytest.fixture
def view(qtbot: QtBot, services: Services, painted: Painted, qapp: QApplication) -> Iterator[DesktopView]:
    """A view of the painted desktop at half its size, with the focus."""
    shown = DesktopView(services)
    qtbot.addWidget(shown)
    shown.resize(410, 300)
    with qtbot.waitActive(shown):
        shown.show()
        shown.activateWindow()
    shown.show_desktop(":7")
    qtbot.waitUntil(lambda: shown.image is not None)
    shown.setFocus()
    yield shown
    shown.close_link()
    services.jobs.close()
    assert painted.closed.wait(2)


def done(qtbot: QtBot, painted: Painted, *wanted: tuple[object, ...]) -> None:
    qtbot.waitUntil(lambda: painted.hand.done[-len(wanted) :] == list(wanted), timeout=3000)


def pressed(painted: Painted) -> list[object]:
    """Return the keys that went down, without modifiers."""
    return [deed[1] for deed in painted.hand.done if deed[0] == "key" and deed[2] and deed[1] not in MODIFIERS]


class TestDesktopView:
    def test_it_is_scaled_to_fit_and_follows_what_changes(
        self, view: DesktopView, painted: Painted, qtbot: QtBot
    ) -> None:
        assert view.zoom == 0.5
        qtbot.waitUntil(lambda: view.image is not None and view.image.width() == 400)
        painted.colour = 200
        qtbot.waitUntil(lambda: view.image is not None and view.image.pixelColor(5, 5).red() == 200)
        assert all(name.startswith("desk:7 eyes") for name in painted.threads)

    def test_actual_size_shows_the_part_around_the_pointer(
        self, view: DesktopView, painted: Painted, qtbot: QtBot
    ) -> None:
        view.show_actual(True)
        qtbot.waitUntil(lambda: view.image is not None and view.image.width() == 800)
        place, none = QPointF(405, 5), Qt.MouseButton.NoButton
        kind, held = QMouseEvent.Type.MouseMove, Qt.KeyboardModifier.NoModifier
        QApplication.sendEvent(view, QMouseEvent(kind, place, view.mapToGlobal(place), none, none, held))
        done(qtbot, painted, ("move", 799, 0))
        assert view.to_desktop(QPointF(5, 5)) == DesktopPoint(400, 0)

    def test_mouse_places_are_converted(self, view: DesktopView, painted: Painted, qtbot: QtBot) -> None:
        QTest.mouseClick(view, Qt.MouseButton.RightButton, pos=QPoint(5 + 100, 5 + 50))
        done(
            qtbot,
            painted,
            ("move", 200, 100),
            ("button", "right", True),
            ("move", 200, 100),
            ("button", "right", False),
        )

    def test_a_click_beside_the_picture_does_nothing(self, view: DesktopView, painted: Painted, qtbot: QtBot) -> None:
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(100, 290))
        QTest.keyClick(view, Qt.Key.Key_X)
        done(qtbot, painted, ("key", ord("x"), True), ("key", ord("x"), False))
        assert not [deed for deed in painted.hand.done if deed[0] == "button"]

    def test_a_drag_that_leaves_the_picture_ends_inside_it(
        self, view: DesktopView, painted: Painted, qtbot: QtBot
    ) -> None:
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(105, 55))
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(105, 295))
        done(qtbot, painted, ("move", 200, 399), ("button", "left", False))

    def test_whole_wheel_ticks_go_in(self, view: DesktopView, painted: Painted, qtbot: QtBot) -> None:
        for _ in range(3):
            place = QPointF(50, 50)
            event = QWheelEvent(
                place, place, QPoint(), QPoint(0, -80), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
                Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            QApplication.sendEvent(view, event)
        done(qtbot, painted, ("scroll", 0, 1), ("scroll", 0, 1))

    def test_keys_go_in_tab_and_shortcuts_too(self, view: DesktopView, painted: Painted, qtbot: QtBot) -> None:
        QTest.keyClick(view, Qt.Key.Key_Tab)
        QTest.keyClick(view, "A", Qt.KeyboardModifier.ShiftModifier)
        QTest.keyClick(view, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
        keys = [0xFF09, ord("A"), ord("q")]
        qtbot.waitUntil(lambda: pressed(painted) == keys)
        assert view.hasFocus()

    def test_the_recordings_own_keys_stay_out(self, view: DesktopView, painted: Painted, qtbot: QtBot) -> None:
        QTest.keyClick(view, Qt.Key.Key_F9)
        QTest.keyClick(view, Qt.Key.Key_F9, Qt.KeyboardModifier.ShiftModifier)
        QTest.keyClick(view, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda: ("key", 0xFF0D, True) in painted.hand.done)
        assert pressed(painted) == [0xFF0D]

    def test_ctrl_and_alt_give_the_keys_back_with_nothing_held(
        self, view: DesktopView, painted: Painted, qtbot: QtBot
    ) -> None:
        with qtbot.waitSignal(view.given_back):
            QTest.keyPress(view, Qt.Key.Key_Control)
            QTest.keyPress(view, Qt.Key.Key_Alt, Qt.KeyboardModifier.ControlModifier)
            QTest.keyRelease(view, Qt.Key.Key_Alt, Qt.KeyboardModifier.ControlModifier)
        assert not view.has_keys
        done(qtbot, painted, ("release",))

    def test_a_chord_with_ctrl_and_alt_does_not(self, view: DesktopView, painted: Painted, qtbot: QtBot) -> None:
        both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        QTest.keyPress(view, Qt.Key.Key_Control)
        QTest.keyPress(view, Qt.Key.Key_Alt, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClick(view, Qt.Key.Key_T, both)
        QTest.keyRelease(view, Qt.Key.Key_Alt, both)
        QTest.keyRelease(view, Qt.Key.Key_Control)
        qtbot.waitUntil(lambda: ("key", 0xFFE3, False) in painted.hand.done)
        assert view.has_keys

    def test_a_lost_desktop_is_said(self, view: DesktopView, painted: Painted, qtbot: QtBot) -> None:
        with qtbot.waitSignal(view.lost):
            painted.lost = True
        assert view.message == "The desktop :7 is gone."
        assert view.display == ""
        assert painted.closed.wait(2)


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch, sample: Sample) -> Sample:
    """A recorder that writes three steps of a real run folder and waits for its end."""

    def record(
        services: Services, display: str, intent: str, token: CancelToken, control: RecordControl, boxes: object
    ) -> Recorded:
        run = sample.run(RUN)
        manifest = replace(run.manifest, intent=intent, ended=None, complete=False, health=Health())
        writer = RunWriter.create(services.runs, manifest)
        services.bus.publish(RunStarted(manifest, str(writer.path)))
        for frame in sample.frames:
            writer.blobs.put(frame)
        for step in run.steps[:3]:
            services.bus.publish(StepRecorded(RUN, replace(step, status=StepStatus.UNFINISHED)))
            writer.write_before(step)
            writer.write_after(step)
            services.bus.publish(StepRecorded(RUN, step))
        health = Health(30, 30, oldest_before_ms=22.0)
        services.bus.publish(HealthChanged(RUN, health, control.state, 0.4, 500))
        token.wait(20)
        writer.close(health, True)
        services.bus.publish(RunFinished(RUN, True, health))
        return Recorded(RUN, writer.path, 3, health)

    monkeypatch.setattr(session, "_record", record)
    return sample


def begin(window: MainWindow, qtbot: QtBot) -> None:
    window.go("record")
    page = window.record
    qtbot.waitUntil(lambda: page.view.image is not None)
    page.intent.setText("Save the notes")
    QTest.keyClick(page.intent, Qt.Key.Key_F9)
    qtbot.waitUntil(lambda: len(page.state.steps) == 3 and page.state.health.captured == 30)


@pytest.mark.usefixtures("painted", "recorder")
class TestRecording:
    def test_a_desktop_that_runs_is_chosen_and_shown(self, window: MainWindow, qtbot: QtBot) -> None:
        window.go("record")
        qtbot.waitUntil(lambda: window.record.view.image is not None)
        assert window.record.view.display == ":7"
        assert wait_ready(window)

    def test_without_an_intent_nothing_starts(self, window: MainWindow, qtbot: QtBot) -> None:
        window.go("record")
        qtbot.waitUntil(lambda: window.record.view.display == ":7")
        window.commands.run("record.start")
        assert window.record.state.phase is Phase.IDLE
        assert window.record.intent.hasFocus()
        assert "what it is for" in window.messages.toast.words

    def test_f9_records_and_f9_stops_also_from_inside_the_desktop(self, window: MainWindow, qtbot: QtBot) -> None:
        begin(window, qtbot)
        page = window.record
        assert page.view.has_keys
        assert page.view.recording
        assert page.deeds()[-1] == "record.stop"
        assert page.steps.model.index(0, 0).data() == "Click “Save As…”"
        assert page.health.figures[0].words == "30 / 30"
        QTest.keyClick(page.view, Qt.Key.Key_F9)
        qtbot.waitUntil(lambda: page.state.phase is Phase.DONE)
        assert page.summary.words.startswith("3 steps in")
        assert page.state.complete

    def test_it_can_be_stopped_from_another_page(self, window: MainWindow, qtbot: QtBot) -> None:
        begin(window, qtbot)
        window.go("library")
        assert window.commands.enabled("record.stop")
        window.commands.run("record.stop")
        qtbot.waitUntil(lambda: window.record.state.phase is Phase.DONE)
        assert not window.commands.enabled("record.stop")

    def test_pause_private_and_ignore_turn_their_switches(self, window: MainWindow, qtbot: QtBot) -> None:
        begin(window, qtbot)
        control, commands = window.record.session.control, window.commands
        commands.run("record.pause")
        assert control.paused
        assert not window.record.view.recording
        spent = window.record.session.spent
        commands.run("record.private")
        commands.run("record.ignore")
        assert (control.is_private, control.ignoring) == (True, True)
        assert window.record._badges[0].accessibleName().startswith("private")
        for name in ("public", "listen", "resume"):
            commands.run(f"record.{name}")
        assert control.state == "recording"
        assert window.record.session.spent == pytest.approx(spent, abs=0.5)
        window.record.stop()

    def test_a_note_goes_to_the_last_step(self, window: MainWindow, qtbot: QtBot) -> None:
        begin(window, qtbot)
        page = window.record
        window.commands.run("record.note")
        qtbot.keyClicks(page.note.line, "only on Mondays")
        QTest.keyClick(page.note.line, Qt.Key.Key_Return)
        assert [order.text for order in page.session.control.due(float("inf"))] == ["only on Mondays"]
        assert page.note.isHidden()
        assert page.view.has_keys
        page.stop()

    def test_consolidate_makes_the_candidate_and_opens_it(
        self, window: MainWindow, services: Services, qtbot: QtBot
    ) -> None:
        begin(window, qtbot)
        window.record.stop()
        qtbot.waitUntil(lambda: window.record.summary.isVisible())
        QTest.keyClick(window.record.summary.consolidate, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: window.page.name == "timeline", timeout=10_000)
        assert wait_ready(window)
        memory = window.timeline.state.memory
        assert memory is not None
        assert (memory.intent, memory.source_run, len(memory.program)) == ("Save the notes", RUN, 3)

    def test_a_countdown_can_be_called_off(self, window: MainWindow, qtbot: QtBot) -> None:
        window.go("record")
        page = window.record
        qtbot.waitUntil(lambda: page.view.display == ":7")
        page.intent.setText("Save the notes")
        page.place.countdown.setCurrentIndex(1)
        page.start()
        assert page.countdown.isVisible()
        assert page.state.phase is Phase.COUNTDOWN
        page.stop()
        assert page.state.phase is Phase.IDLE
        assert page.countdown.isHidden()

    def test_a_new_desktop_is_made_first_when_one_is_wanted(
        self, window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[object] = []

        def up(width: int, height: int, *, programs: object) -> VirtualInfo:
            asked.append((width, height, programs))
            return VirtualInfo(":8", 1, *SIZE)

        monkeypatch.setattr(desktop, "up", up)
        window.go("record")
        page = window.record
        qtbot.waitUntil(lambda: page.view.display == ":7")
        monkeypatch.setattr(window, "_look_around", lambda: None)
        page.place.choice.setCurrentIndex(page.place.choice.findData("new"))
        page.place._chosen = True
        page.place.extent.setText("1024x768")
        page.place.program.setText("mousepad notes.txt")
        page.intent.setText("Save the notes")
        page.start()
        qtbot.waitUntil(lambda: len(page.state.steps) == 3)
        assert asked == [(1024, 768, [("mousepad", "notes.txt")])]
        assert page.view.display == ":8"
        page.stop()

    def test_every_control_has_a_name_for_those_who_cannot_see_it(self, window: MainWindow, qtbot: QtBot) -> None:
        begin(window, qtbot)
        window.commands.run("record.note")
        assert [type(widget).__name__ for widget in unnamed(window)] == []
        window.record.stop()
        qtbot.waitUntil(lambda: window.record.summary.isVisible())
        assert [type(widget).__name__ for widget in unnamed(window)] == []

    def test_closing_the_studio_ends_the_recording_in_order(
        self, window: MainWindow, services: Services, qtbot: QtBot
    ) -> None:
        begin(window, qtbot)
        window.close()
        services.jobs.close()
        from echostudio.operations import library

        assert library.run(services, RUN).manifest.complete


def test_the_strip_covers_its_old_and_its_new_place_while_it_moves(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    hud = Hud()
    qtbot.addWidget(hud)
    near = [False]
    monkeypatch.setattr(Hud, "_near", staticmethod(lambda place: near[0] and place == hud.geometry()))
    hud.begin()
    low = hud.geometry()
    assert [(box.x, box.y) for box in hud.boxes()] == [(low.x(), low.y())]
    near[0] = True
    hud.step_aside()
    assert hud.geometry().y() < low.y()
    assert {box.y for box in hud.boxes()} == {low.y(), hud.geometry().y()}
    hud.end()
    assert {box.y for box in hud.boxes()} == {hud.geometry().y()}
    qtbot.waitUntil(lambda: hud.boxes() == ())


def test_sizes_and_commands_as_they_are_written() -> None:
    assert parse_size(" 1600 x 900 ") == (1600, 900)
    assert [parse_size(words) for words in ("", "10x10", "99999x900", "wide")] == [None] * 4
    assert parse_command('gedit "my file.txt"') == ("gedit", "my file.txt")
    assert parse_command("") == ()
    assert parse_command('gedit "my') is None
