"""A run becomes a candidate: the kept program with its evidence, and the report on whether it can be replayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from echostudio.consolidation.blocking import blockers_of, notes_of
from echostudio.consolidation.identity import app_of, new_id
from echostudio.consolidation.proposal import Proposal, ProposedStep
from echostudio.consolidation.risk import is_risky
from echostudio.consolidation.trim import Judgement, trim
from echostudio.episode.action import ActionKind
from echostudio.episode.memory import DroppedStep, Memory, MemoryStep, Preconditions, Reasoning
from echostudio.episode.run import Run
from echostudio.episode.step import Step
from echostudio.settings import ReaimSettings

__all__ = ["Proposal", "ProposedStep", "key_interval_ms", "propose"]


def propose(run: Run, overrides: Mapping[str, str] | None = None, *, policy: ReaimSettings | None = None) -> Proposal:
    """Return the candidate for a run, and what became of each recorded step.

    ``overrides`` maps run steps (as text) to ``keep`` or ``drop``; ``policy`` holds the needed score and margin that
    blockers name. Raises ``UsageError`` for an override that does not fit.
    """
    judged = trim(run.steps, overrides)
    kept = [step for step in run.steps if judged[step.index].kept]
    blockers = blockers_of(kept, policy or ReaimSettings())
    reasoning = Reasoning(
        viable=not blockers,
        blockers=blockers,
        notes=notes_of(run, judged),
        dropped=tuple(
            DroppedStep(step.index, step.words, step.action.kind.value, judged[step.index].reason)
            for step in run.steps
            if not judged[step.index].kept
        ),
    )
    memory = Memory(
        id=new_id(run.manifest.intent),
        revision=1,
        intent=run.manifest.intent,
        app=app_of(run),
        preconditions=_preconditions(kept),
        program=_program(run.steps, kept),
        reasoning=reasoning,
        source_run=run.manifest.id,
        desktop_kind=run.manifest.desktop_kind,
    )
    return Proposal(memory, _proposed(run.steps, judged))


def key_interval_ms(step: Step) -> float | None:
    """Return the pace of a typed text in milliseconds between characters, or None when the trace does not tell."""
    characters = len(str(step.action.parameters.get("text", "")))
    if step.action.kind is not ActionKind.TYPE or len(step.trace) < 2 or characters < 2:
        return None
    times = [offset for offset, _ in step.trace]
    if len(times) == characters:
        gaps = [later - earlier for earlier, later in zip(times, times[1:], strict=False)]
        pace = median(gaps)
    else:
        # The trace holds more than one entry per character (releases, modifiers): only its span is comparable.
        pace = (max(times) - min(times)) / (characters - 1)
    return round(pace * 1000, 1) if pace > 0 else None


def _program(steps: Sequence[Step], kept: Sequence[Step]) -> tuple[MemoryStep, ...]:
    pauses = {
        step.index: max(0.0, step.started - (earlier.started if earlier.ended is None else earlier.ended))
        for earlier, step in zip(steps, steps[1:], strict=False)
    }
    return tuple(_memory_step(index, step, pauses.get(step.index, 0.0)) for index, step in enumerate(kept))


def _memory_step(index: int, step: Step, seconds: float) -> MemoryStep:
    return MemoryStep(
        index=index,
        run_step=step.index,
        action=step.action,
        words=step.words,
        before=step.before,
        after=step.after,
        screen=step.screen_before,
        screen_after=step.screen_after,
        targets=dict(step.targets),
        effect=step.effect,
        seconds=round(seconds, 3),
        risky=is_risky(step),
        key_interval_ms=key_interval_ms(step),
    )


def _preconditions(kept: Sequence[Step]) -> Preconditions:
    start = kept[0].screen_before if kept else None
    title = start.window.title if start is not None and start.window is not None else ""
    return Preconditions(start, title)


def _proposed(steps: Sequence[Step], judged: Mapping[int, Judgement]) -> tuple[ProposedStep, ...]:
    proposed = []
    index = 0
    for step in steps:
        judgement = judged[step.index]
        margins = [target.self_test.margin for target in step.targets.values() if target.self_test is not None]
        proposed.append(
            ProposedStep(
                index=index if judgement.kept else None,
                run_step=step.index,
                words=step.words,
                kind=step.action.kind.value,
                parameters=dict(step.action.parameters),
                kept=judgement.kept,
                reason=judgement.reason,
                margin=min(margins, default=None),
            )
        )
        index += judgement.kept
    return tuple(proposed)
