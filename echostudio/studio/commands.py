"""Everything the person can do, in one table; menus, buttons, shortcuts, palette and help are made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from echostudio.studio import icons


@dataclass(frozen=True, slots=True)
class Command:
    """One deed.

    ``needs`` are facts that must hold (``page:library``, ``memory`` ...); ``bare`` keys are not taken while a text box
    has the focus; ``group`` is the head under which menus and help list it.
    """

    id: str
    title: str
    icon: str
    keys: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()
    group: str = "Studio"
    bare: bool = False
    brief: str = ""


def _of(group: str, *facts: str) -> Callable[..., Command]:
    """Return a maker of commands that share a group and some needs."""

    def make(name: str, title: str, icon: str, *keys: str, needs: Iterable[str] = (), brief: str = "") -> Command:
        everywhere = frozenset({*facts, *needs})
        return Command(f"{group.lower()}.{name}", title, icon, keys, everywhere, group, bool(facts), brief)

    return make


_studio = _of("Studio")
_go = _of("Go")
_record = _of("Record")
_library = _of("Library", "page:library")
_runs = _of("Runs", "page:runs")
_timeline = _of("Timeline", "page:timeline")
_replay = _of("Replay", "page:replay")
_lab = _of("Lab", "page:lab")

COMMANDS: Final[tuple[Command, ...]] = (
    _studio("palette", "Find a command", "command", "Ctrl+K", brief="commands"),
    _studio("help", "Keyboard help", "keyboard", "F1", "?", brief="help"),
    _studio("settings", "Settings", "gear-six", "Ctrl+,"),
    _studio("theme", "Switch between light and dark", "circle-half", "Ctrl+Shift+L"),
    _studio("quit", "Quit", "sign-out", "Ctrl+Q"),
    _go("record", "Go to Record", "record", "Ctrl+1"),
    _go("library", "Go to the Library", "books", "Ctrl+2"),
    _go("runs", "Go to the Runs", "list-bullets", "Ctrl+3"),
    _go("replay", "Go to Replay", "play-circle", "Ctrl+4"),
    _go("lab", "Go to the Lab", "flask", "Ctrl+5"),
    _go("timeline", "Go to the Timeline", "film-strip", "Ctrl+6", needs=("opened",)),
    _record("start", "Start recording", "record-fill", "F9", needs=("page:record", "can-record"), brief="start"),
    _record("stop", "Stop", "stop-fill", "F9", needs=("recording",), brief="stop"),
    _record("pause", "Pause", "pause", "Ctrl+F9", needs=("rec-going",), brief="pause"),
    _record("resume", "Go on", "play", "Ctrl+F9", needs=("rec-paused",), brief="go on"),
    _record("private", "Private", "eye-slash", "Shift+F9", needs=("rec-open",), brief="private"),
    _record("public", "End private", "eye", "Shift+F9", needs=("rec-private",), brief="end private"),
    _record("ignore", "Ignore my input", "hand-palm", "Ctrl+Shift+F9", needs=("rec-listening",)),
    _record("listen", "Listen again", "hand-pointing", "Ctrl+Shift+F9", needs=("rec-ignoring",)),
    _record("mark", "Mark", "flag", "Alt+F9", needs=("rec-going",)),
    _record("note", "Note…", "note-pencil", "Alt+Shift+F9", needs=("rec-step",)),
    _record("undo", "Undo last", "arrow-u-up-left", "Shift+F8", needs=("rec-step",), brief="undo last step"),
    _record("consolidate", "Consolidate", "magic-wand", "Ctrl+Return", needs=("page:record", "recorded")),
    _record("timeline", "Open in the Timeline", "film-strip", "Ctrl+T", needs=("page:record", "recorded")),
    _runs("search", "Search the runs", "magnifying-glass", "Ctrl+F", brief="search"),
    _runs("open", "Open", "film-strip", "Return", "Enter", needs=("run",), brief="open"),
    _runs("recover", "Recover", "first-aid-kit", "Ctrl+R", needs=("incomplete",), brief="recover"),
    _runs("consolidate", "Consolidate", "magic-wand", "Ctrl+Return", needs=("recording-run",), brief="consolidate"),
    _library("search", "Search the Library", "magnifying-glass", "Ctrl+F", brief="search"),
    _library("open", "Open in the Timeline", "film-strip", "Return", "Enter", needs=("memory",), brief="open"),
    _library("replay", "Replay this memory", "play", "F5", needs=("memory",), brief="replay"),
    _library(
        "promote", "Promote this memory", "shield-check", "Ctrl+Return", needs=("memory", "promotable"), brief="promote"
    ),
    _library("quarantine", "Quarantine this memory", "warning", needs=("memory",)),
    _library("deprecate", "Deprecate this memory", "archive", needs=("memory",)),
    _library("demo", "Run the demonstration", "rocket-launch"),
    _timeline("previous", "Step before", "caret-left", "Left", needs=("step",)),
    _timeline("next", "Next step", "caret-right", "Right", needs=("step",), brief="step"),
    _timeline("first", "First step", "caret-double-left", "Home", needs=("step",)),
    _timeline("last", "Last step", "caret-double-right", "End", needs=("step",)),
    _timeline("play", "Play or pause the steps", "play", "Space", needs=("step",), brief="play"),
    *(_timeline(f"speed{n}", f"Play at speed {n}", "gauge", str(n), needs=("step",)) for n in range(1, 6)),
    _timeline("before", "Show the screen before", "frame-corners", "B", needs=("step",), brief="before"),
    _timeline("action", "Show the action", "cursor", "C", needs=("step",)),
    _timeline("after", "Show the screen after", "check-square", "A", needs=("step",), brief="after"),
    _timeline("side", "Show before and after side by side", "columns", "S", needs=("step",)),
    _timeline("difference", "Show the difference", "swap", "D", needs=("step",), brief="difference"),
    _timeline("fit", "Fit the picture", "arrows-in", "F", "Ctrl+0", needs=("step",)),
    _timeline("actual", "Actual size", "arrows-out", "Z", needs=("step",)),
    _timeline("closer", "Zoom in", "magnifying-glass-plus", "Ctrl++", "Ctrl+=", needs=("step",)),
    _timeline("wider", "Zoom out", "magnifying-glass-minus", "Ctrl+-", needs=("step",)),
    _timeline("marks", "Show or hide the marks", "bounding-box", "M", needs=("step",)),
    _timeline("checks", "Run the checks now", "list-bullets", "Ctrl+R", needs=("memory",)),
    _timeline("promote", "Promote…", "shield-check", "Ctrl+Return", needs=("memory",)),
    _timeline("replay", "Replay this memory", "play", "F5", needs=("memory",), brief="replay"),
    _timeline("lab", "Open this step in the Lab", "flask", "L", needs=("memory", "target"), brief="lab"),
    _replay("run", "Run", "play", "F5", needs=("can-run",), brief="run"),
    _replay("dry", "Dry run", "eye", "Ctrl+F5", needs=("can-run",)),
    _replay("step", "Step", "arrow-right", "F10", needs=("can-step",), brief="step"),
    _replay("pause", "Pause or resume", "pause", "F8", needs=("running",), brief="pause"),
    _replay("stop", "Stop", "stop", "Shift+F5", needs=("running",), brief="stop"),
    _replay("breakpoint", "Breakpoint on this step", "circle", "F2", needs=("step",), brief="breakpoint"),
    _replay("timeline", "Open in the Timeline", "film-strip", "Ctrl+T", needs=("memory",)),
    _replay("lab", "Open this step in the Lab", "flask", "L", needs=("target",), brief="lab"),
    _lab("previous", "Picture before", "caret-left", "Left", needs=("picture",)),
    _lab("next", "Next picture", "caret-right", "Right", needs=("picture",), brief="picture"),
    _lab("again", "Look again", "arrow-clockwise", "F5", needs=("target",), brief="look again"),
    _lab("map", "Show or hide the score map", "fire", "M", needs=("picture",), brief="score map"),
    _lab("boxes", "Show or hide the boxes", "bounding-box", "B", needs=("picture",)),
    _lab("pick", "Pick another target", "crosshair", "P", needs=("picture",), brief="pick a target"),
    _lab("leave", "Leave picking", "x", "Escape", needs=("picking",), brief="leave"),
    _lab("save", "Save the thresholds for this memory…", "floppy-disk", "Ctrl+S", needs=("tuned",), brief="save"),
    _lab("reset", "Back to the thresholds in force", "arrow-counter-clockwise", "R", needs=("tuned",)),
    _lab("fit", "Fit the picture", "arrows-in", "F", "Ctrl+0", needs=("picture",)),
    _lab("actual", "Actual size", "arrows-out", "Z", needs=("picture",)),
    _lab("closer", "Zoom in", "magnifying-glass-plus", "Ctrl++", "Ctrl+=", needs=("picture",)),
    _lab("wider", "Zoom out", "magnifying-glass-minus", "Ctrl+-", needs=("picture",)),
    _lab("file", "Picture file…", "image-square", "Ctrl+O", needs=("target",)),
    _lab("paste", "Paste", "clipboard", "Ctrl+V", needs=("target",)),
    _lab("live", "Live desktop", "monitor", "D", needs=("target",)),
    _lab("timeline", "Open in the Timeline", "film-strip", "Ctrl+T", needs=("target",)),
)

TABLE: Final[dict[str, Command]] = {command.id: command for command in COMMANDS}


def key_text(keys: Iterable[str]) -> str:
    """Return keys as the platform writes them, the first one only."""
    first = next(iter(keys), "")
    return QKeySequence(first).toString(QKeySequence.SequenceFormat.NativeText) if first else ""


class CommandSet(QObject):
    """The commands as actions of one window; handlers are bound by whoever does the deed."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._facts: frozenset[str] = frozenset()
        self._handlers: dict[str, Callable[[], None]] = {}
        self._actions: dict[str, QAction] = {}
        for command in COMMANDS:
            action = QAction(icons.icon(command.icon), self.title(command.id), self)
            action.setShortcuts([QKeySequence(key) for key in command.keys])
            action.triggered.connect(lambda _=False, name=command.id: self.run(name))
            window.addAction(action)
            self._actions[command.id] = action
        for command in COMMANDS:
            self._refresh(command.id)

    @staticmethod
    def title(name: str) -> str:
        """Return a command's title in the person's language."""
        return QCoreApplication.translate("Commands", TABLE[name].title)

    def bind(self, name: str, handler: Callable[[], None]) -> None:
        """Say what a command does."""
        self._handlers[name] = handler
        self._refresh(name)

    def set_facts(self, facts: frozenset[str]) -> None:
        """Say what holds now; commands whose needs are not met are disabled."""
        if facts == self._facts:
            return
        self._facts = facts
        for name in self._actions:
            self._refresh(name)

    def action(self, name: str) -> QAction:
        """Return the action of a command."""
        return self._actions[name]

    def enabled(self, name: str) -> bool:
        """Whether a command can be done now."""
        return self._actions[name].isEnabled()

    def run(self, name: str) -> None:
        """Do it, when it can be done."""
        if self.enabled(name):
            self._handlers[name]()

    def available(self) -> list[Command]:
        """Return the commands that can be done now, in the order of the table."""
        return [command for command in COMMANDS if self.enabled(command.id)]

    def menu(self, parent: QWidget) -> QMenu:
        """Return a menu of what can be done now, one group after another."""
        menu = QMenu(parent)
        for group in dict.fromkeys(command.group for command in COMMANDS):
            actions = [self._actions[one.id] for one in self.available() if one.group == group]
            if actions:
                menu.addActions(actions)
                menu.addSeparator()
        return menu

    def _refresh(self, name: str) -> None:
        self._actions[name].setEnabled(name in self._handlers and TABLE[name].needs <= self._facts)
