"""The stream of the RECORD extension, emptied as fast as it comes.

A server drops what it records while the connection is full, and a connection holds only some hundred messages: a
program that is busy for a quarter of a second loses input. So one thread does nothing but read bytes, and another
takes them apart at its own pace.
"""

from __future__ import annotations

import queue
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from echostudio.desktop.connection import Connection
from echostudio.errors import DesktopError

FROM_SERVER, FROM_CLIENT, START_OF_DATA, END_OF_DATA = 0, 1, 4, 5
_ENABLE_CONTEXT = 5
_HEAD_BYTES = 32
_REPLY, _GENERIC_EVENT = 1, 35
_CHUNK = 1 << 18


@dataclass(frozen=True, slots=True)
class Recorded:
    """One message of the stream: what it holds, and whether that is in the other byte order than this machine's."""

    category: int
    data: bytes
    client_swapped: bool


class RecordStream:
    """Enables a context on a connection that is used for nothing else from then on."""

    def __init__(self, connection: Connection, context: int) -> None:
        self._connection = connection
        self._context = context
        self._chunks: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def messages(self) -> Iterator[Recorded]:
        """Yield messages until the context is disabled; raise ``DesktopError`` when the connection ends before."""
        with self._connection.use() as display:
            major = display.display.get_extension_major("RECORD")
            wire: socket.socket = display.display.socket
            rest = bytes(display.display.data_recv)
            wire.setblocking(True)
            wire.sendall(struct.pack("=BBHI", major, _ENABLE_CONTEXT, 2, self._context))
        reader = threading.Thread(target=self._read, args=(wire,), name="record-stream", daemon=True)
        reader.start()
        try:
            while chunk := self._chunks.get():
                messages, rest = split_messages(rest + chunk)
                for message in messages:
                    if message.category == END_OF_DATA:
                        return
                    yield message
        finally:
            # A thread that waits in recv does not notice a close, only a shutdown.
            with suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)
            reader.join()
        raise DesktopError(f"The desktop {self._connection.name} is gone.")

    def _read(self, wire: socket.socket) -> None:
        try:
            while chunk := wire.recv(_CHUNK):
                self._chunks.put(chunk)
        except OSError:
            # The connection was closed under the waiting call: this is its end.
            pass
        self._chunks.put(b"")


def split_messages(data: bytes) -> tuple[list[Recorded], bytes]:
    """Take whole messages off the beginning of the stream; return them and the rest. Events and errors are skipped."""
    found, place = [], 0
    while len(data) - place >= _HEAD_BYTES:
        kind, category, _, length, _, swapped = struct.unpack_from("=BBHIBB", data, place)
        size = _HEAD_BYTES + (4 * length if kind & 0x7F in (_REPLY, _GENERIC_EVENT) else 0)
        if len(data) - place < size:
            break
        if kind == _REPLY:
            found.append(Recorded(category, data[place + _HEAD_BYTES : place + size], bool(swapped)))
        place += size
    return found, data[place:]
