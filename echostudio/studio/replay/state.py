"""What the Replay page shows: built from live events, or from a finished report; the same either way."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final
from urllib.parse import urlparse

from echostudio.episode.check import CheckResult
from echostudio.episode.field import Field, FieldKind
from echostudio.episode.happening import (
    ChecksJudged,
    GateJudged,
    ReplayFinished,
    ReplayPaused,
    ReplayResumed,
    ReplayStepFinished,
    ReplayStepStarted,
    TargetMatched,
)
from echostudio.episode.memory import Memory
from echostudio.episode.report import ReplayReport, StepReport
from echostudio.episode.verdict import GateName, GateVerdict, Outcome, ReaimResult, Refusal, Route, Verdict

PENDING: Final = "pending"
RUNNING: Final = "running"


@dataclass(frozen=True, slots=True)
class StepRow:
    """One step of a replay; ``picture`` is the digest of the frame that was searched, ``after`` of the one after."""

    index: int
    words: str
    status: str = PENDING
    route: Route | None = None
    reaim: tuple[tuple[str, ReaimResult], ...] = ()
    picture: str | None = None
    after: str | None = None
    ms: float = 0.0
    note: str = ""

    @property
    def aim(self) -> ReaimResult | None:
        """The re-aim that matters: the first that was not accepted, else the first."""
        results = [result for _, result in self.reaim]
        return next((result for result in results if not result.accepted), results[0] if results else None)


@dataclass(frozen=True)
class ReplayState:
    """A replay of one memory: planned, under way, or over."""

    memory: str = ""
    gates: tuple[GateVerdict, ...] = ()
    steps: tuple[StepRow, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    current: int | None = None
    paused: str | None = None
    waiting: str = ""
    outcome: Outcome | None = None
    refusal: Refusal | None = None
    changed: dict[str, str] = field(default_factory=dict)
    undo: tuple[str, ...] = ()
    run: str = ""
    seconds: float = 0.0
    dry_run: bool = False
    started: bool = False

    @property
    def running(self) -> bool:
        """Whether it is under way."""
        return self.started and self.outcome is None

    @property
    def passed_gates(self) -> int:
        """How many gates let it through (accepted or waived)."""
        return sum(gate.verdict in (Verdict.ACCEPTED, Verdict.WAIVED) for gate in self.gates)

    @property
    def inputs_sent(self) -> bool:
        """Whether anything was sent to the desktop."""
        return not self.dry_run and any(step.status in ("done", "broken") for step in self.steps)

    def step(self, index: int | None) -> StepRow | None:
        """Return a step by its index in the program."""
        return next((step for step in self.steps if step.index == index), None)

    @property
    def refused_at_start(self) -> bool:
        """Whether a gate refused, so that no step was begun."""
        return self.refusal is not None and self.refusal.gate is not None

    @property
    def refused_index(self) -> int | None:
        """The step that refused or broke, when one did."""
        if self.refusal is not None and self.refusal.step is not None:
            return self.refusal.step
        return next((step.index for step in self.steps if step.status in ("refused", "broken")), None)

    def begun(self, *, dry_run: bool, changed: dict[str, str]) -> ReplayState:
        """Start anew: nothing judged, nothing done."""
        return replace(
            ReplayState(self.memory, steps=tuple(StepRow(step.index, step.words) for step in self.steps)),
            dry_run=dry_run,
            changed=changed,
            started=True,
        )

    def apply(self, event: object) -> ReplayState:
        """Follow the events of this memory's replay; others change nothing."""
        if isinstance(event, ReplayFinished):
            return _finished(self, event.report) if event.report.memory == self.memory else self
        if not self.running or getattr(event, "memory", None) != self.memory:
            return self
        return _apply(self, event)


def planned(memory: Memory) -> ReplayState:
    """Show what would be done."""
    rows = tuple(StepRow(step.index, step.words) for step in memory.program)
    return ReplayState(memory.id, steps=rows)


def of_report(report: ReplayReport, memory: Memory | None = None) -> ReplayState:
    """Show a finished replay; with the memory also the steps that were not reached."""
    plan = planned(memory) if memory is not None else ReplayState(report.memory)
    return _finished(plan, report)


def _finished(state: ReplayState, report: ReplayReport) -> ReplayState:
    rows = {step.index: StepRow(step.index, step.words) for step in state.steps}
    rows |= {step.index: _row(step) for step in report.steps}
    return ReplayState(
        memory=report.memory,
        gates=report.gates,
        steps=tuple(rows[index] for index in sorted(rows)),
        checks=report.checks,
        outcome=report.outcome,
        refusal=report.refusal,
        changed=dict(report.changed),
        undo=report.undo,
        run=report.run,
        seconds=report.seconds,
        dry_run=report.dry_run,
        started=True,
    )


