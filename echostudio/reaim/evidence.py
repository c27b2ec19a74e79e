"""What re-aim looks for: the recorded crops of one pointer target and the facts beside them. Values only, no search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from echostudio.codec import Pixels
from echostudio.episode.evidence import CropKind, CropVariant, ElementFacts
from echostudio.episode.geometry import FrameBox, FramePoint

Mask = NDArray[np.bool_]
ElementAt = Callable[[FramePoint], ElementFacts | None]
ReadWords = Callable[[Pixels], str]
Elements = Callable[[], Sequence[tuple[ElementFacts, FrameBox]]]


@dataclass(frozen=True, eq=False, slots=True)
class CropPicture:
    """One recorded crop.

    Attributes:
        kind: Which of the crops round the click this is.
        variant: Which recorded frame it was cut from.
        pixels: uint8 (height, width, 3) RGB; other depths and strides are converted where they are read.
        point: The click, in pixels of this crop; it need not be the middle.
        mask: (height, width), True where a pixel is redacted or flexible and must not count; or None.
    """

    kind: CropKind
    variant: CropVariant
    pixels: Pixels
    point: FramePoint
    mask: Mask | None = None

    def same_picture(self, other: CropPicture) -> bool:
        """Whether a search for the other crop would be the same search."""
        if self.kind is not other.kind or self.point != other.point:
            return False
        if self.mask is None or other.mask is None:
            same_mask = self.mask is other.mask
        else:
            same_mask = np.array_equal(self.mask, other.mask)
        return same_mask and np.array_equal(self.pixels, other.pixels)


@dataclass(frozen=True, eq=False, slots=True)
class TargetPictures:
    """Everything recorded about one pointer target that re-aim may use.

    Attributes:
        crops: All crops of all variants, in any order.
        recorded_point: The click in the recorded frame, in pixels.
        recorded_size: Width and height of the recorded frame.
        element: The accessible element under the click, if the program told one.
        element_count: How many elements of the recorded tree carried the same role and name, if counted.
    """

    crops: tuple[CropPicture, ...]
    recorded_point: FramePoint
    recorded_size: tuple[int, int]
    element: ElementFacts | None = None
    element_count: int | None = None

    def of_variant(self, variant: CropVariant) -> dict[CropKind, CropPicture]:
        """The crops of one variant by kind."""
        return {crop.kind: crop for crop in self.crops if crop.variant is variant}
