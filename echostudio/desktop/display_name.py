"""Names of X displays: every spelling of one display gives one name."""

from __future__ import annotations

import re

_PATTERN = re.compile(r"^(?:(?:tcp|unix)/)?(?P<host>[^:]*):(?P<number>[0-9]+)(?:\.[0-9]+)?$")
_LOCAL = frozenset({"", "unix", "localhost", "127.0.0.1", "ip6-localhost"})


def normalise(display: str) -> str:
    """Return ``:5`` for ``:5``, ``:5.0``, ``unix/:5`` and ``localhost:5.0``; other hosts keep their name.

    A text that is no display name comes back stripped and otherwise unchanged.
    """
    match = _PATTERN.match(display.strip())
    if match is None:
        return display.strip()
    host = match["host"].lower()
    return f"{'' if host in _LOCAL else host}:{int(match['number'])}"


def local_number(display: str) -> int | None:
    """Return the number of a display of this machine, or None for other hosts and malformed names."""
    match = _PATTERN.match(display.strip())
    if match is None or match["host"].lower() not in _LOCAL:
        return None
    return int(match["number"])
