"""Printing and exit codes, the same for every command."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from echostudio.episode.report import ReplayReport
from echostudio.episode.verdict import Outcome, Verdict
from echostudio.errors import Cancelled, EchoError, UsageError
from echostudio.operations.promote import PromotionRefused
from echostudio.operations.services import Services, open_services

DONE, BUG, USAGE, STRUCTURAL, LOCAL, UNVERIFIED, STOPPED, STORE = 0, 1, 2, 3, 4, 5, 6, 7

# A pipe has no width: tables must not cut names there.
out = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 200)
err = Console(stderr=True, highlight=False, soft_wrap=True)

MARKS = {
    Verdict.ACCEPTED: "[green]✓[/]",
    Verdict.REFUSED: "[yellow]▲[/]",
    Verdict.UNKNOWN: "[yellow]?[/]",
    Verdict.WAIVED: "[cyan]–[/]",
}


@dataclass
class Options:
    """The options before the command: where everything lives."""

    home: Path | None = None


options = Options()


def print_json(document: Any) -> None:
    """Print the one document of a command."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False, default=str) + "\n")
    sys.stdout.flush()


@contextmanager
def door(as_json: bool) -> Iterator[Services]:
    """Open the services, translate every error once, and close everything again."""
    with translated(as_json):
        services = open_services(options.home)
        try:
            yield services
        finally:
            services.close()


@contextmanager
def translated(as_json: bool) -> Iterator[None]:
    """Turn an error into its sentence and its exit code."""
    try:
        yield
    except EchoError as fault:
        _tell(fault.code, fault.sentence, fault.hint, as_json and not isinstance(fault, Cancelled))
        raise typer.Exit(exit_code(fault)) from fault
    except (typer.Exit, typer.Abort, KeyboardInterrupt, BrokenPipeError):
        raise
    except Exception as fault:
        logging.getLogger(__name__).debug("bug", exc_info=fault)
        err.print(traceback.format_exc(), markup=False)
        _tell("bug", f"This is a bug in EchoStudio: {fault!r}", "The lines above belong into the report.", as_json)
        raise typer.Exit(BUG) from fault


def exit_code(fault: EchoError) -> int:
    """Return the exit code of an expected error."""
    if isinstance(fault, Cancelled):
        return STOPPED
    if isinstance(fault, UsageError):
        return USAGE
    return STRUCTURAL if isinstance(fault, PromotionRefused) else STORE


def report_code(report: ReplayReport) -> int:
    """Return the exit code of a replay."""
    if report.outcome is Outcome.VERIFIED:
        return DONE
    if report.outcome is Outcome.COMPLETED_UNVERIFIED:
        return DONE if report.dry_run else UNVERIFIED
    if report.outcome is Outcome.STOPPED:
        return STOPPED
    local = report.outcome is Outcome.REFUSED and report.refusal is not None and report.refusal.code.local
    return LOCAL if local else STRUCTURAL


def _tell(code: str, sentence: str, hint: str, as_json: bool) -> None:
    if as_json:
        print_json({"error": {"code": code, "sentence": sentence, "hint": hint}})
    err.print(sentence + (f"\n{hint}" if hint else ""), markup=False)


def table(name: str, *columns: str) -> Table:
    """Return an empty table whose first column, the name that other commands take, is never cut."""
    made = Table(box=None)
    made.add_column(name, no_wrap=True, min_width=24)
    for column in columns:
        made.add_column(column)
    return made


def say(text: str) -> None:
    """Print a line for a person."""
    out.print(text)


def escape(text: object) -> str:
    """Protect square brackets of data from being read as colours."""
    return str(text).replace("[", "\\[")
