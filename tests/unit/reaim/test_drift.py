from __future__ import annotations

import cv2
import numpy as np
import pytest

from echostudio.episode.geometry import FramePoint
from echostudio.reaim import perturb, re_aim
from echostudio.reaim.drift import Drift, diagnose, trace
from echostudio.settings import ReaimSettings
from tests.unit.reaim import scenes

POLICY = ReaimSettings()
SCREEN = scenes.desktop()
CLICKS = tuple(scenes.widget_box(column, 1).center for column in (1, 2, 4))


def drift(change: object, clicks: tuple[FramePoint, ...] = CLICKS) -> Drift:
    results, traces = [], []
    for click in clicks:
        pixels = change(click) if callable(change) else change
        evidence = scenes.pictures(SCREEN, click)
        result = re_aim(scenes.frame(pixels), evidence, POLICY)
        results.append(result)
        traces.append(trace(scenes.frame(pixels), evidence, result, POLICY))
    return diagnose(results, traces)


def test_an_unchanged_screen_has_nothing_to_say() -> None:
    assert drift(SCREEN) == Drift(None, None, recoloured=False, blurred=False, steps=3)
    assert drift(SCREEN).sentence == ""


def test_a_common_offset_is_told_in_pixels_and_directions() -> None:
    moved = drift(perturb.shift(SCREEN, 14, -9))
    assert moved.offset == FramePoint(14, -9)
    assert (moved.scale, moved.recoloured, moved.blurred) == (None, False, False)
    assert moved.sentence == "Everything lies 14 px to the right and 9 px above of where it was recorded."


def test_a_common_scale_is_told_and_no_offset_beside_it() -> None:
    larger = drift(lambda click: perturb.scale(SCREEN, 1.25, click)[0])
    assert larger.scale == pytest.approx(1.25, abs=0.03)
    assert larger.offset is None
    assert "125% of its recorded size" in larger.sentence


def test_another_theme_is_told_though_nothing_was_found() -> None:
    dark = drift(perturb.invert_theme(SCREEN))
    assert dark.recoloured
    assert (dark.scale, dark.offset) == (None, None)
    assert "another theme" in dark.sentence


def test_a_soft_picture_is_told() -> None:
    soft = drift(np.asarray(cv2.GaussianBlur(SCREEN, (0, 0), 0.8), np.uint8))
    assert soft.blurred
    assert not soft.recoloured
    assert "softer" in soft.sentence


def test_another_screen_is_no_drift() -> None:
    assert drift(scenes.desktop(5)).sentence == ""
    assert drift(np.zeros_like(SCREEN)).sentence == ""


def test_one_step_says_nothing_and_a_stray_one_is_outvoted() -> None:
    moved = perturb.shift(SCREEN, 12, 0)
    assert drift(moved, CLICKS[:1]).sentence == ""
    four = (*CLICKS, scenes.widget_box(3, 2).center)
    stray = drift(lambda click: SCREEN if click == four[-1] else moved, four)
    assert stray.offset == FramePoint(12, 0)
    half = drift(lambda click: SCREEN if click in four[2:] else moved, four)
    assert half.offset is None


def test_without_pixels_only_the_scale_is_told() -> None:
    results = []
    for click in CLICKS:
        pixels, _ = perturb.scale(SCREEN, 1.3, click)
        results.append(re_aim(scenes.frame(pixels), scenes.pictures(SCREEN, click), POLICY))
    told = diagnose(results)
    assert told.scale == pytest.approx(1.3, abs=0.03)
    assert told.offset is None
    assert diagnose([]) == Drift(None, None, recoloured=False, blurred=False, steps=0)
