"""Widgets of a scripted program: each draws itself, reacts to input, and says what it is.

A ``Place`` is (x, y, width, height) inside the window's client area. Roles are AT-SPI's role names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from echostudio.desktop.scripted_paint import Canvas
from echostudio.episode.evidence import ElementFacts
from echostudio.episode.geometry import DesktopBox, DesktopPoint

Place = tuple[int, int, int, int]
Deed = Callable[[], None]

LINE_HEIGHT = 14
ROW_HEIGHT = 18


@dataclass(frozen=True, slots=True)
class Look:
    """What decides how a widget is drawn besides itself."""

    focused: bool = False
    hovered: bool = False
    caret: bool = False
    pointer: DesktopPoint = DesktopPoint(-1, -1)


@dataclass(eq=False, kw_only=True)
class Widget:
    """A part of a window. An ``erased`` widget leaves its bare place behind: not drawn, not there, not told."""

    name: str = field(kw_only=False)
    place: Place = field(kw_only=False)
    on_click: Deed | None = None
    enabled: bool = True
    visible: bool = True
    erased: bool = False

    role: ClassVar[str] = "panel"
    focusable: ClassVar[bool] = False

    @property
    def source(self) -> Widget:
        """The widget whose state it shows: itself, but for a ``Twin``."""
        return self

    @property
    def present(self) -> bool:
        """Whether it can be seen and used."""
        return self.visible and not self.erased

    def draw(self, canvas: Canvas, box: DesktopBox, look: Look) -> None:
        """Paint itself into ``box``."""

    def click(self, offset: DesktopPoint, count: int) -> None:
        """React to a click at ``offset`` from its top left corner; ``count`` is 2 for the second of a double click."""
        if self.on_click is not None:
            self.on_click()

    def insert(self, text: str) -> bool:
        """Take a typed character; return whether it was used."""
        return False

    def key(self, chord: str) -> bool:
        """Take a key such as ``enter`` or ``ctrl+a``; return whether it was used."""
        return False

    def scroll(self, ticks: int) -> None:
        """Scroll by wheel ticks, positive = down."""

    def states(self, *, focused: bool) -> tuple[str, ...]:
        """Return its accessible states."""
        states = ["showing", "visible"]
        if self.enabled:
            states += ["enabled", "sensitive"]
        if self.focusable:
            states.append("focusable")
        if focused:
            states.append("focused")
        return tuple(states)

    def elements(self, box: DesktopBox, *, focused: bool) -> tuple[ElementFacts, ...]:
        """Return itself and its parts as accessible elements, outermost first."""
        return (ElementFacts(self.role, self.name, box, self.states(focused=focused)),)


class Label(Widget):
    """A line of words that does nothing."""

    role = "label"

    def draw(self, canvas: Canvas, box: DesktopBox, look: Look) -> None:
        """Write the words."""
        canvas.text(box, self.name, canvas.theme.text, indent=0)


class Button(Widget):
    """A push button; Enter and Space press it too."""

    role = "push button"
    focusable = True

    def draw(self, canvas: Canvas, box: DesktopBox, look: Look) -> None:
        """Paint a raised box with its name; lighter under the pointer, dull when disabled."""
        theme = canvas.theme
        face = theme.accent if look.hovered and self.enabled else theme.title
        words = theme.accent_text if look.hovered and self.enabled else theme.text
        canvas.fill(box, face, theme.accent if look.focused else theme.border)
        canvas.text(box, self.name, words if self.enabled else theme.muted, centred=True)

    def key(self, chord: str) -> bool:
        """Press by Enter or Space."""
        if chord not in {"enter", "space"}:
            return False
        self.click(DesktopPoint(0, 0), 1)
        return True

    def insert(self, text: str) -> bool:
        """Press by Space."""
        return text == " " and self.key("space")


@dataclass(eq=False, kw_only=True)
class Checkbox(Widget):
    """A box with a tick and words."""

    checked: bool = False
    role: ClassVar[str] = "check box"
    focusable: ClassVar[bool] = True

    def draw(self, canvas: Canvas, box: DesktopBox, look: Look) -> None:
        """Paint the little box, the tick, and the words."""
        theme = canvas.theme
        mark = DesktopBox(box.x + 2, box.y + (box.height - 11) // 2, 11, 11)
        canvas.fill(mark, theme.field, theme.accent if look.focused or look.hovered else theme.border)
        if self.checked:
            canvas.fill(DesktopBox(mark.x + 3, mark.y + 3, 5, 5), theme.accent)
        canvas.text(box, self.name, theme.text, indent=18)

    def click(self, offset: DesktopPoint, count: int) -> None:
        """Turn the tick over."""
        self.checked = not self.checked
        super().click(offset, count)

    def insert(self, text: str) -> bool:
        """Turn the tick over by Space."""
        if text == " ":
            self.click(DesktopPoint(0, 0), 1)
        return text == " "

    def states(self, *, focused: bool) -> tuple[str, ...]:
        """Return its states, ``checked`` among them when ticked."""
        return super().states(focused=focused) + (("checked",) if self.checked else ())


@dataclass(eq=False, kw_only=True)
class ListRows(Widget):
    """A list of rows, one of which may be selected; a double click opens."""

    rows: list[str] = field(default_factory=list)
    selected: int | None = None
    first: int = 0
    on_select: Callable[[str], None] | None = None
    on_open: Callable[[str], None] | None = None
    role: ClassVar[str] = "list box"
    focusable: ClassVar[bool] = True

    def draw(self, canvas: Canvas, box: DesktopBox, look: Look) -> None:
        """Paint the rows that show."""
        theme = canvas.theme
        canvas.fill(box, theme.field, theme.accent if look.focused else theme.border)
        for index, row in self._showing(box):
            chosen = index == self.selected
            if chosen:
                canvas.fill(row, theme.accent)
            canvas.text(row, self.rows[index], theme.accent_text if chosen else theme.text)

    def click(self, offset: DesktopPoint, count: int) -> None:
        """Select the row; open it at the second click."""
        index = self.first + (offset.y - 1) // ROW_HEIGHT
        if not 0 <= index < len(self.rows):
            return
        self.selected = index
        told = self.on_open if count >= 2 else self.on_select
        if told is not None:
            told(self.rows[index])
        super().click(offset, count)

    def scroll(self, ticks: int) -> None:
        """Move by one row per tick, as far as there are rows below."""
        most = max(0, len(self.rows) - (self.place[3] - 2) // ROW_HEIGHT)
        self.first = min(most, max(0, self.first + ticks))

    def elements(self, box: DesktopBox, *, focused: bool) -> tuple[ElementFacts, ...]:
        """Return the list and the rows that show."""
        own = super().elements(box, focused=focused)
        rows = tuple(
            ElementFacts("list item", self.rows[index], row, ("showing", "visible", "enabled", "selectable"))
            for index, row in self._showing(box)
        )
        return own + rows

    def _showing(self, box: DesktopBox) -> list[tuple[int, DesktopBox]]:
        count = max(0, (box.height - 2) // ROW_HEIGHT)
        indices = range(self.first, min(len(self.rows), self.first + count))
        return [
            (index, DesktopBox(box.x + 1, box.y + 1 + place * ROW_HEIGHT, box.width - 2, ROW_HEIGHT))
            for place, index in enumerate(indices)
        ]


class MenuItem(Widget):
    """An entry of an open menu."""

    role = "menu item"

    def draw(self, canvas: Canvas, box: DesktopBox, look: Look) -> None:
        """Paint the words, blue under the pointer."""
        theme = canvas.theme
        if look.hovered and self.enabled:
            canvas.fill(box, theme.accent)
        words = theme.accent_text if look.hovered else theme.text
        canvas.text(box, self.name, words if self.enabled else theme.muted, indent=8)


@dataclass(eq=False, kw_only=True)
class Menu(Widget):
    """A menu of the menu bar; the stage shows its ``items`` in a popup while it is open."""

    items: Mapping[str, Deed | None] = field(default_factory=dict)
    opened: bool = False
    role: ClassVar[str] = "menu"

    def draw(self, canvas: Canvas, box: DesktopBox, look: Look) -> None:
        """Paint the words, blue while it is open or under the pointer."""
        theme = canvas.theme
        lit = self.opened or look.hovered
        if lit:
            canvas.fill(box, theme.accent)
        canvas.text(box, self.name, theme.accent_text if lit else theme.text, centred=True)


class Twin(Widget):
    """Looks exactly like another widget of the same window, in every state, at another place; works like it too."""

    def __init__(self, of: Widget, place: Place) -> None:
        super().__init__(of.name, place, enabled=of.enabled, erased=of.erased)
        self._of = of

    @property
    def source(self) -> Widget:
        """The widget it looks like."""
        return self._of

    def draw(self, canvas: Canvas, box: DesktopBox, look: Look) -> None:
        """Paint the other widget here."""
        self._of.draw(canvas, box, look)

    def click(self, offset: DesktopPoint, count: int) -> None:
        """Do what the other does."""
        self._of.click(offset, count)

    def elements(self, box: DesktopBox, *, focused: bool) -> tuple[ElementFacts, ...]:
        """Return the other's elements at this place, never focused."""
        return self._of.elements(box, focused=False)
