"""Start, list, look at and end virtual desktops; open a desktop by its display."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from echostudio.desktop import host, virtual
from echostudio.desktop.controller import Desktop, DirectInput, DirectlyUsable, VirtualInfo
from echostudio.desktop.lock import DeskLock
from echostudio.episode.frame import Frame
from echostudio.errors import DesktopError


def up(width: int, height: int, *, home: Path | None = None, programs: Sequence[Sequence[str]] = ()) -> VirtualInfo:
    """Start a virtual desktop and return its display; it goes on until its keeper ends."""
    return virtual.start(width, height, home=home, programs=programs)


def down(display: str) -> None:
    """End a virtual desktop with everything on it."""
    virtual.stop(display)


def running() -> tuple[VirtualInfo, ...]:
    """Return the virtual desktops that run now."""
    return virtual.running()


def display_name(display: str | None) -> str:
    """Return the display that is meant; raise ``DesktopError`` when there is none."""
    chosen = display or os.environ.get("DISPLAY", "")
    if not chosen:
        raise DesktopError(
            "There is no display.", "Name one with --display, or start one: echostudio desktop up --size 1920x1080"
        )
    return chosen


@contextmanager
def opened(display: str | None) -> Iterator[Desktop]:
    """Open a desktop to look at it."""
    desktop = host.open_display(display_name(display))
    try:
        yield desktop
    finally:
        desktop.close()


@contextmanager
def driven(display: str | None, purpose: str) -> Iterator[Desktop]:
    """Open a desktop to record or drive it; raises ``DeskBusy`` when another process does."""
    with DeskLock(display_name(display), purpose), opened(display) as desktop:
        yield desktop


def picture(display: str) -> Frame:
    """Return what a desktop shows now."""
    with opened(display) as desktop:
        return desktop.grab()


def look(display: str) -> Desktop:
    """Open a desktop to show it for a while; whoever asked closes it."""
    return host.open_display(display_name(display))


def hand(desktop: Desktop) -> DirectInput | None:
    """Return a hand on a desktop, or None when it cannot be used from outside."""
    return desktop.direct_input() if isinstance(desktop, DirectlyUsable) else None


def launch(display: str, command: Sequence[str]) -> int:
    """Start a program on a desktop and return its process; raises ``DesktopError`` when it is not installed."""
    with opened(display) as desktop:
        return desktop.launch(command).pid
