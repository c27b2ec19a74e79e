"""Raw input -> actions: a pure state machine, fed with events and with the passing of time.

Presses and releases are paired by physical key and button, never by character. ``feed`` takes events in the order
of their times; ``tick`` finishes what a pause has ended; ``close`` finishes everything. The rules:

- **click**: presses of one button within the double-click time and distance count up to 3; a pressed pointer beyond
  the tremor distance **drags**. Ctrl, Alt, Shift and Super held then become the click's modifiers.
- **scroll**: ticks in one direction at one place merge; every raw delta stays in the trace.
- **type**: committed characters, with Shift and AltGr; Backspace edits the run's own text. Enter inside a run is a
  line end when more text follows in the same run, otherwise a ``press`` of its own. A window that opens after an
  Enter ends the run there.
- **hotkey**: a key under Ctrl, Alt or Super, or a non-text key under Shift; Alt or Super tapped alone.
- **press**: any other key; repeats of a held key are steps when they move or remove something, else they collapse.
- **wait**: a pause longer than ``wait_gap_ms`` between two actions.
- What cannot be replayed becomes a draft with ``blocked``; nothing is dropped in silence. Shift, Ctrl, AltGr and the
  lock keys by themselves do nothing that the text does not show.
"""

from __future__ import annotations

from echostudio.actionlens import keys
from echostudio.actionlens.drafts import Draft, Finished, Signal, Started
from echostudio.actionlens.pointing import Numbers, Pointing
from echostudio.actionlens.typing_run import BACKSPACE, ENTER, TypingRun
from echostudio.desktop.controller import RawEvent, RawKind
from echostudio.episode.action import Action, ActionKind
from echostudio.settings import RecordSettings

__all__ = ["Demonstration", "Draft", "Finished", "Signal", "Started"]


