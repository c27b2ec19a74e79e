"""What the program itself says about a place: accessible elements as corroboration, never as the only evidence."""

from __future__ import annotations

import unicodedata

from echostudio.episode.evidence import ElementFacts

_GROUPS = (
    ("button", "push button", "toggle button", "split button", "push button menu", "link button"),
    ("check", "check box", "check menu item", "switch"),
    ("radio", "radio button", "radio menu item"),
    ("menu", "menu", "menu item", "tearoff menu item", "popup menu"),
    ("text", "text", "entry", "password text", "document text", "document web", "document frame", "terminal",
     "paragraph", "spin button", "editbar", "autocomplete", "document spreadsheet", "document email"),
    ("choice", "combo box", "drop down list box"),
    ("row", "list item", "table cell", "table row", "tree item", "tree table", "cell", "icon", "table row header",
     "table column header", "row header", "column header"),
    ("tab", "page tab"),
    ("label", "label", "static", "caption", "heading", "link"),
)  # fmt: skip
_GROUP_OF = {role: group[0] for group in _GROUPS for role in group[1:]}


def role_group(role: str) -> str:
    """The group of roles that toolkits name differently for the same thing; an unknown role is its own group."""
    plain = " ".join(role.replace("_", " ").replace("-", " ").casefold().split())
    return _GROUP_OF.get(plain, plain)


def same_name(one: str, other: str) -> bool:
    """Whether two names are equal after NFC and folding of white space; case counts."""
    return _folded(one) == _folded(other)


def contradiction(recorded: ElementFacts | None, found: ElementFacts | None) -> str:
    """Why the found element cannot be the recorded one, in words; empty when it may be.

    Only elements that are named both times can contradict. Entries and documents are named after their content by
    many programs, so their names do not count.
    """
    if recorded is None or found is None or not _folded(recorded.name) or not _folded(found.name):
        return ""
    if role_group(recorded.role) != role_group(found.role):
        return f'the program says it is a {found.role} "{found.name}", not the {recorded.role} "{recorded.name}"'
    if role_group(recorded.role) != "text" and not same_name(recorded.name, found.name):
        return f'the program calls it "{found.name}", not "{recorded.name}"'
    return ""


def agrees(recorded: ElementFacts | None, found: ElementFacts | None) -> bool:
    """Whether both elements are named and are the same by role group and name."""
    return (
        recorded is not None
        and found is not None
        and bool(_folded(recorded.name))
        and role_group(recorded.role) == role_group(found.role)
        and same_name(recorded.name, found.name)
    )


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name).split())
