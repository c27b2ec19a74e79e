"""What programs tell about their own elements, through AT-SPI, for one X display.

Nothing here raises for a program that is silent, slow or gone: the answer is None or empty. The bus is the one that
the display's root window names (``AT_SPI_BUS``), since programs follow that property too; when it changes, the
connection changes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from Xlib import X
from Xlib.display import Display
from Xlib.error import BadWindow

from echostudio.cancel import CancelToken, Clock, SystemClock
from echostudio.desktop.atspi_bus import CHILDREN, REGISTRY, TEXT, AtspiBus, BusLost, Question, Ref
from echostudio.desktop.atspi_tree import Node, TreeReader, innermost
from echostudio.desktop.connection import Connection
from echostudio.desktop.windows import WindowReader
from echostudio.episode.evidence import ElementFacts, WindowFacts
from echostudio.episode.geometry import DesktopBox, DesktopPoint
from echostudio.errors import DesktopError

PASSWORD_ROLE = "password text"
QUERY_SECONDS = 0.5
TREE_SECONDS = 0.35
LATE_TRIES = 4
LATE_PAUSE = 0.25
LONGEST_TEXT = 100_000
_LEAST_OVERLAP = 0.5
_DEEPEST_WINDOW = 6
_ATSPI_PROPERTY_LENGTH = 1024

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Tree:
    """The showing elements of a window, outermost first; not ``complete`` when time ran out before the end."""

    elements: tuple[ElementFacts, ...] = ()
    complete: bool = False


class Accessibility:
    """The accessible elements of one display. Calls from several threads wait for each other.

    Toolkits may join the bus late: a program that is not there yet is asked for again, up to four times, 250 ms
    apart, once per process.
    """

    def __init__(self, display: str, clock: Clock | None = None) -> None:
        self._display = display
        self._clock = clock or SystemClock()
        self._lock = threading.RLock()
        self._x: Connection | None = None
        self._bus: AtspiBus | None = None
        self._processes: dict[str, int] = {}
        self._silent: set[int] = set()

    def element_at(self, point: DesktopPoint, window: WindowFacts | None = None) -> ElementFacts | None:
        """Return the innermost control at a place, items of open menus included.

        Without ``window`` it is the topmost one at that place; a place on a title bar or the bare desktop gives None.
        """
        return self._safely(lambda bus: self._element_at(bus, point, window), None)

    def focused(self, window: WindowFacts | None = None) -> ElementFacts | None:
        """Return the element with the keyboard focus in a window, the active one by default."""
        node = self._safely(lambda bus: self._focused(bus, window), None)
        return node.facts if node is not None else None

    def elements(self, window: WindowFacts) -> tuple[ElementFacts, ...]:
        """Return the showing elements of a window and its open menus: what was read within 350 ms."""
        return self.tree(window).elements

    def tree(self, window: WindowFacts) -> Tree:
        """Return the showing elements of a window and its open menus, and whether that is all of them."""
        return self._safely(lambda bus: self._tree(bus, window), Tree())

    def text_of_focused(self, window: WindowFacts | None = None) -> str | None:
        """Return the text of the focused element, at most 100,000 characters; None for passwords and non-text."""
        return self._safely(lambda bus: self._text(bus, window), None)

    def close(self) -> None:
        """Let go of both connections."""
        with self._lock:
            self._drop_bus()
            if self._x is not None:
                self._x.close()
                self._x = None

    # Questions

    def _element_at(self, bus: AtspiBus, point: DesktopPoint, window: WindowFacts | None) -> ElementFacts | None:
        window = window or self._window_at(point)
        if window is None:
            return None
        tops = self._tops(bus, window, patient=True)
        reader, deadline = TreeReader(bus), time.monotonic() + QUERY_SECONDS
        if window.popup:
            return self._in_popup(reader, tops, point, deadline)
        top = _best_match(tops, window.box)
        node = reader.at_point(top, point, deadline) if top is not None else None
        return node.facts if node is not None else None

    def _in_popup(
        self, reader: TreeReader, tops: list[Node], point: DesktopPoint, deadline: float
    ) -> ElementFacts | None:
        """Look for an item of an open menu: in popup windows that the program tells, else below its menu bars."""
        own = [top for top in tops if top.facts.role in {"window", "popup menu", "menu"} and top.holds(point)]
        nodes, _ = reader.walk([top.ref for top in own or tops], deadline)
        items = (node for node in nodes if own or _in_menu(node))
        node = innermost((node for node in items if node.facts.role != "menu bar"), point)
        if node is None:
            return None
        # The rows of Qt's combo boxes are told only when asked by place.
        return (reader.at_point(node, point, deadline) or node).facts

    def _tree(self, bus: AtspiBus, window: WindowFacts) -> Tree:
        tops = self._tops(bus, window, patient=True)
        top = _best_match(tops, window.box)
        if top is None:
            return Tree()
        menus = [other.ref for other in tops if other.facts.role in {"window", "popup menu"} and other is not top]
        nodes, complete = TreeReader(bus).walk([top.ref, *menus], time.monotonic() + TREE_SECONDS)
        return Tree(tuple(node.facts for node in nodes), complete)

    def _focused(self, bus: AtspiBus, window: WindowFacts | None) -> Node | None:
        window = window or self._active_window()
        top = _best_match(self._tops(bus, window, patient=False), window.box) if window is not None else None
        if top is None:
            return None
        nodes, _ = TreeReader(bus).walk([top.ref], time.monotonic() + TREE_SECONDS, until=_takes_keys)
        return next((node for node in nodes if _takes_keys(node)), None)

    def _text(self, bus: AtspiBus, window: WindowFacts | None) -> str | None:
        node = self._focused(bus, window)
        if node is None or node.facts.role == PASSWORD_ROLE:
            return None
        answer = bus.call(node.ref, Question(TEXT, "GetText", "ii", (0, LONGEST_TEXT)))
        return str(answer[0]) if answer else None

    # Programs and windows

    def _tops(self, bus: AtspiBus, window: WindowFacts, *, patient: bool) -> list[Node]:
        """Return the showing top-level objects of the window's program; of all programs when it is not known."""
        tries = LATE_TRIES if patient and window.pid not in self._silent else 1
        for attempt in range(tries):
            if attempt:
                self._clock.sleep(LATE_PAUSE, CancelToken())
            tops = self._tops_now(bus, window.pid)
            if tops is None:
                return []
            if tops:
                self._silent.discard(window.pid)
                return tops
        if patient:
            self._silent.add(window.pid)
        return []

    def _tops_now(self, bus: AtspiBus, pid: int) -> list[Node] | None:
        """Return what is there now; None when the program is on the bus but does not answer: waiting helps nobody."""
        reader, deadline = TreeReader(bus), time.monotonic() + QUERY_SECONDS
        programs, _ = reader.children(REGISTRY, deadline)
        wanted = [ref for ref in programs if pid == 0 or self._process_of(bus, ref) == pid]
        answers = bus.ask([(ref, CHILDREN) for ref in wanted], deadline)
        if wanted and not any(answers):
            return None
        refs = [Ref(*child) for answer in answers if answer for child in answer[0]]
        nodes = (node for node in reader.read(refs, deadline) if node is not None)
        return [node for node in nodes if "showing" in node.facts.states and node.facts.box is not None]

    def _process_of(self, bus: AtspiBus, ref: Ref) -> int:
        if ref.bus not in self._processes:
            self._processes[ref.bus] = bus.process_of(ref.bus)
        return self._processes[ref.bus]

    def _active_window(self) -> WindowFacts | None:
        return WindowReader(self._connection(), self._clock).active()

    def _window_at(self, point: DesktopPoint) -> WindowFacts | None:
        connection = self._connection()
        with connection.use() as display:
            under = _windows_under(display, point)
        reader = WindowReader(connection, self._clock)
        known = next((window for window in reader.all() if window.handle in under), None)
        if known is not None or not under:
            return known
        # The list of a combo box is no popup among the window facts, yet it lies over its window.
        with connection.use() as display:
            unmanaged = _unmanaged(display, under[0])
        active = reader.active() if unmanaged else None
        return replace(active, popup=True) if active is not None else None

    # Connections

    def _safely(self, question: Callable[[AtspiBus], _Found], otherwise: _Found) -> _Found:
        """Ask on the present bus; once more on a new connection when the old one broke on the way."""
        with self._lock:
            for _ in range(2):
                try:
                    bus = self._present_bus()
                    return question(bus) if bus is not None else otherwise
                except BusLost:
                    self._drop_bus()
                except DesktopError:
                    self.close()
                    return otherwise
            return otherwise

    def _present_bus(self) -> AtspiBus | None:
        address = self._address()
        if self._bus is not None and self._bus.address != address:
            self._drop_bus()
        if self._bus is None and address:
            self._bus = AtspiBus(address)
        return self._bus

    def _drop_bus(self) -> None:
        if self._bus is not None:
            self._bus.close()
        self._bus = None
        self._processes.clear()
        self._silent.clear()

    def _connection(self) -> Connection:
        if self._x is None:
            self._x = Connection(self._display)
        return self._x

    def _address(self) -> str:
        with self._connection().root() as root:
            atom = root.display.get_atom("AT_SPI_BUS")
            found = root.get_property(atom, X.AnyPropertyType, 0, _ATSPI_PROPERTY_LENGTH)
        value = found.value if found is not None else b""
        return value.decode("ascii", "replace") if isinstance(value, bytes) else str(value)


