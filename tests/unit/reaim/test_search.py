from __future__ import annotations

import cv2
import numpy as np
import pytest

from echostudio.episode.evidence import ElementFacts
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.episode.verdict import Candidate
from echostudio.reaim.coarse import exact_map
from echostudio.reaim.corroborate import contradiction, role_group
from echostudio.reaim.pyramid import ScaledCrop, Screen, deviation, plane, scales
from echostudio.reaim.scoremap import ScoreMap, scores, whole_map
from echostudio.reaim.sighting import apart, peaks
from echostudio.settings import ReaimSettings
from tests.unit.reaim import scenes

SCREEN = Screen(scenes.desktop())
CROP = ScaledCrop(scenes.cut(SCREEN.pixels, scenes.widget_box(2, 1).center), 2.0)


def test_the_default_policy_searches_31_scales() -> None:
    found = scales(ReaimSettings())
    assert (len(found), found[0], found[10], found[-1]) == (31, 0.5, 1.0, 2.0)


@pytest.mark.parametrize("scale", [0.5, 0.85, 1.0, 1.6])
def test_scores_are_those_of_opencv_where_there_is_texture(scale: float) -> None:
    scaled = CROP.at(scale)
    assert scaled is not None
    ours = scores(SCREEN.full, scaled, 2.0)
    picture = cv2.resize(CROP.grey, CROP.size(scale), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    theirs = cv2.matchTemplate(SCREEN.grey, picture, cv2.TM_CCOEFF_NORMED)
    textured = np.isfinite(deviation(SCREEN.full, scaled.width, scaled.height, 2.0))
    assert np.abs(ours - theirs)[textured].max() < 2e-3
    assert (ours[~textured] == 0).all()


def test_flat_windows_score_nothing() -> None:
    noisy = np.full((60, 60), 120, np.uint8)
    noisy[::2, ::2] = 121
    scaled = CROP.at(0.5)
    assert scaled is not None
    assert (scores(plane(noisy), scaled, 2.0) == 0).all()


def test_the_pruned_map_equals_the_whole_one_wherever_it_matters() -> None:
    large = np.full((1080, 1920, 3), scenes.BACKGROUND, np.uint8)
    for column, row in ((0, 0), (3, 1), (1, 3)):
        large[row * 270 : row * 270 + 270, column * 480 : column * 480 + 480] = scenes.desktop(column)
    large[301:571, 1203:1683] = scenes.desktop()
    screen = Screen(large)
    scaled = CROP.at(1.0)
    assert scaled is not None
    whole = whole_map(screen.full, scaled, 2.0).values
    pruned = exact_map(screen, CROP, scaled, 0.9, FrameBox(0, 0, 96, 96)).values
    assert (pruned == 0).mean() > 0.3
    assert np.abs(whole - pruned)[whole >= 0.6].max() < 1e-4
    assert (whole > 0.99).sum() == (pruned > 0.99).sum() >= 2


def test_peaks_do_not_overlap_and_fall() -> None:
    scaled = CROP.at(1.0)
    assert scaled is not None
    one = whole_map(SCREEN.full, scaled, 2.0)
    best = one.best()
    assert best is not None
    found = peaks([one], best, 5)
    assert [peak.score for peak in found] == sorted((peak.score for peak in found), reverse=True)
    assert not any(a.box.overlaps(b.box) for a in found for b in found if a is not b)


def test_the_best_place_keeps_its_click_in_the_window() -> None:
    values = np.zeros((50, 80), np.float32)
    values[10, 20], values[30, 60] = 0.9, 0.8
    one = ScoreMap(values, 1.0, 20, 10, FramePoint(5, 5))
    assert one.best() == Candidate(pytest.approx(0.9), FrameBox(20, 10, 20, 10), 1.0)
    right = one.best(FrameBox(40, 0, 60, 60))
    assert right is not None
    assert right.box.x == 60
    assert one.best(FrameBox(200, 200, 10, 10)) is None


def test_apart_drops_what_overlaps_something_better() -> None:
    boxes = [Candidate(0.5, FrameBox(0, 0, 10, 10), 1.0), Candidate(0.9, FrameBox(5, 5, 10, 10), 1.0)]
    far = Candidate(0.4, FrameBox(50, 50, 10, 10), 1.0)
    assert apart([*boxes, far], 8) == (boxes[1], far)


def test_roles_of_other_toolkits_are_one_group() -> None:
    assert role_group("push button") == role_group("Button") == role_group("toggle_button")
    assert role_group("check box") != role_group("push button")
    assert role_group("hologram") == "hologram"


def test_only_named_elements_contradict() -> None:
    save, other = ElementFacts("push button", "Save"), ElementFacts("push button", "Close")
    assert contradiction(save, other)
    assert not contradiction(save, save)
    assert not contradiction(ElementFacts("push button", " "), other)
    assert not contradiction(None, other)
