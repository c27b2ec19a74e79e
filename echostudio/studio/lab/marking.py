"""Which boxes and numbers are drawn over the Lab's picture."""

from __future__ import annotations

from echostudio.episode.verdict import CropMatch
from echostudio.studio.lab.state import LabState
from echostudio.studio.parts.marks import Mark, at


def lab_marks(state: LabState) -> tuple[Mark, ...]:
    """Return best and second of the shown crop with their scores, the click, and the crop that decided if another."""
    seen, verdict = state.shown, state.verdict
    if seen is None or verdict is None:
        return ()
    marks = list(_pair(seen))
    result = verdict.result
    decided = result.accepted and state.shown_key != (result.crop, result.variant)
    if decided and result.box is not None:
        marks.append(Mark("recorded", f"{result.crop.replace('_', ' ')} decides", result.box, dashed=True))
    if result.accepted and result.point is not None:
        marks.append(Mark("recorded", "", point=at(result.point)))
    return tuple(marks)


def _pair(seen: CropMatch) -> list[Mark]:
    marks = []
    if seen.box is not None:
        marks.append(Mark("best", f"best {seen.best:.3f}", seen.box, clear=True))
    if seen.second_box is not None and seen.second > 0:
        marks.append(Mark("second", f"second {seen.second:.3f}", seen.second_box, dashed=True, clear=True))
    return marks
