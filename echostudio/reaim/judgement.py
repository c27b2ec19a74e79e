"""The judgement of one crop: score, margin, target check, colour, window, element, in that order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from echostudio.episode.evidence import ElementFacts
from echostudio.episode.geometry import FramePoint
from echostudio.episode.verdict import Candidate, CropMatch
from echostudio.reaim.corroborate import agrees, contradiction, role_group, same_name
from echostudio.reaim.guards import colours
from echostudio.reaim.pyramid import ScaledCrop, Screen
from echostudio.reaim.request import Request
from echostudio.reaim.sighting import Sighting
from echostudio.reaim.target_check import check, textured_cut

# How far a crop got before it failed; the crop that got furthest is the one the refusal talks about.
ORDER = ("too_small", "score", "margin", "target_check", "colour", "element", "")


@dataclass(frozen=True, slots=True)
class Judged:
    """One crop with its sighting and how far it got; ``condition`` is empty when it is accepted."""

    crop: ScaledCrop
    sighting: Sighting
    condition: str
    shortfall: float = 0.0
    chosen: Candidate | None = None
    place: FramePoint | None = None
    check: float | None = None
    method: str = "pixels"
    detail: str = ""
    ms: float = 0.0

    @property
    def rank(self) -> tuple[int, float]:
        """Sorts by how near to acceptance the crop came."""
        return ORDER.index(self.condition), -self.shortfall

    def match(self) -> CropMatch:
        """The public record of this crop."""
        seen, kind, variant = self.sighting, self.crop.crop.kind, self.crop.crop.variant
        box = seen.best.box if seen.best else None
        return CropMatch(
            kind=kind.value,
            variant=variant.value,
            best=seen.score,
            second=seen.second_score,
            margin=seen.margin,
            scale=seen.best.scale if seen.best else 0.0,
            box=box,
            second_box=seen.second.box if seen.second else None,
            point=self.crop.place(box) if box else None,
            candidates=seen.candidates,
            passed=ORDER.index(self.condition) > ORDER.index("margin"),
            check=self.check,
            ms=self.ms,
        )


def judge(screen: Screen, crop: ScaledCrop, sighting: Sighting, request: Request) -> Judged:
    """Judge what was found for one crop."""
    policy = request.policy
    if not sighting.fits:
        smallest = crop.size(policy.scale_low)
        short = max(smallest[0] - screen.width, smallest[1] - screen.height, 1)
        return Judged(crop, sighting, "too_small", float(short))
    if sighting.best is None or sighting.score < policy.eta_match:
        return Judged(crop, sighting, "score", policy.eta_match - sighting.score)
    chosen, method = sighting.best, "pixels"
    if sighting.margin < policy.eta_margin:
        told = _element_choice(crop, sighting, request)
        if told is None:
            return _ambiguous(screen, crop, sighting, request)
        chosen, method = told, "element"
    judged = Judged(crop, sighting, "", chosen=chosen, method=method)
    return _target(screen, judged, request)


def _ambiguous(screen: Screen, crop: ScaledCrop, sighting: Sighting, request: Request) -> Judged:
    """Refuse look-alikes: as ambiguous when one of them may be the target, as not found when none of them can be.

    Small scales find something vaguely alike on most screens, and mostly several times.
    """
    policy = request.policy
    short = policy.eta_margin - sighting.margin
    cut = textured_cut(crop, policy)
    lowest = sighting.score - policy.eta_margin
    alike = [one for one in _look_alikes(sighting) if one.score >= lowest and _allowed(crop.place(one.box), request)]
    checks = [check(screen, crop, cut, one.box, policy) for one in alike] if cut else []
    best = max((one.score for one in checks if one is not None), default=0.0)
    if cut is not None and best < policy.target_check:
        return Judged(crop, sighting, "score", policy.target_check - best, sighting.best, check=best, detail="unlike")
    return Judged(crop, sighting, "margin", short, sighting.best)


def _target(screen: Screen, judged: Judged, request: Request) -> Judged:
    """Judge the target itself, after its surroundings have matched."""
    crop, chosen, policy = judged.crop, judged.chosen, request.policy
    assert chosen is not None
    cut = textured_cut(crop, policy)
    place = crop.place(chosen.box)
    if cut is not None:
        checked = check(screen, crop, cut, chosen.box, policy)
        score = max(0.0, checked.score) if checked else 0.0
        judged = replace(judged, check=score)
        if checked is None or score < policy.target_check:
            return replace(judged, condition="target_check", shortfall=policy.target_check - score)
        place = checked.point
    else:
        source = _weak_evidence(screen, judged, place, request)
        if not source:
            return replace(judged, condition="target_check", shortfall=policy.target_check, detail="weak")
        judged = replace(judged, method=source)
    judged = replace(judged, place=place)
    compared = colours(screen, crop, place, chosen.box.width / crop.width)
    if compared is None or compared.shortfall > 0:
        return replace(
            judged,
            condition="colour",
            shortfall=compared.shortfall if compared else 1.0,
            detail=compared.sentence if compared else "most of it lies outside the screen",
        )
    return _corroborated(screen, judged, place, request)


def _corroborated(screen: Screen, judged: Judged, place: FramePoint, request: Request) -> Judged:
    allowed = request.window or screen.box
    if not allowed.clipped(screen.box).contains(place):
        policy = request.policy
        return replace(judged, condition="score", shortfall=policy.eta_match, place=None, detail="outside")
    if request.element_at is not None:
        detail = contradiction(request.evidence.element, request.element_at(place))
        if detail:
            return replace(judged, condition="element", shortfall=1.0, detail=detail)
    return judged


def _weak_evidence(screen: Screen, judged: Judged, place: FramePoint, request: Request) -> str:
    """What vouches for a target that has no texture: ``element``, ``words`` or nothing."""
    if request.element_at is not None and agrees(request.evidence.element, request.element_at(place)):
        return "element"
    if request.read_words is not None and judged.chosen is not None:
        box = judged.chosen.box.clipped(screen.box)
        recorded = request.read_words(judged.crop.pixels)
        if recorded.strip() and same_name(
            recorded, request.read_words(screen.pixels[box.y : box.bottom, box.x : box.right])
        ):
            return "words"
    return ""


def _element_choice(crop: ScaledCrop, sighting: Sighting, request: Request) -> Candidate | None:
    """The one look-alike that lies in the only element with the recorded role and name."""
    recorded, count = request.evidence.element, request.evidence.element_count
    if recorded is None or request.elements is None or not recorded.name.strip() or count not in (None, 1):
        return None
    boxes = [box for facts, box in request.elements() if _same_element(recorded, facts)]
    if len(boxes) != 1:
        return None
    lowest = max(request.policy.eta_match, sighting.score - request.policy.eta_margin)
    inside = [
        one
        for one in _look_alikes(sighting)
        if one.score >= lowest and boxes[0].contains(crop.place(one.box)) and _allowed(crop.place(one.box), request)
    ]
    return max(inside, key=lambda one: one.score, default=None)


def _look_alikes(sighting: Sighting) -> Iterable[Candidate]:
    if sighting.best is not None:
        yield sighting.best
    if sighting.second is not None:
        yield sighting.second
    yield from sighting.candidates


def _same_element(recorded: ElementFacts, facts: ElementFacts) -> bool:
    return role_group(recorded.role) == role_group(facts.role) and same_name(recorded.name, facts.name)


def _allowed(place: FramePoint, request: Request) -> bool:
    return request.window is None or request.window.contains(place)
