"""The frame around the pages: rail, top bar, status line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from echostudio.studio import icons, theme
from echostudio.studio.commands import TABLE, CommandSet, key_text
from echostudio.studio.jobs_view import JobsView
from echostudio.studio.looks import Look
from echostudio.studio.parts.controls import button
from echostudio.studio.parts.lines import Glyph
from echostudio.studio.parts.text import label

PLACES: Final = (
    ("record", "Record", "record"),
    ("library", "Library", "books"),
    ("runs", "Runs", "list-bullets"),
    ("timeline", "Timeline", "film-strip"),
    ("replay", "Replay", "play-circle"),
    ("lab", "Lab", "flask"),
)


def _bar(name: str) -> QWidget:
    bar = QWidget()
    bar.setObjectName(name)
    bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return bar


class Rail(QWidget):
    """The pages by icon and name, the settings below."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.tr("Pages"))
        self.setFixedWidth(theme.current().space["rail"])
        column = QVBoxLayout(self)
        column.setContentsMargins(5, 8, 5, 8)
        column.setSpacing(4)
        self.buttons: dict[str, QToolButton] = {}
        for name, words, icon in PLACES:
            column.addWidget(self._button(name, words, icon))
        column.addStretch()
        column.addWidget(self._button("settings", "Settings", "gear-six", checkable=False))

    def show_current(self, name: str) -> None:
        """Mark the page that is in front."""
        for place, one in self.buttons.items():
            one.setChecked(place == name)

    def _button(self, name: str, words: str, icon: str, *, checkable: bool = True) -> QToolButton:
        made = QToolButton()
        made.setObjectName("railbutton")
        made.setText(self.tr(words))
        made.setAccessibleName(self.tr(words))
        made.setIcon(icons.icon(icon, "muted", "accent"))
        made.setIconSize(QSize(22, 22))
        made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        made.setCheckable(checkable)
        made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        made.setFixedHeight(52)
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.clicked.connect(lambda: self.chosen.emit(name))
        self.buttons[name] = made
        return made


class TopBar(QWidget):
    """The page's own header on the left, its main commands on the right."""

    def __init__(self, commands: CommandSet) -> None:
        super().__init__()
        self.setObjectName("topbar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(54)
        self._commands = commands
        self.heads = QStackedWidget()
        self._row = QHBoxLayout()
        self._row.setSpacing(8)
        self._buttons: list[QPushButton] = []
        self._shown: tuple[QWidget, tuple[str, ...]] | None = None
        palette = button(key_text(TABLE["studio.palette"].keys), "key", tip=self.tr("Find a command"))
        palette.setAccessibleName(self.tr("Find a command"))
        palette.clicked.connect(lambda: commands.run("studio.palette"))
        more = button("", "quiet", "dots-three-outline-vertical", self.tr("All commands"))
        more.setFixedWidth(34)
        more.clicked.connect(lambda: commands.menu(more).popup(more.mapToGlobal(more.rect().bottomLeft())))
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 10, 0)
        row.setSpacing(8)
        row.addWidget(self.heads, 1)
        row.addLayout(self._row)
        row.addWidget(palette)
        row.addWidget(more)

    def show_page(self, header: QWidget, deeds: Sequence[str]) -> None:
        """Show a page's header and commands."""
        if self._shown == (header, tuple(deeds)):
            return
        self._shown = (header, tuple(deeds))
        if self.heads.indexOf(header) < 0:
            self.heads.addWidget(header)
        self.heads.setCurrentWidget(header)
        for old in self._buttons:
            old.hide()
            old.deleteLater()
        self._buttons = [self._button(name, name == deeds[-1]) for name in deeds]
        for one in self._buttons:
            self._row.addWidget(one)

    def _button(self, name: str, main: bool) -> QPushButton:
        action = self._commands.action(name)
        made = button(_short(action.text()), "primary" if main else "", TABLE[name].icon)
        keys = key_text(TABLE[name].keys)
        made.setToolTip(f"{action.text()} ({keys})" if keys else action.text())
        made.setAccessibleName(action.text())
        made.setEnabled(action.isEnabled())
        made.clicked.connect(action.trigger)
        action.enabledChanged.connect(made.setEnabled)
        return made


def _short(title: str) -> str:
    """Return a title without the words that the page says already."""
    for words in (" this memory", " in the Timeline", " the checks now", " my input"):
        if title.endswith(words):
            return {"Open": "Open", "Run": "Run checks"}.get(title.removesuffix(words), title.removesuffix(words))
    return title


class StatusLine(QWidget):
    """Real facts on the left, running jobs, keys on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("statusline")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(28)
        self._dot = Glyph(Look("database", "store", "muted"), 14)
        self.store = label("", "small", "muted")
        self.page = label("", "small", "muted")
        self.desktops = label("", "small", "muted")
        self.jobs = JobsView()
        self._hinted: tuple[str, ...] = ()
        self._keys = QHBoxLayout()
        self._keys.setSpacing(5)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 0, 14, 0)
        row.setSpacing(6)
        row.addWidget(self._dot)
        for fact in (self.store, self.page, self.desktops):
            row.addWidget(fact)
            row.addSpacing(12)
        row.addWidget(self.jobs)
        row.addStretch()
        row.addLayout(self._keys)

    def show_hints(self, names: Sequence[str], enabled: Callable[[str], bool]) -> None:
        """Name the keys of these commands, as far as they can be done now."""
        shown = (*(one for one in names if enabled(one)), "studio.help")
        if shown == self._hinted:
            return
        self._hinted = shown
        while item := self._keys.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        for name in shown:
            self._keys.addSpacing(8)
            self._keys.addWidget(label(key_text(TABLE[name].keys), "key"))
            self._keys.addWidget(label(TABLE[name].brief or TABLE[name].title.lower(), "small", "muted"))
