"""The middle of the page: the chosen desktop, what is said instead of one, and how one is made."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedLayout, QWidget

from echostudio.desktop.controller import VirtualInfo
from echostudio.errors import EchoError
from echostudio.operations import desktop
from echostudio.studio.page import Studio
from echostudio.studio.record.cards import Countdown, HostCard, NewDesktopCard
from echostudio.studio.record.place import PlaceBar, RecordPlace
from echostudio.studio.record.screen import DesktopPane


class Stage(QWidget):
    """Shows what the place bar chose. ``made`` tells that a new desktop is there, ``not_made`` that it is not."""

    changed = Signal()
    made = Signal()
    not_made = Signal()

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self.making = False
        self.bar = PlaceBar()
        self.pane = DesktopPane(studio.services)
        self.view = self.pane.view
        self.fresh, self.host = NewDesktopCard(), HostCard()
        self._stack = QStackedLayout(self)
        shown: tuple[QWidget, ...] = (self.fresh, self.host, self.pane)
        for widget in shown:
            self._stack.addWidget(widget)
        self.countdown = Countdown(self)
        self.bar.changed.connect(self._show_place)
        self.bar.make.connect(self.make)
        self.bar.launch.connect(self._launch)
        self.fresh.wanted.connect(self.make)
        self.view.lost.connect(lambda _: self.changed.emit())
        self._show_place()

    @property
    def place(self) -> RecordPlace:
        """What is chosen."""
        return self.bar.place

    @property
    def ready(self) -> bool:
        """Whether the chosen desktop is shown."""
        return not self.making and (not self.view.display or self.view.image is not None)

    @property
    def words(self) -> str:
        """Where it is, in words."""
        place = self.place
        return self.tr("this screen") if place.host else self.tr("virtual desktop {0}").format(place.display)

    def take_keys(self) -> None:
        """Let mouse and keys go to the desktop, when one is shown."""
        if self.view.display:
            self.view.setFocus()

    def make(self) -> None:
        """Make the virtual desktop that is asked for, with its program."""
        place = self.place
        if self.making or place.size is None or place.program is None:
            return
        self._show_making(True)
        programs = [place.program] if place.program else []
        future = self._studio.services.jobs.pool(desktop.up, *place.size, programs=programs)
        words = self.tr("Making a virtual desktop")
        self._studio.work.ask(self, "up", future, self._came, self._failed, words=words)

    def _came(self, info: VirtualInfo) -> None:
        self._show_making(False)
        self.bar.program.clear()
        self.bar.add(info)
        self.made.emit()

    def _failed(self, error: EchoError) -> None:
        self._show_making(False)
        self._studio.work.failed.emit(error)
        self.not_made.emit()

    def _launch(self) -> None:
        place = self.place
        if place.program and place.display:
            services = self._studio.services
            future = services.jobs.pool(desktop.launch, place.display, place.program)
            self._studio.work.ask(self, "launch", future, lambda _: self.bar.program.clear())
            self.take_keys()

    def _show_making(self, making: bool) -> None:
        self.making = making
        self.fresh.show_busy(making)
        self._show_place()

    def _show_place(self) -> None:
        place = self.place
        self._stack.setCurrentIndex(0 if place.new else 1 if place.host else 2)
        self.view.show_desktop("" if place.new or place.host else place.display)
        self.fresh.deed.setEnabled(place.good and not self.making)
        self.changed.emit()
