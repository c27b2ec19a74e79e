"""Reading a file for a check: bounded, never blocking on something that is not a file, any bytes."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

LIMIT = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Text:
    """A file's text (UTF-8, wrong bytes replaced, line ends as ``\\n``); ``whole`` is False when it was cut."""

    text: str
    whole: bool


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a file has no text; ``known`` tells a plain absence from something that cannot be judged."""

    reason: str
    known: bool


def what_is(path: Path) -> str:
    """Return what stands at a path: ``a file of 12 bytes``, ``a folder``, ``no such file`` or the system's words."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return "no such file"
    except (OSError, ValueError) as fault:
        return _words(fault)
    if stat.S_ISREG(found.st_mode):
        return f"a file of {found.st_size} byte{'' if found.st_size == 1 else 's'}"
    return "a folder" if stat.S_ISDIR(found.st_mode) else "not a plain file"


def is_known(what: str) -> bool:
    """Whether ``what_is`` could tell what stands there."""
    return what in ("no such file", "a folder", "not a plain file") or what.startswith("a file of ")


def read_text(path: Path, limit: int = LIMIT) -> Text | Unreadable:
    """Return the text of a plain file, at most ``limit`` bytes of it."""
    what = what_is(path)
    if not what.startswith("a file of "):
        return Unreadable(what, is_known(what))
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as stream:
            data = stream.read(limit + 1)
    except OSError as fault:
        return Unreadable(_words(fault), known=False)
    text = data[:limit].decode("utf-8-sig", errors="replace")
    return Text(text.replace("\r\n", "\n"), len(data) <= limit)


def _words(fault: OSError | ValueError) -> str:
    return f"not readable: {fault.strerror or fault}" if isinstance(fault, OSError) else "not a possible path"
