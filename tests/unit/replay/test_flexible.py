from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from echostudio.episode.action import ActionKind
from echostudio.episode.evidence import Crop, CropKind, CropVariant, ElementFacts, TargetEvidence
from echostudio.episode.frame import PictureRef
from echostudio.episode.geometry import DesktopBox, FrameBox, FramePoint, ScreenMap
from echostudio.replay.flexible import flexible_masks, without
from tests.builders import start, step, window

PICTURE = PictureRef("a" * 64, 800, 600)
BOXES = st.builds(FrameBox, st.integers(0, 40), st.integers(0, 40), st.integers(1, 40), st.integers(1, 40))


def target(x: int, y: int) -> TargetEvidence:
    crop = Crop(CropKind.CONTEXT, CropVariant.BEFORE, PICTURE, FrameBox(x - 48, y - 48, 96, 96), FramePoint(x, y))
    return TargetEvidence(FramePoint(x, y), (crop,), ScreenMap.single(800, 600))


def typed(box: DesktopBox) -> object:
    into = start(focus=ElementFacts("text", "", box))
    return replace(step(0, ActionKind.TYPE, text="x"), screen=into)


@settings(max_examples=200, deadline=None)
@given(BOXES, BOXES)
def test_what_is_left_of_a_box_is_exactly_what_the_other_does_not_cover(area: FrameBox, cover: FrameBox) -> None:
    parts = without(area, cover)
    for x in range(area.x, area.right):
        for y in range(area.y, area.bottom):
            inside = sum(part.contains(FramePoint(x, y)) for part in parts)
            assert inside == (0 if cover.contains(FramePoint(x, y)) else 1)
    assert all(area.clipped(part) == part for part in parts)


def test_the_field_that_was_typed_into_does_not_count_later() -> None:
    program = (typed(DesktopBox(10, 60, 300, 150)), step(1, ActionKind.CLICK))
    masks = flexible_masks(program, program[1], target(40, 40))  # type: ignore[arg-type]
    assert masks == {PICTURE.digest: (FrameBox(10, 60, 300, 150),)}


def test_nothing_is_masked_before_anything_was_typed() -> None:
    program = (step(0, ActionKind.CLICK), step(1, ActionKind.TYPE, text="x"))
    assert flexible_masks(program, program[0], target(40, 40)) == {}


def test_a_dialog_in_front_of_the_field_counts_as_recorded() -> None:
    dialog = start(window=window("Save As", dialog=True, handle=99, box=DesktopBox(10, 60, 300, 100)))
    click = replace(step(1, ActionKind.CLICK), screen=dialog)
    masks = flexible_masks((typed(DesktopBox(10, 60, 300, 150)), click), click, target(40, 100))  # type: ignore[arg-type]
    assert masks == {PICTURE.digest: (FrameBox(10, 160, 300, 50),)}


def test_without_a_known_field_what_changed_is_masked() -> None:
    bare = replace(step(0, ActionKind.TYPE, text="x"), screen=start(focus=None))
    click = step(1, ActionKind.CLICK)
    masks = flexible_masks((bare, click), click, target(40, 40))
    assert masks[PICTURE.digest][0].contains(FramePoint(6, 6))


def test_the_area_follows_its_window_to_a_picture_where_that_lies_elsewhere() -> None:
    program = (typed(DesktopBox(10, 60, 300, 150)), step(1, ActionKind.CLICK))
    elsewhere = window(box=DesktopBox(100, 60, 300, 200))
    again = replace(target(140, 100), window=elsewhere)
    assert flexible_masks(program, program[1], again) == {PICTURE.digest: (FrameBox(100, 110, 300, 150),)}  # type: ignore[arg-type]
    later = replace(target(140, 100), window=replace(elsewhere, pid=99, handle=1234))
    assert flexible_masks(program, program[1], later) == {PICTURE.digest: (FrameBox(100, 110, 300, 150),)}  # type: ignore[arg-type]


def test_nothing_is_masked_on_another_sittings_picture_that_shows_another_window() -> None:
    program = (typed(DesktopBox(10, 60, 300, 150)), step(1, ActionKind.CLICK))
    dialog = window("Save As", dialog=True, pid=99, handle=1234, box=DesktopBox(60, 60, 200, 100))
    assert flexible_masks(program, program[1], replace(target(140, 100), window=dialog)) == {}  # type: ignore[arg-type]
    same = replace(dialog, pid=7)
    assert flexible_masks(program, program[1], replace(target(140, 100), window=same)) != {}  # type: ignore[arg-type]
