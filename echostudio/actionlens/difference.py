"""How many pixels differ between two frames, quickly: full-HD pictures are compared 30 times a second."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from echostudio.codec import Pixels
from echostudio.episode.geometry import FrameBox

_WORD = 8
_CARET_WIDTH, _CARET_HEIGHT = 24, 48


@dataclass(frozen=True, slots=True)
class Difference:
    """How many pixels differ, and the box that holds them all (None when none does)."""

    pixels: int
    box: FrameBox | None

    @property
    def like_caret(self) -> bool:
        """Whether the change is so small and narrow that a blinking caret explains it."""
        return self.box is None or (self.box.width <= _CARET_WIDTH and self.box.height <= _CARET_HEIGHT)

    def disturbs(self, settle_pixels: int) -> bool:
        """Whether the change means that the screen is not quiet."""
        return self.pixels >= settle_pixels and not self.like_caret


NOTHING = Difference(0, None)


def difference(one: Pixels, two: Pixels) -> Difference:
    """Compare two pictures; pictures of different sizes differ everywhere."""
    if one is two:
        return NOTHING
    if one.shape != two.shape:
        return Difference(two.shape[0] * two.shape[1], FrameBox(0, 0, two.shape[1], two.shape[0]))
    rows = _changed_rows(one, two)
    if rows is None:
        return NOTHING
    first, last = rows
    unequal = np.not_equal(one[first : last + 1], two[first : last + 1])
    # Three strided passes are eight times faster than a reduction over an axis of length three.
    mask = unequal[:, :, 0] | unequal[:, :, 1] | unequal[:, :, 2]
    # A word that straddles two rows had named both.
    changed, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    top, bottom, left, right = (int(value) for value in (changed[0], changed[-1], columns[0], columns[-1]))
    box = FrameBox(left, first + top, right - left + 1, bottom - top + 1)
    return Difference(int(np.count_nonzero(mask)), box)


def _changed_rows(one: Pixels, two: Pixels) -> tuple[int, int] | None:
    """Return the first and last row that may differ, None when all is equal; words of 8 bytes are compared at once."""
    flat_one, flat_two = np.ascontiguousarray(one).reshape(-1), np.ascontiguousarray(two).reshape(-1)
    whole = flat_one.size // _WORD * _WORD
    words = np.flatnonzero(flat_one[:whole].view(np.uint64) != flat_two[:whole].view(np.uint64))
    rest = np.flatnonzero(flat_one[whole:] != flat_two[whole:])
    places = [int(words[0]) * _WORD, int(words[-1]) * _WORD + _WORD - 1] if words.size else []
    places += [whole + int(rest[0]), whole + int(rest[-1])] if rest.size else []
    if not places:
        return None
    stride = one.shape[1] * one.shape[2]
    return min(places) // stride, min(max(places), flat_one.size - 1) // stride
