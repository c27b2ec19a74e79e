"""The record-time self test: is the target unique on the very screen that it was recorded on?"""

from __future__ import annotations

from collections.abc import Sequence

from echostudio.episode.evidence import CropKind, SelfTest
from echostudio.episode.frame import Frame
from echostudio.reaim.decide import DECIDING
from echostudio.reaim.evidence import CropPicture
from echostudio.reaim.match import find
from echostudio.reaim.pyramid import ScaledCrop, Screen
from echostudio.reaim.request import Request, bare
from echostudio.reaim.target_check import textured_cut
from echostudio.settings import ReaimSettings


def self_test(frame: Frame, crops: Sequence[CropPicture], policy: ReaimSettings) -> SelfTest:
    """Match crops against their own frame, in the order in which they would decide, until one is unique.

    Args:
        frame: The frame that the crops were cut from.
        crops: Crops of one variant; the target crop is ignored, it never decides.
        policy: The thresholds that a later re-aim will use. The search is the one of a later re-aim, so all scales
            are covered.

    Returns:
        The first crop that passes score and margin with a target that can be told; else the one with the widest margin.
    """
    screen = Screen(frame.pixels)
    request = bare(crops, (screen.width, screen.height), policy, 2)
    by_kind = {crop.kind: crop for crop in crops}
    tested: list[SelfTest] = []
    for kind in DECIDING:
        if kind in by_kind:
            tested.append(_test(screen, by_kind[kind], request))
            if tested[-1].passed:
                return tested[-1]
    if not tested:
        return SelfTest(0.0, 0.0, 0.0, False, "", "No picture of the target's surroundings was recorded.")
    return max(tested, key=lambda one: (one.margin, one.best))


def _test(screen: Screen, picture: CropPicture, request: Request) -> SelfTest:
    policy = request.policy
    crop = ScaledCrop(picture, policy.flat_deviation)
    seen = find(screen, crop, request)
    weak = textured_cut(crop, policy) is None
    passed = seen.score >= policy.eta_match and seen.margin >= policy.eta_margin and not weak
    return SelfTest(seen.score, seen.second_score, seen.margin, passed, picture.kind.value, _words(crop, weak, passed))


def _words(crop: ScaledCrop, weak: bool, passed: bool) -> str:
    if passed:
        return "The target can be told from everything else on this screen."
    if crop.flat:
        return "The surroundings are one flat colour; nothing can be recognised by them."
    if weak:
        return "The target itself is a flat area; it can only be told by its element or its words."
    if crop.crop.kind is CropKind.CONTEXT:
        return "Another place on this screen looks the same; a wider picture may tell them apart."
    return "Another place on this screen looks the same, even with wider surroundings."
