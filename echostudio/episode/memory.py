"""A memory: a program with evidence. Values only; revisions never change in place."""

from __future__ import annotations

from dataclasses import dataclass, field

from echostudio.episode.action import Action
from echostudio.episode.check import Check, CheckResult
from echostudio.episode.evidence import Effect, ScreenFacts, TargetEvidence
from echostudio.episode.field import Field
from echostudio.episode.frame import PictureRef
from echostudio.episode.lifecycle import LifecycleState


@dataclass(frozen=True, slots=True)
class AppIdentity:
    """Which program: its file name and window class, the stable part of its titles, and the recorded command."""

    program: str
    window_class: str
    title_part: str = ""
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryStep:
    """One kept step. ``index`` counts in this program from 0, ``run_step`` in the recorded run.

    ``seconds`` is how long the person took from the step before; ``optional`` steps may be skipped.
    """

    index: int
    run_step: int
    action: Action
    words: str
    before: PictureRef | None = None
    after: PictureRef | None = None
    screen: ScreenFacts | None = None
    screen_after: ScreenFacts | None = None
    targets: dict[str, TargetEvidence] = field(default_factory=dict)
    effect: Effect | None = None
    seconds: float = 0.0
    risky: bool = False
    optional: bool = False
    key_interval_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Preconditions:
    """What the screen was when the program began."""

    start: ScreenFacts | None = None
    expected_title: str = ""


@dataclass(frozen=True, slots=True)
class DroppedStep:
    """A recorded step that is not part of the program, and why."""

    run_step: int
    words: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """The report of consolidation: can this be replayed, what speaks against it, what was dropped."""

    viable: bool
    blockers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    dropped: tuple[DroppedStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Validation:
    """The checks' results on the demonstration's own artifact, when they were last run."""

    at: str = ""
    results: tuple[CheckResult, ...] = ()

    @property
    def positive(self) -> bool:
        """Whether at least one check was run and all passed."""
        return bool(self.results) and all(result.passed for result in self.results)


@dataclass(frozen=True, slots=True)
class Memory:
    """One revision of a memory: the paper's tuple.

    ``policy`` holds the re-aim thresholds that this memory has of its own, by their names in the settings; the
    settings give all others.
    """

    id: str
    revision: int
    intent: str
    app: AppIdentity
    preconditions: Preconditions
    program: tuple[MemoryStep, ...]
    reasoning: Reasoning
    state: LifecycleState = LifecycleState.CANDIDATE
    fields: tuple[Field, ...] = ()
    checks: tuple[Check, ...] = ()
    validation: Validation = field(default_factory=Validation)
    phrases: tuple[str, ...] = ()
    source_run: str = ""
    created: str = ""
    desktop_kind: str = ""
    policy: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """The light row by which a library lists and searches memories."""

    id: str
    revision: int
    intent: str
    app: str
    state: LifecycleState
    steps: int
    fields: tuple[str, ...]
    checks: int
    created: str
    updated: str
    replays: int
    refused: int
    verified: int
    thumbnail: str | None
    phrases: tuple[str, ...] = ()
    recorded_values: tuple[str, ...] = ()
