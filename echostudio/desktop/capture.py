"""Pictures of an X screen through shared memory; only what was painted since the last picture is read again."""

from __future__ import annotations

import threading

import mss
import numpy as np
from mss.exception import ScreenShotError

from echostudio import codec
from echostudio.cancel import Clock
from echostudio.desktop.connection import Connection
from echostudio.desktop.damage import NOTHING, DamageReport
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import DesktopBox, FrameBox, FramePoint, Monitor, ScreenMap
from echostudio.errors import DesktopError

# Some drivers paint without reporting it: now and then the whole screen is read and compared.
_PROOF_SECONDS = 1.0
# Above this part of the screen, reading it whole is cheaper than patching.
_MOST_PATCHED = 0.6


class Capture:
    """Grabs whole screens, from any thread; follows changes of the screen's size.

    Consecutive frames of an unchanged screen share one array, so the pixels of a frame must never be written to.
    """

    def __init__(self, connection: Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._lock = threading.Lock()
        self._source: mss.MSS | None = None
        self._screen: ScreenMap | None = None
        self._last: codec.Pixels | None = None
        self._report: DamageReport | None = None
        self._trusted = True
        self._proved = float("-inf")

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
            started = self._clock.now()
            painted = self._painted()
            screen = self._present_map()
            try:
                return self._grab(screen, started, painted)
            except ScreenShotError:
                # The size changed between the question and the picture, or the server lost the segment.
                self._forget()
            screen = self.screen_map()
            try:
                return self._grab(screen, started, None)
            except ScreenShotError as fault:
                self._forget()
                raise DesktopError(f"The screen {self._connection.name} cannot be captured: {fault}.") from fault

    def close(self) -> None:
        """Let go of the shared memory."""
        with self._lock:
            self._forget()
            self._distrust()

    def _painted(self) -> DesktopBox | None:
        """Return what was painted since the last frame, None when only the whole screen tells."""
        if not self._trusted:
            return None
        if self._report is None:
            try:
                self._report = DamageReport(self._connection.name)
            except DesktopError:
                self._distrust()
                return None
            self._last = None
        return self._report.painted()

    def _present_map(self) -> ScreenMap:
        if self._screen is not None and self._report is not None and not self._report.rearranged():
            return self._screen
        screen = self.screen_map()
        if screen != self._screen:
            self._forget()
        return screen

    def _grab(self, screen: ScreenMap, started: float, painted: DesktopBox | None) -> Frame:
        if self._source is None:
            self._source = mss.MSS(display=self._connection.name)
            self._screen, self._last = screen, None
        whole = _whole(screen)
        due = started - self._proved >= _PROOF_SECONDS
        if self._last is None or painted is None or (due and painted == NOTHING):
            return self._read_whole(self._source, screen, started, painted)
        part = FrameBox(painted.x - whole.x, painted.y - whole.y, painted.width, painted.height)
        part = part.clipped(FrameBox(0, 0, whole.width, whole.height))
        if part.width * part.height > _MOST_PATCHED * whole.width * whole.height:
            return self._read_whole(self._source, screen, started, painted)
        if part.width and part.height:
            self._last = _patched(self._last, part, _read(self._source, _placed(part, whole)))
        return Frame(self._last, self._clock.now(), screen, started)

    def _read_whole(self, source: mss.MSS, screen: ScreenMap, started: float, painted: DesktopBox | None) -> Frame:
        pixels = _read(source, _whole(screen))
        taken = self._clock.now()
        last, self._last, self._proved = self._last, pixels, taken
        if last is not None and last.shape == pixels.shape and np.array_equal(last, pixels):
            self._last = last
        elif last is not None and painted == NOTHING and self._report is not None:
            # Painted between the question and the picture, or painted without a word.
            if self._report.painted() == NOTHING:
                self._distrust()
            self._last = None
        return Frame(pixels if self._last is None else self._last, taken, screen, started)

    def _distrust(self) -> None:
        """Stop asking what was painted: this server does not tell, or not all of it."""
        report, self._report, self._trusted = self._report, None, False
        if report is not None:
            report.close()

    def _forget(self) -> None:
        source, self._source, self._screen, self._last = self._source, None, None, None
        if source is not None:
            source.close()


def arrange(boxes: list[tuple[str, DesktopBox]]) -> ScreenMap:
    """Build the screen map of monitors at scale 1; the frame's origin is their common top left corner."""
    left = min(box.x for _, box in boxes)
    top = min(box.y for _, box in boxes)
    return ScreenMap(tuple(Monitor(name, box, FramePoint(box.x - left, box.y - top)) for name, box in boxes))


def _whole(screen: ScreenMap) -> DesktopBox:
    left = min(monitor.desktop.x for monitor in screen.monitors)
    top = min(monitor.desktop.y for monitor in screen.monitors)
    return DesktopBox(left, top, screen.frame_width, screen.frame_height)


def _placed(part: FrameBox, whole: DesktopBox) -> DesktopBox:
    return DesktopBox(whole.x + part.x, whole.y + part.y, part.width, part.height)


def _read(source: mss.MSS, box: DesktopBox) -> codec.Pixels:
    shot = source.grab({"left": box.x, "top": box.y, "width": box.width, "height": box.height})
    return codec.rgb_of_bgrx(shot.raw, shot.width, shot.height)


def _patched(last: codec.Pixels, part: FrameBox, pixels: codec.Pixels) -> codec.Pixels:
    """Return the last picture with a part of it read anew; the same array when that changed nothing."""
    there = (slice(part.y, part.bottom), slice(part.x, part.right))
    if np.array_equal(last[there], pixels):
        return last
    patched = last.copy()
    patched[there] = pixels
    return patched
