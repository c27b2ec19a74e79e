"""What the Lab shows: one step against one picture, decided anew from what was seen as the thresholds move. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Final

from echostudio.episode.memory import Memory
from echostudio.episode.verdict import CropMatch, ReaimResult
from echostudio.operations.lab import Flip, Past, StoredScreen, flipped
from echostudio.operations.lab_search import Heat
from echostudio.reaim.lab import Redecided, decide_again
from echostudio.settings import OWN_THRESHOLDS, ReaimSettings
from echostudio.studio.wording import count, parse

CROP_WORDS: Final = {
    "target": "target",
    "context": "context",
    "wide_context": "wide",
    "widened": "widened",
}
VARIANT_WORDS: Final = {"approach": "before the pointer came", "before": "just before the input"}
KIND_WORDS: Final = {
    "recorded": "as recorded",
    "approach": "pointer away",
    "live": "live desktop",
    "file": "picture file",
    "pasted": "pasted picture",
}
MARGIN_FULL: Final = 0.3
CropKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Source:
    """One picture that can be looked at. ``name`` is a display or a file where it is not a stored one."""

    kind: str
    name: str = ""
    stored: StoredScreen | None = None

    @property
    def key(self) -> str:
        """Tells it from every other picture of the step."""
        stored = self.stored
        return f"{self.kind} {self.name}" if stored is None else f"{self.kind} {stored.run} {stored.picture.digest}"

    @property
    def title(self) -> str:
        """What it is: when the replay was, or where the picture comes from."""
        if self.kind == "replay" and self.stored is not None:
            return moment(self.stored.at)
        return KIND_WORDS[self.kind]

    @property
    def under(self) -> str:
        """Its size, or its name."""
        if self.stored is None:
            return self.name
        picture = self.stored.picture
        return f"{picture.width}×{picture.height}"

    @property
    def accepted(self) -> bool | None:
        """What a replay decided on it; None when no replay did."""
        result = self.stored.result if self.stored else None
        return result.accepted if result else None

    @property
    def words(self) -> str:
        """Name it in the header."""
        kind = f"replay of {self.title}" if self.kind == "replay" else self.title
        return f"{kind} {self.name}".strip()


@dataclass(frozen=True, slots=True)
class Gauge:
    """A measured value against what is needed; ``full`` is the value at the right end of its bar."""

    name: str
    value: float
    needed: float
    full: float = 1.0


@dataclass(frozen=True, slots=True)
class CropRow:
    """One crop in the table; ``note`` says in a word how it fared under the present thresholds."""

    key: CropKey
    name: str
    size: int
    match: CropMatch
    passed: bool
    note: str
    decided: bool
    decides: bool


@dataclass(frozen=True, slots=True)
class PastRow:
    """One stored decision of the shown step, and whether the present thresholds would turn it round."""

    past: Past
    words: str
    figures: str
    accepted: bool
    flip: Flip | None


@dataclass(frozen=True)
class LabState:
    """Everything the page shows; a change makes a new one.

    ``base`` are the thresholds in force for this memory, ``policy`` those of the sliders, ``searched`` those of the
    last search. ``note`` says why there is no result where nothing is looked for any more.
    """

    memory: Memory | None = None
    step: int = 0
    role: str = ""
    base: ReaimSettings = field(default_factory=ReaimSettings)
    policy: ReaimSettings = field(default_factory=ReaimSettings)
    searched: ReaimSettings = field(default_factory=ReaimSettings)
    general: ReaimSettings = field(default_factory=ReaimSettings)
    sources: tuple[Source, ...] = ()
    source: Source | None = None
    size: tuple[int, int] | None = None
    result: ReaimResult | None = None
    crops: tuple[CropMatch, ...] = ()
    chosen: CropKey | None = None
    heats: tuple[Heat, ...] = ()
    past: tuple[Past, ...] = ()
    first_ms: float = 0.0
    note: str = ""

    def on(self, source: Source, size: tuple[int, int] | None = None) -> LabState:
        """Return the state before anything was seen on another picture; pictures that are not stored are added."""
        known = any(one.key == source.key for one in self.sources)
        sources = self.sources if known else (*self.sources, source)
        fresh = replace(self, source=source, sources=sources, size=size, result=None, crops=(), chosen=None)
        return replace(fresh, heats=(), first_ms=0.0, note="")

    def found(self, result: ReaimResult, policy: ReaimSettings, ms: float) -> LabState:
        """Return the state with what a search decided, and the crop that decided chosen."""
        return replace(self, result=result, searched=policy, crops=result.crops, chosen=None, heats=(), first_ms=ms)

    def with_thresholds(self, **values: float) -> LabState:
        """Return the state under other thresholds; nothing is searched."""
        return replace(self, policy=self.policy.model_copy(update=values))

    @property
    def position(self) -> int:
        """Which of the sources is looked at, -1 for none."""
        key = self.source.key if self.source else ""
        return next((place for place, one in enumerate(self.sources) if one.key == key), -1)

    @property
    def words(self) -> str:
        """The step as people read it."""
        return self.memory.program[self.step].words if self.memory else ""

    @property
    def steps(self) -> tuple[tuple[int, str, str], ...]:
        """Index, role and words of every target of the memory."""
        program = self.memory.program if self.memory else ()
        return tuple(
            (step.index, role, step.words + (f" · {role}" if len(step.targets) > 1 else ""))
            for step in program
            for role in step.targets
        )

    @property
    def changed(self) -> bool:
        """Whether the sliders stand elsewhere than the thresholds in force."""
        return any(getattr(self.policy, name) != getattr(self.base, name) for name in OWN_THRESHOLDS)

    @property
    def moved_words(self) -> str:
        """Which thresholds were moved, from where to where."""
        names = {"eta_match": "score", "eta_margin": "margin", "target_check": "target check"}
        pairs = {words: (getattr(self.base, name), getattr(self.policy, name)) for name, words in names.items()}
        return ", ".join(f"{words} {was:g} → {now:g}" for words, (was, now) in pairs.items() if was != now)

    @cached_property
    def verdict(self) -> Redecided | None:
        """The decision under the thresholds of the sliders."""
        if self.result is None:
            return None
        if self.policy == self.searched:
            return Redecided(self.result, True)
        return decide_again(self.result, self.policy, self.searched)

    @property
    def shown_key(self) -> CropKey | None:
        """Which crop's map, curve and boxes are shown: the chosen one, else the one that decided."""
        if self.chosen is not None:
            return self.chosen
        decided = self.verdict.result if self.verdict else None
        if decided is not None and decided.crop:
            return decided.crop, decided.variant
        return (self.crops[0].kind, self.crops[0].variant) if self.crops else None

    @property
    def shown(self) -> CropMatch | None:
        """What the shown crop saw."""
        return next((one for one in self.crops if (one.kind, one.variant) == self.shown_key), None)

    @property
    def heat(self) -> Heat | None:
        """The score map of the shown crop, once it is made."""
        return next((one for one in self.heats if (one.kind.value, one.variant.value) == self.shown_key), None)

    @property
    def gauges(self) -> tuple[Gauge, ...]:
        """Margin, score and target check of the shown crop against the thresholds of the sliders."""
        seen, policy = self.shown, self.policy
        if seen is None:
            return ()
        gauges = [
            Gauge("Margin", seen.margin, policy.eta_margin, MARGIN_FULL),
            Gauge("Score", seen.best, policy.eta_match),
        ]
        if seen.check is not None:
            gauges.append(Gauge("Target check", seen.check, policy.target_check))
        return tuple(gauges)

    @property
    def rows(self) -> tuple[CropRow, ...]:
        """The crops as the table lists them."""
        decided = self.verdict.result if self.verdict else None
        rows = []
        for one in self.crops:
            fault = _fault(one, self.policy)
            is_decided = decided is not None and (one.kind, one.variant) == (decided.crop, decided.variant)
            note = fault or ("decides" if is_decided and decided is not None and decided.accepted else "")
            key = (one.kind, one.variant)
            rows.append(
                CropRow(
                    key, CROP_WORDS[one.kind], self._edge(key), one, not fault, note, is_decided, one.kind != "target"
                )
            )
        return tuple(rows)

    @cached_property
    def flips(self) -> tuple[Flip, ...]:
        """The stored decisions, of all steps, that the thresholds of the sliders would turn round."""
        return flipped(self.past, self.policy, self.base) if self.changed else ()

    @property
    def past_rows(self) -> tuple[PastRow, ...]:
        """The stored decisions about the shown step, newest first."""
        flips = {(flip.past.run, flip.past.step, flip.past.role): flip for flip in self.flips}
        return tuple(
            PastRow(
                one,
                f"{moment(one.at)}" + (f" · {one.picture.width}×{one.picture.height}" if one.picture else ""),
                f"{one.result.best:.3f} / {one.result.margin:.3f}",
                one.result.accepted,
                flips.get((one.run, one.step, one.role)),
            )
            for one in self.past
            if one.step == self.step and one.role == self.role
        )

    @property
    def flip_words(self) -> str:
        """How many stored decisions would turn round, here and in other steps."""
        here = sum(1 for flip in self.flips if flip.step == self.step and flip.past.role == self.role)
        others = len(self.flips) - here
        if not self.past:
            return "No replay of this memory is stored yet."
        if not self.changed:
            return "Move a threshold to see which of these would turn round."
        told = "None of them would turn round." if not here else f"{count(here, 'decision')} would turn round."
        return told + (f" In other steps: {others}." if others else "")

    def _edge(self, key: CropKey) -> int:
        target = self.memory.program[self.step].targets.get(self.role) if self.memory else None
        crops = target.crops if target else ()
        return next((one.box.width for one in crops if (one.kind.value, one.variant.value) == key), 0)


