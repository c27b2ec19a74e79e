"""The Library's table: a model over the state's rows, and the delegate that paints them."""

from __future__ import annotations

from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from echostudio.episode.memory import MemoryRow
from echostudio.studio import theme
from echostudio.studio.looks import STATES
from echostudio.studio.parts.badge import paint_badge
from echostudio.studio.parts.rows import paint_ground, paint_thumb
from echostudio.studio.pictures import PictureKey, Pictures
from echostudio.studio.wording import count, share, when

Index = QModelIndex | QPersistentModelIndex
HEADS: Final = ("memory", "state", "replays", "refused", "last")
ROW_HEIGHT: Final = 60
_THUMB: Final = QSize(84, 48)


class RowsModel(QAbstractTableModel):
    """The visible rows; a change of the rows resets it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[MemoryRow, ...] = ()

    def show_rows(self, rows: tuple[MemoryRow, ...]) -> None:
        """Show these rows; nothing happens when they are the same."""
        if rows == self._rows:
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def row(self, number: int) -> MemoryRow | None:
        """Return a row by its place."""
        return self._rows[number] if 0 <= number < len(self._rows) else None

    def place_of(self, memory: str) -> int:
        """Return where a memory stands, or -1."""
        return next((place for place, row in enumerate(self._rows) if row.id == memory), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's
        """Return how many rows there are."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(HEADS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:  # noqa: N802 - Qt's name
        """Return a column's head."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.tr(HEADS[section])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            right = Qt.AlignmentFlag.AlignRight if section > 1 else Qt.AlignmentFlag.AlignLeft
            return int(right | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        """Return a cell's words, also for screen readers."""
        row = self.row(index.row())
        if row is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._words(row)[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == 4:
            return row.updated
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == 0:
            return row.intent
        return None

    def _words(self, row: MemoryRow) -> tuple[str, ...]:
        replays = str(row.replays) if row.replays else "–"
        return row.intent, STATES[row.state].word, replays, share(row.refused, row.replays), when(row.updated)


class RowDelegate(QStyledItemDelegate):
    """Paints thumbnail, intent and program, badge and figures of a row."""

    def __init__(self, model: RowsModel, pictures: Pictures, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._pictures = pictures

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's name
        """Give every row the same height."""
        return QSize(80, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one cell."""
        row = self._model.row(index.row())
        if row is None:
            return
        box = QRectF(option.rect)
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        column = index.column()
        paint_ground(painter, box, state, first=column == 0, last=column == len(HEADS) - 1)
        if column == 0:
            self._paint_memory(painter, box, row, bool(state & QStyle.StateFlag.State_Selected))
        elif column == 1:
            paint_badge(painter, QPointF(box.left() + 12, box.center().y()), STATES[row.state])
        else:
            painter.setPen(theme.current().colour("muted"))
            painter.drawText(
                box.adjusted(0, 0, -12, 0),
                int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter),
                index.data(),
            )
        painter.restore()

    def _paint_memory(self, painter: QPainter, box: QRectF, row: MemoryRow, selected: bool) -> None:
        now = theme.current()
        place = QRectF(box.left() + 10, box.center().y() - _THUMB.height() / 2, _THUMB.width(), _THUMB.height())
        thumb = self._pictures.thumb(PictureKey(row.thumbnail)) if row.thumbnail else None
        paint_thumb(painter, place, thumb)
        left = place.right() + 14
        width = box.right() - left - 12
        painter.setFont(now.font("base", bold=selected))
        painter.setPen(now.colour("text"))
        intent = painter.fontMetrics().elidedText(row.intent, Qt.TextElideMode.ElideRight, int(width))
        painter.drawText(QRectF(left, box.top() + 11, width, 20), int(Qt.AlignmentFlag.AlignVCenter), intent)
        painter.setFont(now.font("small"))
        painter.setPen(now.colour("muted"))
        parts = [row.app, count(row.steps, "step")]
        if row.fields:
            parts.append(count(len(row.fields), "field"))
        facts = painter.fontMetrics().elidedText(" · ".join(parts), Qt.TextElideMode.ElideRight, int(width))
        painter.drawText(QRectF(left, box.top() + 31, width, 18), int(Qt.AlignmentFlag.AlignVCenter), facts)
