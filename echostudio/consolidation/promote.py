"""What stands between a memory and promotion: a pure rule, asked before anything is changed."""

from __future__ import annotations

from collections.abc import Iterator

from echostudio.consolidation.blocking import target_roles, unsupported
from echostudio.episode.memory import Memory


def blockers(memory: Memory) -> tuple[str, ...]:
    """Return one sentence per reason why this revision may not become active; empty when it may.

    Needed: a viable program of supported actions with evidence, at least one check, and every check passed on the
    demonstration's own artifact. Whether the lifecycle allows it is the repository's to say.
    """
    return tuple(dict.fromkeys([*_program(memory), *_validation(memory)]))


def _program(memory: Memory) -> Iterator[str]:
    yield from memory.reasoning.blockers
    if not memory.reasoning.viable and not memory.reasoning.blockers:
        yield "Consolidation found this program not viable."
    if not memory.program:
        yield "The program has no steps."
    for step in memory.program:
        problem = unsupported(step.action)
        if problem is not None:
            yield f"Step {step.index} ({step.words}) cannot be replayed: {problem}."
        for role in target_roles(step.action.kind):
            if role not in step.targets:
                yield f"Step {step.index} ({step.words}) has no evidence of its {role}."


def _validation(memory: Memory) -> Iterator[str]:
    if not memory.checks:
        yield "There is no check that proves the job; add at least one."
        return
    results = memory.validation.results
    if not results:
        yield "The checks have not been run on the demonstration's result."
        return
    if [result.kind for result in results] != [check.kind for check in memory.checks]:
        yield "The checks were changed after they were last run; run them again."
        return
    for result in results:
        if result.passed is None:
            yield f"The check {result.kind} could not be judged. {result.sentence}".strip()
        elif not result.passed:
            yield f"The check {result.kind} did not pass. {result.sentence}".strip()
