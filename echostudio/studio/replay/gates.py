"""The gate report: icon, gate, measured against needed; fills in as the gates are judged."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from echostudio.episode.verdict import GateName, GateVerdict, Verdict
from echostudio.studio.looks import VERDICTS, Look
from echostudio.studio.parts.lines import Glyph
from echostudio.studio.parts.text import ElidedLabel, label, set_tone
from echostudio.studio.replay.state import ReplayState, compared

_OPEN: Final = Look("circle-dashed", "not judged yet", "faint")


class GateReport(QWidget):
    """All gates in their order; a refused one shows its sentence below."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Gate report"))
        self._head = label("", "section")
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(5)
        grid.setColumnMinimumWidth(0, 18)
        grid.setColumnStretch(2, 1)
        grid.setColumnStretch(3, 1)
        self._rows: dict[GateName, tuple[Glyph, ElidedLabel, ElidedLabel, ElidedLabel]] = {}
        for row, gate in enumerate(GateName):
            glyph, name = Glyph(_OPEN, 15), ElidedLabel(gate.value.replace("_", " "))
            name.setMinimumWidth(78)
            measured, needed = ElidedLabel("", "small", "muted"), ElidedLabel("", "small", "faint")
            for one in (measured, needed):
                one.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            for at, widget in enumerate((glyph, name, measured, needed)):
                grid.addWidget(widget, row, at)
            self._rows[gate] = (glyph, name, measured, needed)
        self._sentence = label("", "small", "refused", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._head)
        column.addLayout(grid)
        column.addWidget(self._sentence)
        self.show_state(ReplayState())

    def show_state(self, state: ReplayState) -> None:
        """Show how far the gates are."""
        judged = {gate.gate: gate for gate in state.gates}
        words = (
            self.tr("Gates · {0} of {1} pass").format(state.passed_gates, len(GateName)) if judged else self.tr("Gates")
        )
        self._head.setText(words)
        for gate in GateName:
            self._show_row(gate, judged.get(gate))
        against = [one for one in state.gates if one.verdict in (Verdict.REFUSED, Verdict.UNKNOWN)]
        self._sentence.setText("\n".join(one.sentence for one in against))
        self._sentence.setVisible(bool(against))

    def _show_row(self, gate: GateName, verdict: GateVerdict | None) -> None:
        glyph, name, measured, needed = self._rows[gate]
        look = VERDICTS[verdict.verdict] if verdict else _OPEN
        glyph.show_look(look)
        set_tone(name, "" if verdict else "faint")
        found, least = compared(verdict.measured, verdict.needed) if verdict else ("", "")
        measured.setText(found)
        needed.setText(least)
        sentence = verdict.sentence if verdict else ""
        for one in (name, measured, needed):
            one.setToolTip(sentence)
        words = f"{gate.value.replace('_', ' ')} {look.word}"
        name.setAccessibleName(words)
        name.setAccessibleDescription(sentence)