def headline(state: LabState) -> tuple[bool, str]:
    """Return whether the target is accepted now, and the words for it."""
    verdict = state.verdict
    if verdict is None:
        return False, state.note or ("Looking…" if state.source else "")
    result = verdict.result
    if result.accepted:
        name = CROP_WORDS.get(result.crop, result.crop)
        return True, f"Accepted by {name}" + (" under these thresholds" if _turned(state) else "")
    weak = result.condition == "target_check" and result.check is None
    kind = {
        "score": "not found",
        "margin": "ambiguous",
        "target_check": "only its element could tell it" if weak else "the target itself differs",
        "colour": "the colours differ",
        "element": "another element",
        "blank": "blank screen",
        "too_small": "screen too small",
    }.get(result.condition, result.condition)
    return False, f"Refused: {kind}" + (" under these thresholds" if _turned(state) else "")


def moment(at: str, now: datetime | None = None) -> str:
    """Return a stored time with its weekday, or its day when that is a week or more ago."""
    parsed = parse(at)
    if parsed is None:
        return "–"
    local = parsed.astimezone()
    days = ((now or datetime.now(UTC)).astimezone().date() - local.date()).days
    return f"{local:%a %H:%M}" if days < 7 else f"{local.day} {local:%b %H:%M}"


def reference(ref: str) -> tuple[str, int, str]:
    """Split ``MEMORY:STEP[:FILE]`` (``run=ID`` instead of a file names a replay); a missing step is 0."""
    memory, _, rest = ref.partition(":")
    step, _, source = rest.partition(":")
    return memory, int(step) if step.isdecimal() else 0, source


def first_source(sources: Sequence[Source], wanted: str) -> Source | None:
    """Return the picture that is shown first: that of the wanted replay, else the recorded one."""
    run = wanted.removeprefix("run=")
    of_run = (one for one in sources if one.stored is not None and one.stored.run and one.stored.run == run)
    return next(of_run, sources[0] if sources else None)


def _turned(state: LabState) -> bool:
    verdict = state.verdict
    return verdict is not None and state.result is not None and verdict.result.accepted != state.result.accepted


def _fault(one: CropMatch, policy: ReaimSettings) -> str:
    if one.best < policy.eta_match:
        return "too low"
    if one.margin < policy.eta_margin:
        return "twin"
    if one.check is not None and one.check < policy.target_check:
        return "target differs"
    return ""
