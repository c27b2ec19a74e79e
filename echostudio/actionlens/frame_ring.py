"""The last seconds of the screen: what it looked like strictly before any moment, and when it came to rest.

A full ring forgets its oldest pictures first; equal consecutive pictures are one array in memory. On a real clock a
thread grabs; on a clock that ticks (the scripted desktop's) every tick does.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from echostudio.actionlens.difference import NOTHING, Difference, difference
from echostudio.actionlens.pointer_track import PointerTrack
from echostudio.cancel import Clock
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import DesktopBox, FrameBox
from echostudio.errors import DesktopError
from echostudio.settings import RecordSettings

_IDLE_AFTER_SECONDS = 2.0
_IDLE_FACTOR = 3
_MISSES_UNTIL_GONE = 20
_REACTION_SECONDS = 1.5


@dataclass(frozen=True, slots=True)
class Shot:
    """One grab, and how it differs from the grab before."""

    frame: Frame
    change: Difference


@dataclass(frozen=True, slots=True)
class Rest:
    """A screen that came to rest: its frame, and the milliseconds since the input that it answers."""

    frame: Frame
    ms: float


class FrameRing:
    """The ring of frames; one writer grabs, any thread asks."""

    def __init__(self, grab: Callable[[], Frame], clock: Clock, settings: RecordSettings, settle_pixels: int) -> None:
        self._grab = grab
        self._clock = clock
        self._settings = settings
        self._settle_pixels = settle_pixels
        self._shots: deque[Shot] = deque()
        self._bytes = 0
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._active_at = clock.now()
        self._misses = 0
        self.grabs = 0
        self.failure: DesktopError | None = None
        self.on_change: Callable[[Shot], None] | None = None
        self.blind: Callable[[float], bool] = lambda _at: False
        self._parted = False

    def start(self) -> None:
        """Begin to grab in a thread of its own."""
        self._thread = threading.Thread(target=self._run, name="frame-ring", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; safe to call twice, and on a ring that was never started."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(timeout=2.0)
            self._thread = None

    def stir(self) -> None:
        """Say that the person does something: grab at the full rate again."""
        self._active_at = self._clock.now()
        self._wake.set()

    def tick(self) -> Shot | None:
        """Grab once and remember it; None when the screen could not be grabbed this time, or must not be.

        A screen that stays unreachable ends up in ``failure``. While ``blind`` holds nothing is grabbed, and the first
        frame after it begins the ring anew: what lies before is no "before" of what lies after.
        """
        if self.blind(self._clock.now()):
            self._parted = True
            return None
        try:
            frame = self._grab()
        except DesktopError as fault:
            self._misses += 1
            if self._misses >= _MISSES_UNTIL_GONE:
                self.failure = fault
            return None
        self._misses = 0
        if self.blind(frame.started) or self.blind(self._clock.now()):
            self._parted = True
            return None
        if self._parted:
            self._part()
        return self._remember(frame)

    def newest(self) -> Frame | None:
        """Return the newest frame."""
        with self._lock:
            return self._shots[-1].frame if self._shots else None

    def newest_before(self, time: float) -> Frame | None:
        """Return the newest frame whose grab had finished strictly before ``time`` (clock seconds)."""
        with self._lock:
            return next((shot.frame for shot in reversed(self._shots) if shot.frame.taken < time), None)

    def newest_where_pointer_outside(self, box: DesktopBox, before: float, track: PointerTrack) -> Frame | None:
        """Return the newest frame from before the pointer came into ``box`` for its last stay before ``before``."""
        entered = track.entered(box, before)
        return None if entered is None else self.newest_before(entered)

    def blinks(self, after: float, before: float) -> tuple[FrameBox, ...]:
        """Return where something as narrow as a caret changed between two times: it changes by itself."""
        with self._lock:
            shots = [shot for shot in self._shots if after <= shot.frame.taken < before]
        boxes = {shot.change.box for shot in shots if shot.change.box is not None and shot.change.like_caret}
        return tuple(boxes)

    def rest_after(
        self, time: float, quiet_ms: float, until: float | None = None, horizon: float = float("inf")
    ) -> Rest | None:
        """Return the first frame after ``time`` that followed ``quiet_ms`` of quiet, or None when there is none yet.

        A screen that did not react at all is watched for 1.5 s first, since programs can be slow. With ``until`` only
        frames finished strictly before it count, and the newest of them is returned when the screen had not come to
        rest by then. Frames after ``horizon`` are not looked at: input that is still on its way may have caused them.
        """
        quiet_since, last, reacted = time, None, False
        with self._lock:
            shots = [shot for shot in self._shots if time < shot.frame.taken <= horizon]
        for shot in shots:
            if until is not None and shot.frame.taken >= until:
                break
            if shot.change.disturbs(self._settle_pixels):
                quiet_since, reacted = shot.frame.taken, True
            last = shot.frame
            quiet = shot.frame.taken - quiet_since
            if quiet >= (quiet_ms / 1000 if reacted else max(_REACTION_SECONDS, quiet_ms / 1000)):
                return Rest(shot.frame, (shot.frame.taken - time) * 1000)
        if until is None or until > horizon:
            return None
        frame = last or self.newest_before(until)
        return None if frame is None else Rest(frame, max(0.0, (frame.taken - time) * 1000))

    def _run(self) -> None:
        while not self._stop.is_set() and self.failure is None:
            begun = self._clock.now()
            shot = self.tick()
            if shot is not None and shot.change.disturbs(self._settle_pixels):
                self._active_at = begun
            spent = self._clock.now() - begun
            self._wake.clear()
            if self._clock.now() - self._active_at < _IDLE_AFTER_SECONDS:
                self._stop.wait(max(0.002, self._settings.frame_interval_ms / 1000 - spent))
            else:
                self._wake.wait(self._settings.frame_interval_ms / 1000 * _IDLE_FACTOR)

    def _remember(self, frame: Frame) -> Shot:
        previous = self._shots[-1].frame if self._shots else None
        change = NOTHING if previous is None else difference(previous.pixels, frame.pixels)
        if previous is not None and change.pixels == 0 and previous.pixels.shape == frame.pixels.shape:
            frame = replace(frame, pixels=previous.pixels)
        shot = Shot(frame, change)
        with self._lock:
            self.grabs += 1
            self._bytes += 0 if previous is not None and frame.pixels is previous.pixels else frame.pixels.nbytes
            self._shots.append(shot)
            self._forget(frame.taken)
        if change.pixels and self.on_change is not None:
            self.on_change(shot)
        return shot

    def _part(self) -> None:
        """Drop all frames from before a time in which nothing was grabbed."""
        with self._lock:
            self._shots.clear()
            self._bytes = 0
            self._parted = False

    def _forget(self, now: float) -> None:
        """Drop what is too old or too much; the newest two shots always stay."""
        cap = self._settings.ring_megabytes * 1_000_000
        while len(self._shots) > 2 and (
            self._shots[1].frame.taken < now - self._settings.ring_seconds or self._bytes > cap
        ):
            gone = self._shots.popleft()
            if self._shots[0].frame.pixels is not gone.frame.pixels:
                self._bytes -= gone.frame.pixels.nbytes
