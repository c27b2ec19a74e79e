"""Making a closed run smaller: its PNG pictures become lossless WebP, about a quarter of the size.

A picture keeps its address, since that is made of its pixels. The new file is read back and compared before the old
one goes, so that a kill at any moment leaves at least one whole file of each picture.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from echostudio import codec
from echostudio.blobs import write_atomic
from echostudio.cancel import CancelToken
from echostudio.codec import PictureError


@dataclass(frozen=True, slots=True)
class Repacked:
    """What repacking did: pictures made smaller, bytes before and after, PNG left to do, names of damaged ones."""

    pictures: int
    before: int
    after: int
    left: int
    damaged: tuple[str, ...] = ()


def repack(assets: Path, token: CancelToken, seconds: float | None = None) -> Repacked:
    """Repack the pictures of a run's assets folder until all are done, the token is cancelled or time is over.

    A picture whose pixels do not have its address is left alone and named. Raises ``RepositoryFull`` when there is no
    room for the new file; the old one stays.
    """
    begun, pictures, before, after = time.monotonic(), 0, 0, 0
    damaged: list[str] = []
    waiting = sorted(assets.glob("??/*.png"))
    for place, png in enumerate(waiting):
        if token.cancelled or (seconds is not None and time.monotonic() - begun > seconds):
            return Repacked(pictures, before, after, len(waiting) - place, tuple(damaged))
        size = png.stat().st_size
        smaller = _repack_one(png)
        if smaller is None:
            damaged.append(png.stem)
            continue
        pictures, before, after = pictures + 1, before + size, after + smaller
    return Repacked(pictures, before, after, 0, tuple(damaged))


def _repack_one(png: Path) -> int | None:
    """Replace one file; return the new size, None when the picture is damaged."""
    try:
        pixels = codec.decode(png.read_bytes())
    except PictureError:
        return None
    if codec.digest(pixels) != png.stem:
        return None
    webp = png.with_suffix(".webp")
    data = codec.encode_webp(pixels)
    if codec.digest(codec.decode(data)) != png.stem:
        return None
    write_atomic(webp, data)
    png.unlink()
    return len(data)
