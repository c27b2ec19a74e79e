"""Actions as gestures: clicks, drags, scrolls and chords at a pace that programs follow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

from echostudio.cancel import CancelToken, Clock
from echostudio.desktop import keysyms
from echostudio.desktop.connection import Connection
from echostudio.desktop.controller import Placed
from echostudio.desktop.injection import (
    BUTTONS,
    SCROLL_DOWN,
    SCROLL_LEFT,
    SCROLL_RIGHT,
    SCROLL_UP,
    Injector,
)
from echostudio.desktop.keymap import Keymap
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.geometry import DesktopPoint
from echostudio.errors import InputFailed

_HOVER_SECONDS = 0.03
_HELD_SECONDS = 0.03
_BETWEEN_CLICKS_SECONDS = 0.07
_TICK_SECONDS = 0.02
_CHORD_SECONDS = 0.012
_DRAG_REST_SECONDS = 0.08
_DRAG_STEP_PIXELS = 16
_DRAG_STEP_SECONDS = 0.012
_DRAG_STEPS_AT_LEAST = 10


class Gestures:
    """Performs pointer actions and chords; what it presses it lets go, in every case."""

    def __init__(self, connection: Connection, injector: Injector, clock: Clock) -> None:
        self._connection = connection
        self._injector = injector
        self._clock = clock

    def perform(self, action: Action, placed: Placed, token: CancelToken) -> None:
        """Perform a click, drag, scroll or hover.

        Raises ``InputFailed`` when it has no place, an unknown button or modifier, or the pointer did not arrive.
        """
        with self._modifiers([str(name) for name in action.parameters.get("modifiers", ())], token):
            match action.kind:
                case ActionKind.CLICK:
                    self._click(action, placed, token)
                case ActionKind.DRAG:
                    self._drag(action, placed, token)
                case ActionKind.SCROLL:
                    self._scroll(action, placed, token)
                case ActionKind.HOVER:
                    self._approach(_place(placed.target, action), token)
                case _:
                    raise InputFailed(f"{action.kind.value.capitalize()} is no pointer action.")

    def hotkey(self, keys: Sequence[str], token: CancelToken) -> None:
        """Press a chord by key codes: the modifiers first, the last key last, then let go in reverse order.

        Raises ``InputFailed`` before anything is pressed when the layout lacks one of the keys.
        """
        keymap = self._connection.read_keymap()
        codes: list[int] = []
        for key in keys:
            code, extra = _chord_key(keymap, key)
            # A character that needs Shift on this layout brings it along.
            codes.extend(one for one in (*extra, code) if one not in codes)
        with self._held(codes[:-1], token):
            if codes:
                self._tap(codes[-1], token)

    def press(self, key: str, token: CancelToken) -> bool:
        """Press one key by name; return False when no key of the layout has that name or character unshifted."""
        code = self._connection.read_keymap().code_of_name(key)
        if code is None and len(key) != 1:
            raise InputFailed(f"This keyboard layout has no key {key!r}.")
        if code is None or (len(key) == 1 and not self._plain(code, key)):
            return False
        self._tap(code, token)
        return True

    def _plain(self, code: int, key: str) -> bool:
        """Whether the key writes this character as the keyboard is now, without any modifier."""
        return keysyms.character(self._connection.read_keymap().keysym(code, self._injector.state())) == key

    def _tap(self, code: int, token: CancelToken) -> None:
        self._injector.key_down(code)
        try:
            self._clock.sleep(_CHORD_SECONDS, token)
        finally:
            self._injector.key_up(code)

    def _click(self, action: Action, placed: Placed, token: CancelToken) -> None:
        button = _button(action)
        self._approach(_place(placed.target, action), token)
        for number in range(int(action.parameters.get("count", 1))):
            if number:
                self._clock.sleep(_BETWEEN_CLICKS_SECONDS, token)
            token.check()
            self._injector.button_down(button)
            try:
                self._clock.sleep(_HELD_SECONDS, token)
            finally:
                self._injector.button_up(button)

    def _drag(self, action: Action, placed: Placed, token: CancelToken) -> None:
        button = _button(action)
        start, end = _place(placed.start, action), _place(placed.end, action)
        self._approach(start, token)
        token.check()
        self._injector.button_down(button)
        try:
            self._clock.sleep(_DRAG_REST_SECONDS, token)
            for point in drag_points((start, *placed.path, end)):
                self._injector.move(point)
                self._clock.sleep(_DRAG_STEP_SECONDS, token)
            self._injector.arrive(end, token)
            # Drop targets answer the drag's questions late.
            self._clock.sleep(_DRAG_REST_SECONDS, token)
        finally:
            self._injector.button_up(button)

    def _scroll(self, action: Action, placed: Placed, token: CancelToken) -> None:
        self._approach(_place(placed.target, action), token)
        ticks = (
            (float(action.parameters.get("dy", 0)), SCROLL_UP, SCROLL_DOWN),
            (float(action.parameters.get("dx", 0)), SCROLL_LEFT, SCROLL_RIGHT),
        )
        for amount, back, onward in ticks:
            button = onward if amount > 0 else back
            for _ in range(round(abs(amount))):
                token.check()
                self._injector.button_down(button)
                self._injector.button_up(button)
                self._clock.sleep(_TICK_SECONDS, token)

    def _approach(self, point: DesktopPoint, token: CancelToken) -> None:
        """Come from a neighbouring place: some menus open only on a movement inside them."""
        self._injector.move(DesktopPoint(point.x - 1 if point.x > 0 else point.x + 1, point.y))
        self._injector.arrive(point, token)
        self._clock.sleep(_HOVER_SECONDS, token)

    @contextmanager
    def _modifiers(self, names: Sequence[str], token: CancelToken) -> Iterator[None]:
        if not names:
            yield
            return
        keymap = self._connection.read_keymap()
        with self._held([_chord_key(keymap, name)[0] for name in names], token):
            yield

    @contextmanager
    def _held(self, codes: Sequence[int], token: CancelToken) -> Iterator[None]:
        pressed: list[int] = []
        try:
            for code in codes:
                pressed.append(code)
                self._injector.key_down(code)
                self._clock.sleep(_CHORD_SECONDS, token)
            yield
        finally:
            for code in reversed(pressed):
                self._injector.key_up(code)


def drag_points(path: Sequence[DesktopPoint]) -> Iterator[DesktopPoint]:
    """Yield the places of a drag after its start: along the path, in steps that no program overlooks.

    A step is at most 16 pixels, and the whole drag has at least 10, so that short drags pass the threshold too.
    """
    length = sum(math.dist((one.x, one.y), (two.x, two.y)) for one, two in pairwise(path))
    step = min(_DRAG_STEP_PIXELS, length / _DRAG_STEPS_AT_LEAST) or 1.0
    for one, two in pairwise(path):
        count = max(1, math.ceil(math.dist((one.x, one.y), (two.x, two.y)) / step))
        for index in range(1, count + 1):
            share = index / count
            yield DesktopPoint(round(one.x + (two.x - one.x) * share), round(one.y + (two.y - one.y) * share))


def _place(point: DesktopPoint | None, action: Action) -> DesktopPoint:
    if point is None:
        raise InputFailed(f"The {action.kind.value} has no place.")
    return point


def _button(action: Action) -> int:
    name = str(action.parameters.get("button", "left"))
    if name not in BUTTONS:
        raise InputFailed(f"There is no pointer button {name!r}.", f"Use one of: {', '.join(BUTTONS)}.")
    return BUTTONS[name]


def _chord_key(keymap: Keymap, key: str) -> tuple[int, tuple[int, ...]]:
    """Return the code of a key and the codes of the modifiers that its character needs on this layout."""
    name = key if len(key) == 1 else key.lower()
    code = keymap.code_of_name(name) or keymap.code_of_name(name.lower())
    if code is None:
        raise InputFailed(f"This keyboard layout has no key {key!r}.", "Switch to the recorded layout and try again.")
    shift = keymap.code_of_name("shift")
    stroke = keymap.stroke(name, 0) if len(name) == 1 and not name.isalpha() else None
    if stroke is not None and stroke.shift and stroke.code == code and shift is not None:
        return code, (shift,)
    return code, ()
