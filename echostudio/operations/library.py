"""Read what the library and the run folders hold; nothing here changes anything."""

from __future__ import annotations

from pathlib import Path

from echostudio.actionlens import runfolder
from echostudio.blobs import BlobStore
from echostudio.codec import Pixels
from echostudio.episode.lifecycle import LifecycleEvent, LifecycleState
from echostudio.episode.memory import Memory, MemoryRow
from echostudio.episode.report import ReplayReport
from echostudio.episode.run import Manifest, Run
from echostudio.operations import record
from echostudio.operations.services import Services


def rows(services: Services, query: str = "", state: LifecycleState | None = None) -> list[MemoryRow]:
    """Return the memories whose intent, phrases, program or recorded values hold every word of the query."""
    words = query.casefold().split()

    def fits(row: MemoryRow) -> bool:
        text = " ".join((row.intent, row.app, row.id, *row.phrases, *row.recorded_values)).casefold()
        return all(word in text for word in words)

    return [row for row in services.repository.rows(state) if fits(row)]


def memory(services: Services, ref: str, revision: int | None = None) -> Memory:
    """Return a memory, its latest revision unless one is named."""
    return services.repository.get(ref, revision)


def revisions(services: Services, ref: str) -> list[Memory]:
    """Return all revisions, oldest first."""
    return services.repository.revisions(ref)


def history(services: Services, ref: str) -> list[LifecycleEvent]:
    """Return the lifecycle events, oldest first."""
    return services.repository.events(ref)


def picture(services: Services, digest: str) -> Pixels:
    """Return a picture of the library as RGB pixels."""
    return services.repository.blobs.get(digest)


def thumbnail(services: Services, digest: str) -> Path | None:
    """Return the file of a picture's thumbnail."""
    return services.repository.blobs.thumbnail_path(digest)


def replays(services: Services, ref: str) -> list[ReplayReport]:
    """Return the stored replays of a memory, newest first."""
    return services.repository.replays(ref)


def replay_report(services: Services, run_id: str) -> ReplayReport:
    """Return the stored report of one replay."""
    return services.repository.replay(run_id)


def replay_picture(services: Services, run_id: str, digest: str) -> Pixels:
    """Return a picture that a replay took."""
    return run_picture(services, run_id, digest)


def runs(services: Services) -> list[Manifest]:
    """Return the readable runs, newest first."""
    found = [one for one in runfolder.list_runs(services.runs) if isinstance(one, Manifest)]
    return sorted(found, key=lambda manifest: manifest.started, reverse=True)


def run(services: Services, run_id: str) -> Run:
    """Return a run."""
    return record.load(services, run_id)


def run_picture(services: Services, run_id: str, digest: str) -> Pixels:
    """Return a picture of a run as RGB pixels."""
    return BlobStore(record.folder(services, run_id) / "assets").get(digest)
