"""Areas of the recorded screen that show typed text, and so must not count when later targets are looked for.

Typed text lands in the element that had the focus; where no element is known, in the boxes that changed. A dialog, menu
or popup recorded in front covers the area and counts as recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from echostudio.actionlens.targeting import Masks
from echostudio.episode.action import ActionKind
from echostudio.episode.evidence import TargetEvidence, WindowFacts
from echostudio.episode.geometry import DesktopBox, FrameBox, ScreenMap
from echostudio.episode.memory import MemoryStep
from echostudio.replay.expectation import TEXT_ROLES

_LINE_GROWTH = 24


def flexible_masks(program: Sequence[MemoryStep], step: MemoryStep, evidence: TargetEvidence) -> Masks:
    """Return, by picture digest, the boxes of a target's recorded frames that earlier typing may have changed."""
    earlier = [one for one in program if one.index < step.index and one.action.kind is ActionKind.TYPE]
    areas: list[FrameBox] = []
    for one in earlier:
        moved = _moved(one, evidence)
        if moved is None:
            continue
        visible = _typed_into(one, evidence.screen)
        for cover in _covers(one, step, evidence.screen):
            visible = [part for area in visible for part in without(area, cover)]
        areas += [replace(area, x=area.x + moved[0], y=area.y + moved[1]) for area in visible]
    return {crop.picture.digest: tuple(areas) for crop in evidence.crops} if areas else {}


def without(area: FrameBox, cover: FrameBox) -> list[FrameBox]:
    """Return the parts of a box that another box leaves uncovered: at most four, none of them overlapping."""
    common = area.clipped(cover)
    if common.width == 0 or common.height == 0:
        return [area]
    parts = [
        FrameBox(area.x, area.y, area.width, common.y - area.y),
        FrameBox(area.x, common.bottom, area.width, area.bottom - common.bottom),
        FrameBox(area.x, common.y, common.x - area.x, common.height),
        FrameBox(common.right, common.y, area.right - common.right, common.height),
    ]
    return [part for part in parts if part.width > 0 and part.height > 0]


def _moved(typed: MemoryStep, evidence: TargetEvidence) -> tuple[int, int] | None:
    """Return by how many frame pixels the window that was typed into lies elsewhere on a target's picture.

    A target that was picked again comes from another sitting, with its windows elsewhere; None when the picture shows
    another kind of window there, so that nobody knows where the text lies.
    """
    before, now = typed.screen.window if typed.screen else None, evidence.window
    if before is None or now is None:
        return 0, 0
    same_sitting = before.pid == now.pid or 0 in (before.pid, now.pid)
    if before.handle != now.handle:
        if same_sitting:
            return 0, 0
        if (before.window_class, before.dialog, before.popup) != (now.window_class, now.dialog, now.popup):
            return None
    there, here = evidence.screen.box_to_frame(before.box), evidence.screen.box_to_frame(now.box)
    return here.x - there.x, here.y - there.y


def _typed_into(step: MemoryStep, screen: ScreenMap) -> list[FrameBox]:
    """Where a step's text landed: the text field that had the focus afterwards or before, else what changed."""
    for facts in (step.screen_after, step.screen):
        focus = facts.focus if facts else None
        if focus is not None and focus.box is not None and focus.role in TEXT_ROLES and _usable(focus.box):
            return [screen.box_to_frame(focus.box)]
    boxes = step.effect.boxes if step.effect else ()
    return [box.grown(_LINE_GROWTH) for box in boxes]


def _usable(box: DesktopBox) -> bool:
    return box.width > 1 and box.height > 1


def _covers(typed: MemoryStep, step: MemoryStep, screen: ScreenMap) -> list[FrameBox]:
    """Boxes of windows that lay in front of the one that was typed into when the later step was recorded."""
    if step.screen is None:
        return []
    fronts: list[WindowFacts] = list(step.screen.popups)
    window = step.screen.window
    typed_into = typed.screen.window if typed.screen else None
    if window is not None and (typed_into is None or window.handle != typed_into.handle):
        fronts.append(window)
    return [screen.box_to_frame(front.box) for front in fronts]
