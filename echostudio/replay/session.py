"""One replay from request to report: gates, binding, the engine, the checks.

Everything is judged before the first input: a refusal from here touched nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from echostudio import checks
from echostudio.actionlens import settle
from echostudio.actionlens.runfolder import RunWriter
from echostudio.blobs import BlobStore
from echostudio.desktop.controller import Desktop
from echostudio.episode.check import CheckResult
from echostudio.episode.evidence import WindowFacts
from echostudio.episode.happening import (
    ChecksJudged,
    GateJudged,
    ReplayFinished,
    ReplayStepFinished,
    TargetMatched,
)
from echostudio.episode.memory import Memory
from echostudio.episode.report import ReplayReport, StepReport
from echostudio.episode.run import Health
from echostudio.episode.verdict import GateName, GateVerdict, Outcome, Refusal, RefusalCode, Route, Verdict
from echostudio.errors import Cancelled, DesktopError
from echostudio.events import EventBus
from echostudio.replay.binding import Bound, bind
from echostudio.replay.control import ReplayControl
from echostudio.replay.engine import Engine, Execution
from echostudio.replay.panic import PanicWatch
from echostudio.replay.parking import park
from echostudio.replay.ready import Desk
from echostudio.replay.start import Looked, StartView, settings_for
from echostudio.retrieval import gates
from echostudio.retrieval.app import matching_windows
from echostudio.retrieval.request import Request, Situation
from echostudio.settings import Settings

_CHECK_PATIENCE = 3.0


@dataclass(slots=True)
class Session:
    """Everything one replay works with."""

    memory: Memory
    request: Request
    desktop: Desktop
    blobs: BlobStore
    writer: RunWriter
    settings: Settings
    bus: EventBus
    control: ReplayControl
    dry_run: bool = False
    world: checks.World = field(default_factory=lambda: checks.World(None, None))


def run(session: Session) -> ReplayReport:
    """Run a session to its report and publish it; raises nothing but bugs and lost stores."""
    begun = session.desktop.clock.now()
    started = datetime.now(UTC).isoformat(timespec="milliseconds")
    verdicts: tuple[GateVerdict, ...] = ()
    try:
        if not session.dry_run and park(session.desktop):
            settle.wait_settled(session.desktop, session.settings.replay, session.control.token)
        verdicts, looked = _judge(session)
        refusal = gates.refusal_of(verdicts, unknown_refuses=True)
        bound = bind(session.memory, session.request.values)
        if refusal is None and isinstance(bound, Refusal):
            refusal = bound
        execution = _execute(session, bound, refusal, looked)
    except Cancelled:
        bound = bind(session.memory, {})
        execution = Execution([], Outcome.STOPPED)
    except DesktopError as lost:
        bound = bind(session.memory, {})
        code = RefusalCode.INPUT_FAILED
        execution = Execution([], Outcome.REFUSED, Refusal(code, lost.sentence, lost.hint or gates.next_step(code)))
    results = _checks(session, bound, execution)
    report = _report(session, verdicts, bound, execution, results, started, session.desktop.clock.now() - begun)
    session.writer.close(Health(), complete=execution.outcome is not Outcome.STOPPED)
    session.bus.publish(ReplayFinished(report))
    return report


def _judge(session: Session) -> tuple[tuple[GateVerdict, ...], Looked | None]:
    """Judge; when only the state refused and the program has exactly one window, raise it and judge once more."""
    verdicts, view, shown = _judge_once(session)
    window = _window_to_raise(session, verdicts, shown)
    if window is not None and not session.dry_run:
        session.desktop.raise_window(window)
        settle.wait_settled(session.desktop, session.settings.replay, session.control.token)
        verdicts, view, _ = _judge_once(session)
    return verdicts, view.looked


def _judge_once(session: Session) -> tuple[tuple[GateVerdict, ...], StartView, Situation]:
    memory, bus = session.memory, session.bus
    view = StartView(session.desktop, memory, session.blobs, session.settings, session.control.token)
    shown = view.situation()
    verdicts = gates.judge(
        memory, session.request, shown, session.settings, lambda verdict: bus.publish(GateJudged(memory.id, verdict))
    )
    return verdicts, view, shown


def _window_to_raise(session: Session, verdicts: tuple[GateVerdict, ...], view: Situation) -> WindowFacts | None:
    refused = [verdict.gate for verdict in verdicts if verdict.verdict is Verdict.REFUSED]
    if refused != [GateName.STATE] or view.windows is None:
        return None
    found = matching_windows(session.memory.app, view.windows)
    active = session.desktop.active_app()
    if len(found) != 1 or (active is not None and active.handle == found[0].handle):
        return None
    dialog_in_front = active is not None and active.dialog and active.pid == found[0].pid
    return None if dialog_in_front else found[0]


def _execute(session: Session, bound: Bound | Refusal, refusal: Refusal | None, looked: Looked | None) -> Execution:
    if refusal is not None and refusal.code.local and looked is not None:
        return _refused_at_the_start(session, replace(refusal, step=looked.step.index), looked)
    if refusal is not None or isinstance(bound, Refusal):
        return Execution([], Outcome.REFUSED, refusal)
    if session.dry_run:
        return Execution([], Outcome.COMPLETED_UNVERIFIED)
    settings = settings_for(session.memory, session.settings)
    desk = Desk(session.desktop, session.blobs, settings, session.control.token, session.memory.app, bound.program)
    engine = Engine(session.memory.id, bound, desk, session.writer, session.bus, session.control)
    with PanicWatch(session.desktop, session.control, session.settings.studio.panic_key):
        return engine.run()


def _refused_at_the_start(session: Session, refusal: Refusal, looked: Looked) -> Execution:
    """Keep the picture in which the first target was not found, so that a person can see why."""
    step, picture = looked.step, session.writer.put_frame(looked.frame)
    session.bus.publish(TargetMatched(session.memory.id, step.index, looked.role, looked.result, picture.digest))
    report = StepReport(step.index, step.words, "refused", Route.A, {looked.role: looked.result}, picture)
    session.bus.publish(ReplayStepFinished(session.memory.id, report))
    return Execution([report], Outcome.REFUSED, refusal)


def _checks(session: Session, bound: Bound | Refusal, execution: Execution) -> tuple[CheckResult, ...]:
    """Judge the checks after a complete run; files may appear a little late, so a failed check is asked again."""
    if execution.outcome is not None or isinstance(bound, Refusal):
        return ()
    values = {declared.name: declared.recorded for declared in session.memory.fields} | dict(session.request.values)
    clock, deadline = session.desktop.clock, session.desktop.clock.now() + _CHECK_PATIENCE
    results = checks.run(session.memory.checks, values, session.world)
    while not all(result.passed for result in results) and clock.now() < deadline:
        if session.control.token.cancelled:
            break
        clock.sleep(0.25, session.control.token)
        results = checks.run(session.memory.checks, values, session.world)
    session.bus.publish(ChecksJudged(session.memory.id, results))
    execution.outcome = (
        Outcome.VERIFIED if results and all(result.passed for result in results) else Outcome.COMPLETED_UNVERIFIED
    )
    return results


def _report(
    session: Session,
    verdicts: tuple[GateVerdict, ...],
    bound: Bound | Refusal,
    execution: Execution,
    results: tuple[CheckResult, ...],
    started: str,
    seconds: float,
) -> ReplayReport:
    values = {} if isinstance(bound, Refusal) else bound.values
    return ReplayReport(
        memory=session.memory.id,
        revision=session.memory.revision,
        run=session.writer.id,
        intent=session.memory.intent,
        outcome=execution.outcome or Outcome.COMPLETED_UNVERIFIED,
        refusal=execution.refusal,
        gates=verdicts,
        steps=tuple(execution.steps),
        changed={} if isinstance(bound, Refusal) else bound.changed,
        checks=results,
        undo=tuple(execution.undo),
        started=started,
        seconds=round(seconds, 2),
        values=values,
        dry_run=session.dry_run,
        desktop=session.desktop.name,
    )


def with_report_path(report: ReplayReport, path: str) -> ReplayReport:
    """Return the report with the place where its pages lie."""
    return replace(report, report=path)
