"""``echostudio find`` and ``echostudio replay``."""

from __future__ import annotations

import os
import sys
from getpass import getpass
from pathlib import Path
from typing import Annotated

import typer

from echostudio.cli.desk import Display, Json, stop_on_signals
from echostudio.cli.output import DONE, MARKS, STRUCTURAL, door, err, escape, print_json, report_code, say
from echostudio.episode.field import FieldKind
from echostudio.episode.happening import (
    ChecksJudged,
    GateJudged,
    ReplayPaused,
    ReplayStepFinished,
    ReplayStepStarted,
    TargetMatched,
)
from echostudio.episode.report import ReplayReport
from echostudio.errors import UsageError
from echostudio.operations import find as finding
from echostudio.operations import library
from echostudio.operations import replay as replaying
from echostudio.operations.services import Services
from echostudio.replay.control import ReplayControl
from echostudio.replay.report import document, gate_document
from echostudio.retrieval.search import Found


def find(
    text: str,
    app: Annotated[str, typer.Option(help="Only memories of this program.")] = "",
    display: Display = None,
    as_json: Json = False,
) -> None:
    """Which memories may serve a request, and why; touches nothing."""
    with door(as_json) as services:
        found = finding.find(services, text, app=app, display=display)
        if as_json:
            print_json({"candidates": [_candidate(one) for one in found]})
        for one in [] if as_json else found:
            say(f"[bold]{escape(one.memory.intent)}[/]  {one.memory.id}")
            say(f"     intent {one.intent_score:.2f}, compatibility {one.compatibility:.2f}, {escape(one.values)}")
            for gate in one.gates:
                say(f"     {MARKS[gate.verdict]} {gate.gate.value:10s} {escape(gate.sentence)}")
        if not found and not as_json:
            say("No memory fits these words.")
        raise typer.Exit(DONE if found and finding.usable(services, found[0]) else STRUCTURAL)


def replay(
    memory: Annotated[str, typer.Argument(help="Id, its beginning, or the exact intent.")] = "",
    request: Annotated[str, typer.Option("--request", help="A request in words instead of a memory.")] = "",
    values: Annotated[list[str] | None, typer.Option("--set", help="name=value, @env:VAR, @file:PATH or @ask.")] = None,
    display: Display = None,
    launch: Annotated[bool, typer.Option("--launch", help="Start the recorded program if it is not open.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Judge everything, send nothing.")] = False,
    report: Annotated[Path | None, typer.Option(help="Folder for the report pages.")] = None,
    as_json: Json = False,
) -> None:
    """Replay a memory; refuses before it touches anything when it is not sure."""
    with door(as_json) as services:
        if bool(memory) == bool(request):
            raise UsageError("Name a memory, or give a --request.")
        control = ReplayControl(can_resume=False)
        stop_on_signals(control.token)
        if not as_json:
            services.bus.subscribe(tell)
        wish = replaying.ReplayRequest(
            memory=memory,
            values=_values(services, memory, values or []),
            display=display,
            launch=launch,
            dry_run=dry_run,
            text=request,
            report=report,
        )
        done = replaying.replay(services, wish, control)
        if as_json:
            print_json(document(done))
        else:
            _summary(done)
        raise typer.Exit(report_code(done))


def tell(event: object) -> None:
    """Print what happens in a replay, one line an event."""
    match event:
        case GateJudged(verdict=gate):
            say(f"{MARKS[gate.verdict]} gate {gate.gate.value:10s} {escape(gate.sentence)}")
        case ReplayStepStarted(waiting=waiting) if waiting:
            err.print(f"    waiting: {waiting}", markup=False)
        case TargetMatched(result=result):
            say(f"    best {result.best:.3f}  second {result.second:.3f}  margin {result.margin:.3f}  ({result.crop})")
        case ReplayStepFinished(step=step):
            mark = "[green]✓[/]" if step.status == "done" else "[yellow]▲[/]"
            say(f"{mark} {step.index + 1:3d} {escape(step.words)}  {step.status}, route {step.route.value}")
        case ReplayPaused(reason=reason):
            err.print(f"paused: {reason}", markup=False)
        case ChecksJudged(results=results):
            for check in results:
                mark = "[green]✓[/]" if check.passed else "[red]✕[/]"
                say(f"{mark} check {check.kind}: {escape(check.sentence or check.actual)}")
        case _:
            return


def _summary(report: ReplayReport) -> None:
    colour = "green" if report.outcome.value == "verified" else "yellow"
    say(f"[{colour} bold]{report.outcome.value.replace('_', ' ')}[/] in {report.seconds} s")
    if report.refusal:
        say(f"{escape(report.refusal.sentence)} ({report.refusal.code.value})\n{escape(report.refusal.next)}")
    if report.undo and report.outcome.value not in ("verified",):
        say("Changed so far: " + escape("; ".join(report.undo)))
    say(f"report: {report.report}")


def _candidate(one: Found) -> dict[str, object]:
    return {
        "memory": one.memory.id,
        "intent": one.memory.intent,
        "intent_score": one.intent_score,
        "compatibility": one.compatibility,
        "gates": [gate_document(gate) for gate in one.gates],
        "values": one.values,
    }


def _values(services: Services, memory: str, pairs: list[str]) -> dict[str, str]:
    """Read ``name=value`` pairs; a secret may never stand on the command line itself."""
    kinds = {f.name: f.kind for f in library.memory(services, memory).fields} if memory and pairs else {}
    values: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"“{pair}” is not name=value.")
        if kinds.get(name) is FieldKind.SECRET and not value.startswith("@"):
            raise UsageError(f"{name} is a secret.", f"Write --set {name}=@env:VAR, @file:PATH or @ask.")
        values[name] = _resolved(name, value)
    return values


def _resolved(name: str, value: str) -> str:
    if value == "@ask":
        if not sys.stdin.isatty():
            raise UsageError(f"{name} cannot be asked for without a terminal.")
        return getpass(f"{name}: ")
    if value.startswith("@env:"):
        if value[5:] not in os.environ:
            raise UsageError(f"The environment has no {value[5:]}.")
        return os.environ[value[5:]]
    if value.startswith("@file:"):
        try:
            return Path(value[6:]).read_text(encoding="utf-8").rstrip("\n")
        except OSError as fault:
            raise UsageError(f"{value[6:]} cannot be read: {fault.strerror}.") from fault
    return value
