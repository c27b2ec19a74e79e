"""The decision rule, the same for the fast and for the exhaustive search.

Context decides, else the wide context, else the widened crop; the target crop never decides, because its twins get
lost. The variant recorded before the pointer came near goes first. The other one is asked only when the first one
fails, and never when the first one saw look-alikes: a highlight that happens to lie on the wrong row would tell them
apart.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from echostudio.episode.evidence import CropKind, CropVariant
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.episode.verdict import Candidate, CropMatch, ReaimResult, RefusalCode
from echostudio.reaim import sentences
from echostudio.reaim.corroborate import agrees
from echostudio.reaim.evidence import CropPicture
from echostudio.reaim.guards import blank
from echostudio.reaim.judgement import Judged, judge
from echostudio.reaim.neighbours import SAME_PLACE, SHARE, agreement, displaced, recorded_place
from echostudio.reaim.pyramid import ScaledCrop, Screen
from echostudio.reaim.request import Request, Search
from echostudio.reaim.target_check import score_at

DECIDING = (CropKind.CONTEXT, CropKind.WIDE, CropKind.WIDENED)
# Wide surroundings under this score at the accepted place have nothing in common with the recorded ones.
LOWEST_WIDE = 0.25
VARIANTS = (CropVariant.APPROACH, CropVariant.BEFORE)

_CODES = {
    "too_small": RefusalCode.TARGET_NOT_FOUND,
    "blank": RefusalCode.TARGET_NOT_FOUND,
    "score": RefusalCode.TARGET_NOT_FOUND,
    "margin": RefusalCode.TARGET_AMBIGUOUS,
    "target_check": RefusalCode.TARGET_MISMATCH,
    "colour": RefusalCode.TARGET_MISMATCH,
    "element": RefusalCode.TARGET_MISMATCH,
}


def decide(screen: Screen, request: Request, search: Search) -> ReaimResult:
    """Look for the recorded target with ``search`` and judge what it finds."""
    started = time.perf_counter()
    request.token.check()
    if blank(screen):
        return _without_search("blank", sentences.BLANK, started)
    judged: list[Judged] = []
    for crops in _variants(request):
        seen = _judge_variant(screen, crops, request, search)
        judged += seen
        if seen and (not seen[-1].condition or _nearest(seen).condition == "margin"):
            break
    if not judged:
        return _without_search("score", sentences.NO_CROP, started)
    return _result(_nearest(judged), judged, request, started)


def _variants(request: Request) -> Iterator[list[CropPicture]]:
    """The deciding crops of each variant, without those that repeat an earlier picture."""
    earlier: list[CropPicture] = []
    for variant in VARIANTS:
        crops = request.evidence.of_variant(variant)
        fresh = [crops[kind] for kind in DECIDING if kind in crops]
        fresh = [crop for crop in fresh if not any(crop.same_picture(other) for other in earlier)]
        earlier += fresh
        if fresh:
            yield fresh


def _judge_variant(screen: Screen, crops: list[CropPicture], request: Request, search: Search) -> list[Judged]:
    """Judge the crops in order until one is accepted."""
    judged: list[Judged] = []
    for picture in crops:
        began = time.perf_counter()
        crop = ScaledCrop(picture, request.policy.flat_deviation)
        sighting = search(screen, crop, request, _seeds(crop, screen, request, judged))
        one = judge(screen, crop, sighting, request)
        if not one.condition and picture.kind is CropKind.CONTEXT:
            one = _second_opinion(screen, one, crops, request, search)
        if not one.condition:
            one = _among_its_neighbours(screen, one, crops, request)
        judged.append(_timed(one, began))
        if not one.condition:
            break
    return judged


def _second_opinion(
    screen: Screen, judged: Judged, crops: Sequence[CropPicture], request: Request, search: Search
) -> Judged:
    """Ask the wide context whether the place that the context accepted is the recorded one.

    An equal icon in another row passes everything that is small; the wide surroundings then match better elsewhere.
    """
    wide = next((crop for crop in crops if crop.kind is CropKind.WIDE), None)
    policy, best, place = request.policy, judged.chosen, judged.place
    if wide is None or best is None or place is None or judged.method != "pixels":
        return judged
    crop = ScaledCrop(wide, policy.flat_deviation)
    here = score_at(screen, crop, place, best.scale, policy)
    if here is None or here >= policy.eta_match:
        return judged
    if here < LOWEST_WIDE:
        return replace(judged, condition="score", shortfall=LOWEST_WIDE - here, detail="alone")
    seen = search(screen, crop, request, [_seed(crop, place, best.scale)])
    if seen.best is None or seen.score < policy.eta_match or seen.margin < policy.eta_margin:
        return judged
    other = crop.place(seen.best.box)
    if max(abs(other.x - place.x), abs(other.y - place.y)) <= SAME_PLACE:
        return judged
    return replace(judged, condition="margin", shortfall=policy.eta_margin, detail="elsewhere")


def _among_its_neighbours(screen: Screen, judged: Judged, crops: Sequence[CropPicture], request: Request) -> Judged:
    """Ask the surroundings piece by piece when the place is not the recorded one."""
    place, best = judged.place, judged.chosen
    if place is None or best is None or judged.method != "pixels" or not displaced(screen, request.evidence, place):
        return judged
    widest = max(crops, key=lambda crop: crop.pixels.shape[0] * crop.pixels.shape[1])
    crop = ScaledCrop(widest, request.policy.flat_deviation)
    share = agreement(screen, crop, place, best.scale, best.score if judged.check is None else judged.check)
    if share is None or share >= SHARE or _only_element(place, request):
        return judged
    return replace(judged, condition="margin", shortfall=SHARE - share, detail="strange")


def _only_element(place: FramePoint, request: Request) -> bool:
    """Whether the program names the element at the place like the recorded one, and there was only one of that name."""
    recorded, asked = request.evidence.element, request.element_at
    return request.evidence.element_count == 1 and asked is not None and agrees(recorded, asked(place))


def _timed(judged: Judged, began: float) -> Judged:
    return replace(judged, ms=(time.perf_counter() - began) * 1000)


def _seeds(crop: ScaledCrop, screen: Screen, request: Request, judged: Sequence[Judged]) -> list[Candidate]:
    """Where to look whatever the coarse map says: the recorded place, and what other crops found."""
    width, height = request.evidence.recorded_size
    across, down = screen.width / max(1, width), screen.height / max(1, height)
    place = recorded_place(screen, request.evidence)
    seeds = [_seed(crop, place, scale) for scale in {1.0, round(min(across, down), 2)}]
    for one in judged:
        if one.sighting.best is not None:
            best = one.sighting.best
            seeds.append(_seed(crop, one.crop.place(best.box), best.scale))
    return seeds


def _seed(crop: ScaledCrop, place: FramePoint, scale: float) -> Candidate:
    width, height = crop.size(scale)
    inside = crop.offset(width, height)
    return Candidate(0.0, FrameBox(place.x - inside.x, place.y - inside.y, width, height), scale)


def _nearest(judged: Sequence[Judged]) -> Judged:
    return max(judged, key=lambda one: one.rank)


def _result(nearest: Judged, judged: Sequence[Judged], request: Request, started: float) -> ReaimResult:
    seen, chosen = nearest.sighting, nearest.chosen or nearest.sighting.best
    crops: tuple[CropMatch, ...] = tuple(one.match() for one in judged)
    return ReaimResult(
        accepted=not nearest.condition,
        point=nearest.place if not nearest.condition else None,
        code=_CODES.get(nearest.condition),
        condition=nearest.condition,
        shortfall=max(0.0, nearest.shortfall),
        sentence=sentences.sentence(nearest, request.policy),
        best=seen.score,
        second=seen.second_score,
        margin=seen.margin,
        scale=chosen.scale if chosen else 0.0,
        crop=nearest.crop.crop.kind.value,
        variant=nearest.crop.crop.variant.value,
        check=nearest.check,
        box=chosen.box if chosen else None,
        second_box=seen.second.box if seen.second else None,
        method=nearest.method,
        crops=crops,
        timings_ms=_timings(judged, started),
    )


def _timings(judged: Sequence[Judged], started: float) -> dict[str, float]:
    timings = {f"{one.crop.crop.variant.value} {one.crop.crop.kind.value}": one.ms for one in judged}
    timings["decide"] = (time.perf_counter() - started) * 1000
    return timings


def _without_search(condition: str, sentence: str, started: float) -> ReaimResult:
    return ReaimResult(
        accepted=False,
        point=None,
        code=_CODES[condition],
        condition=condition,
        shortfall=1.0,
        sentence=sentence,
        best=0.0,
        second=0.0,
        margin=0.0,
        scale=0.0,
        crop="",
        variant="",
        check=None,
        box=None,
        second_box=None,
        method="pixels",
        timings_ms=_timings((), started),
    )
