"""``echostudio desktop`` and ``echostudio record``."""

from __future__ import annotations

import re
import shlex
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from echostudio.actionlens.control import RecordControl
from echostudio.blobs import write_atomic
from echostudio.cancel import CancelToken
from echostudio.cli import orders
from echostudio.cli.output import door, err, print_json, say, translated
from echostudio.episode.happening import StepRecorded
from echostudio.episode.step import StepStatus
from echostudio.errors import EchoError, UsageError
from echostudio.events import EventBus
from echostudio.operations import desktop as desks
from echostudio.operations import record as recording
from echostudio.operations.services import Services

# A stop must not be felt: what is not repacked by then can be later.
_REPACK_SECONDS = 0.1

desktop_app = typer.Typer(no_args_is_help=True, help="Start, list and end virtual desktops.")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Display = Annotated[str | None, typer.Option("--display", help="The X display, like :5; default $DISPLAY.")]


def parse_size(text: str) -> tuple[int, int]:
    """Read ``1920x1080``; raises ``UsageError``."""
    found = re.fullmatch(r"(\d{2,5})[xX×](\d{2,5})", text.strip())
    if not found:
        raise UsageError(f"“{text}” is not a size.", "Write it like 1920x1080.")
    return int(found[1]), int(found[2])


@desktop_app.command("up")
def desktop_up(
    size: Annotated[str, typer.Option(help="Width x height in pixels; later only smaller sizes.")] = "1920x1080",
    run: Annotated[list[str] | None, typer.Option("--run", help="A program to start on it; may be repeated.")] = None,
    home: Annotated[Path | None, typer.Option("--with-home", help="HOME of its programs.")] = None,
) -> None:
    """Start a virtual desktop; prints its display and the process that keeps it."""
    with translated(as_json=True):
        width, height = parse_size(size)
        info = desks.up(width, height, home=home, programs=[shlex.split(line) for line in run or []])
        print_json({"display": info.display, "pid": info.pid, "width": info.width, "height": info.height})


@desktop_app.command("down")
def desktop_down(display: str) -> None:
    """End a virtual desktop with everything on it."""
    with translated(as_json=False):
        desks.down(display)


@desktop_app.command("list")
def desktop_list(as_json: Json = False) -> None:
    """Show the virtual desktops that run."""
    with translated(as_json):
        found = desks.running()
        if as_json:
            print_json([{"display": i.display, "pid": i.pid, "width": i.width, "height": i.height} for i in found])
            return
        for info in found:
            say(f"{info.display}  {info.width}x{info.height}  keeper {info.pid}")
        if not found:
            say("No virtual desktop runs. Start one: echostudio desktop up --size 1920x1080")


def record(
    intent: Annotated[str, typer.Option(help="What this demonstration is for.")],
    display: Display = None,
    out: Annotated[Path | None, typer.Option(help="Put the run folder here instead of the home.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this time.")] = None,
    ready_file: Annotated[Path | None, typer.Option(help="Written with the run id once sources are live.")] = None,
    control: Annotated[
        bool, typer.Option("--control", help=f"Read orders from standard input, one a line: {orders.ORDERS}.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Record a demonstration until Ctrl+C, SIGTERM or F9; Shift+F9 turns private mode on and off."""
    with door(as_json) as services:
        token, switches = CancelToken(), RecordControl()
        stop_on_signals(token)
        _tell_steps(services.bus, quiet=as_json)

        def ready(run: str) -> None:
            err.print(f"recording {run} on {desks.display_name(display)}", markup=False)
            if control:
                orders.listen(switches, sys.stdin, lambda problem: err.print(problem, markup=False))
            if ready_file is not None:
                write_atomic(ready_file, run.encode())
            if seconds is not None:
                services.jobs.pool(_stop_after, token, seconds)

        done = recording.record(services, display, intent, token, ready=ready, runs=out, control=switches)
        token.cancel("recording ended")
        _repack_a_little(services, done)
        if as_json:
            print_json({"run": done.run, "path": str(done.path), "steps": done.steps, "health": asdict(done.health)})
        else:
            for note in done.health.notes:
                say(f"Note: {note}.")
            say(f"{done.steps} steps in {done.path}\nNext: echostudio consolidate {done.run}")


def _repack_a_little(services: Services, done: recording.Recorded) -> None:
    try:
        recording.repack(services, str(done.path), CancelToken(), _REPACK_SECONDS)
    except EchoError as fault:
        # The recording is whole either way.
        err.print(fault.sentence, markup=False)


def stop_on_signals(token: CancelToken) -> None:
    """Let Ctrl+C and SIGTERM end the work in order."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        token.cancel("Stopped by the person.")

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)


def _stop_after(token: CancelToken, seconds: float) -> None:
    if not token.wait(seconds):
        token.cancel("The time is over.")


def _tell_steps(bus: EventBus, quiet: bool) -> None:
    def hear(event: object) -> None:
        if isinstance(event, StepRecorded) and event.step.status is not StepStatus.UNFINISHED and not quiet:
            err.print(f"{event.step.index + 1:3d}  {event.step.words}", markup=False)

    bus.subscribe(hear)
