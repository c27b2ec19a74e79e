"""What the Lab sees beyond a replay's verdict: every crop's sighting, the score map, the curve over the scales."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from echostudio.cancel import CancelToken
from echostudio.codec import Pixels
from echostudio.episode.evidence import CropKind, CropVariant
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import FrameBox
from echostudio.episode.verdict import CropMatch, ReaimResult
from echostudio.reaim import CropPicture, TargetPictures
from echostudio.reaim.judgement import judge
from echostudio.reaim.lab import heatmap as draw
from echostudio.reaim.match import find
from echostudio.reaim.pyramid import ScaledCrop, Screen
from echostudio.reaim.request import Request
from echostudio.settings import ReaimSettings

# Red, green, blue, opacity (all 0 to 1) at some scores: what lies far below is dimmed, what may be accepted glows.
_STOPS = (
    (0.00, (0.05, 0.07, 0.14, 0.64)),
    (0.35, (0.12, 0.10, 0.30, 0.60)),
    (0.60, (0.38, 0.16, 0.56, 0.58)),
    (0.78, (0.84, 0.26, 0.44, 0.66)),
    (0.90, (0.98, 0.58, 0.24, 0.80)),
    (1.00, (1.00, 0.94, 0.48, 0.92)),
)
ORDER = (CropKind.CONTEXT, CropKind.WIDE, CropKind.WIDENED, CropKind.TARGET)
_KEEP = 8


@dataclass(frozen=True, slots=True)
class ScalePoint:
    """Best and second best score of one crop at one scale, exact at both places."""

    scale: float
    best: float
    second: float


@dataclass(frozen=True, eq=False, slots=True)
class Heat:
    """The score map of one crop.

    Attributes:
        kind: Which crop.
        variant: Cut from which recorded frame.
        values: uint8 (rows, columns): the highest score over all scales of the crop with its middle there or beside it,
            0 to 255 for 0 to 1; one value stands for ``factor`` x ``factor`` pixels of the frame.
        factor: Frame pixels per value.
        curve: Best and second per scale, smallest scale first.
    """

    kind: CropKind
    variant: CropVariant
    values: Pixels
    factor: int
    curve: tuple[ScalePoint, ...]


def distinct_crops(pictures: TargetPictures) -> tuple[CropPicture, ...]:
    """Return the crops in the order in which they would decide, without those that repeat an earlier picture."""
    found: list[CropPicture] = []
    for variant in (CropVariant.APPROACH, CropVariant.BEFORE):
        of_kind = pictures.of_variant(variant)
        for kind in ORDER:
            crop = of_kind.get(kind)
            if crop is not None and not any(crop.same_picture(other) for other in found):
                found.append(crop)
    return tuple(found)


def survey(
    pixels: Pixels,
    pictures: TargetPictures,
    result: ReaimResult,
    policy: ReaimSettings,
    window: FrameBox | None = None,
    token: CancelToken | None = None,
) -> tuple[CropMatch, ...]:
    """Return what every crop saw: those that decided as they are, the others searched now; the target crop too.

    Raises ``Cancelled``.
    """
    known = {(one.kind, one.variant): one for one in result.crops}
    request = Request(pictures, policy, None, None, None, window, token or CancelToken(), _KEEP)
    screen = Screen(pixels)
    found = []
    for crop in distinct_crops(pictures):
        request.token.check()
        seen = known.get((crop.kind.value, crop.variant.value))
        if seen is None:
            scaled = ScaledCrop(crop, policy.flat_deviation)
            seen = judge(screen, scaled, find(screen, scaled, request), request).match()
        found.append(seen)
    return tuple(found)


def heatmap(frame: Frame, crop: CropPicture, policy: ReaimSettings, token: CancelToken | None = None) -> Heat:
    """Return where one crop fits how well, over the whole frame and all scales; raises ``Cancelled``."""
    found = draw(frame, crop, policy, token)
    curve = tuple(
        ScalePoint(one.scale, max(0.0, one.score), second)
        for one, second in zip(found.curve, found.seconds, strict=True)
    )
    return Heat(crop.kind, crop.variant, _spread(found.scores), found.factor, curve)


def _spread(values: Pixels) -> Pixels:
    """Let every value fill its neighbours where they are lower: a peak of one value could not be seen."""
    padded = np.pad(values, 1)
    rows, columns = values.shape
    around = [padded[y : y + rows, x : x + columns] for y in range(3) for x in range(3)]
    return np.asarray(np.maximum.reduce(around), dtype=np.uint8)


def ramp() -> NDArray[np.float64]:
    """Return the colours of a score map, (256, 4): red, green, blue, opacity from 0 to 1 for the values 0 to 255."""
    scale = np.linspace(0.0, 1.0, 256)
    at = [stop for stop, _ in _STOPS]
    return np.stack([np.interp(scale, at, [colour[part] for _, colour in _STOPS]) for part in range(4)], axis=1)


def painted(pixels: Pixels, heat: Heat) -> Pixels:
    """Return the picture with the score map laid over it."""
    height, width = pixels.shape[:2]
    rows, columns = np.arange(height) // heat.factor, np.arange(width) // heat.factor
    rows, columns = np.minimum(rows, heat.values.shape[0] - 1), np.minimum(columns, heat.values.shape[1] - 1)
    colours = ramp().astype(np.float32)[heat.values][rows][:, columns]
    share = colours[:, :, 3:]
    return np.asarray(pixels * (1 - share) + 255 * colours[:, :, :3] * share, dtype=np.uint8)
