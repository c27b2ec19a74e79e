"""Checks that look at the titles of open windows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from echostudio.checks.kind import CheckKind, Finding, shortened
from echostudio.checks.world import World
from echostudio.errors import DesktopError


class WindowTitle(CheckKind):
    """Some open window's title holds a text."""

    kind: ClassVar[str] = "window_title"
    help: ClassVar[str] = "An open window has this text in its title."
    keys: ClassVar[Mapping[str, str]] = {"text": "what the title must hold"}

    def judge(self, parameters: Mapping[str, str], world: World) -> Finding:
        """Ask for all titles and look for the text."""
        wanted = parameters["text"]
        expected = f"a window title with “{shortened(wanted)}”"
        if not wanted:
            return Finding(None, expected, "", "There is no text to look for.")
        if world.titles is None:
            return Finding(None, expected, "no desktop", "Window titles cannot be told without a desktop.")
        try:
            titles = list(world.titles())
        except DesktopError as fault:
            return Finding(None, expected, "no desktop", f"Window titles cannot be told: {fault.sentence}")
        hit = next((title for title in titles if wanted in title), None)
        if hit is not None:
            return Finding(
                True, expected, f"“{shortened(hit, wanted)}”", f"A window is called “{shortened(hit, wanted)}”."
            )
        actual = shortened(", ".join(f"“{title}”" for title in titles) or "no windows", length=160)
        return Finding(False, expected, actual, f"No window has “{shortened(wanted)}” in its title.")
