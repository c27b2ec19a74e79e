from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from echostudio.cancel import CancelToken
from echostudio.episode.evidence import CropKind, CropVariant, ElementFacts
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import FrameBox, FramePoint, ScreenMap
from echostudio.episode.verdict import ReaimResult, RefusalCode
from echostudio.errors import Cancelled
from echostudio.reaim import CropPicture, TargetPictures, perturb, re_aim, self_test
from echostudio.reaim.reference import exhaustive
from echostudio.settings import ReaimSettings
from tests.unit.reaim import scenes

POLICY = ReaimSettings()
SCREEN = scenes.desktop()
WIDGET = scenes.widget_box(2, 1)
CLICK = WIDGET.center
EVIDENCE = scenes.pictures(SCREEN, CLICK)
ROW_BUTTON = ElementFacts("push button", "Save")


def aim(pixels: np.ndarray, evidence: TargetPictures = EVIDENCE, **more: object) -> ReaimResult:
    return re_aim(scenes.frame(pixels), evidence, POLICY, **more)  # type: ignore[arg-type]


def refused(result: ReaimResult, code: RefusalCode, condition: str) -> None:
    assert (result.accepted, result.point) == (False, None)
    assert (result.code, result.condition) == (code, condition)
    assert result.shortfall > 0
    assert result.sentence.endswith(".")


def test_the_same_screen_is_found_at_the_very_pixel_with_all_numbers() -> None:
    result = aim(SCREEN)
    assert (result.accepted, result.point, result.code, result.condition) == (True, CLICK, None, "")
    assert result.best > 0.999
    assert result.margin == pytest.approx(result.best - result.second)
    assert result.margin >= POLICY.eta_margin
    assert (result.scale, result.crop, result.variant, result.method) == (1.0, "context", "approach", "pixels")
    assert result.check is not None
    assert result.check > 0.999
    assert result.box is not None
    assert result.second_box is not None
    assert not result.second_box.overlaps(result.box)
    assert 1 < len(result.crops[0].candidates) <= 8
    assert result.crops[0].candidates[0].box == result.box
    assert result.timings_ms["decide"] > 0


def test_every_widget_is_found_where_it_is() -> None:
    for row in range(3):
        for column in range(6):
            click = scenes.widget_box(column, row).center
            assert aim(SCREEN, scenes.pictures(SCREEN, click)).point == click


def test_an_absent_target_is_refused_with_what_was_short() -> None:
    result = aim(scenes.desktop(seed=7))
    refused(result, RefusalCode.TARGET_NOT_FOUND, "score")
    assert "not on this screen" in result.sentence
    window = FrameBox(380, 180, 90, 80)
    empty = np.full_like(SCREEN, scenes.BACKGROUND)
    scenes.draw(empty, FrameBox(20, 20, 44, 34), 4711)
    far = aim(empty, window=window)
    refused(far, RefusalCode.TARGET_NOT_FOUND, "score")
    assert far.shortfall == pytest.approx(POLICY.eta_match - far.best)


def test_an_erased_target_is_refused_though_its_surroundings_stay() -> None:
    result = aim(perturb.erase(SCREEN, WIDGET, 0))
    assert result.best > 0.5
    assert not result.accepted
    assert result.code in (RefusalCode.TARGET_MISMATCH, RefusalCode.TARGET_NOT_FOUND)


def test_surroundings_without_the_target_fail_the_target_check() -> None:
    changed = SCREEN.copy()
    scenes.draw(changed, FrameBox(CLICK.x - 9, CLICK.y - 9, 20, 18), 999)
    result = aim(changed)
    refused(result, RefusalCode.TARGET_MISMATCH, "target_check")
    assert result.check is not None
    assert result.check < POLICY.target_check


def test_a_full_twin_is_ambiguous_and_both_places_are_told() -> None:
    doubled = np.full((600, 960, 3), scenes.BACKGROUND, np.uint8)
    doubled[:270, :480] = SCREEN
    doubled[300:570, 470:950] = SCREEN
    result = aim(doubled)
    refused(result, RefusalCode.TARGET_AMBIGUOUS, "margin")
    assert result.second > 0.999
    assert result.second_box is not None
    assert "Two places look the same" in result.sentence


