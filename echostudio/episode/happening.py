"""Events that carry nouns: what happens while something is recorded or replayed."""

from __future__ import annotations

from dataclasses import dataclass

from echostudio.episode.check import CheckResult
from echostudio.episode.report import ReplayReport, StepReport
from echostudio.episode.run import Health, Manifest
from echostudio.episode.step import Step
from echostudio.episode.verdict import GateVerdict, ReaimResult


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run folder was opened."""

    manifest: Manifest
    path: str


@dataclass(frozen=True, slots=True)
class StepRecorded:
    """A step's before line (``step.status`` unfinished) or after line is on disk."""

    run: str
    step: Step


@dataclass(frozen=True, slots=True)
class HealthChanged:
    """How a recording does, told at most twice a second.

    ``state`` is ``recording paused private ignoring``; ``megabytes`` the size of the run folder so far, ``cap`` the
    size at which the recording stops (0 = never).
    """

    run: str
    health: Health
    state: str
    megabytes: float
    cap: int


@dataclass(frozen=True, slots=True)
class RunFinished:
    """A run folder was closed."""

    run: str
    complete: bool
    health: Health


@dataclass(frozen=True, slots=True)
class GateJudged:
    """One gate of a replay or a search was judged."""

    memory: str
    verdict: GateVerdict


@dataclass(frozen=True, slots=True)
class ReplayStepStarted:
    """A replay turned to its next step; ``waiting`` says what it waits for."""

    memory: str
    index: int
    words: str
    waiting: str = ""


@dataclass(frozen=True, slots=True)
class TargetMatched:
    """A replay looked for a target; ``picture`` is the digest of the searched frame when it is already stored."""

    memory: str
    index: int
    role: str
    result: ReaimResult
    picture: str | None = None


@dataclass(frozen=True, slots=True)
class ReplayStepFinished:
    """A replay finished a step, or refused it."""

    memory: str
    step: StepReport


@dataclass(frozen=True, slots=True)
class ReplayPaused:
    """A replay waits for the person: why, and before which step."""

    memory: str
    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class ReplayResumed:
    """A paused replay goes on."""

    memory: str


@dataclass(frozen=True, slots=True)
class ChecksJudged:
    """The checks ran."""

    memory: str
    results: tuple[CheckResult, ...]


@dataclass(frozen=True, slots=True)
class ReplayFinished:
    """A replay ended."""

    report: ReplayReport
