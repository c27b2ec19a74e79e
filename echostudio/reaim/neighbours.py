"""What lies round an accepted place that is not the recorded place: is it what lay round the target?

A look-alike whose twin has gone (the recorded row scrolled away, its copy stays) is alone on the screen, so the margin
says nothing. Correlation of the whole surroundings says little: equal rows differ in a few digits. Piece by piece the
difference shows: a moved target takes its surroundings along, and all the pieces with it.
"""

from __future__ import annotations

from collections.abc import Iterator

from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.reaim.evidence import TargetPictures
from echostudio.reaim.pyramid import ScaledCrop, Screen, resample, template
from echostudio.reaim.scoremap import local_map

# Two places nearer than this are the same place, in pixels.
SAME_PLACE = 12
# So many of the pieces must agree.
SHARE = 0.9
PIECE = 24
# Fewer textured pieces than this tell nothing.
FEWEST = 4
# A piece with less grey deviation has nothing to compare.
TEXTURE = 4.0
# How much less than the target itself a piece may match: on a screen drawn exactly as recorded, and on any other.
EXACT, EXACT_GAP, OTHER_GAP = 0.98, 0.2, 0.3
_REACH = 3


def displaced(screen: Screen, evidence: TargetPictures, place: FramePoint) -> bool:
    """Whether a place is another than the recorded one, allowing for a frame of another size."""
    recorded = recorded_place(screen, evidence)
    return max(abs(recorded.x - place.x), abs(recorded.y - place.y)) > SAME_PLACE


def recorded_place(screen: Screen, evidence: TargetPictures) -> FramePoint:
    """The recorded click in pixels of this frame, were everything drawn in proportion to the frame."""
    width, height = evidence.recorded_size
    point = evidence.recorded_point
    return FramePoint(round(point.x * screen.width / max(1, width)), round(point.y * screen.height / max(1, height)))


def agreement(screen: Screen, crop: ScaledCrop, place: FramePoint, scale: float, fidelity: float) -> float | None:
    """Which share of the crop's pieces is found round ``place``.

    Args:
        screen: The frame.
        crop: The widest crop there is; its masked and flat pieces do not count.
        place: The accepted click, in frame pixels.
        scale: The accepted scale.
        fidelity: The score of the target itself: how exactly this screen shows what was recorded.

    Returns:
        0 to 1, or None when too few pieces lie on the frame and show anything.
    """
    needed = fidelity - (EXACT_GAP if fidelity >= EXACT else OTHER_GAP)
    scores = list(_scores(screen, crop, place, scale))
    return sum(one >= needed for one in scores) / len(scores) if len(scores) >= FEWEST else None


def _scores(screen: Screen, crop: ScaledCrop, place: FramePoint, scale: float) -> Iterator[float]:
    edge = max(4, round(PIECE * scale))
    click = crop.crop.point
    for box in _pieces(crop):
        part = crop.grey[box.y : box.bottom, box.x : box.right]
        piece = template(resample(part, edge, edge), None, scale, FramePoint(0, 0), TEXTURE)
        middle = FramePoint(
            round(place.x + (box.x + PIECE / 2 - click.x - 0.5) * scale),
            round(place.y + (box.y + PIECE / 2 - click.y - 0.5) * scale),
        )
        found = local_map(screen.full, piece, middle, _REACH, crop.floor) if piece else None
        best = found.best() if found else None
        if best is not None:
            yield best.score


def _pieces(crop: ScaledCrop) -> Iterator[FrameBox]:
    mask = crop.crop.mask
    for y in range(0, crop.height - PIECE + 1, PIECE):
        for x in range(0, crop.width - PIECE + 1, PIECE):
            if mask is None or not mask[y : y + PIECE, x : x + PIECE].any():
                yield FrameBox(x, y, PIECE, PIECE)
