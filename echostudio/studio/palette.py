"""The command palette (fuzzy search over the command table) and the keyboard help made from the same table."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)
from rapidfuzz import fuzz, process

from echostudio.studio import icons, theme
from echostudio.studio.commands import COMMANDS, Command, CommandSet, key_text
from echostudio.studio.library.items import Index
from echostudio.studio.parts.text import label

_LOWEST: Final = 45.0
_ROLE: Final = Qt.ItemDataRole.UserRole


def ranked(query: str, commands: list[Command]) -> list[Command]:
    """Return the commands that fit the words, best first; all of them without words."""
    if not query.strip():
        return commands
    titles = [f"{command.title} {command.group}" for command in commands]
    hits = process.extract(query, titles, scorer=fuzz.WRatio, processor=str.casefold, limit=None, score_cutoff=_LOWEST)
    wanted = query.casefold().split()

    def begins(title: str) -> bool:
        words = title.casefold().split()
        return all(any(word.startswith(part) for word in words) for part in wanted)

    found = sorted(hits, key=lambda hit: (not begins(hit[0]), -hit[1], hit[2]))
    exact = [hit for hit in found if begins(hit[0])]
    return [commands[place] for _, _, place in (exact or found)[:20]]


class _CommandDelegate(QStyledItemDelegate):
    """Paints icon, title, group and keys."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's name
        return QSize(200, 34)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        now = theme.current()
        command: Command = index.data(_ROLE)
        box = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(now.colour("selection"))
            painter.drawRoundedRect(box.adjusted(2, 1, -2, -1), 6, 6)
        icons.paint(painter, QRectF(box.left() + 12, box.center().y() - 8, 16, 16), command.icon, "muted")
        painter.setPen(now.colour("text"))
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(box.adjusted(40, 0, -120, 0), middle, CommandSet.title(command.id))
        painter.setFont(now.font("small"))
        painter.setPen(now.colour("muted"))
        right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(box.adjusted(0, 0, -14, 0), right, key_text(command.keys) or command.group)
        painter.restore()


class Palette(QDialog):
    """Type a few letters, press Enter."""

    def __init__(self, commands: CommandSet, window: QWidget) -> None:
        super().__init__(window, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAccessibleName(self.tr("Commands"))
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self._commands = commands
        self._available = [one for one in commands.available() if one.id != "studio.palette"]
        frame = QFrame()
        frame.setObjectName("palette")
        column = QVBoxLayout(frame)
        column.setContentsMargins(8, 8, 8, 8)
        self.words = QLineEdit()
        self.words.setPlaceholderText(self.tr("What would you like to do?"))
        self.words.setAccessibleName(self.tr("Find a command"))
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Commands found"))
        self.list.setItemDelegate(_CommandDelegate(self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.itemClicked.connect(lambda _: self._take())
        column.addWidget(self.words)
        column.addWidget(self.list)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(frame)
        self.words.textChanged.connect(self._filter)
        self.words.returnPressed.connect(self._take)
        self.words.installEventFilter(self)
        self.resize(560, 420)
        corner = window.mapToGlobal(QPoint((window.width() - self.width()) // 2, 72))
        self.move(corner)
        self._filter("")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Let the arrows move in the list while the words keep the focus."""
        moves = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in moves:
            row = self.list.currentRow() + moves[Qt.Key(event.key())]
            self.list.setCurrentRow(max(0, min(self.list.count() - 1, row)))
            return True
        return False

    def _filter(self, words: str) -> None:
        self.list.clear()
        for command in ranked(words, self._available):
            item = QListWidgetItem(CommandSet.title(command.id))
            item.setData(_ROLE, command)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _take(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            command: Command = item.data(_ROLE)
            self.accept()
            self._commands.run(command.id)


class KeyHelp(QDialog):
    """All keys, group by group."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setWindowTitle(self.tr("Keyboard"))
        body = QWidget()
        columns = QGridLayout(body)
        columns.setContentsMargins(24, 20, 24, 20)
        columns.setHorizontalSpacing(40)
        groups = list(dict.fromkeys(command.group for command in COMMANDS))
        sides = (("Studio", "Go", "Library", "Runs"), ("Record", "Replay"), ("Timeline",), ("Lab",))
        for side, names in enumerate(sides):
            column = QVBoxLayout()
            column.setSpacing(14)
            for group in (name for name in groups if name in names):
                column.addLayout(self._group(group))
            column.addStretch()
            columns.addLayout(column, 0, side)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(body)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)
        self.resize(1280, 700)

    def _group(self, group: str) -> QGridLayout:
        grid = QGridLayout()
        grid.setVerticalSpacing(6)
        grid.setHorizontalSpacing(16)
        grid.addWidget(label(group, "section"), 0, 0, 1, 2)
        speeds = [command for command in COMMANDS if command.id.startswith("timeline.speed")]
        keyed = [
            command for command in COMMANDS if command.group == group and command.keys and command not in speeds[1:]
        ]
        for row, command in enumerate(keyed, start=1):
            one_of_five = command is speeds[0]
            words = self.tr("Play at speed 1 to 5") if one_of_five else CommandSet.title(command.id)
            keys = [key_text([key]) for key in (("1", "5") if one_of_five else command.keys)]
            grid.addWidget(label(words), row, 0)
            joined = " – ".join(keys) if one_of_five else "   ".join(keys)
            grid.addWidget(label(joined, "key"), row, 1, Qt.AlignmentFlag.AlignRight)
        return grid
