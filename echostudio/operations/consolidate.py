"""From a run to a candidate memory in the library."""

from __future__ import annotations

from dataclasses import dataclass

from echostudio.actionlens import runfolder
from echostudio.blobs import BlobStore
from echostudio.consolidation import consolidate as propose_from
from echostudio.consolidation.consolidate import ProposedStep
from echostudio.episode.memory import Memory
from echostudio.errors import UsageError
from echostudio.events import LibraryChanged
from echostudio.operations import record
from echostudio.operations.services import Services, who


@dataclass(frozen=True, slots=True)
class Consolidated:
    """The stored candidate (None when the run holds nothing that could be replayed) and every step's verdict."""

    memory: Memory | None
    viable: bool
    blockers: tuple[str, ...]
    steps: tuple[ProposedStep, ...]


def consolidate(services: Services, run_ref: str) -> Consolidated:
    """Propose a memory from a run and store it as a candidate, also when blockers speak against it."""
    path = record.folder(services, run_ref)
    run = runfolder.read_run(path)
    if run.manifest.source.value == "replay":
        raise UsageError("This run is a replay.", "Consolidate the demonstration itself.")
    proposal = propose_from.propose(run, services.repository.overrides(run.manifest.id))
    reasoning = proposal.memory.reasoning
    if not proposal.memory.program:
        return Consolidated(None, False, reasoning.blockers, proposal.steps)
    stored = services.repository.add(
        proposal.memory, BlobStore(path / "assets"), who(), f"consolidated from run {run.manifest.id}"
    )
    services.bus.publish(LibraryChanged((stored.id,)))
    return Consolidated(stored, reasoning.viable, reasoning.blockers, proposal.steps)
