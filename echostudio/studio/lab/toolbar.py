"""Above the picture: which step, what is laid over the picture, how long it took, the zoom; and the empty page."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSlider, QVBoxLayout, QWidget

from echostudio.studio.lab.state import LabState
from echostudio.studio.library.empty import Emblem
from echostudio.studio.parts.controls import Chip, Choice, button
from echostudio.studio.parts.text import ElidedLabel, label


class LabBar(QWidget):
    """The row of controls over the picture."""

    step_chosen = Signal(int, str)

    def __init__(self) -> None:
        super().__init__()
        self._state = LabState()
        self.steps = Choice(self.tr("Step"))
        self.steps.setMinimumContentsLength(12)
        self.map, self.boxes = Chip(self.tr("score map"), checked=True), Chip(self.tr("boxes"), checked=True)
        self.pick = Chip(self.tr("pick a target"))
        self.opacity = QSlider(Qt.Orientation.Horizontal)
        self.opacity.setAccessibleName(self.tr("Opacity of the score map"))
        self.opacity.setToolTip(self.opacity.accessibleName())
        self.opacity.setRange(10, 100)
        self.opacity.setValue(85)
        self.opacity.setFixedWidth(96)
        self.times = ElidedLabel("", "small", "muted")
        self.times.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.zoom = button("", "quiet", tip=self.tr("Fit, or actual size"))
        self.zoom.setMinimumWidth(76)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for one in (self.steps, self.map, self.opacity, self.boxes, self.pick):
            row.addWidget(one)
        row.addWidget(self.times, 1)
        row.addWidget(self.zoom)
        self.steps.activated.connect(self._chosen)

    def show_state(self, state: LabState) -> None:
        """Show which step is looked at, and how long it took."""
        if state.steps != self._state.steps:
            self.steps.clear()
            for index, role, words in state.steps:
                self.steps.addItem(f"{index + 1}  {words}", (index, role))
        self._state = state
        place = next((n for n, one in enumerate(state.steps) if one[:2] == (state.step, state.role)), -1)
        if place != self.steps.currentIndex():
            self.steps.setCurrentIndex(place)
        facts = []
        if state.first_ms:
            facts.append(self.tr("answer in {0:.0f} ms").format(state.first_ms))
        if state.shown is not None and state.shown.ms:
            facts.append(self.tr("{0} {1:.0f} ms").format(state.shown.kind.replace("_", " "), state.shown.ms))
        if state.result is not None and state.result.method != "pixels":
            facts.append(self.tr("by {0}").format(state.result.method))
        self.times.setText(" · ".join(facts))

    def _chosen(self, place: int) -> None:
        index, role, _ = self._state.steps[place]
        if (index, role) != (self._state.step, self._state.role):
            self.step_chosen.emit(index, role)


class NothingOpen(QWidget):
    """Says what to do before any step is open in the Lab."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setSpacing(12)
        middle = Qt.AlignmentFlag.AlignHCenter
        go = button(self.tr("Open the Library"), "primary", "books")
        go.clicked.connect(self.wanted)
        column.addStretch(2)
        column.addWidget(Emblem("flask"), 0, middle)
        column.addWidget(label(self.tr("No step in the Lab"), "title"), 0, middle)
        words = self.tr("Press L on a step in the Timeline, or on a refusal in Replay.")
        column.addWidget(label(words, tone="muted"), 0, middle)
        column.addWidget(go, 0, middle)
        column.addStretch(3)