def _apply(state: ReplayState, event: object) -> ReplayState:
    match event:
        case GateJudged(verdict=verdict):
            others = tuple(gate for gate in state.gates if gate.gate != verdict.gate)
            return replace(state, gates=tuple(sorted((*others, verdict), key=lambda gate: _GATE_ORDER[gate.gate])))
        case ReplayStepStarted(index=index, words=words, waiting=waiting):
            row = state.step(index) or StepRow(index, words)
            now = replace(state, current=index, waiting=waiting, paused=None)
            return _with_row(now, replace(row, words=words, status=RUNNING))
        case TargetMatched(index=index, role=role, result=result, picture=picture):
            row = state.step(index) or StepRow(index, "")
            aims = (*((name, aim) for name, aim in row.reaim if name != role), (role, result))
            return _with_row(state, replace(row, reaim=aims, picture=picture or row.picture))
        case ReplayStepFinished(step=step):
            return _with_row(replace(state, waiting=""), _row(step))
        case ReplayPaused(index=index, reason=reason):
            return replace(state, paused=reason, current=index)
        case ReplayResumed():
            return replace(state, paused=None)
        case ChecksJudged(results=results):
            return replace(state, checks=results)
    return state


_GATE_ORDER: Final = {gate: place for place, gate in enumerate(GateName)}


def _with_row(state: ReplayState, row: StepRow) -> ReplayState:
    rows = {step.index: step for step in state.steps} | {row.index: row}
    return replace(state, steps=tuple(rows[index] for index in sorted(rows)))


def _row(step: StepReport) -> StepRow:
    return StepRow(
        index=step.index,
        words=step.words,
        status=step.status,
        route=step.route,
        reaim=tuple(step.reaim.items()),
        picture=step.before.digest if step.before else None,
        after=step.after.digest if step.after else None,
        ms=step.ms,
        note=step.note,
    )


def value_problem(declared: Field, value: str) -> str:
    """Return what is wrong with a value, as a sentence; empty when it may be used.

    The gates judge again before the replay; this only tells early.
    """
    if declared.kind == FieldKind.SECRET and not value:
        return "This secret is asked for at every replay."
    if declared.choices and value not in declared.choices:
        return f"One of: {', '.join(declared.choices)}."
    if declared.pattern and not _fits(declared.pattern, value):
        return f"Does not fit the pattern {declared.pattern}."
    return _kind_problem(declared.kind, value)


def _fits(pattern: str, value: str) -> bool:
    try:
        return re.fullmatch(pattern, value) is not None
    except re.error:
        return False


def _kind_problem(kind: FieldKind, value: str) -> str:
    if kind == FieldKind.NUMBER and not re.fullmatch(r"[+-]?\d+([.,]\d+)?", value.strip()):
        return "Not a number."
    if kind == FieldKind.DATE:
        try:
            date.fromisoformat(value.strip())
        except ValueError:
            return "Not a date like 2026-03-31."
    if kind == FieldKind.URL:
        parts = urlparse(value.strip())
        if not (parts.scheme and parts.netloc):
            return "Not a web address like https://example.org."
    if kind == FieldKind.PATH and (not value.strip() or "\0" in value):
        return "A file name is needed."
    return ""


def figure(value: Any) -> str:
    """Return a measured or needed value as people read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    if isinstance(value, dict):
        return ", ".join(f"{name} {figure(one)}" for name, one in value.items()) or "–"
    if isinstance(value, list | tuple):
        return ", ".join(figure(one) for one in value) or "–"
    return "–" if value is None or value == "" else str(value)


def compared(measured: Any, needed: Any) -> tuple[str, str]:
    """Return measured and needed as two short figures that can be compared at a glance.

    Where both are tables, the first number that both name stands for them; the gate's sentence says the rest.
    """
    if isinstance(measured, dict) and isinstance(needed, dict):
        for name, least in needed.items():
            found = measured.get(name)
            if _is_number(least) and _is_number(found):
                return f"{name} {figure(found)}", f"≥ {figure(least)}"
    return figure(measured), f"≥ {figure(needed)}" if _is_number(needed) else figure(needed)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


HEADLINES: Final = {
    "not_active": "This memory is not active",
    "not_validated": "This memory has not proved itself",
    "intent_mismatch": "The request means something else",
    "app_mismatch": "The program is not the recorded one",
    "unsupported_action": "An action cannot be done here",
    "undeclared_change": "Something fixed would change",
    "invalid_value": "A value does not fit its field",
    "state_mismatch": "The screen is not where this begins",
    "target_not_found": "The target is not on the screen",
    "target_ambiguous": "Two places look the same",
    "target_mismatch": "It looks alike, but is another one",
    "no_effect": "The step had no effect",
    "input_failed": "The input did not arrive",
}