def test_a_wider_crop_tells_apart_what_the_context_cannot() -> None:
    doubled = perturb.duplicate(scenes.desktop(3), FrameBox(CLICK.x - 50, CLICK.y - 50, 100, 100), FramePoint(20, 10))
    result = aim(doubled, scenes.pictures(doubled, CLICK))
    assert result.point == CLICK
    assert result.crop == "wide_context"
    assert result.crops[0].margin < POLICY.eta_margin


def test_a_shifted_copy_inside_the_best_box_is_a_look_alike() -> None:
    rows = np.full((270, 480, 3), scenes.BACKGROUND, np.uint8)
    for row in range(9):
        scenes.draw(rows, FrameBox(100, 5 + 28 * row, 300, 24), 5)
    refused(aim(rows, scenes.pictures(rows, FramePoint(180, 129))), RefusalCode.TARGET_AMBIGUOUS, "margin")


@pytest.mark.parametrize("strength", [0.4, 0.5, 0.6])
def test_a_disabled_twin_is_refused_by_its_colours(strength: float) -> None:
    refused(aim(perturb.recolour(SCREEN, WIDGET, strength)), RefusalCode.TARGET_MISMATCH, "colour")


def test_a_target_that_lost_only_its_colour_is_refused() -> None:
    vivid = SCREEN.copy()
    vivid[WIDGET.y + 4 : WIDGET.bottom - 4, WIDGET.x + 4 : WIDGET.right - 4, 0] = 230
    evidence = scenes.pictures(vivid, CLICK)
    assert aim(vivid, evidence).point == CLICK
    refused(aim(perturb.recolour(vivid, WIDGET, 0.0), evidence), RefusalCode.TARGET_MISMATCH, "colour")


@pytest.mark.parametrize("level", [0, 128, 255])
def test_a_blank_screen_is_refused_as_such(level: int) -> None:
    pixels = np.full_like(SCREEN, level)
    pixels[4:9, 4:9] = 200
    result = aim(pixels)
    refused(result, RefusalCode.TARGET_NOT_FOUND, "blank")
    assert "blank" in result.sentence


def test_a_flat_crop_is_no_evidence() -> None:
    plain = np.full_like(SCREEN, 200)
    plain[:30, :30] = 10
    flat = scenes.pictures(plain, FramePoint(300, 150))
    refused(aim(plain, flat), RefusalCode.TARGET_NOT_FOUND, "score")


def test_a_target_without_texture_needs_its_element() -> None:
    page = SCREEN.copy()
    hole = FrameBox(CLICK.x - 32, CLICK.y - 32, 64, 64)
    page[hole.y : hole.bottom, hole.x : hole.right] = 250
    facts = ElementFacts("text", "Notes")
    evidence = scenes.pictures(page, CLICK, element=facts)
    result = aim(page, evidence)
    refused(result, RefusalCode.TARGET_MISMATCH, "target_check")
    assert result.check is None
    helped = aim(page, evidence, element_at=lambda _: facts)
    assert (helped.point, helped.method) == (CLICK, "element")
    read = aim(page, evidence, read_words=lambda _: "Notes")
    assert (read.point, read.method) == (CLICK, "words")
    refused(aim(page, evidence, element_at=lambda _: None), RefusalCode.TARGET_MISMATCH, "target_check")


def test_a_flat_click_beside_texture_is_checked_by_the_nearest_texture() -> None:
    page = SCREEN.copy()
    page[CLICK.y - 12 : CLICK.y + 12, CLICK.x - 12 : CLICK.x + 12] = 240
    assert aim(page, scenes.pictures(page, CLICK)).point == CLICK


def test_a_screen_smaller_than_the_crop_is_too_small() -> None:
    refused(aim(SCREEN[:40, :40]), RefusalCode.TARGET_NOT_FOUND, "too_small")


