"""Keeping this program's own windows out of what is seen on the person's screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, Protocol, runtime_checkable

from echostudio.episode.frame import Frame
from echostudio.episode.geometry import DesktopBox

OwnBoxes = Callable[[], Sequence[DesktopBox]]
COVER: Final = (64, 64, 64)


@runtime_checkable
class HidesOwnWindows(Protocol):
    """A desktop whose frames cover given boxes; set ``own_boxes`` before anything is grabbed."""

    own_boxes: OwnBoxes | None


def covered(frame: Frame, boxes: Sequence[DesktopBox]) -> Frame:
    """Return the frame with solid grey over these boxes; the same frame when none of them lies on it.

    The grey is the same whatever the windows show, so that their changes are never seen as changes of the screen.
    """
    found = [frame.screen.box_to_frame(box).clipped(frame.box) for box in boxes if box.width and box.height]
    shown = [box for box in found if box.width and box.height]
    if not shown:
        return frame
    pixels = frame.pixels.copy()
    for box in shown:
        pixels[box.y : box.bottom, box.x : box.right] = COVER
    return replace(frame, pixels=pixels)
