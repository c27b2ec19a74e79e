"""The one way from the event bus into the GUI thread."""

from __future__ import annotations

from typing import Final

import shiboken6
from PySide6.QtCore import QObject, QTimer, Signal

from echostudio.events import EventBus, JobProgress

_HIGH_RATE: Final = (JobProgress,)
_INTERVAL_MS: Final = 50


class Bridge(QObject):
    """Emits every event of the bus on the GUI thread, in order.

    Events of a high rate (progress) are thinned: the newest per type and job wins, at most once per interval. All
    others are never dropped. Close it before it is deleted: a worker may still publish.
    """

    happened = Signal(object)
    _came = Signal(object)

    def __init__(self, bus: EventBus, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._held: dict[tuple[type, str], object] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self._release)
        self._came.connect(self._receive)
        self._stop = bus.subscribe(self._forward)
        self._closed = False

    def close(self) -> None:
        """Leave the bus; safe to call twice."""
        self._closed = True
        self._stop()
        self._timer.stop()

    def _forward(self, event: object) -> None:
        """Run in the publisher's thread."""
        if not self._closed and shiboken6.isValid(self):
            self._came.emit(event)

    def _receive(self, event: object) -> None:
        if self._closed:
            return
        if isinstance(event, _HIGH_RATE):
            self._held[type(event), event.job] = event
            if not self._timer.isActive():
                self._timer.start()
            return
        self._release()
        self.happened.emit(event)

    def _release(self) -> None:
        held, self._held = self._held, {}
        for event in held.values():
            self.happened.emit(event)
