"""The step list of a replay: status, breakpoint, words, score, route."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from echostudio.episode.verdict import Route
from echostudio.studio import icons, theme
from echostudio.studio.library.items import Index
from echostudio.studio.looks import CHANGED, REPLAY_STEPS
from echostudio.studio.replay.state import ReplayState, StepRow

ROW = 32
_ROUTES = {Route.A: "as recorded", Route.B: "with another value", Route.C: "by the person or agent"}


class ReplaySteps(QAbstractListModel):
    """The steps of a replay and the breakpoints before them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.steps: tuple[StepRow, ...] = ()
        self.breakpoints: set[int] = set()

    def show_state(self, state: ReplayState, breakpoints: set[int]) -> None:
        """Show newer steps; the selection stays where the number of steps does."""
        same = len(state.steps) == len(self.steps)
        if not same:
            self.beginResetModel()
        self.steps, self.breakpoints = state.steps, set(breakpoints)
        if not same:
            self.endResetModel()
        elif self.steps:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.steps) - 1, 0))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's
        """Return how many steps there are."""
        return 0 if parent.isValid() else len(self.steps)

    def data(self, index: Index, role: int = 0) -> Any:
        """Return a step's words; for screen readers with status, score and breakpoint."""
        if not 0 <= index.row() < len(self.steps):
            return None
        step = self.steps[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return step.words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            score = f", score {step.aim.best:.3f}" if step.aim else ""
            stop = ", breakpoint" if step.index in self.breakpoints else ""
            return f"{step.index + 1} {step.words}, {REPLAY_STEPS[step.status].word}{score}{stop}"
        if role == Qt.ItemDataRole.ToolTipRole:
            route = f"\nroute {step.route}: {_ROUTES[step.route]}" if step.route else ""
            return f"{step.words}{route}" + (f"\n{step.note}" if step.note else "")
        return None


class ReplayStepDelegate(QStyledItemDelegate):
    """Paints one step of a replay."""

    def __init__(self, model: ReplaySteps, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's name
        """Give every step the same height."""
        return QSize(160, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw it."""
        now = theme.current()
        step = self._model.steps[index.row()]
        box = QRectF(option.rect)
        state: QStyle.StateFlag = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(now.colour("selection" if selected else "hover"))
            painter.drawRoundedRect(box.adjusted(8, 1, -8, -1), 6, 6)
        if step.index in self._model.breakpoints:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(now.colour("failed"))
            painter.drawEllipse(QPointF(box.left() + 5, box.center().y()), 4, 4)
        look = CHANGED if step.status == "done" and step.route == Route.B else REPLAY_STEPS[step.status]
        icons.paint(painter, QRectF(box.left() + 16, box.center().y() - 8, 16, 16), look.icon, look.token)
        painter.setFont(now.font("small"))
        painter.setPen(now.colour("muted"))
        right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(QRectF(box.left() + 32, box.top(), 24, box.height()), right, str(step.index + 1))
        end = self._paint_end(painter, box, step)
        painter.setFont(now.font("base", bold=selected))
        painter.setPen(now.colour("faint" if step.status == "pending" else "text"))
        room = QRectF(box.left() + 66, box.top(), end - box.left() - 74, box.height())
        words = painter.fontMetrics().elidedText(step.words, Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), words)
        painter.restore()

    def _paint_end(self, painter: QPainter, box: QRectF, step: StepRow) -> float:
        now = theme.current()
        end = box.right() - 16
        painter.setFont(now.font("small"))
        if step.route is not None and step.status != "pending":
            ring = QRectF(end - 20, box.center().y() - 10, 20, 20)
            token = "changed" if step.route == Route.B else "muted"
            painter.setPen(QPen(now.colour("changed" if step.route == Route.B else "line"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(ring)
            painter.setPen(now.colour(token))
            painter.drawText(ring, int(Qt.AlignmentFlag.AlignCenter), step.route.value)
            end -= 28
        if step.aim is not None:
            painter.setPen(now.colour("muted" if step.aim.accepted else "refused"))
            score = f"{step.aim.best:.3f}"
            width = painter.fontMetrics().horizontalAdvance(score)
            room = QRectF(end - width, box.top(), width, box.height())
            painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), score)
            end -= width + 6
        return end
