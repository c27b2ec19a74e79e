"""Programs that are started on a desktop: no shell, a session of their own, ended as a whole."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import psutil

from echostudio.cancel import CancelToken, SystemClock, wait_until
from echostudio.errors import DesktopError

_KILL_SECONDS = 2.0

# Started processes until they are reaped, so that none stays a zombie because its handle was dropped.
_started: set[subprocess.Popen[bytes]] = set()


class StartedProgram:
    """A program that leads its own session."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.pid = process.pid
        _started.add(process)

    def running(self) -> bool:
        """Whether it still runs; a zombie does not."""
        if self._process.poll() is None:
            return True
        _started.discard(self._process)
        return False

    def terminate(self, timeout: float = 3.0) -> None:
        """End the whole session: ask, wait up to ``timeout`` seconds, then kill."""
        self._signal(signal.SIGTERM)
        if not self._wait(timeout):
            self._signal(signal.SIGKILL)
            self._wait(_KILL_SECONDS)
        self.running()

    def _wait(self, timeout: float) -> bool:
        def ended() -> bool:
            return not self.running() and not session_members(self.pid)

        return wait_until(ended, SystemClock(), CancelToken(), timeout, interval=0.01)

    def _signal(self, number: signal.Signals) -> None:
        for pid in session_members(self.pid):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue


def session_members(leader: int) -> list[int]:
    """Return the living processes of the session that ``leader`` leads or led; zombies do not count."""
    return [pid for pid in psutil.pids() if _session(pid) == leader and is_alive(pid)]


def is_alive(pid: int) -> bool:
    """Whether a process lives; a zombie does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True


def launch(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path | None = None,
    prepare: Callable[[], None] | None = None,
) -> StartedProgram:
    """Start a program in its own session with exactly this environment.

    ``prepare`` runs in the child before the program does. Raises ``DesktopError`` when the program is not
    installed or cannot be started.
    """
    for process in tuple(_started):
        if process.poll() is not None:
            _started.discard(process)
    if not command:
        raise DesktopError("No program was named.", "Give the command that starts the program.")
    found = shutil.which(command[0], path=environment.get("PATH", os.defpath))
    if found is None:
        raise DesktopError(f"The program {command[0]!r} is not installed.", "Install it, or correct the command.")
    try:
        process = subprocess.Popen(
            [found, *command[1:]],
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=prepare,  # noqa: PLW1509
        )
    except OSError as fault:
        raise DesktopError(f"The program {command[0]!r} could not be started: {fault}.") from fault
    return StartedProgram(process)


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except (ProcessLookupError, PermissionError):
        return 0
