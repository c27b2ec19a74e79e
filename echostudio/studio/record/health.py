"""The health strip: what was caught and kept, how fresh the pictures are, what is on disk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from echostudio.studio.looks import Look
from echostudio.studio.parts.lines import Glyph
from echostudio.studio.parts.text import label
from echostudio.studio.record.state import Figure

_GOOD: Final = Look("check-bold", "well", "accepted")
_BAD: Final = Look("warning-fill", "attention", "refused")


class _Fact(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._name = label("", "small", "muted")
        self._words = label("")
        self._glyph = Glyph(_GOOD, 14)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(self._name)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self._glyph)
        row.addWidget(self._words)
        row.addStretch()
        column.addLayout(row)

    def show_figure(self, figure: Figure) -> None:
        self._name.setText(figure.name)
        self._words.setText(figure.words)
        self._glyph.show_look(_GOOD if figure.good else _BAD)
        self._glyph.setVisible(figure.words != "–")
        self.setToolTip(figure.tip)
        self.setAccessibleName(f"{figure.name}: {figure.words}")


class HealthStrip(QWidget):
    """A row of figures along the bottom of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("bottompanel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.tr("Health of the recording"))
        self.setFixedHeight(58)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(18, 8, 18, 8)
        self._row.setSpacing(28)
        self._facts: list[_Fact] = []
        self._shown: tuple[Figure, ...] = ()

    @property
    def figures(self) -> tuple[Figure, ...]:
        """What is shown now."""
        return self._shown

    def show_figures(self, figures: Sequence[Figure]) -> None:
        """Show these figures."""
        if tuple(figures) == self._shown:
            return
        self._shown = tuple(figures)
        while len(self._facts) < len(figures):
            fact = _Fact()
            self._facts.append(fact)
            self._row.addWidget(fact, 1)
        for fact, figure in zip(self._facts, figures, strict=False):
            fact.show_figure(figure)
