"""Pointer input -> clicks, double and triple clicks, drags and scroll runs. Part of the demonstration machine."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from echostudio.actionlens.drafts import Draft, Finished, Signal, Started
from echostudio.desktop.controller import RawEvent
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.geometry import DesktopPoint
from echostudio.settings import RecordSettings

_MOST_CLICKS = 3
_MOST_PLACES = 100
_TWO_BUTTONS = "Two mouse buttons were held at once; this cannot be replayed."
_DRAG_AFTER_CLICK = "A drag that begins with a double click cannot be replayed."
_SCROLL_WITH = "Scrolling while {} is held cannot be replayed."


@dataclass(slots=True)
class _Press:
    """A button that is down, or a click that may still get a second one."""

    draft: Draft
    button: str
    downs: list[tuple[float, DesktopPoint]]
    held: bool = True
    count: int = 1
    moved: bool = False
    path: list[tuple[float, DesktopPoint]] = field(default_factory=list)


@dataclass(slots=True)
class _ScrollRun:
    draft: Draft
    dx: float
    dy: float
    last: float
    point: DesktopPoint
    trace: list[tuple[float, str]]


class Pointing:
    """The pointer half of the machine; ``number`` gives the next draft's number."""

    def __init__(self, settings: RecordSettings, number: Numbers) -> None:
        self._settings = settings
        self._number = number
        self._press: _Press | None = None
        self._scroll: _ScrollRun | None = None

    @property
    def busy(self) -> bool:
        """Whether something has begun and is not finished."""
        return self._press is not None or self._scroll is not None

    def moved(self, event: RawEvent) -> None:
        """Follow the pointer while a button is down."""
        press = self._press
        if press is None or not press.held:
            return
        press.path.append((event.at, event.point))
        if _distance(event.point, press.downs[-1][1]) > self._settings.tremor_px:
            press.moved = True

    def down(self, event: RawEvent, modifiers: tuple[str, ...]) -> list[Signal]:
        """A button went down: a new click, or the next one of a double click."""
        press = self._press
        if press is not None and press.held:
            press.draft = replace(press.draft, blocked=_TWO_BUTTONS)
            return []
        if press is not None and self._continues(press, event, modifiers):
            press.count += 1
            press.held = True
            press.downs.append((event.at, event.point))
            return []
        signals = self.finish(event.at)
        parameters = {"button": event.button, "count": 1, "modifiers": list(modifiers)}
        draft = Draft(
            self._number.next(),
            Action(ActionKind.CLICK, parameters),
            event.at,
            event.at,
            (("target", event.point),),
        )
        self._press = _Press(draft, event.button, [(event.at, event.point)])
        return [*signals, Started(draft)]

    def up(self, event: RawEvent) -> list[Signal]:
        """A button went up: a drag is complete, a click waits for a second one."""
        press = self._press
        if press is None or not press.held:
            return []
        if event.button != press.button:
            return []
        press.held = False
        self._release(press, event)
        press.draft = replace(press.draft, ended=event.at)
        if press.draft.blocked or press.moved:
            return self.finish(None)
        if press.count >= _MOST_CLICKS:
            return self.finish(None)
        return []

    def _release(self, press: _Press, event: RawEvent) -> None:
        """Count the release point as the last place of a drag."""
        press.path.append((event.at, event.point))
        if _distance(event.point, press.downs[-1][1]) > self._settings.tremor_px:
            press.moved = True

    def scrolled(self, event: RawEvent, modifiers: tuple[str, ...]) -> list[Signal]:
        """A wheel tick: part of the present run, or the first of a new one."""
        run = self._scroll
        if run is not None and self._joins(run, event, modifiers):
            run.dx, run.dy, run.last = run.dx + event.delta[0], run.dy + event.delta[1], event.at
            run.trace.append(_delta(event))
            run.draft = replace(run.draft, ended=event.at)
            return []
        signals = self.finish(event.at)
        blocked = _SCROLL_WITH.format(" + ".join(modifiers)) if modifiers else ""
        draft = Draft(
            self._number.next(),
            _scroll_action(*event.delta),
            event.at,
            event.at,
            (("target", event.point),),
            blocked=blocked,
        )
        self._scroll = _ScrollRun(draft, *event.delta, event.at, event.point, [_delta(event)])
        return [*signals, Started(draft)]

    def tick(self, now: float) -> list[Signal]:
        """Finish what a pause has ended."""
        press, run = self._press, self._scroll
        if press is not None and not press.held and now - press.downs[-1][0] > self._settings.double_click_ms / 1000:
            return self.finish(None)
        if run is not None and now - run.last > self._settings.scroll_gap_ms / 1000:
            return self.finish(None)
        return []

    def finish(self, until: float | None) -> list[Signal]:
        """Finish whatever is open; a button that is still held counts as released."""
        signals: list[Signal] = []
        if self._press is not None:
            signals.append(Finished(_complete(self._press), until))
            self._press = None
        if self._scroll is not None:
            run, self._scroll = self._scroll, None
            draft = replace(run.draft, action=_scroll_action(run.dx, run.dy), trace=tuple(run.trace))
            signals.append(Finished(draft, until))
        return signals

    @property
    def held(self) -> bool:
        """Whether a button is down."""
        return self._press is not None and self._press.held

    def _continues(self, press: _Press, event: RawEvent, modifiers: tuple[str, ...]) -> bool:
        at, point = press.downs[-1]
        return (
            event.button == press.button
            and press.draft.action.parameters["modifiers"] == list(modifiers)
            and event.at - at <= self._settings.double_click_ms / 1000
            and _distance(event.point, point) <= self._settings.double_click_px
        )

    def _joins(self, run: _ScrollRun, event: RawEvent, modifiers: tuple[str, ...]) -> bool:
        same_way = all(one * two >= 0 for one, two in zip((run.dx, run.dy), event.delta, strict=True))
        across = (run.dx != 0 and event.delta[1] != 0) or (run.dy != 0 and event.delta[0] != 0)
        return (
            bool(modifiers) == bool(run.draft.blocked)
            and same_way
            and not across
            and event.at - run.last <= self._settings.scroll_gap_ms / 1000
            and _distance(event.point, run.point) <= self._settings.tremor_px
        )


