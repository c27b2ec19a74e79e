"""Change a memory's life: promote, quarantine, deprecate; always with who and why."""

from __future__ import annotations

from echostudio.consolidation import promote as rule
from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import Memory
from echostudio.errors import EchoError
from echostudio.events import LibraryChanged
from echostudio.operations.services import Services, who


class PromotionRefused(EchoError):
    """Something still speaks against this memory; ``blockers`` lists all of it."""

    code = "promotion_refused"

    def __init__(self, blockers: tuple[str, ...]) -> None:
        super().__init__(f"Not promoted: {blockers[0]}", "All reasons: " + " · ".join(blockers))
        self.blockers = blockers


def blockers(services: Services, ref: str) -> tuple[str, ...]:
    """Return everything that speaks against promotion now."""
    return rule.blockers(services.repository.get(ref))


def promote(services: Services, ref: str, reason: str, actor: str | None = None) -> Memory:
    """Make the latest revision the active one; raises ``PromotionRefused`` with all blockers."""
    memory = services.repository.get(ref)
    against = rule.blockers(memory)
    if against:
        raise PromotionRefused(against)
    passed = sum(1 for result in memory.validation.results if result.passed)
    evidence = {"checks_passed": str(passed), "steps": str(len(memory.program)), "run": memory.source_run}
    return _move(services, memory, LifecycleState.ACTIVE, reason, actor, evidence)


def quarantine(services: Services, ref: str, reason: str, actor: str | None = None) -> Memory:
    """Take a memory out of use until someone looks at it."""
    return _move(services, services.repository.in_use(ref), LifecycleState.QUARANTINED, reason, actor, {})


def deprecate(services: Services, ref: str, reason: str, actor: str | None = None) -> Memory:
    """End a memory's use for good; its history stays."""
    return _move(services, services.repository.in_use(ref), LifecycleState.DEPRECATED, reason, actor, {})


def _move(
    services: Services,
    memory: Memory,
    after: LifecycleState,
    reason: str,
    actor: str | None,
    evidence: dict[str, str],
) -> Memory:
    moved = services.repository.transition(memory.id, memory.revision, after, actor or who(), reason, evidence)
    services.bus.publish(LibraryChanged((moved.id,)))
    return moved
