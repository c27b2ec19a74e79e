"""X input events as bytes of the RECORD stream, translated into raw input events. Pure; no connection."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from echostudio.desktop.controller import RawEvent, RawKind
from echostudio.desktop.keymap import Keymap
from echostudio.desktop.keysyms import DeadKeys
from echostudio.episode.geometry import DesktopPoint

KEY_PRESS, KEY_RELEASE, BUTTON_PRESS, BUTTON_RELEASE, MOTION = 2, 3, 4, 5, 6

CHANGE_KEYBOARD_MAPPING = 100
NO_OPERATION = 127

_BUTTONS = {1: "left", 2: "middle", 3: "right", 8: "back", 9: "forward"}
_SCROLLS = {4: (0.0, -1.0), 5: (0.0, 1.0), 6: (-1.0, 0.0), 7: (1.0, 0.0)}
_EVENT_BYTES = 32
_HALF_CYCLE = 1 << 31


class ServerTime:
    """Converts the server's milliseconds, which start anew every 49.7 days, into seconds of a clock.

    ``milliseconds`` and ``seconds`` are the same moment on both.
    """

    def __init__(self, milliseconds: int, seconds: float) -> None:
        self._milliseconds = milliseconds
        self._seconds = seconds

    def seconds(self, milliseconds: int) -> float:
        """Return the clock's seconds of a server time within 24 days of the calibration."""
        passed = (milliseconds - self._milliseconds + _HALF_CYCLE) % (2 * _HALF_CYCLE) - _HALF_CYCLE
        return self._seconds + passed / 1000


@dataclass(frozen=True, slots=True)
class Request:
    """A recorded request of some client: its major code, the byte after it, and the rest."""

    code: int
    detail: int
    body: bytes


def split_requests(data: bytes, big_endian: bool) -> Iterator[Request]:
    """Yield the requests of a stretch of the stream; stops at a torn one."""
    order = ">" if big_endian else "<"
    while len(data) >= 4:
        code, detail, length = struct.unpack_from(f"{order}BBH", data)
        start = 4
        if length == 0 and len(data) >= 8:
            length, start = struct.unpack_from(f"{order}I", data, 4)[0], 8
        end = length * 4
        if end < start or end > len(data):
            return
        yield Request(code, detail, data[start:end])
        data = data[end:]


def changed_keys(request: Request, big_endian: bool) -> dict[int, tuple[int, ...]]:
    """Return the new keysyms of each key that a ChangeKeyboardMapping request names."""
    order = ">" if big_endian else "<"
    first, width = request.body[0], request.body[1]
    numbers = struct.unpack_from(f"{order}{request.detail * width}I", request.body, 4)
    return {first + index: numbers[index * width : (index + 1) * width] for index in range(request.detail)}


def releases(data: bytes) -> int:
    """Return how many keys and buttons were let go in a stretch of device events."""
    kinds = data[: len(data) // _EVENT_BYTES * _EVENT_BYTES : _EVENT_BYTES]
    return sum(kind & 0x7F in (KEY_RELEASE, BUTTON_RELEASE) for kind in kinds)


class Translator:
    """Turns device events into raw events, with the keyboard map as it was at that point of the stream."""

    def __init__(self, keymap: Keymap, time: ServerTime, now: Callable[[], float]) -> None:
        self.keymap = keymap
        self._time = time
        self._now = now
        self._dead = DeadKeys()
        self._down: dict[int, str] = {}

    def events(self, data: bytes) -> Iterator[RawEvent]:
        """Yield the raw events of a stretch of device events (32 bytes each, this machine's byte order)."""
        for offset in range(0, len(data) - _EVENT_BYTES + 1, _EVENT_BYTES):
            kind, detail, at, x, y, state = struct.unpack_from("=BB2xI12xhh4xH", data, offset)
            event = self._translate(kind & 0x7F, detail, at, DesktopPoint(x, y), state)
            if event is not None:
                yield event

    def _translate(self, kind: int, detail: int, time: int, point: DesktopPoint, state: int) -> RawEvent | None:
        # A coarse server clock must not put an event after its arrival.
        at = min(self._time.seconds(time), self._now())
        if kind == MOTION:
            return RawEvent(RawKind.MOVE, at, point)
        if kind in (KEY_PRESS, KEY_RELEASE):
            return self._key(kind == KEY_PRESS, detail, at, point, state)
        if kind not in (BUTTON_PRESS, BUTTON_RELEASE):
            return None
        if detail in _SCROLLS:
            scroll = RawEvent(RawKind.SCROLL, at, point, delta=_SCROLLS[detail])
            return scroll if kind == BUTTON_PRESS else None
        pressed = RawKind.BUTTON_DOWN if kind == BUTTON_PRESS else RawKind.BUTTON_UP
        return RawEvent(pressed, at, point, button=_BUTTONS.get(detail, f"button{detail}"))

    def _key(self, pressed: bool, code: int, at: float, point: DesktopPoint, state: int) -> RawEvent:
        if not pressed:
            # The name it was pressed under: the key may mean something else by now.
            name = self._down.pop(code, "") or self.keymap.name(code, state)
            return RawEvent(RawKind.KEY_UP, at, point, code=code, key=name)
        name = self._down[code] = self.keymap.name(code, state)
        keysym = self.keymap.keysym(code, state)
        text = self._dead.feed(keysym) if self.keymap.commits_text(state) else ""
        return RawEvent(RawKind.KEY_DOWN, at, point, code=code, key=name, text=text)
