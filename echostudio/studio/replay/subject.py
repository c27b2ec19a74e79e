"""What the Replay page is about, and how it is read."""

from __future__ import annotations

from dataclasses import dataclass

from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import Memory
from echostudio.episode.report import ReplayReport
from echostudio.errors import UnknownRun
from echostudio.operations import library
from echostudio.operations.services import Services


@dataclass(frozen=True)
class Subject:
    """What the page is about: a memory, and a finished replay of it when one was opened."""

    memory: Memory
    report: ReplayReport | None = None


def load(services: Services, ref: str) -> Subject:
    """Read a replay by its run, else the revision of a memory that is in use; runs in the pool."""
    try:
        report = library.replay_report(services, ref)
    except UnknownRun:
        revisions = library.revisions(services, ref)
        active = [memory for memory in revisions if memory.state == LifecycleState.ACTIVE]
        return Subject(active[-1] if active else revisions[-1])
    return Subject(library.memory(services, report.memory, report.revision), report)
