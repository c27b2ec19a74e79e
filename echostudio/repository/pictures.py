"""Which pictures a memory refers to."""

from __future__ import annotations

from collections.abc import Iterator

from echostudio.episode.frame import PictureRef
from echostudio.episode.memory import Memory


def references_of(memory: Memory) -> dict[str, PictureRef]:
    """Return every picture that the memory refers to, by digest: whole frames and the frames its crops lie in."""
    return {picture.digest: picture for picture in _walk(memory)}


def pictures_of(memory: Memory) -> set[str]:
    """Return the digests of all pictures that the memory refers to."""
    return set(references_of(memory))


def thumbnail_of(memory: Memory) -> str | None:
    """Return the picture that stands for the memory in a list: the last result, else the first screen."""
    for step in reversed(memory.program):
        if step.after is not None:
            return step.after.digest
    return next((step.before.digest for step in memory.program if step.before is not None), None)


def _walk(memory: Memory) -> Iterator[PictureRef]:
    for step in memory.program:
        yield from (picture for picture in (step.before, step.after) if picture is not None)
        for evidence in step.targets.values():
            yield from (crop.picture for crop in evidence.crops)
