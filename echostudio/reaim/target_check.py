"""The target check: does the small cut round the click look as recorded at the place that the surroundings imply?

Without it the surroundings alone accept nine of ten screens from which the target itself has gone.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.reaim.pyramid import ScaledCrop, Screen, plane, resample, template
from echostudio.reaim.scoremap import local_map
from echostudio.settings import ReaimSettings

# The same reach as for the cut, and what a wide crop can be off by at a neighbouring scale.
_WIDE_REACH = 6

REACH = 4
SCALE_STEPS = tuple(0.0125 * step for step in range(-3, 4))
# Below this much texture a cut would match many a shaded area.
TEXTURE = 2.0


@dataclass(frozen=True, slots=True)
class Cut:
    """A textured part of a crop at or near the click; ``box`` in pixels of the crop."""

    box: FrameBox


@dataclass(frozen=True, slots=True)
class Checked:
    """The best score of the cut near the implied place, and where it says the click is, in frame pixels."""

    score: float
    x: float
    y: float
    scale: float

    @property
    def point(self) -> FramePoint:
        """The click in whole pixels."""
        return FramePoint(round(self.x), round(self.y))


def textured_cut(crop: ScaledCrop, policy: ReaimSettings) -> Cut | None:
    """Return the cut round the click, or the nearest textured one when that is flat.

    A moved cut stays inside the area of the target crop round the click, so that it still shows the target or what
    touches it. None means the target is *weak*: nothing near the click can tell it.
    """
    size = min(policy.target_check_size, crop.width, crop.height)
    point = crop.crop.point
    left = min(max(0, point.x - size // 2), crop.width - size)
    top = min(max(0, point.y - size // 2), crop.height - size)
    reach = max(0, (policy.target_crop - size) // 2)
    usable = _textured(crop, size, policy.flat_deviation * TEXTURE)
    rows, columns = np.nonzero(usable[max(0, top - reach) : top + reach + 1, max(0, left - reach) : left + reach + 1])
    if rows.size == 0:
        return None
    rows, columns = rows + max(0, top - reach), columns + max(0, left - reach)
    nearest = int(np.argmin((rows - top) ** 2 + (columns - left) ** 2))
    return Cut(FrameBox(int(columns[nearest]), int(rows[nearest]), size, size))


def _textured(crop: ScaledCrop, size: int, floor: float) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Which cuts of that size, by top left pixel, have texture and no masked pixel."""
    corner = (0, 0)
    values = plane(crop.grey)
    mean = cv2.boxFilter(values, cv2.CV_32F, (size, size), anchor=corner, borderType=cv2.BORDER_CONSTANT)
    square = cv2.sqrBoxFilter(values, cv2.CV_32F, (size, size), anchor=corner, borderType=cv2.BORDER_CONSTANT)
    usable = square - mean * mean >= floor * floor
    if crop.crop.mask is not None:
        masked = cv2.boxFilter(
            crop.crop.mask.astype(np.float32), cv2.CV_32F, (size, size), anchor=corner, borderType=cv2.BORDER_CONSTANT
        )
        usable &= masked == 0
    rows, columns = crop.height - size + 1, crop.width - size + 1
    return np.asarray(usable[:rows, :columns])


def check(screen: Screen, crop: ScaledCrop, cut: Cut, box: FrameBox, policy: ReaimSettings) -> Checked | None:
    """Match the cut round the place implied by the crop lying in ``box``; None when that place leaves the frame."""
    part = crop.grey[cut.box.y : cut.box.bottom, cut.box.x : cut.box.right]
    point = crop.crop.point
    across, down = box.width / crop.width, box.height / crop.height
    middle = FramePoint(
        round(box.x + (cut.box.x + cut.box.width / 2) * across), round(box.y + (cut.box.y + cut.box.height / 2) * down)
    )
    best: Checked | None = None
    for step in SCALE_STEPS:
        edge = max(6, round(cut.box.width * (across + step)))
        scaled = template(resample(part, edge, edge), None, across + step, FramePoint(0, 0), policy.flat_deviation)
        found = local_map(screen.full, scaled, middle, REACH, policy.flat_deviation) if scaled else None
        place = found.best() if found else None
        if place is not None and (best is None or place.score > best.score):
            factor = edge / cut.box.width
            best = Checked(
                place.score,
                place.box.x + (point.x - cut.box.x + 0.5) * factor - 0.5,
                place.box.y + (point.y - cut.box.y + 0.5) * factor - 0.5,
                factor,
            )
    return best


def score_at(screen: Screen, crop: ScaledCrop, place: FramePoint, scale: float, policy: ReaimSettings) -> float | None:
    """How well a whole crop matches with its click at ``place``; None when it would not lie wholly in the frame."""
    scaled = crop.at(scale)
    if scaled is None:
        return None
    middle = FramePoint(place.x - scaled.offset.x + scaled.width // 2, place.y - scaled.offset.y + scaled.height // 2)
    found = local_map(screen.full, scaled, middle, _WIDE_REACH, policy.flat_deviation)
    best = found.best() if found else None
    return best.score if best else None
