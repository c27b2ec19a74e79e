from dataclasses import replace

import pytest

from echostudio.episode.action import ActionKind
from echostudio.episode.evidence import ScreenFacts
from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import Memory, Reasoning, Validation
from echostudio.episode.verdict import GateName, GateVerdict, RefusalCode, Verdict
from echostudio.retrieval import gates
from echostudio.retrieval.request import Request, Situation
from echostudio.settings import Settings
from tests import builders
from tests.builders import start, step, window


def here(facts: ScreenFacts | None = None) -> Situation:
    shown = facts or start()
    return Situation((shown.window,) if shown.window else (), lambda: shown, lambda: None)


def judged(memory: Memory, request: Request | None = None, situation: Situation | None = None) -> list[GateVerdict]:
    return list(gates.judge(memory, request or Request(), situation or here(), Settings()))


def refused(verdicts: list[GateVerdict]) -> dict[GateName, RefusalCode | None]:
    return {v.gate: v.code for v in verdicts if v.verdict is Verdict.REFUSED}


def test_a_fitting_memory_passes_all_nine_gates_in_order() -> None:
    heard: list[GateVerdict] = []
    verdicts = gates.judge(builders.memory(), Request(), here(), Settings(), heard.append)
    assert [v.gate for v in verdicts] == list(GateName)
    assert all(v.verdict is Verdict.ACCEPTED for v in verdicts)
    assert heard == list(verdicts)
    assert gates.refusal_of(verdicts) is None


CASES = {
    "candidate": (builders.memory(state=LifecycleState.CANDIDATE), GateName.LIFECYCLE, RefusalCode.NOT_ACTIVE),
    "quarantined": (builders.memory(state=LifecycleState.QUARANTINED), GateName.LIFECYCLE, RefusalCode.NOT_ACTIVE),
    "never checked": (builders.memory(validation=Validation()), GateName.VALIDATION, RefusalCode.NOT_VALIDATED),
    "no checks": (builders.memory(checks=()), GateName.VALIDATION, RefusalCode.NOT_VALIDATED),
    "blocked": (
        builders.memory(reasoning=Reasoning(True, ("step 2 failed",))),
        GateName.REASONING,
        RefusalCode.NOT_VALIDATED,
    ),
    "launches": (
        builders.memory(program=(step(0, ActionKind.LAUNCH, command="x"),), fields=()),
        GateName.PRIMITIVES,
        RefusalCode.UNSUPPORTED_ACTION,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_each_gate_refuses_under_its_own_code(name: str) -> None:
    memory, gate, code = CASES[name]
    assert refused(judged(memory)) == {gate: code}


def test_undeclared_and_invalid_values_are_told_apart() -> None:
    undeclared = judged(builders.memory(), Request(values={"button": "right"}))
    invalid = judged(builders.memory(), Request(values={"file_name": "no ending"}))
    assert refused(undeclared) == {GateName.FIELDS: RefusalCode.UNDECLARED_CHANGE}
    assert refused(invalid) == {GateName.FIELDS: RefusalCode.INVALID_VALUE}


def test_a_program_that_is_not_open_is_an_app_mismatch_and_the_state_stays_unknown() -> None:
    verdicts = judged(
        builders.memory(), situation=here(start(window=window("x - Other", "other", window_class="Other")))
    )
    assert refused(verdicts) == {GateName.APP: RefusalCode.APP_MISMATCH}
    assert verdicts[-1].verdict is Verdict.UNKNOWN
    refusal = gates.refusal_of(verdicts)
    assert refusal is not None
    assert not refusal.code.local
    assert "editor" in refusal.sentence


def test_every_gate_is_judged_after_one_refused() -> None:
    verdicts = judged(builders.memory(state=LifecycleState.CANDIDATE), Request(values={"x": "y"}))
    assert len(verdicts) == len(GateName)
    assert set(refused(verdicts)) == {GateName.LIFECYCLE, GateName.FIELDS}
    refusal = gates.refusal_of(verdicts)
    assert refusal is not None
    assert refusal.code is RefusalCode.NOT_ACTIVE


def test_only_lifecycle_and_validation_can_be_waived() -> None:
    memory = builders.memory(state=LifecycleState.CANDIDATE, validation=Validation(), reasoning=Reasoning(False))
    verdicts = judged(memory, Request(waive_lifecycle=True))
    assert [v.gate for v in verdicts if v.verdict is Verdict.WAIVED] == [GateName.LIFECYCLE, GateName.VALIDATION]
    assert refused(verdicts) == {GateName.REASONING: RefusalCode.NOT_VALIDATED}


def test_a_request_for_another_kind_of_work_is_refused() -> None:
    verdicts = judged(builders.memory(), Request("delete the note monday.txt"))
    assert GateName.TASK_TYPE in refused(verdicts)


STATES = {
    "dialog in front": start(window=window("Save As", dialog=True)),
    "menu open": start(popups=(window("", popup=True),)),
    "another page": start(tree=(("heading", "prices", 1), ("link", "basket", 1), ("push button", "pay", 1))),
    "other program in front": start(window=window("x - Other", "other", window_class="Other")),
    "nothing active": start(window=None),
}


@pytest.mark.parametrize("name", STATES)
def test_a_wrong_state_is_refused_as_state_mismatch(name: str) -> None:
    shown = STATES[name]
    situation = Situation((window(),), lambda: shown, lambda: None)
    verdicts = judged(builders.memory(), situation=situation)
    assert refused(verdicts) == {GateName.STATE: RefusalCode.STATE_MISMATCH}
    assert verdicts[-1].sentence.endswith((".", "?"))


def test_the_same_page_with_another_title_and_one_more_element_is_accepted() -> None:
    shown = start(window=window("other.txt - Editor"), tree=(*start().tree, ("push button", "find", 1)))
    assert refused(judged(builders.memory(), situation=here(shown))) == {}


def test_without_a_recorded_start_the_state_is_unknown_and_refuses_a_run() -> None:
    memory = builders.memory()
    memory = replace(memory, preconditions=replace(memory.preconditions, start=None))
    verdicts = judged(memory)
    assert refused(verdicts) == {}
    assert gates.refusal_of(verdicts) is None
    refusal = gates.refusal_of(verdicts, unknown_refuses=True)
    assert refusal is not None
    assert refusal.code is RefusalCode.STATE_MISMATCH


def test_compatibility_follows_the_written_formula() -> None:
    verdicts = judged(builders.memory())
    assert gates.compatibility(verdicts, 1.0) == 1.0
    closed = judged(builders.memory(), situation=Situation((), lambda: start(), None))
    assert gates.compatibility(closed, 1.0) == pytest.approx(0.6 * 4 / 6 + 0.4, abs=1e-4)
