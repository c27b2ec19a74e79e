"""The crops round a pointer target: boxes into a stored frame, clipped to the window under the point."""

from __future__ import annotations

import numpy as np

from echostudio.codec import Pixels
from echostudio.episode.evidence import Crop, CropKind, CropVariant
from echostudio.episode.frame import PictureRef
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.settings import ReaimSettings

_SAME_PLACE = 0.6
_FLAT = 1e-6


def sizes(policy: ReaimSettings) -> dict[CropKind, int]:
    """Return the edge of each crop in frame pixels, smallest first."""
    return {
        CropKind.TARGET: policy.target_crop,
        CropKind.CONTEXT: policy.context_crop,
        CropKind.WIDE: policy.wide_crop,
    }


def box_around(point: FramePoint, size: int, picture: FrameBox, window: FrameBox | None) -> FrameBox:
    """Return the square round ``point``, clipped to the picture and to the window when the point lies in it."""
    half = size // 2
    box = FrameBox(point.x - half, point.y - half, size, size).clipped(picture)
    if window is not None and window.contains(point):
        box = box.clipped(window)
    return box


def cut(
    picture: PictureRef,
    point: FramePoint,
    window: FrameBox | None,
    policy: ReaimSettings,
    variant: CropVariant = CropVariant.BEFORE,
) -> tuple[Crop, ...]:
    """Return the target, context and wide crop of one stored frame; none when the point lies outside it."""
    whole = FrameBox(0, 0, picture.width, picture.height)
    if not whole.contains(point):
        return ()
    return tuple(
        Crop(kind, variant, picture, box_around(point, size, whole, window), point)
        for kind, size in sizes(policy).items()
    )


def widened(picture: PictureRef, point: FramePoint, window: FrameBox | None, size: int, variant: CropVariant) -> Crop:
    """Return a crop of any larger size, for targets that are not unique in their usual surroundings."""
    box = box_around(point, size, FrameBox(0, 0, picture.width, picture.height), window)
    return Crop(CropKind.WIDENED, variant, picture, box, point)


def same_place(one: Pixels, two: Pixels, box: FrameBox) -> bool:
    """Whether two frames show the same thing in ``box``, highlight apart: a strongly correlated luma.

    An approach frame from before a window opened shows something else there, and is no evidence.
    """
    if one.shape != two.shape or box.width <= 0 or box.height <= 0:
        return False
    first, second = (
        pixels[box.y : box.bottom, box.x : box.right].astype(np.float32).mean(axis=2) for pixels in (one, two)
    )
    first, second = first - first.mean(), second - second.mean()
    energy = float(np.sqrt((first * first).sum() * (second * second).sum()))
    if energy < _FLAT:
        return bool(np.abs(first - second).max() < 1.0)
    return float((first * second).sum()) / energy >= _SAME_PLACE
