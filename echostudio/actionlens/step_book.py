"""Drafts of actions -> steps on disk: the before line when an action begins, the after line when its screen rests."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from echostudio.actionlens import words
from echostudio.actionlens.drafts import Draft
from echostudio.actionlens.frame_ring import FrameRing, Rest
from echostudio.actionlens.hovers import Hover
from echostudio.actionlens.ledger import Ledger
from echostudio.actionlens.scene import Scene, SceneTaker
from echostudio.actionlens.secrecy import KeyVault, Secrecy
from echostudio.actionlens.watch import Watch
from echostudio.cancel import Clock
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.evidence import ScreenFacts, TargetEvidence
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import FrameBox
from echostudio.episode.step import Step, StepStatus
from echostudio.observer import effects
from echostudio.settings import Settings

_FACTS_SECONDS = 1.5
_BLINK_SECONDS = 1.6
SECRET_NOTE = "secret"
WITHHELD_NOTE = "text withheld: the focused field is unknown"


@dataclass(slots=True)
class _Open:
    """A step whose before line is on disk."""

    step: Step
    draft: Draft
    scene: Scene
    until: float | None = None
    finished: bool = False
    rest: Rest | None = None


Job = Callable[[], None]


class StepBook:
    """Writes the steps of a recording; used by the recorder's thread only, the jobs it makes may run elsewhere.

    ``defer`` takes the slow part of a finished step: self test, effect, picture of the after frame, after line.
    """

    def __init__(
        self,
        run: str,
        ledger: Ledger,
        clock: Clock,
        settings: Settings,
        ring: FrameRing,
        watch: Watch,
        taker: SceneTaker,
        vault: KeyVault,
        defer: Callable[[Job], None],
    ) -> None:
        self._run, self._ledger, self._clock, self._settings = run, ledger, clock, settings
        self._ring, self._watch, self._taker, self._vault = ring, watch, taker, vault
        self._defer = defer
        self._open: dict[int, _Open] = {}
        self._next = 0
        self.origin = clock.now()
        self.oldest_before_ms = 0.0
        self.deadline = float("inf")

    @property
    def hurry(self) -> bool:
        """Whether the recording ends: after ``deadline`` (clock seconds) no further self test begins."""
        return self._clock.now() > self.deadline

    @property
    def waiting(self) -> bool:
        """Whether a step has begun and its after line is not on its way yet."""
        return bool(self._open)

    def started(self, draft: Draft) -> None:
        """Write the before line."""
        if draft.action.kind is ActionKind.TYPE:
            # Asked for what it learns: where the password field is, before a picture of it is stored.
            self._vault.verdict(draft.started, draft.ended)
        scene = self._scene(draft)
        step = Step(
            index=self._next,
            id=self._new_id(),
            action=draft.action,
            words=words.begun(draft.action, scene.targets),
            at=_utc_ago(self._clock.now() - draft.started),
            started=draft.started - self.origin,
            before=scene.picture,
            screen_before=scene.facts,
            targets=scene.targets,
            before_age_ms=scene.age_ms,
            note="" if scene.frame is not None else "no before frame",
        )
        self._next += 1
        self._open[draft.number] = _Open(step, draft, scene)
        self._ledger.before(step)

    def finished(self, draft: Draft, until: float | None) -> None:
        """Note that the action is complete; its after line follows when the screen rests or at ``until``."""
        entry = self._open[draft.number]
        entry.draft, entry.finished = draft, True
        entry.until = until if entry.until is None else entry.until
        if draft.action.kind is ActionKind.DRAG:
            entry.scene = replace(entry.scene, targets=self._taker.targets(entry.scene, draft))
        entry.step = self._final(entry)

    def hovered(self, hover: Hover, until: float) -> None:
        """Write both lines of a hover that opened a menu; it is a proposal that the person may drop."""
        draft = Draft(-1, Action(ActionKind.HOVER, {}), hover.at, hover.at, (("target", hover.point),))
        self.started(draft)
        self.finished(replace(draft, note="proposed: a menu opened while the pointer rested here"), until)
        self.pump(until)

    def next_input(self, at: float) -> None:
        """Say that the person acts again at ``at``: steps that wait for a quiet screen end there at the latest."""
        for entry in self._open.values():
            if entry.finished and entry.until is None and entry.draft.ended < at:
                entry.until = at

    def pump(self, now: float) -> None:
        """Send off every finished step whose after frame is known.

        ``now`` is the clock time up to which all input is known: what is seen later may be another input's doing.
        """
        for number, entry in list(self._open.items()):
            if entry.finished and self._complete(entry, now):
                del self._open[number]
                self._defer(self._job(entry))

    def close(self, at: float | None = None) -> None:
        """Send off every open step with what there was at ``at``, now by default."""
        moment = self._clock.now() if at is None else at
        for entry in self._open.values():
            entry.finished = True
            entry.until = moment if entry.until is None else entry.until
        self.pump(moment)

    def blocked(self, sentence: str, error: str, at: float) -> Step:
        """Write the before line of a time of which nothing is kept; it is blocked from the first line on."""
        step = Step(
            index=self._next,
            id=self._new_id(),
            action=Action(ActionKind.WAIT, {"seconds": 0.0}),
            words=sentence,
            at=_utc_ago(self._clock.now() - at),
            started=at - self.origin,
            status=StepStatus.BLOCKED,
            error=error,
        )
        self._next += 1
        self._ledger.before(step)
        return step

    def unblocked(self, step: Step, sentence: str, at: float) -> None:
        """Write the after line of such a time, which ended at ``at``."""
        ended = at - self.origin
        action = step.action.with_parameter("seconds", round(ended - step.started, 1))
        self._ledger.after(replace(step, action=action, words=sentence, ended=ended))

    def _new_id(self) -> str:
        return f"{self._run}-{self._next:04d}"

    def _scene(self, draft: Draft) -> Scene:
        scene = self._taker.take(draft)
        if scene.age_ms is not None and draft.action.kind is not ActionKind.WAIT:
            self.oldest_before_ms = max(self.oldest_before_ms, scene.age_ms)
        return scene

    def _final(self, entry: _Open) -> Step:
        """Return the step as it is known once its action is complete."""
        draft, targets = entry.draft, entry.scene.targets
        action, trace, note, secret = draft.action, draft.trace, draft.note, False
        if action.kind is ActionKind.TYPE:
            verdict = self._verdict(draft)
            if verdict is not Secrecy.CLEAR:
                secret = True
                action, trace = action.with_parameter("text", ""), ()
                note = SECRET_NOTE if verdict is Secrecy.SECRET else WITHHELD_NOTE
            entry.step = replace(entry.step, screen_before=self._with_focus(entry.step.screen_before, draft))
        return replace(
            entry.step,
            action=action,
            words=words.sentence(action, targets, secret=secret),
            ended=draft.ended - self.origin,
            status=StepStatus.BLOCKED if draft.blocked else StepStatus.DONE,
            error=draft.blocked,
            targets=targets,
            trace=tuple((round(at - self.origin, 4), text) for at, text in trace),
            note="; ".join(part for part in (entry.step.note, note) if part),
        )

    def _with_focus(self, facts: ScreenFacts | None, draft: Draft) -> ScreenFacts | None:
        """Return the facts with the focus as it was before the first key, else as it was seen while keys went down.

        The first key itself may move the focus: in some dialogs a typed slash opens an entry.
        """
        if facts is None:
            return None
        looks = [look.value for look in self._watch.focuses(draft.started, draft.ended) if look.value is not None]
        focus = self._watch.focus_before(draft.started) or (looks[0] if looks else facts.focus)
        return replace(facts, focus=focus)

    def _verdict(self, draft: Draft) -> Secrecy:
        verdict = self._vault.verdict(draft.started, draft.ended)
        if verdict is Secrecy.UNKNOWN and self._watch.await_focus(draft.ended, 0.2):
            verdict = self._vault.verdict(draft.started, draft.ended)
        return verdict

    def _complete(self, entry: _Open, now: float) -> bool:
        """Find the after frame and the facts that go with it."""
        ended = entry.draft.ended
        replay = self._settings.replay
        if entry.until is None and now - ended > replay.settle_timeout_s:
            entry.until = now
        if entry.rest is None:
            entry.rest = self._ring.rest_after(ended, replay.settle_quiet_ms, entry.until, now)
        if entry.rest is None:
            # Until has passed and there is no frame at all: nothing more will come.
            return entry.until is not None and entry.until <= now
        if entry.until is not None or self._facts(entry) is not None:
            return True
        if not self._watch.threaded:
            self._watch.ask_facts()
            return True
        return now - entry.rest.frame.taken > _FACTS_SECONDS

    def _facts(self, entry: _Open) -> ScreenFacts | None:
        """Return a reading of the screen that the after frame shows: begun after its last change."""
        shown = entry.rest.frame.taken if entry.rest is not None else entry.draft.ended
        changed = self._watch.last_disturbance(shown)
        return self._watch.facts_between(max(entry.draft.ended, changed), entry.until)

    def _job(self, entry: _Open) -> Job:
        after = entry.rest.frame if entry.rest is not None else None
        facts = self._facts(entry)
        if facts is None and entry.until is not None:
            facts = self._watch.facts_before(entry.until)
        blinks = self._ring.blinks(entry.draft.started - _BLINK_SECONDS, entry.draft.started)

        def finish() -> None:
            step = replace(entry.step, targets=self._tested(entry.scene, entry.step))
            if after is not None:
                step = self._with_after(step, entry, after, facts, blinks)
            self._ledger.after(step)

        return finish

    def _with_after(
        self, step: Step, entry: _Open, after: Frame, facts: ScreenFacts | None, blinks: tuple[FrameBox, ...]
    ) -> Step:
        scene = entry.scene
        change = None
        if scene.frame is not None:
            change = effects.effect(scene.frame, after, scene.facts, facts, ignore=blinks)
        return replace(
            step,
            after=self._taker.store(after),
            screen_after=facts,
            effect=change,
            settled_ms=entry.rest.ms if entry.rest is not None else None,
        )

    def _tested(self, scene: Scene, step: Step) -> dict[str, TargetEvidence]:
        if self.hurry:
            return step.targets
        return {
            role: self._taker.tested(scene, evidence, lambda: self.hurry) for role, evidence in step.targets.items()
        }


def _utc_ago(seconds: float) -> str:
    moment = datetime.fromtimestamp(time.time() - seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
