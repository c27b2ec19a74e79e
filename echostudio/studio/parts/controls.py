"""Small controls: a switch, a row of exclusive segments, a choice with the studio's own arrow, and plain buttons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QComboBox, QHBoxLayout, QPushButton, QWidget

from echostudio.studio import icons, theme


def button(text: str, kind: str = "", icon: str = "", tip: str = "") -> QPushButton:
    """Return a push button; ``kind`` is ``primary``, ``danger``, ``quiet`` or empty."""
    made = QPushButton(f" {text}" if icon and text else text)
    made.setProperty("kind", kind)
    made.setAccessibleName(text or tip)
    if icon:
        made.setIcon(icons.icon(icon, {"primary": "on_accent", "danger": "failed"}.get(kind, "text")))
    made.setToolTip(tip)
    return made


class Switch(QAbstractButton):
    """An on/off switch, drawn in the field colour when on."""

    def __init__(self, name: str, token: str = "accent") -> None:
        super().__init__()
        self.setCheckable(True)
        self.setAccessibleName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._token = token

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for a fixed little room."""
        return QSize(38, 24)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw track, knob and focus ring."""
        now = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(4, self.height() / 2 - 8, 30, 16)
        on = self.isChecked()
        painter.setPen(QPen(now.colour(self._token if on else "faint"), 1))
        painter.setBrush(now.colour(self._token) if on else now.colour("inset"))
        painter.setOpacity(1.0 if self.isEnabled() else 0.4)
        painter.drawRoundedRect(track, 8, 8)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(now.colour("on_status" if on else "faint"))
        middle = QPointF(track.right() - 8 if on else track.left() + 8, track.center().y())
        painter.drawEllipse(middle, 5, 5)
        if self.hasFocus():
            painter.setPen(QPen(now.colour("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(track.adjusted(-3, -3, 3, 3), 11, 11)
        painter.end()


class Choice(QComboBox):
    """A drop-down list with an arrow from the icon family."""

    def __init__(self, name: str, options: Sequence[str] = ()) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.addItems(list(options))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the box, then the arrow."""
        super().paintEvent(event)
        painter = QPainter(self)
        token = "muted" if self.isEnabled() else "faint"
        icons.paint(painter, QRectF(self.width() - 22, self.height() / 2 - 7, 14, 14), "caret-down-bold", token)
        painter.end()


class _Segment(QPushButton):
    """One segment; draws itself as a filled part of the row when chosen."""

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        now = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if self.isChecked():
            painter.setPen(QPen(now.colour("line"), 1) if now.name == "light" else Qt.PenStyle.NoPen)
            painter.setBrush(now.colour("raised") if now.name == "light" else now.colour("hover"))
            painter.drawRoundedRect(box, 5, 5)
        if self.hasFocus():
            painter.setPen(QPen(now.colour("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, 5, 5)
        painter.setFont(now.font("base", bold=self.isChecked()))
        painter.setPen(now.colour("text" if self.isChecked() else "muted"))
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), self.text())
        painter.end()


class Segments(QWidget):
    """A row of segments of which one is chosen."""

    chosen = Signal(str)

    def __init__(self, name: str, options: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.setAccessibleName(name)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(0)
        self.setFixedHeight(30)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QPushButton] = {}
        for key, words in options:
            segment = _Segment(words)
            segment.setCheckable(True)
            segment.setAccessibleName(words)
            segment.setFixedSize(segment.fontMetrics().horizontalAdvance(words) + 30, 26)
            segment.clicked.connect(lambda _=False, key=key: self.chosen.emit(key))
            self._group.addButton(segment)
            self._buttons[key] = segment
            row.addWidget(segment)

    def choose(self, key: str) -> None:
        """Mark one segment as chosen, without a signal."""
        self._buttons[key].setChecked(True)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the trough."""
        now = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(now.colour("line"), 1))
        painter.setBrush(now.colour("inset"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 7, 7)
        painter.end()


class Chip(QPushButton):
    """A small rounded toggle with words, for filters and overlays."""

    def __init__(self, words: str, *, checked: bool = False) -> None:
        super().__init__(words)
        self.setCheckable(True)
        self.setChecked(checked)
        self.setAccessibleName(words)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for the words and rounded ends."""
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 26, 26)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Never less."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the outline, filled when checked."""
        now = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 2, -1, -2)
        on = self.isChecked()
        width = 2 if self.hasFocus() else 1
        painter.setPen(QPen(now.colour("accent" if on or self.hasFocus() else "line"), width))
        fill = now.colour("selection") if on else now.colour("hover" if self.underMouse() else "panel")
        painter.setBrush(fill)
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        painter.setPen(now.colour("text" if on else "muted"))
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), self.text())
        painter.end()
