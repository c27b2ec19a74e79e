"""Windows and programs of the scripted desktop: a program builds windows of widgets and reacts through callbacks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from echostudio.desktop.scripted_paint import LIGHT, Theme
from echostudio.desktop.scripted_widgets import Deed, Place, Widget
from echostudio.episode.evidence import WindowFacts
from echostudio.episode.geometry import DesktopBox, DesktopPoint

if TYPE_CHECKING:
    from echostudio.desktop.scripted_clock import ScriptedClock
    from echostudio.desktop.scripted_stage import Stage

TITLE_HEIGHT = 18

_handles = itertools.count(0x400001)


@dataclass(eq=False)
class Window:
    """A top-level window; ``place`` is its client area on the desktop, the title bar lies above it."""

    title: str
    place: Place
    widgets: list[Widget] = field(default_factory=list)
    dialog: bool = False
    modal: bool = False
    popup: bool = False
    focus: Widget | None = None
    shortcuts: dict[str, Deed] = field(default_factory=dict)
    program: ScriptedProgram | None = None
    handle: int = field(default_factory=lambda: next(_handles))

    @property
    def box(self) -> DesktopBox:
        """The client area in desktop space."""
        return DesktopBox(*self.place)

    @property
    def title_box(self) -> DesktopBox:
        """The title bar in desktop space; without height for a popup."""
        x, y, width, _ = self.place
        height = 0 if self.popup else TITLE_HEIGHT
        return DesktopBox(x, y - height, width, height)

    @property
    def theme(self) -> Theme:
        """The colours it is drawn in."""
        return self.program.theme if self.program is not None else LIGHT

    def covers(self, point: DesktopPoint) -> bool:
        """Whether the place lies in the client area or the title bar."""
        return self.box.contains(point) or self.title_box.contains(point)

    def box_of(self, widget: Widget) -> DesktopBox:
        """Return where a widget lies on the desktop."""
        x, y, width, height = widget.place
        return DesktopBox(self.place[0] + x, self.place[1] + y, width, height)

    def widget_at(self, point: DesktopPoint) -> Widget | None:
        """Return the widget under a place; the one that was added last wins."""
        for widget in reversed(self.widgets):
            if widget.present and self.box_of(widget).contains(point):
                return widget
        return None

    def named(self, name: str) -> Widget | None:
        """Return the first present widget of that name."""
        return next((widget for widget in self.widgets if widget.name == name and widget.present), None)

    def move_to(self, x: int, y: int) -> None:
        """Put the client area's top left corner elsewhere."""
        self.place = (x, y, self.place[2], self.place[3])

    def facts(self) -> WindowFacts:
        """Return what a window system would tell."""
        program = self.program
        return WindowFacts(
            program=program.name if program else "",
            window_class=program.window_class if program else "",
            title=self.title,
            box=self.box,
            pid=program.pid if program else 0,
            handle=self.handle,
            dialog=self.dialog,
            modal=self.modal,
            popup=self.popup,
            command=program.command if program else (),
        )


class ScriptedProgram:
    """A program on the scripted desktop. Subclasses open their first windows in ``build``.

    Callbacks of widgets run while the input that caused them is handled; ``later`` schedules on the fake clock.
    """

    name = "scripted"
    window_class = "Scripted"
    theme: Theme = LIGHT
    _pids = itertools.count(4201)

    def __init__(self, *, command: Sequence[str] = ()) -> None:
        self.pid = next(self._pids)
        self.command = tuple(command) or (self.name,)
        self._stage: Stage | None = None
        self._clock: ScriptedClock | None = None

    def build(self) -> None:
        """Open the first windows; called when the program starts."""

    def start(self, stage: Stage, clock: ScriptedClock) -> None:
        """Start on a stage."""
        self._stage, self._clock = stage, clock
        self.build()

    def open(self, window: Window) -> Window:
        """Show a window in front of all others."""
        window.program = self
        if self._stage is not None:
            self._stage.open(window)
        return window

    def close(self, window: Window) -> None:
        """Take a window away."""
        if self._stage is not None:
            self._stage.close(window)

    def windows(self) -> tuple[Window, ...]:
        """Return its windows, topmost first."""
        windows = self._stage.windows if self._stage is not None else []
        return tuple(window for window in windows if window.program is self)

    def later(self, seconds: float, deed: Callable[[], None]) -> None:
        """Do something after fake seconds, unless the program has ended by then; at once for 0."""
        if seconds <= 0 or self._clock is None:
            deed()
            return
        self._clock.call_later(seconds, lambda: self._still(deed))

    def running(self) -> bool:
        """Whether it was started and has a window."""
        return bool(self.windows())

    def terminate(self, timeout: float = 3.0) -> None:
        """Close all its windows at once."""
        for window in self.windows():
            self.close(window)

    def _still(self, deed: Callable[[], None]) -> None:
        if self._stage is not None and self.running():
            with self._stage.lock:
                deed()
            self._stage.touch()