class Numbers:
    """Counts drafts in the order in which they begin."""

    def __init__(self) -> None:
        self._next = 0

    def next(self) -> int:
        """Return the next number, from 0."""
        self._next += 1
        return self._next - 1


def _complete(press: _Press) -> Draft:
    """Return the final draft of a press: a click with its count, or a drag."""
    draft = press.draft
    if not press.moved:
        return replace(draft, action=draft.action.with_parameter("count", press.count))
    first, last = press.downs[0][1], press.path[-1][1]
    parameters = {key: draft.action.parameters[key] for key in ("button", "modifiers")}
    blocked = draft.blocked or (_DRAG_AFTER_CLICK if press.count > 1 else "")
    trace = tuple((at, f"{point.x},{point.y}") for at, point in _thinned(press.path))
    points = (("from", first), ("to", last))
    return replace(draft, action=Action(ActionKind.DRAG, parameters), points=points, trace=trace, blocked=blocked)


def _thinned(path: list[tuple[float, DesktopPoint]]) -> list[tuple[float, DesktopPoint]]:
    """Keep at most a hundred places of a drag, and always its release."""
    step = max(1, len(path) // _MOST_PLACES)
    return [*path[:-1:step], path[-1]]


def _scroll_action(dx: float, dy: float) -> Action:
    return Action(ActionKind.SCROLL, {"dx": _plain(dx), "dy": _plain(dy)})


def _plain(value: float) -> float | int:
    return int(value) if value == int(value) else value


def _delta(event: RawEvent) -> tuple[float, str]:
    return (event.at, f"{event.delta[0]:g},{event.delta[1]:g}")


def _distance(one: DesktopPoint, two: DesktopPoint) -> int:
    """Largest difference along an axis, in desktop units: window systems judge double clicks per axis."""
    return max(abs(one.x - two.x), abs(one.y - two.y))
