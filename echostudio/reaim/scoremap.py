"""Scores of one scaled crop at every place of a plane, and what can be read off such a map.

The score is the mean-subtracted normalised correlation (``TM_CCOEFF_NORMED``): 1 is the same picture up to brightness
and contrast, 0 is no relation. Windows that are flat score 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.episode.verdict import Candidate
from echostudio.reaim.pyramid import Plane, Template, deviation, narrow_deviation

EXCLUDED = -2.0


def scores(values: Plane, template: Template, floor: float, spread: Plane | None = None) -> Plane:
    """Score the template at every place of ``values`` where it lies wholly inside.

    Args:
        values: Grey plane round zero.
        template: The scaled crop.
        floor: Windows with a smaller grey deviation score 0.
        spread: Window deviations for this template size, where they are at hand already.

    Returns:
        float32 map of shape (rows - height + 1, columns - width + 1), indexed by the top left pixel.
    """
    shared = cv2.matchTemplate(values, template.unit, cv2.TM_CCORR)
    if template.weight is not None:
        spread = _masked_deviation(values, template.weight, floor)
    elif spread is None:
        spread = deviation(values, template.width, template.height, floor)
    found = np.asarray(cv2.divide(shared, spread, dst=shared), dtype=np.float32)
    return np.minimum(found, np.float32(1), out=found)


def _masked_deviation(values: Plane, weight: Plane, floor: float) -> Plane:
    count = float(weight.sum())
    mean = cv2.matchTemplate(values, weight, cv2.TM_CCORR) / count
    square = cv2.matchTemplate(cv2.multiply(values, values), weight, cv2.TM_CCORR) / count
    variance = square - mean * mean
    np.copyto(variance, np.inf, where=variance < floor * floor)
    return np.asarray(np.sqrt(variance), dtype=np.float32)


@dataclass(eq=False, slots=True)
class ScoreMap:
    """A score map at one scale: ``values`` by top left pixel of a box of ``width`` x ``height`` at ``origin``."""

    values: Plane
    scale: float
    width: int
    height: int
    offset: FramePoint
    origin: FramePoint = FramePoint(0, 0)

    def candidate(self, column: int, row: int) -> Candidate:
        """The candidate at one place of the map."""
        box = FrameBox(self.origin.x + column, self.origin.y + row, self.width, self.height)
        return Candidate(float(self.values[row, column]), box, self.scale)

    def best(self, window: FrameBox | None = None) -> Candidate | None:
        """The highest score whose click lies in ``window`` (frame pixels); None when there is no such place."""
        left, top, part = 0, 0, self.values
        if window is not None:
            left = max(0, window.x - self.offset.x - self.origin.x)
            top = max(0, window.y - self.offset.y - self.origin.y)
            right = max(left, window.right - self.offset.x - self.origin.x)
            bottom = max(top, window.bottom - self.offset.y - self.origin.y)
            part = self.values[top:bottom, left:right]
        if part.size == 0:
            return None
        _, score, _, (column, row) = cv2.minMaxLoc(part)
        if score <= EXCLUDED:
            return None
        return self.candidate(left + column, top + row)

    def exclude(self, box: FrameBox) -> None:
        """Rule out every place whose box would overlap ``box``."""
        left = max(0, box.x - self.width + 1 - self.origin.x)
        top = max(0, box.y - self.height + 1 - self.origin.y)
        right, bottom = max(0, box.right - self.origin.x), max(0, box.bottom - self.origin.y)
        self.values[top:bottom, left:right] = EXCLUDED

    def near_twin(self, best: Candidate, apart: int, within: float) -> Candidate | None:
        """The highest separate peak that overlaps ``best`` but lies at least ``apart`` pixels from it.

        None when it scores less than ``best`` minus ``within``.

        A shifted copy inside the excluded area (the next row of a list) would otherwise be invisible to the margin.
        """
        column, row = best.box.x - self.origin.x, best.box.y - self.origin.y
        left, top = max(0, column - self.width + 1), max(0, row - self.height + 1)
        part = self.values[top : row + self.height, left : column + self.width]
        peaks = np.where(part >= cv2.dilate(part, np.ones((3, 3), np.uint8)), part, np.float32(EXCLUDED))
        row, column = row - top, column - left
        peaks[max(0, row - apart + 1) : row + apart, max(0, column - apart + 1) : column + apart] = EXCLUDED
        _, score, _, (x, y) = cv2.minMaxLoc(peaks)
        return self.candidate(left + x, top + y) if score > max(0.0, best.score - within) else None


def local_map(values: Plane, template: Template, center: FramePoint, reach: int, floor: float) -> ScoreMap | None:
    """Score the template only where its box's middle lies within ``reach`` pixels of ``center``."""
    left, top = center.x - template.width // 2 - reach, center.y - template.height // 2 - reach
    right, bottom = left + template.width + 2 * reach + 1, top + template.height + 2 * reach + 1
    left, top = max(0, left), max(0, top)
    patch = values[top : max(0, bottom), left : max(0, right)]
    if patch.shape[0] < template.height or patch.shape[1] < template.width:
        return None
    spread = narrow_deviation(patch, template.width, template.height, floor) if template.weight is None else None
    found = scores(patch, template, floor, spread)
    return ScoreMap(found, template.scale, template.width, template.height, template.offset, FramePoint(left, top))


def whole_map(values: Plane, template: Template, floor: float) -> ScoreMap:
    """Score the template at every place of the plane."""
    found = scores(values, template, floor)
    return ScoreMap(found, template.scale, template.width, template.height, template.offset)