def _in_menu(node: Node) -> bool:
    return "menu" in node.facts.role or "menu" in node.parent_role or node.parent_role == "combo box"


def _takes_keys(node: Node) -> bool:
    # Qt calls the tab of the page that holds the focus focused as well.
    return "focused" in node.facts.states and node.facts.role not in {"page tab", "frame", "dialog"}


def _best_match(tops: list[Node], box: DesktopBox) -> Node | None:
    """Return the top-level object whose box covers a window's box best; frames may or may not include the border."""
    scored = [(_overlap(top.facts.box, box), top) for top in tops if top.facts.box is not None]
    good = [pair for pair in scored if pair[0] >= _LEAST_OVERLAP]
    return max(good, key=lambda pair: pair[0])[1] if good else None


def _overlap(one: DesktopBox, two: DesktopBox) -> float:
    """Common area of two boxes over their united area."""
    across = min(one.x + one.width, two.x + two.width) - max(one.x, two.x)
    down = min(one.y + one.height, two.y + two.height) - max(one.y, two.y)
    common = max(0, across) * max(0, down)
    return common / (one.width * one.height + two.width * two.height - common)


def _windows_under(display: Display, point: DesktopPoint) -> tuple[int, ...]:
    """Return the X windows at a place, from the topmost child of the root inwards."""
    root = display.screen().root
    under: list[int] = []
    here = root
    for _ in range(_DEEPEST_WINDOW):
        child = here.translate_coords(root, point.x, point.y).child
        if not child:
            break
        here = child if hasattr(child, "id") else display.create_resource_object("window", child)
        under.append(here.id)
    return tuple(under)


def _unmanaged(display: Display, handle: int) -> bool:
    try:
        window = display.create_resource_object("window", handle)
        return bool(window.get_attributes().override_redirect)
    except BadWindow:
        return False
