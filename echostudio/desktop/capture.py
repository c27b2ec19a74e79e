"""Pictures of an X screen through shared memory."""

from __future__ import annotations

import threading

import mss
import numpy as np
from mss.exception import ScreenShotError
from numpy.typing import NDArray

from echostudio.cancel import Clock
from echostudio.desktop.connection import Connection
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import DesktopBox, FramePoint, Monitor, ScreenMap
from echostudio.errors import DesktopError


class Capture:
    """Grabs whole screens, from any thread; follows changes of the screen's size."""

    def __init__(self, connection: Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._lock = threading.Lock()
        self._source: mss.MSS | None = None
        self._screen: ScreenMap | None = None

    def screen_map(self) -> ScreenMap:
        """Read the present monitors."""
        with self._connection.use() as display:
            root = display.screen().root
            listed = root.xrandr_get_monitors().monitors if hasattr(root, "xrandr_get_monitors") else ()
            boxes = [
                (display.get_atom_name(one.name), DesktopBox(one.x, one.y, one.width_in_pixels, one.height_in_pixels))
                for one in listed
            ]
            if not boxes:
                size = root.get_geometry()
                boxes = [("screen", DesktopBox(0, 0, size.width, size.height))]
        return arrange(boxes)

    def grab(self) -> Frame:
        """Capture the whole screen without the pointer; raise ``DesktopError`` when it cannot."""
        with self._lock:
            screen = self.screen_map()
            if screen != self._screen:
                self._forget()
            try:
                return self._grab(screen)
            except ScreenShotError:
                # The size changed between the question and the picture, or the server lost the segment.
                self._forget()
            screen = self.screen_map()
            try:
                return self._grab(screen)
            except ScreenShotError as fault:
                self._forget()
                raise DesktopError(f"The screen {self._connection.name} cannot be captured: {fault}.") from fault

    def close(self) -> None:
        """Let go of the shared memory."""
        with self._lock:
            self._forget()

    def _grab(self, screen: ScreenMap) -> Frame:
        if self._source is None:
            self._source = mss.MSS(display=self._connection.name)
            self._screen = screen
        area = {
            "left": min(monitor.desktop.x for monitor in screen.monitors),
            "top": min(monitor.desktop.y for monitor in screen.monitors),
            "width": screen.frame_width,
            "height": screen.frame_height,
        }
        started = self._clock.now()
        shot = self._source.grab(area)
        taken = self._clock.now()
        return Frame(_rgb(shot.raw, shot.width, shot.height), taken, screen, started)

    def _forget(self) -> None:
        source, self._source, self._screen = self._source, None, None
        if source is not None:
            source.close()


def arrange(boxes: list[tuple[str, DesktopBox]]) -> ScreenMap:
    """Build the screen map of monitors at scale 1; the frame's origin is their common top left corner."""
    left = min(box.x for _, box in boxes)
    top = min(box.y for _, box in boxes)
    return ScreenMap(tuple(Monitor(name, box, FramePoint(box.x - left, box.y - top)) for name, box in boxes))


def _rgb(raw: bytearray, width: int, height: int) -> NDArray[np.uint8]:
    """Copy BGRX bytes into RGB, plane by plane: five times faster than one strided copy."""
    source = np.frombuffer(raw, np.uint8).reshape(height, width, 4)
    pixels = np.empty((height, width, 3), np.uint8)
    for plane in range(3):
        pixels[:, :, plane] = source[:, :, 2 - plane]
    return pixels
