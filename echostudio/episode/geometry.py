"""Places on screens. A coordinate carries its space in its type, and only a ``ScreenMap`` converts.

Frame space: pixels of a captured frame, origin at its top left, never negative for a pixel that exists.
Desktop space: what a controller takes; may be negative, and may be scaled against frame pixels.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FramePoint:
    """A pixel of a captured frame."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class DesktopPoint:
    """A place that a controller takes; may be negative."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class FrameBox:
    """A box of frame pixels; ``x``, ``y`` is the top left corner."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """First column right of the box."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """First row below the box."""
        return self.y + self.height

    @property
    def center(self) -> FramePoint:
        """The middle pixel."""
        return FramePoint(self.x + self.width // 2, self.y + self.height // 2)

    def contains(self, point: FramePoint) -> bool:
        """Whether the pixel lies inside."""
        return self.x <= point.x < self.right and self.y <= point.y < self.bottom

    def clipped(self, other: FrameBox) -> FrameBox:
        """The common part of both boxes; width or height is 0 when there is none."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return FrameBox(left, top, max(0, right - left), max(0, bottom - top))

    def grown(self, pixels: int) -> FrameBox:
        """The box with a border of ``pixels`` on every side."""
        return FrameBox(self.x - pixels, self.y - pixels, self.width + 2 * pixels, self.height + 2 * pixels)

    def overlaps(self, other: FrameBox) -> bool:
        """Whether the boxes share a pixel."""
        common = self.clipped(other)
        return common.width > 0 and common.height > 0


@dataclass(frozen=True, slots=True)
class DesktopBox:
    """A box in desktop space."""

    x: int
    y: int
    width: int
    height: int

    def contains(self, point: DesktopPoint) -> bool:
        """Whether the place lies inside."""
        return self.x <= point.x < self.x + self.width and self.y <= point.y < self.y + self.height


@dataclass(frozen=True, slots=True)
class Monitor:
    """One monitor: its box in desktop space, where its pixels lie in a frame, and frame pixels per desktop unit."""

    name: str
    desktop: DesktopBox
    frame_origin: FramePoint
    scale: float = 1.0

    @property
    def frame_box(self) -> FrameBox:
        """The monitor's pixels in a frame."""
        return FrameBox(
            self.frame_origin.x,
            self.frame_origin.y,
            round(self.desktop.width * self.scale),
            round(self.desktop.height * self.scale),
        )


@dataclass(frozen=True, slots=True)
class ScreenMap:
    """All monitors of a desktop; the only thing that converts between the two spaces.

    A place outside every monitor is converted by the nearest one.
    """

    monitors: tuple[Monitor, ...]

    @classmethod
    def single(cls, width: int, height: int, name: str = "screen") -> ScreenMap:
        """One monitor at the origin, one pixel per unit."""
        return cls((Monitor(name, DesktopBox(0, 0, width, height), FramePoint(0, 0)),))

    @property
    def frame_width(self) -> int:
        """Width of a whole frame in pixels."""
        return max(monitor.frame_box.right for monitor in self.monitors)

    @property
    def frame_height(self) -> int:
        """Height of a whole frame in pixels."""
        return max(monitor.frame_box.bottom for monitor in self.monitors)

    def to_desktop(self, point: FramePoint) -> DesktopPoint:
        """Convert a frame pixel into the place a controller takes."""
        monitor = min(self.monitors, key=lambda m: _gap(point.x, point.y, m.frame_box))
        return DesktopPoint(
            monitor.desktop.x + int((point.x - monitor.frame_origin.x) // monitor.scale),
            monitor.desktop.y + int((point.y - monitor.frame_origin.y) // monitor.scale),
        )

    def to_frame(self, point: DesktopPoint) -> FramePoint:
        """Convert a controller's place into a frame pixel (the first pixel of that place)."""
        monitor = min(self.monitors, key=lambda m: _gap(point.x, point.y, m.desktop))
        return FramePoint(
            monitor.frame_origin.x + _ceil((point.x - monitor.desktop.x) * monitor.scale),
            monitor.frame_origin.y + _ceil((point.y - monitor.desktop.y) * monitor.scale),
        )

    def box_to_frame(self, box: DesktopBox) -> FrameBox:
        """Convert a box; its corners are converted one by one."""
        first = self.to_frame(DesktopPoint(box.x, box.y))
        last = self.to_frame(DesktopPoint(box.x + max(0, box.width - 1), box.y + max(0, box.height - 1)))
        return FrameBox(first.x, first.y, last.x - first.x + 1, last.y - first.y + 1)


def _gap(x: int, y: int, box: FrameBox | DesktopBox) -> int:
    """Squared distance from a place to a box; 0 inside."""
    across = max(box.x - x, 0, x - (box.x + box.width - 1))
    down = max(box.y - y, 0, y - (box.y + box.height - 1))
    return across * across + down * down


def _ceil(value: float) -> int:
    return -int(-value // 1)
