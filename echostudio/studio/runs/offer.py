"""The quiet bar over Library and Runs that offers to recover what broke off, until it is done or put away."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from echostudio.operations.runs import RunRow
from echostudio.studio.parts.controls import button
from echostudio.studio.parts.lines import Glyph
from echostudio.studio.parts.text import ElidedLabel
from echostudio.studio.runs.state import INCOMPLETE, offer


class RecoverOffer(QWidget):
    """Shows nothing while nothing broke off."""

    recover = Signal(tuple)
    show_runs = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("offer")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(40)
        self._rows: tuple[RunRow, ...] = ()
        self._put_away: set[str] = set()
        self._here = True
        self._words = ElidedLabel()
        self.deed = button(self.tr("Recover"), "", "first-aid-kit")
        self.deed.clicked.connect(self._recover)
        show = button(self.tr("Show them"), "quiet")
        show.clicked.connect(self.show_runs)
        close = button("✕", "quiet", tip=self.tr("Not now"))
        close.setAccessibleName(self.tr("Not now"))
        close.setFixedWidth(32)
        close.clicked.connect(self._close)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 8, 0)
        row.setSpacing(10)
        row.addWidget(Glyph(INCOMPLETE))
        row.addWidget(self._words)
        row.addStretch(1)
        row.addWidget(show)
        row.addWidget(self.deed)
        row.addWidget(close)
        self.hide()

    @property
    def words(self) -> str:
        """The sentence that is shown."""
        return self._words.text()

    def show_rows(self, rows: tuple[RunRow, ...]) -> None:
        """Offer these runs, as far as they were not put away."""
        self._rows = tuple(row for row in rows if row.id not in self._put_away)
        self._words.setText(offer(self._rows))
        self.setAccessibleName(self._words.text())
        self._refresh()

    def show_here(self, here: bool) -> None:
        """Say whether the page in front is one that should be asked on."""
        self._here = here
        self._refresh()

    def _refresh(self) -> None:
        self.setVisible(self._here and bool(self._rows))

    def _recover(self) -> None:
        rows, self._rows = self._rows, ()
        self.hide()
        self.recover.emit(tuple(row.id for row in rows))

    def _close(self) -> None:
        self._put_away |= {row.id for row in self._rows}
        self.show_rows(())
