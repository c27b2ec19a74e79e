"""Record a demonstration into a run folder; list, show and recover runs."""

from __future__ import annotations

import platform
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from echostudio.actionlens import repack as packing
from echostudio.actionlens import runfolder
from echostudio.actionlens.control import RecordControl
from echostudio.actionlens.priority import let_others_first
from echostudio.actionlens.recorder import Recorder
from echostudio.actionlens.repack import Repacked
from echostudio.actionlens.runreader import ASSETS
from echostudio.cancel import CancelToken
from echostudio.desktop import host
from echostudio.desktop.controller import Desktop
from echostudio.episode.run import Health, Manifest, Run, RunSource
from echostudio.operations import desktop as desks
from echostudio.operations.services import Services, who


@dataclass(frozen=True, slots=True)
class Recorded:
    """A finished recording."""

    run: str
    path: Path
    steps: int
    health: Health


def new_run_id(now: datetime | None = None) -> str:
    """Return a readable, unique run id that sorts by time."""
    moment = now or datetime.now(UTC)
    return f"{moment:%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:4]}"


def record(
    services: Services,
    display: str | None,
    intent: str,
    token: CancelToken,
    *,
    ready: Callable[[str], None] | None = None,
    runs: Path | None = None,
    control: RecordControl | None = None,
) -> Recorded:
    """Record until the token is cancelled; ``ready`` hears the run id once every source is proved live.

    ``control`` lets other threads pause, mark, take back and so on.
    """
    with desks.driven(display, f"recording: {intent}") as desk:
        return on_desktop(services, desk, intent, token, ready=ready, runs=runs, control=control)


def on_desktop(
    services: Services,
    desk: Desktop,
    intent: str,
    token: CancelToken,
    *,
    ready: Callable[[str], None] | None = None,
    runs: Path | None = None,
    control: RecordControl | None = None,
) -> Recorded:
    """Record on an open desktop until the token is cancelled."""
    run = new_run_id()
    manifest = Manifest(
        id=run,
        source=RunSource.HUMAN,
        intent=intent,
        desktop_kind=desk.kind,
        screen=desk.screen_map(),
        started=datetime.now(UTC).isoformat(timespec="milliseconds"),
        actor=who(),
        session_type=host.session_type(),
        platform=platform.platform(),
        app=desk.active_app(),
    )
    writer = runfolder.RunWriter.create(runs or services.runs, manifest)
    recorder = Recorder(desk, writer, services.settings, services.bus, control)
    health = recorder.record(token, ready=(lambda: ready(run)) if ready else None)
    return Recorded(run, writer.path, len(runfolder.read_run(writer.path).steps), health)


def load(services: Services, ref: str) -> Run:
    """Return a run by its id, id prefix or folder path."""
    return runfolder.read_run(folder(services, ref))


def folder(services: Services, ref: str) -> Path:
    """Return the folder of a run named by id, id prefix or path; raise ``UnknownRun``."""
    path = Path(ref)
    if (path / "manifest.json").exists():
        return path
    return runfolder.find_run(services.runs, ref)


def recover(services: Services, ref: str) -> Run:
    """Make an interrupted run usable."""
    return runfolder.recover(folder(services, ref))


def repack(services: Services, ref: str, token: CancelToken, seconds: float | None = None) -> Repacked:
    """Make the pictures of a closed run smaller without changing a pixel, at low priority; returns when it is done.

    Stops between two pictures when the token is cancelled or ``seconds`` are over; what is left can be done later.
    Raises ``UnknownRun``; ``RepositoryFull`` when the disk is full.
    """
    assets = folder(services, ref) / ASSETS
    # A thread of its own: a priority that was lowered cannot be raised again.
    with ThreadPoolExecutor(1, "repack", initializer=let_others_first) as own:
        return own.submit(packing.repack, assets, token, seconds).result()
