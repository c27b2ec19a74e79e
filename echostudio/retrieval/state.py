"""The state gate, first version: window facts, then the accessible structure, then the first target looked for dry.

Rule (measured on real programs as rule f: facts and structure >= 0.60; see the package's tests for the cases):

1. The active window must be of the recorded program, a dialog if and only if the recorded one was, and menus or
   popups must be open if and only if they were.
2. When both sides show a structure of at least three counted elements, their similarity must reach 0.60.
3. The first pointer target, when the program begins with one, must be found inside the active window. If only this
   fails the code is the target's own and local; everything else is ``state_mismatch``.
"""

from __future__ import annotations

from typing import Any

from echostudio.episode.evidence import ScreenFacts, WindowFacts
from echostudio.episode.memory import AppIdentity, Memory
from echostudio.episode.verdict import GateName, GateVerdict, ReaimResult, RefusalCode, Verdict
from echostudio.observer import elements
from echostudio.retrieval.app import same_program
from echostudio.retrieval.request import Situation

STRUCTURE_NEEDED = 0.60
_ENOUGH_ELEMENTS = 3


def judge_state(memory: Memory, situation: Situation) -> GateVerdict:
    """Judge whether the present screen is this program's start."""
    start = memory.preconditions.start
    if situation.facts is None:
        return _verdict(Verdict.UNKNOWN, None, None, "No desktop was named, so the screen was not looked at.")
    if start is None or start.window is None:
        return _verdict(Verdict.UNKNOWN, None, "a recorded start", "The recording does not say what the start was.")
    now = situation.facts()
    problem = facts_differ(memory.app, start, now)
    if problem:
        return _refused({"facts": False}, {"facts": True}, problem)
    similarity = _similarity(start, now)
    measured: dict[str, Any] = {
        "facts": True,
        "whole": similarity,
        "tree": "none" if similarity is None else "complete",
    }
    needed: dict[str, Any] = {"facts": True, "whole": STRUCTURE_NEEDED}
    if similarity is not None and similarity < STRUCTURE_NEEDED:
        return _refused(measured, needed, _differing_elements(start, now, similarity))
    return _judge_target(situation.look() if situation.look else None, measured, needed)


def facts_differ(app: AppIdentity, recorded: ScreenFacts, now: ScreenFacts) -> str:
    """Return the sentence for the first window fact that differs, or an empty string."""
    if now.window is None:
        return "No window is active."
    if recorded.window is None:
        return ""
    problem = window_differs(app, recorded.window, now.window)
    if problem:
        return problem
    if now.popups and not recorded.popups:
        return "A menu or popup is open. Close it and try again."
    if recorded.popups and not now.popups:
        return "The menu that was open at this step is not open."
    return ""


def window_differs(app: AppIdentity, recorded: WindowFacts, now: WindowFacts) -> str:
    """Compare one window's program, dialog and modal state with the recorded one's."""
    program = AppIdentity(recorded.program, recorded.window_class, "" if recorded.dialog else app.title_part)
    if not same_program(program, now):
        return f"“{now.title or now.program}” is in front; the recording has {recorded.program or app.program}."
    if now.dialog and not recorded.dialog:
        return f"A dialog, “{now.title}”, is in front of {app.program}. Close it and try again."
    if recorded.dialog and not now.dialog:
        return f"The dialog “{recorded.title}” is not open."
    if recorded.dialog and now.modal != recorded.modal:
        return f"“{now.title}” is not the dialog that was recorded."
    return ""


def _similarity(start: ScreenFacts, now: ScreenFacts) -> float | None:
    counts = [sum(count for _, _, count in facts.tree) for facts in (start, now)]
    if min(counts) < _ENOUGH_ELEMENTS:
        return None
    return round(elements.similarity(start.tree, now.tree), 3)


def _differing_elements(start: ScreenFacts, now: ScreenFacts, similarity: float) -> str:
    recorded, present = ({(role, name) for role, name, _ in facts.tree if name} for facts in (start, now))
    missing = sorted(name for _, name in recorded - present)[:2]
    added = sorted(name for _, name in present - recorded)[:1]
    parts = []
    if missing:
        parts.append(
            " and ".join(f"“{name}”" for name in missing) + (" are" if len(missing) > 1 else " is") + " missing"
        )
    if added:
        parts.append(f"“{added[0]}” is new")
    what = ", ".join(parts) or "the window is built differently"
    return f"Another page is open: {what} ({similarity:.0%} alike, {STRUCTURE_NEEDED:.0%} needed)."


def _judge_target(result: ReaimResult | None, measured: dict[str, Any], needed: dict[str, Any]) -> GateVerdict:
    if result is None:
        return _verdict(Verdict.ACCEPTED, measured, needed, "This is the recorded start.")
    measured |= {"score": round(result.best, 3), "margin": round(result.margin, 3)}
    if result.accepted:
        return _verdict(Verdict.ACCEPTED, measured, needed, "The recorded start, and the first target is there.")
    return GateVerdict(GateName.STATE, Verdict.REFUSED, measured, needed, result.sentence, result.code)


def _refused(measured: Any, needed: Any, sentence: str) -> GateVerdict:
    return GateVerdict(GateName.STATE, Verdict.REFUSED, measured, needed, sentence, RefusalCode.STATE_MISMATCH)


def _verdict(verdict: Verdict, measured: Any, needed: Any, sentence: str) -> GateVerdict:
    return GateVerdict(GateName.STATE, verdict, measured, needed, sentence)
