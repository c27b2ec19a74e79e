"""The Runs page: every recording and replay, newest first."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLineEdit, QStackedLayout, QTableView, QVBoxLayout, QWidget

from echostudio.episode.happening import ReplayFinished, RunFinished, RunStarted, StepRecorded
from echostudio.episode.run import Run
from echostudio.episode.step import StepStatus
from echostudio.operations import consolidate as consolidating
from echostudio.operations import record
from echostudio.operations.consolidate import Consolidated
from echostudio.operations.runs import RunIndex, RunRow
from echostudio.operations.services import Services
from echostudio.studio import icons
from echostudio.studio.library.empty import Emblem
from echostudio.studio.page import Page, Studio
from echostudio.studio.parts.controls import Chip, button
from echostudio.studio.parts.text import label, paragraph
from echostudio.studio.pictures import PictureKey
from echostudio.studio.runs.items import ROW_HEIGHT, RunDelegate, RunsModel
from echostudio.studio.runs.state import ALL, FILTERS, RunsState, target
from echostudio.studio.wording import count

_WIDTHS: Final = ((1, 190), (2, 72), (3, 110), (4, 110))


class RunsPage(Page):
    """Lists runs, and opens each where it tells most."""

    broke_off = Signal(tuple)

    def __init__(self, studio: Studio) -> None:
        super().__init__("runs")
        self._studio = studio
        self.state = RunsState()
        self._index = RunIndex(studio.services)
        self._wanted = ""
        self.model = RunsModel(self)
        self.table = self._make_table()
        self.nothing = label("", tone="muted", wrap=True)
        self.empty = NoRuns()
        self._header = self._make_header()
        self._lay_out()
        self._connect()
        self._bind()

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setAccessibleName(self.tr("Runs"))
        table.setModel(self.model)
        table.setItemDelegate(RunDelegate(self.model, self._studio.pictures, table))
        table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setMouseTracking(True)
        table.setTabKeyNavigation(False)
        table.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        head = table.horizontalHeader()
        head.setHighlightSections(False)
        head.setSectionsClickable(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column, width in _WIDTHS:
            head.resizeSection(column, width)
        return table

    def _make_header(self) -> QWidget:
        header = QWidget()
        row = QHBoxLayout(header)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(label(self.tr("Runs"), "title"))
        row.addSpacing(8)
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Search intent, program, refusal"))
        self.search.setAccessibleName(self.tr("Search the runs"))
        glass = self.search.addAction(icons.icon("magnifying-glass", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        glass.setText(self.search.accessibleName())
        self.search.setFixedWidth(260)
        row.addWidget(self.search)
        row.addSpacing(8)
        self.filters: dict[str, Chip] = {}
        for only in FILTERS:
            chip = Chip("")
            chip.clicked.connect(lambda _=False, only=only: self._show(self.state.with_only(only)))
            self.filters[only] = chip
            row.addWidget(chip)
        row.addStretch()
        return header

    def _lay_out(self) -> None:
        listed = QWidget()
        column = QVBoxLayout(listed)
        column.setContentsMargins(12, 6, 12, 8)
        column.addWidget(self.table, 1)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self.nothing, 1)
        self.nothing.hide()
        self._stack = QStackedLayout(self)
        for widget in (QWidget(), listed, self.empty):
            self._stack.addWidget(widget)

    def _connect(self) -> None:
        self.search.textChanged.connect(lambda words: self._show(self.state.with_query(words)))
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self.changed.emit())
        self.table.doubleClicked.connect(lambda _: self._open())
        self._studio.pictures.loaded.connect(self._picture_came)
        self._studio.bridge.happened.connect(self._happened)
        self.empty.wanted.connect(lambda: self.wants.emit("record", ""))

    def _bind(self) -> None:
        bind = self._studio.commands.bind
        bind("runs.search", lambda: self.search.setFocus(Qt.FocusReason.ShortcutFocusReason))
        bind("runs.open", self._open)
        bind("runs.recover", lambda: self.recover(tuple(row.id for row in (self.current(),) if row is not None)))
        bind("runs.consolidate", self._consolidate)

    def header(self) -> QWidget:
        """Return title, search and filters."""
        return self._header

    def deeds(self) -> tuple[str, ...]:
        """Return the buttons of the top bar."""
        return ("runs.recover", "runs.consolidate", "runs.open") if self.state.rows else ()

    def facts(self) -> frozenset[str]:
        """Return what holds: a run is chosen, and what can be done with it."""
        facts = {"page:runs"}
        row = self.current()
        if row is None:
            return frozenset(facts)
        if target(row) is not None:
            facts.add("run")
        if row.incomplete:
            facts.add("incomplete")
        elif not (row.replay or row.fault or row.live):
            facts.add("recording-run")
        return frozenset(facts)

    def status(self) -> str:
        """Return how many runs there are."""
        return count(len(self.state.rows), self.tr("run"), self.tr("runs")) if self.state.rows else ""

    def hints(self) -> tuple[str, ...]:
        """Return the keys worth naming."""
        return ("runs.open", "runs.recover", "runs.consolidate", *(("runs.search",) if self.state.rows else ()))

    def ready(self) -> bool:
        """Whether the rows are here."""
        return self.state.loaded

    def shown(self) -> None:
        """Load what may have changed."""
        self.library_changed()
        self.table.setFocus()

    def library_changed(self) -> None:
        """Read the runs again; what was chosen stays chosen."""
        jobs = self._studio.services.jobs
        self._studio.work.ask(self, "rows", jobs.store(self._index.rows), self._rows_came)

    def select(self, run: str) -> None:
        """Choose a run as soon as it is listed."""
        self._wanted = run
        self._restore_selection()

    def current(self) -> RunRow | None:
        """Return the chosen row."""
        return self.model.row(self.table.currentIndex().row())

    def recover(self, runs: tuple[str, ...]) -> None:
        """Make runs usable that broke off."""
        if runs:
            services = self._studio.services
            words = self.tr("Recovering {0}").format(count(len(runs), "run"))
            future = services.jobs.store(_recover, services, runs)
            self._studio.work.ask(self, "recover", future, self._recovered, words=words)

    def _rows_came(self, rows: tuple[RunRow, ...]) -> None:
        first = not self.state.rows
        self._show(self.state.with_rows(rows))
        if first and rows and self.isVisible():
            self.table.setFocus()
        self.broke_off.emit(self.state.broken_off)

    def _show(self, state: RunsState) -> None:
        chosen = self.current()
        self._wanted = self._wanted or (chosen.id if chosen else "")
        emptied = bool(state.rows) != bool(self.state.rows)
        self.state = state
        if emptied:
            self.refreshed.emit()
        self._stack.setCurrentIndex(0 if not state.loaded else 1 if state.rows else 2)
        self._show_filters()
        self.model.show_rows(state.visible)
        self.table.setVisible(bool(state.visible))
        self.nothing.setVisible(not state.visible)
        self.nothing.setText(self.tr("No run matches. Clear the search or choose another filter."))
        self._restore_selection()
        self.changed.emit()

    def _show_filters(self) -> None:
        for only, chip in self.filters.items():
            number = self.state.counts[only]
            chip.setText(f"{self.tr(only)} {number}")
            chip.setAccessibleName(chip.text())
            chip.setChecked(self.state.only == only)
            chip.setVisible(bool(self.state.rows) and (number > 0 or only == ALL or chip.isChecked()))
            chip.updateGeometry()
        self.search.setVisible(bool(self.state.rows))

    def _restore_selection(self) -> None:
        place = self.model.place_of(self._wanted)
        if place < 0 and self.model.rowCount():
            place = max(0, min(self.table.currentIndex().row(), self.model.rowCount() - 1))
        if place >= 0:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.table.selectionModel().setCurrentIndex(self.model.index(place, 0), flags)
        if self.model.place_of(self._wanted) >= 0:
            self._wanted = ""

    def _picture_came(self, key: PictureKey) -> None:
        if key.place == "run":
            self.table.viewport().update()

    def _happened(self, event: object) -> None:
        """Follow what begins and ends here; the steps between change only the row's count."""
        step = isinstance(event, StepRecorded) and event.step.status is not StepStatus.UNFINISHED
        if isinstance(event, RunStarted | RunFinished | ReplayFinished) or (step and self.isVisible()):
            self.library_changed()

    def _open(self) -> None:
        row = self.current()
        place = target(row) if row is not None else None
        if place is not None:
            self.wants.emit(*place)

    def _consolidate(self) -> None:
        row = self.current()
        if row is not None:
            services = self._studio.services
            future = services.jobs.store(consolidating.consolidate, services, row.id)
            words = self.tr("Consolidating {0}").format(row.intent)
            self._studio.work.ask(self, "consolidate", future, self._consolidated, words=words)

    def _consolidated(self, done: Consolidated) -> None:
        if done.memory is None:
            self.said.emit(self.tr("This run holds no step that could be replayed."))
            return
        self.said.emit(self.tr("“{0}” is a candidate now.").format(done.memory.intent))
        self.wants.emit("timeline", done.memory.id)

    def _recovered(self, runs: tuple[Run, ...]) -> None:
        steps = sum(len(run.steps) for run in runs)
        self.said.emit(self.tr("Recovered: {0} can be used.").format(count(steps, "step")))
        if runs:
            self._wanted = runs[0].manifest.id
        self.library_changed()


class NoRuns(QWidget):
    """Says what to do where there is no run yet."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        text = paragraph(
            self.tr(
                "A run is one piece of work as it happened: shown by you, or replayed from a memory. Record one, and "
                "it stands here with every step, whatever happens to the program or the power."
            )
        )
        self.start = button(self.tr("Record something"), "primary", "record")
        self.start.clicked.connect(self.wanted)
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addStretch(2)
        middle = Qt.AlignmentFlag.AlignHCenter
        for widget in (Emblem("list-bullets"), label(self.tr("No run yet"), "title"), text, self.start):
            column.addWidget(widget, 0, middle)
        column.addStretch(3)


def _recover(services: Services, runs: tuple[str, ...]) -> tuple[Run, ...]:
    """Recover runs one after another; runs in the store's worker."""
    return tuple(record.recover(services, run) for run in runs)
