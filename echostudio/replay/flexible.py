"""Areas of the recorded screen that show typed text, and so must not count when later targets are looked for.

Typed text lands in the element that had the focus; where no element is known, in the boxes that changed. A dialog, menu
or popup recorded in front covers the area and counts as recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from echostudio.episode.action import ActionKind
from echostudio.episode.evidence import TargetEvidence, WindowFacts
from echostudio.episode.geometry import DesktopBox, FrameBox, ScreenMap
from echostudio.episode.memory import MemoryStep

_LINE_GROWTH = 24


@dataclass(frozen=True, slots=True)
class FlexibleArea:
    """Boxes of the recorded frame that may differ, and those in front of them that may not."""

    areas: tuple[FrameBox, ...] = ()
    covers: tuple[FrameBox, ...] = ()


def flexible_area(program: Sequence[MemoryStep], step: MemoryStep, evidence: TargetEvidence) -> FlexibleArea:
    """Return what earlier typing may have changed in the frame of a step's target."""
    screen = evidence.screen
    areas: list[FrameBox] = []
    for earlier in program:
        if earlier.index < step.index and earlier.action.kind is ActionKind.TYPE:
            areas += _typed_into(earlier, screen)
    return FlexibleArea(tuple(areas), tuple(_covers(program, step, screen)) if areas else ())


def _typed_into(step: MemoryStep, screen: ScreenMap) -> list[FrameBox]:
    focus = step.screen.focus if step.screen else None
    if focus is not None and _usable(focus.box):
        assert focus.box is not None
        return [screen.box_to_frame(focus.box)]
    boxes = step.effect.boxes if step.effect else ()
    return [box.grown(_LINE_GROWTH) for box in boxes]


def _usable(box: DesktopBox | None) -> bool:
    return box is not None and box.width > 1 and box.height > 1


def _covers(program: Sequence[MemoryStep], step: MemoryStep, screen: ScreenMap) -> list[FrameBox]:
    """Boxes of windows in front of the one that was typed into, as recorded at this step."""
    typed = [earlier for earlier in program if earlier.index < step.index and earlier.action.kind is ActionKind.TYPE]
    handles = {earlier.screen.window.handle for earlier in typed if earlier.screen and earlier.screen.window}
    fronts: list[WindowFacts] = list(step.screen.popups) if step.screen else []
    if step.screen and step.screen.window and step.screen.window.handle not in handles:
        fronts.append(step.screen.window)
    return [screen.box_to_frame(window.box) for window in fronts]
