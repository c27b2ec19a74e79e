"""``echostudio demo``, ``doctor`` and ``store``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from echostudio.cancel import CancelToken
from echostudio.cli.desk import Json, parse_size, stop_on_signals
from echostudio.cli.output import DONE, STORE, STRUCTURAL, door, escape, options, print_json, say, translated
from echostudio.operations import demo as demonstrating
from echostudio.operations import doctor as examining

store_app = typer.Typer(no_args_is_help=True, help="Look after the library's files.")


@store_app.command("verify")
def store_verify(as_json: Json = False) -> None:
    """Find and name every damage of the library."""
    with door(as_json) as services:
        damages = services.repository.verify()
        if as_json:
            print_json({"damages": damages})
        else:
            for damage in damages:
                say(f"[red]✕[/] {escape(damage)}")
            say(f"{len(damages)} damages." if damages else "The library is whole.")
        raise typer.Exit(STORE if damages else DONE)


def demo(
    size: Annotated[str, typer.Option(help="Desktop of the demonstration.")] = "1920x1080",
    replay_size: Annotated[str, typer.Option(help="Desktop of the replays.")] = "1600x900",
    report: Annotated[Path | None, typer.Option(help="Folder for the report.")] = None,
    as_json: Json = False,
) -> None:
    """Watch a demonstration become a memory, replay itself elsewhere, refuse thrice and catch a silent failure."""
    with translated(as_json):
        token = CancelToken()
        stop_on_signals(token)
        plan = demonstrating.Plan(parse_size(size), parse_size(replay_size), report, options.home)
        done = demonstrating.run_demo(plan, token, say=(lambda _line: None) if as_json else say)
        if as_json:
            print_json(done.document())
        else:
            say(f"report: {done.report}")
        raise typer.Exit(DONE if done.held else STRUCTURAL)


def doctor(as_json: Json = False) -> None:
    """What is there, what is missing, and how to get it."""
    with translated(as_json):
        findings = examining.examine(options.home)
        if as_json:
            print_json([{"what": f.what, "good": f.good, "sentence": f.sentence, "hint": f.hint} for f in findings])
        else:
            for finding in findings:
                mark = "[green]✓[/]" if finding.good else "[yellow]▲[/]"
                say(f"{mark} {finding.what:22s} {escape(finding.sentence)} {escape(finding.hint)}")
        raise typer.Exit(DONE if all(f.good for f in findings) else STORE)
