"""The recorder's own keys, taken out of the input before anything of them can be kept.

A modifier that begins a hotkey is held back until the next key or button shows whether one follows; moves of the
pointer pass it. Used by the input source's thread only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from echostudio.actionlens import keys
from echostudio.desktop.controller import RawEvent, RawKind
from echostudio.errors import SettingsError

Deed = Callable[[RawEvent], None]


def parse_chord(text: str) -> tuple[frozenset[str], str]:
    """Read ``shift+f9``; raise ``SettingsError`` when it cannot be pressed."""
    *modifiers, key = (part.strip().lower() for part in text.split("+"))
    if not keys.is_pressable(key) or not set(modifiers) <= set(keys.MODIFIER_ORDER):
        raise SettingsError(f"“{text}” is no key.", "Write it like f9 or ctrl+shift+f9.")
    return frozenset(modifiers), key


class Hotkeys:
    """Filters a recording's input; ``deeds`` maps chords such as ``shift+f9`` to what they do (empty ones are off)."""

    def __init__(self, deeds: Mapping[str, Deed]) -> None:
        self._deeds = {parse_chord(text): deed for text, deed in deeds.items() if text}
        self._openers = frozenset(name for modifiers, _ in self._deeds for name in modifiers)
        self._down: dict[int, str] = {}
        self._kept: list[RawEvent] = []
        self._swallowed: set[int] = set()
        self._passed = float("-inf")

    def take(self, event: RawEvent) -> list[RawEvent]:
        """Return the events that are part of the demonstration, in order; a complete hotkey is done at once."""
        if event.kind is RawKind.MOVE:
            self._passed = event.at
            return [event]
        if event.kind is RawKind.KEY_UP:
            return self._up(event)
        if event.kind is not RawKind.KEY_DOWN:
            return [*self.flush(), event]
        name = keys.name_of(event)
        if keys.is_modifier(name):
            return self._modifier(event, name)
        if event.code in self._swallowed:
            return []
        deed = self._deeds.get((frozenset(self._down.values()), name))
        if deed is None:
            return [*self.flush(), event]
        self._swallowed |= {event.code, *(kept.code for kept in self._kept)}
        self._kept.clear()
        deed(event)
        return []

    def flush(self) -> list[RawEvent]:
        """Return what was held back; moves that passed it make it later."""
        kept = [replace(event, at=max(event.at, self._passed)) for event in self._kept]
        self._kept.clear()
        return kept

    def _modifier(self, event: RawEvent, name: str) -> list[RawEvent]:
        self._down[event.code] = name
        if event.code in self._swallowed:
            return []
        if name not in self._openers:
            return [*self.flush(), event]
        self._kept.append(event)
        return []

    def _up(self, event: RawEvent) -> list[RawEvent]:
        self._down.pop(event.code, None)
        if event.code in self._swallowed:
            self._swallowed.discard(event.code)
            return []
        return [*self.flush(), event]
