"""A desktop on an X server: the person's own screen or a virtual one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from echostudio.cancel import CancelToken, Clock, SystemClock
from echostudio.desktop import environment as environments
from echostudio.desktop import keysyms, programs
from echostudio.desktop.accessibility import Accessibility
from echostudio.desktop.capture import Capture
from echostudio.desktop.connection import Connection
from echostudio.desktop.controller import Placed
from echostudio.desktop.direct import X11DirectInput
from echostudio.desktop.gestures import Gestures
from echostudio.desktop.injection import Injector
from echostudio.desktop.listener import X11RawInput
from echostudio.desktop.own_windows import OwnBoxes, covered
from echostudio.desktop.text_entry import TextEntry
from echostudio.desktop.windows import WindowReader
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.evidence import ElementFacts, ScreenFacts, WindowFacts
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import DesktopBox, DesktopPoint, ScreenMap
from echostudio.episode.structure import structure
from echostudio.errors import DesktopError


class X11Desktop:
    """Implements ``Desktop`` over X11.

    ``kind`` is ``host`` or ``virtual``; ``settings`` are the environment settings of a virtual desktop. Raises
    ``DesktopError`` when the display cannot be opened. ``grab`` may be called from any thread.
    """

    def __init__(
        self, display: str, kind: str, settings: Mapping[str, str] | None = None, clock: Clock | None = None
    ) -> None:
        self.kind = kind
        self.clock: Clock = clock or SystemClock()
        self._settings = dict(settings or {})
        self._connection = Connection(display)
        self.name = self._connection.name
        self._capture = Capture(self._connection, self.clock)
        self._windows = WindowReader(self._connection, self.clock)
        self._injector = Injector(self._connection, self.clock)
        self._gestures = Gestures(self._connection, self._injector, self.clock)
        self._text = TextEntry(self._connection, self._injector, self.clock)
        self._accessible: Accessibility | None = None
        self.own_boxes: OwnBoxes | None = None

    def screen_map(self) -> ScreenMap:
        """Return the present monitors."""
        return self._capture.screen_map()

    def grab(self) -> Frame:
        """Capture the whole screen without the pointer; raise ``DesktopError`` when it cannot."""
        frame = self._capture.grab()
        return covered(frame, self.own_boxes()) if self.own_boxes is not None else frame

    def active_app(self) -> WindowFacts | None:
        """Return the active top-level window, or None when there is none."""
        return self._windows.active()

    def windows(self) -> tuple[WindowFacts, ...]:
        """Return the visible top-level windows, topmost first, popups included; without own ones that are covered."""
        found = self._windows.all()
        return found if self.own_boxes is None else tuple(one for one in found if one.pid != os.getpid())

    def raise_window(self, window: WindowFacts) -> None:
        """Bring a window to the front and wait until it has the focus; raise ``DesktopError`` when it does not."""
        self._windows.raise_window(window)

    def place_window(self, window: WindowFacts, box: DesktopBox) -> None:
        """Move and resize a window's client area, as near as its size hints allow; wait until it is there."""
        self._windows.place(window, box)

    def element_at(self, point: DesktopPoint) -> ElementFacts | None:
        """Return the accessible element under a place, or None when unknown."""
        return self._accessibility().element_at(point)

    def focused_element(self) -> ElementFacts | None:
        """Return the accessible element that has the keyboard focus, or None when unknown."""
        return self._accessibility().focused()

    def elements(self, window: WindowFacts | None = None) -> tuple[ElementFacts, ...]:
        """Return the showing elements of a window (the active one by default); may be empty."""
        chosen = window or self.active_app()
        return self._accessibility().elements(chosen) if chosen is not None else ()

    def screen_facts(self) -> ScreenFacts:
        """Return active window, popups, focus and (role, name, count) structure together."""
        window = self.active_app()
        popups = tuple(found for found in self.windows() if found.popup)
        shown = self.elements(window) if window is not None else ()
        focus = self._accessibility().focused(window) if window is not None else None
        return ScreenFacts(window, popups, focus, structure(shown))

    def pointer(self) -> DesktopPoint:
        """Return where the pointer is."""
        return self._injector.pointer()

    def move_pointer(self, point: DesktopPoint) -> None:
        """Move the pointer without pressing anything; raise ``InputFailed`` when it does not arrive."""
        self._injector.arrive(point, CancelToken())

    def perform(self, action: Action, placed: Placed, token: CancelToken) -> None:
        """Send the input of an action; releases what it pressed in every case.

        Raises ``InputFailed`` when the pointer did not arrive or a character or key cannot be typed, ``Cancelled``
        when the token was cancelled, ``DesktopError`` for launch and focus, which are no input.
        """
        token.check()
        with self._released():
            match action.kind:
                case ActionKind.TYPE:
                    self._text.type(str(action.parameters.get("text", "")), placed.key_interval, token)
                case ActionKind.PRESS:
                    self._press(str(action.parameters.get("key", "")), placed, token)
                case ActionKind.HOTKEY:
                    self._gestures.hotkey([str(key) for key in action.parameters.get("keys", ())], token)
                case ActionKind.WAIT:
                    self.clock.sleep(float(action.parameters.get("seconds", 0)), token)
                case ActionKind.LAUNCH | ActionKind.FOCUS:
                    raise DesktopError(f"{action.kind.value.capitalize()} is not an input that a desktop sends.")
                case _:
                    self._gestures.perform(action, placed, token)

    def release_all(self) -> None:
        """Let go of every key and button that this desktop holds down."""
        self._injector.release_all()

    def modifiers_down(self) -> tuple[str, ...]:
        """Return the modifiers that are held down now, by whomever: some of ``ctrl shift alt super altgr``."""
        with self._connection.use() as display:
            bits = display.query_keymap()
        keymap = self._connection.read_keymap()
        down = {
            keysyms.key_name(keymap.columns(code)[0])
            for code in range(8, 256)
            if bits[code // 8] >> (code % 8) & 1 and keymap.columns(code)
        }
        return tuple(name for name in keysyms.MODIFIERS if name in down)

    def launch(
        self, command: Sequence[str], *, environment: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> programs.StartedProgram:
        """Start a program on this desktop (no shell); raise ``DesktopError`` when it is not installed."""
        whole = environments.for_programs(os.environ, self.name, self._settings, environment)
        return programs.launch(command, whole, folder)

    def raw_input(self) -> X11RawInput:
        """Return a new source of the person's input on this desktop."""
        return X11RawInput(self.name, self.clock)

    def direct_input(self) -> X11DirectInput:
        """Return a new hand on this desktop; it ends with the desktop's connection."""
        return X11DirectInput(self._connection, self.clock)

    def close(self) -> None:
        """Let go of connections; does not end the desktop."""
        if self._accessible is not None:
            self._accessible.close()
        self._capture.close()
        self._connection.close()

    def _press(self, key: str, placed: Placed, token: CancelToken) -> None:
        """Press a named key; a character that the layout lacks is written as text."""
        if not self._gestures.press(key, token):
            self._text.type(key, placed.key_interval, token)

    def _accessibility(self) -> Accessibility:
        if self._accessible is None:
            self._accessible = Accessibility(self.name, self.clock)
        return self._accessible

    @contextmanager
    def _released(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._injector.release_all()
