"""The table of runs: a model over the state's rows, and the delegate that paints them."""

from __future__ import annotations

from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from echostudio.operations.runs import RunRow
from echostudio.studio import icons, theme
from echostudio.studio.library.items import Index
from echostudio.studio.parts.badge import paint_badge
from echostudio.studio.parts.rows import paint_ground, paint_thumb
from echostudio.studio.pictures import PictureKey, Pictures
from echostudio.studio.runs.state import ending, facts, kind
from echostudio.studio.wording import moment_words, seconds, when

HEADS: Final = ("run", "how it ended", "steps", "took", "when")
ROW_HEIGHT: Final = 60
_THUMB: Final = QSize(84, 48)


class RunsModel(QAbstractTableModel):
    """The visible rows."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[RunRow, ...] = ()

    def show_rows(self, rows: tuple[RunRow, ...]) -> None:
        """Show these rows; the selection stays where they are the same runs."""
        if rows == self._rows:
            return
        same = [row.id for row in rows] == [row.id for row in self._rows]
        if not same:
            self.beginResetModel()
        self._rows = rows
        if not same:
            self.endResetModel()
        else:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(HEADS) - 1))

    def row(self, number: int) -> RunRow | None:
        """Return a row by its place."""
        return self._rows[number] if 0 <= number < len(self._rows) else None

    def place_of(self, run: str) -> int:
        """Return where a run stands, or -1."""
        return next((place for place, row in enumerate(self._rows) if row.id == run), -1)

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
            side = Qt.AlignmentFlag.AlignRight if section > 1 else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        """Return a cell's words, also for screen readers."""
        row = self.row(index.row())
        if row is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _words(row)[index.column()]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            words = _words(row)[index.column()]
            return f"{words}, {facts(row)}" if index.column() == 0 else words
        if role == Qt.ItemDataRole.ToolTipRole:
            return {0: f"{row.intent or row.id}\n{facts(row)}", 4: moment_words(row.started)}.get(index.column())
        return None


class RunDelegate(QStyledItemDelegate):
    """Paints thumbnail, intent and facts, badge and figures of a run."""

    def __init__(self, model: RunsModel, pictures: Pictures, parent: QObject) -> None:
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
        box, column = QRectF(option.rect), index.column()
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_ground(painter, box, state, first=column == 0, last=column == len(HEADS) - 1)
        if column == 0:
            self._paint_run(painter, box, row, bool(state & QStyle.StateFlag.State_Selected))
        elif column == 1:
            paint_badge(painter, QPointF(box.left() + 12, box.center().y()), ending(row))
        else:
            painter.setPen(theme.current().colour("muted"))
            side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box.adjusted(0, 0, -12, 0), int(side), index.data())
        painter.restore()

    def _paint_run(self, painter: QPainter, box: QRectF, row: RunRow, selected: bool) -> None:
        now = theme.current()
        place = QRectF(box.left() + 10, box.center().y() - _THUMB.height() / 2, _THUMB.width(), _THUMB.height())
        key = PictureKey(row.thumbnail, "run", row.id) if row.thumbnail else None
        paint_thumb(painter, place, self._pictures.thumb(key) if key else None, "prohibit" if key is None else "")
        left = place.right() + 14
        width = box.right() - left - 12
        painter.setFont(now.font("base", bold=selected))
        painter.setPen(now.colour("text" if row.intent else "faint"))
        words = painter.fontMetrics().elidedText(_words(row)[0], Qt.TextElideMode.ElideRight, int(width))
        painter.drawText(QRectF(left, box.top() + 11, width, 20), int(Qt.AlignmentFlag.AlignVCenter), words)
        look = kind(row)
        icons.paint(painter, QRectF(left, box.top() + 33, 14, 14), look.icon, look.token)
        painter.setFont(now.font("small"))
        painter.setPen(now.colour("refused" if row.refusal or row.fault else "muted"))
        room = QRectF(left + 20, box.top() + 31, width - 20, 18)
        told = painter.fontMetrics().elidedText(facts(row), Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), told)


def _words(row: RunRow) -> tuple[str, ...]:
    took = seconds(row.seconds) if row.seconds is not None else "–"
    return row.intent or row.id, ending(row).word, str(row.steps) if row.steps else "–", took, when(row.started)
