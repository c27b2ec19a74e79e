"""The scripted screen itself: windows above each other, the pointer, the focus, and how input reaches widgets."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from echostudio.desktop.scripted_paint import Canvas, backdrop
from echostudio.desktop.scripted_program import Window
from echostudio.desktop.scripted_text import Entry
from echostudio.desktop.scripted_widgets import Look, Menu, MenuItem, Widget
from echostudio.episode.evidence import ElementFacts
from echostudio.episode.geometry import DesktopBox, DesktopPoint

BLINK_SECONDS = 0.6
DOUBLE_CLICK_SECONDS = 0.4
DOUBLE_CLICK_PX = 5
MENU_ROW = 20


@dataclass(frozen=True, slots=True)
class Stamp:
    """A pixel-identical copy of a part of the screen, drawn over everything at ``target``; inputs pass through it."""

    source: DesktopBox
    target: DesktopPoint


@dataclass(slots=True)
class _Press:
    window: Window
    widget: Widget | None
    point: DesktopPoint
    origin: tuple[int, int]
    at: float
    count: int


class Stage:
    """Windows (topmost first), pointer and focus of the scripted screen.

    ``blinking`` turns the caret on and off every 0.6 s of fake time. Methods may be called from several threads.
    """

    def __init__(self, width: int, height: int, *, blinking: bool = True) -> None:
        self.width, self.height = width, height
        self.windows: list[Window] = []
        self.stamps: list[Stamp] = []
        self.pointer = DesktopPoint(width - 4, height - 4)
        self.blinking = blinking
        self.lock = threading.RLock()
        self._backdrop = backdrop(width, height)
        self._picture: NDArray[np.uint8] | None = None
        self._phase = -1
        self._press: _Press | None = None
        self._last: _Press | None = None
        self._menu: Menu | None = None

    # What is there

    def open(self, window: Window) -> None:
        """Show a window in front; its first widget that takes keys gets the focus."""
        with self.lock:
            if window.focus is None and not window.popup:
                window.focus = next((w for w in window.widgets if w.focusable and w.present), None)
            self.windows.insert(0, window)
            self.touch()

    def close(self, window: Window) -> None:
        """Take a window away; harmless when it is not there."""
        with self.lock:
            self.windows = [other for other in self.windows if other is not window]
            self.touch()

    def raise_window(self, window: Window) -> None:
        """Bring a window to the front; open menus close."""
        with self.lock:
            if window in self.windows:
                self.close_menu()
                self.windows.remove(window)
                self.windows.insert(0, window)
                self.touch()

    def active(self) -> Window | None:
        """Return the window that has the keyboard."""
        return next((window for window in self.windows if not window.popup), None)

    def focused(self) -> tuple[Window, Widget] | None:
        """Return the widget that has the keyboard, and its window."""
        window = self.active()
        widget = window.focus if window is not None else None
        return (window, widget) if window is not None and widget is not None and widget.present else None

    def find(self, name: str) -> tuple[Window, Widget] | None:
        """Return the topmost present widget of that name."""
        for window in self.windows:
            widget = window.named(name)
            if widget is not None:
                return window, widget
        return None

    def elements_of(self, window: Window) -> tuple[ElementFacts, ...]:
        """Return the showing elements of a window, the window's own first."""
        frame = ElementFacts(*_frame_role(window), window.box, ("showing", "modal") if window.modal else ("showing",))
        found = [frame]
        for widget in window.widgets:
            if widget.present:
                focused = window is self.active() and widget is window.focus
                found += widget.elements(window.box_of(widget), focused=focused)
        return tuple(found)

    # Input

    def move(self, point: DesktopPoint) -> None:
        """Move the pointer; a pressed title bar takes its window along."""
        with self.lock:
            self.pointer = DesktopPoint(min(self.width - 1, max(0, point.x)), min(self.height - 1, max(0, point.y)))
            press = self._press
            if press is not None and press.window.title_box.height and press.widget is None and press.origin[1] < 0:
                press.window.move_to(self.pointer.x - press.origin[0], self.pointer.y - press.origin[1])
            self.touch()

    def press(self, button: str, at: float) -> None:
        """Press a button where the pointer is: raise, focus, or open a menu."""
        with self.lock:
            window = self._window_at(self.pointer)
            if window is None or not window.popup:
                closed = self.close_menu()
                if closed and window is not None and window.widget_at(self.pointer) is closed:
                    return
            if window is None or self._blocked(window):
                return
            if not window.popup and window is not self.active():
                self.raise_window(window)
            widget = window.widget_at(self.pointer)
            if widget is not None and widget.source.focusable and widget.enabled:
                window.focus = widget.source
            origin = (self.pointer.x - window.place[0], self.pointer.y - window.place[1])
            self._press = _Press(window, widget, self.pointer, origin, at, self._count(widget, at))
            if button != "left":
                self._press = None
            self.touch()

    def release(self, button: str) -> None:
        """Release a button: a click, when the pointer is still on what was pressed."""
        with self.lock:
            press, self._press = self._press, None
            if press is None or button != "left":
                return
            self._last = press
            widget = press.widget
            if widget is None or not widget.enabled or press.window.widget_at(self.pointer) is not widget:
                return
            self._click(press.window, widget, press.count)
            self.touch()

    def scroll(self, ticks: int) -> None:
        """Scroll what is under the pointer, positive = down."""
        with self.lock:
            window = self._window_at(self.pointer)
            widget = window.widget_at(self.pointer) if window is not None else None
            if window is not None and widget is not None and not self._blocked(window):
                widget.scroll(ticks)
                self.touch()

    def key(self, chord: str) -> None:
        """Press a key that is not a character, or a chord such as ``ctrl+shift+s``."""
        with self.lock:
            window = self.active()
            if chord == "escape" and self.close_menu():
                return
            if window is None:
                return
            widget = window.focus if window.focus is not None and window.focus.present else None
            if chord in window.shortcuts:
                window.shortcuts[chord]()
            elif (widget is None or not widget.enabled or not widget.key(chord)) and chord in {"tab", "shift+tab"}:
                self._next_focus(window, -1 if chord == "shift+tab" else 1)
            self.touch()

    def insert(self, text: str) -> None:
        """Type a character."""
        with self.lock:
            focused = self.focused()
            if focused is not None and focused[1].enabled:
                focused[1].insert(text)
            self.touch()

    def close_menu(self) -> Menu | None:
        """Close the open menu; return it, or None when none was open."""
        menu, self._menu = self._menu, None
        if menu is not None:
            menu.opened = False
            self.windows = [window for window in self.windows if not window.popup]
            self.touch()
        return menu

    # Picture

    def touch(self) -> None:
        """Say that the next picture differs."""
        self._picture = None

    def picture(self, now: float) -> NDArray[np.uint8]:
        """Return the screen as RGB pixels (not writable); the same array while nothing changed."""
        with self.lock:
            phase = int(now / BLINK_SECONDS) % 2 if self.blinking else 0
            if self._picture is None or phase != self._phase:
                self._phase = phase
                self._picture = self._paint(caret=phase == 0)
            return self._picture

    def _paint(self, *, caret: bool) -> NDArray[np.uint8]:
        pixels = self._backdrop
        for window in reversed(self.windows):
            canvas = Canvas(pixels, window.theme)
            self._paint_window(canvas, window, caret=caret)
            pixels = canvas.pixels()
        for stamp in self.stamps:
            pixels = _stamped(pixels, stamp)
        pixels.flags.writeable = False
        return pixels

    def _paint_window(self, canvas: Canvas, window: Window, *, caret: bool) -> None:
        theme, active, box = canvas.theme, self.active(), window.box
        outer = DesktopBox(box.x - 1, window.title_box.y - 1, box.width + 2, box.height + window.title_box.height + 2)
        canvas.fill(outer, theme.face, theme.border)
        canvas.fill(window.title_box, theme.accent if window is active else theme.title)
        canvas.text(window.title_box, window.title, theme.accent_text if window is active else theme.text)
        hovered = window.widget_at(self.pointer) if self._window_at(self.pointer) is window else None
        for widget in window.widgets:
            if widget.present:
                focused = window is active and widget.source is window.focus
                look = Look(focused, widget is hovered, focused and caret, self.pointer)
                widget.draw(canvas, window.box_of(widget), look)

    # Inside

    def _window_at(self, point: DesktopPoint) -> Window | None:
        return next((window for window in self.windows if window.covers(point)), None)

    def _blocked(self, window: Window) -> bool:
        return not window.modal and any(
            other.modal and other.program is window.program for other in self.windows if other is not window
        )

    def _count(self, widget: Widget | None, at: float) -> int:
        last = self._last
        near = (
            last is not None
            and last.widget is widget
            and at - last.at <= DOUBLE_CLICK_SECONDS
            and abs(last.point.x - self.pointer.x) + abs(last.point.y - self.pointer.y) <= DOUBLE_CLICK_PX
        )
        return last.count + 1 if near and last is not None else 1

    def _click(self, window: Window, widget: Widget, count: int) -> None:
        if isinstance(widget, Menu):
            self._open_menu(window, widget)
            return
        if window.popup:
            self.close_menu()
        box = window.box_of(widget)
        widget.click(DesktopPoint(self.pointer.x - box.x, self.pointer.y - box.y), count)

    def _open_menu(self, window: Window, menu: Menu) -> None:
        width = 20 + max(8 * len(name) for name in menu.items) if menu.items else 60
        rows = [
            MenuItem(name, (1, 1 + row * MENU_ROW, width - 2, MENU_ROW), on_click=deed, enabled=deed is not None)
            for row, (name, deed) in enumerate(menu.items.items())
        ]
        box = window.box_of(menu)
        place = (box.x, box.y + box.height, width, 2 + MENU_ROW * len(rows))
        popup = Window("", place, list(rows), popup=True, program=window.program)
        menu.opened, self._menu = True, menu
        self.open(popup)

    def _next_focus(self, window: Window, step: int) -> None:
        ring = [w for w in window.widgets if w.focusable and w.present and w.enabled]
        if not ring:
            return
        place = ring.index(window.focus) if window.focus in ring else -1
        window.focus = ring[(place + step) % len(ring)]
        if isinstance(window.focus, Entry):
            window.focus.caret = len(window.focus.text)


def _frame_role(window: Window) -> tuple[str, str]:
    role = "window" if window.popup else "dialog" if window.dialog else "frame"
    return role, window.title


def _stamped(pixels: NDArray[np.uint8], stamp: Stamp) -> NDArray[np.uint8]:
    source, target = stamp.source, stamp.target
    part = pixels[max(0, source.y) : source.y + source.height, max(0, source.x) : source.x + source.width]
    result = pixels.copy()
    room = result[target.y : target.y + part.shape[0], target.x : target.x + part.shape[1]]
    room[:] = part[: room.shape[0], : room.shape[1]]
    return result
