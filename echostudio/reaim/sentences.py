"""What a person reads about a re-aim, in plain words."""

from __future__ import annotations

from echostudio.episode.evidence import CropKind
from echostudio.reaim.judgement import Judged
from echostudio.settings import ReaimSettings

BLANK = "The screen is blank: it shows a single colour, as when it is locked or asleep."
NO_CROP = "Nothing can be looked for: no picture of the target's surroundings was recorded."

_NAMES = {
    CropKind.TARGET: "target",
    CropKind.CONTEXT: "surroundings",
    CropKind.WIDE: "wide surroundings",
    CropKind.WIDENED: "widened surroundings",
}


def sentence(judged: Judged, policy: ReaimSettings) -> str:
    """Say what was decided about the crop that decided, or came nearest."""
    return _WORDS[judged.condition](judged, policy)


def _accepted(judged: Judged, policy: ReaimSettings) -> str:
    seen = judged.sighting
    name = _NAMES[judged.crop.crop.kind]
    if judged.method == "element" and seen.margin < policy.eta_margin:
        return f"Several places look the same (best {seen.score:.3f}); only one is the element that was recorded."
    if judged.check is None:
        witness = "element" if judged.method == "element" else "words"
        return (
            f"Found by its {name}: {seen.score:.3f}, clear by {seen.margin:.3f}; the same {witness} was there before."
        )
    return f"Found by its {name}: {seen.score:.3f}, clear by {seen.margin:.3f}; the target itself {judged.check:.3f}."


def _too_small(judged: Judged, policy: ReaimSettings) -> str:
    return f"The screen is smaller than the recorded {_NAMES[judged.crop.crop.kind]}."


def _score(judged: Judged, policy: ReaimSettings) -> str:
    name = _NAMES[judged.crop.crop.kind]
    if judged.crop.masked:
        return f"The recorded {name} are redacted; nothing is left to recognise them by."
    if judged.crop.flat:
        return f"The recorded {name} are one flat colour; nothing can be recognised by them."
    if judged.detail == "unlike":
        return (
            f"The target is not on this screen: {judged.sighting.score:.3f} is seen in several places, "
            f"but the target itself in none of them ({judged.check or 0.0:.3f})."
        )
    if judged.detail == "alone":
        return "A place looks like the target and what touches it, but nothing else round it is as recorded."
    if judged.detail == "outside":
        return "The place that looks like the target lies outside the window."
    score = judged.sighting.score
    return (
        f"The target is not on this screen: its {name} reach {score:.3f} at best; "
        f"{policy.eta_match - score:.3f} short of {policy.eta_match:.3f}."
    )


def _margin(judged: Judged, policy: ReaimSettings) -> str:
    seen = judged.sighting
    if judged.detail == "strange":
        return (
            "A place looks like the target, but it lies elsewhere than recorded and other things are round it: "
            "it may be another row or a copy."
        )
    if judged.detail == "elsewhere":
        return (
            f"Two places compete: the {_NAMES[judged.crop.crop.kind]} match at one, the wide surroundings at another."
        )
    return (
        f"Two places look the same: best {seen.score:.3f}, second {seen.second_score:.3f}; "
        f"the gap of {seen.margin:.3f} is under {policy.eta_margin:.3f}."
    )


def _target_check(judged: Judged, policy: ReaimSettings) -> str:
    if judged.check is None:
        return "The surroundings match, but the target itself is a flat area and nothing else tells it."
    return (
        f"The surroundings match ({judged.sighting.score:.3f}), but the target itself does not: "
        f"{judged.check:.3f} is under {policy.target_check:.3f}."
    )


def _colour(judged: Judged, policy: ReaimSettings) -> str:
    return f"The target is there, but {judged.detail}; it may be disabled."


def _element(judged: Judged, policy: ReaimSettings) -> str:
    return f"The place looks right, but {judged.detail}."


_WORDS = {
    "": _accepted,
    "too_small": _too_small,
    "score": _score,
    "margin": _margin,
    "target_check": _target_check,
    "colour": _colour,
    "element": _element,
}
