"""The Lab page: any step against any picture, with the decision laid open, and what other thresholds would do."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedLayout, QVBoxLayout, QWidget

from echostudio.desktop.controller import VirtualInfo
from echostudio.episode.memory import Memory
from echostudio.errors import EchoError
from echostudio.operations import lab
from echostudio.operations.lab import LabScreen, Past
from echostudio.operations.lab_search import Heat
from echostudio.studio.lab.canvas import LabCanvas
from echostudio.studio.lab.cards import ReasonDialog, VerdictCard
from echostudio.studio.lab.marking import lab_marks
from echostudio.studio.lab.panel import LabPanel
from echostudio.studio.lab.picking import Picking
from echostudio.studio.lab.searcher import Found, Loaded, Prepared, Searcher
from echostudio.studio.lab.sources import Choosing
from echostudio.studio.lab.state import CropKey, LabState, Source, first_source, headline, reference
from echostudio.studio.lab.strip import PictureStrip
from echostudio.studio.lab.toolbar import LabBar, NothingOpen
from echostudio.studio.page import Page, Studio
from echostudio.studio.parts.badge import Badge, fact
from echostudio.studio.parts.text import ElidedLabel


class LabPage(Page):
    """Looks for one step's target on one picture and shows everything that decides."""

    def __init__(self, studio: Studio) -> None:
        super().__init__("lab")
        self._studio = studio
        self.state = LabState()
        self.screen_shown: LabScreen | None = None
        self._wanted = ""
        self._told: tuple[object, ...] = ()
        self.searcher = Searcher(studio, self)
        self.bar, self.canvas, self.card = LabBar(), LabCanvas(self.tr("Picture")), VerdictCard()
        self.panel, self.strip = LabPanel(), PictureStrip(studio.pictures)
        self.picking = Picking(studio, self.searcher, self.canvas, self)
        self.choosing = Choosing(self)
        self._header = self._make_header()
        self._lay_out()
        self._connect()
        self._bind()

    def _make_header(self) -> QWidget:
        header = QWidget()
        row = QHBoxLayout(header)
        row.setContentsMargins(0, 0, 8, 0)
        row.setSpacing(8)
        self._title = ElidedLabel(self.tr("Lab"), "title")
        row.addWidget(self._title)
        self._of = ElidedLabel("", "", "muted")
        row.addWidget(self._of, 1)
        self._badges = (Badge(), Badge())
        for badge in self._badges:
            row.addWidget(badge)
        return header

    def _lay_out(self) -> None:
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(10)
        column.addWidget(self.bar)
        column.addWidget(self.canvas)
        column.addWidget(self.card)
        column.addWidget(self.picking.card)
        column.addStretch(1)
        centre = QWidget()
        rows = QVBoxLayout(centre)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(middle, 1)
        rows.addWidget(self.strip)
        right = QWidget()
        right.setObjectName("rightpanel")
        right.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        right.setMinimumWidth(340)
        inner = QVBoxLayout(right)
        inner.setContentsMargins(1, 0, 0, 0)
        inner.addWidget(self.panel)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        for place, part in enumerate((centre, right)):
            split.addWidget(part)
            split.setStretchFactor(place, 1 - place)
        split.setSizes([996, 380])
        self._stack = QStackedLayout(self)
        self._nothing = NothingOpen()
        self._stack.addWidget(self._nothing)
        self._stack.addWidget(split)

    def _connect(self) -> None:
        self._nothing.wanted.connect(lambda: self.wants.emit("library", ""))
        self.searcher.prepared.connect(self._prepared)
        self.searcher.loaded.connect(self._loaded)
        self.searcher.found.connect(self._found)
        self.searcher.surveyed.connect(self._surveyed)
        self.searcher.mapped.connect(self._mapped)
        self.searcher.failed.connect(self._failed)
        self.searcher.stopped.connect(lambda: self._say(self.tr("Stopped; F5 looks again")))
        self.bar.step_chosen.connect(self._open_step)
        self.bar.map.toggled.connect(self.canvas.set_map_shown)
        self.bar.boxes.toggled.connect(lambda _: self._show_marks())
        self.bar.opacity.valueChanged.connect(lambda value: self.canvas.set_opacity(value / 100))
        self.bar.zoom.clicked.connect(lambda: self.canvas.actual_size() if self.canvas.fits else self.canvas.fit())
        self.bar.pick.toggled.connect(self._pick)
        self.canvas.zoom_changed.connect(self._show_zoom)
        self.strip.chosen.connect(lambda place: self.show_source(self.state.sources[place]))
        self.panel.tuned.connect(self._tuned)
        self.panel.settled.connect(self._settled)
        self.panel.crop_chosen.connect(self._crop_chosen)
        self.panel.past_chosen.connect(self._past_chosen)
        self.panel.save_wanted.connect(self._ask_save)
        self.panel.reset_wanted.connect(self._reset)
        self.picking.ended.connect(lambda: self.bar.pick.setChecked(False))
        self.picking.stored.connect(self._stored)

    def _bind(self) -> None:
        bind = self._studio.commands.bind
        bind("lab.live", lambda: self.choosing.live(self))
        bind("lab.file", lambda: self.choosing.file(self))
        bind("lab.paste", lambda: self.choosing.paste(self))
        bind("lab.again", self.look_again)
        bind("lab.previous", lambda: self._step_source(-1))
        bind("lab.next", lambda: self._step_source(1))
        bind("lab.map", self.bar.map.toggle)
        bind("lab.boxes", self.bar.boxes.toggle)
        bind("lab.pick", self.bar.pick.toggle)
        bind("lab.leave", lambda: self.bar.pick.setChecked(False))
        bind("lab.save", self._ask_save)
        bind("lab.reset", self._reset)
        bind("lab.fit", self.canvas.fit)
        bind("lab.actual", self.canvas.actual_size)
        bind("lab.closer", lambda: self.canvas.zoom_by(1.25))
        bind("lab.wider", lambda: self.canvas.zoom_by(0.8))
        bind("lab.timeline", self._open_timeline)

    def header(self) -> QWidget:
        """Return title and badges."""
        return self._header

    def deeds(self) -> tuple[str, ...]:
        """Return the ways to choose another picture."""
        return ("lab.file", "lab.paste", "lab.live") if self.state.memory is not None else ()

    def facts(self) -> frozenset[str]:
        """Return what holds: a step is open, a picture is shown, thresholds are moved, a target is being picked."""
        held = {
            "page:lab": True,
            "target": self.state.memory is not None,
            "picture": self.screen_shown is not None,
            "tuned": self.state.changed,
            "picking": self.canvas.picking,
        }
        return frozenset(name for name, holds in held.items() if holds)

    def status(self) -> str:
        """Return the verdict, or that it is being looked for."""
        return headline(self.state)[1] if self.state.memory is not None else ""

    def hints(self) -> tuple[str, ...]:
        """Return the keys worth naming."""
        return tuple(f"lab.{name}" for name in ("next", "map", "pick", "leave", "save"))

    def ready(self) -> bool:
        """Whether picture, verdict, crops and map are here."""
        return not self.searcher.busy

    def open(self, ref: str) -> None:
        """Show ``MEMORY:STEP``, with ``:FILE`` or ``:run=ID`` on that picture; nothing is opened without a memory."""
        memory, step, self._wanted = reference(ref)
        if memory:
            self.searcher.prepare(memory, step)

    def shown(self) -> None:
        """Let the keys go to the picture."""
        if self.state.memory is not None:
            self.canvas.setFocus()

    def library_changed(self) -> None:
        """Read the memory again: it may have a newer revision, or more replays."""
        if self.state.memory is not None and not self.canvas.picking:
            self._wanted = self.state.source.key if self.state.source else ""
            self.searcher.prepare(self.state.memory.id, self.state.step, self.state.role)

    def show_desktops(self, running: tuple[VirtualInfo, ...]) -> None:
        """Offer the virtual desktops that run."""
        self.choosing.running = running

    def closing(self) -> None:
        """Stop what searches."""
        self.searcher.stop()

    def show_source(self, source: Source, given: object = None) -> None:
        """Look at another picture; ``given`` reads one that is not stored."""
        self.bar.pick.setChecked(False)
        reader = given or self.choosing.readers.get(source.key)
        if given is not None:
            self.choosing.readers[source.key] = given  # type: ignore[assignment]
        self.screen_shown = None
        self._take(self.state.on(source))
        self.searcher.load(self.state, source, self.canvas.width(), reader)  # type: ignore[arg-type]

    def look_again(self) -> None:
        """Search once more under the thresholds of the sliders; a live desktop is grabbed anew."""
        source = self.state.source
        if source is not None and (source.kind == "live" or self.screen_shown is None):
            self.show_source(source)
        elif self.screen_shown is not None:
            self.searcher.look(self.state, self.screen_shown, self.state.policy)

    def _open_step(self, step: int, role: str) -> None:
        if self.state.memory is not None:
            self._wanted = ""
            self.searcher.prepare(self.state.memory.id, step, role)

    def _prepared(self, made: Prepared) -> None:
        before = self.state
        same = before.memory is not None and before.memory.id == made.memory.id
        same_step = same and (before.step, before.role) == (made.step, made.role)
        extra = tuple(one for one in before.sources if one.stored is None) if same else ()
        if same_step and before.memory == made.memory and before.source is not None and not self._is_other():
            self._take(replace(before, sources=(*made.sources, *extra), past=made.past, base=made.base))
            return
        state = LabState(
            made.memory, made.step, made.role, made.base, made.base, made.base,
            sources=(*made.sources, *extra), past=made.past,
        )  # fmt: skip
        self._stack.setCurrentIndex(1)
        if self.isVisible():
            self.canvas.setFocus()
        self._take(state)
        self.refreshed.emit()
        kept = next((one for one in state.sources if one.key == self._wanted), None)
        is_file = bool(self._wanted) and kept is None and not self._wanted.startswith("run=")
        source = kept or first_source(state.sources, self._wanted)
        if is_file:
            self.choosing.open_file(self, self._wanted)
        elif source is not None:
            self.show_source(source)

    def _is_other(self) -> bool:
        """Whether another picture than the shown one was asked for."""
        shown = self.state.source.key if self.state.source else ""
        return bool(self._wanted) and self._wanted != shown

    def _loaded(self, made: Loaded) -> None:
        if self.state.source is None or made.source.key != self.state.source.key:
            return
        self.screen_shown = made.screen
        self.strip.thumbs[made.source.key] = made.thumb
        self.strip.viewport().update()
        box = made.screen.frame.box
        self.canvas.show_prepared(made.image, made.reduced)
        self._take(replace(self.state, size=(box.width, box.height)))
        self.searcher.look(self.state, made.screen, self.state.policy)

    def _found(self, found: Found) -> None:
        if self.screen_shown is None:
            return
        self._take(self.state.found(found.result, found.policy, found.ms))
        self.searcher.survey(self.state, self.screen_shown)

    def _surveyed(self, crops: object) -> None:
        if isinstance(crops, tuple):
            self._take(replace(self.state, crops=crops))
        self._want_map()

    def _want_map(self) -> None:
        key = self.state.shown_key
        if self.screen_shown is not None and key is not None and self.state.heat is None:
            self.searcher.map(self.state, self.screen_shown, key)

    def _mapped(self, heat: object) -> None:
        if isinstance(heat, Heat):
            self._take(replace(self.state, heats=(*self.state.heats, heat)))

    def _failed(self, error: EchoError) -> None:
        self._studio.work.failed.emit(error)
        self._say(self.tr("Could not be looked at"))
        if self.screen_shown is None:
            self.canvas.show_image(None, error.sentence)

    def _say(self, note: str) -> None:
        """Say why nothing is looked for any more."""
        self._take(replace(self.state, note=note))

    def _tuned(self, name: str, value: float) -> None:
        self._take(self.state.with_thresholds(**{name: value}))

    def _settled(self) -> None:
        """Search again when the new thresholds ask for what was not looked at."""
        verdict = self.state.verdict
        if verdict is not None and not verdict.known:
            self.look_again()

    def _reset(self) -> None:
        base = self.state.base
        self._take(replace(self.state, policy=base))
        if self.state.searched != base:
            self.look_again()

    def _crop_chosen(self, key: CropKey) -> None:
        self._take(replace(self.state, chosen=key))
        self._want_map()

    def _past_chosen(self, past: Past) -> None:
        source = first_source([one for one in self.state.sources if one.stored and one.stored.run == past.run], "")
        if source is not None:
            self.show_source(source)

    def _step_source(self, by: int) -> None:
        if self.state.sources:
            place = max(0, min(len(self.state.sources) - 1, self.state.position + by))
            if place != self.state.position:
                self.show_source(self.state.sources[place])

    def _pick(self, wanted: bool) -> None:
        if wanted and (self.screen_shown is None or not self.picking.begin(self.state, self.screen_shown)):
            self.bar.pick.setChecked(False)
            return
        if not wanted:
            self.picking.end()
        self.card.setVisible(not wanted)
        self._show_marks()
        self.changed.emit()

    def _ask_save(self) -> None:
        state = self.state
        if state.memory is None or not state.changed:
            return
        turned = self.tr(" {0}").format(state.flip_words) if state.flips else ""
        words = self.tr("A new revision of “{0}” with {1}. Replays use it once it is promoted.{2}")
        dialog = ReasonDialog(
            self.tr("Save for this memory"), words.format(state.memory.intent, state.moved_words, turned),
            self.tr("Save"), self,
        )  # fmt: skip
        dialog.accepted.connect(lambda: self._save(dialog.reason))
        dialog.open()

    def _save(self, reason: str) -> None:
        services, state = self._studio.services, self.state
        if state.memory is not None:
            future = services.jobs.store(lab.save_policy, services, state.memory, state.policy, reason)
            self._studio.work.ask(self, "save", future, self._stored, words=self.tr("Saving thresholds"))

    def _stored(self, memory: Memory) -> None:
        words = self.tr("Revision {0} is stored as a candidate; promote it to let replays use it.")
        self.said.emit(words.format(memory.revision))
        self.bar.pick.setChecked(False)
        self.library_changed()

    def _open_timeline(self) -> None:
        if self.state.memory is not None:
            self.wants.emit("timeline", f"{self.state.memory.id}@{self.state.step + 1}")

    def _show_zoom(self, zoom: float) -> None:
        word = self.tr("fit") if self.canvas.fits else self.tr("zoom")
        self.bar.zoom.setText(f"{word} {round(100 * zoom)} %")

    def _take(self, state: LabState) -> None:
        self.state = state
        self.bar.show_state(state)
        self.card.show_state(state)
        self.panel.show_state(state)
        self.strip.show_sources(state.sources, state.position)
        self.canvas.show_heat(state.heat)
        self._show_marks()
        self._show_header()
        self.changed.emit()

    def _show_marks(self) -> None:
        shown = self.bar.boxes.isChecked() and not self.canvas.picking
        marks = lab_marks(self.state) if shown else ()
        if marks != self.canvas.marks:
            self.canvas.show_marks(marks)

    def _show_header(self) -> None:
        state = self.state
        told = (state.memory, state.step, state.source, state.size)
        if state.memory is None or told == self._told:
            return
        self._told = told
        self._title.setText(self.tr("Lab: {0}").format(state.words))
        self._of.setText(self.tr("in “{0}”").format(state.memory.intent))
        self._badges[0].show_look(fact(self.tr("step {0}").format(state.step + 1)))
        size = f", {state.size[0]}×{state.size[1]}" if state.size else ""
        words = self.tr("against: {0}{1}").format(state.source.words, size) if state.source else ""
        self._badges[1].show_look(fact(words, "image") if words else None)
