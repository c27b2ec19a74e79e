"""A captured screen, and the reference by which everything on disk names one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from echostudio.episode.geometry import FrameBox, ScreenMap


@dataclass(frozen=True, eq=False, slots=True)
class Frame:
    """A whole screen: ``pixels`` uint8 (height, width, 3) RGB, grabbed between ``started`` and ``taken`` (seconds)."""

    pixels: NDArray[np.uint8]
    taken: float
    screen: ScreenMap
    started: float = 0.0

    @property
    def box(self) -> FrameBox:
        """The whole frame as a box."""
        return FrameBox(0, 0, self.pixels.shape[1], self.pixels.shape[0])


@dataclass(frozen=True, slots=True)
class PictureRef:
    """A stored picture by its content address."""

    digest: str
    width: int
    height: int
