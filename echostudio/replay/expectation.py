"""What a step is expected to do, by its recorded effect, and whether it did."""

from __future__ import annotations

from echostudio.episode.action import KEY_KINDS, ActionKind
from echostudio.episode.evidence import Effect
from echostudio.episode.memory import MemoryStep
from echostudio.observer.effects import caret_like

TEXT_ROLES = frozenset({"text", "entry", "password text", "terminal", "document text", "document web", "paragraph"})


def expects_effect(step: MemoryStep) -> bool:
    """Whether the recording shows a lasting change for this step, carets and bare focus changes left aside."""
    if step.action.kind is ActionKind.WAIT or step.effect is None:
        return False
    return step.effect.window_changed or visible_pixels(step.effect) > 0


def visible_pixels(effect: Effect) -> int:
    """Count changed pixels outside caret-like boxes; 0 when only carets blinked."""
    if effect.boxes and all(caret_like(box) for box in effect.boxes):
        return 0
    return effect.changed_pixels


def had_effect(effect: Effect | None) -> bool:
    """Whether anything changed now: even a checkbox's few pixels, a window, a title or the focus; no caret's blink."""
    return effect is not None and (effect.window_changed or effect.focus_changed or visible_pixels(effect) > 0)


def needs_focus(step: MemoryStep) -> bool:
    """Whether the step sends keys, and so must know where they go."""
    return step.action.kind in KEY_KINDS
