"""Below the picture: the verdict with its gauges; or, while a target is picked, what its self test says."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from echostudio.episode.evidence import SelfTest
from echostudio.studio.lab.state import MARGIN_FULL, LabState, headline
from echostudio.studio.looks import Look
from echostudio.studio.parts.controls import button
from echostudio.studio.parts.lines import Glyph
from echostudio.studio.parts.meter import Measure, Meter
from echostudio.studio.parts.text import ElidedLabel, label

_ACCEPTED = Look("check-circle-fill", "accepted", "accepted")
_REFUSED = Look("warning-fill", "refused", "refused")
_WAITING = Look("hourglass", "looking", "muted")


class VerdictCard(QFrame):
    """Accepted or refused, why, and the three gauges against the thresholds of the sliders."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self._glyph = Glyph(_WAITING, 18)
        self.head = label("", "heading")
        self.sentence = ElidedLabel("", "", "muted")
        self._note = label("", "small", "muted")
        self.meters = (Meter(), Meter(), Meter())
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 12)
        column.setSpacing(8)
        top = QHBoxLayout()
        top.setSpacing(9)
        top.addWidget(self._glyph)
        top.addWidget(self.head)
        top.addWidget(self.sentence, 1)
        top.addWidget(self._note)
        column.addLayout(top)
        row = QHBoxLayout()
        row.setSpacing(22)
        for meter in self.meters:
            row.addWidget(meter, 1)
        column.addLayout(row)

    def show_state(self, state: LabState) -> None:
        """Show another decision."""
        accepted, words = headline(state)
        verdict = state.verdict
        self._glyph.show_look(_WAITING if verdict is None else _ACCEPTED if accepted else _REFUSED)
        self.head.setText(words)
        self.sentence.setText(verdict.result.sentence if verdict else "")
        self.sentence.setToolTip(self.sentence.text())
        unknown = verdict is not None and not verdict.known
        self._note.setText(self.tr("let go to look again") if unknown else "")
        gauges = state.gauges
        for place, meter in enumerate(self.meters):
            meter.setVisible(place < len(gauges) or place < 2)
            if place < len(gauges):
                gauge = gauges[place]
                meter.show_measure(Measure(gauge.name, gauge.value, gauge.needed, gauge.full))
            else:
                meter.show_measure(None)


class PickCard(QFrame):
    """What the self test says about a proposed target, and the way to take it."""

    taken = Signal()
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self._glyph = Glyph(_WAITING, 18)
        self.head = label(self.tr("Click the target in the picture"), "heading")
        self._sentence = ElidedLabel("", "", "muted")
        self.margin, self.score = Meter(), Meter()
        self.take = button(self.tr("Use as the new target…"), "primary")
        leave = button(self.tr("Leave"), "quiet")
        self.take.clicked.connect(self.taken)
        leave.clicked.connect(self.left)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 12)
        column.setSpacing(8)
        top = QHBoxLayout()
        top.setSpacing(9)
        top.addWidget(self._glyph)
        top.addWidget(self.head)
        top.addWidget(self._sentence, 1)
        column.addLayout(top)
        row = QHBoxLayout()
        row.setSpacing(22)
        row.addWidget(self.margin, 1)
        row.addWidget(self.score, 1)
        row.addWidget(leave)
        row.addWidget(self.take)
        column.addLayout(row)

    def show_test(self, test: SelfTest | None, state: LabState, *, proposed: bool) -> None:
        """Show a self test; None while it runs, or before anything is picked."""
        self.take.setEnabled(proposed)
        if test is None:
            self.head.setText(self.tr("Testing…") if proposed else self.tr("Click the target in the picture"))
            self._sentence.setText("" if proposed else self.tr("Then drag the edges of its crops, if need be."))
            self._glyph.show_look(_WAITING)
            self.margin.show_measure(None)
            self.score.show_measure(None)
            return
        self._glyph.show_look(_ACCEPTED if test.passed else _REFUSED)
        crop = test.crop.replace("_", " ")
        told = self.tr("Unique by its {0}") if test.passed else self.tr("Not unique by its {0}")
        self.head.setText(told.format(crop))
        self._sentence.setText(test.sentence)
        self._sentence.setToolTip(test.sentence)
        policy = state.policy
        self.margin.show_measure(Measure(self.tr("Margin"), test.margin, policy.eta_margin, MARGIN_FULL))
        self.score.show_measure(Measure(self.tr("Score on its own picture"), test.best, policy.eta_match))


class ReasonDialog(QDialog):
    """Says what will be stored and asks why; nothing is stored without a reason."""

    def __init__(self, title: str, words: str, main: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setMinimumWidth(460)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addWidget(label(title, "heading"))
        column.addWidget(label(words, tone="muted", wrap=True))
        self._line = QLineEdit()
        self._line.setAccessibleName(self.tr("Reason"))
        self._line.setPlaceholderText(self.tr("Why? It goes into the memory's history."))
        column.addWidget(self._line)
        row = QHBoxLayout()
        cancel = button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        self.main = button(main, "primary")
        self.main.setDefault(True)
        self.main.setEnabled(False)
        self.main.clicked.connect(self.accept)
        self._line.textChanged.connect(lambda text: self.main.setEnabled(bool(text.strip())))
        row.addStretch()
        row.addWidget(cancel)
        row.addWidget(self.main)
        column.addLayout(row)

    @property
    def reason(self) -> str:
        """What the person wrote."""
        return self._line.text().strip()

    def write(self, reason: str) -> None:
        """Fill in a reason."""
        self._line.setText(reason)
