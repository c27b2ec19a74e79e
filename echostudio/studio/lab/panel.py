"""The right side of the Lab: curve, crops, what-if sliders, past replays."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from echostudio.settings import ReaimSettings
from echostudio.studio.lab.curve import CurveView
from echostudio.studio.lab.lists import CropTable, PastList
from echostudio.studio.lab.sliders import ThresholdSlider
from echostudio.studio.lab.state import LabState
from echostudio.studio.parts.controls import button
from echostudio.studio.parts.text import label, rule

_RANGES: Final = {"eta_match": (0.5, 1.0, 0.01), "eta_margin": (0.0, 0.3, 0.005), "target_check": (0.5, 1.0, 0.01)}
_MEASURED: Final = {"eta_match": "Score", "eta_margin": "Margin", "target_check": "Target check"}


class LabPanel(QScrollArea):
    """Shows the state's numbers; ``tuned`` carries a threshold's name and value."""

    tuned = Signal(str, float)
    settled = Signal()
    crop_chosen = Signal(object)
    past_chosen = Signal(object)
    save_wanted = Signal()
    reset_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._state = LabState()
        self.curve, self.table, self.past = CurveView(), CropTable(), PastList()
        self.sliders = self._make_sliders()
        self.save = button(self.tr("Save for this memory…"), icon="floppy-disk")
        self.reset = button(self.tr("Reset"), "quiet", tip=self.tr("Back to the thresholds in force"))
        self._own = label("", "small", "muted", wrap=True)
        self._curve_head = label("", "section")
        self._past_head = label(self.tr("Past replays of this step"), "section")
        self._flips = label("", "small", "muted", wrap=True)
        self._lay_out()
        self.save.clicked.connect(self.save_wanted)
        self.reset.clicked.connect(self.reset_wanted)
        self.table.chosen.connect(lambda row: self.crop_chosen.emit(self._state.rows[row].key))
        self.past.chosen.connect(lambda row: self.past_chosen.emit(self._state.past_rows[row].past))

    def _make_sliders(self) -> dict[str, ThresholdSlider]:
        names = {
            "eta_match": self.tr("score at least"),
            "eta_margin": self.tr("margin at least"),
            "target_check": self.tr("target check at least"),
        }
        sliders = {}
        for name, (low, high, step) in _RANGES.items():
            tip = ReaimSettings.model_fields[name].description or ""
            slider = ThresholdSlider(names[name], low, high, step, tip)
            slider.moved.connect(lambda value, name=name: self.tuned.emit(name, value))
            slider.released.connect(self.settled)
            sliders[name] = slider
        return sliders

    def _lay_out(self) -> None:
        body = QWidget()
        body.setObjectName("panelbody")
        column = QVBoxLayout(body)
        column.setContentsMargins(16, 14, 14, 14)
        column.setSpacing(8)
        column.addWidget(self._curve_head)
        column.addWidget(self.curve)
        column.addWidget(rule())
        column.addWidget(label(self.tr("Crops · a click shows its map"), "section"))
        column.addWidget(self.table)
        column.addWidget(rule())
        column.addWidget(label(self.tr("What if"), "section"))
        for slider in self.sliders.values():
            column.addWidget(slider)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.save)
        row.addWidget(self.reset)
        row.addStretch()
        column.addLayout(row)
        column.addWidget(self._own)
        column.addWidget(rule())
        column.addWidget(self._past_head)
        column.addWidget(self.past)
        column.addWidget(self._flips)
        column.addStretch()
        self.setWidget(body)

    def show_state(self, state: LabState) -> None:
        """Show another state; cheap enough to follow a slider."""
        self._state = state
        shown, heat = state.shown, state.heat
        name = f" · {shown.kind.replace('_', ' ')}" if shown else ""
        self._curve_head.setText(self.tr("Score over scale{0}").format(name))
        self.curve.show_curve(heat.curve if heat else (), state.policy.eta_match, shown.scale if shown else 0.0)
        keys = [row.key for row in state.rows]
        key = state.shown_key
        self.table.show_rows(state.rows, keys.index(key) if key in keys else -1)
        self._show_sliders(state)
        run = state.source.stored.run if state.source and state.source.stored else ""
        rows = state.past_rows
        self.past.show_rows(rows, next((n for n, row in enumerate(rows) if run and row.past.run == run), -1))
        self._flips.setText(state.flip_words)

    def _show_sliders(self, state: LabState) -> None:
        measured = {gauge.name: gauge.value for gauge in state.gauges}
        for name, slider in self.sliders.items():
            slider.show_value(getattr(state.policy, name), getattr(state.base, name), measured.get(_MEASURED[name]))
        self.save.setEnabled(state.changed and state.memory is not None)
        self.reset.setEnabled(state.changed)
        own = state.memory.policy if state.memory else {}
        names = ", ".join(f"{_MEASURED[name].lower()} {value:g}" for name, value in own.items() if name in _MEASURED)
        self._own.setText(self.tr("This memory's own: {0}.").format(names) if names else "")
        self._own.setVisible(bool(names))
