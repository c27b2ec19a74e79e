"""A threshold as a slider: the track shows what was measured, so that one sees when the decision would turn."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from echostudio.studio import theme

_KNOB: Final = 7.0
_TRACK: Final = 6.0


class ThresholdSlider(QWidget):
    """One threshold between ``low`` and ``high``, moved by pointer or arrows in steps; its measured value marked."""

    moved = Signal(float)
    released = Signal()

    def __init__(self, name: str, low: float, high: float, step: float, tip: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._name, self._low, self._high, self._step = name, low, high, step
        self.value = low
        self._before = low
        self._measured: float | None = None

    def show_value(self, value: float, before: float, measured: float | None) -> None:
        """Show the threshold, where it is in force, and what was measured; without a signal."""
        self.value, self._before, self._measured = value, before, measured
        self.setAccessibleDescription(f"{value:.3f}" + (f", measured {measured:.3f}" if measured is not None else ""))
        self.update()

    def set_value(self, value: float) -> None:
        """Move the knob to the nearest step, and tell when that is another value."""
        steps = round((min(max(value, self._low), self._high) - self._low) / self._step)
        chosen = round(self._low + steps * self._step, 4)
        if chosen != self.value:
            self.value = chosen
            self.update()
            self.moved.emit(chosen)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for a line of words and the track."""
        return QSize(200, 42)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Move the knob there."""
        self.set_value(self._value_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Follow the pointer."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.set_value(self._value_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Tell that the value stays."""
        self.released.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Go back to the value in force."""
        self.set_value(self._before)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Move by a step with the arrows, by ten with the page keys."""
        by = {
            Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1,
            Qt.Key.Key_PageDown: -10, Qt.Key.Key_PageUp: 10,
        }.get(Qt.Key(event.key()))  # fmt: skip
        if by is None:
            event.ignore()
            return
        self.set_value(self.value + by * self._step)
        self.released.emit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw words, track, measured value, value in force and knob."""
        now = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        words = QRectF(0, 0, self.width(), 20)
        painter.setPen(now.colour("text"))
        painter.drawText(words, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), self._name)
        painter.setFont(now.font("small", bold=self.value != self._before))
        painter.setPen(now.colour("changed" if self.value != self._before else "muted"))
        told = f"{self.value:.3f}" if self.value == self._before else f"{self._before:.3f}  →  {self.value:.3f}"
        painter.drawText(words, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), told)
        middle = 31.0
        track = QRectF(_KNOB, middle - _TRACK / 2, self.width() - 2 * _KNOB, _TRACK)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(now.colour("line" if now.name == "dark" else "inset"))
        painter.drawRoundedRect(track, 3, 3)
        self._paint_measured(painter, track)
        before = self._x(self._before)
        painter.setPen(QPen(now.colour("muted"), 1.5))
        painter.drawLine(QPointF(before, middle - 6), QPointF(before, middle + 6))
        knob = QPointF(self._x(self.value), middle)
        painter.setPen(QPen(now.colour("accent") if self.hasFocus() else now.colour("panel"), 2))
        painter.setBrush(now.colour("accent"))
        painter.drawEllipse(knob, _KNOB - 1, _KNOB - 1)
        if self.hasFocus():
            painter.setPen(QPen(now.colour("accent"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(knob, _KNOB + 2, _KNOB + 2)
        painter.end()

    def _paint_measured(self, painter: QPainter, track: QRectF) -> None:
        """Fill the track up to the measured value: green while that suffices, else amber."""
        if self._measured is None:
            return
        now = theme.current()
        end = self._x(min(max(self._measured, self._low), self._high))
        token = "accepted" if self._measured >= self.value else "refused"
        if end > track.left() + 1:
            painter.setBrush(now.colour(token, 0.75))
            painter.drawRoundedRect(QRectF(track.left(), track.top(), end - track.left(), track.height()), 3, 3)

    def _x(self, value: float) -> float:
        return _KNOB + (self.width() - 2 * _KNOB) * (value - self._low) / (self._high - self._low)

    def _value_at(self, x: float) -> float:
        return self._low + (self._high - self._low) * (x - _KNOB) / max(1.0, self.width() - 2 * _KNOB)
