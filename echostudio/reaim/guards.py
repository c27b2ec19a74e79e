"""Reasons to refuse that correlation cannot see: blank frames, washed-out colours."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from echostudio.codec import Pixels
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.reaim.pyramid import ScaledCrop, Screen, resample

# A black or locked screen shows at most a pointer: 0.05 % of a full-HD frame is a square of 32 pixels.
_BLANK_SHARE = 0.0005
_BLANK_STEP = 3.0

LOWEST_CONTRAST = 0.66
HIGHEST_CONTRAST = 1.45
LOWEST_CHROMA = 0.55
# Mean chroma, in levels of 255, from which a picture counts as coloured.
COLOURED = 6.0
TINTED = 14.0
# Grey deviation from which the contrast of a square says something.
TEXTURED = 4.0
HALVES = (6, 10, 16)
_ROUND = ((0, 0), (0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))


def blank(screen: Screen) -> bool:
    """Whether the frame shows (nearly) one single colour: black, locked, asleep, or not drawn yet."""
    values = screen.coarse
    other = np.abs(values - np.median(values)) > _BLANK_STEP
    return bool(np.count_nonzero(other) < _BLANK_SHARE * values.size)


@dataclass(frozen=True, slots=True)
class Colours:
    """Contrast and chroma found, each as a share of what was recorded, and the mean chroma of both in levels."""

    contrast: float
    chroma_recorded: float
    chroma_found: float

    @property
    def shortfall(self) -> float:
        """By how much the nearest limit is missed, as a share; 0 or less when all hold."""
        low, high = LOWEST_CONTRAST - self.contrast, self.contrast - HIGHEST_CONTRAST
        faded = 0.0
        if self.chroma_recorded >= COLOURED:
            faded = LOWEST_CHROMA - self.chroma_found / self.chroma_recorded
        tinted = (self.chroma_found - 2 * self.chroma_recorded - TINTED) / 255
        return max(low, high, faded, tinted)

    @property
    def sentence(self) -> str:
        """What differs, in words."""
        if self.contrast < LOWEST_CONTRAST:
            return f"it is paler than recorded ({self.contrast:.0%} of its contrast)"
        if self.contrast > HIGHEST_CONTRAST:
            return f"it is stronger than recorded ({self.contrast:.0%} of its contrast)"
        if self.chroma_found < self.chroma_recorded:
            return f"its colour is gone ({self.chroma_found / self.chroma_recorded:.0%} of the recorded chroma)"
        return "it has a colour that it did not have when recorded"


def colours(screen: Screen, crop: ScaledCrop, point: FramePoint, scale: float) -> Colours | None:
    """Compare squares round the click with those round ``point``; return the one that differs most.

    Several sizes, because a small widget fills only a small square and a large one shows nothing in it. The recorded
    square is resampled to the found scale first, so that both lost the same detail. None when the place leaves the
    frame.
    """
    worst: Colours | None = None
    for half in HALVES:
        seen = _square(screen, crop, point, scale, half)
        if seen is None:
            return None
        if worst is None or seen.shortfall > worst.shortfall:
            worst = seen
    return worst


def _square(screen: Screen, crop: ScaledCrop, point: FramePoint, scale: float, half: int) -> Colours | None:
    """Compare one square; of the places one pixel round ``point`` the most similar counts."""
    inside = crop.crop.point
    area = FrameBox(inside.x - half, inside.y - half, 2 * half + 1, 2 * half + 1).clipped(
        FrameBox(0, 0, crop.width, crop.height)
    )
    width, height = max(1, round(area.width * scale)), max(1, round(area.height * scale))
    recorded = resample(crop.pixels[area.y : area.bottom, area.x : area.right], width, height)
    left = round(point.x - (inside.x - area.x) * scale)
    top = round(point.y - (inside.y - area.y) * scale)
    best: Colours | None = None
    for dy, dx in _ROUND:
        box = FrameBox(left + dx, top + dy, width, height)
        if box.clipped(screen.box) != box:
            continue
        seen = _compare(recorded, screen.pixels[box.y : box.bottom, box.x : box.right])
        if best is None or seen.shortfall < best.shortfall:
            best = seen
        if best.shortfall <= 0:
            break
    return best


def _compare(recorded: Pixels, found: Pixels) -> Colours:
    before, now = _deviation(recorded), _deviation(found)
    return Colours(now / before if before >= TEXTURED else 1.0, _chroma(recorded), _chroma(found))


def _deviation(pixels: Pixels) -> float:
    return float(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).std())


def _chroma(pixels: Pixels) -> float:
    levels: NDArray[np.int16] = pixels.astype(np.int16)
    return float((levels.max(axis=2) - levels.min(axis=2)).mean())
