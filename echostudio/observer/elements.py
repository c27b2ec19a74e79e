"""The structure of a screen as its accessible elements tell it, and how alike two such structures are."""

from __future__ import annotations

from echostudio.episode.structure import StructureTree, normalised, structure

__all__ = ["FEWEST_COUNTED", "StructureTree", "menu_part", "normalised", "similarity", "structure", "tells_enough"]

FEWEST_COUNTED = 3

_MENU_ITEMS = frozenset({"menu item", "check menu item", "radio menu item"})


def similarity(one: StructureTree, two: StructureTree) -> float:
    """Return the Jaccard similarity of two multisets of (role, name), 0 to 1; two empty ones are alike (1)."""
    first = {(role, name): count for role, name, count in one}
    second = {(role, name): count for role, name, count in two}
    keys = first.keys() | second.keys()
    if not keys:
        return 1.0
    common = sum(min(first.get(key, 0), second.get(key, 0)) for key in keys)
    union = sum(max(first.get(key, 0), second.get(key, 0)) for key in keys)
    return common / union


def menu_part(tree: StructureTree) -> StructureTree:
    """Return the menu items: what an open menu shows (some programs tell their menu bar as items too)."""
    return tuple(entry for entry in tree if entry[0] in _MENU_ITEMS)


def tells_enough(tree: StructureTree) -> bool:
    """Return whether the structure is evidence at all: fewer than three counted elements are none."""
    return sum(count for _, _, count in tree) >= FEWEST_COUNTED
