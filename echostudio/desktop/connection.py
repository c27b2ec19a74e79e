"""One connection to an X server that several threads may use in turn, with errors told as sentences."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from Xlib import error as xerror
from Xlib.display import Display
from Xlib.xobject.drawable import Window

from echostudio.desktop.display_name import local_number, normalise
from echostudio.desktop.keymap import Keymap
from echostudio.errors import DesktopError

NO_DISPLAY_HINT = "Start a virtual desktop: echostudio desktop up --size 1920x1080, then use --display with its name."


class Connection:
    """A python-xlib connection behind a lock; python-xlib itself is not safe across threads.

    Raises ``DesktopError`` when there is no such display.
    """

    def __init__(self, display: str) -> None:
        self.name = normalise(display)
        self._lock = threading.RLock()
        self._closed = False
        self._display = _open(self.name)
        self._display.set_error_handler(_ignore)

    @contextmanager
    def use(self) -> Iterator[Display]:
        """Give the connection to one thread; X errors and a lost connection become ``DesktopError``."""
        with self._lock:
            if self._closed:
                raise DesktopError(f"The desktop {self.name} is gone.", NO_DISPLAY_HINT)
            try:
                yield self._display
            except (xerror.ConnectionClosedError, OSError) as fault:
                raise DesktopError(f"The desktop {self.name} is gone.", NO_DISPLAY_HINT) from fault
            except xerror.XError as fault:
                raise DesktopError(f"The desktop {self.name} refused a request: {type(fault).__name__}.") from fault

    @contextmanager
    def root(self) -> Iterator[Window]:
        """Give the root window, under the same conditions as ``use``."""
        with self.use() as display:
            yield display.screen().root

    def atom(self, name: str) -> int:
        """Return the number of an atom (python-xlib keeps known ones)."""
        with self.use() as display:
            return int(display.intern_atom(name))

    def read_keymap(self) -> Keymap:
        """Read the present core keyboard map."""
        with self.use() as display:
            first = display.display.info.min_keycode
            count = display.display.info.max_keycode - first + 1
            table = display.get_keyboard_mapping(first, count)
            modifiers = display.get_modifier_mapping()
        return Keymap({first + index: tuple(row) for index, row in enumerate(table)}, [list(row) for row in modifiers])

    def drain_events(self) -> None:
        """Throw away events that nobody asked for; the server sends every client its map changes."""
        with self.use() as display:
            while display.pending_events():
                display.next_event()

    def abort(self) -> None:
        """Break the connection from another thread; a call that waits on it ends with ``DesktopError``."""
        with suppress(OSError):
            self._display.display.socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection; safe to call twice and after it was lost."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            try:
                self._display.close()
            except (xerror.ConnectionClosedError, OSError):
                # The server went first: only our end of the socket is left.
                self._display.display.socket.close()


def _ignore(_error: xerror.XError, _request: object) -> int:
    """Requests without answer may fail when a window vanishes; python-xlib would print that on stderr."""
    return 0


def _open(name: str) -> Display:
    number = local_number(name)
    if number is not None and not _listens(number):
        raise DesktopError(f"There is no display {name}.", NO_DISPLAY_HINT)
    try:
        return Display(name)
    except (xerror.DisplayError, xerror.XauthError, xerror.ConnectionClosedError, OSError) as fault:
        raise DesktopError(f"The display {name or '(unnamed)'} cannot be opened: {fault}.", NO_DISPLAY_HINT) from fault


def _listens(number: int) -> bool:
    """Whether a local X server answers; python-xlib would leak a socket finding out."""
    path = f"/tmp/.X11-unix/X{number}"
    for address in (path, "\0" + path):
        if address == path and not os.path.exists(path):
            continue
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            if probe.connect_ex(address) == 0:
                return True
    return False
