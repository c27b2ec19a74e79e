"""Pictures made ready for matching: the screen at full and coarse size, and a crop at any scale.

Grey values are 32-bit floats round zero (luma - 128), so that correlations by Fourier transform keep their precision.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from echostudio import codec
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.reaim.evidence import CropPicture, Mask
from echostudio.settings import ReaimSettings

Plane = NDArray[np.float32]

SMALLEST_EDGE = 8
SMALLEST_COARSE = 3
# A quarter of a picture is the least that can stand for the whole.
LEAST_SHOWN = 0.25
COARSE_FLOOR = 0.5
FACTOR = 4


def scales(policy: ReaimSettings) -> tuple[float, ...]:
    """All searched scales, smallest first: 0.5 to 2.0 by 0.05 with the default policy, 31 of them."""
    count = round((policy.scale_high - policy.scale_low) / policy.scale_step)
    return tuple(round(policy.scale_low + index * policy.scale_step, 6) for index in range(count + 1))


def plane(grey: codec.Pixels) -> Plane:
    """Return grey pixels as floats round zero."""
    return grey.astype(np.float32) - np.float32(128)


def deviation(values: Plane, width: int, height: int, floor: float) -> Plane:
    """Grey deviation of every window of that size, by its top left pixel; infinite where it lies under ``floor``.

    Infinite makes the score of a flat window exactly 0: it is no evidence.
    """
    size, corner = (width, height), (0, 0)
    mean = cv2.boxFilter(values, cv2.CV_32F, size, anchor=corner, borderType=cv2.BORDER_CONSTANT)
    square = cv2.sqrBoxFilter(values, cv2.CV_32F, size, anchor=corner, borderType=cv2.BORDER_CONSTANT)
    rows, columns = values.shape[0] - height + 1, values.shape[1] - width + 1
    inner = mean[:rows, :columns]
    variance = cv2.subtract(square[:rows, :columns], cv2.multiply(inner, inner))
    np.copyto(variance, np.inf, where=variance < floor * floor)
    return np.asarray(cv2.sqrt(variance), dtype=np.float32)


def narrow_deviation(values: Plane, width: int, height: int, floor: float) -> Plane:
    """The same for a plane hardly larger than the windows: the few sums come from one pair of integral images."""
    plain, squared = cv2.integral2(values, sdepth=cv2.CV_64F, sqdepth=cv2.CV_64F)
    count = float(width * height)
    mean = _window_sums(np.asarray(plain), width, height) / count
    variance = _window_sums(np.asarray(squared), width, height) / count - mean * mean
    variance[variance < floor * floor] = np.inf
    return np.sqrt(variance).astype(np.float32)


def _window_sums(sums: NDArray[np.float64], width: int, height: int) -> NDArray[np.float64]:
    return sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width] + sums[:-height, :-width]


class Screen:
    """A frame made ready once for all crops that are looked for in it.

    Attributes:
        pixels: RGB, uint8.
        grey: Luma, uint8.
        full: Luma as floats, full size.
        factor: How much the coarse picture is reduced.
    """

    def __init__(self, pixels: codec.Pixels) -> None:
        self.pixels = codec.rgb(pixels)
        self.grey = codec.grey(self.pixels)
        self.height, self.width = self.grey.shape
        self.full = plane(self.grey)
        self.factor = FACTOR
        size = (max(1, self.width // self.factor), max(1, self.height // self.factor))
        # Whole blocks only: the rest of a size that is no multiple would shift the coarse grid.
        whole = self.full[: size[1] * self.factor, : size[0] * self.factor]
        coarse = np.asarray(cv2.resize(whole, size, interpolation=cv2.INTER_AREA), dtype=np.float32)
        even = coarse[: max(1, size[1] // 2 * 2), : max(1, size[0] // 2 * 2)]
        small = cv2.resize(even, (max(1, size[0] // 2), max(1, size[1] // 2)), interpolation=cv2.INTER_AREA)
        self._levels: dict[int, Plane] = {
            self.factor: coarse,
            2 * self.factor: np.asarray(small, dtype=np.float32),
        }

    @property
    def box(self) -> FrameBox:
        """The whole frame."""
        return FrameBox(0, 0, self.width, self.height)

    @property
    def coarse(self) -> Plane:
        """Luma as floats, reduced by ``factor``."""
        return self._levels[self.factor]

    def level(self, factor: int) -> Plane:
        """Luma as floats, reduced by ``factor`` or twice that."""
        return self._levels[factor]


@dataclass(frozen=True, eq=False, slots=True)
class Template:
    """A crop at one scale, ready for correlation.

    ``unit`` has mean 0 over the counted pixels and is divided by its norm and by the root of their number, so that its
    correlation with a window, divided by the window's deviation, is the score. ``weight`` is 1 where a pixel counts;
    None when all do.
    """

    unit: Plane
    weight: Plane | None
    scale: float
    offset: FramePoint

    @property
    def width(self) -> int:
        """Width in pixels of the plane it is matched in."""
        return int(self.unit.shape[1])

    @property
    def height(self) -> int:
        """Height in pixels of the plane it is matched in."""
        return int(self.unit.shape[0])


class ScaledCrop:
    """A crop that can be asked for at any scale; scaled pictures are kept.

    ``flat`` tells that the crop as recorded is no evidence at all.
    """

    def __init__(self, crop: CropPicture, floor: float) -> None:
        self.crop = crop
        self.pixels = codec.rgb(crop.pixels)
        self.grey = codec.grey(self.pixels)
        self.height, self.width = self.grey.shape
        self.floor = floor
        self._kept: dict[tuple[int, int], Template | None] = {}
        self._reduced: dict[tuple[float, int, tuple[int, int]], Template | None] = {}
        self.flat = self._make(1.0, self.width, self.height) is None

    @property
    def masked(self) -> bool:
        """Whether too little of the crop is left by its mask to be evidence."""
        return self.crop.mask is not None and float(self.crop.mask.mean()) > 1 - LEAST_SHOWN

    def size(self, scale: float) -> tuple[int, int]:
        """Width and height at that scale, in whole pixels."""
        return max(1, round(self.width * scale)), max(1, round(self.height * scale))

    def fits(self, scale: float, screen: Screen) -> bool:
        """Whether a search at that scale is possible in that frame."""
        width, height = self.size(scale)
        return min(width, height) >= SMALLEST_EDGE and width <= screen.width and height <= screen.height

    def at(self, scale: float) -> Template | None:
        """The crop at that scale in full-size pixels; None when nothing but a flat area is left."""
        return self._make(scale, *self.size(scale))

    def reduced(self, scale: float, factor: int, phase: tuple[int, int] = (0, 0)) -> Template | None:
        """The crop at that scale, reduced like the coarse plane: whole blocks of ``factor`` x ``factor`` pixels.

        The blocks start ``phase`` (x, y) pixels from the top left. The coarse plane shows a place exactly like the
        crop only where both are cut into blocks at the same phase.
        """
        key = (scale, factor, phase)
        if key not in self._reduced:
            self._reduced[key] = self._reduce(*key)
        return self._reduced[key]

    def _reduce(self, scale: float, factor: int, phase: tuple[int, int]) -> Template | None:
        width, height = self.size(scale)
        across, down = (width - phase[0]) // factor, (height - phase[1]) // factor
        picture, weight = resample(self.grey, width, height), _weight(self.crop.mask, width, height)
        if min(across, down) >= SMALLEST_COARSE:
            part = (slice(phase[1], phase[1] + down * factor), slice(phase[0], phase[0] + across * factor))
            picture, weight = picture[part], weight[part] if weight is not None else None
        across, down = max(SMALLEST_COARSE, across), max(SMALLEST_COARSE, down)
        small = cv2.resize(picture, (across, down), interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
        if weight is not None:
            weight = (cv2.resize(weight, (across, down), interpolation=cv2.INTER_AREA) > 0.99).astype(np.float32)
        return template(small, weight, scale, self.offset(across, down), self.floor)

    def offset(self, width: int, height: int) -> FramePoint:
        """The click inside the crop when the crop is drawn ``width`` x ``height`` pixels large."""
        return FramePoint(
            round((self.crop.point.x + 0.5) * width / self.width - 0.5),
            round((self.crop.point.y + 0.5) * height / self.height - 0.5),
        )

    def place(self, box: FrameBox) -> FramePoint:
        """The click when the crop lies in that box."""
        inside = self.offset(box.width, box.height)
        return FramePoint(box.x + inside.x, box.y + inside.y)

    def _make(self, scale: float, width: int, height: int) -> Template | None:
        key = (width, height)
        if key not in self._kept:
            self._kept[key] = template(
                resample(self.grey, width, height),
                _weight(self.crop.mask, width, height),
                scale,
                self.offset(width, height),
                self.floor,
            )
        return self._kept[key]


def template(
    grey: codec.Pixels | Plane, weight: Plane | None, scale: float, offset: FramePoint, floor: float
) -> Template | None:
    """Make a picture ready for correlation; None when its counted pixels are flat or nearly all masked."""
    if weight is None:
        count = float(grey.size)
        mean, spread = (float(one[0, 0]) for one in cv2.meanStdDev(grey))
        centred = np.subtract(grey, mean, dtype=np.float32)
    else:
        count = float(weight.sum())
        if count < weight.size * LEAST_SHOWN:
            return None
        values = np.subtract(grey, 128, dtype=np.float32)
        centred = (values - np.float32((values * weight).sum() / count)) * weight
        spread = float(cv2.norm(centred)) / np.sqrt(count)
    if spread < floor or spread == 0.0:
        return None
    centred *= np.float32(1 / (spread * count))
    return Template(centred, weight, scale, offset)


def resample(grey: codec.Pixels, width: int, height: int) -> codec.Pixels:
    """Resample to the given size; returns the input when that is its size."""
    if grey.shape[:2] == (height, width):
        return grey
    return codec.resize(grey, width, height)


def _weight(mask: Mask | None, width: int, height: int) -> Plane | None:
    if mask is None or not mask.any():
        return None
    share = cv2.resize(mask.astype(np.float32), (width, height), interpolation=cv2.INTER_AREA)
    return (share < 0.01).astype(np.float32)
