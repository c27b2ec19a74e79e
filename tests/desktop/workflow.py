"""A workflow on a real program: how a person does it, what may change, what proves it. Recorded, curated, replayed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from echostudio.cancel import CancelToken
from echostudio.episode.action import ActionKind
from echostudio.episode.check import Check
from echostudio.episode.geometry import DesktopBox
from echostudio.episode.memory import Memory
from echostudio.episode.report import ReplayReport
from echostudio.operations import consolidate, edit, promote, record, replay
from echostudio.operations.demo.stage import Stage
from echostudio.operations.services import Services
from echostudio.replay.control import ReplayControl


@dataclass(frozen=True)
class Workflow:
    """One job in one program.

    ``act(stage, folder, values)`` plays the person; ``open(stage, folder)`` brings the program to its start.
    ``values`` are the recorded ones, by field name, ``other`` those of the replay; a field is declared for each
    typed text that equals a recorded value.
    """

    name: str
    open: Callable[[Stage, Path, DesktopBox | None], None]
    act: Callable[[Stage, Path, dict[str, str]], None]
    values: Callable[[Path], dict[str, str]]
    other: Callable[[Path], dict[str, str]]
    checks: Callable[[Path], tuple[Check, ...]]
    proof: Callable[[Path, dict[str, str]], bool] = field(default=lambda _folder, _values: True)


def demonstrate(services: Services, stage: Stage, workflow: Workflow, folder: Path) -> Memory:
    """Record a person doing the workflow, and make an active memory of it."""
    values = workflow.values(folder)
    workflow.open(stage, folder, None)
    run = _record(services, stage, workflow, folder, values)
    done = consolidate.consolidate(services, run)
    assert done.memory is not None, done
    assert done.viable, done.blockers
    memory = _declare(services, done.memory, values)
    assert {one.name for one in memory.fields} == set(values), [step.words for step in memory.program]
    for check in workflow.checks(folder):
        memory = edit.add_check(services, memory.id, check)
    edit.run_checks(services, memory.id, display=stage.display)
    return promote.promote(services, memory.id, "the checks passed on the demonstration")


def _record(services: Services, stage: Stage, workflow: Workflow, folder: Path, values: dict[str, str]) -> str:
    token, live = CancelToken(), threading.Event()
    future = services.jobs.desk(
        stage.display, record.record, services, stage.display, workflow.name, token, ready=lambda _run: live.set()
    )
    stage.person.wait_for(lambda: live.is_set() or future.done(), "the recorder")
    if future.done():
        future.result()
    try:
        workflow.act(stage, folder, values)
    finally:
        token.cancel()
    return future.result(timeout=20).run


def _declare(services: Services, memory: Memory, values: dict[str, str]) -> Memory:
    for name, value in values.items():
        for step in memory.program:
            if step.action.kind is ActionKind.TYPE and step.action.parameters["text"] == value:
                memory = edit.add_field(services, memory.id, name, step.index, "text")
    return memory


def run(services: Services, stage: Stage, memory: Memory, values: dict[str, str]) -> ReplayReport:
    """Replay on a stage, as the command line does."""
    wish = replay.ReplayRequest(memory=memory.id, values=values, display=stage.display)
    return replay.replay(services, wish, ReplayControl(can_resume=False))


def story(report: ReplayReport) -> str:
    """Tell a replay in a few lines, for a failing test."""
    lines = [f"{report.outcome.value} {report.refusal}"]
    lines += [f"{gate.gate.value} {gate.verdict.value} {gate.sentence}" for gate in report.gates]
    lines += [f"{step.index} {step.words} {step.status} {step.note}" for step in report.steps]
    lines += [f"{check.kind} {check.passed} {check.actual}" for check in report.checks]
    return "\n".join(lines)
