from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from echostudio.cancel import CancelToken
from echostudio.episode.evidence import CropKind, CropVariant
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.episode.verdict import ReaimResult, RefusalCode
from echostudio.errors import Cancelled
from echostudio.reaim import CropPicture, TargetPictures, perturb, re_aim
from echostudio.reaim.lab import decide_again, flips, heatmap
from echostudio.settings import ReaimSettings
from tests.unit.reaim import scenes

POLICY = ReaimSettings()
SCREEN = scenes.desktop()
WIDGET = scenes.widget_box(2, 1)
CLICK = WIDGET.center
EVIDENCE = scenes.pictures(SCREEN, CLICK)


def aim(pixels: np.ndarray, policy: ReaimSettings = POLICY) -> ReaimResult:
    return re_aim(scenes.frame(pixels), EVIDENCE, policy)


def moved(**thresholds: float) -> ReaimSettings:
    return POLICY.model_copy(update=thresholds)


PRESENT = aim(SCREEN)
COMPRESSED = aim(perturb.jpeg(SCREEN, 40))
ABSENT = aim(scenes.desktop(7))
DISABLED = aim(perturb.recolour(SCREEN, WIDGET, 0.5))


@pytest.mark.parametrize("result", [PRESENT, COMPRESSED, ABSENT, DISABLED])
def test_the_same_thresholds_give_the_same_result(result: ReaimResult) -> None:
    again = decide_again(result, POLICY)
    assert again.known
    assert (again.result.accepted, again.result.point, again.result.code) == (
        result.accepted,
        result.point,
        result.code,
    )


def test_a_higher_score_refuses_and_says_by_how_much() -> None:
    needed = COMPRESSED.best + 0.01
    again = decide_again(COMPRESSED, moved(eta_match=needed)).result
    assert (again.accepted, again.point, again.code) == (False, None, RefusalCode.TARGET_NOT_FOUND)
    assert again.condition == "score"
    assert again.shortfall == pytest.approx(0.01)
    assert f"{needed:.3f}" in again.sentence


def test_a_wider_margin_refuses_as_ambiguous() -> None:
    again = decide_again(PRESENT, moved(eta_margin=PRESENT.margin + 0.02))
    assert (again.result.condition, again.result.code) == ("margin", RefusalCode.TARGET_AMBIGUOUS)
    assert again.result.shortfall == pytest.approx(0.02)
    # The wide context was not searched, because the context had decided.
    assert not again.known


def test_a_stricter_target_check_refuses_as_mismatch() -> None:
    assert COMPRESSED.check is not None
    again = decide_again(COMPRESSED, moved(target_check=COMPRESSED.check + 0.001)).result
    assert (again.condition, again.code) == ("target_check", RefusalCode.TARGET_MISMATCH)


def test_a_lower_score_accepts_what_was_short_but_is_not_sure() -> None:
    strict = moved(eta_match=0.99)
    short = aim(perturb.jpeg(SCREEN, 40), strict)
    assert short.condition == "score"
    again = decide_again(short, POLICY, searched=strict)
    assert again.result.accepted
    assert again.result.point == CLICK
    # The target check was never made.
    assert not again.known


def test_a_washed_out_target_stays_refused_whatever_the_thresholds() -> None:
    again = decide_again(DISABLED, moved(eta_match=0.5, eta_margin=0.0, target_check=0.5))
    assert (again.result.condition, again.known) == ("colour", True)


def test_a_decision_made_again_agrees_with_a_new_search() -> None:
    for policy in (moved(eta_match=0.9), moved(eta_match=0.99), moved(target_check=0.97), moved(eta_margin=0.15)):
        for result, pixels in ((PRESENT, SCREEN), (COMPRESSED, perturb.jpeg(SCREEN, 40)), (ABSENT, scenes.desktop(7))):
            again = decide_again(result, policy)
            if again.known:
                assert again.result.accepted == aim(pixels, policy).accepted


def test_flips_names_what_would_change() -> None:
    results = [PRESENT, COMPRESSED, ABSENT]
    assert flips(results, POLICY) == []
    assert flips(results, moved(eta_match=(PRESENT.best + COMPRESSED.best) / 2)) == [1]


def test_a_slider_is_followed_at_60_frames_a_second() -> None:
    past = [replace(COMPRESSED, sentence=str(index)) for index in range(200)]
    began = time.process_time()
    flips(past, moved(eta_match=0.9))
    assert time.process_time() - began < 1 / 60


def test_the_heat_map_is_hottest_at_the_target() -> None:
    drawn = heatmap(scenes.frame(SCREEN), scenes.cut(SCREEN, CLICK), POLICY)
    assert drawn.scores.dtype == np.uint8
    assert drawn.scores.shape == (270 // drawn.factor, 480 // drawn.factor)
    row, column = np.unravel_index(int(drawn.scores.argmax()), drawn.scores.shape)
    assert abs(int(column) * drawn.factor - CLICK.x) <= drawn.factor
    assert abs(int(row) * drawn.factor - CLICK.y) <= drawn.factor
    assert drawn.scores.max() > 220 > 60 > np.median(drawn.scores)


@pytest.mark.parametrize("factor", [0.8, 1.0, 1.3])
def test_the_curve_peaks_at_the_scale_of_the_screen(factor: float) -> None:
    changed, truth = perturb.scale(SCREEN, factor, CLICK)
    drawn = heatmap(scenes.frame(changed), scenes.cut(SCREEN, CLICK), POLICY)
    assert drawn.peak is not None
    assert drawn.peak.scale == pytest.approx(factor, abs=0.026)
    assert drawn.peak.box.contains(truth)
    assert [one.scale for one in drawn.curve] == sorted(one.scale for one in drawn.curve)
    assert all(-1 <= one.score <= 1 for one in drawn.curve)


def test_nothing_to_draw_is_an_empty_map() -> None:
    flat = CropPicture(CropKind.CONTEXT, CropVariant.APPROACH, np.full((96, 96, 3), 90, np.uint8), FramePoint(48, 48))
    for pixels, crop in ((SCREEN, flat), (SCREEN[:30, :30], scenes.cut(SCREEN, CLICK))):
        drawn = heatmap(scenes.frame(pixels), crop, POLICY)
        assert (drawn.curve, drawn.peak, drawn.scores.max()) == ((), None, 0)


def test_a_cancelled_heat_map_ends() -> None:
    token = CancelToken()
    token.cancel("enough")
    with pytest.raises(Cancelled):
        heatmap(scenes.frame(SCREEN), scenes.cut(SCREEN, CLICK), POLICY, token)


def test_a_result_without_crops_cannot_change() -> None:
    blank = aim(np.zeros_like(SCREEN))
    assert decide_again(blank, moved(eta_match=0.5)).result is blank
    assert TargetPictures((), CLICK, (480, 270)).crops == ()


def test_the_curve_knows_a_twin_at_the_same_scale() -> None:
    context = next(one for one in EVIDENCE.crops if one.kind is CropKind.CONTEXT)
    alone = heatmap(scenes.frame(SCREEN), context, POLICY)
    box = FrameBox(CLICK.x - 60, CLICK.y - 60, 120, 120)
    doubled = heatmap(scenes.frame(perturb.duplicate(SCREEN, box, FramePoint(4, 4))), context, POLICY)
    at = [one.scale for one in alone.curve].index(1.0)
    assert alone.curve[at].score > 0.99
    assert alone.seconds[at] < 0.9
    assert doubled.seconds[at] > 0.99
    assert all(second <= one.score for one, second in zip(doubled.curve, doubled.seconds, strict=True))
