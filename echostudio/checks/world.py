"""The world that checks look at: a working folder, a home, and the titles of open windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class World:
    """Where relative paths lie, how open windows are asked for, and whose ``~`` counts.

    ``folder`` None means the home; ``titles`` None means that nobody can tell the windows; ``home`` None means the
    person's own home (a rehearsal has a throwaway one).
    """

    folder: Path | None = None
    titles: Callable[[], Sequence[str]] | None = None
    home: Path | None = None

    def resolve(self, path: str) -> Path:
        """Return the absolute path that a check's ``path`` means; ``~`` is the home, the rest lies in the folder."""
        home = self.home or Path.home()
        if path == "~" or path.startswith(("~/", "~\\")):
            return home / path[2:]
        return (self.folder or home) / path
