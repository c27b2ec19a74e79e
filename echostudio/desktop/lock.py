"""One desk per desktop: whoever drives a display holds its lock, and everybody can read who that is."""

from __future__ import annotations

import fcntl
import getpass
import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from echostudio import paths
from echostudio.desktop.display_name import normalise
from echostudio.errors import DeskBusy


class DeskLock:
    """Holds a display for one purpose (``with DeskLock(":5", "record"): ...``).

    The operating system frees the lock when its owner dies. Raises ``DeskBusy`` naming the owner when it is taken,
    also by another lock of the same process.
    """

    def __init__(self, display: str, purpose: str) -> None:
        self.display = normalise(display)
        self.purpose = purpose
        self._file: int | None = None

    @property
    def path(self) -> Path:
        """The lock file of the display."""
        return paths.locks_folder() / f"desk-{re.sub(r'[^A-Za-z0-9.-]', '_', self.display)}.lock"

    def __enter__(self) -> DeskLock:
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as fault:
            owner = _read(descriptor)
            os.close(descriptor)
            raise DeskBusy(
                _sentence(self.display, owner), "Wait until it is done, stop it, or use another desktop."
            ) from fault
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(_mark(self.purpose)).encode(), 0)
        self._file = descriptor
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            # Emptied, not deleted: another process may already wait on this very file.
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = None


def _mark(purpose: str) -> dict[str, str | int]:
    since = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"who": _user(), "pid": os.getpid(), "since": since, "purpose": purpose}


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _read(descriptor: int) -> dict[str, object]:
    try:
        found = json.loads(os.pread(descriptor, 4096, 0) or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _sentence(display: str, owner: dict[str, object]) -> str:
    """Say who holds a display; the owner may be about to write its name."""
    if not owner:
        return f"The desktop {display} is in use by another process."
    return (
        f"The desktop {display} is in use: {owner.get('purpose')} by {owner.get('who')} "
        f"(process {owner.get('pid')}) since {owner.get('since')}."
    )
