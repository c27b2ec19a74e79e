"""Small drawn screens: widgets of random strokes on a plain desktop, each unlike the others."""

from __future__ import annotations

import numpy as np

from echostudio.codec import Pixels
from echostudio.episode.evidence import CropKind, CropVariant
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import FrameBox, FramePoint, ScreenMap
from echostudio.reaim import CropPicture, TargetPictures

WIDTH, HEIGHT = 480, 270
SIZES = {CropKind.TARGET: 48, CropKind.CONTEXT: 96, CropKind.WIDE: 192}
BACKGROUND = (214, 218, 222)


def desktop(seed: int = 0) -> Pixels:
    """A screen with three rows of widgets."""
    pixels = np.full((HEIGHT, WIDTH, 3), BACKGROUND, np.uint8)
    for row in range(3):
        for column in range(6):
            draw(pixels, widget_box(column, row), seed * 1000 + row * 10 + column)
    return pixels


def widget_box(column: int, row: int) -> FrameBox:
    """Where a widget lies; unevenly spaced, as on real screens."""
    return FrameBox(22 + column * 74 + row * 5 + column * column, 26 + row * 84 + (column * 7) % 11, 44, 34)


def draw(pixels: Pixels, box: FrameBox, seed: int) -> None:
    """Draw one coloured widget of strokes 2 pixels wide."""
    chance = np.random.default_rng(seed)
    part = pixels[box.y : box.bottom, box.x : box.right]
    part[:] = chance.integers(150, 205, 3)
    part[:1], part[-1:], part[:, :1], part[:, -1:] = 70, 70, 70, 70
    for _ in range(12):
        x, y = int(chance.integers(3, box.width - 12)), int(chance.integers(3, box.height - 8))
        ink = chance.integers(0, 110, 3)
        if chance.random() < 0.5:
            part[y : y + 2, x : x + int(chance.integers(4, 12))] = ink
        else:
            part[y : y + int(chance.integers(4, 8)), x : x + 2] = ink


def frame(pixels: Pixels) -> Frame:
    """Wrap pixels as a captured frame."""
    return Frame(pixels, 0.0, ScreenMap.single(pixels.shape[1], pixels.shape[0]))


def cut(
    pixels: Pixels, click: FramePoint, kind: CropKind = CropKind.CONTEXT, variant: CropVariant = CropVariant.APPROACH
) -> CropPicture:
    """Cut the crop of that kind round the click, clipped to the screen."""
    size = SIZES[kind]
    whole = FrameBox(0, 0, pixels.shape[1], pixels.shape[0])
    box = FrameBox(click.x - size // 2, click.y - size // 2, size, size).clipped(whole)
    part = pixels[box.y : box.bottom, box.x : box.right].copy()
    return CropPicture(kind, variant, part, FramePoint(click.x - box.x, click.y - box.y))


def pictures(pixels: Pixels, click: FramePoint, **facts: object) -> TargetPictures:
    """All three crops round the click."""
    crops = tuple(cut(pixels, click, kind) for kind in SIZES)
    return TargetPictures(crops, click, (pixels.shape[1], pixels.shape[0]), **facts)  # type: ignore[arg-type]
