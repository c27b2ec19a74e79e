"""JSON lines on disk: appended whole or not at all, read back with a torn tail dropped and counted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echostudio.blobs import full_disk
from echostudio.errors import RunFolderError

Write = Callable[[int, bytes], int]


class LineFile:
    """An append-only file of JSON lines.

    A line reaches the system before ``append`` returns, so a killed process loses none; with ``sync`` it reaches
    the disk as well. When a write fails the file is cut back to its last whole line, so that a retry works.
    """

    def __init__(self, path: Path, write: Write = os.write) -> None:
        self.path = path
        self._write = write
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._size = os.fstat(self._file).st_size

    @property
    def size(self) -> int:
        """How many bytes the file has."""
        return self._size

    def append(self, text: str, *, sync: bool = False) -> None:
        """Add one line of JSON (without its line end); raise ``RepositoryFull`` when the disk is full."""
        data = text.encode() + b"\n"
        try:
            self._whole(data)
            if sync:
                os.fsync(self._file)
        except OSError as fault:
            os.ftruncate(self._file, self._size)
            raise full_disk(fault, self.path) from fault
        self._size += len(data)

    def close(self) -> None:
        """Let go of the file; safe to call twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _whole(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._write(self._file, bytes(rest)) :]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file: its number from 1, and its JSON object."""

    number: int
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Lines:
    """All whole lines of a file; ``torn`` is 1 when the last one was cut off and dropped."""

    lines: tuple[Line, ...]
    torn: int = 0


def read_lines(path: Path) -> Lines:
    """Read a file of JSON lines; a missing file has none.

    Raises ``RunFolderError`` with file and line number for a broken line that is not the torn last one.
    """
    data = _bytes(path)
    *whole, tail = data.split(b"\n")
    found = [_line(path, number, text) for number, text in enumerate(whole, start=1) if text.strip()]
    if not tail.strip():
        return Lines(tuple(found))
    rescued = parse(tail)
    if rescued is None:
        return Lines(tuple(found), torn=1)
    return Lines((*found, Line(len(whole) + 1, rescued)))


def mend_tail(path: Path) -> int:
    """Make a file fit for further lines: cut off a torn tail, end a whole last line; return how many were cut."""
    data = _bytes(path)
    tail = data.rsplit(b"\n", 1)[-1]
    if not tail:
        return 0
    with path.open("r+b") as stream:
        if tail.strip() and parse(tail) is not None:
            stream.seek(0, os.SEEK_END)
            stream.write(b"\n")
            return 0
        stream.truncate(len(data) - len(tail))
    return 1 if tail.strip() else 0


def parse(text: bytes) -> dict[str, Any] | None:
    """Return the JSON object that a line holds, or None when it holds none."""
    try:
        data = json.loads(text)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def broken(path: Path, number: int, reason: str) -> RunFolderError:
    """Build the error that names file and line."""
    return RunFolderError(
        f"{path}, line {number}: {reason}.", "The line was changed by hand or damaged; correct it or delete it."
    )


def _line(path: Path, number: int, text: bytes) -> Line:
    data = parse(text)
    if data is None:
        raise broken(path, number, "not a JSON object")
    return Line(number, data)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as fault:
        raise RunFolderError(f"{path} cannot be read: {fault.strerror}.") from fault
