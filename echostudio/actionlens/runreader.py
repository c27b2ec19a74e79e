"""Reading run folders: whole runs, their manifests, lists of them, and finding one by its id."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from echostudio.actionlens.lines import Line, broken, parse, read_lines
from echostudio.actionlens.upgrade import upgrade_manifest
from echostudio.desktop.controller import RawEvent
from echostudio.episode import wire
from echostudio.episode.run import Manifest, Run
from echostudio.episode.step import Step
from echostudio.errors import RunFolderError, UnknownRun

MANIFEST = "manifest.json"
EVENTS = "events.jsonl"
STEPS = "steps.jsonl"
OBSERVATIONS = "observations.jsonl"
LIFECYCLE = "lifecycle.jsonl"
ASSETS = "assets"
# Life cycle lines that say, as ``clock``, when the person's order ended what was going on.
PARTING = frozenset({"paused", "private", "ignoring", "undone"})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BrokenRun:
    """A run folder that cannot be read, and why in one sentence."""

    path: Path
    sentence: str


def utc_now() -> str:
    """Return the present time for people: UTC, ISO-8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def manifest_bytes(manifest: Manifest) -> bytes:
    """Return the manifest as it stands in its file."""
    return json.dumps(wire.to_json(manifest), indent=2, ensure_ascii=False).encode() + b"\n"


def read_manifest(path: Path) -> Manifest:
    """Read the manifest of a run folder, upgraded to the present version.

    Raises ``RunFolderError`` naming the file when it is missing, broken, or newer than this program.
    """
    file = path / MANIFEST
    try:
        data = parse(file.read_bytes())
    except OSError as fault:
        raise RunFolderError(f"{file} cannot be read: {fault.strerror}.", "Is this the folder of a run?") from fault
    if data is None:
        raise RunFolderError(f"{file} is not a JSON object.", "The file was changed by hand or damaged.")
    try:
        return wire.from_json(Manifest, upgrade_manifest(data, file))
    except ValidationError as fault:
        raise RunFolderError(f"{file}: {first_fault(fault)}.", "The file was changed by hand or damaged.") from fault


def read_run(path: Path) -> Run:
    """Read a whole run, also one that is still being written or was cut off.

    A torn last line is dropped and counted in ``health.torn_lines``; a step without its second line stays
    ``unfinished``. Raises ``RunFolderError`` with file and line for anything else that does not fit.
    """
    manifest = read_manifest(path)
    lines = read_lines(path / STEPS)
    steps: dict[str, Step] = {}
    for line in lines.lines:
        step = step_of(line, path / STEPS)
        steps[step.id] = step
    torn = lines.torn + read_lines(path / EVENTS).torn + read_lines(path / LIFECYCLE).torn
    if torn:
        health = replace(manifest.health, torn_lines=manifest.health.torn_lines + torn)
        manifest = replace(manifest, health=health)
    return Run(manifest, tuple(sorted(steps.values(), key=lambda step: step.index)))


def read_events(path: Path) -> tuple[RawEvent, ...]:
    """Read the raw input of a run folder, in the order of its times."""
    file = path / EVENTS
    events = [_value(RawEvent, line, line.data, file) for line in read_lines(file).lines]
    return tuple(sorted(events, key=lambda event: event.at))


def step_of(line: Line, file: Path) -> Step:
    """Build the step that a line of ``steps.jsonl`` holds; raise ``RunFolderError`` naming file and line."""
    data = dict(line.data)
    if data.pop("phase", None) not in ("before", "after", "amended"):
        raise broken(file, line.number, "the phase is neither before nor after nor amended")
    return _value(Step, line, data, file)


def list_runs(runs_folder: Path) -> list[Manifest]:
    """Return the manifests of all readable runs, newest first; see ``broken_runs`` for the others."""
    return _scan(runs_folder)[0]


def broken_runs(runs_folder: Path) -> list[BrokenRun]:
    """Return the run folders that cannot be read, each with the reason."""
    return _scan(runs_folder)[1]


def find_run(runs_folder: Path, ref: str) -> Path:
    """Return the folder of a run by id, by an unambiguous beginning of its id, or by its own path.

    Raises ``UnknownRun`` with the nearest ids as hint.
    """
    if ref and (Path(ref) / MANIFEST).is_file():
        return Path(ref)
    names = sorted(path.parent.name for path in runs_folder.glob(f"*/{MANIFEST}"))
    if ref in names:
        return runs_folder / ref
    fitting = [name for name in names if ref and name.startswith(ref)]
    if len(fitting) == 1:
        return runs_folder / fitting[0]
    near = fitting[:5] or difflib.get_close_matches(ref, names, n=3, cutoff=0.5)
    what = "is the beginning of several runs" if fitting else "is no run"
    hint = f"Did you mean {' or '.join(near)}?" if near else "`echostudio runs list` shows all runs."
    raise UnknownRun(f"{ref!r} {what}.", hint)


def first_fault(fault: ValidationError) -> str:
    """Return the first thing that is wrong with a value, in words."""
    first = fault.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place or 'the value'}: {first['msg'].lower()}"


def _scan(runs_folder: Path) -> tuple[list[Manifest], list[BrokenRun]]:
    readable: list[Manifest] = []
    unreadable: list[BrokenRun] = []
    folders = sorted(path for path in runs_folder.iterdir() if path.is_dir()) if runs_folder.is_dir() else []
    for path in folders:
        try:
            readable.append(read_manifest(path))
        except RunFolderError as fault:
            unreadable.append(BrokenRun(path, fault.sentence))
    return sorted(readable, key=lambda manifest: (manifest.started, manifest.id), reverse=True), unreadable


def _value(kind: type[T], line: Line, data: dict[str, Any], file: Path) -> T:
    try:
        return wire.from_json(kind, data)
    except ValidationError as fault:
        raise broken(file, line.number, first_fault(fault)) from fault
