"""What consolidation proposes: the candidate, and what became of every recorded step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from echostudio.episode.memory import Memory


@dataclass(frozen=True, slots=True)
class ProposedStep:
    """One recorded step: its place in the program (``index``, None when dropped) and why it was kept or dropped.

    ``margin`` is the smallest self-test margin of its targets, None without pointer evidence.
    """

    index: int | None
    run_step: int
    words: str
    kind: str
    parameters: dict[str, Any]
    kept: bool
    reason: str
    margin: float | None


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate memory and the whole recorded sequence beside it."""

    memory: Memory
    steps: tuple[ProposedStep, ...]

    @property
    def viable(self) -> bool:
        """Whether nothing blocks a replay."""
        return self.memory.reasoning.viable

    @property
    def blockers(self) -> tuple[str, ...]:
        """What blocks a replay."""
        return self.memory.reasoning.blockers
