"""The nine gates, in order. Every gate is judged and reported, also after one has refused.

Compatibility is a formula of our own (the papers give none): the mean of app (1 when the program is open or no desk
was named), validation, reasoning, primitives and fields, each 1 or 0, weighted 2, 1, 1, 1, 1, times 0.6, plus 0.4 times
the intent score (1 when the memory was chosen by name).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from echostudio.episode.action import ActionKind
from echostudio.episode.field import constraint_problem
from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import Memory
from echostudio.episode.verdict import GateName, GateVerdict, Refusal, RefusalCode, Verdict
from echostudio.retrieval import intent
from echostudio.retrieval.app import matching_windows
from echostudio.retrieval.request import Request, Situation
from echostudio.retrieval.state import judge_state
from echostudio.settings import Settings

SUPPORTED = frozenset(
    {
        ActionKind.CLICK,
        ActionKind.DRAG,
        ActionKind.SCROLL,
        ActionKind.TYPE,
        ActionKind.HOTKEY,
        ActionKind.PRESS,
        ActionKind.HOVER,
        ActionKind.WAIT,
    }
)

_NEXT = {
    RefusalCode.NOT_ACTIVE: "Promote the memory in the Library, or choose an active one.",
    RefusalCode.NOT_VALIDATED: "Add a check that proves the job, run it, and promote.",
    RefusalCode.INTENT_MISMATCH: "Choose the memory by its name, or say the request in other words.",
    RefusalCode.APP_MISMATCH: "Open the program, or start it with the replay (--launch).",
    RefusalCode.UNSUPPORTED_ACTION: "Record the step again with supported actions.",
    RefusalCode.UNDECLARED_CHANGE: "Declare the parameter as a field in the Timeline, or leave it as recorded.",
    RefusalCode.INVALID_VALUE: "Give a value that fits the field.",
    RefusalCode.STATE_MISMATCH: "Bring the program to the recorded start and try again.",
    RefusalCode.TARGET_NOT_FOUND: "Look at the step beside the live screen; scroll or reopen the page.",
    RefusalCode.TARGET_AMBIGUOUS: "Remove the twin, or record the step with more of its surroundings.",
    RefusalCode.TARGET_MISMATCH: "Look at the recorded target beside the live one; record it again if it changed.",
}


def next_step(code: RefusalCode) -> str:
    """Return what a person can do after this refusal."""
    return _NEXT.get(code, "Look at the run: the last pictures show what happened.")


def judge(
    memory: Memory,
    request: Request,
    situation: Situation,
    settings: Settings,
    judged: Callable[[GateVerdict], None] | None = None,
) -> tuple[GateVerdict, ...]:
    """Judge all gates in order; ``judged`` hears of each as it falls.

    The state gate is judged last and touches nothing; it is ``unknown`` when the program is not open at all.
    """
    verdicts: list[GateVerdict] = []
    for verdict in _all(memory, request, situation, settings):
        verdicts.append(verdict)
        if judged is not None:
            judged(verdict)
    return tuple(verdicts)


def refusal_of(verdicts: Sequence[GateVerdict], unknown_refuses: bool = False) -> Refusal | None:
    """Return the refusal of the first gate that refused, or None."""
    for verdict in verdicts:
        refused = verdict.verdict is Verdict.REFUSED or (unknown_refuses and verdict.verdict is Verdict.UNKNOWN)
        if refused:
            code = verdict.code or RefusalCode.STATE_MISMATCH
            step = 0 if code.local else None
            return Refusal(
                code, verdict.sentence, next_step(code), verdict.gate.value, step, verdict.measured, verdict.needed
            )
    return None


def compatibility(verdicts: Sequence[GateVerdict], intent_score: float) -> float:
    """Return the compatibility 0..1 of judged gates; see the module's formula."""
    weights = {
        GateName.APP: 2,
        GateName.VALIDATION: 1,
        GateName.REASONING: 1,
        GateName.PRIMITIVES: 1,
        GateName.FIELDS: 1,
    }
    judged = {verdict.gate: verdict.verdict for verdict in verdicts}
    good = sum(weight for gate, weight in weights.items() if judged.get(gate) is not Verdict.REFUSED)
    return round(0.6 * good / sum(weights.values()) + 0.4 * intent_score, 4)


def _all(memory: Memory, request: Request, situation: Situation, settings: Settings) -> Iterator[GateVerdict]:
    found = intent.match(request.text, (memory.intent, *memory.phrases), memory.fields) if request.text else None
    yield _lifecycle(memory, request)
    yield _task_type(found)
    app = _app(memory, request, situation)
    yield app
    yield _validation(memory, request)
    yield _reasoning(memory)
    yield _primitives(memory)
    yield _intent(found, settings)
    yield judge_fields(memory, request)
    if app.verdict is Verdict.REFUSED:
        yield GateVerdict(GateName.STATE, Verdict.UNKNOWN, None, None, "The program is not open.")
    else:
        yield judge_state(memory, situation)


def _lifecycle(memory: Memory, request: Request) -> GateVerdict:
    good = memory.state is LifecycleState.ACTIVE
    if not good and request.waive_lifecycle:
        return GateVerdict(GateName.LIFECYCLE, Verdict.WAIVED, memory.state.value, "active", "Waived for this run.")
    sentence = "The memory is active." if good else f"The memory is {memory.state.value}, not active."
    return _gate(GateName.LIFECYCLE, good, memory.state.value, "active", sentence, RefusalCode.NOT_ACTIVE)


