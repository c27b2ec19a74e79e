"""What the Timeline shows, from a memory, a run folder, or live events: one model, whichever way it came."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from echostudio.episode.action import Action, ActionKind
from echostudio.episode.evidence import Effect, ScreenFacts, TargetEvidence
from echostudio.episode.field import Field
from echostudio.episode.frame import PictureRef
from echostudio.episode.happening import RunFinished, RunStarted, StepRecorded
from echostudio.episode.memory import DroppedStep, Memory, MemoryStep
from echostudio.episode.run import Health, Manifest, Run, RunSource
from echostudio.episode.step import Step, StepStatus

GAP_SECONDS: Final = 3.0
MODES: Final = ("before", "action", "after", "side", "difference")


@dataclass(frozen=True, slots=True)
class TimelineStep:
    """One step as it is shown.

    ``index`` counts in the kept program (None for a dropped step and for steps of a run), ``run_step`` in the run.
    A memory tells the ``pause`` since the step before; a run tells when the step ``started`` and how long it ``took``
    (all in seconds).
    """

    run_step: int
    words: str
    kind: str
    index: int | None = None
    reason: str = ""
    status: StepStatus = StepStatus.DONE
    error: str = ""
    action: Action | None = None
    before: PictureRef | None = None
    after: PictureRef | None = None
    targets: tuple[tuple[str, TargetEvidence], ...] = ()
    effect: Effect | None = None
    screen: ScreenFacts | None = None
    screen_after: ScreenFacts | None = None
    fields: tuple[tuple[str, str], ...] = ()
    pause: float = 0.0
    started: float | None = None
    took: float | None = None
    before_age_ms: float | None = None
    settled_ms: float | None = None
    risky: bool = False

    @property
    def dropped(self) -> bool:
        """Whether the step is not part of the program."""
        return bool(self.reason)

    @property
    def margin(self) -> float | None:
        """The smallest self-test margin of its targets."""
        margins = [target.self_test.margin for _, target in self.targets if target.self_test is not None]
        return min(margins, default=None)

    def field_at(self, path: str) -> str:
        """Return the name of the field that fills a parameter, or nothing."""
        return next((name for place, name in self.fields if place == path), "")


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a timeline tells of its run; known alike from the folder and from events."""

    id: str
    intent: str
    source: RunSource
    actor: str
    started: str
    complete: bool = False
    live: bool = True
    health: Health = Health()

    @classmethod
    def of(cls, manifest: Manifest) -> RunFacts:
        """Take them from a manifest."""
        live = manifest.ended is None and not manifest.complete
        return cls(
            manifest.id,
            manifest.intent,
            manifest.source,
            manifest.actor,
            manifest.started,
            manifest.complete,
            live,
            manifest.health,
        )


@dataclass(frozen=True)
class TimelineState:
    """A whole timeline: of a memory (``memory`` is set) or of a run (``run`` is set)."""

    steps: tuple[TimelineStep, ...] = ()
    memory: Memory | None = None
    run: RunFacts | None = None

    @property
    def title(self) -> str:
        """What it is about."""
        if self.memory is not None:
            return self.memory.intent
        return self.run.intent if self.run else ""

    @property
    def place(self) -> tuple[str, str]:
        """Which store holds the pictures: (``library``, ``""``) or (``run``, its id)."""
        return ("run", self.run.id) if self.memory is None and self.run else ("library", "")

    @property
    def kept(self) -> int:
        """How many steps are part of the program."""
        return sum(not step.dropped for step in self.steps)

    def clamped(self, position: int) -> int:
        """Return the nearest position that exists."""
        return max(0, min(len(self.steps) - 1, position))

    def apply(self, event: object) -> TimelineState:
        """Follow a run while it is recorded; events of other runs and other kinds change nothing."""
        if isinstance(event, RunStarted):
            return TimelineState(run=RunFacts.of(event.manifest))
        if self.run is None or self.memory is not None:
            return self
        if isinstance(event, StepRecorded) and event.run == self.run.id:
            return replace(self, steps=_with_step(self.steps, event.step))
        if isinstance(event, RunFinished) and event.run == self.run.id:
            ended = replace(self.run, complete=event.complete, health=event.health, live=False)
            return replace(self, run=ended)
        return self


def of_run(run: Run) -> TimelineState:
    """Show a run as read from its folder."""
    steps: tuple[TimelineStep, ...] = ()
    for step in run.steps:
        steps = _with_step(steps, step)
    return TimelineState(steps, run=RunFacts.of(run.manifest))


