"""The desktop in the middle of the page, with what goes where and how fast it is shown below it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from echostudio.operations.services import Services
from echostudio.studio.parts.controls import button
from echostudio.studio.parts.text import label
from echostudio.studio.record.desktop_view import DesktopView

_RATE_MS: Final = 400


class DesktopPane(QWidget):
    """The view and its caption."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self.view = DesktopView(services)
        self._where = label("", "small", "muted")
        self._key = label(self.tr("Ctrl Alt"), "key")
        self._back = label(self.tr("gives them back"), "small", "muted")
        self._rate = label("", "small", "muted")
        self._zoom = button("", "quiet", tip=self.tr("Fit, or actual size"))
        self._zoom.setMinimumWidth(76)
        self._zoom.clicked.connect(lambda: self.view.show_actual(not self.view.actual))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._where)
        row.addWidget(self._key)
        row.addWidget(self._back)
        row.addStretch()
        row.addWidget(self._rate)
        row.addWidget(self._zoom)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.view)
        column.addLayout(row)
        column.addStretch(1)
        self._ticking = QTimer(self, interval=_RATE_MS)
        self._ticking.timeout.connect(self._show_rate)
        self.view.taken.connect(self._show_taken)
        self.view.pictured.connect(self._begin)
        self._show_taken(False)

    def _show_taken(self, taken: bool) -> None:
        words = self.tr("the mouse and keys go to this desktop") if taken else self.tr("click into it to work there")
        self._where.setText(words)
        self._key.setVisible(taken)
        self._back.setVisible(taken)

    def _begin(self) -> None:
        if not self._ticking.isActive():
            self._ticking.start()
            self._show_rate()

    def _show_rate(self) -> None:
        if not self.view.display or not self.isVisible():
            self._ticking.stop()
        rate = self.view.rate
        self._rate.setText(self.tr("{0} pictures/s").format(round(rate)) if rate else self.tr("at rest"))
        fits = self.tr("1:1") if self.view.actual else self.tr("fit {0} %").format(round(100 * self.view.zoom))
        self._zoom.setText(fits)
        self._zoom.setAccessibleName(self.tr("Fit, or actual size"))
