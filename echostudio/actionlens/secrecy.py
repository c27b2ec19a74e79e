"""Which typed keys may reach the disk: none until the focused element is known to be no password field.

- Focused on a password field at any look during a run: the run is *secret*; its keys are dropped and counted.
- A look at the focus that came after the last Tab, Enter, click or chord and met a known element: *clear*.
- The focus is not told: *clear* when the window's structure was read and holds no password field, or when the
  program tells no structure at all (such programs must stay recordable; this is the documented gap); else
  *unknown*, and the keys are only counted.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from echostudio.actionlens import keys
from echostudio.actionlens.watch import Watch
from echostudio.desktop.controller import RawEvent, RawKind
from echostudio.episode.evidence import ElementFacts, ScreenFacts
from echostudio.episode.geometry import DesktopBox

# How long a program may take to move its focus after the key or click that asks for it.
FOCUS_LAG_SECONDS = 0.05
UNKNOWN_SECONDS = 0.2
SILENCE_SECONDS = 2.0
_FRESH_SECONDS = 0.5
_TURNING = frozenset({"tab", "enter", "escape"})


class Secrecy(StrEnum):
    """Whether typed keys may be stored."""

    CLEAR = "clear"
    SECRET = "secret"
    UNKNOWN = "unknown"


def is_secret(element: ElementFacts | None) -> bool:
    """Whether the element is a password field by its role."""
    return element is not None and "password" in element.role.lower()


def holds_secret(facts: ScreenFacts) -> bool:
    """Whether the read structure holds a password field anywhere."""
    return any("password" in role.lower() for role, _, _ in facts.tree)


class KeyVault:
    """Holds key events in memory until they may be stored; ``store`` puts one on disk, ``dropped`` counts others."""

    def __init__(self, watch: Watch, store: Callable[[RawEvent], None], dropped: Callable[[int], None]) -> None:
        self._watch = watch
        self._store = store
        self._dropped = dropped
        self._held: list[RawEvent] = []
        self._turns: list[float] = [float("-inf")]
        self._down: set[int] = set()
        self.secret_boxes: list[DesktopBox] = []

    def take(self, event: RawEvent, *, chord: bool) -> None:
        """Take a key event; ``chord`` says that Ctrl, Alt or Super is held."""
        name = keys.name_of(event)
        self._held.append(event)
        if event.kind is RawKind.KEY_DOWN and (chord or name in _TURNING):
            self.turn(event.at)

    def turn(self, at: float) -> None:
        """Say that the focus may move from ``at`` on."""
        self._turns = [*self._turns[-50:], at]
        self._watch.turned(at)

    def settle(self, now: float, *, final: bool = False) -> None:
        """Store or drop what can be decided by ``now``; with ``final`` everything is decided."""
        for segment in self._segments():
            verdict = self.verdict(segment[0].at, segment[-1].at)
            late = final or self._hopeless(segment, now)
            if verdict is Secrecy.CLEAR:
                self._release(segment, self._confirmed(segment, now, final=final))
            elif verdict is Secrecy.SECRET or late:
                self._drop(segment)

    def _hopeless(self, segment: list[RawEvent], now: float) -> bool:
        """Whether the focus stayed unknown although it was asked for, or nobody has answered for long."""
        waited = now - segment[0].at
        asked = any(look.ended >= segment[-1].at for look in self._watch.focuses(segment[0].at, now))
        return waited > SILENCE_SECONDS or (asked and waited > UNKNOWN_SECONDS)

    def verdict(self, first: float, last: float) -> Secrecy:
        """Judge the keys that went down from ``first`` to ``last``."""
        turn = max(at for at in self._turns if at < first)
        looks = self._watch.focuses(turn, last + UNKNOWN_SECONDS)
        later = [at for at in self._turns if first < at]
        looks = [look for look in looks if not later or look.began <= max(last, later[0])]
        for look in looks:
            if is_secret(look.value):
                self._remember(look.value)
                return Secrecy.SECRET
        if any(look.value is not None and look.began >= turn + FOCUS_LAG_SECONDS for look in looks):
            return Secrecy.CLEAR
        return self._by_structure(last)

    def _by_structure(self, at: float) -> Secrecy:
        facts = self._watch.facts_before(at)
        if facts is None or facts.window is None or (not facts.tree and facts.focus is None):
            facts = self._watch.facts_between(at - _FRESH_SECONDS, None) or self._watch.ask_facts()
        if facts is None or holds_secret(facts):
            return Secrecy.UNKNOWN
        return Secrecy.CLEAR

    def _segments(self) -> list[list[RawEvent]]:
        """Cut the held events where the focus may have moved."""
        segments: list[list[RawEvent]] = []
        for event in self._held:
            if not segments or any(segments[-1][0].at <= turn < event.at for turn in self._turns):
                segments.append([])
            segments[-1].append(event)
        return segments

    def _confirmed(self, segment: list[RawEvent], now: float, *, final: bool) -> float:
        """Return up to when the keys of a clear segment are surely clear: a later look may still say otherwise."""
        if final or now - segment[-1].at > UNKNOWN_SECONDS or segment[-1] is not self._held[-1]:
            return segment[-1].at
        looks = self._watch.focuses(segment[0].at, now)
        return looks[-1].began if looks else float("-inf")

    def _release(self, segment: list[RawEvent], until: float) -> None:
        for event in segment:
            if event.at <= until:
                self._held.remove(event)
                self._put(event)

    def _drop(self, segment: list[RawEvent]) -> None:
        """Forget the keys; the release of a key whose press is stored tells nothing new and is stored too."""
        dropped = 0
        for event in segment:
            self._held.remove(event)
            if event.kind is RawKind.KEY_UP and event.code in self._down:
                self._put(event)
            else:
                dropped += 1
        if dropped:
            self._dropped(dropped)

    def _put(self, event: RawEvent) -> None:
        if event.kind is RawKind.KEY_DOWN:
            self._down.add(event.code)
        else:
            self._down.discard(event.code)
        self._store(event)

    def _remember(self, element: ElementFacts | None) -> None:
        if element is not None and element.box is not None and element.box not in self.secret_boxes:
            self.secret_boxes.append(element.box)
