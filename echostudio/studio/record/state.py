"""What the Record page shows: built from live events, or from the run folder; the same either way. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from echostudio.episode.action import ActionKind
from echostudio.episode.evidence import SelfTest
from echostudio.episode.happening import HealthChanged, RunFinished, RunStarted, StepRecorded
from echostudio.episode.run import Health, Manifest, Run
from echostudio.episode.step import Step, StepStatus
from echostudio.studio.looks import FLEXIBLE, STEP_STATUSES, Look
from echostudio.studio.wording import count, seconds

WARNED_STEPS: Final = 4
_TWIN_MARGIN: Final = 0.02
_AGE_GOOD_MS: Final = 120.0
SECRET: Final = Look("lock-simple", "secret, not stored", "muted")
WITHHELD: Final = Look("lock-simple", "text not stored", "refused")
UNIQUE: Final = Look("check-bold", "unique", "accepted")
WEAK: Final = Look("warning-fill", "weak target", "refused")
UNTESTED: Final = Look("hourglass", "is being tested", "faint")
PLAIN: Final = Look("", "", "muted")
UNDONE: Final = Look("arrow-u-up-left", "undone: not part of the work", "muted")
_MEGA: Final = 1_000_000


class Phase(StrEnum):
    """Where a recording stands."""

    IDLE = "idle"
    COUNTDOWN = "countdown"
    STARTING = "starting"
    RECORDING = "recording"
    STOPPING = "stopping"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class LiveStep:
    """One step as it is shown while it happens; ``says`` tells in words and colour how well it could be found again."""

    index: int
    words: str
    kind: ActionKind
    status: StepStatus
    picture: str | None
    says: Look
    margin: float | None = None
    warning: str = ""
    undone: bool = False

    @property
    def number(self) -> int:
        """The number that people read, from 1."""
        return self.index + 1


@dataclass(frozen=True)
class RecordState:
    """A recording: not begun, under way, or over."""

    phase: Phase = Phase.IDLE
    run: str = ""
    intent: str = ""
    desktop: str = ""
    screen: str = ""
    started: str = ""
    steps: tuple[LiveStep, ...] = ()
    health: Health = Health()
    complete: bool = False
    mode: str = "recording"
    bytes: int = 0
    cap: int = 0

    @property
    def busy(self) -> bool:
        """Whether it is under way, from the countdown to the last line on disk."""
        return self.phase not in (Phase.IDLE, Phase.DONE)

    @property
    def done_steps(self) -> int:
        """How many steps are complete on disk."""
        return sum(step.status is not StepStatus.UNFINISHED for step in self.steps)

    @property
    def last(self) -> LiveStep | None:
        """The newest step that is part of the demonstration."""
        return next((step for step in reversed(self.steps) if not step.undone), None)

    @property
    def warned(self) -> LiveStep | None:
        """The newest of the last steps that should be done better while its screen is still there."""
        return next((step for step in reversed(self.steps[-WARNED_STEPS:]) if step.warning), None)

    def at(self, phase: Phase) -> RecordState:
        """Move on to another phase."""
        return replace(self, phase=phase)

    def apply(self, event: object) -> RecordState:
        """Follow the events of this recording; others change nothing."""
        match event:
            case RunStarted(manifest=manifest) if self.phase is Phase.STARTING:
                return replace(_of_manifest(manifest), phase=Phase.RECORDING)
            case StepRecorded(run=run, step=step) if run == self.run:
                return replace(self, steps=_with_step(self.steps, step))
            case HealthChanged(run=run) if run == self.run:
                size = round(event.megabytes * _MEGA)
                return replace(self, health=event.health, mode=event.state, bytes=size, cap=event.cap * _MEGA)
            case RunFinished(run=run, complete=complete, health=health) if run == self.run:
                return replace(self, phase=Phase.DONE, complete=complete, health=health, mode="recording")
        return self

    def with_health(self, health: Health, size: int | None = None) -> RecordState:
        """Take newer counts, and how much is on disk."""
        return replace(self, health=health, bytes=self.bytes if size is None else size)


_STATES: Final = {
    "recording": Look("record-fill", "recording", "failed"),
    "paused": Look("pause-circle-fill", "paused", "refused"),
    "private": Look("eye-slash-fill", "private: nothing is kept", "field"),
    "ignoring": Look("hand-palm", "your input is ignored", "refused"),
}
_WAITS: Final = {
    Phase.COUNTDOWN: Look("timer", "begins in a moment", "refused"),
    Phase.STARTING: Look("hourglass", "proving its sources", "muted"),
    Phase.STOPPING: Look("hourglass", "writing the last step", "muted"),
}


def standing(state: RecordState, mode: str, spent: float) -> Look | None:
    """Return how a recording stands: its ``mode`` and running time, or what it waits for; None while there is none."""
    if state.phase is not Phase.RECORDING:
        return _WAITS.get(state.phase)
    look = _STATES[mode]
    return Look(look.icon, f"{look.word} {clock(spent)}", look.token)


def of_run(run: Run) -> RecordState:
    """Show a recording as read from its folder."""
    manifest = run.manifest
    state = replace(_of_manifest(manifest), phase=Phase.DONE, complete=manifest.complete, health=manifest.health)
    for step in run.steps:
        state = replace(state, steps=_with_step(state.steps, step))
    return state


def _of_manifest(manifest: Manifest) -> RecordState:
    screen = manifest.screen
    more = f" · {len(screen.monitors)} monitors" if len(screen.monitors) > 1 else ""
    return RecordState(
        run=manifest.id,
        intent=manifest.intent,
        desktop=manifest.desktop_kind,
        screen=f"{screen.frame_width}×{screen.frame_height}{more}",
        started=manifest.started,
    )


def _with_step(steps: tuple[LiveStep, ...], step: Step) -> tuple[LiveStep, ...]:
    found = {one.index: one for one in steps} | {step.index: live_step(step)}
    return tuple(found[index] for index in sorted(found))


def live_step(step: Step) -> LiveStep:
    """Return a recorded step as it is shown."""
    tests = [target.self_test for target in step.targets.values() if target.self_test is not None]
    weakest = min(tests, key=lambda test: (test.passed, test.margin), default=None)
    says, warning = _judged(step, weakest)
    return LiveStep(
        index=step.index,
        words=step.words,
        kind=step.action.kind,
        status=step.status,
        picture=step.before.digest if step.before else None,
        says=says,
        margin=weakest.margin if weakest is not None else None,
        warning=warning,
        undone=step.undone,
    )


def _judged(step: Step, test: SelfTest | None) -> tuple[Look, str]:
    """Return what the second line says, and the warning where something should be done better."""
    if step.undone:
        return UNDONE, ""
    if step.status is StepStatus.BLOCKED:
        look = STEP_STATUSES[StepStatus.BLOCKED]
        return Look(look.icon, step.error or look.word, look.token), step.error or "It cannot be replayed."
    if test is not None and not test.passed:
        twin = test.margin < _TWIN_MARGIN
        words = f"weak target: unique by only {test.margin:.3f}" if twin else "weak target: too little to tell it by"
        return Look(WEAK.icon, words, WEAK.token), test.sentence or "Its surroundings do not tell it from others."
    if test is not None:
        return Look(UNIQUE.icon, f"unique by {test.margin:.3f}", UNIQUE.token), ""
    if step.status is StepStatus.UNFINISHED:
        return UNTESTED if step.targets else Look(PLAIN.icon, "goes on", "faint"), ""
    if step.action.kind is ActionKind.TYPE:
        return _typed(step)
    if step.targets:
        return Look("", "its target was not tested", "muted"), ""
    return PLAIN, ""


def _typed(step: Step) -> tuple[Look, str]:
    if "secret" in step.note:
        return SECRET, ""
    if "withheld" in step.note:
        return WITHHELD, "Nobody knows what field this went to, so its text was not stored. It can be given at replay."
    return Look(FLEXIBLE.icon, "could be a field", FLEXIBLE.token), ""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the health strip."""

    name: str
    words: str
    good: bool = True
    tip: str = ""


