"""The root of the command line: options before the command, and the table of commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

import echostudio
from echostudio.cli import desk, lab, maintenance, memory, replay, runs
from echostudio.cli.output import options

OpenStudio = Callable[[Path | None, str | None, Path | None, str | None, str | None], int]


def build(open_studio: OpenStudio) -> typer.Typer:
    """Return the command line; ``open_studio(home, page, shot, theme, size)`` opens the window."""
    app = typer.Typer(
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Demonstrate GUI work, curate it into a memory, replay it safely. Without a command: the studio.",
    )

    @app.callback(invoke_without_command=True)
    def root(
        context: typer.Context,
        home: Annotated[Path | None, typer.Option("--home", help="Where everything lives.")] = None,
        page: Annotated[
            str | None,
            typer.Option(
                "--open", help="record, library, runs, timeline:M, run:RUN, replay:M, replay:RUN or lab:M:STEP[:FILE]"
            ),
        ] = None,
        shot: Annotated[Path | None, typer.Option("--shot", help="Save a picture of the page and end.")] = None,
        theme: Annotated[str | None, typer.Option("--theme", help="light or dark")] = None,
        size: Annotated[str | None, typer.Option("--size", help="Size of the window, like 1440x900.")] = None,
        version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    ) -> None:
        options.home = home
        if version:
            typer.echo(echostudio.__version__)
            raise typer.Exit
        if context.invoked_subcommand is None:
            raise typer.Exit(open_studio(home, page, shot, theme, size))

    app.add_typer(desk.desktop_app, name="desktop")
    app.add_typer(runs.runs_app, name="runs")
    app.add_typer(memory.memory_app, name="memory")
    app.command("record")(desk.record)
    app.command("consolidate")(runs.consolidate)
    app.command("find")(replay.find)
    app.command("replay")(replay.replay)
    app.command("reaim")(lab.reaim)
    app.command("demo")(maintenance.demo)
    app.command("doctor")(maintenance.doctor)
    app.add_typer(maintenance.store_app, name="store")
    return app


def run(open_studio: OpenStudio) -> None:
    """Run the command line of this process."""
    build(open_studio)()