def test_no_deciding_crop_is_a_refusal() -> None:
    only_target = TargetPictures((scenes.cut(SCREEN, CLICK, CropKind.TARGET),), CLICK, (480, 270))
    refused(aim(SCREEN, only_target), RefusalCode.TARGET_NOT_FOUND, "score")


@pytest.mark.parametrize(
    ("found", "accepted"),
    [
        (ElementFacts("button", "Save"), True),
        (ElementFacts("push button", " Save "), True),
        (ElementFacts("push button", ""), True),
        (None, True),
        (ElementFacts("push button", "Save as"), False),
        (ElementFacts("push button", "save"), False),
        (ElementFacts("check box", "Save"), False),
    ],
)
def test_the_element_at_the_place_corroborates(found: ElementFacts | None, accepted: bool) -> None:
    evidence = scenes.pictures(SCREEN, CLICK, element=ROW_BUTTON)
    asked: list[FramePoint] = []

    def element_at(place: FramePoint) -> ElementFacts | None:
        asked.append(place)
        return found

    result = aim(SCREEN, evidence, element_at=element_at)
    assert asked[0] == CLICK
    if accepted:
        assert result.point == CLICK
    else:
        refused(result, RefusalCode.TARGET_MISMATCH, "element")


def test_the_content_of_an_entry_is_no_name() -> None:
    evidence = scenes.pictures(SCREEN, CLICK, element=ElementFacts("entry", "June"))
    assert aim(SCREEN, evidence, element_at=lambda _: ElementFacts("text", "July")).point == CLICK


def twins() -> tuple[np.ndarray, FramePoint, FramePoint]:
    doubled = np.full((600, 960, 3), scenes.BACKGROUND, np.uint8)
    doubled[:270, :480] = SCREEN
    doubled[300:570, 470:950] = SCREEN
    return doubled, CLICK, FramePoint(CLICK.x + 470, CLICK.y + 300)


def box_round(place: FramePoint) -> FrameBox:
    return FrameBox(place.x - 20, place.y - 15, 40, 30)


def test_the_only_element_of_that_name_decides_between_twins() -> None:
    doubled, _, right = twins()
    tree = [(ROW_BUTTON, box_round(right)), (ElementFacts("push button", "Open"), FrameBox(0, 0, 20, 20))]
    evidence = scenes.pictures(SCREEN, CLICK, element=ROW_BUTTON, element_count=1)
    result = aim(doubled, evidence, elements=lambda: tree)
    assert (result.point, result.method) == (right, "element")
    assert "element" in result.sentence


def test_an_element_that_is_not_alone_or_elsewhere_or_uncounted_does_not_decide() -> None:
    doubled, left, right = twins()
    both = [(ROW_BUTTON, box_round(left)), (ROW_BUTTON, box_round(right))]
    away = [(ROW_BUTTON, FrameBox(0, 400, 30, 30))]
    alone = [(ROW_BUTTON, box_round(right))]
    one = scenes.pictures(SCREEN, CLICK, element=ROW_BUTTON, element_count=1)
    two = scenes.pictures(SCREEN, CLICK, element=ROW_BUTTON, element_count=2)
    nameless = scenes.pictures(SCREEN, CLICK, element=ElementFacts("push button", ""), element_count=1)
    for evidence, tree in ((one, both), (one, away), (two, alone), (nameless, alone)):
        result = aim(doubled, evidence, elements=lambda tree=tree: tree)
        refused(result, RefusalCode.TARGET_AMBIGUOUS, "margin")


def test_the_window_limits_the_place_but_not_the_look_alikes() -> None:
    doubled, _, right = twins()
    window = FrameBox(right.x - 100, right.y - 100, 200, 200)
    refused(aim(doubled, window=window), RefusalCode.TARGET_AMBIGUOUS, "margin")
    refused(aim(SCREEN, window=FrameBox(300, 0, 180, 270)), RefusalCode.TARGET_NOT_FOUND, "score")
    assert aim(SCREEN, window=FrameBox(CLICK.x - 60, CLICK.y - 60, 120, 120)).point == CLICK


