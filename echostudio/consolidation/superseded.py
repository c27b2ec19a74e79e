"""Typing that left nothing behind: replaced after select-all, deleted again, or undone.

Each rule asks for proof that the typing and what removed it worked on the same text: nothing in between that points
elsewhere or may leave the field. Without proof the steps stay; they replay as they were recorded.
"""

from __future__ import annotations

from collections.abc import Sequence

from echostudio.consolidation import keys
from echostudio.episode.evidence import ElementFacts
from echostudio.episode.geometry import FrameBox
from echostudio.episode.step import Step

_NEAR = 12
"""Undone text may be redrawn a few pixels narrower than typed text, by its caret."""


def superseded(steps: Sequence[Step]) -> dict[int, str]:
    """Return the steps whose typing left nothing behind, by run step, each with the reason."""
    reasons: dict[int, str] = {}
    for position, step in enumerate(steps):
        if step.index in reasons or not keys.typed(step):
            continue
        rest = steps[position + 1 :]
        if not keys.leaves_field(step):
            reasons.update(_replaced(step, rest))
        if step.index not in reasons:
            reasons.update(_deleted(step, rest))
        if step.index not in reasons:
            reasons.update(_undone(step, rest))
    return reasons


def _replaced(first: Step, rest: Sequence[Step]) -> dict[int, str]:
    """Find select-all and a replacement; all key steps before the selection are superseded with the typing."""
    between = [first]
    for position, step in enumerate(rest):
        if keys.selects_all(step):
            following = rest[position + 1] if position + 1 < len(rest) else None
            if following is None or not keys.replaces_selection(following) or not _same_focus(first, following):
                return {}
            reason = f"superseded: everything was selected and overwritten in run step {following.index}"
            return {gone.index: reason for gone in between}
        editing = keys.typed(step) or keys.moves_caret(step) or keys.pressed(step) in keys.DELETING_KEYS
        if not editing or keys.leaves_field(step):
            return {}
        between.append(step)
    return {}


def _deleted(first: Step, rest: Sequence[Step]) -> dict[int, str]:
    """Find as many backspaces as characters directly after the typing."""
    needed = len(keys.typed(first))
    strokes = []
    for step in rest:
        if keys.pressed(step) != "backspace" or not _same_focus(first, step):
            break
        strokes.append(step)
    if len(strokes) < needed:
        return {}
    reason = f"deleted again by {needed} backspaces"
    return {first.index: reason} | {
        stroke.index: f"deletes the text of run step {first.index}, which is dropped" for stroke in strokes[:needed]
    }


def _undone(first: Step, rest: Sequence[Step]) -> dict[int, str]:
    """Find the undo steps directly after the typing that together gave the screen back."""
    undos: list[Step] = []
    for step in rest:
        if not keys.undoes(step):
            break
        undos.append(step)
        if _gave_back(first, undos):
            reason = f"undone in run step {undos[-1].index}"
            return {first.index: reason} | {
                undo.index: f"undoes run step {first.index}, which is dropped" for undo in undos
            }
    return {}


def _gave_back(first: Step, undos: Sequence[Step]) -> bool:
    """Whether the screen after the undos is the one before the typing, or changed wherever the typing changed it."""
    last = undos[-1]
    if first.before is not None and last.after is not None and first.before.digest == last.after.digest:
        return True
    written = first.effect.boxes if first.effect is not None else ()
    cleared = [box for undo in undos if undo.effect is not None for box in undo.effect.boxes]
    return bool(written) and all(_covered(box, cleared) for box in written)


def _covered(box: FrameBox, by: Sequence[FrameBox]) -> bool:
    """Whether one of the boxes, a little grown, holds the whole box."""
    return any(other.grown(_NEAR).clipped(box) == box for other in by)


def _same_focus(one: Step, two: Step) -> bool:
    """Whether both steps went to the same element, as far as that is known."""
    first, second = _focus(one), _focus(two)
    return first is None or second is None or (first.role, first.name) == (second.role, second.name)


def _focus(step: Step) -> ElementFacts | None:
    return step.screen_before.focus if step.screen_before is not None else None
