"""The process that keeps a virtual desktop: X server, session bus, accessibility, window manager, programs.

``python -m echostudio.desktop.keeper --size 1920x1080`` prints one line of JSON once everything runs, and keeps it
until it gets SIGTERM or one of the servers dies; then it ends all of it. A second process of it, the cleaner,
does nothing but wait for the keeper's end, so that nothing is left behind even by ``kill -9``.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from echostudio.cancel import CancelToken, SystemClock, wait_until
from echostudio.desktop import environment, programs, servers, sweep
from echostudio.desktop.desktop_file import file_of, write
from echostudio.desktop.servers import die_with_parent
from echostudio.errors import DesktopError

_END_SIGNALS = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
_SERVER_SECONDS = 1.0


class Keeper:
    """Starts the parts of one virtual desktop and ends them again."""

    def __init__(self, width: int, height: int, home: Path | None) -> None:
        self._size = (width, height)
        self._home = home
        self._tag = f"{os.getpid()}-{secrets.token_hex(8)}"
        self._folder = Path(tempfile.mkdtemp(prefix="echostudio-desktop-"))
        self._base = _callers_environment()
        self._essential: list[subprocess.Popen[bytes]] = []
        self._info_file: Path | None = None
        self._cleaner, self._cleaner_pipe = _start_cleaner(self._tag, self._folder)

    def begin(self, commands: Sequence[Sequence[str]]) -> dict[str, Any]:
        """Start everything; return the facts that other processes need. Raises ``DesktopError``."""
        log = self._folder / "log.txt"
        bare = {**self._base, environment.TAG: self._tag}
        server, display = servers.start_x_server(*self._size, bare, log)
        self._essential.append(server)
        bus, address = servers.start_bus(self._folder, lambda address: self._environment(display, address), log, server)
        self._essential.append(bus)
        whole = self._environment(display, address)
        manager = servers.start_window_manager(self._folder, whole, log)
        self._essential.append(manager)
        servers.enable_accessibility(display, address)
        servers.prepare_screen(display, manager, log)
        for command in commands:
            programs.launch(command, whole, prepare=die_with_parent)
        return self._publish(display, address)

    def stay(self) -> None:
        """Wait until a signal asks for the end or a server dies; collect every dead child meanwhile."""
        while True:
            received = signal.sigwait(_END_SIGNALS | {signal.SIGCHLD})
            dead = _reap()
            if received in _END_SIGNALS or dead.intersection(server.pid for server in self._essential):
                return

    def end(self) -> None:
        """End programs, window manager, bus and X server, and remove what lies on disk."""
        servers_running = {server.pid for server in self._essential}
        sweep.end_tagged(self._tag, but=servers_running, reap=_reap)
        for server in reversed(self._essential):
            _stop(server.pid)
        sweep.end_tagged(self._tag, reap=_reap)
        sweep.remove(self._folder, self._info_file)
        os.close(self._cleaner_pipe)
        with suppress(ChildProcessError):
            os.waitpid(self._cleaner, 0)

    def _environment(self, display: str, address: str) -> dict[str, str]:
        settings = self._settings(display, address)
        return environment.for_programs(self._base, display, settings)

    def _settings(self, display: str, address: str) -> dict[str, str]:
        return environment.virtual_settings(self._base, display, self._folder, address, self._tag, self._home)

    def _publish(self, display: str, address: str) -> dict[str, Any]:
        facts = {
            "display": display,
            "pid": os.getpid(),
            "width": self._size[0],
            "height": self._size[1],
            "home": str(self._home or ""),
            "environment": self._settings(display, address),
            "largest": list(self._size),
            "started": psutil.Process().create_time(),
            "tag": self._tag,
            "folder": str(self._folder),
        }
        self._info_file = file_of(display)
        os.write(self._cleaner_pipe, os.fsencode(self._info_file))
        write(self._info_file, facts)
        return facts


def _callers_environment() -> dict[str, str]:
    """The caller's environment without what the start of this very process added to it."""
    base = dict(os.environ)
    package = str(Path(__file__).resolve().parents[2])
    rest = [entry for entry in base.pop("PYTHONPATH", "").split(os.pathsep) if entry and entry != package]
    return {**base, "PYTHONPATH": os.pathsep.join(rest)} if rest else base


def _start_cleaner(tag: str, folder: Path) -> tuple[int, int]:
    """Fork the process that cleans up after the keeper; return its id and the pipe whose end it waits for."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(reading)
        return pid, writing
    os.close(writing)
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(null, stream)
    told = b"".join(iter(lambda: os.read(reading, 4096), b""))
    sweep.end_tagged(tag)
    sweep.remove(folder, Path(os.fsdecode(told)) if told else None)
    os._exit(0)


def _reap() -> set[int]:
    """Collect all dead children, adopted ones included; return their ids."""
    dead: set[int] = set()
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return dead
        if pid == 0:
            return dead
        dead.add(pid)


def _stop(pid: int) -> None:
    def gone() -> bool:
        _reap()
        return not programs.is_alive(pid)

    for number in (signal.SIGTERM, signal.SIGKILL):
        sweep.send(pid, number)
        if wait_until(gone, SystemClock(), CancelToken(), _SERVER_SECONDS, interval=0.005):
            return


def _say(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document) + "\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Keep one virtual desktop; return 0 after an ordered end, 1 when it could not be started."""
    parser = argparse.ArgumentParser(prog="echostudio.desktop.keeper")
    parser.add_argument("--size", required=True, help="width and height in pixels, for example 1920x1080")
    parser.add_argument("--home", type=Path, help="home folder for the programs")
    parser.add_argument("--program", action="append", default=[], help="a command as a JSON list; may be repeated")
    options = parser.parse_args(arguments)
    width, height = (int(part) for part in options.size.split("x"))
    signal.pthread_sigmask(signal.SIG_BLOCK, _END_SIGNALS | {signal.SIGCHLD})
    servers.adopt_orphans()
    keeper = Keeper(width, height, options.home)
    try:
        _say(keeper.begin([json.loads(text) for text in options.program]))
        keeper.stay()
    except DesktopError as fault:
        _say({"error": fault.sentence, "hint": fault.hint})
        return 1
    finally:
        keeper.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
