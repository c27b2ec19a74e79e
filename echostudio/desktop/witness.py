"""A second look at the person's input: how often keys and buttons were let go, counted by the XInput extension.

Raw events come before grabs and independently of RECORD, so a stream that lost something shows. Releases are counted,
since the server repeats only presses; moves are not, since there are too many of them. Filters of the keyboard for
slow or bouncing keys swallow keys after they were counted here.
"""

from __future__ import annotations

from Xlib.ext import ge, xinput

from echostudio.desktop.connection import Connection
from echostudio.errors import DesktopError

_EXTENSION = "XInputExtension"
_STILL_SECONDS = 0.5


class Witness:
    """Counts releases on a connection of its own; raises ``DesktopError`` when the display has no XInput 2.1."""

    def __init__(self, display: str) -> None:
        self._connection = Connection(display)
        self._count = 0
        with self._connection.use() as server:
            if not server.has_extension(_EXTENSION):
                raise DesktopError(f"The display {display} has no XInput extension.")
            asked = xinput.XIQueryVersion(
                display=server.display,
                opcode=server.display.get_extension_major(_EXTENSION),
                major_version=2,
                minor_version=2,
            )
            if (asked.major_version, asked.minor_version) < (2, 1):
                raise DesktopError(f"The XInput extension of {display} is too old to count input.")
            mask = xinput.RawKeyReleaseMask | xinput.RawButtonReleaseMask
            server.screen().root.xinput_select_events([(xinput.AllMasterDevices, mask)])
            server.sync()

    def count(self) -> int:
        """Return how many releases there were up to now."""
        with self._connection.use() as server:
            server.sync()
            while server.pending_events():
                event = server.next_event()
                self._count += event.type == ge.GenericEventCode and event.evtype in (
                    xinput.RawKeyRelease,
                    xinput.RawButtonRelease,
                )
        return self._count

    def close(self) -> None:
        """Let go of the connection; safe to call twice."""
        self._connection.close()


class Comparison:
    """Compares what was delivered with what a witness saw, once neither has moved for half a second.

    While input flows, some of it is still on the way; only a difference that stays is a loss.
    """

    def __init__(self) -> None:
        self.lost = 0
        self._last = (0, 0)
        self._since = float("-inf")

    def look(self, seen: int, delivered: int, now: float, *, final: bool = False) -> int:
        """Take both counts at ``now`` (clock seconds) and return how many were lost as far as is known."""
        if (seen, delivered) != self._last:
            self._last, self._since = (seen, delivered), now
        if final or now - self._since >= _STILL_SECONDS:
            self.lost = max(self.lost, seen - delivered)
        return self.lost
