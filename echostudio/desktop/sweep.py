"""Ends what belongs to a virtual desktop, however its processes were started; works on their environment."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from echostudio.cancel import CancelToken, SystemClock, wait_until
from echostudio.desktop.environment import TAG
from echostudio.desktop.programs import is_alive

_POLITE_SECONDS = 1.5
_KILL_SECONDS = 1.0


def tagged(tag: str) -> list[int]:
    """Return the living processes whose environment carries the mark of a virtual desktop."""
    mark = f"{TAG}={tag}".encode()
    return [pid for pid in _all_pids() if mark in _environment(pid).split(b"\0") and is_alive(pid)]


def end_tagged(tag: str, but: Collection[int] = (), reap: Callable[[], object] = lambda: None) -> None:
    """End the marked processes except ``but``: ask, wait, then kill; ``reap`` collects dead children meanwhile."""

    def gone() -> bool:
        reap()
        return not set(tagged(tag)).difference(but)

    for number, patience in ((signal.SIGTERM, _POLITE_SECONDS), (signal.SIGKILL, _KILL_SECONDS)):
        for pid in set(tagged(tag)).difference(but):
            send(pid, number)
        if wait_until(gone, SystemClock(), CancelToken(), patience, interval=0.01):
            return


def send(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process that may be gone already."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def remove(folder: Path, info_file: Path | None) -> None:
    """Remove a virtual desktop's temporary folder and its info file."""
    shutil.rmtree(folder, ignore_errors=True)
    if info_file is not None:
        info_file.unlink(missing_ok=True)


def _all_pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
