"""What may happen to a screen between recording and replay, done to pixels: for tests and rehearsal.

All functions take RGB pixels (uint8, height x width x 3) and return new ones; the input is never changed.
"""

from __future__ import annotations

import cv2
import numpy as np

from echostudio import codec
from echostudio.codec import Pixels
from echostudio.episode.geometry import FrameBox, FramePoint


def shift(pixels: Pixels, dx: int, dy: int, fill: tuple[int, int, int] = (90, 110, 130)) -> Pixels:
    """Move the whole content right and down by ``dx``, ``dy`` pixels over a plain background."""
    moved = np.empty_like(pixels)
    moved[:] = fill
    height, width = pixels.shape[:2]
    source = pixels[max(0, -dy) : height - max(0, dy), max(0, -dx) : width - max(0, dx)]
    top, left = max(0, dy), max(0, dx)
    moved[top : top + source.shape[0], left : left + source.shape[1]] = source
    return moved


def scale(pixels: Pixels, factor: float, keep: FramePoint) -> tuple[Pixels, FramePoint]:
    """Resample by ``factor`` (area when smaller, cubic when larger), cut to at most the old size round ``keep``.

    Returns the new pixels and where the pixel ``keep`` lies in them.
    """
    height, width = pixels.shape[:2]
    grown = codec.resize(pixels, round(width * factor), round(height * factor))
    across, down = grown.shape[1] / width, grown.shape[0] / height
    x, y = round((keep.x + 0.5) * across - 0.5), round((keep.y + 0.5) * down - 0.5)
    left = min(max(0, x - width // 2), max(0, grown.shape[1] - width))
    top = min(max(0, y - height // 2), max(0, grown.shape[0] - height))
    return np.ascontiguousarray(grown[top : top + height, left : left + width]), FramePoint(x - left, y - top)


def duplicate(pixels: Pixels, box: FrameBox, to: FramePoint) -> Pixels:
    """Copy what lies in ``box`` so that its top left pixel lies at ``to``."""
    copied = pixels.copy()
    source = pixels[box.y : box.bottom, box.x : box.right]
    target = copied[to.y : to.y + box.height, to.x : to.x + box.width]
    target[:] = source[: target.shape[0], : target.shape[1]]
    return copied


def erase(pixels: Pixels, box: FrameBox, grow: int = 4) -> Pixels:
    """Paint the box, grown on every side, over with the median of its border; its surroundings stay."""
    height, width = pixels.shape[:2]
    area = box.grown(grow).clipped(FrameBox(0, 0, width, height))
    part = pixels[area.y : area.bottom, area.x : area.right]
    border = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
    erased = pixels.copy()
    erased[area.y : area.bottom, area.x : area.right] = np.median(border, axis=0).astype(np.uint8)
    return erased


def cover(pixels: Pixels, box: FrameBox, share: float = 0.5, colour: tuple[int, int, int] = (120, 124, 128)) -> Pixels:
    """Hide the left ``share`` of the box, and what is above and below it by half its height, under a plain box."""
    covered = pixels.copy()
    rise = box.height // 2
    right = box.x + max(1, round(box.width * share))
    covered[max(0, box.y - rise) : box.bottom + rise, max(0, box.x - rise) : right] = colour
    return covered


def recolour(pixels: Pixels, box: FrameBox, strength: float = 0.5) -> Pixels:
    """Wash the box out to grey, as toolkits draw what is disabled.

    ``strength`` is how much of the difference to the box's background is lost, besides all colour.
    """
    washed = pixels.copy()
    part = pixels[box.y : box.bottom, box.x : box.right]
    grey = codec.grey(np.ascontiguousarray(part)).astype(np.float32)
    background = float(np.median(grey))
    pale = np.clip(background + (grey - background) * (1 - strength), 0, 255).astype(np.uint8)
    washed[box.y : box.bottom, box.x : box.right] = pale[:, :, None]
    return washed


def invert_theme(pixels: Pixels) -> Pixels:
    """Invert the lightness and keep hue and saturation: a light theme becomes a dark one."""
    hls = cv2.cvtColor(pixels, cv2.COLOR_RGB2HLS)
    hls[:, :, 1] = 255 - hls[:, :, 1]
    return np.asarray(cv2.cvtColor(hls, cv2.COLOR_HLS2RGB), dtype=np.uint8)


def jpeg(pixels: Pixels, quality: int = 40) -> Pixels:
    """Compress and decompress, as remote desktops do."""
    return codec.decode(codec.encode_jpeg(pixels, quality))
