"""What a replay leaves behind: the gates, each step's verdicts, the checks, the outcome."""

from __future__ import annotations

from dataclasses import dataclass, field

from echostudio.episode.check import CheckResult
from echostudio.episode.frame import PictureRef
from echostudio.episode.verdict import GateVerdict, Outcome, ReaimResult, Refusal, Route


@dataclass(frozen=True, slots=True)
class StepReport:
    """One step of a replay. ``status``: ``pending``, ``done``, ``refused``, ``broken``, ``skipped`` or ``stopped``."""

    index: int
    words: str
    status: str
    route: Route
    reaim: dict[str, ReaimResult] = field(default_factory=dict)
    before: PictureRef | None = None
    after: PictureRef | None = None
    changed_pixels: int = 0
    ms: float = 0.0
    waited_ms: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """A whole replay; ``changed`` maps each field whose value differs from the recorded one to the new value."""

    memory: str
    revision: int
    run: str
    intent: str
    outcome: Outcome
    refusal: Refusal | None
    gates: tuple[GateVerdict, ...]
    steps: tuple[StepReport, ...]
    changed: dict[str, str]
    checks: tuple[CheckResult, ...]
    undo: tuple[str, ...]
    started: str
    seconds: float
    values: dict[str, str] = field(default_factory=dict)
    dry_run: bool = False
    desktop: str = ""
    report: str = ""
