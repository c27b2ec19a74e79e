"""The Timeline page: film strip, step list, centre viewer, inspector; of a memory, a run, or a run under way."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QItemSelectionModel, Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QListView, QSplitter, QVBoxLayout, QWidget

from echostudio.episode.check import Check
from echostudio.episode.lifecycle import LifecycleEvent
from echostudio.episode.memory import Memory, Validation
from echostudio.operations import edit, library
from echostudio.operations.services import Services
from echostudio.studio.looks import STATES, Look
from echostudio.studio.page import Page, Studio
from echostudio.studio.parts.badge import Badge, fact
from echostudio.studio.parts.text import ElidedLabel, label
from echostudio.studio.timeline.dialogs import CheckDialog, FieldDialog
from echostudio.studio.timeline.inspector import Inspector
from echostudio.studio.timeline.state import MODES, TimelineState, gaps, of_memory, of_run, suggested_name
from echostudio.studio.timeline.steps import StepDelegate, StepsModel
from echostudio.studio.timeline.strip import FilmStrip
from echostudio.studio.timeline.viewer import Viewer
from echostudio.studio.wording import count, parameter, when

_SLOWEST_MS: Final = 1600
_LONGEST_PAUSE: Final = 3.0
Loaded = tuple[TimelineState, tuple[LifecycleEvent, ...]]


class TimelinePage(Page):
    """Shows what happened, step by step."""

    def __init__(self, studio: Studio) -> None:
        super().__init__("timeline")
        self._studio = studio
        self.state = TimelineState()
        self.opened = ""
        self._loaded = True
        self.position = 0
        self.speed = 1
        self.viewer = Viewer(studio)
        self.strip = FilmStrip(studio.pictures)
        self.inspector = Inspector(studio.services.settings.reaim)
        self.steps = self._make_steps()
        self._count = label("", "section")
        self._playing = QTimer(self, singleShot=True)
        self._header = self._make_header()
        self._lay_out()
        self._connect()
        self._bind()

    def _make_steps(self) -> QListView:
        view = QListView()
        view.setAccessibleName(self.tr("Steps"))
        view.setMouseTracking(True)
        view.setUniformItemSizes(True)
        view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._model = StepsModel(view)
        view.setModel(self._model)
        view.setItemDelegate(StepDelegate(self._model, view))
        view.selectionModel().currentRowChanged.connect(lambda now, _: self.show_step(now.row()))
        return view

    def _make_header(self) -> QWidget:
        header = QWidget()
        row = QHBoxLayout(header)
        row.setContentsMargins(0, 0, 8, 0)
        row.setSpacing(8)
        self._title = ElidedLabel("", "title")
        row.addWidget(self._title)
        self._badges = (Badge(), Badge(), Badge())
        for badge in self._badges:
            row.addWidget(badge)
        row.addStretch(1)
        return header

    def _lay_out(self) -> None:
        left = QWidget()
        left.setObjectName("leftpanel")
        left.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        left.setMinimumWidth(200)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 12, 0, 8)
        column.setSpacing(6)
        head = QHBoxLayout()
        head.setContentsMargins(18, 0, 12, 0)
        head.addWidget(self._count)
        column.addLayout(head)
        column.addWidget(self.steps, 1)
        right = QWidget()
        right.setObjectName("rightpanel")
        right.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        right.setMinimumWidth(300)
        column = QVBoxLayout(right)
        column.setContentsMargins(1, 0, 0, 0)
        column.addWidget(self.inspector)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        for place, part in enumerate((left, self.viewer, right)):
            split.addWidget(part)
            split.setStretchFactor(place, 1 if place == 1 else 0)
        split.setSizes([280, 760, 336])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(split, 1)
        whole.addWidget(self.strip)

    def _connect(self) -> None:
        self.strip.chosen.connect(self.show_step)
        self._playing.timeout.connect(self._play_on)
        self._studio.bridge.happened.connect(self._happened)
        self.inspector.field_wanted.connect(self._ask_field)
        self.inspector.field_dropped.connect(self._drop_field)
        self.inspector.checks_wanted.connect(self._run_checks)
        self.inspector.check_wanted.connect(self._ask_check)

    def _bind(self) -> None:
        bind = self._studio.commands.bind
        bind("timeline.previous", lambda: self.show_step(self.position - 1))
        bind("timeline.next", lambda: self.show_step(self.position + 1))
        bind("timeline.first", lambda: self.show_step(0))
        bind("timeline.last", lambda: self.show_step(len(self.state.steps) - 1))
        bind("timeline.play", self.toggle_play)
        for speed in range(1, 6):
            bind(f"timeline.speed{speed}", lambda speed=speed: self._set_speed(speed))  # type: ignore[misc]
        for mode in MODES:
            bind(f"timeline.{mode}", lambda mode=mode: self.viewer.show_mode(mode))  # type: ignore[misc]
        bind("timeline.fit", self.viewer.first.fit)
        bind("timeline.actual", self.viewer.first.actual_size)
        bind("timeline.closer", lambda: self.viewer.first.zoom_by(1.25))
        bind("timeline.wider", lambda: self.viewer.first.zoom_by(0.8))
        bind("timeline.marks", self.viewer.toggle_marks)
        bind("timeline.checks", self._run_checks)
        bind("timeline.promote", lambda: self._go("library"))
        bind("timeline.replay", lambda: self._go("replay"))
        bind("timeline.lab", self._open_lab)

    def header(self) -> QWidget:
        """Return title and badges."""
        return self._header

    def deeds(self) -> tuple[str, ...]:
        """Return the buttons of the top bar."""
        if self.state.memory is None:
            return ()
        return ("timeline.checks", "timeline.promote", "timeline.replay")

    def facts(self) -> frozenset[str]:
        """Return what holds: there are steps, and a memory is shown."""
        facts = {"page:timeline"}
        if self.state.steps:
            facts.add("step")
            if self.state.steps[self.state.clamped(self.position)].targets:
                facts.add("target")
        if self.state.memory is not None:
            facts.add("memory")
        return frozenset(facts)

    def status(self) -> str:
        """Return place and speed."""
        if not self.state.steps:
            return ""
        words = self.tr("step {0} of {1}").format(self.position + 1, len(self.state.steps))
        return words + (self.tr(" · playing ×{0}").format(self.speed) if self._playing.isActive() else "")

    def hints(self) -> tuple[str, ...]:
        """Return the keys worth naming."""
        return tuple(f"timeline.{name}" for name in ("next", "before", "after", "difference", "play", "lab", "replay"))

    def ready(self) -> bool:
        """Whether steps and pictures are here."""
        return self._loaded and self.viewer.ready()

    def open(self, ref: str) -> None:
        """Show a memory, or ``run:ID``; ``@N`` behind it goes to its Nth step."""
        ref, _, step = ref.partition("@")
        position = int(step) - 1 if step.isdecimal() else 0
        if ref == self.opened and self.state.steps:
            if step:
                self.show_step(position)
            self.library_changed()
            return
        self.opened, self.position, self._loaded = ref, position, False
        self._take(TimelineState())
        self._load()

    def library_changed(self) -> None:
        """Load the memory again when it may have changed."""
        if self.opened and not self.opened.startswith("run:"):
            self._load()

    def shown(self) -> None:
        """Refresh, and let the keys go to the steps."""
        self.library_changed()
        self.steps.setFocus()

    def closing(self) -> None:
        """Stop playing."""
        self._playing.stop()

    def follow(self, state: TimelineState) -> None:
        """Show another state of the same thing: longer, or edited."""
        self._take(state)

    def show_step(self, position: int) -> None:
        """Go to a step, as near as there is one."""
        if not self.state.steps:
            return
        self.position = self.state.clamped(position)
        index = self._model.index(self.position, 0)
        if self.steps.currentIndex() != index:
            self.steps.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            return
        step = self.state.steps[self.position]
        self.steps.scrollTo(index)
        self.strip.show_current(self.position)
        self.viewer.show_step(self.state, step)
        self.inspector.show_step(self.state, step)
        self.changed.emit()

    def toggle_play(self) -> None:
        """Play from here on, or stop playing."""
        if self._playing.isActive():
            self._playing.stop()
        else:
            if self.position >= len(self.state.steps) - 1:
                self.show_step(0)
            self._playing.start(self._pause_ms())
        self.changed.emit()

    def _set_speed(self, speed: int) -> None:
        self.speed = speed
        self.changed.emit()

    def _play_on(self) -> None:
        if self.position < len(self.state.steps) - 1:
            self._playing.start(1)
            self.show_step(self.position + 1)
            self._playing.start(self._pause_ms())
        self.changed.emit()

    def _pause_ms(self) -> int:
        """Return how long this step stays: its recorded pause, bounded, divided by the speed."""
        following = min(self.position + 1, len(self.state.steps) - 1)
        pause = min(_LONGEST_PAUSE, max(0.5, gaps(self.state)[following])) if self.state.steps else 0.5
        return max(60, min(_SLOWEST_MS, round(1000 * pause)) // self.speed)

    def _load(self) -> None:
        services = self._studio.services
        self._studio.work.ask(self, "load", services.jobs.pool(_load, services, self.opened), self._came, self._failed)

    def _came(self, loaded: Loaded) -> None:
        state, events = loaded
        self._loaded = True
        self._take(state)
        self.inspector.show_log(events, state)

    def _failed(self, error: object) -> None:
        self._loaded = True
        self._studio.work.failed.emit(error)

    def _take(self, state: TimelineState) -> None:
        was_run = self.state.memory is None
        self.state = state
        self._model.show_state(state)
        self.strip.show_state(state)
        self._show_header()
        if state.steps:
            self.show_step(self.position)
        else:
            self.viewer.show_step(state, None)
        if was_run != (state.memory is None):
            self.refreshed.emit()
        self.changed.emit()

    def _show_header(self) -> None:
        state, memory = self.state, self.state.memory
        self._title.setText(state.title)
        kept, total = state.kept, len(state.steps)
        self._count.setText(count(total, "step") + (f" · {kept} kept" if kept != total else ""))
        looks: tuple[Look | None, ...] = (None, None, None)
        if memory is not None:
            looks = (
                STATES[memory.state],
                fact(memory.app.program),
                fact(f"rev {memory.revision} · {when(memory.created)}"),
            )
        elif state.run is not None:
            end = Look("record-fill", "recording", "failed") if state.run.live else fact("run", "record")
            looks = (end, fact(state.run.source.value), fact(when(state.run.started)))
        for badge, look in zip(self._badges, looks, strict=True):
            badge.show_look(look)

    def _happened(self, event: object) -> None:
        state = self.state
        if state.run is not None and state.memory is None and state.run.live:
            newer = state.apply(event)
            if newer is not state and (newer.run is None or newer.run.id == state.run.id):
                self._take(newer)

    def _go(self, page: str) -> None:
        if self.state.memory is not None:
            self.wants.emit(page, self.state.memory.id)

    def _open_lab(self) -> None:
        step = self.state.steps[self.state.clamped(self.position)]
        if self.state.memory is not None and step.index is not None:
            self.wants.emit("lab", f"{self.state.memory.id}:{step.index}")

    def _ask_field(self, action_index: int, path: str) -> None:
        memory = self.state.memory
        if memory is None:
            return
        step = next(one for one in self.state.steps if one.index == action_index)
        taken = [field.name for field in memory.fields]
        recorded = parameter(step.action.parameters.get(path)) if step.action else ""
        name = suggested_name(step, path, taken)
        dialog = FieldDialog(name, f"{step.words} · {path}", recorded, taken, self)
        dialog.accepted.connect(lambda: self._add_field(dialog, action_index, path))
        dialog.open()

    def _add_field(self, dialog: FieldDialog, action_index: int, path: str) -> None:
        memory, services = self.state.memory, self._studio.services
        if memory is None:
            return
        future = services.jobs.store(
            edit.add_field, services, memory.id, dialog.name.text(), action_index, path, dialog.chosen_kind,
            dialog.pattern, dialog.choices,
        )  # fmt: skip
        self._studio.work.ask(self, "edit", future, self._edited, words=self.tr("Declaring a field"))

    def _drop_field(self, name: str) -> None:
        if self.state.memory is not None:
            services = self._studio.services
            future = services.jobs.store(edit.remove_field, services, self.state.memory.id, name)
            self._studio.work.ask(self, "edit", future, self._edited, words=self.tr("Making a field fixed"))

    def _ask_check(self) -> None:
        if self.state.memory is not None:
            dialog = CheckDialog([field.name for field in self.state.memory.fields], self)
            dialog.accepted.connect(lambda: self._add_check(dialog.check))
            dialog.open()

    def _add_check(self, check: Check) -> None:
        if self.state.memory is not None:
            services = self._studio.services
            future = services.jobs.store(edit.add_check, services, self.state.memory.id, check)
            self._studio.work.ask(self, "edit", future, self._edited, words=self.tr("Adding a check"))

    def _run_checks(self) -> None:
        if self.state.memory is not None:
            services = self._studio.services
            future = services.jobs.store(edit.run_checks, services, self.state.memory.id)
            self._studio.work.ask(self, "checks", future, self._checked, words=self.tr("Running the checks"))

    def _edited(self, memory: Memory) -> None:
        self.said.emit(self.tr("Revision {0} is stored as a candidate.").format(memory.revision))
        self._load()

    def _checked(self, validation: Validation) -> None:
        self.inspector.setCurrentIndex(4)
        passed = sum(result.passed is True for result in validation.results)
        self.said.emit(self.tr("{0} of {1} passed.").format(passed, count(len(validation.results), "check")))
        self._load()


def _load(services: Services, ref: str) -> Loaded:
    """Read a memory or a run; runs in the pool."""
    if ref.startswith("run:"):
        return of_run(library.run(services, ref.removeprefix("run:"))), ()
    return of_memory(library.memory(services, ref)), tuple(library.history(services, ref))
