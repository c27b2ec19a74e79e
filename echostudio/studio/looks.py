"""How each status looks: an icon, a word and a colour token, so that none is told by colour alone. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.step import StepStatus
from echostudio.episode.verdict import Outcome, Verdict


@dataclass(frozen=True, slots=True)
class Look:
    """An icon of the family, a word people read, and the token of its colour."""

    icon: str
    word: str
    token: str


STATES: Final[dict[LifecycleState, Look]] = {
    LifecycleState.CANDIDATE: Look("circle-half-fill", "candidate", "refused"),
    LifecycleState.ACTIVE: Look("check-circle-fill", "active", "accepted"),
    LifecycleState.QUARANTINED: Look("warning-fill", "quarantined", "failed"),
    LifecycleState.DEPRECATED: Look("archive-fill", "deprecated", "skipped"),
}

VERDICTS: Final[dict[Verdict, Look]] = {
    Verdict.ACCEPTED: Look("check-bold", "accepted", "accepted"),
    Verdict.REFUSED: Look("warning-fill", "refused", "refused"),
    Verdict.UNKNOWN: Look("question-bold", "unknown", "muted"),
    Verdict.WAIVED: Look("arrow-bend-double-up-right-bold", "waived", "changed"),
}

OUTCOMES: Final[dict[Outcome, Look]] = {
    Outcome.VERIFIED: Look("check-circle-fill", "verified", "accepted"),
    Outcome.COMPLETED_UNVERIFIED: Look("question-fill", "completed, not verified", "refused"),
    Outcome.REFUSED: Look("warning-fill", "refused", "refused"),
    Outcome.BROKEN: Look("x-circle-fill", "broken", "failed"),
    Outcome.STOPPED: Look("stop-fill", "stopped", "skipped"),
}

STEP_STATUSES: Final[dict[StepStatus, Look]] = {
    StepStatus.DONE: Look("check-bold", "done", "accepted"),
    StepStatus.FAILED: Look("x-bold", "failed", "failed"),
    StepStatus.BLOCKED: Look("prohibit-bold", "blocked", "failed"),
    StepStatus.REFUSED: Look("warning-fill", "refused", "refused"),
    StepStatus.UNFINISHED: Look("circle-dashed-bold", "unfinished", "skipped"),
}

REPLAY_STEPS: Final[dict[str, Look]] = {
    "pending": Look("circle", "pending", "faint"),
    "running": Look("caret-circle-right-fill", "running", "accent"),
    "done": Look("check-bold", "done", "accepted"),
    "refused": Look("warning-fill", "refused", "refused"),
    "broken": Look("x-circle-fill", "broken", "failed"),
    "skipped": Look("arrow-bend-double-up-right-bold", "skipped", "skipped"),
    "stopped": Look("stop-fill", "stopped", "skipped"),
}

CHECKS: Final[dict[bool | None, Look]] = {
    True: Look("check-circle-fill", "passed", "accepted"),
    False: Look("x-circle-fill", "not passed", "failed"),
    None: Look("question-fill", "cannot be judged", "refused"),
}

FLEXIBLE: Final = Look("diamond-fill", "flexible", "field")
CHANGED: Final = Look("diamond-fill", "changed in this run", "changed")
FIXED: Final = Look("lock-simple", "fixed", "muted")
