"""Verdicts: gates, refusals, re-aim results, outcomes. A refusal is a value, never an exception."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from echostudio.episode.geometry import FrameBox, FramePoint


class RefusalCode(StrEnum):
    """Why nothing (more) was done; the same thirteen everywhere."""

    NOT_ACTIVE = "not_active"
    NOT_VALIDATED = "not_validated"
    INTENT_MISMATCH = "intent_mismatch"
    APP_MISMATCH = "app_mismatch"
    UNSUPPORTED_ACTION = "unsupported_action"
    UNDECLARED_CHANGE = "undeclared_change"
    INVALID_VALUE = "invalid_value"
    STATE_MISMATCH = "state_mismatch"
    TARGET_NOT_FOUND = "target_not_found"
    TARGET_AMBIGUOUS = "target_ambiguous"
    TARGET_MISMATCH = "target_mismatch"
    NO_EFFECT = "no_effect"
    INPUT_FAILED = "input_failed"

    @property
    def local(self) -> bool:
        """Whether one step can be repaired; everything else is structural."""
        return self.value.startswith("target_")


class GateName(StrEnum):
    """The gates, in the order in which they are judged."""

    LIFECYCLE = "lifecycle"
    TASK_TYPE = "task_type"
    APP = "app"
    VALIDATION = "validation"
    REASONING = "reasoning"
    PRIMITIVES = "primitives"
    INTENT = "intent"
    FIELDS = "fields"
    STATE = "state"


class Verdict(StrEnum):
    """How a gate judged."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    WAIVED = "waived"


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """One judged gate: what was measured, what was needed, and the sentence people read."""

    gate: GateName
    verdict: Verdict
    measured: Any
    needed: Any
    sentence: str
    code: RefusalCode | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a memory stops: code, gate or step, measured against needed, one sentence, and what to do next."""

    code: RefusalCode
    sentence: str
    next: str
    gate: str | None = None
    step: int | None = None
    measured: Any = None
    needed: Any = None


class Outcome(StrEnum):
    """How a replay ended; only ``verified`` is success."""

    VERIFIED = "verified"
    COMPLETED_UNVERIFIED = "completed_unverified"
    REFUSED = "refused"
    BROKEN = "broken"
    STOPPED = "stopped"


class Route(StrEnum):
    """How a step is done: as recorded, with a declared field re-bound, or left to the agent or person."""

    A = "A"
    B = "B"
    C = "C"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One place where a crop matched: score, box in frame pixels, scale."""

    score: float
    box: FrameBox
    scale: float


@dataclass(frozen=True, slots=True)
class CropMatch:
    """What one crop saw: best, best non-overlapping second, top candidates, and whether it passed score and margin."""

    kind: str
    variant: str
    best: float
    second: float
    margin: float
    scale: float
    box: FrameBox | None
    second_box: FrameBox | None
    point: FramePoint | None
    candidates: tuple[Candidate, ...]
    passed: bool
    check: float | None = None
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class ReaimResult:
    """Where a recorded target is in the present frame, or why not.

    ``accepted`` with ``point`` (pixel of the searched frame), or ``code`` (a ``target_`` code) with the failed
    ``condition`` (``score``, ``margin``, ``target_check``, ``colour``, ``element``, ``blank``, ``too_small``) and
    ``shortfall`` (how much it fell short, positive). ``crop``, ``variant``, ``best``, ``second``, ``margin``,
    ``scale`` and boxes are those of the crop that decided, or came nearest. ``check`` is the target check's score.
    ``method`` says what decided: ``pixels`` or ``element``. ``crops`` holds every crop that was looked at.
    """

    accepted: bool
    point: FramePoint | None
    code: RefusalCode | None
    condition: str
    shortfall: float
    sentence: str
    best: float
    second: float
    margin: float
    scale: float
    crop: str
    variant: str
    check: float | None
    box: FrameBox | None
    second_box: FrameBox | None
    method: str
    crops: tuple[CropMatch, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)
