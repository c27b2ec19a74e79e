"""The Record page: where and what for above, the desktop in the middle, the steps beside it, the health below."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSplitter, QStackedLayout, QVBoxLayout, QWidget

from echostudio.desktop.controller import VirtualInfo
from echostudio.episode.happening import RunStarted
from echostudio.errors import EchoError
from echostudio.operations import consolidate as consolidating
from echostudio.operations.consolidate import Consolidated
from echostudio.operations.record import Recorded
from echostudio.operations.services import Services
from echostudio.studio.commands import TABLE, key_text
from echostudio.studio.looks import Look
from echostudio.studio.page import Page, Studio
from echostudio.studio.parts.badge import Badge, fact
from echostudio.studio.parts.text import label
from echostudio.studio.record.cards import HowTo, NoteLine, SummaryCard
from echostudio.studio.record.health import HealthStrip
from echostudio.studio.record.hud import Hud
from echostudio.studio.record.session import Session
from echostudio.studio.record.stage import Stage
from echostudio.studio.record.state import Phase, RecordState, figures, standing
from echostudio.studio.record.steps import StepsPane
from echostudio.studio.wording import count

_CLOCK_MS: Final = 500


class RecordPage(Page):
    """Records demonstrations."""

    def __init__(self, studio: Studio) -> None:
        super().__init__("record")
        self._studio = studio
        self.state = RecordState()
        self._start_after = False
        self.session = Session(studio, self)
        self.hud = Hud()
        self.intent = QLineEdit()
        self.stage = Stage(studio)
        self.place, self.view, self.countdown = self.stage.bar, self.stage.view, self.stage.countdown
        self.summary, self.note = SummaryCard(), NoteLine()
        self.steps = StepsPane(studio.pictures, studio.services.settings.reaim)
        self.health = HealthStrip()
        self._clock = QTimer(self, interval=_CLOCK_MS)
        self._header = self._make_header()
        self._lay_out()
        self._connect()
        self._bind()
        self._show(self.state)

    def _make_header(self) -> QWidget:
        header = QWidget()
        row = QHBoxLayout(header)
        row.setContentsMargins(0, 0, 8, 0)
        row.setSpacing(8)
        row.addWidget(label(self.tr("Record"), "title"))
        self._badges = (Badge(), Badge(), Badge())
        for badge in self._badges:
            row.addWidget(badge)
        row.addStretch(1)
        return header

    def _lay_out(self) -> None:
        self.intent.setAccessibleName(self.tr("What is this for?"))
        self.intent.setPlaceholderText(self.tr("In a few words, like: Save the day's notes as a text file"))
        asked = QHBoxLayout()
        asked.setSpacing(10)
        asked.addWidget(label(self.tr("What is this for?"), tone="muted"))
        asked.addWidget(self.intent, 1)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(14, 12, 14, 10)
        column.setSpacing(10)
        column.addLayout(asked)
        column.addWidget(self.place)
        column.addWidget(self.summary)
        column.addWidget(self.note)
        column.addWidget(self.stage, 1)
        right = QWidget()
        right.setObjectName("rightpanel")
        right.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        right.setMinimumWidth(280)
        self._right = QStackedLayout(right)
        self._right.setContentsMargins(1, 0, 0, 0)
        self._right.addWidget(HowTo())
        self._right.addWidget(self.steps)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        for at, part in enumerate((left, right)):
            split.addWidget(part)
            split.setStretchFactor(at, 1 - at)
        split.setSizes([1030, 346])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(split, 1)
        whole.addWidget(self.health)

    def _connect(self) -> None:
        self.stage.changed.connect(self.changed)
        self.stage.made.connect(self._made)
        self.stage.not_made.connect(self._not_made)
        self.view.given_back.connect(self.intent.setFocus)
        self.intent.returnPressed.connect(self.stage.take_keys)
        self.note.written.connect(lambda words: self.session.control.note(words))
        self.note.left.connect(self.stage.take_keys)
        self.summary.consolidated.connect(self._consolidate)
        self.summary.opened.connect(self._open_timeline)
        self.summary.closed.connect(self.summary.hide)
        self.steps.warning.undo.connect(self._undo)
        self.session.counted.connect(self._counted)
        self.session.began.connect(lambda: self._clock.start())
        self.session.ended.connect(self._ended)
        self.session.failed.connect(self._failed)
        self.session.measured.connect(lambda size: self._show(self.state.with_health(self.state.health, size)))
        self._clock.timeout.connect(self._tick)
        self._studio.bridge.happened.connect(self._happened)

    def _bind(self) -> None:
        bind, control = self._studio.commands.bind, lambda: self.session.control
        bind("record.start", self.start)
        bind("record.stop", self.stop)
        bind("record.pause", lambda: self._steer(lambda: self.session.pause(True)))
        bind("record.resume", lambda: self._steer(lambda: self.session.pause(False)))
        bind("record.private", lambda: self._steer(lambda: control().private(True)))
        bind("record.public", lambda: self._steer(lambda: control().private(False)))
        bind("record.ignore", lambda: self._steer(lambda: control().ignore(True)))
        bind("record.listen", lambda: self._steer(lambda: control().ignore(False)))
        bind("record.mark", self._mark)
        bind("record.note", self._note)
        bind("record.undo", self._undo)
        bind("record.consolidate", self._consolidate)
        bind("record.timeline", self._open_timeline)

    # What the main window asks

    def header(self) -> QWidget:
        """Return title, state and place."""
        return self._header

    def deeds(self) -> tuple[str, ...]:
        """Return the buttons of the top bar: steering while it records, else the start."""
        if not self.state.busy:
            return ("record.start",)
        if self.state.phase is not Phase.RECORDING:
            return ("record.stop",)
        control = self.session.control
        return (
            "record.resume" if control.paused else "record.pause",
            "record.public" if control.is_private else "record.private",
            "record.listen" if control.ignoring else "record.ignore",
            "record.note",
            "record.undo",
            "record.stop",
        )

    def facts(self) -> frozenset[str]:
        """Return what holds on this page."""
        facts = {"page:record"}
        if not self.state.busy and self.place.place.good and not self.stage.making:
            facts.add("can-record")
        if self.state.phase is Phase.DONE and self.state.steps:
            facts.add("recorded")
        return frozenset(facts) | self.live_facts()

    def live_facts(self) -> frozenset[str]:
        """Return what holds of a recording on every page, so that its keys work everywhere."""
        if not self.session.running:
            return frozenset()
        facts = {"recording"}
        if self.state.phase is Phase.RECORDING:
            control = self.session.control
            facts.add("rec-paused" if control.paused else "rec-going")
            facts.add("rec-private" if control.is_private else "rec-open")
            facts.add("rec-ignoring" if control.ignoring else "rec-listening")
            if self.state.last is not None:
                facts.add("rec-step")
        return frozenset(facts)

    def status(self) -> str:
        """Return what is safe on disk."""
        if self.state.phase is Phase.RECORDING:
            return self.tr("nothing is lost if the power goes: {0} on disk").format(
                count(self.state.done_steps, self.tr("step"), self.tr("steps"))
            )
        return ""

    def hints(self) -> tuple[str, ...]:
        """Return the keys worth naming."""
        return tuple(f"record.{name}" for name in ("start", "stop", "pause", "resume", "private", "public", "undo"))

    def ready(self) -> bool:
        """Whether the chosen desktop is shown."""
        return self.stage.ready

    def shown(self) -> None:
        """Let the person go on where it matters."""
        if not self.intent.text():
            self.intent.setFocus()
        else:
            self.stage.take_keys()

    def show_desktops(self, running: tuple[VirtualInfo, ...]) -> None:
        """Offer the virtual desktops that run."""
        if not self.state.busy:
            self.place.show_desktops(running)

    def select(self, display: str) -> None:
        """Choose a desktop by its display."""
        self.place.choose(display)

    def closing(self) -> None:
        """End the recording, and let go of the desktop."""
        self._clock.stop()
        self.session.close()
        self.view.close_link()
        self.hud.end()
        self.hud.deleteLater()

    def _made(self) -> None:
        """Go on where the person wanted to get with the new desktop."""
        if self._start_after:
            self._start_after = False
            self.start()
        else:
            self.shown()

    def _not_made(self) -> None:
        self._start_after = False

    # Recording

    def start(self) -> None:
        """Begin to record where it was chosen; a new desktop is made first."""
        place = self.place.place
        if self.state.busy or not place.good:
            return
        if not self.intent.text().strip():
            self.intent.setFocus()
            self.said.emit(self.tr("Say in a few words what it is for, then start."))
            return
        if place.new:
            self._start_after = True
            self.stage.make()
            return
        self.summary.hide()
        seconds = int(self.place.countdown.currentData())
        intent = self.intent.text().strip()
        self._show(RecordState(phase=Phase.COUNTDOWN if seconds else Phase.STARTING, intent=intent))
        self.refreshed.emit()
        if place.host:
            self.hud.begin()
            self.window().showMinimized()
        self.stage.take_keys()
        self.session.start(place.display, intent, seconds, self.hud.boxes if place.host else None)

    def stop(self) -> None:
        """End the recording."""
        if self.state.busy:
            waiting = self.state.phase is Phase.COUNTDOWN
            self._show(self.state.at(Phase.STOPPING))
            self.refreshed.emit()
            if waiting:
                self._counted(0)
            self.session.stop()

    def _counted(self, left: int) -> None:
        self.countdown.show_left(left)
        if self.state.phase is Phase.COUNTDOWN:
            self._show(self.state if left else self.state.at(Phase.STARTING))
            self._tell_hud(str(left) if left else "")

    def _happened(self, event: object) -> None:
        newer = self.state.apply(event)
        if isinstance(event, RunStarted) and newer is not self.state:
            self.session.live(newer.run)
        if newer is not self.state:
            grown = len(newer.steps) != len(self.state.steps)
            moved = (newer.phase, newer.mode) != (self.state.phase, self.state.mode)
            if newer.phase is Phase.DONE:
                newer = newer.at(self.state.phase if self.session.running else Phase.DONE)
            self._show(newer)
            if moved or (grown and len(newer.steps) == 1):
                self.refreshed.emit()

    def _steer(self, deed: Callable[[], None]) -> None:
        deed()
        self._show(self.state)
        self.refreshed.emit()

    def _mark(self) -> None:
        self.session.control.mark()
        self.said.emit(self.tr("This moment is marked."))

    def _note(self) -> None:
        last = self.state.last
        if last is not None:
            self.note.begin(last.number)

    def _undo(self) -> None:
        self.session.control.undo_last()
        self.stage.take_keys()

    def _ended(self, recorded: Recorded | None) -> None:
        self._clock.stop()
        self._come_back()
        if recorded is None:
            self._show(RecordState())
        else:
            done = self.state.at(Phase.DONE).with_health(recorded.health)
            self._show(done)
            self.summary.show_state(done, self.session.spent)
            (self.summary.consolidate if done.steps else self.intent).setFocus()
        self.refreshed.emit()

    def _failed(self, error: EchoError) -> None:
        self._clock.stop()
        self._come_back()
        self._show(self.state.at(Phase.DONE) if self.state.run else RecordState())
        self.refreshed.emit()
        self._studio.work.failed.emit(error)

    def _come_back(self) -> None:
        self.countdown.show_left(0)
        self.note.hide()
        if self.hud.isVisible():
            self.hud.end()
            self.window().showNormal()
            self.window().raise_()
            self.window().activateWindow()

    # Afterwards

    def _consolidate(self) -> None:
        services = self._studio.services
        future = services.jobs.store(_consolidate, services, self.state.run, self.session.rest())
        words = self.tr("Consolidating {0}").format(self.state.intent)
        self._studio.work.ask(self, "consolidate", future, self._consolidated, words=words)

    def _consolidated(self, done: Consolidated) -> None:
        if done.memory is None:
            self.said.emit(self.tr("This recording holds no step that could be replayed."))
            return
        self.summary.hide()
        self.said.emit(self.tr("“{0}” is a candidate now.").format(done.memory.intent))
        self.wants.emit("timeline", done.memory.id)

    def _open_timeline(self) -> None:
        self.wants.emit("timeline", f"run:{self.state.run}")

    # Showing

    def _show(self, state: RecordState) -> None:
        self.state = state
        self.steps.show_state(state)
        self._right.setCurrentIndex(1 if state.busy or state.steps else 0)
        self.health.setVisible(bool(state.run))
        self.health.show_figures(figures(state))
        self.view.show_recording(state.phase is Phase.RECORDING and not self.session.control.paused)
        # Disabled, not hidden: the desktop must not move under the pointer when the recording begins.
        self.place.setEnabled(not state.busy)
        self.intent.setReadOnly(state.busy)
        self._show_badges()
        self._tell_hud()
        self.changed.emit()

    def _look(self) -> Look | None:
        return standing(self.state, self.session.control.state, self.session.spent)

    def _show_badges(self) -> None:
        self._badges[0].show_look(self._look())
        busy = self.state.busy
        self._badges[1].show_look(fact(self.stage.words, "monitor") if busy else None)
        self._badges[2].show_look(fact(self.state.screen) if busy and self.state.screen else None)

    def _tell_hud(self, left: str = "") -> None:
        look = self._look()
        if look is None or not self.hud.isVisible():
            return
        last = self.state.last
        words = last.words if last is not None else self.state.intent
        words = self.tr("begins in {0}").format(left) if left else words
        self.hud.show_state(look, words, self.tr("{0} stops").format(key_text(TABLE["record.stop"].keys)))

    def _tick(self) -> None:
        self._show_badges()
        self._tell_hud()


def _consolidate(services: Services, run: str, rested: Callable[[], None]) -> Consolidated:
    """Consolidate a run once nobody packs its pictures; runs in the store's worker."""
    rested()
    return consolidating.consolidate(services, run)
