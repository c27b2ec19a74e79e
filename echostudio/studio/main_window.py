"""The main window: pages in a frame, commands, messages, and the watch over changes from elsewhere."""

from __future__ import annotations

import logging
from typing import Final

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from echostudio import paths, settings
from echostudio.desktop.controller import VirtualInfo
from echostudio.events import JobFinished, JobProgress, LibraryChanged
from echostudio.operations import desktop
from echostudio.operations.services import Services
from echostudio.studio import theme
from echostudio.studio.bridge import Bridge
from echostudio.studio.commands import CommandSet
from echostudio.studio.lab.view import LabPage
from echostudio.studio.library.view import LibraryPage
from echostudio.studio.messages import Messages
from echostudio.studio.page import Page, Studio
from echostudio.studio.palette import KeyHelp, Palette
from echostudio.studio.pictures import Pictures
from echostudio.studio.preferences import Preferences
from echostudio.studio.record.view import RecordPage
from echostudio.studio.replay.view import ReplayPage
from echostudio.studio.runs.offer import RecoverOffer
from echostudio.studio.runs.view import RunsPage
from echostudio.studio.shell import Rail, StatusLine, TopBar
from echostudio.studio.timeline.view import TimelinePage
from echostudio.studio.wording import count
from echostudio.studio.work import Work

_log = logging.getLogger(__name__)
_WATCH_MS: Final = 700


