"""The step list: number, words, fields as chips, reasons of what was dropped."""

from __future__ import annotations

from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from echostudio.episode.step import StepStatus
from echostudio.studio import icons, theme
from echostudio.studio.library.items import Index
from echostudio.studio.looks import FLEXIBLE, STEP_STATUSES, Look
from echostudio.studio.parts.badge import badge_width, paint_badge
from echostudio.studio.timeline.state import TimelineState, TimelineStep
from echostudio.studio.timeline.strip import place_number
from echostudio.studio.wording import action_icon, seconds

ROW: Final = 32
_NUMBER: Final = 30


class StepsModel(QAbstractListModel):
    """The steps of a timeline."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._state = TimelineState()

    @property
    def state(self) -> TimelineState:
        """The timeline that is shown."""
        return self._state

    def show_state(self, state: TimelineState) -> None:
        """Show another timeline."""
        if state.steps == self._state.steps:
            self._state = state
            return
        self.beginResetModel()
        self._state = state
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's
        """Return how many steps there are."""
        return 0 if parent.isValid() else len(self._state.steps)

    def data(self, index: Index, role: int = 0) -> Any:
        """Return a step's words, with what a screen reader needs besides."""
        if not 0 <= index.row() < len(self._state.steps):
            return None
        step = self._state.steps[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return step.words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            extra = (
                f", dropped: {step.reason}" if step.dropped else "".join(f", field {name}" for _, name in step.fields)
            )
            return f"{place_number(self._state, index.row())} {step.words}{extra}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{step.words}\n{step.reason}" if step.dropped else step.words
        return None


class StepDelegate(QStyledItemDelegate):
    """Paints one step."""

    def __init__(self, model: StepsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's name
        """Give every step the same height."""
        return QSize(160, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw ground, number, icon, words, and at the right chips or the time."""
        now = theme.current()
        step = self._model.state.steps[index.row()]
        box = QRectF(option.rect)
        state: QStyle.StateFlag = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(now.colour("selection" if selected else "hover"))
            painter.drawRoundedRect(box.adjusted(8, 1, -8, -1), 6, 6)
        painter.setFont(now.font("small"))
        painter.setPen(now.colour("faint" if step.dropped else "muted"))
        number = "–" if step.dropped else str(place_number(self._model.state, index.row()))
        right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(QRectF(box.left() + 8, box.top(), _NUMBER - 6, box.height()), right, number)
        icon = action_icon(step.action) if step.action else "minus-circle"
        token = "faint" if step.dropped else "muted"
        icons.paint(painter, QRectF(box.left() + 40, box.center().y() - 8, 16, 16), icon, token)
        end = self._paint_end(painter, box, step)
        self._paint_words(
            painter, QRectF(box.left() + 64, box.top(), end - box.left() - 72, box.height()), step, selected
        )
        painter.restore()

    def _paint_end(self, painter: QPainter, box: QRectF, step: TimelineStep) -> float:
        """Draw what stands at the right; return where it begins."""
        end = box.right() - 16
        looks = [Look(FLEXIBLE.icon, _short(name), FLEXIBLE.token) for _, name in step.fields]
        if step.dropped:
            looks = [Look("", _short(step.reason, 22), "faint")]
        elif step.status != StepStatus.DONE:
            looks = [STEP_STATUSES[step.status]]
        for look in looks[:1]:
            end -= badge_width(look)
            paint_badge(painter, QPointF(end, box.center().y()), look)
        if not looks and (step.took or step.pause):
            now = theme.current()
            painter.setFont(now.font("small"))
            painter.setPen(now.colour("faint"))
            words = seconds(step.took if step.took is not None else step.pause)
            width = painter.fontMetrics().horizontalAdvance(words)
            painter.drawText(
                QRectF(end - width, box.top(), width, box.height()), int(Qt.AlignmentFlag.AlignVCenter), words
            )
            end -= width
        return end

    def _paint_words(self, painter: QPainter, room: QRectF, step: TimelineStep, selected: bool) -> None:
        now = theme.current()
        font = now.font("base", bold=selected)
        font.setStrikeOut(step.dropped)
        painter.setFont(font)
        painter.setPen(now.colour("faint" if step.dropped else "text"))
        words = painter.fontMetrics().elidedText(step.words, Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), words)


def _short(words: str, limit: int = 14) -> str:
    return words if len(words) <= limit else words[: limit - 1] + "…"
