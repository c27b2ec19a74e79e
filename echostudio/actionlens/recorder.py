"""Recording a demonstration: raw input and frames in, a run folder out.

Threads on a real clock: the input source delivers, the ring grabs, the watch asks programs about windows and
elements, the finisher tests crops and writes after lines; the caller's thread turns events into steps. On a clock
that ticks (the scripted desktop's) everything happens in the thread that moves the clock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from echostudio.actionlens import keys
from echostudio.actionlens.control import RecordControl
from echostudio.actionlens.demonstration import Demonstration
from echostudio.actionlens.drafts import Finished, Signal, Started
from echostudio.actionlens.finisher import Finisher
from echostudio.actionlens.frame_ring import FrameRing
from echostudio.actionlens.hotkeys import Hotkeys
from echostudio.actionlens.hovers import hover_before_click
from echostudio.actionlens.intake import REORDER_SECONDS, Intake
from echostudio.actionlens.interludes import Interludes
from echostudio.actionlens.ledger import Ledger
from echostudio.actionlens.losses import Losses
from echostudio.actionlens.pointer_track import PointerTrack
from echostudio.actionlens.pulse import Pulse
from echostudio.actionlens.runfolder import RunWriter
from echostudio.actionlens.scene import SceneTaker
from echostudio.actionlens.secrecy import KeyVault
from echostudio.actionlens.step_book import StepBook
from echostudio.actionlens.watch import Watch
from echostudio.cancel import CancelToken, wait_until
from echostudio.desktop.controller import Desktop, RawEvent, RawInput, RawKind
from echostudio.episode import wire
from echostudio.episode.action import ActionKind
from echostudio.episode.happening import RunFinished, RunStarted
from echostudio.episode.run import Health
from echostudio.errors import Cancelled, DesktopError, EchoError
from echostudio.events import EventBus
from echostudio.settings import Settings

_LOOP_SECONDS = 0.02
_LIVE_SECONDS = 3.0
# Input servers deliver in batches; an event may come so late after its time.
_LATE_SECONDS = 0.06
_LAST_REST_SECONDS = 0.4
_LAST_TESTS_SECONDS = 0.5
_KEYS = frozenset({RawKind.KEY_DOWN, RawKind.KEY_UP})
_ACTING = frozenset({RawKind.BUTTON_DOWN, RawKind.KEY_DOWN, RawKind.SCROLL})


@runtime_checkable
class TickingClock(Protocol):
    """A clock of fake time that tells listeners whenever it moved."""

    tick_listeners: list[Callable[[float], None]]


class Recorder:
    """One recording; use it once.

    ``control`` holds the person's switches; without one only the hotkeys of the settings work. Raises
    ``SettingsError`` when one of these keys cannot be pressed.
    """

    def __init__(
        self,
        desktop: Desktop,
        writer: RunWriter,
        settings: Settings,
        bus: EventBus,
        control: RecordControl | None = None,
    ) -> None:
        self._desktop, self._writer, self._settings, self._bus = desktop, writer, settings, bus
        clock = desktop.clock
        self._ticking = clock if isinstance(clock, TickingClock) else None
        self._clock = clock
        self.control = control or RecordControl()
        self.control.attach(clock.now)
        self._hotkeys = self._own_keys()
        self._track = PointerTrack(settings.record.ring_seconds)
        self._ring = FrameRing(desktop.grab, clock, settings.record, settings.replay.settle_pixels)
        self._watch = Watch(desktop, settings.replay.settle_pixels)
        self._ring.on_change = self._watch.screen_changed
        self._ring.blind = self.control.blind_at
        self._watch.blind = lambda: self.control.blind_at(clock.now())
        self._watch.on_window = self._window_came
        self._finisher = Finisher()
        self._vault = KeyVault(self._watch, writer.write_raw, self._withheld)
        self._taker = SceneTaker(writer, self._ring, self._watch, self._track, settings)
        self._taker.secret_boxes = self._vault.secret_boxes
        self._machine = Demonstration(settings.record)
        ledger = Ledger(writer, bus)
        self._book = StepBook(
            writer.id,
            ledger,
            clock,
            settings,
            self._ring,
            self._watch,
            self._taker,
            self._vault,
            self._finisher.add,
        )
        self._interludes = Interludes(self.control, writer, ledger, self._book, self._vault, self._watch, self._part_at)
        self._pulse = Pulse(writer.id, bus, settings.record.run_megabytes)
        self._intake = Intake(0.0 if self._ticking is not None else REORDER_SECONDS)
        self._boundaries: list[float] = []
        self._acted = float("-inf")
        self._full = self._told_start = False
        self._losses = Losses(writer.mark)
        self._kept_back = self._marked_back = 0
        self._notes: list[str] = []

    def record(self, token: CancelToken, ready: Callable[[], None] | None = None) -> Health:
        """Record until ``token`` is cancelled or the stop key is pressed; close the run folder; return its health.

        ``ready`` is called once frames and input are proved to arrive. Raises ``DesktopError`` when the desktop
        cannot be watched or is lost, ``RepositoryFull`` when the disk is full; what was shown until then is on disk.
        """
        source = self._desktop.raw_input()
        try:
            self._begin(source)
            if ready is not None:
                ready()
            source = self._loop(token, source)
        except BaseException:
            self._abandon(source)
            raise
        return self._end(source)

    @property
    def health(self) -> Health:
        """The counts so far."""
        notes = list(self._notes)
        if self._losses.lost:
            notes.append(f"{self._losses.lost} input events were lost before they reached the recorder")
        if self._kept_back:
            notes.append(f"{self._kept_back} key events were kept off the disk")
        if self._interludes.ignored:
            notes.append(f"{self._interludes.ignored} input events were ignored as asked")
        return Health(
            captured=self._intake.captured,
            stored=self._writer.stored,
            reordered=self._intake.reordered,
            gaps=self._losses.gaps,
            oldest_before_ms=round(self._book.oldest_before_ms, 1),
            frames=self._ring.grabs,
            notes=tuple(notes),
        )

    # Beginning and end

    def _begin(self, source: RawInput) -> None:
        self._book.origin = self._clock.now()
        self._writer.mark("recording", clock=self._book.origin)
        self._ring.tick()
        self._watch.ask_facts()
        self._watch.step()
        if self._ticking is not None:
            self._ticking.tick_listeners.append(self._tick)
        else:
            self._ring.start()
            self._watch.start()
            self._finisher.start()
        source.start(self._take)
        self._losses.watch(source)
        if not wait_until(lambda: self._ring.grabs > 1, self._clock, CancelToken(), _LIVE_SECONDS):
            raise self._ring.failure or DesktopError("The screen could not be captured.", "Is the desktop locked?")
        self._bus.publish(RunStarted(self._writer.manifest, str(self._writer.path)))
        self._told_start = True

    def _loop(self, token: CancelToken, source: RawInput) -> RawInput:
        while not token.cancelled and not self._interludes.stopped and not self._full:
            if self._ticking is not None:
                try:
                    self._clock.sleep(_LOOP_SECONDS, token)
                except Cancelled:
                    break
                continue
            self._pump()
            source = self._mended(source)
            self._intake.wait(_LOOP_SECONDS)
        return source

    def _end(self, source: RawInput) -> Health:
        self._book.deadline = self._clock.now() + _LAST_TESTS_SECONDS
        source.stop()
        for event in self._hotkeys.flush():
            self._admit(event)
        self._pump(everything=True)
        self._interludes.close(self._clock.now())
        self._losses.look()
        self._handle(self._machine.close(self._clock.now()))
        self._rest_a_last_time()
        self._book.close()
        self._finisher.close()
        self._vault.settle(self._clock.now(), final=True)
        self._mark_withheld()
        self._let_go()
        if self._finisher.failure is not None:
            self._shut(complete=False)
            raise self._finisher.failure
        self._writer.close(self.health)
        self._bus.publish(RunFinished(self._writer.id, True, self.health))
        return self.health

    def _rest_a_last_time(self) -> None:
        """Give the last step a moment to come to rest."""
        begun = self._clock.now()
        while self._book.waiting and self._clock.now() - begun < _LAST_REST_SECONDS:
            self._clock.sleep(_LOOP_SECONDS, CancelToken())
            self._book.pump(self._clock.now())

    def _abandon(self, source: RawInput) -> None:
        """Let go of everything after an error, and keep what can be kept."""
        source.stop()
        self._book.deadline = float("-inf")
        self._finisher.close()
        self._let_go()
        self._shut(complete=False)

    def _shut(self, *, complete: bool) -> None:
        try:
            self._writer.close(self.health, complete)
        except EchoError as fault:
            # The error that ended the recording is the one to tell; the folder can still be recovered.
            self._notes.append(fault.sentence)
        self._bus.publish(RunFinished(self._writer.id, complete, self.health))

    def _let_go(self) -> None:
        if self._ticking is not None and self._tick in self._ticking.tick_listeners:
            self._ticking.tick_listeners.remove(self._tick)
        self._ring.stop()
        self._watch.stop()

    # Input

    def _take(self, event: RawEvent) -> None:
        """Take an event in the source's thread."""
        for passed in self._hotkeys.take(event):
            self._admit(passed)

    def _admit(self, event: RawEvent) -> None:
        """Let an event in that is part of the demonstration."""
        if self.control.deaf_at(event.at):
            self._interludes.ignored += self.control.ignored_at(event.at) and event.kind is not RawKind.MOVE
            return
        self._intake.put(event)
        self._watch.notice(event)
        self._ring.stir()

    def _own_keys(self) -> Hotkeys:
        control, chosen = self.control, self._settings.record
        return Hotkeys(
            {
                chosen.mark_key: lambda _event: control.mark(),
                chosen.pause_key: lambda event: control.pause(not control.paused, event.at),
                chosen.private_key: lambda event: control.private(not control.is_private, event.at),
                chosen.stop_key: lambda _event: control.stop(),
            }
        )

    def _tick(self, now: float) -> None:
        self._ring.tick()
        self._watch.step()
        self._pump()

    def _pump(self, *, everything: bool = False) -> None:
        if self._finisher.failure is not None:
            raise self._finisher.failure
        if self._ring.failure is not None:
            raise self._ring.failure
        # Taken before the events, whose handling takes time: what arrives meanwhile comes before what a pause ends.
        now = self._clock.now() - (0.0 if everything or self._ticking is not None else _LATE_SECONDS)
        for event in self._intake.take(self._clock.now(), everything=everything):
            self._interludes.pump(event.at)
            self._event(event)
        self._interludes.pump(self._clock.now() if everything else now)
        self._handle(self._machine.tick(now))
        self._split()
        self._vault.settle(now)
        self._book.pump(now)
        self._follow_screen()
        if self._told_start and self._pulse.due(now):
            self._losses.look()
            self._tell_health()

    def _tell_health(self) -> None:
        now = self._clock.now()
        if not self._pulse.tell(now, self.health, self.control.state, self._writer.bytes) and not self._full:
            self._full = True
            self._notes.append(f"the recording reached its {self._settings.record.run_megabytes} MB and was stopped")
            self._writer.mark("full", megabytes=self._settings.record.run_megabytes)

    def _part_at(self, at: float) -> None:
        """Finish whatever action is open."""
        self._handle(self._machine.part(at))

    def _event(self, event: RawEvent) -> None:
        self._track.add(event.at, event.point)
        if event.kind in _KEYS:
            chord = any(name in keys.CHORD_MODIFIERS for name in self._machine.modifiers)
            self._vault.take(event, chord=chord)
        else:
            self._writer.write_raw(event)
            if event.kind is RawKind.BUTTON_DOWN:
                self._vault.turn(event.at)
        if event.kind in _ACTING:
            self._book.next_input(event.at)
        self._handle(self._machine.feed(event))
        if event.kind in _ACTING:
            self._acted = event.at

    def _handle(self, signals: list[Signal]) -> None:
        for signal in signals:
            if isinstance(signal, Started):
                self._find_hover(signal)
                self._book.started(signal.draft)
            elif isinstance(signal, Finished):
                self._book.finished(signal.draft, signal.until)
                self._mark_withheld()

    def _find_hover(self, signal: Started) -> None:
        draft = signal.draft
        if draft.action.kind is not ActionKind.CLICK:
            return
        standings = self._watch.standings_since(draft.started - self._settings.record.ring_seconds)
        before = [sample for sample in standings if sample.ended <= draft.started]
        hover = hover_before_click(before, draft.points[0][1], self._track, self._acted)
        if hover is not None:
            self._book.hovered(hover, draft.started)

    def _window_came(self, at: float) -> None:
        """Note in the watch's thread that another window is active."""
        self._boundaries.append(at)

    def _split(self) -> None:
        while self._boundaries:
            self._handle(self._machine.boundary(self._boundaries.pop(0)))

    def _withheld(self, count: int) -> None:
        self._kept_back += count

    def _mark_withheld(self) -> None:
        """Note how many keys were kept off the disk; their single times would tell too much."""
        if self._kept_back > self._marked_back:
            self._writer.mark("keys_withheld", count=self._kept_back - self._marked_back)
            self._marked_back = self._kept_back

    def _follow_screen(self) -> None:
        frame = self._ring.newest()
        if frame is not None and frame.screen != self._writer.manifest.screen:
            self._writer.mark(
                "screen_changed", before=wire.to_json(self._writer.manifest.screen), after=wire.to_json(frame.screen)
            )
            self._writer.describe(frame.screen)

    def _mended(self, source: RawInput) -> RawInput:
        """Replace a source that ended by itself; what was lost in between shows as a gap."""
        failure = getattr(source, "failure", None)
        if not isinstance(failure, DesktopError):
            return source
        source.stop()
        self._notes.append(f"the input source broke off: {failure.sentence}")
        self._losses.broke(failure.sentence)
        again = self._desktop.raw_input()
        again.start(self._take)
        self._losses.watch(again)
        return again
