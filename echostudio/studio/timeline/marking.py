"""Which marks a step's pictures get: recorded point, crops, element, drag, and what changed."""

from __future__ import annotations

from echostudio.episode.evidence import CropKind, TargetEvidence
from echostudio.episode.geometry import FrameBox
from echostudio.studio.parts.marks import Mark, at
from echostudio.studio.timeline.state import TimelineStep

_WORDS = {
    CropKind.TARGET: "target",
    CropKind.CONTEXT: "context",
    CropKind.WIDE: "wide context",
    CropKind.WIDENED: "widened",
}


def before_marks(step: TimelineStep) -> tuple[Mark, ...]:
    """Return crops, element and recorded point over the screen before."""
    marks: list[Mark] = []
    for _, target in step.targets:
        marks += _target_marks(target)
    return tuple(marks)


def action_marks(step: TimelineStep) -> tuple[Mark, ...]:
    """Return only where the input went, and what it was."""
    targets = dict(step.targets)
    if "from" in targets and "to" in targets:
        start, end = at(targets["from"].point), at(targets["to"].point)
        return (Mark("recorded", step.words, point=start, to=end),)
    marks = []
    for target in targets.values():
        if target.element is not None and target.element.box is not None:
            marks.append(Mark("recorded", box=target.screen.box_to_frame(target.element.box), clear=True))
        marks.append(Mark("recorded", step.words, point=at(target.point)))
    if not marks:
        marks = _keyboard_marks(step)
    return tuple(marks)


def after_marks(step: TimelineStep) -> tuple[Mark, ...]:
    """Return the boxes that changed."""
    boxes = step.effect.boxes if step.effect else ()
    return tuple(
        Mark("changed", "changed" if place == 0 else "", box=box, weak=place > 0, clear=place == 0)
        for place, box in enumerate(boxes[:12])
    )


def _target_marks(target: TargetEvidence) -> list[Mark]:
    marks = []
    seen: set[tuple[CropKind, FrameBox]] = set()
    for crop in target.crops:
        if (crop.kind, crop.box) in seen:
            continue
        seen.add((crop.kind, crop.box))
        own = crop.kind == CropKind.TARGET
        marks.append(
            Mark("best" if own else "recorded", _label(crop.kind, target), crop.box, dashed=not own, clear=own)
        )
    marks.append(Mark("recorded", point=at(target.point)))
    return marks


def _label(kind: CropKind, target: TargetEvidence) -> str:
    test = target.self_test
    if test is not None and kind.value == test.crop:
        return (
            f"{_WORDS[kind]} · unique by {test.margin:.3f}"
            if test.passed
            else f"{_WORDS[kind]} · twin, {test.margin:.3f}"
        )
    return _WORDS[kind]


def _keyboard_marks(step: TimelineStep) -> list[Mark]:
    """Return the focused element of a keyboard step, when its box is known."""
    focus = step.screen.focus if step.screen else None
    if focus is None or focus.box is None:
        return []
    box = FrameBox(focus.box.x, focus.box.y, focus.box.width, focus.box.height)
    return [Mark("recorded", step.words, box=box, clear=True)]
