"""Facts about the windows of an X display, straight from the window properties."""

from __future__ import annotations

from dataclasses import dataclass

import psutil
from Xlib import X, Xatom
from Xlib import error as xerror
from Xlib.display import Display
from Xlib.ext import res
from Xlib.protocol import event
from Xlib.xobject.drawable import Window

from echostudio.cancel import CancelToken, Clock, wait_until
from echostudio.desktop.connection import Connection
from echostudio.episode.evidence import WindowFacts
from echostudio.episode.geometry import DesktopBox
from echostudio.errors import DesktopError

_MENU_TYPES = frozenset({"_NET_WM_WINDOW_TYPE_POPUP_MENU", "_NET_WM_WINDOW_TYPE_DROPDOWN_MENU"})
_NO_POPUP_TYPES = frozenset(
    {
        "_NET_WM_WINDOW_TYPE_TOOLTIP",
        "_NET_WM_WINDOW_TYPE_NOTIFICATION",
        "_NET_WM_WINDOW_TYPE_COMBO",
        "_NET_WM_WINDOW_TYPE_DND",
        "_NET_WM_WINDOW_TYPE_DESKTOP",
        "_NET_WM_WINDOW_TYPE_DOCK",
    }
)
_DIALOG_TYPE = "_NET_WM_WINDOW_TYPE_DIALOG"
_BACKGROUND_TYPES = frozenset({"_NET_WM_WINDOW_TYPE_DESKTOP", "_NET_WM_WINDOW_TYPE_DOCK"})
_SMALLEST_POPUP = 20
_RAISE_SECONDS = 3.0
_FROM_PAGER = 2
_STATE_REMOVE = 0
_MOVE_AND_RESIZE = 0xF00
_LONGEST_PROPERTY = 65536


def is_popup(types: tuple[str, ...], width: int, height: int) -> bool:
    """Whether an override-redirect window is a popup that changes what the person can do.

    Menus that say so count at any size, tooltips and the like never, the rest from 20x20 pixels on.
    """
    if _MENU_TYPES.intersection(types):
        return True
    if _NO_POPUP_TYPES.intersection(types):
        return False
    return width >= _SMALLEST_POPUP and height >= _SMALLEST_POPUP


@dataclass(frozen=True, slots=True)
class _Process:
    program: str = ""
    command: tuple[str, ...] = ()


