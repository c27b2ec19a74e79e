"""What the run folders and the library know of each run, in one row per run; read again only where it changed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from echostudio.actionlens import runfolder
from echostudio.actionlens.runreader import ASSETS, MANIFEST, STEPS
from echostudio.blobs import BlobStore
from echostudio.desktop.writers import being_written
from echostudio.episode.report import ReplayReport
from echostudio.episode.run import Manifest, RunSource
from echostudio.episode.verdict import Outcome
from echostudio.errors import EchoError, UnknownRun
from echostudio.operations import record
from echostudio.operations.services import Services

_BEFORE: Final = b'"phase": "before"'


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run as a list shows it.

    ``seconds`` is None while nobody knows its end. ``live`` says that a process still writes it, ``fault`` why its
    folder cannot be read. Replays have a ``memory``, an ``outcome`` and, when they were refused, its sentence and
    step index.
    """

    id: str
    source: RunSource
    intent: str
    started: str
    desktop: str = ""
    program: str = ""
    steps: int = 0
    seconds: float | None = None
    complete: bool = True
    recovered: bool = False
    live: bool = False
    thumbnail: str | None = None
    memory: str = ""
    outcome: Outcome | None = None
    dry_run: bool = False
    refusal: str = ""
    refused_step: int | None = None
    fault: str = ""

    @property
    def replay(self) -> bool:
        """Whether it is a replay."""
        return self.source is RunSource.REPLAY

    @property
    def incomplete(self) -> bool:
        """Whether it broke off and can be recovered."""
        return not (self.complete or self.live or self.fault)


class RunIndex:
    """Reads the rows; what did not change since the last time is not read again. One thread at a time."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._known: dict[str, tuple[tuple[int, ...], RunRow]] = {}

    def rows(self) -> tuple[RunRow, ...]:
        """Return all runs, newest first."""
        folder = self._services.runs
        paths = [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
        known = {path.name: self._row(path) for path in paths}
        self._known = known
        return tuple(sorted((row for _, row in known.values()), key=lambda row: (row.started, row.id), reverse=True))

    def _row(self, path: Path) -> tuple[tuple[int, ...], RunRow]:
        stamp = _stamp(path)
        before = self._known.get(path.name)
        if before is not None and before[0] == stamp and (before[1].complete or before[1].fault):
            return before
        try:
            return stamp, self._read(path)
        except EchoError as fault:
            return stamp, RunRow(path.name, RunSource.HUMAN, "", _named_time(path.name), fault=fault.sentence)

    def _read(self, path: Path) -> RunRow:
        manifest = runfolder.read_manifest(path)
        report = self._report(manifest)
        steps, first = _steps(path)
        told = report is not None or manifest.complete
        return RunRow(
            id=manifest.id,
            source=manifest.source,
            intent=manifest.intent,
            started=manifest.started,
            desktop=report.desktop if report is not None and report.desktop else manifest.desktop_kind,
            program=manifest.app.program if manifest.app else "",
            steps=len(report.steps) if report is not None else steps,
            seconds=report.seconds if report is not None else _seconds(manifest),
            complete=told,
            recovered=manifest.recovered,
            live=not told and manifest.ended is None and being_written(path),
            thumbnail=_telling(report) or first,
            memory=report.memory if report is not None else "",
            outcome=report.outcome if report is not None else None,
            dry_run=report.dry_run if report is not None else False,
            refusal=report.refusal.sentence if report is not None and report.refusal else "",
            refused_step=report.refusal.step if report is not None and report.refusal else None,
        )

    def _report(self, manifest: Manifest) -> ReplayReport | None:
        if manifest.source is not RunSource.REPLAY:
            return None
        try:
            return self._services.repository.replay(manifest.id)
        except UnknownRun:
            return None


def thumbnail(services: Services, run_id: str, digest: str) -> Path | None:
    """Return the file of the thumbnail of a run's picture, or None."""
    return BlobStore(record.folder(services, run_id) / ASSETS).thumbnail_path(digest)


def size(services: Services, run_id: str) -> int:
    """Return how many bytes a run takes on disk now."""
    return sum(file.stat().st_size for file in record.folder(services, run_id).rglob("*") if file.is_file())


def _stamp(path: Path) -> tuple[int, ...]:
    stamp: list[int] = []
    for name in (MANIFEST, STEPS):
        file = path / name
        if file.exists():
            facts = file.stat()
            stamp += [facts.st_mtime_ns, facts.st_size]
    return tuple(stamp)


def _steps(path: Path) -> tuple[int, str | None]:
    """Return how many steps were begun, and the picture before the first of them."""
    file = path / STEPS
    data = file.read_bytes() if file.exists() else b""
    for line in data.split(b"\n", 8)[:8]:
        try:
            picture = json.loads(line).get("before")
        except (ValueError, AttributeError):
            continue
        if isinstance(picture, dict):
            return data.count(_BEFORE), str(picture.get("digest"))
    return data.count(_BEFORE), None


def _telling(report: ReplayReport | None) -> str | None:
    """Return the picture that tells most of a replay: of the refused step, else of the last one that has any."""
    if report is None:
        return None
    refused = report.refusal.step if report.refusal else None
    shown = [step for step in report.steps if step.before is not None]
    step = next((one for one in shown if one.index == refused), shown[-1] if shown else None)
    return step.before.digest if step is not None and step.before is not None else None


def _seconds(manifest: Manifest) -> float | None:
    if manifest.ended is None:
        return None
    try:
        ended, started = datetime.fromisoformat(manifest.ended), datetime.fromisoformat(manifest.started)
        return max(0.0, (ended - started).total_seconds())
    except (ValueError, TypeError):
        return None


def _named_time(name: str) -> str:
    """Return the time that a run's id begins with, as ISO-8601; the name itself when it is none."""
    try:
        return datetime.strptime(f"{name[:15]}+0000", "%Y%m%d-%H%M%S%z").isoformat()
    except ValueError:
        return name
