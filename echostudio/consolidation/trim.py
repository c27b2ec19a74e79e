"""Which recorded steps make up the program, and why each of the others does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from echostudio.consolidation import keys
from echostudio.consolidation.superseded import superseded
from echostudio.episode.action import KEY_KINDS, POINTER_KINDS, ActionKind
from echostudio.episode.evidence import Effect, TargetEvidence
from echostudio.episode.step import UNDONE, Step, StepStatus
from echostudio.errors import UsageError

KEEP, DROP = "keep", "drop"
_SAME_PLACE = 8
"""Pixels between two points that a hand means as one."""

_STATUS_REASONS = {
    StepStatus.FAILED: "failed",
    StepStatus.BLOCKED: "blocked: it cannot be replayed",
    StepStatus.REFUSED: "refused",
    StepStatus.UNFINISHED: "unfinished: nothing was seen after it",
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a step is part of the program, and the reason; an empty reason means plainly done."""

    kept: bool
    reason: str = ""


def trim(steps: Sequence[Step], overrides: Mapping[str, str] | None = None) -> dict[int, Judgement]:
    """Judge every step, by its run step: an ordered subsequence of the successful ones stays.

    ``overrides`` maps a run step (as text) to ``keep`` or ``drop`` and is the person's word. Raises ``UsageError`` for
    an override of a step that is not there, or of another word.
    """
    words = _checked_overrides(steps, overrides or {})
    judged = {step.index: Judgement(False, _failure(step)) for step in steps if step.status is not StepStatus.DONE}
    judged.update({step.index: Judgement(False, UNDONE) for step in steps if step.undone})
    done = [step for step in steps if step.index not in judged]
    judged.update({index: Judgement(False, reason) for index, reason in superseded(done).items()})
    remaining = [step for step in done if step.index not in judged]
    judged.update({index: Judgement(False, reason) for index, reason in _repeats(remaining).items()})
    return _judge_effects(steps, judged, words)


def _judge_effects(
    steps: Sequence[Step], judged: dict[int, Judgement], words: Mapping[int, str]
) -> dict[int, Judgement]:
    """Go from the last step to the first, so that each knows what it may have prepared; the person's word is last."""
    result: dict[int, Judgement] = {}
    following: Step | None = None
    for step in reversed(steps):
        own = judged.get(step.index) or _by_effect(step, following)
        result[step.index] = _overruled(own, words.get(step.index))
        if result[step.index].kept and step.action.kind is not ActionKind.WAIT:
            following = step
    return dict(sorted(result.items()))


def _by_effect(step: Step, following: Step | None) -> Judgement:
    if step.action.kind is ActionKind.HOVER:
        return _hover(step, following)
    if step.action.kind not in POINTER_KINDS or step.effect is None or step.effect.any:
        return Judgement(True)
    # A caret is no effect, so a click that only placed it looks idle; what is typed next depends on it.
    if step.action.kind is ActionKind.CLICK and following is not None and following.action.kind in KEY_KINDS:
        return Judgement(True, f"prepares the keys of run step {following.index}")
    return Judgement(False, "no effect")


def _hover(step: Step, following: Step | None) -> Judgement:
    """Keep a hover that opened what the next pointer step went to; one whose effect nobody knows stays."""
    if step.effect is None:
        return Judgement(True)
    if following is not None and step.effect.any and _opened_for(step, step.effect, following):
        return Judgement(True, f"opens what run step {following.index} needs")
    return Judgement(False, "moved the pointer and prepared nothing")


def _opened_for(step: Step, effect: Effect, following: Step) -> bool:
    """Whether what a hover changed is where the following step went; merely lighting up its own target is nothing."""
    if following.action.kind not in POINTER_KINDS:
        return effect.window_changed or effect.focus_changed
    here, there = _place(step), _place(following)
    if here is None or there is None:
        return True
    opened = effect.window_changed or any(box.contains(there.point) for box in effect.boxes)
    return opened and not _near(here, there)


def _repeats(steps: Sequence[Step]) -> dict[int, str]:
    """Find steps that did the same as their neighbour on a screen that had not changed."""
    reasons: dict[int, str] = {}
    for first, second in zip(steps, steps[1:], strict=False):
        if not _same_deed(first, second) or first.effect is None or second.effect is None:
            continue
        if not second.effect.any:
            reasons[second.index] = f"repeats run step {first.index} on an unchanged screen"
        elif not first.effect.any and first.index not in reasons:
            reasons[first.index] = f"had no effect and was repeated in run step {second.index}"
    return reasons


def _same_deed(one: Step, two: Step) -> bool:
    """Whether both steps are one action at one place; never for keys whose whole effect may be a moved caret."""
    repeatable = one.action.kind in POINTER_KINDS or one.action.kind in (ActionKind.PRESS, ActionKind.HOTKEY)
    if not repeatable or keys.moves_caret(one) or keys.moves_focus(one) or one.action != two.action:
        return False
    if one.action.kind not in POINTER_KINDS:
        return True
    here, there = _place(one), _place(two)
    return here is not None and there is not None and _near(here, there)


def _near(here: TargetEvidence, there: TargetEvidence) -> bool:
    across, down = abs(here.point.x - there.point.x), abs(here.point.y - there.point.y)
    return max(across, down) <= _SAME_PLACE


def _place(step: Step) -> TargetEvidence | None:
    return step.targets.get("target") or step.targets.get("from")


def _failure(step: Step) -> str:
    reason = _STATUS_REASONS[step.status]
    return f"{reason}: {step.error}" if step.error else reason


def _overruled(own: Judgement, word: str | None) -> Judgement:
    if word is None or (word == KEEP) == own.kept:
        return own
    if word == DROP:
        return Judgement(False, "dropped by the person")
    return Judgement(True, f"kept by the person ({own.reason})")


def _checked_overrides(steps: Sequence[Step], overrides: Mapping[str, str]) -> dict[int, str]:
    known = {str(step.index): step.index for step in steps}
    for name, word in overrides.items():
        if str(name) not in known:
            raise UsageError(f"The run has no step {name}.", f"Its steps are 0 to {len(steps) - 1}.")
        if word not in (KEEP, DROP):
            raise UsageError(f"“{word}” is no decision about run step {name}.", "Say keep or drop.")
    return {known[str(name)]: word for name, word in overrides.items()}
