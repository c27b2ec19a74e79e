"""The engine: one bound program on one desktop, step by step, until it is done, refused, broken or stopped.

No button or key is sent without an accepted result, and no step is sent twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from echostudio.actionlens.lens import Lens
from echostudio.actionlens.runfolder import RunWriter
from echostudio.cancel import wait_until
from echostudio.episode.geometry import DesktopPoint
from echostudio.episode.happening import (
    ReplayPaused,
    ReplayResumed,
    ReplayStepFinished,
    ReplayStepStarted,
    TargetMatched,
)
from echostudio.episode.memory import MemoryStep
from echostudio.episode.report import StepReport
from echostudio.episode.step import Step
from echostudio.episode.verdict import Outcome, Refusal, RefusalCode, Route
from echostudio.errors import Cancelled, DesktopError, InputFailed
from echostudio.events import EventBus
from echostudio.replay.binding import Bound
from echostudio.replay.control import ReplayControl
from echostudio.replay.expectation import expects_effect, had_effect
from echostudio.replay.ready import Desk, Readiness, wait_ready
from echostudio.retrieval.gates import next_step


@dataclass(slots=True)
class Execution:
    """What the engine did so far; ``outcome`` is None while every step went well."""

    steps: list[StepReport]
    outcome: Outcome | None = None
    refusal: Refusal | None = None
    undo: list[str] = field(default_factory=list)


class Engine:
    """Runs a bound program; create one per replay."""

    def __init__(
        self, memory: str, bound: Bound, desk: Desk, writer: RunWriter, bus: EventBus, control: ReplayControl
    ) -> None:
        self._memory = memory
        self._bound = bound
        self._desk = desk
        self._writer = writer
        self._bus = bus
        self._control = control
        self._lens = Lens(desk.desktop, writer, desk.settings, bus)
        self._pointer_left: DesktopPoint | None = None
        self._sent = 0

    def run(self) -> Execution:
        """Run all steps; everything held down is released at the end, whatever happens."""
        execution = Execution([self._pending(step) for step in self._bound.program])
        try:
            self._wait_modifiers_up(execution)
            for step in self._bound.program:
                if execution.outcome is not None:
                    break
                self._do(step, execution)
        except Cancelled as stopped:
            execution.outcome = Outcome.STOPPED
            self._mark_open_step(execution, "stopped", stopped.sentence)
        except DesktopError as lost:
            self._break(execution, RefusalCode.INPUT_FAILED, lost.sentence)
        finally:
            self._desk.desktop.release_all()
        return execution

    def _do(self, step: MemoryStep, execution: Execution) -> None:
        self._hold(step)
        self._bus.publish(ReplayStepStarted(self._memory, step.index, step.words))
        begun = self._desk.desktop.clock.now()
        ready = wait_ready(self._desk, step, lambda why: self._waiting(step, why))
        if ready.results:
            picture = self._writer.put_frame(ready.frame)
            for role, result in ready.results.items():
                self._bus.publish(TargetMatched(self._memory, step.index, role, result, picture.digest))
        if ready.refusal is not None:
            report = self._report(step, ready, None, "refused", begun)
            self._finish(execution, report, Outcome.REFUSED, ready.refusal)
            return
        self._check_limit()
        taken = self._act(step, ready)
        self._judge_effect(step, ready, taken, execution, begun)
        self._control.step_done()

    def _act(self, step: MemoryStep, ready: Readiness) -> Step:
        self._sent += 1
        taken = self._lens.act(
            step.index,
            step.action,
            step.words,
            ready.placed,
            step.targets,
            self._control.token,
            before=ready.frame if ready.results else None,
            secret=step.index in self._bound.secret,
        )
        self._pointer_left = self._desk.desktop.pointer()
        return taken

    def _judge_effect(
        self, step: MemoryStep, ready: Readiness, taken: Step, execution: Execution, begun: float
    ) -> None:
        if expects_effect(step) and not had_effect(taken.effect):
            code = RefusalCode.NO_EFFECT
            sentence = f"{step.words} was sent, but nothing changed on the screen."
            refusal = Refusal(code, sentence, next_step(code), None, step.index, 0, "a change")
            self._finish(execution, self._report(step, ready, taken, "broken", begun), Outcome.BROKEN, refusal)
            return
        if had_effect(taken.effect):
            execution.undo.append(step.words)
        self._finish(execution, self._report(step, ready, taken, "done", begun), None, None)

    def _finish(
        self, execution: Execution, report: StepReport, outcome: Outcome | None, refusal: Refusal | None
    ) -> None:
        execution.steps[report.index] = report
        execution.outcome, execution.refusal = outcome, refusal
        self._bus.publish(ReplayStepFinished(self._memory, report))

    def _break(self, execution: Execution, code: RefusalCode, sentence: str) -> None:
        index = self._mark_open_step(execution, "broken", sentence)
        outcome = Outcome.BROKEN if self._sent else Outcome.REFUSED
        execution.outcome = outcome
        execution.refusal = Refusal(code, sentence, next_step(code), None, index, "lost", "delivered")

    def _mark_open_step(self, execution: Execution, status: str, note: str) -> int | None:
        index = next((report.index for report in execution.steps if report.status == "pending"), None)
        if index is not None:
            execution.steps[index] = replace(execution.steps[index], status=status, note=note)
            self._bus.publish(ReplayStepFinished(self._memory, execution.steps[index]))
        return index

    def _wait_modifiers_up(self, execution: Execution) -> None:
        """Wait until the person has let go of every modifier: a held Ctrl would turn text into commands."""
        desktop = self._desk.desktop
        timeout = self._desk.settings.replay.ready_timeout_s
        if not wait_until(lambda: not desktop.modifiers_down(), desktop.clock, self._control.token, timeout):
            held = ", ".join(desktop.modifiers_down())
            code = RefusalCode.STATE_MISMATCH
            execution.outcome = Outcome.REFUSED
            execution.refusal = Refusal(code, f"{held} is held down.", "Let go of the key and try again.", "state")

    def _hold(self, step: MemoryStep) -> None:
        """Wait here while the person has paused, or has taken the pointer."""
        self._control.token.check()
        moved = self._pointer_left is not None and self._desk.desktop.pointer() != self._pointer_left
        if moved:
            self._pause_for_person(step)
        if self._control.should_hold(step.index):
            reason = "You moved the pointer." if moved else "Paused."
            self._bus.publish(ReplayPaused(self._memory, step.index, reason))
            self._control.hold()
            self._bus.publish(ReplayResumed(self._memory))
        self._pointer_left = None

    def _pause_for_person(self, step: MemoryStep) -> None:
        if not self._control.can_resume:
            self._control.stop(f"The pointer was moved by someone else before step {step.index + 1}.")
            self._control.token.check()
        self._control.pause()

    def _waiting(self, step: MemoryStep, why: str) -> None:
        self._bus.publish(ReplayStepStarted(self._memory, step.index, step.words, why))

    def _check_limit(self) -> None:
        factor = self._desk.settings.replay.step_limit_factor
        if self._sent >= max(8, factor * len(self._bound.program)):
            raise InputFailed("The step limit of this replay is reached.")

    def _pending(self, step: MemoryStep) -> StepReport:
        return StepReport(step.index, step.words, "pending", self._route(step))

    def _route(self, step: MemoryStep) -> Route:
        return Route.B if step.index in self._bound.rebound else Route.A

    def _report(self, step: MemoryStep, ready: Readiness, taken: Step | None, status: str, begun: float) -> StepReport:
        before = taken.before if taken is not None else self._writer.put_frame(ready.frame)
        return StepReport(
            step.index,
            step.words,
            status,
            self._route(step),
            ready.results,
            before,
            taken.after if taken is not None else None,
            taken.effect.changed_pixels if taken is not None and taken.effect is not None else 0,
            round(1000 * (self._desk.desktop.clock.now() - begun), 1),
            round(1000 * ready.waited, 1),
        )
