"""The Replay page: values, place, gates and steps on the left; the screen in the middle; the outcome on the right."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedLayout, QVBoxLayout, QWidget

from echostudio.desktop.controller import VirtualInfo
from echostudio.episode.happening import ReplayFinished, RunStarted
from echostudio.episode.report import ReplayReport
from echostudio.episode.run import RunSource
from echostudio.errors import EchoError
from echostudio.operations.replay import ReplayRequest
from echostudio.studio.looks import OUTCOMES, STATES, Look
from echostudio.studio.page import Page, Studio
from echostudio.studio.parts.badge import Badge
from echostudio.studio.parts.text import ElidedLabel
from echostudio.studio.pictures import PictureKey
from echostudio.studio.replay.driver import Driver
from echostudio.studio.replay.plan import NothingChosen, PlanPanel
from echostudio.studio.replay.refusal import OutcomePane
from echostudio.studio.replay.screen import LiveScreen
from echostudio.studio.replay.state import PENDING, ReplayState, StepRow, of_report, planned
from echostudio.studio.replay.subject import Subject, load
from echostudio.studio.wording import seconds


class ReplayPage(Page):
    """Runs a memory and shows every decision."""

    def __init__(self, studio: Studio) -> None:
        super().__init__("replay")
        self._studio = studio
        self.state = ReplayState()
        self.subject: Subject | None = None
        self._loaded = True
        self._ref = ""
        self._grab: QImage | None = None
        self._desktop = ""
        self._run = ""
        self.driver = Driver(studio, self)
        self.plan = PlanPanel()
        self.values, self.place, self.steps = self.plan.values, self.plan.place, self.plan.steps
        self.live = LiveScreen(studio.services.settings.reaim)
        self.outcome = OutcomePane()
        self._header = self._make_header()
        self._lay_out()
        self._connect()
        self._bind()

    def _make_header(self) -> QWidget:
        header = QWidget()
        row = QHBoxLayout(header)
        row.setContentsMargins(0, 0, 8, 0)
        row.setSpacing(8)
        self._title = ElidedLabel(self.tr("Replay"), "title")
        row.addWidget(self._title)
        self._badges = (Badge(), Badge())
        for badge in self._badges:
            row.addWidget(badge)
        row.addStretch(1)
        return header

    def _lay_out(self) -> None:
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        right = QWidget()
        right.setObjectName("rightpanel")
        right.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        right.setMinimumWidth(290)
        column = QVBoxLayout(right)
        column.setContentsMargins(1, 0, 0, 0)
        column.addWidget(self.outcome)
        for place, part in enumerate((self.plan, self.live, right)):
            split.addWidget(part)
            split.setStretchFactor(place, 1 if place == 1 else 0)
        split.setSizes([310, 736, 330])
        self._stack = QStackedLayout(self)
        self._nothing = NothingChosen()
        self._stack.addWidget(self._nothing)
        self._stack.addWidget(split)

    def _connect(self) -> None:
        self._nothing.wanted.connect(lambda: self.wants.emit("library", ""))
        self.steps.selectionModel().currentRowChanged.connect(lambda *_: self._show_screen())
        self.steps.selectionModel().currentRowChanged.connect(lambda *_: self.changed.emit())
        self.values.changed.connect(self.changed)
        self.place.changed.connect(self.changed)
        self._studio.bridge.happened.connect(self._happened)
        self._studio.pictures.loaded.connect(self._picture_came)
        self.driver.ended.connect(self._ended)
        self.driver.failed.connect(self._failed)
        self.driver.pictured.connect(self._pictured)
        self.outcome.again.connect(lambda: self._studio.commands.run("replay.run"))
        self.outcome.opened.connect(self._open_timeline)
        self.outcome.quarantined.connect(lambda _: self._go("library"))

    def _bind(self) -> None:
        bind = self._studio.commands.bind
        bind("replay.run", lambda: self._start(dry_run=False))
        bind("replay.dry", lambda: self._start(dry_run=True))
        bind("replay.step", self._step)
        bind("replay.pause", self._pause)
        bind("replay.stop", self.driver.stop)
        bind("replay.breakpoint", self._toggle_breakpoint)
        bind("replay.timeline", self._open_timeline)
        bind("replay.lab", self._open_lab)

    def header(self) -> QWidget:
        """Return title and badges."""
        return self._header

    def deeds(self) -> tuple[str, ...]:
        """Return the buttons of the top bar: steering while it runs, else the ways to start."""
        if self.subject is None:
            return ()
        if self.driver.running:
            return ("replay.step", "replay.pause", "replay.stop")
        return ("replay.dry", "replay.step", "replay.run")

    def facts(self) -> frozenset[str]:
        """Return what holds: a memory is chosen, it may start, it runs."""
        facts = {"page:replay"}
        if self.subject is not None:
            facts.add("memory")
            if self.driver.running:
                facts |= {"running", "can-step"}
            elif self.values.good and self.place.place.good:
                facts |= {"can-run", "can-step"}
            step = self._selected()
            if step is not None and self.subject.memory.program[step.index].targets:
                facts.add("target")
        if self.state.steps:
            facts.add("step")
        return frozenset(facts)

    def status(self) -> str:
        """Return where the replay stands."""
        state = self.state
        if state.running:
            at = self.tr("step {0} of {1}").format((state.current or 0) + 1, len(state.steps))
            return self.tr("paused at {0}").format(at) if state.paused is not None else at
        if state.outcome is not None:
            touched = "" if state.inputs_sent else self.tr(" · nothing was touched")
            return f"{OUTCOMES[state.outcome].word} · {seconds(state.seconds)}{touched}"
        return ""

    def hints(self) -> tuple[str, ...]:
        """Return the keys worth naming."""
        return tuple(f"replay.{name}" for name in ("run", "step", "pause", "stop", "breakpoint", "lab"))

    def ready(self) -> bool:
        """Whether memory, report and the chosen picture are here."""
        wanted = self.subject is not None and any(one.before for one in self.subject.memory.program)
        return self._loaded and (not wanted or self.live.view.image is not None)

    def shown(self) -> None:
        """Let the keys go to the steps."""
        if self.subject is not None:
            self.steps.setFocus()

    def open(self, ref: str) -> None:
        """Show a memory ready to run, or a finished replay by its run."""
        if self.driver.running or not ref:
            return
        self._ref, self._loaded = ref, False
        services = self._studio.services
        future = services.jobs.pool(load, services, ref)
        self._studio.work.ask(self, "load", future, self._came, self._could_not_load)

    def library_changed(self) -> None:
        """Take over a newer revision while nothing was started."""
        if self.subject is not None and not self.state.started and not self.driver.running:
            self.open(self.subject.memory.id)

    def show_desktops(self, running: tuple[VirtualInfo, ...]) -> None:
        """Offer the virtual desktops that run."""
        self.place.show_desktops(running)

    def closing(self) -> None:
        """Stop what runs."""
        self.driver.close()

    def _came(self, subject: Subject) -> None:
        self._loaded = True
        same = self.subject is not None and self.subject.memory == subject.memory and subject.report is None
        if same and not self.state.started:
            return
        kept = self.values.values if same else {}
        self.subject = subject
        report = subject.report
        self.driver.breakpoints.clear()
        self._grab = None
        self._desktop = report.desktop if report else ""
        self.values.show_fields(subject.memory.fields, {**kept, **(report.values if report else {})})
        self._stack.setCurrentIndex(1)
        self._show(of_report(report, subject.memory) if report else planned(subject.memory))
        self._select_telling()
        if self.isVisible():
            self.steps.setFocus()

    def _could_not_load(self, error: EchoError) -> None:
        self._loaded = True
        self._studio.work.failed.emit(error)

    def _happened(self, event: object) -> None:
        if isinstance(event, RunStarted):
            if self.driver.running and event.manifest.source == RunSource.REPLAY:
                self._run = event.manifest.id
            return
        newer = self.state.apply(event)
        if newer is self.state:
            return
        moved = newer.current != self.state.current
        self._show(newer)
        if isinstance(event, ReplayFinished):
            self._select_telling()
        elif moved and newer.current is not None:
            self._select(newer.current)

    def _show(self, state: ReplayState) -> None:
        self.state = state
        self.plan.show_state(state, self.driver.breakpoints)
        self.outcome.show_state(state)
        self._show_header()
        self._show_screen()
        for form in (self.values, self.place):
            if form.isEnabled() == self.driver.running:
                form.setEnabled(not self.driver.running)
        self.refreshed.emit()
        self.changed.emit()

    def _show_header(self) -> None:
        if self.subject is None:
            return
        memory, state = self.subject.memory, self.state
        self._title.setText(self.tr("Replay: {0}").format(memory.intent))
        self._badges[0].show_look(STATES[memory.state])
        look: Look | None = None
        if state.outcome is not None:
            look = OUTCOMES[state.outcome]
            words = look.word
            if state.refused_at_start:
                words += self.tr(" before the start")
            elif state.refusal is not None and state.refused_index is not None:
                words += self.tr(" at step {0}").format(state.refused_index + 1)
            look = Look(look.icon, words + (self.tr(" · dry run") if state.dry_run else ""), look.token)
        elif state.running:
            look = Look(
                "caret-circle-right-fill",
                self.tr("paused") if state.paused is not None else self.tr("running"),
                "accent",
            )
        self._badges[1].show_look(look)

    def _selected(self) -> StepRow | None:
        row = self.steps.currentIndex().row()
        return self.state.steps[row] if 0 <= row < len(self.state.steps) else None

    def _select_telling(self) -> None:
        """Choose the step that tells most: the refused one, else the last one that was reached, else the first."""
        reached = [step.index for step in self.state.steps if step.status != PENDING]
        refused = None if self.state.refused_at_start else self.state.refused_index
        self._select(refused if refused is not None else reached[-1] if reached else 0)

    def _select(self, index: int) -> None:
        row = next((place for place, step in enumerate(self.state.steps) if step.index == index), 0)
        self.steps.selectionModel().setCurrentIndex(
            self.steps.model().index(row, 0), QItemSelectionModel.SelectionFlag.ClearAndSelect
        )
        self.steps.scrollTo(self.steps.model().index(row, 0))
        self._show_screen()

    def _show_screen(self) -> None:
        """Show the searched frame of the chosen step, else the desktop as it is now, else what was recorded."""
        step = self._selected()
        run = self.state.run or (self._run if self.driver.running else "")
        searched = self._searched(step, run)
        if searched is not None and step is not None:
            words = self.tr("searched at step {0}").format(step.index + 1)
            self.live.show_picture(searched, "", self._place_words(searched), words)
        elif self.driver.running and self._grab is not None:
            self.live.show_picture(self._grab, "", self._place_words(self._grab), self.tr("live"))
        elif step is not None and step.picture and run:
            self.live.show_picture(None, "", "", "")
        else:
            self._show_recorded(step)
        self.live.show_aim(step, marks=searched is not None)
        self._show_cuttings()

    def _searched(self, step: StepRow | None, run: str) -> QImage | None:
        if step is None or not step.picture or not run:
            return None
        return self._studio.pictures.frame(PictureKey(step.picture, "replay", run))

    def _show_recorded(self, step: StepRow | None) -> None:
        """Show the recorded screen of a step that was not reached (yet)."""
        program = self.subject.memory.program if self.subject else ()
        recorded = next((one.before for one in program if step is not None and one.index == step.index), None)
        image = self._studio.pictures.frame(PictureKey(recorded.digest)) if recorded else None
        empty = "" if recorded else self.tr("The desktop appears here while the replay runs")
        place = f"{recorded.width}×{recorded.height}" if recorded else ""
        self.live.show_picture(image, empty, place, self.tr("as recorded, before this step") if recorded else "")

    def _place_words(self, image: QImage) -> str:
        display = self.driver.display if self.driver.running else self._desktop
        return f"{display} · {image.width()}×{image.height()}".removeprefix(" · ")

    def _show_cuttings(self) -> None:
        """Show the recorded target beside the best place of the refused step."""
        index = self.state.refused_index
        row = self.state.step(index)
        if self.state.refusal is None or row is None or row.aim is None or self.subject is None:
            return
        step = next((one for one in self.subject.memory.program if one.index == index), None)
        role = next((name for name, aim in row.reaim if aim is row.aim), "target")
        target = step.targets.get(role) if step else None
        if target is not None and step is not None and step.before is not None:
            recorded = self._studio.pictures.frame(PictureKey(step.before.digest))
            self.outcome.recorded.show_cut(recorded, target.point, None, "recorded")
        if row.picture and self.state.run:
            image = self._studio.pictures.frame(PictureKey(row.picture, "replay", self.state.run))
            self.outcome.live.show_cut(
                image, row.aim.point or (row.aim.box.center if row.aim.box else None), None, "best"
            )

    def _picture_came(self, key: PictureKey) -> None:
        if self.subject is not None:
            self._show_screen()

    def _pictured(self, image: QImage) -> None:
        self._grab = image
        step = self._selected()
        if step is None or step.picture is None:
            self._show_screen()

    def _start(self, *, dry_run: bool, single: bool = False) -> None:
        if self.subject is None or self.driver.running:
            return
        place, memory = self.place.place, self.subject.memory
        self._grab, self._run = None, ""
        request = ReplayRequest(memory=memory.id, values=self.values.given, launch=place.launch, dry_run=dry_run)
        words = self.tr("Dry run: {0}") if dry_run else self.tr("Replay: {0}")
        self.state = self.state.begun(dry_run=dry_run, changed=self._shown_values())
        self.driver.start(request, place, single=single, words=words.format(memory.intent))
        self._desktop = place.display or ""
        self._show(self.state)

    def _shown_values(self) -> dict[str, str]:
        """Return the changed values as they may be shown: secrets masked."""
        secret = {name for name, editor in self.values.editors.items() if editor.declared.kind == "secret"}
        return {name: "***" if name in secret else value for name, value in self.values.given.items()}

    def _step(self) -> None:
        if self.driver.running:
            self.driver.step()
        else:
            self._start(dry_run=False, single=True)

    def _pause(self) -> None:
        self.driver.pause_or_resume()

    def _toggle_breakpoint(self) -> None:
        step = self._selected()
        if step is not None:
            self.driver.toggle_breakpoint(step.index)
            self.plan.show_state(self.state, self.driver.breakpoints)

    def _ended(self, report: ReplayReport) -> None:
        self._desktop = report.desktop or self._desktop
        if self.subject is not None:
            self.subject = Subject(self.subject.memory, report)
            self._show(of_report(report, self.subject.memory))
            self._select_telling()

    def _failed(self, error: EchoError) -> None:
        """Go back to where it can be started again, and say why."""
        if self.subject is not None:
            self._show(planned(self.subject.memory))
        self._studio.work.failed.emit(error)

    def _open_timeline(self) -> None:
        self._go("timeline")

    def _open_lab(self) -> None:
        """Show the chosen step in the Lab, on the very picture that was searched."""
        step = self._selected()
        if self.subject is not None and step is not None:
            searched = f":run={self.state.run}" if step.picture and self.state.run else ""
            self.wants.emit("lab", f"{self.subject.memory.id}:{step.index}{searched}")

    def _go(self, page: str) -> None:
        if self.subject is not None:
            self.wants.emit(page, self.subject.memory.id)
