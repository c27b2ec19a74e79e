from __future__ import annotations

import numpy as np
import pytest

from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.reaim import perturb, re_aim
from echostudio.reaim.finer import polish
from echostudio.reaim.match import find
from echostudio.reaim.pyramid import ScaledCrop, Screen
from echostudio.reaim.reference import exhaustive, sweep
from echostudio.reaim.request import bare
from echostudio.settings import ReaimSettings
from tests.unit.reaim import scenes

# A coarse grid of scales, so that a screen can lie far between two of them.
POLICY = ReaimSettings(scale_step=0.25, scale_low=0.75, scale_high=1.5)
SCREEN = scenes.desktop()
CLICK = scenes.widget_box(2, 1).center
BETWEEN = 1.12


def seen(pixels: np.ndarray, policy: ReaimSettings = POLICY) -> tuple[Screen, ScaledCrop, object]:
    crop = scenes.cut(SCREEN, CLICK)
    return Screen(pixels), ScaledCrop(crop, 2.0), bare([crop], (480, 270), policy, 4)


def test_a_screen_between_two_scales_is_found_at_a_finer_one() -> None:
    changed, truth = perturb.scale(SCREEN, BETWEEN, CLICK)
    screen, crop, request = seen(changed)
    sighting = find(screen, crop, request)  # type: ignore[arg-type]
    assert sighting.best is not None
    assert sighting.best.scale == pytest.approx(BETWEEN, abs=0.03)
    assert sighting.best.score >= POLICY.eta_match
    place = crop.place(sighting.best.box)
    assert max(abs(place.x - truth.x), abs(place.y - truth.y)) <= 2


def test_the_exhaustive_search_takes_the_same_step() -> None:
    changed, _ = perturb.scale(SCREEN, BETWEEN, CLICK)
    screen, crop, request = seen(changed)
    fast, full = find(screen, crop, request), sweep(screen, crop, request)  # type: ignore[arg-type]
    assert fast.best is not None
    assert full.best is not None
    assert (fast.best.box, fast.best.scale) == (full.best.box, full.best.scale)
    assert fast.second_score == pytest.approx(full.second_score, abs=0.02)


def test_a_twin_gains_by_the_finer_scale_what_the_best_gains() -> None:
    doubled = np.full((540, 480, 3), scenes.BACKGROUND, np.uint8)
    doubled[:270], doubled[270:] = SCREEN, SCREEN
    changed, _ = perturb.scale(doubled, BETWEEN, FramePoint(CLICK.x, 270))
    screen, crop, request = seen(changed)
    sighting = find(screen, crop, request)  # type: ignore[arg-type]
    assert sighting.score >= POLICY.eta_match
    assert sighting.margin < 0.1
    # The margin was 0.2 and more if only the best were followed.
    wide_margin = POLICY.model_copy(update={"eta_margin": 0.1})
    refused = re_aim(scenes.frame(changed), scenes.pictures(SCREEN, CLICK), wide_margin)
    assert not refused.accepted


def test_polishing_never_lowers_the_score_and_stays_at_its_place() -> None:
    changed, _ = perturb.scale(SCREEN, 1.02, CLICK)
    screen, crop, request = seen(changed)
    coarse = find(screen, crop, request).best  # type: ignore[arg-type]
    assert coarse is not None
    fine = polish(screen, crop, request, coarse)  # type: ignore[arg-type]
    assert fine.score >= coarse.score
    assert fine.scale == pytest.approx(1.02, abs=0.03)
    assert max(abs(fine.box.center.x - coarse.box.center.x), abs(fine.box.center.y - coarse.box.center.y)) <= 6


def test_an_erased_target_stays_refused_at_finer_scales() -> None:
    erased = perturb.erase(SCREEN, scenes.widget_box(2, 1))
    changed, _ = perturb.scale(erased, BETWEEN, CLICK)
    evidence = scenes.pictures(SCREEN, CLICK)
    for judge in (re_aim, exhaustive):
        assert not judge(scenes.frame(changed), evidence, POLICY).accepted


def test_a_window_limits_the_finer_step_too() -> None:
    changed, truth = perturb.scale(SCREEN, BETWEEN, CLICK)
    evidence = scenes.pictures(SCREEN, CLICK)
    beside = FrameBox(0, 0, truth.x - 30, 270)
    assert not re_aim(scenes.frame(changed), evidence, POLICY, window=beside).accepted