def of_memory(memory: Memory) -> TimelineState:
    """Show a memory: its program and, in their places, the steps that were dropped."""
    fields = _field_places(memory.fields)
    steps = [_of_memory_step(step, fields) for step in memory.program]
    steps += [_of_dropped(drop) for drop in memory.reasoning.dropped]
    return TimelineState(tuple(sorted(steps, key=lambda step: step.run_step)), memory=memory)


def _with_step(steps: tuple[TimelineStep, ...], step: Step) -> tuple[TimelineStep, ...]:
    """Put a recorded step in its place: new at the end, or over its own before line; pauses follow."""
    others = [(one.run_step, one) for one in steps if one.run_step != step.index]
    merged = sorted([*others, (step.index, _of_step(step))], key=lambda pair: pair[0])
    return tuple(one for _, one in merged)


def _of_step(step: Step) -> TimelineStep:
    return TimelineStep(
        run_step=step.index,
        words=step.words,
        kind=step.action.kind.value,
        status=step.status,
        error=step.error or step.note,
        action=step.action,
        before=step.before,
        after=step.after,
        targets=tuple(step.targets.items()),
        effect=step.effect,
        screen=step.screen_before,
        screen_after=step.screen_after,
        started=step.started,
        took=None if step.ended is None else round(step.ended - step.started, 3),
        before_age_ms=step.before_age_ms,
        settled_ms=step.settled_ms,
    )


def _of_memory_step(step: MemoryStep, fields: dict[int, tuple[tuple[str, str], ...]]) -> TimelineStep:
    return TimelineStep(
        run_step=step.run_step,
        words=step.words,
        kind=step.action.kind.value,
        index=step.index,
        action=step.action,
        before=step.before,
        after=step.after,
        targets=tuple(step.targets.items()),
        effect=step.effect,
        screen=step.screen,
        screen_after=step.screen_after,
        fields=fields.get(step.index, ()),
        pause=step.seconds,
        risky=step.risky,
    )


def _of_dropped(drop: DroppedStep) -> TimelineStep:
    return TimelineStep(run_step=drop.run_step, words=drop.words, kind=drop.kind, reason=drop.reason or "dropped")


def _field_places(fields: Iterable[Field]) -> dict[int, tuple[tuple[str, str], ...]]:
    places: dict[int, tuple[tuple[str, str], ...]] = {}
    for field in fields:
        for binding in field.bindings:
            known = places.get(binding.action_index, ())
            places[binding.action_index] = (*known, (binding.path, field.name))
    return places


def gaps(state: TimelineState) -> tuple[float, ...]:
    """Return the pause before each step in seconds: as recorded in a memory, from the start times in a run."""
    if state.memory is not None:
        return tuple(step.pause for step in state.steps)
    found: list[float] = []
    end = 0.0
    for place, step in enumerate(state.steps):
        started = step.started or 0.0
        found.append(max(0.0, started - end) if place else 0.0)
        end = started + (step.took or 0.0)
    return tuple(found)


def flexible_paths(action: Action) -> tuple[str, ...]:
    """Return the parameters that may sensibly become a field: text, words of a target, command, window, time."""
    wanted = {
        ActionKind.TYPE: ("text",),
        ActionKind.LAUNCH: ("command",),
        ActionKind.FOCUS: ("window",),
        ActionKind.WAIT: ("seconds",),
    }
    words = ("target.text", "from.text", "to.text")
    return wanted.get(action.kind, ()) + tuple(path for path in words if action.parameters.get(path))


def effect_sentences(step: TimelineStep) -> tuple[str, ...]:
    """Return what a step did, in sentences."""
    effect = step.effect
    if step.dropped:
        return (f"Not part of the program: {step.reason}.",)
    if effect is None:
        return ("What it did was not recorded.",)
    if not effect.any:
        return ("Nothing lasting changed on the screen.",)
    said = []
    if effect.changed_pixels:
        areas = f" in {len(effect.boxes)} areas" if len(effect.boxes) > 1 else ""
        said.append(f"{effect.changed_pixels:,} pixels changed{areas}.".replace(",", "\u202f"))
    if effect.window_changed:
        said.append("Another window came to the front.")
    if effect.title_after:
        said.append(f"The title is “{effect.title_after}” afterwards.")
    if effect.focus_changed:
        said.append("The keyboard focus moved.")
    return tuple(said)


def suggested_name(step: TimelineStep, path: str, taken: Iterable[str]) -> str:
    """Return a free field name made from the step's words."""
    target = next((evidence for _, evidence in step.targets), None)
    words = target.element.name if target and target.element else step.kind
    base = "".join(letter if letter.isalnum() else "_" for letter in words.lower()).strip("_") or path.split(".")[0]
    base = {"type": "text"}.get(base, base)[:24]
    names = set(taken)
    return next(name for name in (base, *(f"{base}_{number}" for number in range(2, 1000))) if name not in names)
