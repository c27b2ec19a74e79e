"""A person at the scripted desktop: moves, clicks and types with human gaps, and is seen by recordings.

An event's time is strictly before the redraw that it causes: the event is told first, then a moment passes, then the
program reacts.

Two ways to use it. At once: every call returns when it is done, and moves the fake clock itself. Planned: calls are
only noted, and happen while somebody else (a recorder) lets the clock run; they begin once a recording listens::

    person = ScriptedPerson(desktop, planned=True)
    person.click("File")
    person.click("Save As...")
    person.type("report.txt")
    person.then(token.cancel)
    recorder.record(token)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator

from echostudio.desktop.controller import RawEvent, RawKind
from echostudio.desktop.scripted import MODIFIERS, ScriptedDesktop
from echostudio.episode.geometry import DesktopPoint
from echostudio.errors import DesktopError

Where = DesktopPoint | str
Acts = Iterator[float]

LAG = 0.004
MOVE_INTERVAL = 0.012
LOOK_INTERVAL = 0.1
PATIENCE_SECONDS = 10.0

_SHIFTED = dict(zip('~!@#$%^&*()_+{}|:"<>?', "`1234567890-=[]\\;',./", strict=True))
_LAYOUT = "`1234567890-=qwertyuiop[]\\asdfghjkl;'zxcvbnm,./ "
_NAMED = ("enter", "tab", "escape", "backspace", "delete", "up", "down", "left", "right", "home", "end", "page_up")
_CODES = {key: 10 + place for place, key in enumerate((*_LAYOUT, *_NAMED, *MODIFIERS))}


class ScriptedPerson:
    """A person's hands.

    ``where`` is a place, or the name of a widget or row, which the person waits for (up to 10 s of fake time).
    ``think`` is the pause after each deed, ``key_gap`` that between two keys, both in seconds.
    """

    def __init__(
        self, desktop: ScriptedDesktop, *, planned: bool = False, think: float = 0.8, key_gap: float = 0.12
    ) -> None:
        self._desktop = desktop
        self._planned = planned
        self._think = think
        self._key_gap = key_gap
        self._plan: deque[Acts] = deque()
        if planned:
            desktop.clock.call_later(0.0, self._go_on)

    @property
    def done(self) -> bool:
        """Whether nothing planned is left."""
        return not self._plan

    def move(self, where: Where) -> None:
        """Move the pointer there in small steps and rest."""
        self._do(self._move(where))

    def click(self, where: Where, count: int = 1, button: str = "left") -> None:
        """Go there and click once, twice or three times."""
        self._do(self._click(where, count, button))

    def drag(self, start: Where, end: Where, button: str = "left") -> None:
        """Press at one place and release at another."""
        self._do(self._drag(start, end, button))

    def scroll(self, where: Where, ticks: int) -> None:
        """Go there and turn the wheel, positive = down."""
        self._do(self._scroll(where, ticks))

    def type(self, text: str) -> None:
        """Type characters, with Shift where the layout needs it."""
        self._do(self._type(text))

    def press(self, key: str) -> None:
        """Press one key, such as ``enter``."""
        self._do(self._hotkey((key,)))

    def hotkey(self, *keys: str) -> None:
        """Press a chord: modifiers first, the key last."""
        self._do(self._hotkey(keys))

    def wait(self, seconds: float) -> None:
        """Do nothing for a while."""
        self._do(iter((seconds,)))

    def then(self, call: Callable[[], None]) -> None:
        """Call a function when everything before is done; for example ``token.cancel``."""
        self._do(_calling(call))

    # How it happens

    def _do(self, acts: Acts) -> None:
        if self._planned:
            self._plan.append(acts)
            return
        for pause in acts:
            self._desktop.clock.advance(pause)

    def _go_on(self) -> None:
        pause = LOOK_INTERVAL
        while self._desktop.watched and self._plan:
            step = next(self._plan[0], None)
            if step is not None:
                pause = step
                break
            self._plan.popleft()
        self._desktop.clock.call_later(pause, self._go_on)

    def _move(self, where: Where) -> Acts:
        goal = yield from self._find(where)
        yield from self._glide(goal)
        yield self._think

    def _click(self, where: Where, count: int, button: str) -> Acts:
        goal = yield from self._find(where)
        yield from self._glide(goal)
        yield 0.22
        for _ in range(count):
            yield from self._button_down(button)
            yield 0.06
            yield from self._button_up(button)
            yield 0.08
        yield self._think

    def _drag(self, start: Where, end: Where, button: str) -> Acts:
        goal = yield from self._find(start)
        yield from self._glide(goal)
        yield 0.2
        yield from self._button_down(button)
        yield 0.12
        goal = yield from self._find(end)
        yield from self._glide(goal)
        yield 0.12
        yield from self._button_up(button)
        yield self._think

    def _scroll(self, where: Where, ticks: int) -> Acts:
        goal = yield from self._find(where)
        yield from self._glide(goal)
        step = 1 if ticks > 0 else -1
        for _ in range(abs(ticks)):
            self._tell(RawKind.SCROLL, delta=(0.0, float(step)))
            yield LAG
            if not self._desktop.swallow_clicks:
                self._desktop.stage.scroll(step)
            yield 0.06
        yield self._think

    def _type(self, text: str) -> Acts:
        for character in text:
            if character in "\n\t":
                yield from self._hotkey(("enter" if character == "\n" else "tab",), think=False)
                continue
            key = _SHIFTED.get(character, character.lower())
            shifted = key != character
            if shifted:
                yield from self._key_down("shift")
            self._tell(RawKind.KEY_DOWN, key=key, text=character)
            yield LAG
            self._desktop.stage.insert(character)
            yield 0.05
            self._tell(RawKind.KEY_UP, key=key)
            if shifted:
                yield from self._key_up("shift")
            yield self._key_gap
        yield self._think

    def _hotkey(self, keys: tuple[str, ...], *, think: bool = True) -> Acts:
        for key in keys[:-1]:
            yield from self._key_down(key)
        last = keys[-1]
        self._tell(RawKind.KEY_DOWN, key=last, text=last if len(keys) == 1 and len(last) == 1 else "")
        yield LAG
        if len(keys) == 1 and len(last) == 1:
            self._desktop.stage.insert(last)
        else:
            self._desktop.stage.key("+".join(keys))
        yield 0.05
        self._tell(RawKind.KEY_UP, key=last)
        for key in reversed(keys[:-1]):
            yield from self._key_up(key)
        yield self._think if think else self._key_gap

    def _find(self, where: Where) -> Generator[float, None, DesktopPoint]:
        if isinstance(where, DesktopPoint):
            return where
        waited = 0.0
        while (place := self._desktop.place_of(where)) is None:
            if waited >= PATIENCE_SECONDS:
                raise DesktopError(f"The person does not see “{where}”.")
            waited += LOOK_INTERVAL
            yield LOOK_INTERVAL
        return place

    def _glide(self, goal: DesktopPoint) -> Acts:
        start = self._desktop.pointer()
        distance = max(abs(goal.x - start.x), abs(goal.y - start.y))
        steps = min(24, distance // 8 + 1)
        for number in range(1, steps + 1):
            part = number / steps
            eased = part * part * (3 - 2 * part)
            point = DesktopPoint(
                start.x + round((goal.x - start.x) * eased), start.y + round((goal.y - start.y) * eased)
            )
            self._tell(RawKind.MOVE, point=point)
            yield LAG
            self._desktop.stage.move(point)
            yield MOVE_INTERVAL - LAG

    def _button_down(self, button: str) -> Acts:
        at = self._tell(RawKind.BUTTON_DOWN, button=button)
        yield LAG
        if not self._desktop.swallow_clicks:
            self._desktop.stage.press(button, at)

    def _button_up(self, button: str) -> Acts:
        self._tell(RawKind.BUTTON_UP, button=button)
        yield LAG
        if not self._desktop.swallow_clicks:
            self._desktop.stage.release(button)

    def _key_down(self, key: str) -> Acts:
        self._tell(RawKind.KEY_DOWN, key=key)
        self._desktop.hold(key)
        yield 0.04

    def _key_up(self, key: str) -> Acts:
        yield 0.02
        self._tell(RawKind.KEY_UP, key=key)
        self._desktop.let_go(key)

    def _tell(
        self,
        kind: RawKind,
        *,
        point: DesktopPoint | None = None,
        button: str = "",
        delta: tuple[float, float] = (0.0, 0.0),
        key: str = "",
        text: str = "",
    ) -> float:
        at = self._desktop.clock.now()
        place = point if point is not None else self._desktop.pointer()
        self._desktop.emit(RawEvent(kind, at, place, button, delta, _CODES.get(key, 0), key, text))
        return at


def _calling(call: Callable[[], None]) -> Acts:
    call()
    yield 0.0
