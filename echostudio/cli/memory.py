"""``echostudio memory``: list, show, edit, promote."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from echostudio.cli.output import DONE, STRUCTURAL, door, escape, out, print_json, say, table
from echostudio.episode import wire
from echostudio.episode.check import Check
from echostudio.episode.field import FieldKind
from echostudio.episode.memory import Memory
from echostudio.errors import UsageError
from echostudio.operations import edit, library
from echostudio.operations import promote as promoting

memory_app = typer.Typer(no_args_is_help=True, help="Review, edit and promote memories.")
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Reason = Annotated[str, typer.Option(help="Why; goes into the history.")]


@memory_app.command("list")
def memory_list(query: Annotated[str, typer.Argument()] = "", as_json: Json = False) -> None:
    """Show the memories of the library."""
    with door(as_json) as services:
        rows = library.rows(services, query)
        if as_json:
            print_json([wire.to_json(row) for row in rows])
            return
        shown = table("memory", "intent", "program", "state", "steps", "replays", "refused")
        for row in rows:
            numbers = (str(row.steps), str(row.replays), str(row.refused))
            shown.add_row(row.id, escape(row.intent), escape(row.app), row.state.value, *numbers)
        out.print(shown) if rows else say("The library is empty. `echostudio demo` shows the whole way in a minute.")


@memory_app.command("show")
def memory_show(memory: str, as_json: Json = False) -> None:
    """Show a memory: steps, fields, checks, history."""
    with door(as_json) as services:
        found = library.memory(services, memory)
        if as_json:
            print_json(wire.to_json(found))
            return
        say(f"[bold]{escape(found.intent)}[/]  {found.id} revision {found.revision}, {found.state.value}")
        for step in found.program:
            declared = [f.name for f in found.fields for b in f.bindings if b.action_index == step.index]
            marks = " ".join(f"[magenta]◆ {escape(name)}[/]" for name in declared)
            risky = " [yellow]risky[/]" if step.risky else ""
            say(f"{step.index:3d}  {escape(step.words)} {marks}{risky}")
        for check in found.checks:
            say(f"check {check.kind} {escape(check.parameters or [part.kind for part in check.parts])}")
        for blocker in promoting.blockers(services, memory):
            say(f"[yellow]▲[/] {escape(blocker)}")
        for event in library.history(services, memory):
            say(f"{event.at}  {event.kind}  {escape(event.who)}: {escape(event.reason)}")


@memory_app.command("rename")
def memory_rename(memory: str, text: str, as_json: Json = False) -> None:
    """Give a memory another intent."""
    with door(as_json) as services:
        _edited(edit.rename(services, memory, text), as_json)


@memory_app.command("phrase")
def memory_phrase(memory: str, verb: str, text: str, as_json: Json = False) -> None:
    """Add another way to ask for a memory: phrase M add TEXT."""
    with door(as_json) as services:
        _must_be(verb, "add")
        _edited(edit.add_phrase(services, memory, text), as_json)


@memory_app.command("field")
def memory_field(
    memory: str,
    verb: Annotated[str, typer.Argument(help="add or remove")],
    name: str,
    action_index: Annotated[int | None, typer.Argument()] = None,
    parameter_path: Annotated[str | None, typer.Argument()] = None,
    kind: Annotated[FieldKind, typer.Option(help="What kind of value it takes.")] = FieldKind.TEXT,
    pattern: Annotated[str, typer.Option(help="A regular expression the whole value must match.")] = "",
    choice: Annotated[list[str] | None, typer.Option(help="An allowed value; may be repeated.")] = None,
    as_json: Json = False,
) -> None:
    """Declare what may change: field M add NAME ACTION_INDEX PARAMETER_PATH, or field M remove NAME."""
    with door(as_json) as services:
        _must_be(verb, "add", "remove")
        if verb == "remove":
            _edited(edit.remove_field(services, memory, name), as_json)
            return
        if action_index is None or parameter_path is None:
            raise UsageError("A field needs a step index and a parameter path, such as 3 text.")
        choices = tuple(choice or ())
        done = edit.add_field(services, memory, name, action_index, parameter_path, kind, pattern, choices)
        _edited(done, as_json)


@memory_app.command("check")
def memory_check(
    memory: str,
    verb: Annotated[str, typer.Argument(help="add, remove or run")],
    kind: Annotated[str, typer.Argument(help="A check of the catalogue; the number for remove.")] = "",
    pairs: Annotated[list[str] | None, typer.Argument(help="key=value; values may hold {field}.")] = None,
    group: Annotated[str, typer.Option(help="Join several KIND key=value ... into all, any or not.")] = "",
    display: Annotated[str | None, typer.Option(help="Where window titles are asked.")] = None,
    as_json: Json = False,
) -> None:
    """Say what must be true at the end: check M add file_exists path=... ; check M run."""
    with door(as_json) as services:
        _must_be(verb, "add", "remove", "run")
        if verb == "add":
            _edited(edit.add_check(services, memory, _parse_check(kind, pairs or [], group)), as_json)
        elif verb == "remove":
            _edited(edit.remove_check(services, memory, int(kind) if kind.isdigit() else -1), as_json)
        else:
            validation = edit.run_checks(services, memory, display=display)
            _print_validation(wire.to_json(validation), as_json)
            raise typer.Exit(DONE if validation.positive else STRUCTURAL)


@memory_app.command("promote")
def memory_promote(memory: str, reason: Reason, display: str | None = None, as_json: Json = False) -> None:
    """Run the checks and make the latest revision the active one."""
    with door(as_json) as services:
        edit.run_checks(services, memory, display=display)
        _moved(promoting.promote(services, memory, reason), as_json)


@memory_app.command("quarantine")
def memory_quarantine(memory: str, reason: Reason = "quarantined by hand", as_json: Json = False) -> None:
    """Take a memory out of use until someone looks at it."""
    with door(as_json) as services:
        _moved(promoting.quarantine(services, memory, reason), as_json)


@memory_app.command("deprecate")
def memory_deprecate(memory: str, reason: Reason = "deprecated by hand", as_json: Json = False) -> None:
    """End a memory's use for good; its history stays."""
    with door(as_json) as services:
        _moved(promoting.deprecate(services, memory, reason), as_json)


