"""What speaks against replaying a program, and what a reviewer should know about its recording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from echostudio.consolidation.trim import Judgement
from echostudio.episode.action import PARAMETER_PATHS, POINTER_KINDS, Action, ActionKind
from echostudio.episode.evidence import TargetEvidence
from echostudio.episode.run import Run
from echostudio.episode.step import Step, StepStatus
from echostudio.settings import ReaimSettings


def blockers_of(kept: Sequence[Step], policy: ReaimSettings) -> tuple[str, ...]:
    """Return one sentence per reason why these steps cannot be replayed."""
    if not kept:
        return ("Nothing is kept: there is no step to replay.",)
    return tuple(sentence for step in kept for sentence in _blockers_of_step(step, policy))


def notes_of(run: Run, judged: Mapping[int, Judgement]) -> tuple[str, ...]:
    """Return what a reviewer should know: an unfinished recording, lost input, blocked steps left out, weak targets."""
    notes = []
    health = run.manifest.health
    if not run.manifest.complete:
        notes.append("The recording did not end properly; its last step may be missing.")
    if health.gaps:
        notes.append(f"{health.gaps} times input was lost while recording.")
    if health.torn_lines:
        notes.append(f"{health.torn_lines} lines of the recording could not be read.")
    notes.extend(health.notes)
    for step in run.steps:
        if step.status is StepStatus.BLOCKED and not judged[step.index].kept:
            notes.append(f"{_name(step)} could not be recorded; the program goes on without it.")
        elif judged[step.index].kept and any(_leans_on_element(target) for target in step.targets.values()):
            notes.append(f"{_name(step)} is found by its element alone; its picture is not unique.")
    return tuple(notes)


def unsupported(action: Action) -> str | None:
    """Return what in an action no replay understands, or None."""
    surplus = sorted(set(action.parameters) - set(PARAMETER_PATHS[action.kind]))
    return f"{action.kind} has no {', '.join(surplus)}" if surplus else None


def target_roles(kind: ActionKind) -> tuple[str, ...]:
    """Return the targets that an action of this kind needs evidence for."""
    if kind is ActionKind.DRAG:
        return ("from", "to")
    return ("target",) if kind in POINTER_KINDS else ()


def _blockers_of_step(step: Step, policy: ReaimSettings) -> Iterator[str]:
    if step.status is not StepStatus.DONE:
        because = f": {step.error}" if step.error else ""
        yield f"{_name(step)} is kept but was not done ({step.status}{because})."
    problem = unsupported(step.action)
    if problem is not None:
        yield f"{_name(step)} cannot be replayed: {problem}."
    for role in target_roles(step.action.kind):
        target = step.targets.get(role)
        if target is None or (not target.crops and not _is_unique(target)):
            yield f"{_name(step)} has no evidence of its {role}; it could not be found again."
        elif not _is_unique(target):
            yield from _failed_self_test(step, target, policy)


def _failed_self_test(step: Step, target: TargetEvidence, policy: ReaimSettings) -> Iterator[str]:
    test = target.self_test
    if test is None or test.passed:
        return
    if test.best < policy.eta_match:
        why = f"its score {test.best:.3f} is {policy.eta_match - test.best:.3f} below the needed {policy.eta_match:.2f}"
    elif test.margin < policy.eta_margin:
        short = policy.eta_margin - test.margin
        why = f"its margin {test.margin:.3f} is {short:.3f} below the needed {policy.eta_margin:.2f}"
    else:
        why = test.sentence.rstrip(".") or "its self test failed"
    yield f"{_name(step)} could not be told apart on its own screen: {why}."


def _is_unique(target: TargetEvidence) -> bool:
    """Whether the program itself names the target, and nothing else by the same name."""
    return target.element is not None and bool(target.element.name) and target.element_count == 1


def _leans_on_element(target: TargetEvidence) -> bool:
    return target.self_test is not None and not target.self_test.passed and _is_unique(target)


def _name(step: Step) -> str:
    return f"{step.words} (run_step {step.index})"
