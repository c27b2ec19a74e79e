"""The crops round a pointer target: boxes into a stored frame, clipped to the window under the point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from echostudio.codec import Pixels
from echostudio.episode.evidence import Crop, CropKind, CropVariant
from echostudio.episode.frame import PictureRef
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.settings import ReaimSettings

_SAME_PLACE = 0.5
_SMALLEST = 3


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
    """Whether two frames show the same thing in ``box``, a highlight apart.

    Edges are compared, whichever side is the lighter one, since a highlight often turns dark on light into light on
    dark. An approach frame from before something else was shown there is no evidence.
    """
    if one.shape != two.shape or box.width < _SMALLEST or box.height < _SMALLEST:
        return False
    first, second = (_edges(pixels[box.y : box.bottom, box.x : box.right]) for pixels in (one, two))
    energy = float(np.sqrt((first * first).sum() * (second * second).sum()))
    if energy == 0.0:
        return not first.any() and not second.any()
    return float((first * second).sum()) / energy >= _SAME_PLACE


def _edges(pixels: Pixels) -> NDArray[np.float32]:
    """Return the strength of the edge at each pixel but the last row and column."""
    luma = pixels.astype(np.float32).mean(axis=2)
    across, down = np.abs(np.diff(luma, axis=1))[:-1], np.abs(np.diff(luma, axis=0))[:, :-1]
    return np.asarray(across + down, dtype=np.float32)
