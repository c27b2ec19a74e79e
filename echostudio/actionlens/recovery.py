"""Making a cut-off run usable: torn tails are cut, steps that surely happened are completed, the end is marked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from echostudio.actionlens.demonstration import Demonstration, Draft, Finished
from echostudio.actionlens.lines import LineFile, mend_tail
from echostudio.actionlens.runreader import (
    EVENTS,
    LIFECYCLE,
    MANIFEST,
    OBSERVATIONS,
    STEPS,
    manifest_bytes,
    read_events,
    read_run,
    utc_now,
)
from echostudio.blobs import write_atomic
from echostudio.episode import wire
from echostudio.episode.action import ActionKind
from echostudio.episode.run import Run, RunSource
from echostudio.episode.step import Step, StepStatus
from echostudio.settings import RecordSettings

_SAME_MOMENT = 0.002


def recover(path: Path, settings: RecordSettings | None = None) -> Run:
    """Complete a run whose writer was killed and return it; a run that has ended is returned as it is.

    What a person did before the cut did happen: their unfinished steps become ``done``, without an after frame, and
    typed text is taken from the raw input that was stored. An unfinished act of an agent or a replay stays
    ``unfinished``, since nobody knows. Raises ``RunFolderError`` when the folder cannot be read.
    """
    run = read_run(path)
    if run.manifest.ended is not None:
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
    drafts = _replayed(path, settings)
    done = []
    for step in run.steps:
        if step.status is StepStatus.UNFINISHED:
            draft = _draft_of(step, run, drafts)
            done.append(_with_draft(step, draft))
    return done


def _replayed(path: Path, settings: RecordSettings) -> list[Draft]:
    """Run the stored raw input through the same rules as while recording."""
    events = read_events(path)
    machine = Demonstration(settings)
    signals = [signal for event in events for signal in machine.feed(event)]
    if events:
        signals += machine.close(events[-1].at)
    return [signal.draft for signal in signals if isinstance(signal, Finished)]


def _draft_of(step: Step, run: Run, drafts: list[Draft]) -> Draft | None:
    """Find the draft that began when the step did; drafts carry clock times, steps offsets from the run's start."""
    earlier = [other for other in run.steps if other.trace and other.status is StepStatus.DONE]
    del earlier
    at = step.began_at if False else step.started
    return next((draft for draft in drafts if abs(draft.started - at) < _SAME_MOMENT), None)


def _with_draft(step: Step, draft: Draft | None) -> Step:
    note = "; ".join(part for part in (step.note, "recovered") if part)
    done = replace(step, status=StepStatus.DONE, ended=step.started if step.ended is None else step.ended, note=note)
    if draft is None:
        return done
    return replace(done, action=draft.action)


def _append(file: Path, lines: list[dict[str, Any]]) -> None:
    if not lines:
        return
    target = LineFile(file)
    try:
        for line in lines:
            target.append(json.dumps(line, ensure_ascii=False), sync=True)
    finally:
        target.close()
