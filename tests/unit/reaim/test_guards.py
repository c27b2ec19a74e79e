from __future__ import annotations

import numpy as np
import pytest

from echostudio.episode.evidence import CropKind
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import FrameBox, FramePoint, ScreenMap
from echostudio.episode.verdict import ReaimResult, RefusalCode
from echostudio.reaim import CropPicture, TargetPictures, perturb, re_aim
from echostudio.settings import ReaimSettings
from tests.unit.reaim import scenes

POLICY = ReaimSettings()
SCREEN = scenes.desktop()
WIDGET = scenes.widget_box(2, 1)
CLICK = WIDGET.center
SIZE = (480, 270)


def aim(pixels: np.ndarray, *crops: CropPicture, window: FrameBox | None = None) -> ReaimResult:
    return re_aim(scenes.frame(pixels), TargetPictures(crops, CLICK, SIZE), POLICY, window=window)


def hidden(crop: CropPicture, box: FrameBox | None = None) -> CropPicture:
    """The crop with a box of its pixels redacted and overwritten; all of it without a box."""
    height, width = crop.pixels.shape[:2]
    box = box or FrameBox(0, 0, width, height)
    mask = np.zeros((height, width), np.bool_)
    mask[box.y : box.bottom, box.x : box.right] = True
    pixels = crop.pixels.copy()
    pixels[mask] = np.random.default_rng(3).integers(0, 255, (int(mask.sum()), 3))
    return CropPicture(crop.kind, crop.variant, pixels, crop.point, mask)


def test_a_redacted_context_leaves_the_decision_to_the_wide_context() -> None:
    result = aim(SCREEN, hidden(scenes.cut(SCREEN, CLICK)), scenes.cut(SCREEN, CLICK, CropKind.WIDE))
    assert (result.point, result.crop) == (CLICK, "wide_context")
    assert [crop.kind for crop in result.crops] == ["context", "wide_context"]


def test_a_redacted_wide_context_does_not_stop_the_context() -> None:
    result = aim(SCREEN, scenes.cut(SCREEN, CLICK), hidden(scenes.cut(SCREEN, CLICK, CropKind.WIDE)))
    assert (result.point, result.crop) == (CLICK, "context")


def test_crops_that_are_all_redacted_say_so() -> None:
    crops = [hidden(scenes.cut(SCREEN, CLICK, kind)) for kind in (CropKind.CONTEXT, CropKind.WIDE)]
    result = aim(SCREEN, *crops)
    assert (result.code, result.condition) == (RefusalCode.TARGET_NOT_FOUND, "score")
    assert "redacted" in result.sentence


@pytest.mark.parametrize("factor", [0.8, 1.3])
def test_a_mask_is_scaled_with_its_crop(factor: float) -> None:
    changed, truth = perturb.scale(SCREEN, factor, CLICK)
    result = aim(changed, hidden(scenes.cut(SCREEN, CLICK), FrameBox(0, 0, 96, 26)))
    assert result.point is not None
    assert max(abs(result.point.x - truth.x), abs(result.point.y - truth.y)) <= 1


def test_what_is_masked_may_change_and_what_is_not_may_not() -> None:
    crop = scenes.cut(SCREEN, CLICK)
    field = FrameBox(CLICK.x - 46, CLICK.y - 46, 92, 24)
    changed = SCREEN.copy()
    scenes.draw(changed, field, 12)
    masked = hidden(crop, FrameBox(2, 2, 92, 24))
    assert aim(changed, masked).best > 0.99 > aim(changed, crop).best
    assert not aim(perturb.erase(changed, WIDGET, 0), masked).accepted


@pytest.mark.parametrize("how", ["16 bit", "strides", "mirrored", "alpha", "read only"])
def test_odd_crops_and_frames_are_taken(how: str) -> None:
    def odd(pixels: np.ndarray) -> np.ndarray:
        if how == "16 bit":
            return pixels.astype(np.uint16) * 257
        if how == "strides":
            return np.repeat(np.repeat(pixels, 2, axis=1), 3, axis=0)[::3, ::2]
        if how == "mirrored":
            return np.ascontiguousarray(pixels[::-1, ::-1])[::-1, ::-1]
        if how == "alpha":
            return np.dstack([pixels, np.full(pixels.shape[:2], 9, np.uint8)])
        fixed = pixels.copy()
        fixed.setflags(write=False)
        return fixed

    crop = scenes.cut(SCREEN, CLICK)
    recorded = CropPicture(crop.kind, crop.variant, odd(crop.pixels), crop.point)
    frame = Frame(odd(SCREEN), 0.0, ScreenMap.single(*SIZE))
    assert re_aim(frame, TargetPictures((recorded,), CLICK, SIZE), POLICY).point == CLICK


def test_a_screen_smaller_than_the_crop_is_searched_at_the_scales_that_fit() -> None:
    small, truth = perturb.scale(SCREEN, 0.75, CLICK)
    corner = FramePoint(truth.x - 42, truth.y - 42)
    tiny = np.ascontiguousarray(small[corner.y : corner.y + 84, corner.x : corner.x + 84])
    result = aim(tiny, scenes.cut(SCREEN, CLICK))
    assert result.point is not None
    assert max(abs(result.point.x - 42), abs(result.point.y - 42)) <= 1


def test_a_crop_as_large_as_the_frame_is_found() -> None:
    whole = CropPicture(CropKind.WIDE, scenes.cut(SCREEN, CLICK).variant, SCREEN, CLICK)
    assert aim(SCREEN, whole).point == CLICK


@pytest.mark.parametrize("shape", [(20, 480), (270, 14)])
def test_a_strip_of_a_screen_is_too_small(shape: tuple[int, int]) -> None:
    result = aim(SCREEN[: shape[0], : shape[1]], scenes.cut(SCREEN, CLICK))
    assert not result.accepted


def test_a_window_beyond_the_frame_holds_only_what_is_on_the_frame() -> None:
    crop = scenes.cut(SCREEN, CLICK)
    assert aim(SCREEN, crop, window=FrameBox(-200, -100, 2000, 2000)).point == CLICK
    assert not aim(SCREEN, crop, window=FrameBox(600, 400, 50, 50)).accepted


def test_the_window_decides_to_the_pixel() -> None:
    crop = scenes.cut(SCREEN, CLICK)
    assert aim(SCREEN, crop, window=FrameBox(CLICK.x, CLICK.y, 60, 60)).point == CLICK
    assert not aim(SCREEN, crop, window=FrameBox(CLICK.x + 1, CLICK.y, 60, 60)).accepted