def _parse_check(kind: str, words: list[str], group: str) -> Check:
    """Read one check, or with a group several: each word without ``=`` begins the next one."""
    parts: list[Check] = [Check(kind)]
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            parts.append(Check(word))
        else:
            parts[-1] = Check(parts[-1].kind, {**parts[-1].parameters, key: value})
    if not kind:
        raise UsageError("Which check?", "For example: check M add file_exists path=/tmp/notes.txt")
    if group:
        return Check(group, {}, tuple(parts))
    if len(parts) > 1:
        raise UsageError(f"“{parts[1].kind}” is not key=value.", "Several checks in one need --group all|any|not.")
    return parts[0]


def _edited(memory: Memory, as_json: bool) -> None:
    document: dict[str, Any] = {"memory": memory.id, "revision": memory.revision, "state": memory.state.value}
    if as_json:
        print_json(document)
    else:
        say(f"{memory.id} revision {memory.revision} ({memory.state.value})")


def _moved(memory: Memory, as_json: bool) -> None:
    _edited(memory, as_json)


def _print_validation(document: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(document)
        return
    for result in document["results"]:
        mark = {True: "[green]✓[/]", False: "[red]✕[/]", None: "[yellow]?[/]"}[result["passed"]]
        say(f"{mark} {result['kind']}: expected {escape(result['expected'])}, actual {escape(result['actual'])}")
    if not document["results"]:
        say("This memory has no checks.")


def _must_be(verb: str, *allowed: str) -> None:
    if verb not in allowed:
        raise UsageError(f"“{verb}” is not one of {', '.join(allowed)}.")
