"""Reading accessible trees: the showing elements of a window, the element at a place, the focused one.

Toolkits differ, as seen on real programs:

- GTK's own answer to "what is at this place" stops at a tab list, and the box of a tab is its handle, so the showing
  tab is entered whatever its box says.
- GTK 2 never calls the items of an open menu *showing*, and keeps their boxes after the menu closed; an open menu has
  the focus. GTK 3 marks it *selected*. Context menus and Qt's menus are showing, as windows or items of their own.
- A position of -2147483648 or a box without area means: not on the screen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from echostudio.desktop.atspi_bus import (
    ACCESSIBLE,
    CHILDREN,
    COMPONENT,
    EXTENTS,
    NAME,
    NOTHING,
    PROPERTIES,
    ROLE,
    STATE,
    Answer,
    AtspiBus,
    Question,
    Ref,
)
from echostudio.desktop.atspi_names import role_name, state_names
from echostudio.episode.evidence import ElementFacts
from echostudio.episode.geometry import DesktopBox, DesktopPoint

CLOSED_ROLES = frozenset(
    {
        "canvas",
        "document email",
        "document presentation",
        "document spreadsheet",
        "document text",
        "entry",
        "list box",
        "password text",
        "table",
        "terminal",
        "text",
        "tree",
        "tree table",
    }
)
_LEAVES = frozenset({"label", "static", "image", "icon", "text"})
_CONTROLS = frozenset(
    {
        "check box",
        "check menu item",
        "link",
        "menu",
        "menu item",
        "push button",
        "radio button",
        "radio menu item",
        "toggle button",
    }
)
_MENU_PARENTS = frozenset({"menu bar", "menu"})
_OPEN_MENU = frozenset({"selected", "focused", "expanded", "armed"})
_PARENT = Question(PROPERTIES, "Get", "ss", (ACCESSIBLE, "Parent"))
_MOST_CHILDREN = 400
_MOST_ICONS = 60
_DEEPEST = 40
_DEEPEST_AT_POINT = 8
_STEPS_UP = 3


@dataclass(frozen=True, slots=True)
class Node:
    """One accessible object as it was read."""

    ref: Ref
    facts: ElementFacts
    parent_role: str = ""

    @property
    def area(self) -> int:
        """How large it is; huge when its place is unknown."""
        box = self.facts.box
        return box.width * box.height if box is not None else 1 << 62

    def holds(self, point: DesktopPoint) -> bool:
        """Whether its box holds a place."""
        return self.facts.box is not None and self.facts.box.contains(point)


class _Place(NamedTuple):
    ref: Ref
    parent_role: str = ""
    in_open_menu: bool = False


class TreeReader:
    """Reads through one bus; nothing is kept between calls. All deadlines are monotonic seconds."""

    def __init__(self, bus: AtspiBus) -> None:
        self._bus = bus

    def children(self, ref: Ref, deadline: float) -> tuple[list[Ref], bool]:
        """Return the children of an object, and whether the question was answered."""
        answer = self._bus.ask([(ref, CHILDREN)], deadline)[0]
        return _refs(answer), answer is not None

    def read(self, refs: Sequence[Ref], deadline: float) -> list[Node | None]:
        """Read role, name, box and states of objects; None for those that gave no answer."""
        questions = [(ref, question) for ref in refs for question in (ROLE, STATE, NAME, EXTENTS)]
        answers = self._bus.ask(questions, deadline)
        return [_node(ref, answers[4 * place : 4 * place + 4]) for place, ref in enumerate(refs)]

    def walk(
        self, tops: Sequence[Ref], deadline: float, until: Callable[[Node], bool] | None = None
    ) -> tuple[list[Node], bool]:
        """Return the showing elements below (and with) the given windows, breadth first, and whether all were read.

        ``until`` ends the walk after the level in which it first held.
        """
        found: list[Node] = []
        level = [_Place(ref) for ref in tops]
        # The menu of an open combo box hangs in two places: below the box, and in a window of its own.
        seen = set(tops)
        for _ in range(_DEEPEST):
            nodes, below = self._level(level, deadline)
            found += nodes
            level = [place for place in below if place.ref not in seen]
            seen.update(place.ref for place in level)
            if time.monotonic() >= deadline:
                return found, False
            if not level or (until is not None and any(until(node) for node in nodes)):
                return found, True
        return found, False

    def at_point(self, top: Node, point: DesktopPoint, deadline: float) -> Node | None:
        """Return the innermost control of a window at a place, or None when the window shows nothing there."""
        seed = self._as_told(top, point, deadline)
        best, level = seed, [seed]
        for _ in range(_DEEPEST):
            level = self._holding(level, point, deadline)
            if not level:
                break
            inside = [node for node in level if node.holds(point) and node.area <= best.area]
            best = min(reversed(inside), key=lambda node: node.area, default=best)
        return self._control(best, point, deadline) if best.holds(point) else None

    def _as_told(self, top: Node, point: DesktopPoint, deadline: float) -> Node:
        """Follow the toolkit's own answer as far down as it goes and shows."""
        question = Question(COMPONENT, "GetAccessibleAtPoint", "iiu", (point.x, point.y, 0))
        here = top
        for _ in range(_DEEPEST_AT_POINT):
            answer = self._bus.ask([(here.ref, question)], deadline)[0]
            inner = _refs(([answer[0]],)) if answer else []
            if not inner or inner[0] == here.ref:
                break
            node = self.read(inner, deadline)[0]
            if node is None or "showing" not in node.facts.states or not node.holds(point):
                break
            here = node
        return here

    def _holding(self, parents: Sequence[Node], point: DesktopPoint, deadline: float) -> list[Node]:
        refs: list[Ref] = []
        for parent in parents:
            if _enterable(parent):
                children, _ = self.children(parent.ref, deadline)
                refs += children[:_MOST_CHILDREN]
        nodes = [node for node in self.read(refs, deadline) if node is not None and "showing" in node.facts.states]
        return [node for node in nodes if node.holds(point) or node.facts.role == "page tab"]

    def _control(self, node: Node, point: DesktopPoint, deadline: float) -> Node:
        """Return the button, link or item that a label or picture is a part of, else the node itself."""
        if node.facts.role not in _LEAVES or "editable" in node.facts.states:
            return node
        here = node
        for _ in range(_STEPS_UP):
            answer = self._bus.ask([(here.ref, _PARENT)], deadline)[0]
            above = self.read(_refs(([answer[0][1]],)) if answer else [], deadline)
            if not above or above[0] is None or not above[0].holds(point):
                break
            here = above[0]
            if here.facts.role in _CONTROLS and here.facts.name:
                return here
        return node

    def _level(self, level: Sequence[_Place], deadline: float) -> tuple[list[Node], list[_Place]]:
        """Read a level in two questions: first what shows at all, then the rest about that; and what lies below."""
        kept = self._kept(level, deadline)
        questions = [
            (place.ref, question)
            for place, head in kept
            for question in (NAME, EXTENTS, *((CHILDREN,) if _enterable(head) else ()))
        ]
        answers = iter(self._bus.ask(questions, deadline))
        nodes: list[Node] = []
        below: list[_Place] = []
        for _, head in kept:
            node = _with(head, next(answers), next(answers))
            children = _refs(next(answers)) if _enterable(head) else []
            if node.facts.box is None and "showing" not in node.facts.states:
                continue
            nodes.append(node)
            if not _closed_menu(node) and not (node.facts.role == "layered pane" and len(children) > _MOST_ICONS):
                open_menu = node.facts.role == "menu" and bool(_OPEN_MENU.intersection(node.facts.states))
                below += [_Place(child, node.facts.role, open_menu) for child in children[:_MOST_CHILDREN]]
        return nodes, below

    def _kept(self, level: Sequence[_Place], deadline: float) -> list[tuple[_Place, Node]]:
        answers = self._bus.ask([(place.ref, question) for place in level for question in (ROLE, STATE)], deadline)
        kept: list[tuple[_Place, Node]] = []
        for number, place in enumerate(level):
            head = _node(place.ref, [*answers[2 * number : 2 * number + 2], None, None], place.parent_role)
            if head is None:
                continue
            if "showing" in head.facts.states or (place.in_open_menu and "visible" in head.facts.states):
                kept.append((place, head))
        return kept


