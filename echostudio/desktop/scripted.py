"""The scripted desktop: a small in-memory screen with fake time that implements ``Desktop``, for fast tests.

Nothing here waits in real time. Frames of a recording: a thread (or ``desktop.clock.tick_listeners``) may call
``grab`` whenever fake time moved; time never jumps over a scheduled moment nor over 30 ms without a stop.
Known failures can be switched on: see the attributes of ``ScriptedDesktop``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from echostudio.cancel import CancelToken
from echostudio.desktop.controller import Placed, Program, RawEvent, RawInput, RawSink
from echostudio.desktop.scripted_clock import ScriptedClock
from echostudio.desktop.scripted_program import ScriptedProgram, Window
from echostudio.desktop.scripted_stage import Stage, Stamp
from echostudio.episode.action import KEY_KINDS, Action, ActionKind
from echostudio.episode.evidence import ElementFacts, ScreenFacts, WindowFacts
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import DesktopBox, DesktopPoint, ScreenMap
from echostudio.episode.structure import structure
from echostudio.errors import DesktopError, InputFailed

PRESS_SECONDS = 0.03
MODIFIERS = ("ctrl", "shift", "alt", "super")


class ScriptedDesktop:
    """A desktop in memory.

    Attributes:
        stage: windows, widgets, pointer; tests may change them at will (then ``stage.touch()``).
        performed: every action that was sent, with its place, in order; empty means nothing was touched.
        installed: programs that ``launch`` knows, by the command's first word.
        accessible: whether elements are told at all.
        fail_input_after: how many actions still arrive before ``InputFailed``; None = all.
        swallow_clicks: clicks are sent and nothing happens.
        screen: ``on``, ``blank`` (one grey), ``black``, or ``gone`` (``grab`` raises).
    """

    kind = "scripted"

    def __init__(
        self,
        program: ScriptedProgram | None = None,
        *,
        width: int = 480,
        height: int = 270,
        accessible: bool = True,
        blinking: bool = True,
        name: str = "scripted",
    ) -> None:
        self.name = name
        self.clock: ScriptedClock = ScriptedClock()
        self.stage = Stage(width, height, blinking=blinking)
        self.performed: list[tuple[Action, Placed]] = []
        self.installed: dict[str, Callable[[], ScriptedProgram]] = {}
        self.accessible = accessible
        self.fail_input_after: int | None = None
        self.swallow_clicks = False
        self.screen = "on"
        self._sinks: list[RawSink] = []
        self._held: list[str] = []
        if program is not None:
            self.start(program)

    # For tests

    def start(self, program: ScriptedProgram) -> None:
        """Start a program on this desktop."""
        program.start(self.stage, self.clock)

    def place_of(self, name: str) -> DesktopPoint | None:
        """Return the middle of the topmost widget or list row of that name, or None when there is none."""
        for window in self.stage.windows:
            for element in self.stage.elements_of(window)[1:]:
                if element.name == name and element.box is not None:
                    box = element.box
                    return DesktopPoint(box.x + box.width // 2, box.y + box.height // 2)
        return None

    def stamp(self, source: DesktopBox, target: DesktopPoint) -> None:
        """Show a pixel-identical copy of a part of the screen at another place, from now on."""
        self.stage.stamps.append(Stamp(source, target))
        self.stage.touch()

    def close_windows(self) -> None:
        """Take every window away, as after a crash of all programs."""
        for window in tuple(self.stage.windows):
            self.stage.close(window)

    @property
    def watched(self) -> bool:
        """Whether a recording listens to raw input."""
        return bool(self._sinks)

    def emit(self, event: RawEvent) -> None:
        """Hand a person's event to the recordings that listen."""
        for sink in tuple(self._sinks):
            sink(event)

    def hold(self, key: str) -> None:
        """Note that a modifier is held down."""
        if key in MODIFIERS and key not in self._held:
            self._held.append(key)

    def let_go(self, key: str) -> None:
        """Note that a modifier is up."""
        if key in self._held:
            self._held.remove(key)

    # Desktop: looking

    def screen_map(self) -> ScreenMap:
        """Return the one monitor."""
        return ScreenMap.single(self.stage.width, self.stage.height)

    def grab(self) -> Frame:
        """Return the screen now; its pixels must not be written to. Raises ``DesktopError`` when it is gone."""
        if self.screen == "gone":
            raise DesktopError("The scripted desktop is gone.")
        now = self.clock.now()
        pixels = self.stage.picture(now)
        if self.screen != "on":
            pixels = np.full_like(pixels, 0 if self.screen == "black" else 128)
        return Frame(pixels, now, self.screen_map(), now)

    def active_app(self) -> WindowFacts | None:
        """Return the active window."""
        window = self.stage.active()
        return window.facts() if window is not None else None

    def windows(self) -> tuple[WindowFacts, ...]:
        """Return all windows, topmost first."""
        return tuple(window.facts() for window in self.stage.windows)

    def raise_window(self, window: WindowFacts) -> None:
        """Bring a window to the front; a window that is gone is left alone."""
        found = self._window(window)
        if found is not None:
            self.stage.raise_window(found)

    def element_at(self, point: DesktopPoint) -> ElementFacts | None:
        """Return the innermost element under a place."""
        window = next((w for w in self.stage.windows if w.covers(point)), None)
        if window is None or not self.accessible:
            return None
        inside = [e for e in self.stage.elements_of(window) if e.box is not None and e.box.contains(point)]
        return inside[-1] if inside else None

    def focused_element(self) -> ElementFacts | None:
        """Return the element that has the keyboard."""
        focused = self.stage.focused() if self.accessible else None
        if focused is None:
            return None
        window, widget = focused
        return widget.elements(window.box_of(widget), focused=True)[0]

    def elements(self, window: WindowFacts | None = None) -> tuple[ElementFacts, ...]:
        """Return the showing elements of a window and of its open menu."""
        found = self._window(window) if window is not None else self.stage.active()
        if found is None or not self.accessible:
            return ()
        menus = [w for w in self.stage.windows if w.popup and w.program is found.program and w is not found]
        return tuple(element for part in (found, *menus) for element in self.stage.elements_of(part))

    def screen_facts(self) -> ScreenFacts:
        """Return active window, popups, focus and structure."""
        popups = tuple(window for window in self.windows() if window.popup)
        return ScreenFacts(self.active_app(), popups, self.focused_element(), structure(self.elements()))

    # Desktop: acting

    def pointer(self) -> DesktopPoint:
        """Return where the pointer is."""
        return self.stage.pointer

    def move_pointer(self, point: DesktopPoint) -> None:
        """Move the pointer."""
        self.stage.move(point)

    def perform(self, action: Action, placed: Placed, token: CancelToken) -> None:
        """Send the input of an action; raise ``InputFailed`` when told to by ``fail_input_after``."""
        token.check()
        if self.fail_input_after is not None:
            if self.fail_input_after <= 0:
                raise InputFailed("The pointer did not arrive at the target.")
            self.fail_input_after -= 1
        self.performed.append((action, placed))
        try:
            if action.kind in KEY_KINDS:
                self._perform_keys(action, placed, token)
            else:
                self._perform_other(action, placed, token)
        finally:
            self.release_all()

    def release_all(self) -> None:
        """Let go of everything."""
        self._held.clear()

    def modifiers_down(self) -> tuple[str, ...]:
        """Return the modifiers that are held down."""
        return tuple(self._held)

    def launch(
        self, command: Sequence[str], *, environment: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> Program:
        """Start an installed program; raise ``DesktopError`` when there is none of that name."""
        make = self.installed.get(command[0]) if command else None
        if make is None:
            raise DesktopError(f"“{' '.join(command)}” is not installed.", "Install it, or start it by hand.")
        program = make()
        self.start(program)
        return program

    def raw_input(self) -> RawInput:
        """Return a source of what ``ScriptedPerson`` does; events come in the thread that moves the clock."""
        return _ScriptedRawInput(self._sinks)

    def close(self) -> None:
        """Nothing to let go of."""

    # Inside

    def _window(self, facts: WindowFacts) -> Window | None:
        return next((window for window in self.stage.windows if window.handle == facts.handle), None)

    def _perform_other(self, action: Action, placed: Placed, token: CancelToken) -> None:
        parameters = action.parameters
        if action.kind is ActionKind.WAIT:
            self.clock.sleep(float(parameters.get("seconds", 0.0)), token)
        elif action.kind is ActionKind.LAUNCH:
            command = parameters.get("command", "")
            self.launch(command.split() if isinstance(command, str) else list(command))
        elif action.kind is ActionKind.FOCUS:
            self._focus(str(parameters.get("window", "")))
        elif action.kind is ActionKind.DRAG:
            self._drag(str(parameters.get("button", "left")), placed, token)
        else:
            self._point(action, placed, token)

    def _point(self, action: Action, placed: Placed, token: CancelToken) -> None:
        if placed.target is None:
            raise InputFailed(f"A {action.kind.value} needs a place.")
        self.stage.move(placed.target)
        for key in action.parameters.get("modifiers", ()):
            self.hold(str(key))
        if action.kind is ActionKind.SCROLL:
            self.stage.scroll(round(float(action.parameters.get("dy", 0))))
        elif action.kind is ActionKind.CLICK:
            for _ in range(int(action.parameters.get("count", 1))):
                self._button(str(action.parameters.get("button", "left")), token)
        self.clock.sleep(PRESS_SECONDS, token)

    def _button(self, button: str, token: CancelToken) -> None:
        if not self.swallow_clicks:
            self.stage.press(button, self.clock.now())
        self.clock.sleep(PRESS_SECONDS, token)
        if not self.swallow_clicks:
            self.stage.release(button)

    def _drag(self, button: str, placed: Placed, token: CancelToken) -> None:
        if placed.start is None or placed.end is None:
            raise InputFailed("A drag needs a start and an end.")
        self.stage.move(placed.start)
        if not self.swallow_clicks:
            self.stage.press(button, self.clock.now())
        try:
            for point in (*placed.path, placed.end):
                self.clock.sleep(PRESS_SECONDS, token)
                self.stage.move(point)
        finally:
            self.stage.release(button)

    def _focus(self, words: str) -> None:
        for window in self.stage.windows:
            facts = window.facts()
            if not window.popup and words in {facts.title, facts.program, facts.window_class}:
                self.stage.raise_window(window)
                return
        raise InputFailed(f"There is no window “{words}”.")

    def _perform_keys(self, action: Action, placed: Placed, token: CancelToken) -> None:
        if action.kind is ActionKind.TYPE:
            for character in str(action.parameters.get("text", "")):
                self.clock.sleep(placed.key_interval, token)
                self._character(character)
            return
        keys = action.parameters.get("keys") or [action.parameters.get("key", "")]
        self.clock.sleep(PRESS_SECONDS, token)
        if len(keys) == 1 and len(str(keys[0])) == 1:
            self._character(str(keys[0]))
        else:
            self.stage.key("+".join(str(key) for key in keys))

    def _character(self, character: str) -> None:
        named = {"\n": "enter", "\t": "tab"}.get(character)
        if named is not None:
            self.stage.key(named)
        else:
            self.stage.insert(character)


class _ScriptedRawInput:
    def __init__(self, sinks: list[RawSink]) -> None:
        self._sinks = sinks
        self._sink: RawSink | None = None

    def start(self, sink: RawSink) -> None:
        self.stop()
        self._sink = sink
        self._sinks.append(sink)

    def stop(self) -> None:
        if self._sink in self._sinks:
            self._sinks.remove(self._sink)
        self._sink = None
