"""The person's input on an X display, through the RECORD extension.

The stream holds device events and, between them and in order, the requests by which clients change the keyboard
map; so a key that a program borrows for one character is read with the meaning it had at that moment. A request
that does nothing, sent by us, marks a place in the stream: it proves that the stream is live and that it has been
read to the end.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
from contextlib import suppress
from typing import Any

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.ext import record
from Xlib.protocol import rq

from echostudio.cancel import Clock
from echostudio.desktop.connection import Connection
from echostudio.desktop.controller import RawSink
from echostudio.desktop.raw_events import (
    CHANGE_KEYBOARD_MAPPING,
    KEY_PRESS,
    MOTION,
    NO_OPERATION,
    Request,
    ServerTime,
    Translator,
    changed_keys,
    releases,
    split_requests,
)
from echostudio.desktop.record_stream import FROM_CLIENT, FROM_SERVER, START_OF_DATA, Recorded, RecordStream
from echostudio.desktop.witness import Comparison, Witness
from echostudio.errors import DesktopError

_START_SECONDS = 3.0
_DRAIN_SECONDS = 0.8
_LONGEST_DRAIN_SECONDS = 20.0
_JOIN_SECONDS = 0.5
_CALIBRATIONS = 5
_COUNT_SECONDS = 0.5
_XKB_SET_MAP, _XKB_GET_KBD_BY_NAME = 9, 23


class _Marker(rq.Request):  # type: ignore[misc]
    """NoOperation with a body: X allows any, and other clients send none."""

    _request = rq.Struct(rq.Opcode(NO_OPERATION), rq.Pad(1), rq.RequestLength(), rq.String8("data"))


class X11RawInput:
    """Implements ``RawInput`` for one recording on one display.

    ``failure`` says why the stream ended by itself, None while it is well.
    """

    def __init__(self, display: str, clock: Clock) -> None:
        self._name = display
        self._clock = clock
        self._numbers = itertools.count(1)
        self._marks: dict[bytes, threading.Event] = {}
        self._begun = threading.Event()
        self._stopping = False
        self._ended = False
        self._thread: threading.Thread | None = None
        self._witness: Witness | None = None
        self._compared = Comparison()
        self._released, self._base = 0, (0, 0)
        self._arrived = 0
        self._counted_at = float("-inf")
        self.failure: DesktopError | None = None

    def start(self, sink: RawSink) -> None:
        """Begin to deliver events; return once the stream is proved to be live.

        Raises ``DesktopError`` when the display is gone, lacks RECORD, or nothing arrives within three seconds.
        """
        if self._thread is not None:
            raise DesktopError("This source of input has been started already.")
        self._sink = sink
        self._control = Connection(self._name)
        self._data: Connection | None = None
        try:
            self._data = Connection(self._name)
            self._translator = Translator(self._control.read_keymap(), self._calibrate(), self._clock.now)
            self._context = self._create_context()
            self._thread = threading.Thread(target=self._listen, name=f"raw-input{self._name}", daemon=True)
            self._thread.start()
            self._prove()
            self._call_witness()
        except BaseException:
            self._shut()
            raise

    def stop(self) -> None:
        """Deliver what is still on the way (a moment, longer only after a flood), then stop; safe to call twice."""
        if self._thread is None or self._ended:
            return
        # When the display is gone, everything that will ever arrive has arrived.
        with suppress(DesktopError):
            # Counted before the mark is sent: all of it comes by before the mark does.
            seen = self._seen()
            self._drain(self._mark())
            self._compare(seen, final=True)
        self._shut()

    def _drain(self, marked: threading.Event) -> None:
        """Wait for the mark as long as the stream moves: what a busy machine is behind with is not lost."""
        deadline = self._clock.now() + _LONGEST_DRAIN_SECONDS
        arrived = -1
        while not marked.wait(_DRAIN_SECONDS) and arrived != self._arrived and self._clock.now() < deadline:
            arrived = self._arrived

    def lost(self) -> int:
        """Return how many keys and buttons the system saw and the stream left out, as far as that is known by now."""
        now = self._clock.now()
        if now - self._counted_at >= _COUNT_SECONDS and not self._ended:
            self._counted_at = now
            with suppress(DesktopError):
                self._compare(self._seen(), final=False)
        return self._compared.lost

    def _call_witness(self) -> None:
        """Count from here on, where the server can; what happened before is in neither count."""
        try:
            self._witness = Witness(self._name)
        except DesktopError:
            # Without the extension the marks alone say that the stream is whole.
            return
        self._mark().wait(_START_SECONDS)
        # In this order a release in between makes the stream look richer, never poorer.
        released = self._released
        self._base = self._witness.count(), released

    def _seen(self) -> int:
        return 0 if self._witness is None else self._witness.count() - self._base[0]

    def _compare(self, seen: int, *, final: bool) -> None:
        self._compared.look(seen, self._released - self._base[1], self._clock.now(), final=final)

    def _prove(self) -> None:
        if not self._begun.wait(_START_SECONDS) or not self._mark().wait(_START_SECONDS):
            raise self.failure or DesktopError(
                f"No input events arrive from {self._name}.", "Another program may block the RECORD extension."
            )

    def _shut(self) -> None:
        self._stopping = True
        if self._thread is not None:
            with suppress(DesktopError), self._control.use() as display:
                display.record_disable_context(self._context)
                display.sync()
        self._join()
        self._ended = True

    def _join(self) -> None:
        if self._thread is not None:
            self._thread.join(_JOIN_SECONDS)
            if self._thread.is_alive() and self._data is not None:
                self._data.abort()
                self._thread.join(_JOIN_SECONDS)
        if self._data is not None:
            self._data.close()
        if self._witness is not None:
            self._witness.close()
        self._control.close()

    def _mark(self) -> threading.Event:
        """Send a mark through the stream; the event is set when it comes by."""
        token = f"echo{os.getpid():08x}{next(self._numbers):08x}".encode()
        seen = self._marks[token] = threading.Event()
        with self._control.use() as display:
            _Marker(display=display.display, data=token)
            display.sync()
        return seen

    def _create_context(self) -> int:
        with self._control.use() as display:
            if not display.has_extension("RECORD"):
                raise DesktopError(f"The display {self._name} does not let input be recorded (RECORD is missing).")
            ranges = [
                _range(core_requests=(CHANGE_KEYBOARD_MAPPING,) * 2, device_events=(KEY_PRESS, MOTION)),
                _range(core_requests=(NO_OPERATION,) * 2),
            ]
            xkb = display.query_extension("XKEYBOARD")
            if xkb is not None and xkb.present:
                major = xkb.major_opcode
                for minor in (_XKB_SET_MAP, _XKB_GET_KBD_BY_NAME):
                    ranges.append(_range(ext_requests=(major, major, minor, minor)))
            context = int(display.record_create_context(0, [record.AllClients], ranges))
            display.sync()
            return context

    def _calibrate(self) -> ServerTime:
        """Ask the server for its time a few times; the quickest answer is the most exact."""
        with self._control.use() as display:
            window = display.screen().root.create_window(
                0, 0, 1, 1, 0, X.CopyFromParent, window_class=X.InputOnly, event_mask=X.PropertyChangeMask
            )
            samples = [self._server_time(display, window) for _ in range(_CALIBRATIONS)]
            window.destroy()
        _, middle, milliseconds = min(samples)
        # The server cuts off fractions of its milliseconds.
        return ServerTime(milliseconds, middle - 0.0005)

    def _server_time(self, display: Display, window: Any) -> tuple[float, float, int]:
        before = self._clock.now()
        window.change_property(Xatom.WM_COMMAND, Xatom.STRING, 8, b"")
        event = display.next_event()
        while event.type != X.PropertyNotify:
            event = display.next_event()
        after = self._clock.now()
        return after - before, (before + after) / 2, int(event.time)

    def _listen(self) -> None:
        assert self._data is not None
        try:
            for message in RecordStream(self._data, self._context).messages():
                self._take(message)
            if not self._stopping:
                self.failure = DesktopError(f"The desktop {self._name} stopped sending input events.")
        except DesktopError as fault:
            self.failure = fault
        finally:
            self._begun.set()

    def _take(self, reply: Recorded) -> None:
        self._arrived += 1
        if reply.category == START_OF_DATA:
            self._begun.set()
        elif reply.category == FROM_SERVER:
            self._released += releases(reply.data)
            for event in self._translator.events(reply.data):
                self._sink(event)
        elif reply.category == FROM_CLIENT:
            big_endian = reply.client_swapped != (sys.byteorder == "big")
            for request in split_requests(reply.data, big_endian):
                self._note(request, big_endian)

    def _note(self, request: Request, big_endian: bool) -> None:
        if request.code == CHANGE_KEYBOARD_MAPPING:
            for code, keysyms in changed_keys(request, big_endian).items():
                self._translator.keymap.change(code, keysyms)
        elif request.code == NO_OPERATION:
            seen = self._marks.pop(request.body, None)
            if seen is not None:
                seen.set()
        else:
            self._reload()

    def _reload(self) -> None:
        """Read the whole map anew: another layout was loaded."""
        try:
            self._translator.keymap = self._control.read_keymap()
        except DesktopError as fault:
            self.failure = fault


def _range(
    core_requests: tuple[int, ...] = (0, 0),
    ext_requests: tuple[int, ...] = (0, 0, 0, 0),
    device_events: tuple[int, int] = (0, 0),
) -> dict[str, object]:
    return {
        "core_requests": core_requests,
        "core_replies": (0, 0),
        "ext_requests": ext_requests,
        "ext_replies": (0, 0, 0, 0),
        "delivered_events": (0, 0),
        "device_events": device_events,
        "errors": (0, 0),
        "client_started": False,
        "client_died": False,
    }
