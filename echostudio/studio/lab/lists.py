"""The two lists of the right side, drawn by hand so that they follow a slider: crops, and past replays."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from echostudio.studio import icons, theme
from echostudio.studio.lab.state import VARIANT_WORDS, CropRow, PastRow

_ROW: Final = 26
_HEAD: Final = 20
_NUMBERS: Final = ("best", "second", "margin", "scale", "check")
_LEFT: Final = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT: Final = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class _Rows(QWidget):
    """Rows of equal height of which one can be chosen by pointer, arrows or Enter."""

    chosen = Signal(int)

    def __init__(self, name: str, row: int) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._row = row
        self._tops: list[int] = []
        self.current = -1

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Choose the row under the pointer."""
        y = event.position().y()
        at = next((n for n, top in enumerate(self._tops) if top <= y < top + self._row), -1)
        if at >= 0:
            self.chosen.emit(at)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Go up and down."""
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if by is None or not self._tops:
            event.ignore()
            return
        self.chosen.emit(max(0, min(len(self._tops) - 1, self.current + by)))

    def _paint_ground(self, painter: QPainter, top: int, current: bool) -> None:
        if not current:
            return
        now = theme.current()
        painter.setPen(QPen(now.colour("accent"), 1.5) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(now.colour("selection"))
        painter.drawRoundedRect(QRectF(1, top + 1, self.width() - 2, self._row - 2), 5, 5)


class CropTable(_Rows):
    """Per crop and variant: best, second, margin, scale, check, and how it fared; a click shows its map."""

    def __init__(self) -> None:
        super().__init__(self.tr("Crops"), _ROW)
        self._rows: tuple[CropRow, ...] = ()
        self._height = _HEAD

    def show_rows(self, rows: tuple[CropRow, ...], current: int) -> None:
        """Show other rows, and which one is chosen."""
        if (rows, current) == (self._rows, self.current):
            return
        self._rows, self.current = rows, current
        top, self._tops, variant = _HEAD, [], ""
        for row in rows:
            if row.key[1] != variant:
                variant, top = row.key[1], top + _HEAD
            self._tops.append(top)
            top += _ROW
        if top != self._height:
            self._height = top
            self.updateGeometry()
        self.setAccessibleDescription(
            "; ".join(
                f"{row.name} {row.key[1]}: {row.match.best:.3f}, {row.match.margin:.3f} {row.note}" for row in rows
            )
        )
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for all rows."""
        return QSize(300, max(_HEAD + _ROW, self._height))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw heads and rows."""
        now = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(now.font("small"))
        painter.setPen(now.colour("faint"))
        for name, box in zip(_NUMBERS, self._columns(0, _HEAD), strict=True):
            painter.drawText(box, _RIGHT, name)
        variant = ""
        for place, (row, top) in enumerate(zip(self._rows, self._tops, strict=True)):
            if row.key[1] != variant:
                variant = row.key[1]
                painter.setPen(now.colour("faint"))
                painter.drawText(QRectF(8, top - _HEAD, self.width(), _HEAD), _LEFT, VARIANT_WORDS[variant])
            self._paint_row(painter, row, top, place == self.current)
        painter.end()

    def _columns(self, top: int, height: int) -> list[QRectF]:
        """Return the boxes of the number columns; the last of them leaves room for the mark."""
        width = min(52.0, (self.width() - 122) / len(_NUMBERS))
        right = self.width() - 24
        return [QRectF(right - (len(_NUMBERS) - n) * width, top, width - 3, height) for n in range(len(_NUMBERS))]

    def _paint_row(self, painter: QPainter, row: CropRow, top: int, current: bool) -> None:
        now, match = theme.current(), row.match
        self._paint_ground(painter, top, current)
        quiet = not row.decides
        token = "muted" if quiet else "accepted" if row.passed else "refused"
        painter.setFont(now.font("small", bold=row.decided))
        painter.setPen(now.colour("text" if row.decided else "muted"))
        columns = self._columns(top, _ROW)
        name = f"{row.name} {row.size}" if row.size else row.name
        painter.drawText(QRectF(8, top, columns[0].left() - 6, _ROW), _LEFT, name)
        painter.setFont(now.font("small"))
        faults = {"too low": 0, "twin": 2, "target differs": 4}
        figures = (
            f"{match.best:.3f}", f"{match.second:.3f}", f"{match.margin:.3f}", f"{match.scale:.2f}",
            "–" if match.check is None else f"{match.check:.3f}",
        )  # fmt: skip
        for number, (figure, box) in enumerate(zip(figures, columns, strict=True)):
            wrong = faults.get(row.note) == number
            painter.setPen(now.colour("refused" if wrong else "text" if row.decided else "muted"))
            painter.drawText(box, _RIGHT, figure)
        icon = "check-bold" if row.passed else "warning-fill"
        icons.paint(painter, QRectF(self.width() - 22, top + 6, 14, 14), icon, token)


class PastList(_Rows):
    """The stored decisions about a step; those that would turn round are marked."""

    def __init__(self) -> None:
        super().__init__(self.tr("Past replays of this step"), 28)
        self._rows: tuple[PastRow, ...] = ()

    def show_rows(self, rows: tuple[PastRow, ...], current: int) -> None:
        """Show other rows, and which one's picture is shown."""
        if len(rows) != len(self._rows):
            self.updateGeometry()
        self._rows, self.current = rows, current
        self._tops = [28 * n for n in range(len(rows))]
        self.setAccessibleDescription(
            "; ".join(f"{row.words}: {_flip_words(row) or ('accepted' if row.accepted else 'refused')}" for row in rows)
        )
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for all rows."""
        return QSize(300, 28 * len(self._rows))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the rows."""
        now = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, (row, top) in enumerate(zip(self._rows, self._tops, strict=True)):
            self._paint_ground(painter, top, place == self.current)
            flip = _flip_words(row)
            icon, token = ("check-bold", "accepted") if row.accepted else ("warning-fill", "refused")
            if flip:
                icon, token = "swap-bold", "changed"
            icons.paint(painter, QRectF(8, top + 7, 14, 14), icon, token)
            painter.setFont(now.font("base"))
            painter.setPen(now.colour("text"))
            painter.drawText(QRectF(32, top, self.width() - 130, 28), _LEFT, row.words)
            painter.setFont(now.font("small", bold=bool(flip)))
            painter.setPen(now.colour("changed" if flip else "muted"))
            painter.drawText(QRectF(self.width() - 132, top, 124, 28), _RIGHT, flip or row.figures)
        painter.end()


def _flip_words(row: PastRow) -> str:
    if row.flip is None:
        return ""
    words = "accept → refuse" if row.flip.was else "refuse → accept"
    return words if row.flip.known else words + " ?"
