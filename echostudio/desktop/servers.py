"""The servers of a virtual desktop: X server, session bus, accessibility, window manager. Linux only."""

from __future__ import annotations

import ctypes
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from jeepney import DBusAddress, DBusErrorResponse, MessageType, Properties, new_method_call
from jeepney.io.blocking import open_dbus_connection
from Xlib import X, Xatom

from echostudio.cancel import CancelToken, SystemClock, wait_until
from echostudio.desktop.connection import Connection
from echostudio.errors import DesktopError

INSTALL_HINT = "Install the parts: apt-get install xvfb openbox dbus at-spi2-core"
BACKGROUND = 0x5B6B7D

# One workspace, no animation, and only the window keys that every desktop has: all others belong to the programs.
# Without the first option openbox works for seconds whenever a foreign character is put on a key.
_MANAGER_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <keyboard>
    <rebindOnMappingNotify>no</rebindOnMappingNotify>
    <keybind key="A-F4"><action name="Close"/></keybind>
    <keybind key="A-Tab"><action name="NextWindow"/></keybind>
    <keybind key="A-S-Tab"><action name="PreviousWindow"/></keybind>
    <keybind key="A-space"><action name="ShowMenu"><menu>client-menu</menu></action></keybind>
  </keyboard>
  <theme><name>Clearlooks</name><animateIconify>no</animateIconify></theme>
  <desktops><number>1</number><popupTime>0</popupTime></desktops>
</openbox_config>
"""

_SERVER_SECONDS = 10.0
_MANAGER_SECONDS = 5.0
_BUS_REPLY_SECONDS = 5.0
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36

_libc = ctypes.CDLL(None, use_errno=True)


def adopt_orphans() -> None:
    """Become the parent of every orphaned descendant, so that none escapes."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> None:
    """Run in a child before its program: it gets SIGTERM when its parent dies, and receives signals again."""
    _libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_SETMASK, set())


def start_x_server(
    width: int, height: int, environment: Mapping[str, str], log: Path
) -> tuple[subprocess.Popen[bytes], str]:
    """Start Xvfb on a free display; return its process and the display's name. Raises ``DesktopError``."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{width}x{height}x24"]
    command += ["-nolisten", "tcp", "-noreset", "-dpi", "96"]
    try:
        process = _spawn(command, environment, log, (writing,))
        os.close(writing)
        number = _read_line(reading, _SERVER_SECONDS)
    finally:
        os.close(reading)
    if not number.isdigit():
        raise DesktopError(f"The X server did not start: {_last_words(log)}", INSTALL_HINT)
    return process, f":{number}"


def start_bus(
    runtime: Path, environment_of: Callable[[str], Mapping[str, str]], log: Path, server: subprocess.Popen[bytes]
) -> tuple[subprocess.Popen[bytes], str]:
    """Start a session bus whose services run with ``environment_of(address)``; return it and its address."""
    address = f"unix:path={runtime / 'bus'}"
    reading, writing = os.pipe()
    command = ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={address}"]
    try:
        process = _spawn([*command, f"--print-address={writing}"], environment_of(address), log, (writing,))
        os.close(writing)
        told = _read_line(reading, _SERVER_SECONDS)
    finally:
        os.close(reading)
    if not told or server.poll() is not None:
        raise DesktopError(f"The session bus did not start: {_last_words(log)}", INSTALL_HINT)
    return process, address


def start_window_manager(folder: Path, environment: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    """Start openbox with settings of our own, whatever the person's are; ``prepare_screen`` waits for it.

    Raises ``DesktopError`` when it is missing.
    """
    settings = folder / "openbox.xml"
    settings.write_text(_MANAGER_SETTINGS, encoding="utf-8")
    return _spawn(["openbox", "--sm-disable", "--config-file", str(settings)], environment, log)


def enable_accessibility(display: str, bus: str) -> bool:
    """Start the accessibility bus, ask programs to use it, and publish it on the root window.

    Returns False when the machine has no accessibility service; the desktop works without.
    """
    target = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
    status = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Status")
    try:
        with open_dbus_connection(bus) as connection:
            reply = connection.send_and_get_reply(new_method_call(target, "GetAddress"), timeout=_BUS_REPLY_SECONDS)
            if reply.header.message_type is MessageType.error:
                return False
            address = str(reply.body[0])
            request = Properties(status).set("IsEnabled", "b", True)
            connection.send_and_get_reply(request, timeout=_BUS_REPLY_SECONDS)
    except (OSError, TimeoutError, DBusErrorResponse):
        return False
    _publish_bus(display, address)
    return True


def prepare_screen(display: str, manager: subprocess.Popen[bytes], log: Path) -> None:
    """Colour the background and wait until the window manager works. Raises ``DesktopError``."""
    connection = Connection(display)
    try:
        with connection.root() as root:
            root.change_attributes(background_pixel=BACKGROUND)
            root.clear_area()
        check = connection.atom("_NET_SUPPORTING_WM_CHECK")

        def managed() -> bool:
            with connection.root() as root:
                return root.get_full_property(check, Xatom.WINDOW) is not None or manager.poll() is not None

        ready = wait_until(managed, SystemClock(), CancelToken(), _MANAGER_SECONDS, interval=0.005)
    finally:
        connection.close()
    if not ready or manager.poll() is not None:
        raise DesktopError(f"The window manager did not start: {_last_words(log)}", INSTALL_HINT)


def _publish_bus(display: str, address: str) -> None:
    """Set the root property by which toolkits find the bus; the service does so itself where it was built to."""
    connection = Connection(display)
    try:
        name = connection.atom("AT_SPI_BUS")
        with connection.root() as root:
            if root.get_full_property(name, X.AnyPropertyType) is None:
                root.change_property(name, Xatom.STRING, 8, address.encode())
                root.display.flush()
    finally:
        connection.close()


def _spawn(
    command: list[str], environment: Mapping[str, str], log: Path, descriptors: tuple[int, ...] = ()
) -> subprocess.Popen[bytes]:
    found = shutil.which(command[0])
    if found is None:
        raise DesktopError(f"A virtual desktop needs {command[0]!r}, which is not installed.", INSTALL_HINT)
    with log.open("ab") as errors:
        return subprocess.Popen(
            [found, *command[1:]],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            pass_fds=descriptors,
            start_new_session=True,
            preexec_fn=die_with_parent,
        )


def _read_line(descriptor: int, timeout: float) -> str:
    """Read one line from a pipe; empty when the other end is closed or nothing comes in time."""
    data = b""
    while not data.endswith(b"\n"):
        ready, _, _ = select.select([descriptor], [], [], timeout)
        piece = os.read(descriptor, 4096) if ready else b""
        if not piece:
            return ""
        data += piece
    return data.decode().strip()


def _last_words(log: Path) -> str:
    """Return the last line that a server wrote, for the sentence of an error."""
    lines = log.read_text(errors="replace").split("\n") if log.exists() else []
    return next((line.strip() for line in reversed(lines) if line.strip()), "it gave no reason")
