"""The Library page: table, search and filters above it, one memory beside it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QItemSelectionModel, Qt, QTimer
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QSplitter,
    QStackedLayout,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import Memory, MemoryRow
from echostudio.operations import library as deeds
from echostudio.operations import promote
from echostudio.operations.services import Services
from echostudio.studio import icons
from echostudio.studio.library.detail import Detail, DetailPane
from echostudio.studio.library.empty import EmptyLibrary
from echostudio.studio.library.items import ROW_HEIGHT, RowDelegate, RowsModel
from echostudio.studio.library.state import SORTS, LibraryState, may_become
from echostudio.studio.looks import STATES
from echostudio.studio.page import Page, Studio
from echostudio.studio.parts.controls import Chip
from echostudio.studio.parts.text import label
from echostudio.studio.pictures import PictureKey

_SEARCH_PAUSE_MS: Final = 90
_FILTERS: Final = (
    None,
    LifecycleState.CANDIDATE,
    LifecycleState.ACTIVE,
    LifecycleState.QUARANTINED,
    LifecycleState.DEPRECATED,
)


class LibraryPage(Page):
    """Lists memories, finds them, and decides about them."""

    def __init__(self, studio: Studio) -> None:
        super().__init__("library")
        self._studio = studio
        self._state = LibraryState()
        self._wanted = ""
        self.model = RowsModel(self)
        self.table = self._make_table()
        self.detail = DetailPane()
        self.empty = EmptyLibrary(str(studio.services.home))
        self.nothing = label("", tone="muted", wrap=True)
        self._header = self._make_header()
        self._pause = QTimer(self, singleShot=True, interval=_SEARCH_PAUSE_MS)
        self._lay_out()
        self._connect()
        self._bind()

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setAccessibleName(self.tr("Memories"))
        table.setModel(self.model)
        table.setItemDelegate(RowDelegate(self.model, self._studio.pictures, table))
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
        head.setSectionsClickable(True)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column, width in ((1, 134), (2, 84), (3, 84), (4, 96)):
            head.resizeSection(column, width)
        head.sectionClicked.connect(lambda column: self._show(self._state.sorted_by(SORTS[column])))
        return table

    def _make_header(self) -> QWidget:
        header = QWidget()
        row = QHBoxLayout(header)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(label(self.tr("Library"), "title"))
        row.addSpacing(8)
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Search intent, program, typed text, step"))
        self.search.setAccessibleName(self.tr("Search the Library"))
        self.search.setClearButtonEnabled(False)
        glass = self.search.addAction(icons.icon("magnifying-glass", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        glass.setText(self.search.accessibleName())
        self.search.setFixedWidth(320)
        row.addWidget(self.search)
        row.addSpacing(8)
        self.filters: dict[LifecycleState | None, Chip] = {}
        for only in _FILTERS:
            chip = Chip("")
            chip.clicked.connect(lambda _=False, only=only: self._show(self._state.with_only(only)))
            self.filters[only] = chip
            row.addWidget(chip)
        row.addStretch()
        return header

    def _lay_out(self) -> None:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(12, 6, 12, 8)
        column.addWidget(self.table, 1)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self.nothing, 1)
        self.nothing.hide()
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(left)
        split.addWidget(self.detail)
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 0)
        split.setSizes([960, 420])
        blank = QWidget()
        self._stack = QStackedLayout(self)
        for widget in (blank, split, self.empty):
            self._stack.addWidget(widget)
        self.detail.hide()

    def _connect(self) -> None:
        self.search.textChanged.connect(self._search_changed)
        self._pause.timeout.connect(self._search_deep)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._selection_changed())
        self.table.doubleClicked.connect(lambda _: self._open())
        self._studio.pictures.loaded.connect(self._picture_came)
        self.empty.demo_ended.connect(self.library_changed)
        self.detail.decided.connect(self._decide)
        self.detail.replay_opened.connect(lambda run: self.wants.emit("replay", run))

    def _bind(self) -> None:
        bind = self._studio.commands.bind
        bind("library.search", lambda: self.search.setFocus(Qt.FocusReason.ShortcutFocusReason))
        bind("library.open", self._open)
        bind("library.replay", lambda: self._go("replay"))
        bind("library.demo", self._demo)
        for deed in ("promote", "quarantine", "deprecate"):
            bind(f"library.{deed}", lambda deed=deed: self.detail.decide(deed))  # type: ignore[misc]

    def header(self) -> QWidget:
        """Return title, search and filters."""
        return self._header

    def deeds(self) -> tuple[str, ...]:
        """Return the buttons of the top bar."""
        return ("library.open", "library.replay") if self._state.rows else ()

    def facts(self) -> frozenset[str]:
        """Return what holds: a memory is chosen, and may become active."""
        facts = {"page:library"}
        row = self.current()
        if row is not None:
            facts.add("memory")
            if may_become(row.state, LifecycleState.ACTIVE):
                facts.add("promotable")
        return frozenset(facts)

    def status(self) -> str:
        """Return how many wait for review."""
        waiting = sum(row.state == LifecycleState.CANDIDATE for row in self._state.rows)
        return self.tr("{0} to review").format(waiting) if waiting else ""

    def hints(self) -> tuple[str, ...]:
        """Return the keys worth naming."""
        searching = ("library.search",) if self._state.rows else ()
        return ("library.open", "library.replay", "library.promote", *searching)

    def ready(self) -> bool:
        """Whether the rows are here, and the chosen one's detail."""
        row = self.current()
        return self._state.loaded and (row is None or self._shows(row.id))

    def shown(self) -> None:
        """Load what may have changed."""
        self.library_changed()
        self.table.setFocus()

    def library_changed(self) -> None:
        """Load the rows again; what was chosen stays chosen."""
        services = self._studio.services
        self._studio.work.ask(self, "rows", services.jobs.pool(deeds.rows, services), self._rows_came)

    def select(self, memory: str) -> None:
        """Choose a memory as soon as it is listed, and show its promotion."""
        self._wanted = memory
        self.detail.tabs.setCurrentIndex(0)
        self._restore_selection()

    def closing(self) -> None:
        """End what this page started."""
        self._pause.stop()
        self.empty.close_run()

    def current(self) -> MemoryRow | None:
        """Return the chosen row."""
        return self.model.row(self.table.currentIndex().row())

    def _rows_came(self, rows: list[MemoryRow]) -> None:
        first = not self._state.rows
        self._show(self._state.with_rows(rows))
        if first and rows and self.isVisible():
            self.table.setFocus()
        if self._state.query:
            self._search_deep()
        if row := self.current():
            self._load_detail(row.id)

    def _show(self, state: LibraryState) -> None:
        chosen = self.current()
        self._wanted = self._wanted or (chosen.id if chosen else "")
        emptied = bool(state.rows) != bool(self._state.rows)
        self._state = state
        if emptied:
            self.refreshed.emit()
        self._stack.setCurrentIndex(0 if not state.loaded else 1 if state.rows else 2)
        self._show_filters()
        self.model.show_rows(state.visible)
        self.table.setVisible(bool(state.visible))
        self.nothing.setVisible(not state.visible)
        self.nothing.setText(
            self.tr("Nothing matches “{0}” here. Clear the search or choose another filter.").format(state.query)
        )
        self._restore_selection()
        self.changed.emit()

    def _show_filters(self) -> None:
        counts = self._state.counts
        for only, chip in self.filters.items():
            number = len(self._state.matching) if only is None else counts[only]
            word = self.tr("all") if only is None else STATES[only].word
            chip.setText(f"{word} {number}")
            chip.setAccessibleName(chip.text())
            chip.setChecked(self._state.only == only)
            chip.setVisible(bool(self._state.rows) and (number > 0 or only is None or chip.isChecked()))
            chip.updateGeometry()
        self.search.setVisible(bool(self._state.rows))

    def _restore_selection(self) -> None:
        place = self.model.place_of(self._wanted)
        if place < 0 and self.model.rowCount():
            place = max(0, self.table.currentIndex().row())
        if place >= 0:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.table.selectionModel().setCurrentIndex(self.model.index(place, 0), flags)
            self._wanted = ""
        self._selection_changed()

    def _selection_changed(self) -> None:
        row = self.current()
        if row is None:
            self.detail.show_detail(None)
        elif not self._shows(row.id):
            self._load_detail(row.id)
        self.changed.emit()

    def _shows(self, memory: str) -> bool:
        return self.detail.detail is not None and self.detail.detail.memory.id == memory

    def _load_detail(self, memory: str) -> None:
        services = self._studio.services
        future = services.jobs.pool(_read_detail, services, memory)
        self._studio.work.ask(self, "detail", future, self._detail_came)

    def _detail_came(self, detail: Detail) -> None:
        self.detail.show_detail(detail)
        self.changed.emit()

    def _search_changed(self, words: str) -> None:
        self._show(self._state.with_query(words))
        self._pause.start()

    def _search_deep(self) -> None:
        query, services = self._state.query, self._studio.services
        if query:
            future = services.jobs.pool(deeds.rows, services, query)
            self._studio.work.ask(self, "search", future, lambda rows: self._show(self._state.with_found(query, rows)))

    def _picture_came(self, key: PictureKey) -> None:
        if key.place == "library":
            self.table.viewport().update()

    def _open(self) -> None:
        self._go("timeline")

    def _go(self, page: str) -> None:
        if row := self.current():
            self.wants.emit(page, row.id)

    def _demo(self) -> None:
        if self._state.rows:
            self._stack.setCurrentIndex(2)
        self.empty.begin()

    def _decide(self, deed: str, reason: str) -> None:
        detail = self.detail.detail
        if detail is None:
            return
        services = self._studio.services
        make = {"promote": promote.promote, "quarantine": promote.quarantine, "deprecate": promote.deprecate}[deed]
        future = services.jobs.store(make, services, detail.memory.id, reason, "studio")
        words = self.tr("{0}: {1}").format(deed.capitalize(), detail.memory.intent)
        self._studio.work.ask(self, "decide", future, self._decided, words=words)

    def _decided(self, memory: Memory) -> None:
        self.detail.decided_well()
        look = STATES[memory.state]
        self.said.emit(self.tr("“{0}” is {1} now.").format(memory.intent, look.word))
        self.library_changed()


def _read_detail(services: Services, memory: str) -> Detail:
    """Read everything the pane shows; runs in the pool."""
    return Detail(
        deeds.memory(services, memory),
        tuple(promote.blockers(services, memory)),
        tuple(deeds.history(services, memory)),
        tuple(deeds.replays(services, memory)),
    )
