"""Which program: exact after normalising, by file name and window class; titles only by their stable part."""

from __future__ import annotations

import re
from collections.abc import Sequence

from echostudio.episode.evidence import WindowFacts
from echostudio.episode.memory import AppIdentity


def normalised(name: str) -> str:
    """Fold case, drop an ending like ``.bin`` or ``.exe`` and a trailing version such as ``-2.10``."""
    name = name.rsplit("/", 1)[-1].casefold().strip()
    name = re.sub(r"\.(bin|exe)$", "", name)
    return re.sub(r"[-_ ]?\d+(\.\d+)*$", "", name)


def same_program(app: AppIdentity, window: WindowFacts) -> bool:
    """Whether a window belongs to the memory's program; a fact that either side lacks does not count."""
    pairs = [(app.program, window.program), (app.window_class, window.window_class)]
    known = [(normalised(one), normalised(two)) for one, two in pairs if one and two]
    if not known or any(one != two for one, two in known):
        return False
    return not app.title_part or app.title_part.casefold() in window.title.casefold() or window.dialog or window.popup


def matching_windows(app: AppIdentity, windows: Sequence[WindowFacts]) -> tuple[WindowFacts, ...]:
    """Return the program's main windows (no dialogs, no popups), topmost first."""
    return tuple(w for w in windows if not w.dialog and not w.popup and same_program(app, w))
