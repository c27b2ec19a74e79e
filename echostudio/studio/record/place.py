"""Where to record: a virtual desktop that runs, a new one with a program on it, or this screen."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from echostudio.desktop.controller import VirtualInfo
from echostudio.studio.parts.controls import Choice, button
from echostudio.studio.parts.text import label
from echostudio.studio.record.hud import own_display

_NEW: Final = "new"
_COUNTDOWNS: Final = (0, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """The chosen place.

    ``display`` is empty for a new virtual desktop of ``size`` (None when what was written is no size); ``host`` says
    that it is the screen the studio itself is on. ``program`` is the command to start there, None when it cannot be
    read.
    """

    display: str
    host: bool
    size: tuple[int, int] | None
    program: tuple[str, ...] | None

    @property
    def new(self) -> bool:
        """Whether it has to be made first."""
        return not self.display

    @property
    def good(self) -> bool:
        """Whether a recording can begin there."""
        return self.program is not None and (not self.new or self.size is not None)


class PlaceBar(QWidget):
    """One line of controls above the desktop."""

    changed = Signal()
    make = Signal()
    launch = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._running: tuple[VirtualInfo, ...] = ()
        self._chosen = False
        self.choice = Choice(self.tr("Where to record"))
        self.choice.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
        self.choice.setMinimumWidth(170)
        self.extent = QLineEdit("1600x900")
        self.extent.setAccessibleName(self.tr("Size of the new virtual desktop"))
        self.extent.setFixedWidth(88)
        self.program = QLineEdit()
        self.program.setAccessibleName(self.tr("Program to start"))
        self.program.setPlaceholderText(self.tr("Program to start, like mousepad"))
        self.program.setMinimumWidth(110)
        self.deed = button(self.tr("Start it there"), "", "rocket-launch")
        self.countdown = Choice(self.tr("Countdown"))
        for number in _COUNTDOWNS:
            self.countdown.addItem(self.tr("{0} s").format(number) if number else self.tr("none"), number)
        self.countdown.setMinimumContentsLength(4)
        self._lay_out()
        self._fill()
        self._refresh()
        self.choice.activated.connect(lambda _: self._choose_for_good())
        self.choice.currentIndexChanged.connect(lambda _: self._refresh())
        self.extent.textChanged.connect(lambda _: self._refresh())
        self.program.textChanged.connect(lambda _: self._refresh())
        self.program.returnPressed.connect(self._do)
        self.deed.clicked.connect(self._do)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(label(self.tr("Where"), tone="muted"))
        row.addWidget(self.choice)
        row.addWidget(self.extent)
        row.addWidget(self.program, 1000)
        row.addWidget(self.deed)
        row.addSpacing(8)
        row.addWidget(label(self.tr("Countdown"), tone="muted"))
        row.addWidget(self.countdown)
        row.addStretch(1)

    @property
    def place(self) -> RecordPlace:
        """What is chosen."""
        data = self.choice.currentData()
        new = data == _NEW
        host = not new and data == own_display()
        size = parse_size(self.extent.text()) if new else None
        return RecordPlace("" if new else str(data), host, size, parse_command(self.program.text()))

    def show_desktops(self, running: tuple[VirtualInfo, ...]) -> None:
        """Offer the virtual desktops that run; the choice stays while it exists."""
        own = own_display()
        running = tuple(info for info in running if info.display != own)
        if running != self._running:
            self._running = running
            self._fill()
            self._refresh()

    def choose(self, display: str) -> None:
        """Choose a display, when it is offered."""
        at = self.choice.findData(display)
        if at >= 0:
            self._chosen = True
            self.choice.setCurrentIndex(at)

    def add(self, info: VirtualInfo) -> None:
        """Offer a desktop that was just made, and choose it."""
        self.show_desktops((*(one for one in self._running if one.display != info.display), info))
        self.choose(info.display)

    def _choose_for_good(self) -> None:
        """Keep what the person chose; until then a desktop that runs is the better offer."""
        self._chosen = True

    def _fill(self) -> None:
        before = self.choice.currentData() if self._chosen else None
        self.choice.blockSignals(True)
        self.choice.clear()
        for info in self._running:
            words = self.tr("Virtual desktop {0} · {1}×{2}").format(info.display, info.width, info.height)
            self.choice.addItem(words, info.display)
        self.choice.addItem(self.tr("New virtual desktop"), _NEW)
        display = own_display()
        if display:
            self.choice.addItem(self.tr("This screen ({0})").format(display), display)
        self.choice.setCurrentIndex(max(0, self.choice.findData(before)))
        self.choice.blockSignals(False)

    def _refresh(self) -> None:
        place = self.place
        self.extent.setVisible(place.new)
        _mark(self.extent, wrong=place.new and place.size is None)
        _mark(self.program, wrong=place.program is None)
        self.program.setVisible(not place.host)
        self.deed.setVisible(not place.host)
        self.deed.setText(" " + (self.tr("Make it") if place.new else self.tr("Start it there")))
        self.deed.setAccessibleName(self.deed.text().strip())
        self.deed.setEnabled(place.good and (place.new or bool(place.program)))
        self.changed.emit()

    def _do(self) -> None:
        if self.deed.isEnabled():
            (self.make if self.place.new else self.launch).emit()


def parse_size(words: str) -> tuple[int, int] | None:
    """Return the size that is written, or None when it is none that a desktop can have."""
    found = re.fullmatch(r"\s*(\d{3,4})\s*[x×]\s*(\d{3,4})\s*", words)
    if found is None:
        return None
    width, height = int(found[1]), int(found[2])
    return (width, height) if 320 <= width <= 7680 and 240 <= height <= 4320 else None


def parse_command(words: str) -> tuple[str, ...] | None:
    """Return a command's words, none for an empty line, and None when a quote is not closed."""
    try:
        return tuple(shlex.split(words))
    except ValueError:
        return None


def _mark(line: QLineEdit, *, wrong: bool) -> None:
    if line.property("wrong") != wrong:
        line.setProperty("wrong", wrong)
        line.style().unpolish(line)
        line.style().polish(line)
