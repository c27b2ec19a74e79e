"""What was where on the screen, sampled while the person works, since a menu item is gone once it was clicked.

Windows are read when the picture changes, the element under a resting pointer before a click can come, the focus
while keys are typed, and the whole accessible structure when the screen has come to rest. On a real clock two threads
do it, one for windows and one for questions to programs, which may take long to answer; on a clock that ticks every
tick does. All times are seconds on the desktop's clock.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from echostudio.actionlens.frame_ring import Shot
from echostudio.desktop.controller import Desktop, RawEvent, RawKind
from echostudio.episode.evidence import ElementFacts, ScreenFacts, WindowFacts
from echostudio.episode.geometry import DesktopPoint
from echostudio.episode.structure import structure
from echostudio.errors import DesktopError

REST_SECONDS = 0.06
QUIET_SECONDS = 0.12
FOCUS_SECONDS = 0.15
_WINDOWS_SECONDS = 0.5
_STILL_WINDOWS_SECONDS = 2.0
_SOON_SECONDS = 0.05
_PATIENCE_SECONDS = 1.0
_NAP_SECONDS = 0.02
_KEEP = 400
_FEW = 8
_SAME_POINT = 3

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sample(Generic[T]):
    """What a question gave, and when it was asked and answered."""

    began: float
    ended: float
    value: T


@dataclass(frozen=True, slots=True)
class Under:
    """The element under a place, None when the program told none."""

    point: DesktopPoint
    element: ElementFacts | None


@dataclass(frozen=True, slots=True)
class Standing:
    """The windows, topmost first, and the active one."""

    windows: tuple[WindowFacts, ...]
    active: WindowFacts | None

    def under(self, point: DesktopPoint) -> WindowFacts | None:
        """Return the topmost window or popup that holds a place."""
        return next((window for window in self.windows if window.box.contains(point)), None)


class Watch:
    """The sampler; ``notice`` and ``screen_changed`` may be called from any thread."""

    def __init__(self, desktop: Desktop, settle_pixels: int) -> None:
        self._desktop = desktop
        self._clock = desktop.clock
        self._settle_pixels = settle_pixels
        self._standings: deque[Sample[Standing]] = deque(maxlen=_KEEP)
        self._facts: deque[Sample[ScreenFacts]] = deque(maxlen=_KEEP)
        self._unders: deque[Sample[Under]] = deque(maxlen=_KEEP)
        self._focuses: deque[Sample[ElementFacts | None]] = deque(maxlen=_KEEP)
        self._shown: deque[Sample[tuple[ElementFacts, ...]]] = deque(maxlen=_FEW)
        self._disturbances: deque[float] = deque(maxlen=_KEEP)
        self._answered = threading.Condition()
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._pointer: tuple[float, DesktopPoint] | None = None
        self._press: tuple[float, DesktopPoint] | None = None
        self._disturbed = self._touched = self._input = self._clock.now()
        self._key = float("-inf")
        self._turns: deque[float] = deque([float("-inf")], maxlen=_KEEP)
        self._popup_came = False
        self.on_window: Callable[[float], None] | None = None
        self.blind: Callable[[], bool] = lambda: False

    # Being told

    def start(self) -> None:
        """Begin to sample in threads of its own."""
        for name, step in (("watch-windows", self.step_windows), ("watch-programs", self.step_programs)):
            thread = threading.Thread(target=self._run, args=(step,), name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Stop the threads; a question that hangs in a program is left behind."""
        self._stop.set()
        self._wake.set()
        for thread in self._threads:
            thread.join(timeout=0.5)
        self._threads.clear()

    @property
    def threaded(self) -> bool:
        """Whether a thread samples, so that answers may come later."""
        return bool(self._threads)

    def notice(self, event: RawEvent) -> None:
        """Take a person's event as it arrives."""
        if event.kind is RawKind.MOVE:
            self._pointer = (event.at, event.point)
            return
        self._input = event.at
        if event.kind is RawKind.BUTTON_DOWN:
            self._press = (event.at, event.point)
        elif event.kind is RawKind.KEY_DOWN:
            self._key = event.at
        if self.threaded:
            self._wake.set()
        else:
            self.step()

    def forget(self) -> None:
        """Drop every reading: what comes next may have nothing to do with it."""
        with self._answered:
            for samples in (self._standings, self._facts, self._unders, self._focuses, self._shown):
                samples.clear()
        self._pointer = self._press = None
        self._popup_came = False
        self._disturbed = self._clock.now()
        self._wake.set()

    def turned(self, at: float) -> None:
        """Say that the focus may have moved at ``at``: Tab, Enter, a click, a chord."""
        self._turns.append(at)

    def screen_changed(self, shot: Shot) -> None:
        """Take a picture that differs from the one before."""
        if not shot.change.like_caret:
            self._touched = shot.frame.taken
        if shot.change.disturbs(self._settle_pixels):
            self._disturbed = shot.frame.taken
            self._disturbances.append(shot.frame.taken)
            self._wake.set()

    # Sampling

    def step(self) -> None:
        """Ask everything that is due now; for clocks that tick."""
        while self.step_windows() or self.step_programs():
            continue

    def step_windows(self) -> bool:
        """Read the windows, if that is due; return whether they were read."""
        due = not self.blind() and self._standing_due(self._clock.now())
        if due:
            self._ask_standing()
        return due

    def step_programs(self) -> bool:
        """Ask programs the one most urgent question, if any is due; return whether something was asked."""
        if self.blind():
            return False
        now = self._clock.now()
        press, pointer = self._press, self._pointer
        if press is not None:
            self._press = None
            self._ask_under(press[1])
        elif self._focus_due(now):
            self._ask_focus()
        elif self._popup_came:
            # The items of a menu are gone once one of them was clicked: read them all as soon as it opens.
            self.ask_facts()
        elif pointer is not None and now - pointer[0] >= REST_SECONDS and self._unknown(pointer[1]):
            self._ask_under(pointer[1])
        elif self._facts_due(now):
            self.ask_facts()
        else:
            return False
        return True

    def ask_facts(self) -> ScreenFacts | None:
        """Read the whole structure now and remember it; None when the desktop does not answer."""
        if self.blind():
            return None
        began = self._clock.now()
        self._popup_came = False
        try:
            window = self._desktop.active_app()
            shown = self._desktop.elements(window) if window is not None else ()
            self._keep(self._shown, began, shown)
            popups = tuple(found for found in self._desktop.windows() if found.popup)
            asked = self._clock.now()
            focus = self._desktop.focused_element()
        except DesktopError:
            return None
        # The same as the desktop's own answer, with the elements' boxes kept as well.
        facts = ScreenFacts(window, popups, focus, structure(shown))
        self._keep(self._facts, began, facts)
        self._keep(self._focuses, asked, focus)
        return facts

    def _run(self, step: Callable[[], bool]) -> None:
        while not self._stop.is_set():
            if not step():
                self._wake.wait(_NAP_SECONDS)
                self._wake.clear()

    def _ask_under(self, point: DesktopPoint) -> None:
        began = self._clock.now()
        try:
            element = self._desktop.element_at(point)
        except DesktopError:
            element = None
        self._keep(self._unders, began, Under(point, element))

    def _ask_focus(self) -> None:
        began = self._clock.now()
        try:
            element = self._desktop.focused_element()
        except DesktopError:
            element = None
        self._keep(self._focuses, began, element)

    def _ask_standing(self) -> None:
        began = self._clock.now()
        last = self._standings[-1].value if self._standings else Standing((), None)
        try:
            standing = Standing(self._desktop.windows(), self._desktop.active_app())
        except DesktopError:
            return
        self._keep(self._standings, began, standing)
        self._popup_came = self._popup_came or bool(_popups(standing) - _popups(last))
        moved = (
            last.active is not None and standing.active is not None and _handle(last.active) != _handle(standing.active)
        )
        if moved and self.on_window is not None:
            self.on_window(began)

    def _keep(self, samples: deque[Sample[T]], began: float, value: T) -> None:
        with self._answered:
            if not self.blind():
                samples.append(Sample(began, self._clock.now(), value))
            self._answered.notify_all()

    def _focus_due(self, now: float) -> bool:
        last = self._focuses[-1].began if self._focuses else float("-inf")
        return self._key > last and (now - last >= FOCUS_SECONDS or self._turns[-1] >= last)

    def _standing_due(self, now: float) -> bool:
        last = self._standings[-1].began if self._standings else float("-inf")
        if self._disturbed >= last:
            return now - last >= _SOON_SECONDS
        # A window that opens, closes or is renamed is painted; on a still screen a look now and then is enough.
        return now - last >= (_WINDOWS_SECONDS if max(self._touched, self._input) >= last else _STILL_WINDOWS_SECONDS)

    def _facts_due(self, now: float) -> bool:
        last = self._facts[-1].began if self._facts else float("-inf")
        cause = max(self._disturbed, self._input)
        if cause < last or now - cause < QUIET_SECONDS:
            return False
        # A long question must not be in the way when the pointer comes to rest and a click is near.
        moving = self._pointer is not None and now - self._pointer[0] < REST_SECONDS
        return not moving or now - cause >= _PATIENCE_SECONDS

    def _unknown(self, point: DesktopPoint) -> bool:
        last = self._unders[-1] if self._unders else None
        return last is None or last.value.point != point or last.began < self._disturbed

    # Being asked

    def standing_before(self, at: float) -> Standing | None:
        """Return the windows as read last before ``at``."""
        with self._answered:
            found = _last_before(self._standings, at)
            return found.value if found else None

    def standings_since(self, at: float) -> list[Sample[Standing]]:
        """Return the readings of windows from ``at`` on, oldest first."""
        with self._answered:
            return [sample for sample in self._standings if sample.began >= at]

    def facts_before(self, at: float) -> ScreenFacts | None:
        """Return the screen as read last before ``at``, with windows and focus as they were even closer to it."""
        with self._answered:
            facts, standing = _last_before(self._facts, at), _last_before(self._standings, at)
            focus = _last_before(self._focuses, at)
        if facts is None:
            return None
        known = facts.value
        if standing is not None and standing.began >= facts.began:
            popups = tuple(window for window in standing.value.windows if window.popup)
            same = _handle(standing.value.active) == _handle(known.window)
            old_focus, tree = (known.focus, known.tree) if same else (None, ())
            known = ScreenFacts(standing.value.active, popups, old_focus, tree)
        if focus is not None and focus.began > facts.ended and focus.value is not None:
            known = replace(known, focus=focus.value)
        return known

    def last_disturbance(self, until: float) -> float:
        """Return when the screen last changed by more than a caret, not later than ``until``; minus infinity: never."""
        return max((moment for moment in tuple(self._disturbances) if moment <= until), default=float("-inf"))

    def facts_between(self, after: float, until: float | None) -> ScreenFacts | None:
        """Return the newest reading that began at or after ``after`` and ended before ``until``."""
        with self._answered:
            for sample in reversed(self._facts):
                if sample.began >= after and (until is None or sample.ended <= until):
                    return sample.value
        return None

    def focuses(self, after: float, until: float) -> list[Sample[ElementFacts | None]]:
        """Return the readings of the focus that began from ``after`` to ``until``, oldest first."""
        with self._answered:
            return [sample for sample in self._focuses if after <= sample.began <= until]

    def focus_before(self, at: float) -> ElementFacts | None:
        """Return the focus as it was just before ``at``: read after it may last have moved; None when nobody knows."""
        with self._answered:
            turn = max((moment for moment in self._turns if moment <= at), default=float("-inf"))
            found = _last_before(self._focuses, at)
            return found.value if found is not None and found.began >= turn else None

    def await_focus(self, after: float, patience: float) -> bool:
        """Wait up to ``patience`` seconds for a look at the focus that began at or after ``after``; say if it came."""
        with self._answered:
            if not self.threaded:
                return False
            return self._answered.wait_for(
                lambda: bool(self._focuses) and self._focuses[-1].began >= after, timeout=patience
            )

    def element(self, point: DesktopPoint, at: float, patience: float) -> ElementFacts | None:
        """Return the element that a press at ``at`` met, None when the program told none in time.

        A reading made while the pointer rested there is best; in a popup the items that were read when it opened;
        else the answer that the press itself asked for, for which a real clock waits up to ``patience`` seconds, and
        which counts only when the screen had not changed under it.
        """
        with self._answered:
            rested = self._under_before(point, at)
            if rested is not None and rested.value.element is not None:
                return rested.value.element
            item = self._item(point, at)
            if item is not None:
                return item
            if self.threaded:
                self._answered.wait_for(lambda: self._under_after(point, at) is not None, timeout=patience)
            pressed = self._under_after(point, at)
            if pressed is None or any(at < moment <= pressed.ended for moment in tuple(self._disturbances)):
                return None
            return pressed.value.element

    def _item(self, point: DesktopPoint, at: float) -> ElementFacts | None:
        """Return the innermost element of an open menu as it was read before ``at``."""
        standing, shown = _last_before(self._standings, at), _last_before(self._shown, at)
        popup = standing.value.under(point) if standing is not None else None
        if popup is None or not popup.popup or shown is None:
            return None
        fitting = [e for e in shown.value if "menu" in e.role and e.box is not None and e.box.contains(point)]
        items = [(e.box.width * e.box.height, place, e) for place, e in enumerate(fitting) if e.box is not None]
        return min(items)[2] if items else None

    def _under_before(self, point: DesktopPoint, at: float) -> Sample[Under] | None:
        """Return the newest reading there before ``at``, when the same window was there all the time."""
        for sample in reversed(self._unders):
            if sample.ended <= at and _near(sample.value.point, point):
                later = [s.value for s in self._standings if sample.began <= s.ended <= at]
                first = _last_before(self._standings, sample.began)
                found = [_handle(s.under(point)) for s in ([first.value] if first else []) + later]
                return sample if len(set(found)) <= 1 else None
        return None

    def _under_after(self, point: DesktopPoint, at: float) -> Sample[Under] | None:
        return next((s for s in self._unders if s.ended > at and _near(s.value.point, point)), None)


def _last_before(samples: deque[Sample[T]], at: float) -> Sample[T] | None:
    return next((sample for sample in reversed(samples) if sample.ended <= at), None)


def _popups(standing: Standing) -> frozenset[int]:
    return frozenset(window.handle for window in standing.windows if window.popup)


def _handle(window: WindowFacts | None) -> int:
    return window.handle if window is not None else 0


def _near(one: DesktopPoint, two: DesktopPoint) -> bool:
    return abs(one.x - two.x) <= _SAME_POINT and abs(one.y - two.y) <= _SAME_POINT
