"""Reasons to refuse that correlation cannot see: blank frames, washed-out colours."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from echostudio.codec import Pixels
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.reaim.pyramid import ScaledCrop, Screen, resample
from echostudio.settings import ReaimSettings

# A black or locked screen shows at most a pointer: 0.05 % of a full-HD frame is a square of 32 pixels.
_BLANK_SHARE = 0.0005
_BLANK_STEP = 3.0

LOWEST_CONTRAST = 0.72
HIGHEST_CONTRAST = 1.45
LOWEST_CHROMA = 0.55
# Mean chroma, in levels of 255, from which a picture counts as coloured.
COLOURED = 6.0
TINTED = 14.0


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


def colours(screen: Screen, crop: ScaledCrop, point: FramePoint, scale: float, policy: ReaimSettings) -> Colours | None:
    """Compare the area round the click with the same area round ``point``; None when it leaves the frame wholly.

    The recorded area is resampled to the found scale first, so that both lost the same detail.
    """
    half = policy.target_check_size * 2 // 3
    inside = crop.crop.point
    area = FrameBox(inside.x - half, inside.y - half, 2 * half + 1, 2 * half + 1).clipped(
        FrameBox(0, 0, crop.width, crop.height)
    )
    left = round(point.x - (inside.x - area.x) * scale)
    top = round(point.y - (inside.y - area.y) * scale)
    width, height = max(1, round(area.width * scale)), max(1, round(area.height * scale))
    seen = FrameBox(left, top, width, height).clipped(screen.box)
    if seen.width < width // 2 or seen.height < height // 2:
        return None
    recorded = resample(crop.pixels[area.y : area.bottom, area.x : area.right], width, height)
    recorded = recorded[seen.y - top : seen.bottom - top, seen.x - left : seen.right - left]
    found = screen.pixels[seen.y : seen.bottom, seen.x : seen.right]
    return _compare(recorded, found)


def _compare(recorded: Pixels, found: Pixels) -> Colours:
    before, now = _deviation(recorded), _deviation(found)
    return Colours(now / before if before > 0 else 1.0, _chroma(recorded), _chroma(found))


def _deviation(pixels: Pixels) -> float:
    return float(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).std())


def _chroma(pixels: Pixels) -> float:
    levels: NDArray[np.int16] = pixels.astype(np.int16)
    return float((levels.max(axis=2) - levels.min(axis=2)).mean())
