"""The accessibility bus: one D-Bus connection, questions asked many at a time, answers or None."""

from __future__ import annotations

import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from jeepney import DBusErrorResponse, HeaderFields, MessageType
from jeepney.auth import AuthenticationError
from jeepney.bus import get_connectable_addresses
from jeepney.io.blocking import DBusConnection, prep_socket
from jeepney.low_level import Endianness, parse_signature

ACCESSIBLE = "org.a11y.atspi.Accessible"
COMPONENT = "org.a11y.atspi.Component"
TEXT = "org.a11y.atspi.Text"
PROPERTIES = "org.freedesktop.DBus.Properties"
CALL_SECONDS = 0.5
_CONNECT_SECONDS = 1.0
_BATCH = 256

_HEADER = struct.Struct("<cBBBIII")
_METHOD_CALL = 1
_PROTOCOL = 1
_FIELD_FIXED = 9  # code, value signature, length, and the closing zero

Answer = tuple[Any, ...] | None


class BusLost(Exception):
    """The connection broke, or there is no bus; never leaves ``desktop``."""


class Ref(NamedTuple):
    """An accessible object: the program's name on the bus and the object's path."""

    bus: str
    path: str


@dataclass(frozen=True, slots=True)
class Question:
    """A method call without its object."""

    interface: str
    member: str
    signature: str = ""
    body: tuple[Any, ...] = ()


ROLE = Question(ACCESSIBLE, "GetRole")
ROLE_NAME = Question(ACCESSIBLE, "GetRoleName")
STATE = Question(ACCESSIBLE, "GetState")
CHILDREN = Question(ACCESSIBLE, "GetChildren")
NAME = Question(PROPERTIES, "Get", "ss", (ACCESSIBLE, "Name"))
CHILD_COUNT = Question(PROPERTIES, "Get", "ss", (ACCESSIBLE, "ChildCount"))
EXTENTS = Question(COMPONENT, "GetExtents", "u", (0,))
CHARACTERS = Question(PROPERTIES, "Get", "ss", (TEXT, "CharacterCount"))

REGISTRY = Ref("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
NOTHING = "/org/a11y/atspi/null"


class AtspiBus:
    """A connection of our own; not for several threads at once.

    Raises ``BusLost`` when the address does not answer.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        try:
            self._connection = _open(address)
        except (OSError, AuthenticationError, DBusErrorResponse, ValueError, RuntimeError) as fault:
            raise BusLost(str(fault)) from fault

    def call(self, ref: Ref, question: Question, seconds: float = CALL_SECONDS) -> Answer:
        """Ask one thing; None when the object is gone, does not know, or takes too long."""
        return self.ask([(ref, question)], time.monotonic() + seconds)[0]

    def ask(self, questions: Sequence[tuple[Ref, Question]], deadline: float) -> list[Answer]:
        """Ask many things at once; answers in the same order, None for each that failed or came too late.

        ``deadline`` is in monotonic seconds. Raises ``BusLost`` when the connection broke.
        """
        answers: list[Answer] = []
        for start in range(0, len(questions), _BATCH):
            answers += self._ask_batch(questions[start : start + _BATCH], deadline)
        return answers

    def process_of(self, bus: str) -> int:
        """Return the process behind a bus name; 0 when it is gone."""
        daemon = Ref("org.freedesktop.DBus", "/org/freedesktop/DBus")
        answer = self.call(daemon, Question("org.freedesktop.DBus", "GetConnectionUnixProcessID", "s", (bus,)))
        return int(answer[0]) if answer else 0

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _ask_batch(self, questions: Sequence[tuple[Ref, Question]], deadline: float) -> list[Answer]:
        waiting: dict[int, int] = {}
        data = bytearray()
        for place, (ref, question) in enumerate(questions):
            serial = next(self._connection.outgoing_serial)
            waiting[serial] = place
            data += call_bytes(ref, question, serial)
        answers: list[Answer] = [None] * len(questions)
        try:
            self._connection.sock.sendall(data)
            while waiting:
                reply = self._connection.receive(timeout=max(0.0, deadline - time.monotonic()))
                place_or_none = waiting.pop(reply.header.fields.get(HeaderFields.reply_serial, -1), None)
                if place_or_none is not None and reply.header.message_type is MessageType.method_return:
                    answers[place_or_none] = reply.body
        except TimeoutError:
            return answers
        except OSError as fault:
            raise BusLost(str(fault)) from fault
        return answers


def call_bytes(ref: Ref, question: Question, serial: int) -> bytes:
    """Return a method call as it goes over the wire.

    A walk sends thousands of calls that differ in little; putting them together from kept parts takes a tenth of the
    time that building each message anew takes, and that was half of the whole walk.
    """
    asked, body = _question_part(question)
    fields = asked + _ref_part(ref)
    # The padding after the last field belongs to the header, not to the field array.
    length = len(fields) - (-(_FIELD_FIXED + len(ref.path.encode())) % 8)
    return _HEADER.pack(b"l", _METHOD_CALL, 0, _PROTOCOL, len(body), serial, length) + fields + body


@lru_cache(maxsize=512)
def _question_part(question: Question) -> tuple[bytes, bytes]:
    fields = [_field(2, "s", question.interface), _field(3, "s", question.member)]
    if not question.signature:
        return b"".join(map(_padded, fields)), b""
    fields.append(_field(8, "g", question.signature))
    body = parse_signature(list(f"({question.signature})")).serialise(question.body, 0, Endianness.little)
    return b"".join(map(_padded, fields)), body


@lru_cache(maxsize=8192)
def _ref_part(ref: Ref) -> bytes:
    return _padded(_field(6, "s", ref.bus)) + _padded(_field(1, "o", ref.path))


def _field(code: int, kind: str, text: str) -> bytes:
    """One header field: its code, the signature of its value, and the value."""
    raw = text.encode()
    size = bytes([len(raw)]) if kind == "g" else struct.pack("<I", len(raw))
    return bytes([code, 1, ord(kind), 0]) + size + raw + b"\0"


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 8)


def _open(address: str) -> DBusConnection:
    sock = prep_socket(next(get_connectable_addresses(address)), timeout=_CONNECT_SECONDS)
    try:
        return DBusConnection(sock)
    except (OSError, DBusErrorResponse):
        sock.close()
        raise
