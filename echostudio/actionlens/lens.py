"""The lens: every act of an agent or a replay goes through it: before, act, settle, after; both lines on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from echostudio.actionlens.runfolder import RunWriter, utc_now
from echostudio.actionlens.settle import Settled, settle
from echostudio.cancel import CancelToken
from echostudio.desktop.controller import Desktop, Placed
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.evidence import ScreenFacts, TargetEvidence
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import FrameBox
from echostudio.episode.happening import StepRecorded
from echostudio.episode.step import Step, StepStatus
from echostudio.errors import Cancelled, DesktopError
from echostudio.events import EventBus
from echostudio.observer import effects
from echostudio.settings import Settings

SECRET_TEXT = "***"
# How long a program may take to highlight what the pointer came to.
_HIGHLIGHT_SECONDS = 0.1
_NOT_SENT = "Stopped before anything was sent."
_CUT_SHORT = "Stopped while the input was being sent."


@dataclass(frozen=True, slots=True)
class _Scene:
    frame: Frame
    facts: ScreenFacts | None
    masks: tuple[FrameBox, ...]


class Lens:
    """Acts on one desktop and records every act in one run folder. One thread at a time."""

    def __init__(self, desktop: Desktop, writer: RunWriter, settings: Settings, bus: EventBus) -> None:
        self._desktop, self._writer, self._settings, self._bus = desktop, writer, settings, bus
        self._origin = desktop.clock.now()

    def act(
        self,
        index: int,
        action: Action,
        words: str,
        placed: Placed,
        targets: Mapping[str, TargetEvidence],
        token: CancelToken,
        *,
        before: Frame | None = None,
        secret: bool = False,
        ignore: Sequence[FrameBox] = (),
    ) -> Step:
        """Do one action; return its step, both lines of which are on disk.

        Args:
            index: The step's number in this run, from 0.
            action: What to send.
            words: The sentence for people; with ``secret`` it must not hold the text.
            placed: Where it goes.
            targets: The evidence of its targets.
            token: Looked at last before the input is sent.
            before: The frame on which the targets were found; a fresh grab by default.
            secret: The text is stored as ``***`` and the focused field is painted over in the pictures.
            ignore: Areas (frame pixels) that change by themselves and are no effect.

        Raises:
            InputFailed: The input did not arrive; the after line says so.
            Cancelled: Stopped before, while or after sending; nothing stays pressed. The after line says which.
            DesktopError: The desktop was lost.
        """
        scene = self._look(before, secret=secret)
        step = self._begin(index, action, words, dict(targets), scene, secret=secret)
        step, scene = self._send(step, scene, action, placed, token)
        try:
            settled = settle(self._desktop, self._settings.replay, token)
        except (Cancelled, DesktopError) as fault:
            self._put(replace(step, error=fault.sentence), after=True)
            raise
        return self._put(self._after(step, scene, settled, ignore), after=True)

    def _look(self, before: Frame | None, *, secret: bool) -> _Scene:
        frame = before if before is not None else self._desktop.grab()
        facts = self._desktop.screen_facts()
        focus = facts.focus if secret else None
        masks = (frame.screen.box_to_frame(focus.box),) if focus is not None and focus.box is not None else ()
        return _Scene(frame, facts, masks)

    def _begin(
        self, index: int, action: Action, words: str, targets: dict[str, TargetEvidence], scene: _Scene, *, secret: bool
    ) -> Step:
        shown = action.with_parameter("text", SECRET_TEXT) if secret and "text" in action.parameters else action
        step = Step(
            index=index,
            id=f"{self._writer.id}-{index:04d}",
            action=shown,
            words=words,
            at=utc_now(),
            started=self._desktop.clock.now() - self._origin,
            before=self._writer.put_frame(scene.frame, scene.masks),
            screen_before=scene.facts,
            targets=targets,
            before_age_ms=(self._desktop.clock.now() - scene.frame.taken) * 1000,
            note="secret" if secret else "",
        )
        return self._put(step, after=False)

    def _send(
        self, step: Step, scene: _Scene, action: Action, placed: Placed, token: CancelToken
    ) -> tuple[Step, _Scene]:
        """Send the input; return the step as done, and the scene that its effect is judged by.

        What goes wrong is in the after line; nothing stays pressed.
        """
        sent = False
        try:
            token.check()
            scene = self._hovered(scene, action, placed, token)
            token.check()
            sent = True
            self._desktop.perform(action, placed, token)
        except (Cancelled, DesktopError) as fault:
            sentence = fault.sentence
            if isinstance(fault, Cancelled):
                sentence = _CUT_SHORT if sent else _NOT_SENT
            self._fail(step, sentence)
            raise
        return replace(step, status=StepStatus.DONE, ended=self._desktop.clock.now() - self._origin), scene

    def _hovered(self, scene: _Scene, action: Action, placed: Placed, token: CancelToken) -> _Scene:
        """Put the pointer on a click's target and look again: a highlight under the pointer is no effect of a click."""
        if action.kind is not ActionKind.CLICK or placed.target is None:
            return scene
        self._desktop.move_pointer(placed.target)
        self._desktop.clock.sleep(_HIGHLIGHT_SECONDS, token)
        return replace(scene, frame=self._desktop.grab())

    def _fail(self, step: Step, sentence: str) -> None:
        ended = self._desktop.clock.now() - self._origin
        self._put(replace(step, status=StepStatus.FAILED, error=sentence, ended=ended), after=True)
        self._desktop.release_all()

    def _after(self, step: Step, scene: _Scene, settled: Settled, ignore: Sequence[FrameBox]) -> Step:
        facts = self._desktop.screen_facts()
        return replace(
            step,
            after=self._writer.put_frame(settled.frame, scene.masks),
            screen_after=facts,
            effect=effects.effect(scene.frame, settled.frame, scene.facts, facts, ignore=ignore),
            settled_ms=settled.ms,
            note=step.note
            if settled.quiet
            else "; ".join(filter(None, (step.note, "the screen did not come to rest"))),
        )

    def _put(self, step: Step, *, after: bool) -> Step:
        """Write a line, then tell it; return the step."""
        if after:
            self._writer.write_after(step)
        else:
            self._writer.write_before(step)
        self._bus.publish(StepRecorded(self._writer.id, step))
        return step
