"""Who a memory is for: the program that it drives, and the readable id that it goes by."""

from __future__ import annotations

import re
import secrets
import unicodedata
from pathlib import PurePath

from echostudio.episode.evidence import WindowFacts
from echostudio.episode.memory import AppIdentity
from echostudio.episode.run import Run

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_ID_WORDS = 3
_ID_LENGTH = 32
_TITLE_SEPARATOR = re.compile(r" [-–—] ")


def new_id(intent: str) -> str:
    """Return an id like ``save-two-lines-x7k2``: the intent's first words and four random characters."""
    plain = unicodedata.normalize("NFKD", intent).encode("ascii", "ignore").decode().casefold()
    words = "-".join(re.findall(r"[a-z0-9]+", plain)[:_ID_WORDS])[:_ID_LENGTH].strip("-")
    return f"{words or 'memory'}-{''.join(secrets.choice(_LETTERS) for _ in range(4))}"


def app_of(run: Run) -> AppIdentity:
    """Return the program that the run worked in: as its head says, else as its first step saw it."""
    window = run.manifest.app or next(
        (step.screen_before.window for step in run.steps if step.screen_before and step.screen_before.window), None
    )
    if window is None:
        return AppIdentity("", "")
    program = PurePath(window.program).name
    return AppIdentity(program, window.window_class, title_part(window, program), window.command)


def title_part(window: WindowFacts, program: str) -> str:
    """Return the part of a title that stays when the document changes: the last one, when it names the program."""
    parts = _TITLE_SEPARATOR.split(window.title)
    last = parts[-1].strip()
    names = [name.casefold() for name in (program, window.window_class) if name]
    if len(parts) == 1:
        return last if last.casefold() in names else ""
    return last if any(name in last.casefold() for name in names) else ""
