import json
from pathlib import Path

import numpy as np
import pytest

from echostudio import codec
from echostudio.episode.frame import PictureRef
from echostudio.episode.report import ReplayReport, StepReport
from echostudio.episode.verdict import GateName, GateVerdict, Outcome, Refusal, RefusalCode, Route, Verdict
from echostudio.replay import report as pages

PIXELS = np.full((30, 40, 3), 90, np.uint8)
REF = PictureRef(codec.digest(PIXELS), 40, 30)


def sample() -> ReplayReport:
    refusal = Refusal(
        RefusalCode.TARGET_AMBIGUOUS, "Two <b>places</b> look the same.", "Pick one.", None, 0, 0.007, 0.02
    )
    gate = GateVerdict(GateName.STATE, Verdict.ACCEPTED, {"facts": True, "whole": 0.9312}, {"whole": 0.6}, "The start.")
    step = StepReport(0, "Click “Save”", "refused", Route.A, {}, REF, None)
    return ReplayReport(
        "m",
        1,
        "r",
        "save & go",
        Outcome.REFUSED,
        refusal,
        (gate,),
        (step,),
        {"name": "<x>"},
        (),
        ("Click",),
        "now",
        1.5,
    )


def test_the_page_and_its_pictures_lie_together_and_data_is_escaped(tmp_path: Path) -> None:
    page = pages.write(sample(), tmp_path / "report", lambda _digest: PIXELS)
    text = page.read_text()
    assert "Two &lt;b&gt;places" in text
    assert "<b>places" not in text
    assert "facts yes, whole 0.931" in text
    assert "http" not in text
    picture = tmp_path / "report" / "pictures" / f"{REF.digest[:16]}.png"
    assert np.array_equal(codec.decode(picture.read_bytes()), PIXELS)
    moved = tmp_path / "elsewhere"
    (tmp_path / "report").rename(moved)
    assert f'src="pictures/{REF.digest[:16]}.png"' in (moved / "report.html").read_text()


def test_the_document_has_the_forms_that_scripts_rely_on(tmp_path: Path) -> None:
    pages.write(sample(), tmp_path, lambda _digest: PIXELS)
    body = json.loads((tmp_path / "report.json").read_text())
    assert body["refusal"]["class"] == "local"
    assert body["refusal"]["measured"] == 0.007
    assert body["steps"][0]["score"] is None
    assert "dry_run" not in body


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        ([], "–"),
        (True, "yes"),
        (0.5, "0.5"),
        (1.0, "1"),
        (["a", "b"], "a, b"),
        ({"x": False, "y": None}, "x no"),
    ],
)
def test_values_are_shown_as_people_read_them(value: object, shown: str) -> None:
    assert pages.plain(value) == shown
