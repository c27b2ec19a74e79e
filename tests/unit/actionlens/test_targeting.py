"""Looking for recorded targets on a live (scripted) desktop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from echostudio.actionlens import crops, targeting
from echostudio.blobs import BlobStore, MissingPicture
from echostudio.cancel import CancelToken
from echostudio.desktop.scripted import ScriptedDesktop
from echostudio.desktop.scripted_editor import EditorOptions, ScriptedEditor
from echostudio.episode.evidence import CropKind, TargetEvidence
from echostudio.episode.frame import PictureRef
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.episode.verdict import RefusalCode
from echostudio.settings import Settings

SETTINGS = Settings()


def record(desktop: ScriptedDesktop, name: str, blobs: BlobStore) -> TargetEvidence:
    place = desktop.place_of(name)
    assert place is not None
    frame = desktop.grab()
    window = next(window for window in desktop.windows() if window.box.contains(place))
    point = frame.screen.to_frame(place)
    picture = PictureRef(blobs.put(frame.pixels), frame.pixels.shape[1], frame.pixels.shape[0])
    cuts = crops.cut(picture, point, frame.screen.box_to_frame(window.box), SETTINGS.reaim)
    return TargetEvidence(point, cuts, frame.screen, window, desktop.element_at(place), 1)


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path / "assets")


def editor(tmp_path: Path, **options: object) -> ScriptedDesktop:
    return ScriptedDesktop(ScriptedEditor(tmp_path, EditorOptions(**options)))  # type: ignore[arg-type]


def test_pictures_are_the_cut_pixels_with_the_click_inside(tmp_path: Path, blobs: BlobStore) -> None:
    desktop = editor(tmp_path)
    evidence = record(desktop, "File", blobs)
    pictures = targeting.pictures(evidence, blobs)
    whole = desktop.grab().pixels
    for crop, cut in zip(evidence.crops, pictures.crops, strict=True):
        box = crop.box
        assert np.array_equal(cut.pixels, whole[box.y : box.bottom, box.x : box.right])
        assert cut.point == FramePoint(evidence.point.x - box.x, evidence.point.y - box.y)
        assert cut.mask is None
    assert pictures.recorded_size == (480, 270)
    assert pictures.element == evidence.element


def test_hidden_areas_become_masks(tmp_path: Path, blobs: BlobStore) -> None:
    evidence = record(editor(tmp_path), "File", blobs)
    crop = next(crop for crop in evidence.crops if crop.kind is CropKind.WIDE)
    hidden = FrameBox(crop.box.x + 3, crop.box.y + 4, 5, 6)
    pictures = targeting.pictures(evidence, blobs, {crop.picture.digest: [hidden]})
    mask = next(cut.mask for cut in pictures.crops if cut.kind is CropKind.WIDE)
    assert mask is not None
    assert int(mask.sum()) == 30
    assert mask[4, 3]
    assert not mask[3, 3]


def test_a_missing_picture_is_told(tmp_path: Path, blobs: BlobStore) -> None:
    evidence = record(editor(tmp_path), "File", blobs)
    path = blobs.path(evidence.crops[0].picture.digest)
    assert path is not None
    path.unlink()
    with pytest.raises(MissingPicture):
        targeting.pictures(evidence, blobs)


def test_a_target_is_found_in_a_window_that_moved(tmp_path: Path, blobs: BlobStore) -> None:
    evidence = record(editor(tmp_path), "Edit", blobs)
    moved = editor(tmp_path, window_at=(90, 60))
    result = targeting.look(moved, moved.grab(), evidence, blobs, SETTINGS, CancelToken())
    expected = moved.place_of("Edit")
    assert result.accepted
    assert expected is not None
    assert result.point is not None
    assert (abs(result.point.x - expected.x), abs(result.point.y - expected.y)) <= (2, 2)


def test_a_target_that_was_erased_is_refused(tmp_path: Path, blobs: BlobStore) -> None:
    evidence = record(editor(tmp_path), "Edit", blobs)
    gone = editor(tmp_path, erase="Edit")
    result = targeting.look(gone, gone.grab(), evidence, blobs, SETTINGS, CancelToken())
    assert not result.accepted
    assert result.code in (RefusalCode.TARGET_NOT_FOUND, RefusalCode.TARGET_MISMATCH)


def test_without_element_evidence_no_program_is_asked(tmp_path: Path, blobs: BlobStore) -> None:
    desktop = editor(tmp_path)
    evidence = record(desktop, "Edit", blobs)

    def refuse(*_: object) -> None:
        raise AssertionError("a program was asked")

    desktop.element_at = refuse  # type: ignore[method-assign,assignment]
    desktop.elements = refuse  # type: ignore[method-assign,assignment]
    look = targeting.look(desktop, desktop.grab(), evidence, blobs, SETTINGS, CancelToken(), element_evidence=False)
    assert look.accepted


def test_the_window_for_a_target_is_its_popup_its_program_or_the_active_one(tmp_path: Path) -> None:
    desktop = editor(tmp_path)
    (main,) = desktop.windows()
    assert targeting.window_for(desktop, None) is None
    assert targeting.window_for(desktop, main) == main
    program = desktop.stage.windows[0].program
    assert isinstance(program, ScriptedEditor)
    program.ask_name()
    desktop.clock.advance(0.1)
    dialog = desktop.active_app()
    assert dialog is not None
    assert dialog.dialog
    assert targeting.window_for(desktop, main) == dialog