def figures(state: RecordState) -> tuple[Figure, ...]:
    """Return the health strip: what was caught and kept, how fresh the pictures are, what the disk holds."""
    health = state.health
    kept_back = next((note for note in health.notes if "kept off the disk" in note), "")
    lost = health.captured - health.stored - _number(kept_back)
    secrets = sum(step.says in (SECRET, WITHHELD) for step in state.steps)
    age = health.oldest_before_ms
    return (
        Figure("events caught / kept", f"{health.captured} / {health.stored}", lost <= 0, kept_back),
        Figure("reordered", str(health.reordered) if health.reordered else "none"),
        Figure("gaps", str(health.gaps) if health.gaps else "none", health.gaps == 0),
        Figure("oldest before picture", f"{age:.0f} ms" if age else "–", age <= _AGE_GOOD_MS),
        Figure("screen", state.screen or "–"),
        Figure("secrets", count(secrets, "field") + " left out" if secrets else "none seen", True, kept_back),
        Figure("on disk", _disk(state), not state.cap or state.bytes < 0.8 * state.cap),
    )


def _disk(state: RecordState) -> str:
    if not state.bytes:
        return "–"
    return megabytes(state.bytes) + (f" of {state.cap // _MEGA} MB" if state.cap else "")


def megabytes(size: int) -> str:
    """Return a size as people read it."""
    return f"{size / 1_000_000:.1f} MB" if size >= 100_000 else f"{max(1, round(size / 1000))} kB"


def clock(spent: float) -> str:
    """Return a running time: ``01:42``, ``1:01:42``."""
    whole = int(spent)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60:02}:{rest % 60:02}"


def summary(state: RecordState, spent: float) -> tuple[str, str]:
    """Return the head and the sentence of the card that a recording ends with."""
    steps = [step for step in state.steps if not step.undone]
    weak = sum(bool(step.warning) for step in steps)
    head = f"{count(len(steps), 'step')} in {seconds(spent)}" if steps else "Nothing was done"
    if not steps:
        return head, "No click, key or scroll arrived while it recorded."
    lost = "Nothing was lost" if state.health.gaps == 0 else f"{count(state.health.gaps, 'gap')} in the input"
    rest = "each target can be found again" if not weak else f"{count(weak, 'step')} may be hard to find again"
    return head, f"{lost}; {rest}."


def _number(words: str) -> int:
    first = words.split(" ", 1)[0]
    return int(first) if first.isdecimal() else 0
