"""What of a screen's accessible elements counts as its structure: a multiset of (role, name), equal in every run.

Counted by role and name are the things a person steers by (menus, buttons, links, the *names* of entries); by role
only, at most six of a kind, those without a name and the containers of content. Everything else is content or
decoration and would differ between two visits to the same screen.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from echostudio.episode.evidence import ElementFacts

StructureTree = tuple[tuple[str, str, int], ...]

NAMED_ROLES = frozenset(
    {
        "menu",
        "menu item",
        "check menu item",
        "radio menu item",
        "push button",
        "toggle button",
        "radio button",
        "check box",
        "tool bar",
        "link",
        "heading",
        "entry",
        "password text",
        "text",
    }
)
COUNTED_ROLES = frozenset(
    {
        "combo box",
        "spin button",
        "slider",
        "table",
        "tree",
        "tree table",
        "list box",
        "page tab list",
        "document email",
        "document frame",
        "document presentation",
        "document spreadsheet",
        "document text",
        "document web",
        "dialog",
        "alert",
        "form",
    }
)
MOST_OF_A_KIND = 6
LONGEST_NAME = 60

_DROPPED = re.compile(r"[\d_&*…]|\.{2,}")
_SPACE = re.compile(r"\s+")


def normalised(name: str) -> str:
    """Return a name as structure compares it: case folded, without digits, ``_ & *`` and dots, 60 characters."""
    plain = _DROPPED.sub("", unicodedata.normalize("NFC", name))
    return _SPACE.sub(" ", plain).strip().casefold()[:LONGEST_NAME]


def structure(elements: Iterable[ElementFacts]) -> StructureTree:
    """Return the sorted multiset of (role, normalised name, count) of the elements that count."""
    counts: Counter[tuple[str, str]] = Counter()
    for element in elements:
        name = normalised(element.name) if element.role in NAMED_ROLES else ""
        if name or element.role in NAMED_ROLES or element.role in COUNTED_ROLES:
            counts[(element.role, name)] += 1
    return tuple(
        (role, name, count if name else min(count, MOST_OF_A_KIND)) for (role, name), count in sorted(counts.items())
    )
