"""Replay a memory on a desktop, keep its run, store its report."""

from __future__ import annotations

import platform
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from echostudio import checks, paths
from echostudio.actionlens.runfolder import RunWriter
from echostudio.blobs import BlobStore
from echostudio.cancel import CancelToken, wait_until
from echostudio.desktop.controller import Desktop
from echostudio.episode.happening import RunStarted
from echostudio.episode.memory import Memory
from echostudio.episode.report import ReplayReport
from echostudio.episode.run import Manifest, RunSource
from echostudio.errors import DesktopError, UsageError
from echostudio.events import LibraryChanged
from echostudio.operations import desktop as desks
from echostudio.operations import find
from echostudio.operations.record import new_run_id
from echostudio.operations.services import Services, who
from echostudio.replay import report as pages
from echostudio.replay import session
from echostudio.replay.control import ReplayControl
from echostudio.retrieval.app import matching_windows
from echostudio.retrieval.request import Request

_LAUNCH_PATIENCE = 20.0


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """What to replay and where. ``text`` is a request in words instead of a ``memory``."""

    memory: str = ""
    values: dict[str, str] = field(default_factory=dict)
    display: str | None = None
    launch: bool = False
    dry_run: bool = False
    text: str = ""
    report: Path | None = None


def start(services: Services, request: ReplayRequest, control: ReplayControl) -> Future[ReplayReport]:
    """Replay on the desk's own worker; events tell how it goes."""
    display = desks.display_name(request.display)
    return services.jobs.desk(display, replay, services, request, control)


def replay(services: Services, request: ReplayRequest, control: ReplayControl) -> ReplayReport:
    """Replay and return the stored report; a refusal is in it, never raised.

    Raises ``UnknownMemory``, ``DesktopError`` (no desktop, or busy), ``UsageError``.
    """
    memory, wish = _chosen(services, request)
    with desks.driven(request.display, f"replay: {memory.intent}") as desk:
        if request.launch and not request.dry_run:
            launch(desk, memory, control.token)
        return on_desktop(services, request, control, memory, wish, desk)


def on_desktop(
    services: Services,
    request: ReplayRequest,
    control: ReplayControl,
    memory: Memory,
    wish: Request,
    desk: Desktop,
) -> ReplayReport:
    """Replay a chosen memory on an open desktop."""
    writer = _writer(services, memory, desk)
    one = session.Session(
        memory=memory,
        request=wish,
        desktop=desk,
        blobs=services.repository.blobs,
        writer=writer,
        settings=services.settings,
        bus=services.bus,
        control=control,
        dry_run=request.dry_run,
        world=checks.World(None, lambda: [window.title for window in desk.windows()]),
    )
    report = session.run(one)
    folder = request.report or paths.reports_folder(services.home) / report.run
    report = session.with_report_path(report, str(folder / "report.html"))
    pages.write(report, folder, BlobStore(writer.path / "assets").get)
    services.repository.add_replay(report)
    services.bus.publish(LibraryChanged((memory.id,)))
    return report


def launch(desk: Desktop, memory: Memory, token: CancelToken) -> None:
    """Start the recorded program when it is not open, and wait for its window."""
    if matching_windows(memory.app, desk.windows()):
        return
    if not memory.app.command:
        raise DesktopError(f"How {memory.app.program} is started was not recorded.", "Open it by hand.")
    desk.launch(memory.app.command)
    wait_until(
        lambda: bool(matching_windows(memory.app, desk.windows())), desk.clock, token, _LAUNCH_PATIENCE, interval=0.1
    )


def _chosen(services: Services, request: ReplayRequest) -> tuple[Memory, Request]:
    if not request.text:
        memory = services.repository.in_use(request.memory)
        return memory, Request("", request.values, "", request.dry_run)
    candidates = find.find(services, request.text, values=request.values)
    if not candidates:
        raise UsageError(f"No memory fits “{request.text}”.", "echostudio memory list shows all of them.")
    best = candidates[0]
    return best.memory, Request(request.text, best.values, "", request.dry_run)


def _writer(services: Services, memory: Memory, desk: Desktop) -> RunWriter:
    manifest = Manifest(
        id=new_run_id(),
        source=RunSource.REPLAY,
        intent=memory.intent,
        desktop_kind=desk.kind,
        screen=desk.screen_map(),
        started=datetime.now(UTC).isoformat(timespec="milliseconds"),
        actor=who(),
        platform=platform.platform(),
        app=desk.active_app(),
    )
    writer = RunWriter.create(services.runs, manifest)
    services.bus.publish(RunStarted(manifest, str(writer.path)))
    return writer
