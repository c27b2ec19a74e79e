"""Crops round a point, and the sentences for actions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echostudio.actionlens import crops, words
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.evidence import CropKind, CropVariant, ElementFacts, TargetEvidence, WindowFacts
from echostudio.episode.frame import PictureRef
from echostudio.episode.geometry import DesktopBox, FrameBox, FramePoint, ScreenMap
from echostudio.settings import ReaimSettings

PICTURE = PictureRef("0" * 64, 480, 270)
POLICY = ReaimSettings()


def test_three_squares_in_the_middle_of_a_screen() -> None:
    cuts = crops.cut(PICTURE, FramePoint(200, 130), None, POLICY)
    assert [(cut.kind, cut.box.width, cut.box.height) for cut in cuts] == [
        (CropKind.TARGET, 48, 48),
        (CropKind.CONTEXT, 96, 96),
        (CropKind.WIDE, 192, 192),
    ]
    assert all(cut.point == FramePoint(200, 130) for cut in cuts)
    assert all(cut.box.center == FramePoint(200, 130) for cut in cuts)


@given(st.integers(0, 479), st.integers(0, 269), st.booleans())
def test_crops_hold_the_click_and_stay_inside_picture_and_window(x: int, y: int, windowed: bool) -> None:
    window = FrameBox(100, 50, 200, 120) if windowed else None
    point = FramePoint(x, y)
    for cut in crops.cut(PICTURE, point, window, POLICY):
        assert cut.box.contains(point)
        assert cut.box.clipped(FrameBox(0, 0, 480, 270)) == cut.box
        if window is not None and window.contains(point):
            assert cut.box.clipped(window) == cut.box


def test_a_click_outside_the_picture_has_no_crops() -> None:
    assert crops.cut(PICTURE, FramePoint(480, 10), None, POLICY) == ()


def test_a_widened_crop_is_as_large_as_asked() -> None:
    cut = crops.widened(PICTURE, FramePoint(240, 135), None, 250, CropVariant.BEFORE)
    assert (cut.kind, cut.box.width, cut.box.height) == (CropKind.WIDENED, 250, 250)


def text_like() -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    pixels = np.full((60, 90, 3), 240, np.uint8)
    for row in range(6, 54, 12):
        for column in range(5, 80, 9):
            pixels[row : row + 7, column : column + 3 + column % 4] = 30
    return pixels


def test_a_highlight_is_the_same_place_and_another_window_is_not() -> None:
    plain = text_like()
    lit = plain.copy()
    lit[4:16] = 255 - lit[4:16]
    other = np.random.default_rng(2).integers(0, 255, plain.shape, dtype=np.uint8)
    whole = FrameBox(0, 0, 90, 60)
    assert crops.same_place(plain, lit, whole)
    assert not crops.same_place(plain, other, whole)
    assert not crops.same_place(plain, np.full_like(plain, 200), whole)
    assert crops.same_place(np.full_like(plain, 200), np.full_like(plain, 210), whole)
    assert not crops.same_place(plain, plain[:50], whole)


WINDOW = WindowFacts("editor", "Editor", "notes", DesktopBox(0, 0, 100, 100))


def target(name: str = "", role: str = "push button", title: bool = True) -> dict[str, TargetEvidence]:
    element = ElementFacts(role, name) if role else None
    place = TargetEvidence(FramePoint(7, 9), (), ScreenMap.single(100, 100), WINDOW if title else None, element)
    return {"target": place}


@pytest.mark.parametrize(
    ("action", "targets", "sentence"),
    [
        (Action(ActionKind.CLICK, {"button": "left", "count": 1}), target("Save"), "Click “Save”"),
        (Action(ActionKind.CLICK, {"button": "left", "count": 2}), target("report.txt"), "Double-click “report.txt”"),
        (Action(ActionKind.CLICK, {"button": "right", "count": 1}), target("Cell"), "Right-click “Cell”"),
        (
            Action(ActionKind.CLICK, {"button": "left", "count": 1, "modifiers": ["ctrl"]}),
            target("Row 2"),
            "Ctrl+Click “Row 2”",
        ),
        (Action(ActionKind.CLICK), target("", "canvas"), "Click the canvas at (7, 9) in “notes”"),
        (Action(ActionKind.CLICK), target("", "", title=False), "Click at (7, 9)"),
        (Action(ActionKind.TYPE, {"text": "hello"}), {}, "Type “hello”"),
        (Action(ActionKind.TYPE, {"text": "a\nb"}), {}, "Type “a⏎b”"),
        (Action(ActionKind.HOTKEY, {"keys": ["ctrl", "s"]}), {}, "Press Ctrl+S"),
        (Action(ActionKind.PRESS, {"key": "page_down"}), {}, "Press Page Down"),
        (Action(ActionKind.SCROLL, {"dx": 0, "dy": 3}), target("List"), "Scroll down 3"),
        (Action(ActionKind.SCROLL, {"dx": -1, "dy": 0}), target("List"), "Scroll left 1"),
        (Action(ActionKind.WAIT, {"seconds": 7.5}), {}, "Wait 7.5 s"),
        (Action(ActionKind.HOVER), target("Export"), "Point at “Export”"),
        (Action(ActionKind.LAUNCH, {"command": "editor"}), {}, "Start “editor”"),
        (Action(ActionKind.FOCUS, {"window": "notes"}), {}, "Go to the window “notes”"),
        (
            Action(ActionKind.DRAG, {"button": "left"}),
            {"from": target("a.txt")["target"], "to": target("Trash")["target"]},
            "Drag from “a.txt” to “Trash”",
        ),
    ],
)
def test_sentences(action: Action, targets: dict[str, TargetEvidence], sentence: str) -> None:
    assert words.sentence(action, targets) == sentence


def test_a_secret_and_a_long_text_do_not_show() -> None:
    action = Action(ActionKind.TYPE, {"text": "hunter2" * 40})
    assert "hunter2" not in words.sentence(action, secret=True)
    assert len(words.sentence(action)) < 80
    assert "hunter2" not in words.begun(action)