class MainWindow(QMainWindow):
    """Everything that is visible; opens at the Library."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self.setWindowTitle("EchoStudio")
        self.resize(1440, 900)
        self._services = services
        self.work = Work(self)
        self.messages = Messages(self)
        self.bridge = Bridge(services.bus, self)
        self.commands = CommandSet(self)
        self.studio = Studio(services, self.work, Pictures(services, self.work, self), self.bridge, self.commands)
        self.library = LibraryPage(self.studio)
        self.timeline = TimelinePage(self.studio)
        self.replay = ReplayPage(self.studio)
        self.lab = LabPage(self.studio)
        self.record, self.runs = RecordPage(self.studio), RunsPage(self.studio)
        pages: tuple[Page, ...] = (self.record, self.library, self.runs, self.timeline, self.replay, self.lab)
        self.pages: dict[str, Page] = {page.name: page for page in pages}
        self._dirty: set[str] = set()
        self._version: int | None = None
        self._closed = False
        self._lay_out()
        self._connect()
        self._bind()
        self._watch = QTimer(self, interval=_WATCH_MS)
        self._watch.timeout.connect(self._look_around)
        self._watch.start()
        self.go("library")
        self.runs.library_changed()
        self._look_around()

    def _lay_out(self) -> None:
        self.rail, self.top, self.line = Rail(), TopBar(self.commands), StatusLine()
        self.offer = RecoverOffer()
        self.stack = QStackedWidget()
        for page in self.pages.values():
            self.stack.addWidget(page)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.rail)
        middle.addWidget(self.stack, 1)
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top)
        column.addWidget(self.offer)
        column.addLayout(middle, 1)
        column.addWidget(self.line)
        self.setCentralWidget(whole)
        self.rail.buttons["timeline"].hide()

    def _connect(self) -> None:
        self.rail.chosen.connect(self._rail_chosen)
        self.bridge.happened.connect(self._happened)
        self.work.failed.connect(self.messages.error)
        self.work.jobs_changed.connect(lambda: self.line.jobs.show_jobs(self.work.jobs.running))
        for page in self.pages.values():
            page.changed.connect(self._page_changed)
            page.wants.connect(self.open)
            page.said.connect(self.messages.good)
            page.refreshed.connect(lambda page=page: self._show_head(page))
        self.runs.broke_off.connect(self.offer.show_rows)
        self.offer.recover.connect(self.runs.recover)
        self.offer.show_runs.connect(lambda: self.go("runs"))

    def _bind(self) -> None:
        bind = self.commands.bind
        bind("studio.palette", lambda: Palette(self.commands, self).open())
        bind("studio.help", lambda: KeyHelp(self).open())
        bind("studio.settings", self.open_settings)
        bind("studio.theme", self._switch_theme)
        bind("studio.quit", self._quit)
        for name in self.pages:
            bind(f"go.{name}", lambda name=name: self.go(name))  # type: ignore[misc]

    @property
    def page(self) -> Page:
        """The page in front."""
        page = self.stack.currentWidget()
        assert isinstance(page, Page)
        return page

    def go(self, name: str) -> None:
        """Bring a page to the front."""
        page = self.pages[name]
        self.stack.setCurrentWidget(page)
        self.rail.show_current(name)
        self.offer.show_here(name in ("library", "runs"))
        self._show_head(page)
        self._dirty.discard(name)
        page.shown()
        self._page_changed()

    def _show_head(self, page: Page) -> None:
        if page is self.page:
            self.top.show_page(page.header(), page.deeds())

    def open(self, name: str, ref: str) -> None:
        """Open a memory or ``run:ID`` in the Timeline, a memory or replay in Replay, ``MEMORY:STEP`` in the Lab."""
        if name == "timeline":
            self.timeline.open(ref)
            self.rail.buttons["timeline"].show()
        elif name == "replay":
            self.replay.open(ref)
        elif name == "lab":
            self.lab.open(ref)
        elif name in ("record", "runs", "library") and ref:
            self.pages[name].select(ref)
        self.go(name)

    def open_settings(self) -> None:
        """Show the preferences."""
        dialog = Preferences(self._services.settings, self)
        dialog.saved.connect(self._settings_saved)
        dialog.open()

    def ready(self) -> bool:
        """Whether everything on the page in front is loaded and painted from real data."""
        return self.page.ready() and self.work.pending == 0

    def restore_layout(self) -> None:
        """Take the window's place and size of the last time."""
        geometry = _layout().value("geometry")
        if geometry is not None:
            self.restoreGeometry(geometry)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Stop what runs, then let go of everything."""
        self.shut()
        event.accept()

    def shut(self) -> None:
        """End timers, the bridge and running work; safe to call twice."""
        if self._closed:
            return
        self._closed = True
        _layout().setValue("geometry", self.saveGeometry())
        self._watch.stop()
        self.record.closing()
        self.replay.closing()
        self.lab.closing()
        self.timeline.closing()
        self.library.closing()
        self.work.close()
        self.bridge.close()

    def _quit(self) -> None:
        self.close()

    def _rail_chosen(self, name: str) -> None:
        if name == "settings":
            self.rail.show_current(self.page.name)
            self.open_settings()
        else:
            self.go(name)

    def _page_changed(self) -> None:
        page = self.page
        opened = {"opened"} if self.timeline.opened else set()
        self.commands.set_facts(page.facts() | opened | self.record.live_facts())
        self.line.page.setText(page.status())
        self.line.show_hints(page.hints(), self.commands.enabled)

    def _happened(self, event: object) -> None:
        if isinstance(event, LibraryChanged):
            self._library_changed()
        elif isinstance(event, JobProgress | JobFinished):
            self.work.jobs.apply(event)
            self.line.jobs.show_jobs(self.work.jobs.running)

    def _library_changed(self) -> None:
        """Refresh the page in front; the others refresh when they come to the front."""
        self._dirty |= set(self.pages)
        self._dirty.discard(self.page.name)
        self.page.library_changed()

    def _look_around(self) -> None:
        """Notice changes by other processes, and which desktops run; all of it in the pool."""
        if self.work.pending > 8:
            return
        jobs = self._services.jobs
        self.work.ask(self, "version", jobs.pool(_facts, self._services, self._version), self._facts_came)

    def _facts_came(self, facts: tuple[int, int | None, tuple[VirtualInfo, ...]]) -> None:
        version, memories, running = facts
        if memories is not None:
            self.line.store.setText(count(memories, self.tr("memory"), self.tr("memories")))
        words = " · ".join(f"{info.display} {info.width}×{info.height}" for info in running)
        self.line.desktops.setText(self.tr("virtual desktop {0}").format(words) if running else "")
        self.replay.show_desktops(running)
        self.lab.show_desktops(running)
        self.record.show_desktops(running)
        if self._version is not None and version != self._version:
            self._library_changed()
        self._version = version

    def _switch_theme(self) -> None:
        other = "light" if theme.current().name == "dark" else "dark"
        studio = self._services.settings.studio.model_copy(update={"theme": other})
        self._settings_saved(self._services.settings.model_copy(update={"studio": studio}))

    def _settings_saved(self, chosen: settings.Settings) -> None:
        """Write the settings in the store's worker, and look the part at once."""
        self._services.settings = chosen
        app = QApplication.instance()
        if isinstance(app, QApplication):
            theme.apply(app, chosen.studio.theme)
        future = self._services.jobs.store(settings.save, paths.settings_file(self._services.home), chosen)
        self.work.ask(self, "settings", future, lambda _: None)


def _facts(services: Services, known: int | None) -> tuple[int, int | None, tuple[VirtualInfo, ...]]:
    """Read what the status line tells, the rows only when they may have changed; runs in the pool."""
    version = services.repository.data_version()
    memories = len(services.repository.rows()) if version != known else None
    return version, memories, desktop.running()


def _layout() -> QSettings:
    """Return where the window's place is kept; nothing else is kept there."""
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "EchoStudio", "layout")
