from __future__ import annotations

import numpy as np
import pytest

from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.reaim import perturb
from tests.unit.reaim import scenes

SCREEN = scenes.desktop()
BOX = scenes.widget_box(2, 1)


def inside(pixels: np.ndarray, box: FrameBox) -> np.ndarray:
    return pixels[box.y : box.bottom, box.x : box.right]


def test_shift_moves_every_pixel_and_fills_the_rest() -> None:
    moved = perturb.shift(SCREEN, 30, -20, fill=(1, 2, 3))
    assert np.array_equal(moved[:250, 30:], SCREEN[20:, :450])
    assert (moved[250:] == (1, 2, 3)).all()
    assert (moved[:, :30] == (1, 2, 3)).all()


@pytest.mark.parametrize("factor", [0.7, 1.0, 1.5])
def test_scale_keeps_the_given_pixel_in_view(factor: float) -> None:
    mark = SCREEN.copy()
    mark[:] = 0
    mark[180:184, 400:404] = 255
    changed, place = perturb.scale(mark, factor, FramePoint(402, 182))
    assert changed.shape[0] <= 270
    assert changed.shape[1] <= 480
    assert changed[place.y, place.x].min() > 200


def test_duplicate_copies_and_cuts_at_the_edge() -> None:
    copied = perturb.duplicate(SCREEN, BOX, FramePoint(460, 260))
    assert np.array_equal(copied[260:, 460:], inside(SCREEN, BOX)[:10, :20])
    assert np.array_equal(inside(copied, BOX), inside(SCREEN, BOX))


def test_erase_leaves_one_colour_and_its_surroundings() -> None:
    erased = perturb.erase(SCREEN, BOX, 4)
    assert inside(erased, BOX.grown(4)).reshape(-1, 3).std(axis=0).max() == 0
    outside = np.ones(SCREEN.shape[:2], np.bool_)
    inside(outside, BOX.grown(4))[:] = False
    assert np.array_equal(erased[outside], SCREEN[outside])


def test_cover_hides_only_one_side() -> None:
    covered = perturb.cover(SCREEN, BOX, 0.5, (9, 9, 9))
    half = BOX.x + BOX.width // 2
    assert (covered[BOX.y : BOX.bottom, BOX.x : half] == 9).all()
    assert np.array_equal(covered[BOX.y : BOX.bottom, half:], SCREEN[BOX.y : BOX.bottom, half:])


def test_recolour_takes_colour_and_contrast_from_the_box_alone() -> None:
    washed = inside(perturb.recolour(SCREEN, BOX, 0.5), BOX)
    assert (washed.max(axis=2) == washed.min(axis=2)).all()
    assert washed.std() < 0.6 * inside(SCREEN, BOX).std()


def test_an_inverted_theme_is_dark_and_inverts_back() -> None:
    dark = perturb.invert_theme(SCREEN)
    assert dark.mean() < 100 < SCREEN.mean()
    assert np.abs(perturb.invert_theme(dark).astype(int) - SCREEN).mean() < 3


def test_compression_changes_little() -> None:
    assert 0 < np.abs(perturb.jpeg(SCREEN).astype(int) - SCREEN).mean() < 8


def test_nothing_changes_its_input() -> None:
    before = SCREEN.copy()
    perturb.shift(SCREEN, 3, 3)
    perturb.scale(SCREEN, 1.2, BOX.center)
    for deed in (perturb.erase, perturb.cover, perturb.recolour):
        deed(SCREEN, BOX)
    perturb.duplicate(SCREEN, BOX, FramePoint(0, 0))
    perturb.invert_theme(SCREEN)
    assert np.array_equal(SCREEN, before)
