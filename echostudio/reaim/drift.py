"""What all steps of a replay have in common: the screen is scaled, shifted, recoloured or blurred. Said once, in words.

One step off its place is a repair; all of them off by the same is a changed screen, and the person wants to hear that
instead of eight refusals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import cv2
import numpy as np

from echostudio.episode.evidence import CropKind
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import FramePoint
from echostudio.episode.verdict import ReaimResult
from echostudio.reaim.evidence import CropPicture, TargetPictures
from echostudio.reaim.guards import blank
from echostudio.reaim.pyramid import Plane, ScaledCrop, Screen, plane, resample, template
from echostudio.reaim.scoremap import local_map
from echostudio.settings import ReaimSettings

# Fewer steps than this have nothing in common.
FEWEST = 2
# Scales within this of each other are one; as far from 1 it is worth a word.
SAME_SCALE = 0.03
SAME_OFFSET = 3
# Of all traced steps, so many must agree.
MOST = 0.7
# Outlines that match so well show the same things, whatever their colours.
SAME_OUTLINES = 0.45
OTHER_COLOURS = 0.30
SOFT = 0.55
_REACH = 24


@dataclass(frozen=True, slots=True)
class Trace:
    """What the pixels of one step tell beyond the verdict.

    Attributes:
        recorded: The click in the recorded frame, in pixels.
        grey: Correlation of the surroundings, brightness against brightness, -1 to 1, at the traced place.
        outlines: Correlation of their outlines (gradient magnitude) at that place, -1 to 1.
        sharpness: Fine detail found there, as a share of what was recorded; 1 is the same, less is softer.
    """

    recorded: FramePoint
    grey: float
    outlines: float
    sharpness: float


@dataclass(frozen=True, slots=True)
class Drift:
    """What the steps have in common; everything is None or False when nothing is.

    Attributes:
        scale: Present size as a multiple of the recorded size.
        offset: How far everything lies from its recorded place, in frame pixels.
        recoloured: Same outlines, other colours: another theme.
        blurred: Same picture, less detail: compression or a remote desktop.
        steps: How many results were looked at.
    """

    scale: float | None
    offset: FramePoint | None
    recoloured: bool
    blurred: bool
    steps: int

    @property
    def sentence(self) -> str:
        """One sentence per thing in common; empty when there is none."""
        said = []
        if self.scale is not None:
            said.append(f"Everything is drawn at {self.scale:.0%} of its recorded size.")
        if self.offset is not None:
            said.append(f"Everything lies {_way(self.offset)} of where it was recorded.")
        if self.recoloured:
            said.append("The colours have changed, as by another theme: the outlines match, the brightness does not.")
        if self.blurred:
            said.append("The picture is softer than recorded, as over a remote connection.")
        return " ".join(said)


def diagnose(results: Sequence[ReaimResult], traces: Sequence[Trace] = ()) -> Drift:
    """Say what several steps have in common.

    Args:
        results: Results of several steps on the same desktop, in any order.
        traces: One per result, in the same order (``trace``); without them only the scale can be told.

    Returns:
        The drift. Fewer than two steps that agree are none.
    """
    paired = list(zip(results, traces, strict=True)) if traces else []
    found = [result for result in results if result.accepted]
    scale = _scale(found)
    # A scaled screen has no common offset: what is farther from the corner moves farther.
    placed = [(one.point, trace.recorded) for one, trace in paired if one.point is not None] if scale is None else []
    recoloured = _most([trace.outlines >= SAME_OUTLINES and trace.grey < OTHER_COLOURS for _, trace in paired])
    soft = [trace.sharpness < SOFT for one, trace in paired if one.accepted]
    return Drift(scale, _offset(placed), recoloured, _most(soft), len(results))


def trace(frame: Frame, evidence: TargetPictures, result: ReaimResult, policy: ReaimSettings) -> Trace:
    """Look once more at the place of a result, or where it was recorded, for outlines and detail.

    Costs a few milliseconds. Frame and crops are RGB. Raises ``PictureError`` for what is no picture.
    """
    screen, crop = Screen(frame.pixels), _crop(evidence)
    if crop is None or blank(screen):
        return Trace(evidence.recorded_point, 0.0, 0.0, 1.0)
    scaled = ScaledCrop(crop, policy.flat_deviation)
    scale = result.scale if result.accepted else 1.0
    place = result.point or evidence.recorded_point
    width, height = scaled.size(scale)
    recorded = plane(resample(scaled.grey, width, height))
    corner = FramePoint(place.x - scaled.offset(width, height).x, place.y - scaled.offset(width, height).y)
    reach = 2 if result.accepted else _REACH
    outlines, at = _match(_outlines(screen.full), _outlines(recorded), corner, reach)
    if at is None:
        return Trace(evidence.recorded_point, 0.0, 0.0, 1.0)
    found = screen.full[at.y : at.y + height, at.x : at.x + width]
    return Trace(evidence.recorded_point, _correlation(recorded, found), outlines, _sharpness(recorded, found))


def _crop(evidence: TargetPictures) -> CropPicture | None:
    kinds = (CropKind.CONTEXT, CropKind.WIDE, CropKind.WIDENED, CropKind.TARGET)
    return next((crop for kind in kinds for crop in evidence.crops if crop.kind is kind), None)


def _match(screen: Plane, picture: Plane, corner: FramePoint, reach: int) -> tuple[float, FramePoint | None]:
    """The best correlation near ``corner`` and the top left pixel of that place."""
    made = template(picture, None, 1.0, FramePoint(0, 0), 0.5)
    middle = FramePoint(corner.x + picture.shape[1] // 2, corner.y + picture.shape[0] // 2)
    near = local_map(screen, made, middle, reach, 0.5) if made else None
    best = near.best() if near else None
    return (best.score, FramePoint(best.box.x, best.box.y)) if best else (0.0, None)


def _outlines(values: Plane) -> Plane:
    across, down = cv2.Sobel(values, cv2.CV_32F, 1, 0), cv2.Sobel(values, cv2.CV_32F, 0, 1)
    return np.asarray(cv2.magnitude(across, down), dtype=np.float32)


def _correlation(one: Plane, two: Plane) -> float:
    spread = float(one.std()) * float(two.std())
    return float(((one - one.mean()) * (two - two.mean())).mean()) / spread if spread > 0 else 0.0


def _sharpness(recorded: Plane, found: Plane) -> float:
    """Finest detail against the whole contrast, found and recorded; a change of contrast alone changes nothing."""
    before, now = _detail(recorded), _detail(found)
    return now / before if before > 0 else 1.0


def _detail(values: Plane) -> float:
    spread = float(values.std())
    return float(cv2.Laplacian(values, cv2.CV_32F).std()) / spread if spread > 0 else 0.0


def _scale(found: Sequence[ReaimResult]) -> float | None:
    if len(found) < FEWEST:
        return None
    middle = median(one.scale for one in found)
    alike = _most([abs(one.scale - middle) <= SAME_SCALE for one in found])
    return round(middle, 3) if alike and abs(middle - 1) > SAME_SCALE else None


def _offset(placed: Sequence[tuple[FramePoint, FramePoint]]) -> FramePoint | None:
    """The common way from the recorded to the present places; None when there is none or it is no way at all."""
    if len(placed) < FEWEST:
        return None
    x = round(median(now.x - then.x for now, then in placed))
    y = round(median(now.y - then.y for now, then in placed))
    off = [max(abs(now.x - then.x - x), abs(now.y - then.y - y)) <= SAME_OFFSET for now, then in placed]
    return FramePoint(x, y) if _most(off) and max(abs(x), abs(y)) > SAME_OFFSET else None


def _most(votes: Sequence[bool]) -> bool:
    return len(votes) >= FEWEST and sum(votes) >= MOST * len(votes)


def _way(offset: FramePoint) -> str:
    across = f"{abs(offset.x)} px to the {'right' if offset.x > 0 else 'left'}" if offset.x else ""
    down = f"{abs(offset.y)} px {'below' if offset.y > 0 else 'above'}" if offset.y else ""
    return " and ".join(part for part in (across, down) if part)
