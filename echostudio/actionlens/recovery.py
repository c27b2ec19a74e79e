"""Making a cut-off run usable: torn tails are cut, steps that surely happened are completed, the end is marked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from echostudio.actionlens import crops, words
from echostudio.actionlens.demonstration import Demonstration
from echostudio.actionlens.drafts import Draft, Finished, Signal
from echostudio.actionlens.lines import LineFile, mend_tail, read_lines
from echostudio.actionlens.runreader import (
    EVENTS,
    LIFECYCLE,
    MANIFEST,
    OBSERVATIONS,
    PARTING,
    STEPS,
    manifest_bytes,
    read_events,
    read_run,
    utc_now,
)
from echostudio.blobs import write_atomic
from echostudio.episode import wire
from echostudio.episode.action import ActionKind
from echostudio.episode.evidence import TargetEvidence
from echostudio.episode.run import Run, RunSource
from echostudio.episode.step import Step, StepStatus
from echostudio.settings import ReaimSettings, RecordSettings

_SAME_MOMENT = 0.002


def recover(path: Path, settings: RecordSettings | None = None) -> Run:
    """Complete a run whose writer was killed or broke off and return it; a complete run is returned as it is.

    What a person did before the cut did happen: their unfinished steps become ``done``, without an after frame, and
    typed text is taken from the raw input that was stored. An unfinished act of an agent or a replay stays
    ``unfinished``, since nobody knows. Raises ``RunFolderError`` when the folder cannot be read.
    """
    run = read_run(path)
    if run.manifest.complete:
        return run
    torn = sum(mend_tail(path / name) for name in (STEPS, EVENTS, LIFECYCLE, OBSERVATIONS))
    steps = _completed(path, run, settings or RecordSettings()) if run.manifest.source is RunSource.HUMAN else []
    _append(path / STEPS, [{"phase": "after", **wire.to_json(step)} for step in steps])
    _append(path / LIFECYCLE, [{"kind": "recovered", "at": utc_now(), "torn_lines": torn, "completed": len(steps)}])
    health = replace(run.manifest.health, torn_lines=max(torn, run.manifest.health.torn_lines))
    manifest = replace(run.manifest, ended=utc_now(), complete=True, recovered=True, health=health)
    write_atomic(path / MANIFEST, manifest_bytes(manifest))
    return read_run(path)


def _completed(path: Path, run: Run, settings: RecordSettings) -> list[Step]:
    """Return the unfinished steps as complete as the stored raw input makes them."""
    unfinished = [step for step in run.steps if step.status is StepStatus.UNFINISHED]
    origin = _clock_origin(path)
    drafts = _drafts(path, settings) if unfinished and origin is not None else []
    return [_with_draft(step, _draft_of(step, origin, drafts), origin) for step in unfinished]


def _drafts(path: Path, settings: RecordSettings) -> list[Draft]:
    """Run the stored raw input through the same rules as while recording."""
    events, partings = read_events(path), _partings(path)
    machine, signals = Demonstration(settings), list[Signal]()
    for event in events:
        while partings and partings[0] <= event.at:
            signals += machine.part(partings.pop(0))
        signals += machine.feed(event)
    signals += machine.close(events[-1].at) if events else []
    return [signal.draft for signal in signals if isinstance(signal, Finished)]


def _partings(path: Path) -> list[float]:
    """Return the clock times at which the person's orders ended what was going on, oldest first."""
    lines = [line.data for line in read_lines(path / LIFECYCLE).lines if line.data.get("kind") in PARTING]
    return sorted(float(data["clock"]) for data in lines if isinstance(data.get("clock"), int | float))


def _clock_origin(path: Path) -> float | None:
    """Return the clock time from which the steps' offsets count, as the recorder noted it."""
    for line in read_lines(path / LIFECYCLE).lines:
        if line.data.get("kind") == "recording" and isinstance(line.data.get("clock"), int | float):
            return float(line.data["clock"])
    return None


def _draft_of(step: Step, origin: float | None, drafts: list[Draft]) -> Draft | None:
    if origin is None:
        return None
    return next((draft for draft in drafts if abs(draft.started - origin - step.started) < _SAME_MOMENT), None)


def _with_draft(step: Step, draft: Draft | None, origin: float | None) -> Step:
    note = "; ".join(part for part in (step.note, "recovered") if part)
    done = replace(step, status=StepStatus.DONE, ended=step.started if step.ended is None else step.ended, note=note)
    if draft is None or origin is None:
        return done
    trace = tuple((round(at - origin, 4), text) for at, text in draft.trace)
    done = replace(done, action=draft.action, ended=draft.ended - origin, trace=trace)
    if draft.blocked:
        done = replace(done, status=StepStatus.BLOCKED, error=draft.blocked)
    if draft.action.kind is ActionKind.DRAG and "target" in step.targets:
        done = replace(done, targets=_both_ends(step.targets["target"], draft))
    return replace(done, words=words.sentence(done.action, done.targets))


def _both_ends(pressed: TargetEvidence, draft: Draft) -> dict[str, TargetEvidence]:
    """Return the evidence of a drag of which only the press had been written."""
    release = pressed.screen.to_frame(dict(draft.points)["to"])
    picture = next((crop.picture for crop in pressed.crops), None)
    window = pressed.screen.box_to_frame(pressed.window.box) if pressed.window is not None else None
    cuts = crops.cut(picture, release, window, ReaimSettings()) if picture is not None else ()
    return {"from": pressed, "to": TargetEvidence(release, cuts, pressed.screen, pressed.window)}


def _append(file: Path, lines: list[dict[str, Any]]) -> None:
    if not lines:
        return
    target = LineFile(file)
    try:
        for line in lines:
            target.append(json.dumps(line, ensure_ascii=False), sync=True)
    finally:
        target.close()
