"""Widgets of a scripted program that take text: one line, a password, and a text area."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from echostudio.desktop.scripted_paint import Canvas
from echostudio.desktop.scripted_widgets import LINE_HEIGHT, Deed, Look, Widget
from echostudio.episode.evidence import ElementFacts
from echostudio.episode.geometry import DesktopBox, DesktopPoint


@dataclass(eq=False, kw_only=True)
class Entry(Widget):
    """One line of text; a ``secret`` one shows dots and has the role ``password text``."""

    text: str = ""
    secret: bool = False
    on_enter: Deed | None = None
    on_change: Deed | None = None
    drops_first: int = 0
    caret: int = 0
    selected: bool = False
    role: ClassVar[str] = "text"
    focusable: ClassVar[bool] = True
    many_lines: ClassVar[bool] = False

    def draw(self, canvas: Canvas, box: DesktopBox, look: Look) -> None:
        """Paint the field, its text, the selection, and the caret while it blinks on."""
        theme = canvas.theme
        canvas.fill(box, theme.field, theme.accent if look.focused else theme.border)
        lines = self._shown().split("\n")
        for number, line in enumerate(lines):
            row = self._row(box, number)
            if self.selected and line:
                canvas.fill(DesktopBox(row.x + 3, row.y, canvas.width_of(line) + 2, row.height), theme.accent)
            canvas.text(row, line, theme.accent_text if self.selected else theme.text)
        if look.caret and not self.selected:
            before = self._shown()[: self.caret].split("\n")
            row = self._row(box, len(before) - 1)
            left = min(row.x + 4 + canvas.width_of(before[-1]), box.x + box.width - 2)
            canvas.fill(DesktopBox(left, row.y + 1, 1, row.height - 2), theme.text)

    def click(self, offset: DesktopPoint, count: int) -> None:
        """Put the caret at the end; select everything at the second click."""
        self.selected = count >= 2 and bool(self.text)
        self.caret = len(self.text)
        super().click(offset, count)

    def insert(self, text: str) -> bool:
        """Type over the selection, or at the caret."""
        if self.drops_first > 0:
            self.drops_first -= 1
            return True
        if self.selected:
            self._replace("", 0)
        self._replace(self.text[: self.caret] + text + self.text[self.caret :], self.caret + len(text))
        return True

    def key(self, chord: str) -> bool:
        """Edit by the usual keys."""
        if chord == "enter":
            return self._enter()
        if chord == "ctrl+a":
            self.selected = bool(self.text)
            return True
        if chord in {"backspace", "delete"}:
            self._erase(1 if chord == "delete" else 0)
            return True
        moves = {"left": self.caret - 1, "right": self.caret + 1, "home": 0, "end": len(self.text)}
        if chord in moves:
            self.caret, self.selected = min(len(self.text), max(0, moves[chord])), False
        return chord in moves

    def set_text(self, text: str) -> None:
        """Replace the text as the program itself does; the caret goes to its end."""
        self._replace(text, len(text))

    def states(self, *, focused: bool) -> tuple[str, ...]:
        """Return its states: editable, of one line or many."""
        return (*super().states(focused=focused), "editable", "multi line" if self.many_lines else "single line")

    def elements(self, box: DesktopBox, *, focused: bool) -> tuple[ElementFacts, ...]:
        """Return itself; the text is content, never the name."""
        role = "password text" if self.secret else self.role
        return (ElementFacts(role, self.name, box, self.states(focused=focused)),)

    def _enter(self) -> bool:
        if self.many_lines:
            return self.insert("\n")
        if self.on_enter is not None:
            self.on_enter()
        return self.on_enter is not None

    def _erase(self, ahead: int) -> None:
        if self.selected:
            self._replace("", 0)
        elif ahead or self.caret:
            place = self.caret if ahead else self.caret - 1
            self._replace(self.text[:place] + self.text[place + 1 :], place)

    def _replace(self, text: str, caret: int) -> None:
        changed = text != self.text
        self.text, self.caret, self.selected = text, min(caret, len(text)), False
        if changed and self.on_change is not None:
            self.on_change()

    def _shown(self) -> str:
        return "•" * len(self.text) if self.secret else self.text

    def _row(self, box: DesktopBox, number: int) -> DesktopBox:
        if not self.many_lines:
            return DesktopBox(box.x + 1, box.y + 2, box.width - 2, max(1, box.height - 4))
        bottom = box.y + box.height - 1
        top = min(box.y + 2 + number * LINE_HEIGHT, bottom)
        return DesktopBox(box.x + 1, top, box.width - 2, min(LINE_HEIGHT, bottom - top))


class TextArea(Entry):
    """A document of many lines; Enter begins a new one."""

    many_lines = True
