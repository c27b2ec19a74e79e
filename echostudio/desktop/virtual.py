"""Virtual desktops: start one, find those that run, shrink one, stop one. Linux only."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from Xlib.ext import randr

from echostudio.cancel import CancelToken, SystemClock, wait_until
from echostudio.desktop import desktop_file, sweep
from echostudio.desktop.connection import Connection
from echostudio.desktop.controller import VirtualInfo
from echostudio.desktop.display_name import normalise
from echostudio.errors import DesktopError

_START_SECONDS = 30.0
_STOP_SECONDS = 6.0
_RESIZE_SECONDS = 2.0
_SMALLEST = 64
_MM_PER_PIXEL = 25.4 / 96
_LARGEST = 16384


def start(width: int, height: int, *, home: Path | None = None, programs: Sequence[Sequence[str]] = ()) -> VirtualInfo:
    """Start a virtual desktop with these programs on it, and return once it is usable.

    ``width`` and ``height`` are pixels, and the largest size it can ever have. ``home`` becomes the programs' HOME
    (it is made, not removed). The desktop outlives this process. Raises ``DesktopError``.
    """
    if not (_SMALLEST <= width <= _LARGEST and _SMALLEST <= height <= _LARGEST):
        raise DesktopError(
            f"A virtual desktop of {width}x{height} cannot be made.", f"Choose {_SMALLEST} to {_LARGEST} pixels."
        )
    _clean()
    command = [sys.executable, "-m", "echostudio.desktop.keeper", "--size", f"{width}x{height}"]
    if home is not None:
        home.mkdir(parents=True, exist_ok=True)
        command += ["--home", str(home.resolve())]
    for program in programs:
        command += ["--program", json.dumps(list(program))]
    return _info(_spawn(command))


def stop(display: str) -> None:
    """End a virtual desktop with everything on it; raise ``DesktopError`` when none has that name."""
    facts = _facts(display)
    if facts is None:
        raise _unknown(display)
    pid = int(facts["pid"])
    sweep.send(pid, signal.SIGTERM)
    if not wait_until(lambda: _ended(facts), SystemClock(), CancelToken(), _STOP_SECONDS, interval=0.01):
        sweep.send(pid, signal.SIGKILL)
        wait_until(lambda: _ended(facts), SystemClock(), CancelToken(), _STOP_SECONDS, interval=0.01)
    _clean()


def running() -> tuple[VirtualInfo, ...]:
    """Return the virtual desktops that run, by display number; what dead ones left behind is removed."""
    _clean()
    found = (desktop_file.read(path) for path in desktop_file.folder().glob("*.json"))
    infos = [_info(facts) for facts in found if facts is not None]
    return tuple(sorted(infos, key=lambda info: int(info.display[1:])))


def info(display: str) -> VirtualInfo | None:
    """Return a virtual desktop by its display, or None when that is none of ours or has ended."""
    facts = _facts(display)
    return _info(facts) if facts is not None else None


def resize(display: str, width: int, height: int) -> VirtualInfo:
    """Change the size of a virtual desktop, at most to the size it was started with. Raises ``DesktopError``."""
    facts = _facts(display)
    if facts is None:
        raise _unknown(display)
    largest = facts["largest"]
    if not (_SMALLEST <= width <= largest[0] and _SMALLEST <= height <= largest[1]):
        raise DesktopError(
            f"The desktop {facts['display']} started at {largest[0]}x{largest[1]} and cannot become {width}x{height}.",
            "Start a new one at the largest size that is needed; it can only shrink.",
        )
    connection = Connection(facts["display"])
    try:
        _set_mode(connection, width, height)
    finally:
        connection.close()
    facts = {**facts, "width": width, "height": height}
    desktop_file.write(desktop_file.file_of(facts["display"]), facts)
    return _info(facts)


def _set_mode(connection: Connection, width: int, height: int) -> None:
    with connection.use() as display:
        root = display.screen().root
        found = root.xrandr_get_screen_resources()
        output, crtc = found.outputs[0], found.crtcs[0]
        mode = next((one.id for one in found.modes if (one.width, one.height) == (width, height)), None)
        if mode is None:
            name = f"{width}x{height}"
            timing = (0, width, height, 0, 0, 0, 0, 0, 0, 0, 0, len(name), 0)
            mode = root.xrandr_create_mode(timing, name).mode
        if mode not in display.xrandr_get_output_info(output, found.config_timestamp).modes:
            display.xrandr_add_output_mode(output, mode)
        # No client may see the moment between the screen's size and the monitor's.
        display.grab_server()
        try:
            display.xrandr_set_crtc_config(crtc, found.config_timestamp, 0, 0, 0, randr.Rotate_0, [])
            root.xrandr_set_screen_size(width, height, round(width * _MM_PER_PIXEL), round(height * _MM_PER_PIXEL))
            display.xrandr_set_crtc_config(crtc, found.config_timestamp, 0, 0, mode, randr.Rotate_0, [output])
        finally:
            display.ungrab_server()
            display.flush()

    def arrived() -> bool:
        with connection.root() as root:
            size = root.get_geometry()
            return (size.width, size.height) == (width, height)

    if not wait_until(arrived, SystemClock(), CancelToken(), _RESIZE_SECONDS, interval=0.005):
        raise DesktopError(f"The desktop {connection.name} did not take the size {width}x{height}.")


def _spawn(command: list[str]) -> dict[str, Any]:
    """Start a keeper in a session of its own and read its one line of JSON."""
    reading, writing = os.pipe()
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH", ""))))
    with tempfile.TemporaryFile() as errors, open(reading, "rb", buffering=0) as answer:
        try:
            os.posix_spawn(
                command[0],
                command,
                {**os.environ, "PYTHONPATH": path},
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_DUP2, writing, 1),
                    (os.POSIX_SPAWN_DUP2, errors.fileno(), 2),
                ],
                setsid=True,
            )
        finally:
            os.close(writing)
        line = _read_line(answer)
        facts = json.loads(line) if line else {"error": _complaint(errors)}
    if "error" in facts:
        raise DesktopError(str(facts["error"]), str(facts.get("hint", "")))
    return dict(facts)


def _read_line(answer: IO[bytes]) -> bytes:
    """Read a line; empty when the keeper ended or kept silent."""
    data = b""
    while not data.endswith(b"\n"):
        ready, _, _ = select.select([answer], [], [], _START_SECONDS)
        piece = os.read(answer.fileno(), 65536) if ready else b""
        if not piece:
            return b""
        data += piece
    return data


def _complaint(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace").strip().splitlines()
    return f"The virtual desktop did not start: {lines[-1] if lines else 'its keeper gave no answer'}."


def _facts(display: str) -> dict[str, Any] | None:
    name = normalise(display)
    facts = desktop_file.read(desktop_file.file_of(name)) if name.startswith(":") else None
    return facts if facts is not None and desktop_file.keeper_lives(facts) else None


def _info(facts: dict[str, Any]) -> VirtualInfo:
    return VirtualInfo(
        display=str(facts["display"]),
        pid=int(facts["pid"]),
        width=int(facts["width"]),
        height=int(facts["height"]),
        home=str(facts.get("home", "")),
        environment={str(name): str(value) for name, value in facts["environment"].items()},
    )


def _ended(facts: dict[str, Any]) -> bool:
    _reap(int(facts["pid"]))
    return not desktop_file.keeper_lives(facts)


def _clean() -> None:
    """Remove what desktops left behind whose keeper and cleaner both died."""
    for path in desktop_file.folder().glob("*.json"):
        facts = desktop_file.read(path)
        if facts is None:
            continue
        _reap(int(facts["pid"]))
        if not desktop_file.keeper_lives(facts):
            sweep.end_tagged(str(facts["tag"]))
            sweep.remove(Path(facts["folder"]), path)


def _reap(pid: int) -> None:
    """Collect a keeper that this process started and that has ended."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _unknown(display: str) -> DesktopError:
    names = ", ".join(one.display for one in running())
    return DesktopError(
        f"No virtual desktop {normalise(display)} runs.",
        f"These run: {names}." if names else "Start one: echostudio desktop up --size 1920x1080",
    )
