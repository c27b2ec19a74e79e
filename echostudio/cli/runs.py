"""``echostudio runs`` and ``echostudio consolidate``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from echostudio.cancel import CancelToken
from echostudio.cli.output import DONE, STRUCTURAL, door, escape, out, print_json, say, table
from echostudio.consolidation.consolidate import ProposedStep
from echostudio.episode import wire
from echostudio.episode.run import Manifest
from echostudio.operations import consolidate as consolidating
from echostudio.operations import library
from echostudio.operations import record as recording

runs_app = typer.Typer(no_args_is_help=True, help="List, show and recover recordings and replays.")
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@runs_app.command("list")
def runs_list(as_json: Json = False) -> None:
    """Show all runs, newest first."""
    with door(as_json) as services:
        found = library.runs(services)
        if as_json:
            print_json([wire.to_json(manifest) for manifest in found])
            return
        shown = table("run", "source", "intent", "started", "")
        for manifest in found:
            shown.add_row(manifest.id, manifest.source.value, escape(manifest.intent), manifest.started, _end(manifest))
        out.print(shown) if found else say('No runs yet. Record one: echostudio record --intent "..."')


@runs_app.command("show")
def runs_show(run: str, as_json: Json = False) -> None:
    """Show the steps of a run in words."""
    with door(as_json) as services:
        found = recording.load(services, run)
        if as_json:
            print_json(wire.to_json(found))
            return
        manifest = found.manifest
        say(f"{escape(manifest.intent)}  ({manifest.source.value}, {manifest.started}, {_end(manifest)})")
        for step in found.steps:
            test = next((t.self_test for t in step.targets.values() if t.self_test), None)
            margin = f"margin {test.margin:.3f}" if test else ""
            say(f"{step.index + 1:3d}  {escape(step.words):50s} {step.status.value:10s} {margin} {escape(step.error)}")
        say(f"health: {escape(manifest.health)}")


@runs_app.command("repack")
def runs_repack(run: str, as_json: Json = False) -> None:
    """Make the pictures of a recording smaller, without changing a pixel."""
    with door(as_json) as services:
        done = recording.repack(services, run, CancelToken())
        if as_json:
            print_json(asdict(done))
            return
        say(f"{done.pictures} pictures: {done.before / 1e6:.1f} MB became {done.after / 1e6:.1f} MB")
        for name in done.damaged:
            say(f"The picture {name[:12]} is damaged and was left as it is.")


@runs_app.command("recover")
def runs_recover(run: str, as_json: Json = False) -> None:
    """Make an interrupted recording usable."""
    with door(as_json) as services:
        found = recording.recover(services, run)
        if as_json:
            print_json({"run": found.manifest.id, "steps": len(found.steps), "recovered": True})
        else:
            say(f"{found.manifest.id}: {len(found.steps)} steps are usable. Next: echostudio consolidate {run}")


def consolidate(run: str, as_json: Json = False) -> None:
    """Make a candidate memory from a run."""
    with door(as_json) as services:
        done = consolidating.consolidate(services, run)
        if as_json:
            print_json(
                {
                    "memory": done.memory.id if done.memory else None,
                    "viable": done.viable,
                    "blockers": list(done.blockers),
                    "steps": [_step(step) for step in done.steps],
                }
            )
        else:
            _print_steps(done)
        raise typer.Exit(DONE if done.memory else STRUCTURAL)


def _step(step: ProposedStep) -> dict[str, Any]:
    return {
        "index": step.index,
        "run_step": step.run_step,
        "words": step.words,
        "kind": step.kind,
        "parameters": step.parameters,
        "kept": step.kept,
        "reason": step.reason,
        "margin": step.margin,
    }


def _print_steps(done: consolidating.Consolidated) -> None:
    for step in done.steps:
        number = f"{step.index:3d}" if step.index is not None else "  –"
        margin = f"margin {step.margin:.3f}" if step.margin is not None else ""
        say(f"{number}  {escape(step.words):50s} {'kept' if step.kept else 'dropped'} {escape(step.reason)} {margin}")
    for blocker in done.blockers:
        say(f"[yellow]▲[/] {escape(blocker)}")
    if done.memory:
        say(f"candidate {done.memory.id}\nNext: echostudio memory check {done.memory.id} add file_exists path=...")
    else:
        say("Nothing in this run can be replayed.")


def _end(manifest: Manifest) -> str:
    if manifest.complete:
        return "recovered" if manifest.recovered else "complete"
    return "incomplete"
