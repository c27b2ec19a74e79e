"""How the scripted screen looks: two themes, and a canvas that draws flat boxes and real text, always the same."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from echostudio.episode.geometry import DesktopBox

Colour = tuple[int, int, int]

_FONT = ImageFont.load_default(size=11)
_LINE_HEIGHT = 20


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one program."""

    name: str
    face: Colour
    field: Colour
    text: Colour
    muted: Colour
    border: Colour
    accent: Colour
    accent_text: Colour
    title: Colour


LIGHT = Theme(
    "light",
    face=(240, 240, 238),
    field=(255, 255, 255),
    text=(24, 24, 28),
    muted=(150, 150, 150),
    border=(170, 170, 175),
    accent=(53, 117, 200),
    accent_text=(255, 255, 255),
    title=(205, 208, 214),
)
DARK = Theme(
    "dark",
    face=(48, 49, 54),
    field=(33, 34, 38),
    text=(226, 226, 222),
    muted=(118, 118, 122),
    border=(84, 86, 92),
    accent=(86, 146, 226),
    accent_text=(16, 18, 24),
    title=(28, 29, 33),
)


class Canvas:
    """A picture in desktop space (origin 0, 0) that widgets draw themselves on."""

    def __init__(self, background: NDArray[np.uint8], theme: Theme) -> None:
        self._image = Image.fromarray(background)
        self._draw = ImageDraw.Draw(self._image)
        self.theme = theme

    def fill(self, box: DesktopBox, colour: Colour, edge: Colour | None = None) -> None:
        """Paint a box, with a one-pixel edge when given; a box without area paints nothing."""
        if box.width > 0 and box.height > 0:
            self._draw.rectangle(_corners(box), fill=colour, outline=edge)

    def text(self, box: DesktopBox, words: str, colour: Colour, *, indent: int = 4, centred: bool = False) -> None:
        """Write one line into a box, clipped to it, in the middle of its height."""
        if not words or box.width <= 0 or box.height <= 0:
            return
        left = (box.width - self.width_of(words)) // 2 if centred else indent
        line = Image.new("L", (box.width, box.height))
        line.paste(_line(words), (left, box.height // 2 - _LINE_HEIGHT // 2))
        self._image.paste(colour, (box.x, box.y), line)

    def width_of(self, words: str) -> int:
        """Return how many pixels a line takes."""
        return round(_FONT.getlength(words))

    def pixels(self) -> NDArray[np.uint8]:
        """Return the finished picture; it must not be written to."""
        array = np.asarray(self._image, dtype=np.uint8).copy()
        array.flags.writeable = False
        return array


@lru_cache(maxsize=512)
def _line(words: str) -> Image.Image:
    """Draw a line of text once; drawing text is by far the slowest part of a picture."""
    mask = Image.new("L", (round(_FONT.getlength(words)) + 2, _LINE_HEIGHT))
    ImageDraw.Draw(mask).text((0, _LINE_HEIGHT // 2), words, fill=255, font=_FONT, anchor="lm")
    return mask


def backdrop(width: int, height: int) -> NDArray[np.uint8]:
    """Return the desktop behind the windows: a slope with fine grain, equal in every run."""
    down, across = np.mgrid[0:height, 0:width]
    slope = 60 + 40 * across // max(1, width) + 30 * down // max(1, height)
    grain = np.random.default_rng(20).integers(0, 9, size=(height, width))
    level = slope + grain
    return np.stack([level // 2, level, level + 30], axis=2).astype(np.uint8)


def _corners(box: DesktopBox) -> tuple[int, int, int, int]:
    return (box.x, box.y, box.x + box.width - 1, box.y + box.height - 1)
