"""What every desktop gives: a picture, facts about windows and elements, and input. Protocols only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from echostudio.cancel import CancelToken, Clock
from echostudio.episode.action import Action
from echostudio.episode.evidence import ElementFacts, ScreenFacts, WindowFacts
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import DesktopBox, DesktopPoint, ScreenMap


@dataclass(frozen=True, slots=True)
class Placed:
    """Where an action goes: ``target`` for click, scroll, hover; ``start``, ``path`` and ``end`` for a drag."""

    target: DesktopPoint | None = None
    start: DesktopPoint | None = None
    end: DesktopPoint | None = None
    path: tuple[DesktopPoint, ...] = ()
    key_interval: float = 0.09


class RawKind(StrEnum):
    """Kinds of raw input."""

    MOVE = "move"
    BUTTON_DOWN = "button_down"
    BUTTON_UP = "button_up"
    SCROLL = "scroll"
    KEY_DOWN = "key_down"
    KEY_UP = "key_up"


@dataclass(frozen=True, slots=True)
class RawEvent:
    """One input event of a person.

    ``at`` is monotonic seconds on the desktop's clock, ``point`` the pointer's place, ``button`` one of
    ``left middle right back forward``, ``delta`` scroll ticks (x, y; y positive = down). For keys: ``code`` is the
    physical key, ``key`` its unshifted name (``a``, ``1``, ``enter``, ``ctrl``, ``f5`` ...), ``text`` the committed
    character under the present modifiers and layout, empty when the key types nothing.
    """

    kind: RawKind
    at: float
    point: DesktopPoint
    button: str = ""
    delta: tuple[float, float] = (0.0, 0.0)
    code: int = 0
    key: str = ""
    text: str = ""


RawSink = Callable[[RawEvent], None]


class RawInput(Protocol):
    """A source of raw input for one recording."""

    def start(self, sink: RawSink) -> None:
        """Begin to deliver events (in a thread of the source's own); return once events really arrive."""
        ...

    def stop(self) -> None:
        """Deliver what is still on the way, then stop; safe to call twice."""
        ...


class Program(Protocol):
    """A program that was started on a desktop."""

    pid: int

    def running(self) -> bool:
        """Whether it still runs; a zombie does not."""
        ...

    def terminate(self, timeout: float = 3.0) -> None:
        """End it and what it started."""
        ...


class Desktop(Protocol):
    """A place with a screen and input. One thread at a time."""

    kind: str
    name: str
    clock: Clock

    def screen_map(self) -> ScreenMap:
        """Return the present monitors."""
        ...

    def grab(self) -> Frame:
        """Capture the whole screen without the pointer; raise ``DesktopError`` when it cannot."""
        ...

    def active_app(self) -> WindowFacts | None:
        """Return the active top-level window, or None when there is none."""
        ...

    def windows(self) -> tuple[WindowFacts, ...]:
        """Return the visible top-level windows, topmost first, popups included."""
        ...

    def raise_window(self, window: WindowFacts) -> None:
        """Bring a window to the front and give it the focus."""
        ...

    def place_window(self, window: WindowFacts, box: DesktopBox) -> None:
        """Move and resize a window (client area) and wait until it is there."""
        ...

    def element_at(self, point: DesktopPoint) -> ElementFacts | None:
        """Return the accessible element under a place, or None when unknown."""
        ...

    def focused_element(self) -> ElementFacts | None:
        """Return the accessible element that has the keyboard focus, or None when unknown."""
        ...

    def elements(self, window: WindowFacts | None = None) -> tuple[ElementFacts, ...]:
        """Return the showing elements of a window (the active one by default); may be empty."""
        ...

    def screen_facts(self) -> ScreenFacts:
        """Return active window, popups, focus and (role, name, count) structure together."""
        ...

    def pointer(self) -> DesktopPoint:
        """Return where the pointer is."""
        ...

    def move_pointer(self, point: DesktopPoint) -> None:
        """Move the pointer without pressing anything."""
        ...

    def perform(self, action: Action, placed: Placed, token: CancelToken) -> None:
        """Send the input of an action; releases what it pressed in every case.

        Raises ``InputFailed`` when the pointer did not arrive or a character cannot be typed, ``Cancelled`` when
        the token was cancelled (nothing stays pressed).
        """
        ...

    def release_all(self) -> None:
        """Let go of every key and button that this desktop holds down."""
        ...

    def modifiers_down(self) -> tuple[str, ...]:
        """Return the modifiers that are held down now, by whomever."""
        ...

    def launch(
        self, command: Sequence[str], *, environment: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> Program:
        """Start a program on this desktop (no shell); raise ``DesktopError`` when it is not installed."""
        ...

    def raw_input(self) -> RawInput:
        """Return a new source of the person's input on this desktop."""
        ...

    def close(self) -> None:
        """Let go of connections; does not end the desktop."""
        ...


class DirectInput(Protocol):
    """A person's own hand on a desktop, passed on event by event; what it holds down is let go by ``release``.

    One thread at a time. All of it raises ``DesktopError`` when the desktop is gone.
    """

    def move(self, point: DesktopPoint) -> None:
        """Move the pointer; does not look whether it arrived."""
        ...

    def button(self, button: str, pressed: bool) -> None:
        """Press or let go of a button: ``left middle right back forward``; others are ignored."""
        ...

    def scroll(self, dx: int, dy: int) -> None:
        """Turn the wheels by whole ticks; positive is right and down."""
        ...

    def key(self, code: int, keysym: int, pressed: bool) -> None:
        """Press or let go of a key.

        ``code`` is the physical key and ``keysym`` what it means where it was pressed; either may be 0. Where the
        layouts differ, the meaning counts: a character that no key of the desktop writes as it stands is typed.
        """
        ...

    def text(self, text: str) -> None:
        """Write characters that no single key gives, as an input method commits them."""
        ...

    def release(self) -> None:
        """Let go of everything that is held down."""
        ...


@runtime_checkable
class DirectlyUsable(Protocol):
    """A desktop that can be used by hand from outside its own keyboard and mouse."""

    def direct_input(self) -> DirectInput:
        """Return a new hand on this desktop."""
        ...


@dataclass(frozen=True, slots=True)
class VirtualInfo:
    """A virtual desktop that runs: its display, the keeper's process, size, and the environment for programs."""

    display: str
    pid: int
    width: int
    height: int
    home: str = ""
    environment: dict[str, str] = field(default_factory=dict)
