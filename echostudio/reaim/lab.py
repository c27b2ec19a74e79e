"""What the Lab shows of a re-aim: where a crop matches, how the score depends on the scale, and decisions made again.

Nothing here searches again when a threshold moves: ``decide_again`` reads stored candidates, in microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from echostudio.cancel import CancelToken
from echostudio.codec import Pixels
from echostudio.episode.evidence import CropKind
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import FramePoint
from echostudio.episode.verdict import Candidate, CropMatch, ReaimResult, RefusalCode
from echostudio.reaim.coarse import CoarseStack
from echostudio.reaim.evidence import CropPicture
from echostudio.reaim.pyramid import ScaledCrop, Screen, scales
from echostudio.reaim.request import bare
from echostudio.reaim.scoremap import EXCLUDED, local_map
from echostudio.reaim.sighting import highest
from echostudio.settings import ReaimSettings

# What a threshold decides; every other condition stays as it was.
_MOVABLE = ("score", "margin", "target_check", "")
_CODES = {
    "score": RefusalCode.TARGET_NOT_FOUND,
    "margin": RefusalCode.TARGET_AMBIGUOUS,
    "target_check": RefusalCode.TARGET_MISMATCH,
}
_RANK = ("score", "margin", "target_check", "")
_DECIDING = {CropKind.CONTEXT.value, CropKind.WIDE.value, CropKind.WIDENED.value}


@dataclass(frozen=True, eq=False, slots=True)
class HeatMap:
    """How well one crop matches all over a frame.

    Attributes:
        scores: uint8, shape (frame height // factor, frame width // factor): 255 times the highest coarse score over
            all scales of a crop whose middle lies there; 0 where nothing matches or nothing was searched.
        factor: Frame pixels per map pixel, both ways.
        curve: For every searched scale that fits the frame, smallest first, its best place at full size (score -1 to 1,
            box in frame pixels).
        seconds: For every point of the curve the score of the best place at that scale that does not overlap it.
    """

    scores: Pixels
    factor: int
    curve: tuple[Candidate, ...]
    seconds: tuple[float, ...] = ()

    @property
    def peak(self) -> Candidate | None:
        """The highest point of the curve; None when no scale fits or the crop is flat."""
        return max(self.curve, key=lambda one: one.score, default=None)


def heatmap(frame: Frame, crop: CropPicture, policy: ReaimSettings, token: CancelToken | None = None) -> HeatMap:
    """Draw the score of one crop over a frame and over the scales.

    Args:
        frame: The picture to look in, RGB; 16-bit depth and odd strides are converted.
        crop: Any crop, also the target crop, which never decides.
        policy: Which scales are searched, and what counts as flat.
        token: Cancels; looked at once per scale.

    Returns:
        The map and the curve; both empty of evidence when the crop is flat or larger than the frame at every scale.

    Raises:
        Cancelled: The token was cancelled.
        PictureError: A picture has a shape or type that is no screen picture.
    """
    screen, scaled = Screen(frame.pixels), ScaledCrop(crop, policy.flat_deviation)
    fitting = [] if scaled.flat else [scale for scale in scales(policy) if scaled.fits(scale, screen)]
    if not fitting:
        return HeatMap(np.zeros(screen.coarse.shape, np.uint8), screen.factor, ())
    request = bare([crop], (screen.width, screen.height), policy, 1, token)
    stack = CoarseStack(screen, scaled, fitting, request)
    shown = np.clip(stack.top * 255, 0, 255).astype(np.uint8)
    points = _curve(screen, scaled, stack, request.token)
    for one, _ in points:
        _stamp(shown, one, screen.factor)
    return HeatMap(shown, screen.factor, tuple(one for one, _ in points), tuple(second for _, second in points))


def _stamp(shown: Pixels, one: Candidate, factor: int) -> None:
    """Show a place by its score at full size, which thin lines lose in the coarse map."""
    row = min(one.box.center.y // factor, shown.shape[0] - 1)
    column = min(one.box.center.x // factor, shown.shape[1] - 1)
    shown[row, column] = max(int(shown[row, column]), round(255 * max(0.0, one.score)))


def _curve(screen: Screen, crop: ScaledCrop, stack: CoarseStack, token: CancelToken) -> list[tuple[Candidate, float]]:
    """The best place of every scale, at its coarse peak or where the best of all scales lies; and its second."""
    peaks = [cv2.minMaxLoc(layer)[3] for layer in stack.layers]
    places = [stack.middle(column, row) for column, row in peaks]
    first = [_look(screen, crop, scale, place) for scale, place in zip(stack.scales, places, strict=True)]
    best = highest(first)
    if best is None:
        return []
    points = []
    for index, (scale, one) in enumerate(zip(stack.scales, first, strict=True)):
        token.check()
        top = highest((one, _look(screen, crop, scale, best.box.center)))
        if top is not None:
            points.append((top, min(top.score, _second(screen, crop, stack, index, top))))
    return points


def _second(screen: Screen, crop: ScaledCrop, stack: CoarseStack, index: int, top: Candidate) -> float:
    """The score of the best other place at one scale; its layer of the stack is used up."""
    layer, middle, factor = stack.layers[index], top.box.center, stack.factor
    across, down = top.box.width // factor, top.box.height // factor
    column, row = middle.x // factor, middle.y // factor
    layer[max(0, row - down) : row + down + 1, max(0, column - across) : column + across + 1] = EXCLUDED
    _, coarse, _, (column, row) = cv2.minMaxLoc(layer)
    other = _look(screen, crop, stack.scales[index], stack.middle(column, row)) if coarse > 0 else None
    return max(0.0, coarse if other is None or other.box.overlaps(top.box) else other.score)


def _look(screen: Screen, crop: ScaledCrop, scale: float, center: FramePoint) -> Candidate | None:
    template = crop.at(scale)
    near = local_map(screen.full, template, center, screen.factor + 2, crop.floor) if template else None
    return near.best() if near else None


@dataclass(frozen=True, slots=True)
class Redecided:
    """A decision made again under other thresholds.

    Attributes:
        result: As if the search had been judged by the new thresholds.
        known: False when that would need what was not looked at: a wider crop that the first decision did not need, a
            target check that was never measured, look-alikes outside the margin that was searched with.
    """

    result: ReaimResult
    known: bool


def decide_again(result: ReaimResult, policy: ReaimSettings, searched: ReaimSettings | None = None) -> Redecided:
    """Judge a stored result by other thresholds: ``eta_match``, ``eta_margin``, ``target_check``. No search, no pixels.

    Args:
        result: A result as ``re_aim`` gave it, or as it was stored.
        policy: The thresholds to judge by. Its scales and crop sizes change nothing.
        searched: The policy of the search; the default policy when not given.

    Returns:
        The decision, and whether it is known for sure. Colour, element, window and blank refusals stay.
    """
    searched = searched or ReaimSettings()
    if result.condition not in _MOVABLE or not result.crops:
        return Redecided(result, True)
    if result.method != "pixels" and result.best >= policy.eta_match:
        return Redecided(result, True)
    judged = [(crop, _condition(crop, policy)) for crop in result.crops]
    if all(condition == _condition(crop, searched) for crop, condition in judged):
        return Redecided(result, True)
    for crop, condition in judged:
        if not condition and not _failed_otherwise(crop, result, searched):
            return _accepted(result, crop, policy, searched)
    nearest, condition = max(judged, key=lambda one: (_RANK.index(one[1]), one[0].best))
    if not condition:
        # It passed the thresholds before and was refused for something else.
        return Redecided(result, True)
    again = replace(
        _taken(result, nearest),
        accepted=False,
        point=None,
        code=_CODES[condition],
        condition=condition,
        shortfall=_shortfall(nearest, condition, policy),
        sentence=f"Refused by these thresholds: {_reason(nearest, condition, policy)}.",
    )
    return Redecided(again, not result.accepted or _all_seen(result))


def flips(results: Sequence[ReaimResult], policy: ReaimSettings, searched: ReaimSettings | None = None) -> list[int]:
    """Which stored results would change from accepted to refused, or back, under other thresholds; their indices."""
    again = (decide_again(result, policy, searched).result.accepted for result in results)
    return [index for index, accepted in enumerate(again) if accepted != results[index].accepted]


def _condition(crop: CropMatch, policy: ReaimSettings) -> str:
    if crop.best < policy.eta_match:
        return "score"
    if crop.margin < policy.eta_margin:
        return "margin"
    return "target_check" if crop.check is not None and crop.check < policy.target_check else ""


def _failed_otherwise(crop: CropMatch, result: ReaimResult, searched: ReaimSettings) -> bool:
    """Whether a crop that passes all thresholds was refused for another reason: colour, element, window."""
    decided = result.accepted and (crop.kind, crop.variant) == (result.crop, result.variant)
    return not decided and not _condition(crop, searched)


def _accepted(result: ReaimResult, crop: CropMatch, policy: ReaimSettings, searched: ReaimSettings) -> Redecided:
    again = replace(
        _taken(result, crop),
        accepted=True,
        point=crop.point,
        code=None,
        condition="",
        shortfall=0.0,
        sentence=f"Accepted by these thresholds: {crop.best:.3f}, clear by {crop.margin:.3f}.",
    )
    same = result.accepted and (crop.kind, crop.variant) == (result.crop, result.variant)
    if same:
        again = replace(again, point=result.point, sentence=result.sentence)
    return Redecided(again, same and policy.eta_margin <= searched.eta_margin)


def _taken(result: ReaimResult, crop: CropMatch) -> ReaimResult:
    return replace(
        result,
        best=crop.best,
        second=crop.second,
        margin=crop.margin,
        scale=crop.scale,
        crop=crop.kind,
        variant=crop.variant,
        check=crop.check,
        box=crop.box,
        second_box=crop.second_box,
    )


def _shortfall(crop: CropMatch, condition: str, policy: ReaimSettings) -> float:
    if condition == "score":
        return policy.eta_match - crop.best
    if condition == "margin":
        return policy.eta_margin - crop.margin
    return policy.target_check - (crop.check or 0.0)


def _reason(crop: CropMatch, condition: str, policy: ReaimSettings) -> str:
    if condition == "score":
        return f"{crop.best:.3f} is under {policy.eta_match:.3f}"
    if condition == "margin":
        return f"the gap of {crop.margin:.3f} is under {policy.eta_margin:.3f}"
    return f"the target itself {crop.check or 0.0:.3f} is under {policy.target_check:.3f}"


def _all_seen(result: ReaimResult) -> bool:
    """Whether every crop that decides was looked at."""
    return {crop.kind for crop in result.crops} >= _DECIDING - {CropKind.WIDENED.value}