def innermost(nodes: Iterable[Node], point: DesktopPoint) -> Node | None:
    """Return the smallest node that holds a place; the later one of equals."""
    inside = [node for node in nodes if node.holds(point)]
    return min(reversed(inside), key=lambda node: node.area, default=None)


def _enterable(node: Node) -> bool:
    return node.facts.role not in CLOSED_ROLES and "manages descendants" not in node.facts.states


def _closed_menu(node: Node) -> bool:
    return (
        node.facts.role == "menu"
        and node.parent_role in _MENU_PARENTS
        and not _OPEN_MENU.intersection(node.facts.states)
    )


def _node(ref: Ref, answers: Sequence[Answer], parent_role: str = "") -> Node | None:
    role, state, name, extents = answers
    if not role or not state:
        return None
    head = Node(ref, ElementFacts(role_name(int(role[0])), "", None, state_names(state[0])), parent_role)
    return _with(head, name, extents)


def _with(head: Node, name: Answer, extents: Answer) -> Node:
    words = str(name[0][1]).strip() if name else ""
    return replace(head, facts=replace(head.facts, name=words, box=_box(extents)))


def _box(answer: Answer) -> DesktopBox | None:
    if not answer:
        return None
    x, y, width, height = answer[0]
    if width <= 0 or height <= 0 or min(x, y) <= -(1 << 30) or (x, y, width, height) == (-1, -1, -1, -1):
        return None
    return DesktopBox(int(x), int(y), int(width), int(height))


def _refs(answer: Answer) -> list[Ref]:
    return [Ref(bus, path) for bus, path in answer[0] if path and path != NOTHING] if answer else []
