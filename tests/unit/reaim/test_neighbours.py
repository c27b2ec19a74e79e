from __future__ import annotations

import numpy as np
import pytest

from echostudio.episode.evidence import CropKind, ElementFacts
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.episode.verdict import RefusalCode
from echostudio.reaim import CropPicture, perturb, re_aim
from echostudio.reaim.neighbours import SHARE, agreement, displaced
from echostudio.reaim.pyramid import ScaledCrop, Screen
from echostudio.reaim.reference import exhaustive
from echostudio.settings import ReaimSettings
from tests.unit.reaim import scenes

POLICY = ReaimSettings()
PITCH = 30
HEIGHT, WIDTH = 400, 480
CLICK = FramePoint(40, 75)


def listed(order: tuple[int, ...]) -> np.ndarray:
    """A list: every row has the same button, and a label of its own beside it."""
    pixels = np.full((HEIGHT, WIDTH, 3), 236, np.uint8)
    for index, row in enumerate(order):
        top = index * PITCH
        pixels[top : top + 1, 10:300] = 160
        scenes.draw(pixels, FrameBox(26, top + 3, 28, 24), 500)
        label = FrameBox(70, top + 8, 16, 14)
        for part in range(4):
            scenes.draw(pixels, FrameBox(label.x + part * 16, label.y, 16, 14), 600 + 7 * row + part)
    return pixels


RECORDED = listed(tuple(range(12)))
EVIDENCE = scenes.pictures(RECORDED, CLICK)


def test_a_row_whose_own_row_has_gone_is_not_another_row() -> None:
    # Row 2 was recorded. All rows after it came nearer the top, so another row is alone with the same button.
    others = listed((20, 21, 22, 23, 24, 25, 26, 27, 28))
    others[PITCH * 2 : PITCH * 4] = 236
    result = re_aim(scenes.frame(others), EVIDENCE, POLICY)
    assert not result.accepted
    assert not exhaustive(scenes.frame(others), EVIDENCE, POLICY).accepted


def test_a_row_that_moved_with_its_neighbours_is_found() -> None:
    scrolled = np.full_like(RECORDED, 236)
    scrolled[90:] = RECORDED[:-90]
    result = re_aim(scenes.frame(scrolled), EVIDENCE, POLICY)
    assert result.point == FramePoint(CLICK.x, CLICK.y + 90)


def copied(pixels: np.ndarray, click: FramePoint) -> np.ndarray:
    """Only the widget and what touches it, on another screen at another place."""
    screen = scenes.desktop(9)
    screen[150 : 150 + 92, 244 : 244 + 92] = pixels[click.y - 46 : click.y + 46, click.x - 46 : click.x + 46]
    return screen


def test_a_copy_without_its_surroundings_is_ambiguous_unless_its_element_is_the_only_one() -> None:
    screen = scenes.desktop()
    click = scenes.widget_box(2, 1).center
    pasted = copied(screen, click)
    facts = ElementFacts("push button", "Save")
    evidence = scenes.pictures(screen, click, element=facts, element_count=1)
    alone = re_aim(scenes.frame(pasted), evidence, POLICY)
    assert (alone.accepted, alone.code) == (False, RefusalCode.TARGET_AMBIGUOUS)
    assert "another row or a copy" in alone.sentence
    told = re_aim(scenes.frame(pasted), evidence, POLICY, lambda _: facts)
    assert told.point == FramePoint(290, 196)
    twice = scenes.pictures(screen, click, element=facts, element_count=2)
    assert not re_aim(scenes.frame(pasted), twice, POLICY, lambda _: facts).accepted


def test_changes_round_a_target_that_stayed_do_not_matter() -> None:
    screen = scenes.desktop()
    click = scenes.widget_box(2, 1).center
    changed = scenes.desktop(9)
    changed[click.y - 38 : click.y + 38, click.x - 40 : click.x + 40] = screen[
        click.y - 38 : click.y + 38, click.x - 40 : click.x + 40
    ]
    assert re_aim(scenes.frame(changed), scenes.pictures(screen, click), POLICY).point == click


@pytest.mark.parametrize("factor", [0.75, 1.0, 1.4])
def test_all_pieces_agree_at_the_place_itself(factor: float) -> None:
    screen = scenes.desktop()
    click = scenes.widget_box(2, 1).center
    changed, truth = perturb.scale(screen, factor, click)
    crop = ScaledCrop(scenes.cut(screen, click, CropKind.WIDE), 2.0)
    share = agreement(Screen(changed), crop, truth, factor, 1.0 if factor == 1.0 else 0.9)
    assert share is not None
    assert share >= SHARE
    elsewhere = agreement(Screen(changed), crop, FramePoint(truth.x + 40, truth.y - 20), factor, 0.9)
    assert elsewhere is not None
    assert elsewhere < 0.3


def test_masked_and_flat_pieces_do_not_count() -> None:
    screen = scenes.desktop()
    click = scenes.widget_box(2, 1).center
    wide = scenes.cut(screen, click, CropKind.WIDE)
    noisy = wide.pixels.copy()
    mask = np.zeros(noisy.shape[:2], np.bool_)
    mask[:96] = True
    noisy[mask] = np.random.default_rng(2).integers(0, 255, (int(mask.sum()), 3))
    masked = ScaledCrop(CropPicture(wide.kind, wide.variant, noisy, wide.point, mask), 2.0)
    assert agreement(Screen(screen), masked, click, 1.0, 1.0) == 1.0
    plain = ScaledCrop(CropPicture(wide.kind, wide.variant, np.full_like(noisy, 90), wide.point), 2.0)
    assert agreement(Screen(screen), plain, click, 1.0, 1.0) is None


def test_a_place_is_the_same_when_the_frame_has_another_size() -> None:
    evidence = scenes.pictures(scenes.desktop(), FramePoint(100, 100))
    double = Screen(np.zeros((540, 960, 3), np.uint8))
    assert not displaced(double, evidence, FramePoint(204, 196))
    assert displaced(double, evidence, FramePoint(100, 100))