def _task_type(found: intent.IntentMatch | None) -> GateVerdict:
    if found is None:
        return _gate(GateName.TASK_TYPE, True, "chosen by name", "same", "The memory was chosen by name.", None)
    asked, recorded = found.operations
    good = None in found.operations or asked == recorded
    sentence = (
        "The request asks for the recorded kind of work." if good else f"Asked to {asked}; this one is to {recorded}."
    )
    return _gate(GateName.TASK_TYPE, good, asked, recorded, sentence, RefusalCode.INTENT_MISMATCH)


def _app(memory: Memory, request: Request, situation: Situation) -> GateVerdict:
    needed = memory.app.program or memory.app.window_class
    if request.app and request.app.casefold() not in needed.casefold():
        sentence = f"The request names {request.app}; this memory is for {needed}."
        return _gate(GateName.APP, False, request.app, needed, sentence, RefusalCode.APP_MISMATCH)
    if situation.windows is None:
        return GateVerdict(GateName.APP, Verdict.UNKNOWN, None, needed, "No desktop was named.")
    found = matching_windows(memory.app, situation.windows)
    if found:
        return _gate(GateName.APP, True, found[0].program, needed, f"{needed} is open.", None)
    command = " ".join(memory.app.command)
    sentence = f"{needed} is not open." + (f" It was recorded as: {command}" if command else "")
    shown = sorted({window.program or window.title for window in situation.windows if not window.popup})
    return _gate(GateName.APP, False, shown, needed, sentence, RefusalCode.APP_MISMATCH)


def _validation(memory: Memory, request: Request) -> GateVerdict:
    passed = sum(1 for result in memory.validation.results if result.passed)
    measured, needed = f"{passed} of {len(memory.checks)}", f"{max(1, len(memory.checks))} passed"
    good = memory.validation.positive and passed >= len(memory.checks) > 0
    if not good and request.waive_lifecycle:
        return GateVerdict(GateName.VALIDATION, Verdict.WAIVED, measured, needed, "Waived for this run.")
    sentence = "Its checks passed on the demonstration." if good else "Nothing proves yet that it does its job."
    return _gate(GateName.VALIDATION, good, measured, needed, sentence, RefusalCode.NOT_VALIDATED)


def _reasoning(memory: Memory) -> GateVerdict:
    good = memory.reasoning.viable and not memory.reasoning.blockers
    sentence = (
        "The report calls it viable." if good else (memory.reasoning.blockers or ("It was judged not viable.",))[0]
    )
    return _gate(
        GateName.REASONING, good, "viable" if good else "blocked", "viable", sentence, RefusalCode.NOT_VALIDATED
    )


def _primitives(memory: Memory) -> GateVerdict:
    used = sorted({step.action.kind.value for step in memory.program})
    foreign = [step.words for step in memory.program if step.action.kind not in SUPPORTED]
    sentence = f"This step cannot be replayed yet: {foreign[0]}." if foreign else "Every step can be replayed."
    return _gate(GateName.PRIMITIVES, not foreign, used, "supported", sentence, RefusalCode.UNSUPPORTED_ACTION)


def _intent(found: intent.IntentMatch | None, settings: Settings) -> GateVerdict:
    needed = settings.retrieval.lambda_intent
    if found is None:
        return _gate(GateName.INTENT, True, 1.0, needed, "The memory was chosen by name.", None)
    good = found.score >= needed
    sentence = f"The request fits “{found.phrase}”." if good else "The request's words do not fit this memory."
    return _gate(GateName.INTENT, good, found.score, needed, sentence, RefusalCode.INTENT_MISMATCH)


def judge_fields(memory: Memory, request: Request) -> GateVerdict:
    """Judge the values: every name declared, every value within its constraint, every secret given."""
    declared = {field.name: field for field in memory.fields}
    foreign = [name for name in request.values if name not in declared]
    if foreign:
        known = ", ".join(sorted(declared)) or "none"
        sentence = f"“{foreign[0]}” is not a declared field of this memory (declared: {known})."
        return _gate(GateName.FIELDS, False, foreign, sorted(declared), sentence, RefusalCode.UNDECLARED_CHANGE)
    for name, field in declared.items():
        given = request.values.get(name)
        if given is None and field.kind.value != "secret":
            continue
        problem = "a secret must be given for every run" if given is None else constraint_problem(field, given)
        if problem:
            shown = "***" if field.kind.value == "secret" else given
            return _gate(
                GateName.FIELDS,
                False,
                shown,
                field.pattern or field.kind.value,
                f"{name}: {problem}.",
                RefusalCode.INVALID_VALUE,
            )
    changed = [name for name, value in request.values.items() if value != declared[name].recorded]
    sentence = f"{len(changed)} changed: {', '.join(changed)}." if changed else "Everything as recorded."
    return _gate(GateName.FIELDS, True, f"{len(changed)} changed", "declared", sentence, None)


def _gate(
    gate: GateName, good: bool, measured: object, needed: object, sentence: str, code: RefusalCode | None
) -> GateVerdict:
    verdict = Verdict.ACCEPTED if good else Verdict.REFUSED
    return GateVerdict(gate, verdict, measured, needed, sentence, None if good else code)
