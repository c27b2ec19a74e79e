"""The steps as they happen, newest first: thumbnail, words, how well each could be found again."""

from __future__ import annotations

from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from echostudio.settings import ReaimSettings
from echostudio.studio import icons, theme
from echostudio.studio.library.items import Index
from echostudio.studio.parts.controls import button
from echostudio.studio.parts.lines import Glyph
from echostudio.studio.parts.rows import paint_thumb
from echostudio.studio.parts.text import label
from echostudio.studio.pictures import PictureKey, Pictures
from echostudio.studio.record.state import WEAK, LiveStep, RecordState
from echostudio.studio.wording import count

ROW: Final = 56
_THUMB: Final = QSize(72, 40)
_METER: Final = 50
_FULL: Final = 0.3


class LiveModel(QAbstractListModel):
    """The steps of a recording, newest first."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.steps: tuple[LiveStep, ...] = ()
        self.run = ""

    def show_state(self, state: RecordState) -> None:
        """Show newer steps: new ones come in on top, known ones change in place."""
        steps = tuple(reversed(state.steps))
        if steps == self.steps and state.run == self.run:
            return
        more = len(steps) - len(self.steps)
        grown = state.run == self.run and more >= 0
        grown = grown and [one.index for one in steps[more:]] == [one.index for one in self.steps]
        self.run = state.run
        if not grown:
            self.beginResetModel()
            self.steps = steps
            self.endResetModel()
            return
        if more:
            self.beginInsertRows(QModelIndex(), 0, more - 1)
        self.steps = steps
        if more:
            self.endInsertRows()
        self.dataChanged.emit(self.index(0, 0), self.index(len(steps) - 1, 0))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's
        """Return how many steps there are."""
        return 0 if parent.isValid() else len(self.steps)

    def data(self, index: Index, role: int = 0) -> Any:
        """Return a step's words; for screen readers with its number and verdict."""
        if not 0 <= index.row() < len(self.steps):
            return None
        step = self.steps[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return step.words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{step.number} {step.words}, {step.says.word}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(part for part in (step.words, step.says.word, step.warning) if part)
        return None


class LiveDelegate(QStyledItemDelegate):
    """Paints one step."""

    def __init__(self, model: LiveModel, pictures: Pictures, policy: ReaimSettings, parent: QWidget) -> None:
        super().__init__(parent)
        self._model, self._pictures, self._policy = model, pictures, policy

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's name
        """Give every step the same height."""
        return QSize(160, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw it."""
        now, step = theme.current(), self._model.steps[index.row()]
        box = QRectF(option.rect)
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(now.colour("selection" if state & QStyle.StateFlag.State_Selected else "hover"))
            painter.drawRoundedRect(box.adjusted(8, 1, -8, -1), 6, 6)
        thumb = QRectF(box.left() + 16, box.center().y() - _THUMB.height() / 2, _THUMB.width(), _THUMB.height())
        key = PictureKey(step.picture, "run", self._model.run) if step.picture else None
        paint_thumb(painter, thumb, self._pictures.thumb(key) if key else None, "" if key else "eye-slash")
        painter.setFont(now.font("small"))
        painter.setPen(now.colour("faint"))
        right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(QRectF(thumb.right(), box.top(), 28, box.height()), right, str(step.number))
        left = thumb.right() + 38
        room = QRectF(left, box.top(), box.right() - 16 - left, box.height())
        self._paint_words(painter, room, step)
        if _metered(step, self._policy):
            self._paint_meter(painter, QRectF(room.right() - _METER, box.top() + 35, _METER, 6), step)
        painter.restore()

    def _paint_words(self, painter: QPainter, room: QRectF, step: LiveStep) -> None:
        now = theme.current()
        flag = int(Qt.AlignmentFlag.AlignVCenter)
        font = now.font("base")
        font.setStrikeOut(step.undone)
        painter.setFont(font)
        painter.setPen(now.colour("faint" if step.undone else "text"))
        words = painter.fontMetrics().elidedText(step.words, Qt.TextElideMode.ElideRight, int(room.width()))
        single = not step.says.word
        painter.drawText(room if single else QRectF(room.left(), room.top() + 9, room.width(), 20), flag, words)
        if single:
            return
        left = room.left()
        if step.says.icon:
            icons.paint(painter, QRectF(left, room.top() + 32, 13, 13), step.says.icon, step.says.token)
            left += 18
        painter.setFont(now.font("small"))
        painter.setPen(now.colour(step.says.token))
        end = room.right() - (_METER + 10 if _metered(step, self._policy) else 0)
        told = QRectF(left, room.top() + 29, end - left, 18)
        says = painter.fontMetrics().elidedText(step.says.word, Qt.TextElideMode.ElideRight, int(told.width()))
        painter.drawText(told, flag, says)

    def _paint_meter(self, painter: QPainter, bar: QRectF, step: LiveStep) -> None:
        now = theme.current()
        margin = step.margin or 0.0
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(now.colour("inset") if now.name == "light" else now.colour("line"))
        painter.drawRoundedRect(bar, 3, 3)
        share = min(1.0, max(0.0, margin / _FULL))
        if share > 0:
            painter.setBrush(now.colour(step.says.token))
            painter.drawRoundedRect(QRectF(bar.left(), bar.top(), max(6.0, bar.width() * share), bar.height()), 3, 3)
        at = bar.left() + bar.width() * min(1.0, self._policy.eta_margin / _FULL)
        painter.setBrush(now.colour("text"))
        painter.drawRect(QRectF(at, bar.top() - 2, 1.5, bar.height() + 4))


def _metered(step: LiveStep, policy: ReaimSettings) -> bool:
    """Whether the margin tells: not where something else than a twin makes the target weak."""
    if step.margin is None or step.undone:
        return False
    return step.says.token != WEAK.token or step.margin < policy.eta_margin


class WarningCard(QFrame):
    """Says what could be done better while the screen is still there."""

    undo = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("warning")
        self._head = label("", tone="refused", wrap=True)
        self._text = label("", "small", "muted", wrap=True)
        self.deed = button(self.tr("Undo it and do it again"), "quiet", "arrow-u-up-left")
        self.deed.clicked.connect(self.undo)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(Glyph(WEAK), 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._head, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 8)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self._text)
        column.addWidget(self.deed, 0, Qt.AlignmentFlag.AlignLeft)
        self.hide()

    @property
    def words(self) -> str:
        """The head that is shown."""
        return self._head.text()

    def show_state(self, state: RecordState) -> None:
        """Warn of the newest step that should be done better; nothing while all is well."""
        step = state.warned
        self.setVisible(step is not None)
        if step is None:
            return
        self._head.setText(self.tr("Step {0} may not be found again").format(step.number))
        rest = self.tr("The screen is still there: a place with words or a drawing of its own is safer.")
        self._text.setText(f"{step.warning} {rest}")
        self.setAccessibleName(f"{self._head.text()}. {self._text.text()}")
        last = state.last is not None and state.last.index == step.index
        self.deed.setVisible(last and state.busy)


class StepsPane(QWidget):
    """Head, list, and the warning below."""

    def __init__(self, pictures: Pictures, policy: ReaimSettings) -> None:
        super().__init__()
        self._head = label("", "section")
        self.view = QListView()
        self.view.setAccessibleName(self.tr("Steps as they happen"))
        self.view.setMouseTracking(True)
        self.view.setUniformItemSizes(True)
        self.view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.model = LiveModel(self.view)
        self.view.setModel(self.model)
        self.view.setItemDelegate(LiveDelegate(self.model, pictures, policy, self.view))
        self.warning = WarningCard()
        pictures.loaded.connect(lambda _: self.view.viewport().update())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 12)
        column.setSpacing(8)
        head = QHBoxLayout()
        head.setContentsMargins(16, 0, 16, 0)
        head.addWidget(self._head)
        column.addLayout(head)
        column.addWidget(self.view, 1)
        low = QHBoxLayout()
        low.setContentsMargins(14, 0, 14, 0)
        low.addWidget(self.warning)
        column.addLayout(low)

    def show_state(self, state: RecordState) -> None:
        """Show newer steps; the newest stays in view."""
        self._head.setText(self.tr("Steps as they happen · {0}").format(count(len(state.steps), "step")))
        newer = len(state.steps) != len(self.model.steps)
        self.model.show_state(state)
        self.warning.show_state(state)
        if newer:
            self.view.scrollToTop()