class WindowReader:
    """Reads windows through one connection."""

    def __init__(self, connection: Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._names: dict[int, str] = {}

    def active(self) -> WindowFacts | None:
        """Return the active top-level window, or None when none is active or the keys do not go there yet."""
        with self._connection.use() as display:
            handle = self._active_handle(display)
            return self._facts(display, handle) if handle and self._has_keys(display, handle) else None

    def all(self) -> tuple[WindowFacts, ...]:
        """Return the visible top-level windows, topmost first, popups included."""
        found: list[WindowFacts] = []
        with self._connection.use() as display:
            tops = [child.id for child in reversed(display.screen().root.query_tree().children)]
            clients = self._clients_by_top(display, frozenset(tops))
            for top in tops:
                facts = self._facts_of_top(display, top, clients)
                if facts is not None:
                    found.append(facts)
        return tuple(found)

    def raise_window(self, window: WindowFacts) -> None:
        """Bring a window to the front and give it the focus; a dialog of that window may take it.

        Raises ``DesktopError`` when the window is gone or does not become active.
        """
        with self._connection.use() as display:
            if self._facts(display, window.handle) is None:
                raise DesktopError(f"The window {window.title!r} is gone.", "Open it again.")
            if self._managed(display):
                numbers = [_FROM_PAGER, X.CurrentTime, 0, 0, 0]
                self._ask_manager(display, window.handle, "_NET_ACTIVE_WINDOW", numbers)
            else:
                self._raise_alone(display, window.handle)
        if not wait_until(
            lambda: self._is_active(window.handle), self._clock, CancelToken(), _RAISE_SECONDS, interval=0.01
        ):
            raise DesktopError(
                f"The window {window.title!r} did not come to the front.",
                "Another window may hold the focus; close it and try again.",
            )

    def place(self, window: WindowFacts, box: DesktopBox) -> None:
        """Move and resize a window's client area and wait until it is there.

        A window that has a smallest size or grows in steps comes as close as it can. Raises ``DesktopError`` when it
        is gone or does not move.
        """
        with self._connection.use() as display:
            if self._facts(display, window.handle) is None:
                raise DesktopError(f"The window {window.title!r} is gone.", "Open it again.")
            wanted = self._allowed(display, window.handle, box)
            if self._managed(display):
                maximised = [display.intern_atom(f"_NET_WM_STATE_MAXIMIZED_{way}") for way in ("VERT", "HORZ")]
                self._ask_manager(display, window.handle, "_NET_WM_STATE", [_STATE_REMOVE, *maximised, _FROM_PAGER, 0])
                flags = X.StaticGravity | _MOVE_AND_RESIZE | _FROM_PAGER << 12
                numbers = [flags, wanted.x, wanted.y, wanted.width, wanted.height]
                self._ask_manager(display, window.handle, "_NET_MOVERESIZE_WINDOW", numbers)
            else:
                _window(display, window.handle).configure(x=box.x, y=box.y, width=wanted.width, height=wanted.height)
                display.sync()
        if not wait_until(
            lambda: self._is_at(window.handle, wanted), self._clock, CancelToken(), _RAISE_SECONDS, interval=0.01
        ):
            raise DesktopError(f"The window {window.title!r} did not take its place.", "It may not allow that size.")

    def _is_at(self, handle: int, box: DesktopBox) -> bool:
        with self._connection.use() as display:
            facts = self._facts(display, handle)
            return facts is not None and facts.box == box

    def _allowed(self, display: Display, handle: int, box: DesktopBox) -> DesktopBox:
        """Return the nearest box that the window's size hints allow."""
        hints = _window(display, handle).get_wm_normal_hints()
        if hints is None:
            return box
        width = stepped(box.width, hints.base_width, hints.width_inc, hints.min_width, hints.max_width)
        height = stepped(box.height, hints.base_height, hints.height_inc, hints.min_height, hints.max_height)
        return DesktopBox(box.x, box.y, width, height)

    def _managed(self, display: Display) -> bool:
        return bool(self._property(display, display.screen().root.id, "_NET_SUPPORTING_WM_CHECK"))

    def _ask_manager(self, display: Display, handle: int, request: str, numbers: list[int]) -> None:
        message = event.ClientMessage(
            window=handle,
            client_type=display.intern_atom(request),
            data=(32, [number & 0xFFFFFFFF for number in numbers]),
        )
        root = display.screen().root
        root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        display.sync()

    def _raise_alone(self, display: Display, handle: int) -> None:
        window = _window(display, handle)
        window.configure(stack_mode=X.Above)
        window.set_input_focus(X.RevertToParent, X.CurrentTime)
        display.sync()

    def _is_active(self, handle: int) -> bool:
        with self._connection.use() as display:
            active = self._active_handle(display)
            if active != handle and handle not in (self._property(display, active, "WM_TRANSIENT_FOR") or ()):
                return False
            return self._has_keys(display, active)

    def _has_keys(self, display: Display, active: int) -> bool:
        """Whether keys go to the active window or a popup of it.

        A window manager names the active window some milliseconds before the focus is really there; keys sent in
        between are lost.
        """
        focus = display.get_input_focus().focus
        if not hasattr(focus, "id"):
            return bool(focus == X.PointerRoot) and not self._managed(display)
        root = display.screen().root
        if focus.id in (active, root.id):
            return bool(focus.id == active)
        top = self._top_of(display, focus.id, root.id)
        if top == self._top_of(display, active, root.id):
            return True
        tops = frozenset(child.id for child in root.query_tree().children)
        facts = self._facts_of_top(display, top, self._clients_by_top(display, tops)) if top else None
        # A popup of another process is, for example, the frame of a window that has just died.
        return facts is not None and facts.popup and facts.pid == self._pid(display, active)

    def _active_handle(self, display: Display) -> int:
        root = display.screen().root
        named = self._property(display, root.id, "_NET_ACTIVE_WINDOW")
        if named is not None or self._managed(display):
            return named[0] if named else 0
        # No window manager: the top-level window around the focus.
        focus = display.get_input_focus().focus
        return self._top_of(display, focus.id, root.id) if hasattr(focus, "id") else 0

    def _top_of(self, display: Display, handle: int, root: int) -> int:
        """Return the child of the root that holds a window; 0 when it is gone."""
        while handle and handle != root:
            try:
                parent = _window(display, handle).query_tree().parent
            except xerror.BadWindow:
                return 0
            if not parent or parent.id == root:
                return handle
            handle = parent.id
        return 0

    def _clients_by_top(self, display: Display, tops: frozenset[int]) -> dict[int, int]:
        """Map each child of the root that frames a managed window to that window."""
        root = display.screen().root.id
        listed = self._property(display, root, "_NET_CLIENT_LIST") or ()
        pairs = ((client if client in tops else self._top_of(display, client, root), client) for client in listed)
        return {top: client for top, client in pairs if top}

    def _facts_of_top(self, display: Display, top: int, clients: dict[int, int]) -> WindowFacts | None:
        handle = clients.get(top, top)
        try:
            attributes = _window(display, handle).get_attributes()
        except xerror.BadWindow:
            return None
        if attributes.map_state != X.IsViewable or attributes.win_class == X.InputOnly:
            return None
        if top in clients or not attributes.override_redirect:
            managed = top in clients or self._is_application(display, handle)
            return self._facts(display, handle) if managed else None
        facts = self._facts(display, handle, popup=True)
        if facts is None or not self._on_screen(display, facts.box):
            return None
        return facts if is_popup(self._types(display, handle), facts.box.width, facts.box.height) else None

    def _is_application(self, display: Display, handle: int) -> bool:
        """Whether an unmanaged child of the root is a program's window rather than a window manager's part."""
        return self._property(display, handle, "WM_CLASS") is not None

    def _on_screen(self, display: Display, box: DesktopBox) -> bool:
        screen = display.screen().root.get_geometry()
        return box.x < screen.width and box.y < screen.height and box.x + box.width > 0 and box.y + box.height > 0

    def _facts(self, display: Display, handle: int, *, popup: bool = False) -> WindowFacts | None:
        try:
            box = self._box(display, handle)
            types = self._types(display, handle)
            if _BACKGROUND_TYPES.intersection(types):
                return None
            pid = self._pid(display, handle)
            process = _process(pid)
            transient = bool(self._property(display, handle, "WM_TRANSIENT_FOR"))
            return WindowFacts(
                program=process.program,
                window_class=self._class(display, handle),
                title=self._title(display, handle),
                box=box,
                pid=pid,
                handle=handle,
                dialog=not popup and (_DIALOG_TYPE in types or (not types and transient)),
                modal="_NET_WM_STATE_MODAL" in self._atoms(display, handle, "_NET_WM_STATE"),
                popup=popup,
                command=process.command,
            )
        except (xerror.BadWindow, xerror.BadDrawable):
            return None

    def _box(self, display: Display, handle: int) -> DesktopBox:
        window = _window(display, handle)
        size = window.get_geometry()
        place = display.screen().root.translate_coords(window, 0, 0)
        return DesktopBox(int(place.x), int(place.y), int(size.width), int(size.height))

    def _types(self, display: Display, handle: int) -> tuple[str, ...]:
        return self._atoms(display, handle, "_NET_WM_WINDOW_TYPE")

    def _atoms(self, display: Display, handle: int, name: str) -> tuple[str, ...]:
        atoms = self._property(display, handle, name) or ()
        for atom in atoms:
            if atom not in self._names:
                self._names[atom] = display.get_atom_name(atom)
        return tuple(self._names[atom] for atom in atoms)

    def _title(self, display: Display, handle: int) -> str:
        return self._text(display, handle, "_NET_WM_NAME") or self._text(display, handle, "WM_NAME")

    def _class(self, display: Display, handle: int) -> str:
        parts = self._text(display, handle, "WM_CLASS").split("\0")
        return parts[1] if len(parts) > 1 and parts[1] else parts[0]

    def _text(self, display: Display, handle: int, name: str) -> str:
        window = _window(display, handle)
        found = window.get_full_property(display.intern_atom(name), X.AnyPropertyType, _LONGEST_PROPERTY)
        if found is None or found.format != 8:
            return ""
        data = found.value if isinstance(found.value, bytes) else str(found.value).encode()
        return data.decode("latin-1" if found.property_type == Xatom.STRING else "utf-8", "replace")

    def _property(self, display: Display, handle: int, name: str) -> tuple[int, ...] | None:
        """Return the 32-bit numbers of a property, or None when the window has none."""
        if not handle:
            return None
        try:
            found = _window(display, handle).get_full_property(display.intern_atom(name), X.AnyPropertyType)
        except xerror.BadWindow:
            return None
        if found is None:
            return None
        return tuple(int(number) for number in found.value) if found.format == 32 else ()

    def _pid(self, display: Display, handle: int) -> int:
        told = self._property(display, handle, "_NET_WM_PID")
        if told:
            return told[0]
        if not display.has_extension("X-Resource"):
            return 0
        answer = display.res_query_client_ids([{"client": handle, "mask": res.LocalClientPIDMask}])
        return next((int(entry.value[0]) for entry in answer.ids if entry.value), 0)


def stepped(wanted: int, base: int, step: int, smallest: int, largest: int) -> int:
    """Return the size a window takes that grows in steps from a base, between its smallest and largest."""
    base = base or smallest
    size = base + (wanted - base) // step * step if step > 1 else wanted
    return max(size, smallest) if largest <= 0 else max(min(size, largest), smallest)


def _window(display: Display, handle: int) -> Window:
    return display.create_resource_object("window", handle)


def _process(pid: int) -> _Process:
    """Return a process's name and command line; empty when it is unknown or not ours to see."""
    if pid <= 0:
        return _Process()
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            return _Process(process.name(), tuple(process.cmdline()))
    except psutil.Error:
        return _Process()