class Demonstration:
    """The machine; see the module for its rules."""

    def __init__(self, settings: RecordSettings) -> None:
        self._settings = settings
        self._numbers = Numbers()
        self._pointing = Pointing(settings, self._numbers)
        self._run: TypingRun | None = None
        self._down: dict[int, str] = {}
        self._tap: str | None = None
        self._last: float | None = None

    @property
    def modifiers(self) -> tuple[str, ...]:
        """The chord modifiers that are held, Ctrl first."""
        held = set(self._down.values())
        return tuple(name for name in keys.MODIFIER_ORDER if name in held)

    @property
    def typing_since(self) -> float | None:
        """When the open text run began, None when there is none."""
        return None if self._run is None else self._run.started

    def feed(self, event: RawEvent) -> list[Signal]:
        """Take one event and return what it began and finished."""
        signals = self.tick(event.at)
        if event.kind is RawKind.MOVE:
            self._pointing.moved(event)
            return signals
        if event.kind is RawKind.KEY_UP:
            return signals + self._key_up(event)
        if event.kind is RawKind.BUTTON_UP:
            self._last = event.at
            return signals + self._pointing.up(event)
        if event.kind is RawKind.KEY_DOWN:
            return signals + self._key_down(event)
        self._tap = None
        return signals + self._end_run(event.at) + self._begin_pointer(event)

    def tick(self, now: float) -> list[Signal]:
        """Finish what ended by a pause before ``now`` (clock seconds)."""
        signals = self._pointing.tick(now)
        if self._run is not None and now - self._run.last > self._settings.text_gap_ms / 1000:
            signals += self._end_run(None)
        return signals

    def boundary(self, at: float) -> list[Signal]:
        """Say that another window came to the front at ``at``: text before an Enter and after it are two steps."""
        run = self._run
        if run is None:
            return []
        rest = run.split(at)
        if not run.trailing():
            return []
        signals = self._end_run(rest[0][0] if rest else None)
        if rest:
            signals += self._open_run(rest)
        return signals

    def close(self, now: float) -> list[Signal]:
        """Finish everything that is open."""
        return self._pointing.finish(None) + self._end_run(None) + self.tick(now)

    def part(self, now: float) -> list[Signal]:
        """Finish everything and forget what is held down and when it was: what follows is not seen, or is new."""
        signals = self.close(now)
        self._down.clear()
        self._tap = self._last = None
        return signals

    def _begin_pointer(self, event: RawEvent) -> list[Signal]:
        signals: list[Signal] = []
        if not self._pointing.busy:
            signals += self._wait_before(event.at)
        self._last = event.at
        if event.kind is RawKind.SCROLL:
            return signals + self._pointing.scrolled(event, self.modifiers)
        return signals + self._pointing.down(event, self.modifiers)

    def _key_down(self, event: RawEvent) -> list[Signal]:
        name = keys.name_of(event)
        repeat = event.code in self._down
        self._down[event.code] = name
        if keys.is_modifier(name):
            self._tap = name if self._tap is None and not repeat and len(self.modifiers) == 1 else self._tap
            return []
        self._tap = None
        if keys.is_silent(name) and not event.text:
            return []
        return self._meaning(event, name, repeat)

    def _key_up(self, event: RawEvent) -> list[Signal]:
        name = self._down.pop(event.code, None)
        tapped = name is not None and name == self._tap and name in ("alt", "super")
        if name == self._tap:
            self._tap = None
        if tapped and name is not None and not self._pointing.held:
            return self._single(event.at, Action(ActionKind.HOTKEY, {"keys": [name]}), name)
        return []

    def _meaning(self, event: RawEvent, name: str, repeat: bool) -> list[Signal]:
        chord = [held for held in self.modifiers if held in keys.CHORD_MODIFIERS]
        if chord or (self.modifiers and not event.text and name not in ("backspace", "enter")):
            return self._chord(event, name, repeat)
        if name == "backspace" and self._run is not None and self._run.can_erase():
            return self._type(event, BACKSPACE)
        if name == "enter" and self.modifiers:
            return self._chord(event, name, repeat)
        if name == "enter" and self._run is not None:
            return self._type(event, ENTER)
        if event.text and name not in ("enter", "tab", "escape", "backspace", "delete"):
            return self._type(event, event.text)
        return self._plain(event, name, repeat)

    def _type(self, event: RawEvent, character: str) -> list[Signal]:
        item = (event.at, character)
        if self._run is not None:
            self._run.items.append(item)
            self._last = event.at
            return []
        signals = self._pointing.finish(event.at) + self._wait_before(event.at)
        self._last = event.at
        return signals + self._open_run([item])

    def _open_run(self, items: list[tuple[float, str]]) -> list[Signal]:
        self._run = TypingRun(self._numbers.next(), items)
        at = items[0][0]
        return [Started(Draft(self._run.number, Action(ActionKind.TYPE, {"text": ""}), at, at))]

    def _chord(self, event: RawEvent, name: str, repeat: bool) -> list[Signal]:
        if repeat and name not in keys.REPEATING:
            return self._collapse(event)
        shown = name.lower() if len(name) == 1 else name
        action = Action(ActionKind.HOTKEY, {"keys": [*self.modifiers, shown]})
        return self._single(event.at, action, "+".join((*self.modifiers, shown)))

    def _plain(self, event: RawEvent, name: str, repeat: bool) -> list[Signal]:
        if repeat and name not in keys.REPEATING:
            return self._collapse(event)
        return self._single(event.at, Action(ActionKind.PRESS, {"key": name}), name)

    def _collapse(self, event: RawEvent) -> list[Signal]:
        """Pass over the repeat of a held key that says nothing new."""
        self._last = event.at
        return []

    def _single(self, at: float, action: Action, trace: str) -> list[Signal]:
        """Begin and finish an action of one key."""
        signals = self._pointing.finish(at) + self._end_run(at) + self._wait_before(at)
        key = str(action.parameters.get("key") or action.parameters["keys"][-1])
        known = keys.is_pressable(key) or keys.is_modifier(key)
        blocked = "" if known else f"The key “{key or 'without a name'}” cannot be replayed."
        draft = Draft(self._numbers.next(), action, at, at, trace=((at, trace),), blocked=blocked)
        self._last = at
        return [*signals, Started(draft), Finished(draft)]

    def _end_run(self, until: float | None) -> list[Signal]:
        """Finish the text run, then press the Enters at its end."""
        run, self._run = self._run, None
        if run is None:
            return []
        enters = run.trailing()
        body = run.body()
        signals: list[Signal] = []
        if body:
            action = Action(ActionKind.TYPE, {"text": run.text()})
            trace = tuple((at, _key_name(character)) for at, character in body)
            draft = Draft(run.number, action, body[0][0], body[-1][0], trace=trace)
            signals.append(Finished(draft, enters[0] if enters else until))
        for at in enters:
            draft = Draft(
                self._numbers.next(), Action(ActionKind.PRESS, {"key": "enter"}), at, at, trace=((at, "enter"),)
            )
            signals += [Started(draft), Finished(draft)]
        return signals

    def _wait_before(self, at: float) -> list[Signal]:
        """Make a pause before ``at`` a step of its own, when it was long."""
        if self._last is None or at - self._last <= self._settings.wait_gap_ms / 1000:
            return []
        action = Action(ActionKind.WAIT, {"seconds": round(at - self._last, 1)})
        draft = Draft(self._numbers.next(), action, self._last, at)
        return [Started(draft), Finished(draft, at)]


def _key_name(character: str) -> str:
    return {ENTER: "enter", BACKSPACE: "backspace"}.get(character, character)