def test_masked_pixels_are_ignored() -> None:
    crop = scenes.cut(SCREEN, CLICK)
    redacted = crop.pixels.copy()
    mask = np.zeros(redacted.shape[:2], np.bool_)
    mask[:30, :] = True
    redacted[mask] = np.random.default_rng(1).integers(0, 255, (int(mask.sum()), 3))
    plain = CropPicture(crop.kind, crop.variant, redacted, crop.point)
    masked = CropPicture(crop.kind, crop.variant, redacted, crop.point, mask)
    refused(aim(SCREEN, TargetPictures((plain,), CLICK, (480, 270))), RefusalCode.TARGET_NOT_FOUND, "score")
    result = aim(SCREEN, TargetPictures((masked,), CLICK, (480, 270)))
    assert result.point == CLICK
    assert result.best > 0.99


def test_a_wholly_masked_crop_is_no_evidence() -> None:
    crop = scenes.cut(SCREEN, CLICK)
    hidden = CropPicture(crop.kind, crop.variant, crop.pixels, crop.point, np.ones(crop.pixels.shape[:2], np.bool_))
    refused(aim(SCREEN, TargetPictures((hidden,), CLICK, (480, 270))), RefusalCode.TARGET_NOT_FOUND, "score")


def test_the_second_variant_is_asked_when_the_first_fails() -> None:
    hovered = SCREEN.copy()
    scenes.draw(hovered, FrameBox(CLICK.x - 45, CLICK.y - 45, 90, 90), 77)
    crops = (
        scenes.cut(SCREEN, CLICK, variant=CropVariant.APPROACH),
        scenes.cut(hovered, CLICK, variant=CropVariant.BEFORE),
    )
    result = aim(hovered, TargetPictures(crops, CLICK, (480, 270)))
    assert (result.point, result.variant) == (CLICK, "before")
    assert [crop.variant for crop in result.crops] == ["approach", "before"]


def test_a_highlight_never_settles_what_the_first_variant_saw_twice() -> None:
    doubled, _, right = twins()
    lit = doubled.copy()
    scenes.draw(lit, FrameBox(right.x - 45, right.y - 45, 90, 20), 31)
    hovered = SCREEN.copy()
    scenes.draw(hovered, FrameBox(CLICK.x - 45, CLICK.y - 45, 90, 20), 31)
    approach = scenes.cut(SCREEN, CLICK, variant=CropVariant.APPROACH)
    before = scenes.cut(hovered, CLICK, variant=CropVariant.BEFORE)
    assert aim(lit, TargetPictures((before,), CLICK, (480, 270))).point == right
    result = aim(doubled, TargetPictures((approach, before), CLICK, (480, 270)))
    refused(result, RefusalCode.TARGET_AMBIGUOUS, "margin")
    assert {crop.variant for crop in result.crops} == {"approach"}


def test_equal_variants_are_searched_once() -> None:
    crops = tuple(scenes.cut(SCREEN, CLICK, variant=variant) for variant in CropVariant)
    assert len(aim(scenes.desktop(9), TargetPictures(crops, CLICK, (480, 270))).crops) == 1


@pytest.mark.parametrize("kind", ["16 bit", "strides", "alpha"])
def test_odd_pictures_are_taken(kind: str) -> None:
    odd: np.ndarray
    if kind == "16 bit":
        odd = SCREEN.astype(np.uint16) * 257
    elif kind == "strides":
        odd = np.repeat(SCREEN, 2, axis=1)[:, ::2]
    else:
        odd = np.dstack([SCREEN, np.full(SCREEN.shape[:2], 255, np.uint8)])
    result = re_aim(Frame(odd, 0.0, ScreenMap.single(480, 270)), EVIDENCE, POLICY)
    assert result.point == CLICK


def test_a_crop_clipped_by_the_screen_edge_is_found() -> None:
    click = FramePoint(scenes.widget_box(0, 0).x + 4, scenes.widget_box(0, 0).y + 4)
    evidence = scenes.pictures(SCREEN, click)
    assert aim(SCREEN, evidence).point == click
    assert aim(perturb.shift(SCREEN, 31, 17), evidence).point == FramePoint(click.x + 31, click.y + 17)


