"""A small strip over the person's own screen while that is recorded: click-through, always on top, never in the way.

It stays visible while it records. What it covers is burned out of every frame (solid grey, whatever it shows), and it
goes to the other side of the screen before the pointer comes near, so that no target ever lies under it.
"""

from __future__ import annotations

import os
import threading
import time
from typing import Final

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QCursor, QGuiApplication, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from echostudio.episode.geometry import DesktopBox
from echostudio.studio import icons, theme
from echostudio.studio.looks import Look

_SIZE: Final = QSize(340, 52)
_EDGE: Final = 16
_NEAR: Final = 260
_WATCH_MS: Final = 40
_LINGER_S: Final = 0.5


class Hud(QWidget):
    """Shows the state of a recording on the recorded screen itself."""

    def __init__(self) -> None:
        flags = Qt.WindowType.ToolTip | Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint
        flags |= Qt.WindowType.WindowTransparentForInput | Qt.WindowType.WindowDoesNotAcceptFocus
        super().__init__(None, flags)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)
        self.setFixedSize(_SIZE)
        self._look = Look("record-fill", "", "failed")
        self._words = ""
        self._keys = ""
        self._lock = threading.Lock()
        self._boxes: list[tuple[float, DesktopBox]] = []
        self._low = True
        self._watch = QTimer(self, interval=_WATCH_MS)
        self._watch.timeout.connect(self.step_aside)

    def begin(self) -> None:
        """Come up at the lower edge of the screen, or the upper one when the pointer is there."""
        self._low = True
        if self._near(self._place(low=True)):
            self._low = False
        self._move()
        self.show()
        self._watch.start()

    def end(self) -> None:
        """Go away; what it covered last stays covered for a moment."""
        self._watch.stop()
        self.hide()
        with self._lock:
            self._boxes = [(time.monotonic() + _LINGER_S, box) for _, box in self._boxes[-1:]]

    def show_state(self, look: Look, words: str, keys: str) -> None:
        """Show where the recording stands, the last step, and the key that ends it."""
        if (look, words, keys) != (self._look, self._words, self._keys):
            self._look, self._words, self._keys = look, words, keys
            self.setAccessibleName(f"{look.word} {words}")
            self.update()

    def boxes(self) -> tuple[DesktopBox, ...]:
        """Return what has to be covered in a frame that is taken now; any thread may ask."""
        now = time.monotonic()
        with self._lock:
            self._boxes = [(until, box) for until, box in self._boxes if until > now]
            return tuple(box for _, box in self._boxes)

    def step_aside(self) -> None:
        """Go to the other side of the screen when the pointer comes near."""
        if self._near(self.geometry()) and not self._near(self._place(low=not self._low)):
            self._low = not self._low
            self._move()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw state, words and key."""
        now = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), now.colour("raised"))
        painter.setPen(QPen(now.colour(self._look.token), 2))
        painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        icons.paint(painter, QRectF(14, 17, 18, 18), self._look.icon, self._look.token)
        painter.setFont(now.font("base", bold=True))
        painter.setPen(now.colour(self._look.token))
        left = int(Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(QRectF(42, 6, 200, 20), left, self._look.word)
        painter.setFont(now.font("small"))
        painter.setPen(now.colour("muted"))
        right = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
        painter.drawText(QRectF(200, 6, self.width() - 214, 20), right, self._keys)
        painter.setPen(now.colour("text"))
        words = painter.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, self.width() - 56)
        painter.drawText(QRectF(42, 26, self.width() - 56, 20), left, words)
        painter.end()

    def _move(self) -> None:
        """Cover the old and the new place until every frame of the move is taken, then only the new one."""
        place = self._place(low=self._low)
        ratio = self.devicePixelRatio()
        box = DesktopBox(*(round(part * ratio) for part in (place.x(), place.y(), place.width(), place.height())))
        with self._lock:
            old = [(min(until, time.monotonic() + _LINGER_S), one) for until, one in self._boxes]
            self._boxes = [*old, (float("inf"), box)]
        self.move(place.topLeft())

    @staticmethod
    def _place(*, low: bool) -> QRect:
        area = QGuiApplication.primaryScreen().availableGeometry()
        left = area.center().x() - _SIZE.width() // 2
        top = area.bottom() - _EDGE - _SIZE.height() if low else area.top() + _EDGE
        return QRect(QPoint(left, top), _SIZE)

    @staticmethod
    def _near(place: QRect) -> bool:
        return place.adjusted(-_NEAR, -_NEAR, _NEAR, _NEAR).contains(QCursor.pos())


def own_display() -> str:
    """Return the X display that this program's own windows are on; empty where that is none that can be recorded."""
    return os.environ.get("DISPLAY", "") if QGuiApplication.platformName() == "xcb" else ""
