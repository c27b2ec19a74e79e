"""One question to re-aim: what is looked for, by which policy, and whom to ask for corroboration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from echostudio.cancel import CancelToken
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.episode.verdict import Candidate
from echostudio.reaim.evidence import CropPicture, ElementAt, Elements, ReadWords, TargetPictures
from echostudio.reaim.pyramid import ScaledCrop, Screen
from echostudio.reaim.sighting import Sighting
from echostudio.settings import ReaimSettings


@dataclass(frozen=True, eq=False, slots=True)
class Request:
    """The arguments of ``re_aim`` without the frame."""

    evidence: TargetPictures
    policy: ReaimSettings
    element_at: ElementAt | None
    read_words: ReadWords | None
    elements: Elements | None
    window: FrameBox | None
    token: CancelToken
    keep: int


def bare(
    crops: Sequence[CropPicture],
    size: tuple[int, int],
    policy: ReaimSettings,
    keep: int,
    token: CancelToken | None = None,
) -> Request:
    """A question about crops alone: no recorded place, nobody to ask. ``size`` is width and height of the frame."""
    evidence = TargetPictures(tuple(crops), FramePoint(0, 0), size)
    return Request(evidence, policy, None, None, None, None, token or CancelToken(), keep)


# A search for one crop: the fast one, or the exhaustive one that it is judged by.
Search = Callable[[Screen, ScaledCrop, Request, Sequence[Candidate]], Sighting]