def test_a_cancelled_token_ends_the_search() -> None:
    token = CancelToken()
    token.cancel("enough")
    with pytest.raises(Cancelled, match="enough"):
        aim(SCREEN, token=token)


def test_a_covered_or_inverted_target_is_refused() -> None:
    assert not aim(perturb.cover(SCREEN, WIDGET)).accepted
    assert not aim(perturb.invert_theme(SCREEN)).accepted


def test_compression_is_no_reason_to_refuse() -> None:
    assert aim(perturb.jpeg(SCREEN, 60)).point == CLICK


def test_the_self_test_tells_unique_from_doubled_targets() -> None:
    passed = self_test(scenes.frame(SCREEN), EVIDENCE.crops, POLICY)
    assert (passed.passed, passed.crop) == (True, "context")
    assert passed.best > 0.999
    doubled, left, _ = twins()
    failed = self_test(scenes.frame(doubled), scenes.pictures(doubled, left).crops[:2], POLICY)
    assert not failed.passed
    assert failed.margin < POLICY.eta_margin
    assert "looks the same" in failed.sentence
    assert not self_test(scenes.frame(SCREEN), (), POLICY).passed


@settings(max_examples=8, deadline=None)
@given(dx=st.integers(-20, 60), dy=st.integers(-20, 60), column=st.integers(1, 4), row=st.integers(0, 2))
def test_a_moved_target_is_found_to_the_pixel_or_refused(dx: int, dy: int, column: int, row: int) -> None:
    click = scenes.widget_box(column, row).center
    result = aim(perturb.shift(SCREEN, dx, dy), scenes.pictures(SCREEN, click))
    assert result.point in (None, FramePoint(click.x + dx, click.y + dy))


@settings(max_examples=8, deadline=None)
@given(factor=st.floats(0.7, 1.5), column=st.integers(1, 4), row=st.integers(0, 2))
def test_a_scaled_target_is_found_within_a_pixel_or_refused(factor: float, column: int, row: int) -> None:
    click = scenes.widget_box(column, row).center
    changed, truth = perturb.scale(SCREEN, factor, click)
    result = aim(changed, scenes.pictures(SCREEN, click))
    if result.point is not None:
        assert max(abs(result.point.x - truth.x), abs(result.point.y - truth.y)) <= 1


@settings(max_examples=8, deadline=None)
@given(x=st.integers(0, 420), y=st.integers(0, 220), column=st.integers(0, 5), row=st.integers(0, 2))
def test_a_copied_widget_never_draws_the_click_away(x: int, y: int, column: int, row: int) -> None:
    box = scenes.widget_box(column, row)
    # A copy over the widget itself is the widget, moved.
    assume(not FrameBox(x, y, box.width + 6, box.height + 6).overlaps(box))
    copied = perturb.duplicate(SCREEN, box.grown(3), FramePoint(x, y))
    result = aim(copied, scenes.pictures(SCREEN, box.center))
    assert result.point in (None, box.center)


@settings(max_examples=3, deadline=None)
@given(column=st.integers(0, 5), row=st.integers(0, 2), how=st.sampled_from(["same", "scaled", "erased", "twin"]))
def test_the_fast_search_decides_like_the_exhaustive_one(column: int, row: int, how: str) -> None:
    box = scenes.widget_box(column, row)
    changed = {
        "same": lambda: SCREEN,
        "scaled": lambda: perturb.scale(SCREEN, 1.23, box.center)[0],
        "erased": lambda: perturb.erase(SCREEN, box),
        "twin": lambda: perturb.duplicate(SCREEN, box.grown(5).clipped(FrameBox(0, 0, 480, 270)), FramePoint(3, 200)),
    }[how]()
    evidence = scenes.pictures(SCREEN, box.center)
    fast, full = aim(changed, evidence), exhaustive(scenes.frame(changed), evidence, POLICY)
    assert (fast.accepted, fast.point, fast.code) == (full.accepted, full.point, full.code)
