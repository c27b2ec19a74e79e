"""Opening a desktop by its display, and saying what is missing when that is not possible."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from echostudio.desktop import virtual
from echostudio.desktop.connection import NO_DISPLAY_HINT, Connection
from echostudio.desktop.controller import Desktop
from echostudio.desktop.display_name import normalise
from echostudio.desktop.x11 import X11Desktop
from echostudio.errors import DesktopError

WAYLAND_SENTENCE = (
    "This is a Wayland session: other programs' windows cannot be seen or driven from outside. "
    "Only programs that run through XWayland would take part, so a recording would be blind to the rest."
)


def session_type(environment: Mapping[str, str] | None = None) -> str:
    """Return ``wayland``, ``x11`` or ``none`` for the session that this process belongs to."""
    names = os.environ if environment is None else environment
    if names.get("WAYLAND_DISPLAY") or names.get("XDG_SESSION_TYPE", "").lower() == "wayland":
        return "wayland"
    return "x11" if names.get("DISPLAY") else "none"


def open_display(display: str | None) -> Desktop:
    """Open the desktop of a display, ``$DISPLAY`` when None.

    Raises ``DesktopError`` with what is missing and how to get it: no display, a Wayland session, no such server.
    """
    named = display or os.environ.get("DISPLAY", "")
    known = virtual.info(named) if named and sys.platform == "linux" else None
    if known is not None:
        return X11Desktop(known.display, "virtual", known.environment)
    if display is None and session_type() == "wayland":
        raise DesktopError(WAYLAND_SENTENCE, NO_DISPLAY_HINT)
    if not named:
        raise DesktopError("No display was named and DISPLAY is not set.", NO_DISPLAY_HINT)
    _refuse_xwayland(named)
    return X11Desktop(normalise(named), "host")


def _refuse_xwayland(display: str) -> None:
    """Raise ``DesktopError`` when the X server is only the X side of a Wayland session."""
    connection = Connection(display)
    try:
        with connection.use() as opened:
            if opened.query_extension("XWAYLAND"):
                raise DesktopError(WAYLAND_SENTENCE, NO_DISPLAY_HINT)
            root = opened.screen().root
            monitors = root.xrandr_get_monitors().monitors if hasattr(root, "xrandr_get_monitors") else ()
            if any(opened.get_atom_name(one.name).startswith("XWAYLAND") for one in monitors):
                raise DesktopError(WAYLAND_SENTENCE, NO_DISPLAY_HINT)
    finally:
        connection.close()
