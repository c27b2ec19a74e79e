"""Where a replay runs: a virtual desktop that runs, a new one, or this screen."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from echostudio.desktop.controller import VirtualInfo
from echostudio.studio.parts.controls import Choice, Switch
from echostudio.studio.parts.text import label

_NEW = "new"


@dataclass(frozen=True, slots=True)
class Place:
    """The chosen desktop: a display, or the size of a new virtual one; ``launch`` starts the recorded program."""

    display: str | None
    size: tuple[int, int] | None
    launch: bool

    @property
    def good(self) -> bool:
        """Whether a replay can run there."""
        return self.display is not None or self.size is not None


class PlaceForm(QWidget):
    """Lets the person choose the desktop."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._running: tuple[VirtualInfo, ...] = ()
        self.choice = Choice(self.tr("Where to run"))
        self.extent = QLineEdit("1600x900")
        self.extent.setAccessibleName(self.tr("Size of the new virtual desktop"))
        self.extent.setFixedWidth(86)
        self.launch = Switch(self.tr("Start the program when it is not open"))
        self._fault = label("", "small", "refused", wrap=True)
        top = QHBoxLayout()
        top.setSpacing(6)
        top.addWidget(self.choice, 1)
        top.addWidget(self.extent)
        bottom = QHBoxLayout()
        bottom.addWidget(label(self.tr("Start the program when it is not open"), "small", "muted"))
        bottom.addStretch()
        bottom.addWidget(self.launch)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(self._fault)
        column.addLayout(bottom)
        self._fill()
        self.choice.currentIndexChanged.connect(lambda _: self._refresh())
        self.extent.textChanged.connect(lambda _: self._refresh())
        self._refresh()

    def show_desktops(self, running: tuple[VirtualInfo, ...]) -> None:
        """Offer the virtual desktops that run now; the choice stays while it exists."""
        if running != self._running:
            self._running = running
            self._fill()

    def choose(self, display: str) -> None:
        """Choose a display, when it is offered."""
        at = self.choice.findData(display)
        if at >= 0:
            self.choice.setCurrentIndex(at)

    @property
    def place(self) -> Place:
        """What is chosen."""
        data = self.choice.currentData()
        if data == _NEW:
            return Place(None, _size(self.extent.text()), self.launch.isChecked())
        return Place(data, None, self.launch.isChecked())

    def _fill(self) -> None:
        before = self.choice.currentData()
        self.choice.blockSignals(True)
        self.choice.clear()
        for info in self._running:
            self.choice.addItem(
                self.tr("Virtual desktop {0} · {1}×{2}").format(info.display, info.width, info.height), info.display
            )
        self.choice.addItem(self.tr("New virtual desktop"), _NEW)
        display = os.environ.get("DISPLAY", "")
        if display and all(info.display != display for info in self._running):
            self.choice.addItem(self.tr("This screen ({0})").format(display), display)
        at = self.choice.findData(before)
        self.choice.setCurrentIndex(max(0, at))
        self.choice.blockSignals(False)
        self._refresh()

    def _refresh(self) -> None:
        new = self.choice.currentData() == _NEW
        self.extent.setVisible(new)
        bad = new and _size(self.extent.text()) is None
        self._fault.setText(self.tr("A size like 1600x900, from 320x240 to 7680x4320.") if bad else "")
        self._fault.setVisible(bad)
        self.changed.emit()


def _size(words: str) -> tuple[int, int] | None:
    found = re.fullmatch(r"\s*(\d{3,4})\s*[x×]\s*(\d{3,4})\s*", words)
    if found is None:
        return None
    width, height = int(found[1]), int(found[2])
    return (width, height) if 320 <= width <= 7680 and 240 <= height <= 4320 else None
