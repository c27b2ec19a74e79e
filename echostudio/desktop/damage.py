"""Which part of an X screen was painted since it was last asked, through the DAMAGE extension.

A question costs one exchange with the server while nothing is painted, and two when something was. It is exact: the
server reports a painting before it answers anything asked after it.
"""

from __future__ import annotations

from Xlib import X
from Xlib.display import Display
from Xlib.ext import damage, randr
from Xlib.protocol import rq

from echostudio.desktop.connection import Connection
from echostudio.episode.geometry import DesktopBox
from echostudio.errors import DesktopError

NOTHING = DesktopBox(0, 0, 0, 0)
_SCREEN_EVENTS = randr.RRScreenChangeNotifyMask | randr.RRCrtcChangeNotifyMask | randr.RROutputChangeNotifyMask


class DamageReport:
    """Watches the whole screen over a connection of its own; used by one thread at a time.

    Raises ``DesktopError`` when the display is gone or has no DAMAGE extension.
    """

    def __init__(self, display: str) -> None:
        self._connection = Connection(display)
        self._arranged = True
        with self._connection.use() as server:
            if not server.has_extension("DAMAGE"):
                raise DesktopError(f"The display {display} does not tell what it paints (DAMAGE is missing).")
            server.damage_query_version()
            self._event = int(server.extension_event.DamageNotify)
            root = server.screen().root
            self._damage = root.damage_create(damage.DamageReportBoundingBox)
            # A new monitor that leaves the size alone shows only as a configure event of the root.
            root.change_attributes(event_mask=X.StructureNotifyMask)
            if server.has_extension("RANDR"):
                root.xrandr_select_input(_SCREEN_EVENTS)
            server.sync()

    def painted(self) -> DesktopBox:
        """Return the box of everything painted since the last call, ``NOTHING`` when nothing was."""
        with self._connection.use() as server:
            server.sync()
            box = NOTHING
            while server.pending_events():
                box = self._joined(box, server.next_event())
            if box != NOTHING:
                # Cleared before the picture is taken: what is painted from here on is in it, or is reported anew.
                server.damage_subtract(self._damage)
                _exchange(server)
            return box

    def rearranged(self) -> bool:
        """Whether monitors or the screen's size may have changed since the last call; call after ``painted``."""
        changed, self._arranged = self._arranged, False
        return changed

    def close(self) -> None:
        """Let go of the connection; safe to call twice."""
        self._connection.close()

    def _joined(self, box: DesktopBox, event: rq.Event) -> DesktopBox:
        if event.type != self._event:
            self._arranged = True
            return box
        area = event.area
        return joined(box, DesktopBox(area["x"], area["y"], area["width"], area["height"]))


def joined(one: DesktopBox, two: DesktopBox) -> DesktopBox:
    """Return the smallest box that holds both; an empty one adds nothing."""
    if not one.width or not one.height:
        return two
    if not two.width or not two.height:
        return one
    left, top = min(one.x, two.x), min(one.y, two.y)
    right, bottom = max(one.x + one.width, two.x + two.width), max(one.y + one.height, two.y + two.height)
    return DesktopBox(left, top, right - left, bottom - top)


def _exchange(server: Display) -> None:
    """Wait until the server has done everything asked so far; events that come meanwhile stay in the queue."""
    server.get_input_focus()
