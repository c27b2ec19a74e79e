"""A step: an action that happened, with what was seen before and after."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from echostudio.episode.action import Action
from echostudio.episode.evidence import Effect, ScreenFacts, TargetEvidence
from echostudio.episode.frame import PictureRef


class StepStatus(StrEnum):
    """How a step ended; ``unfinished`` has a before line and no after line (a crash in between)."""

    DONE = "done"
    FAILED = "failed"
    BLOCKED = "blocked"
    REFUSED = "refused"
    UNFINISHED = "unfinished"


UNDONE = "undone while recording"


@dataclass(frozen=True, slots=True)
class Step:
    """An action that happened.

    ``index`` counts from 0 in its run. ``started`` and ``ended`` are monotonic offsets in seconds from the run's
    start; ``at`` is UTC ISO-8601. ``targets`` maps ``target`` (click, scroll, hover) or ``from`` / ``to`` (drag)
    to the evidence. ``words`` is the sentence people read: ``Click “Save”``. ``trace`` keeps raw key times and
    deltas as ``(offset, text)`` pairs. ``before_age_ms`` is how old the before frame was at the first input.
    ``note`` holds remarks, separated by ``; ``.
    """

    index: int
    id: str
    action: Action
    words: str
    at: str
    started: float
    ended: float | None = None
    status: StepStatus = StepStatus.UNFINISHED
    error: str = ""
    before: PictureRef | None = None
    after: PictureRef | None = None
    screen_before: ScreenFacts | None = None
    screen_after: ScreenFacts | None = None
    targets: dict[str, TargetEvidence] = field(default_factory=dict)
    effect: Effect | None = None
    trace: tuple[tuple[float, str], ...] = ()
    before_age_ms: float | None = None
    settled_ms: float | None = None
    note: str = ""

    @property
    def undone(self) -> bool:
        """Whether the person took the step out of the demonstration while recording; it did happen."""
        return UNDONE in self.note.split("; ")
