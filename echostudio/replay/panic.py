"""The panic key: pressed on the driven desktop while a replay runs, it stops everything at once."""

from __future__ import annotations

from types import TracebackType

from echostudio.desktop.controller import Desktop, RawEvent, RawKind
from echostudio.replay.control import ReplayControl


class PanicWatch:
    """Listens while it is open; ``chord`` is like ``ctrl+alt+q``: modifiers first, the key last."""

    def __init__(self, desktop: Desktop, control: ReplayControl, chord: str) -> None:
        *modifiers, key = chord.casefold().split("+")
        self._modifiers, self._key = frozenset(modifiers), key
        self._chord = chord
        self._control = control
        self._raw = desktop.raw_input()
        self._held: set[str] = set()

    def __enter__(self) -> PanicWatch:
        self._raw.start(self._hear)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _fault: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._raw.stop()

    def _hear(self, event: RawEvent) -> None:
        name = event.key.casefold()
        if event.kind is RawKind.KEY_UP:
            self._held.discard(name)
        elif event.kind is RawKind.KEY_DOWN:
            if name == self._key and self._modifiers <= self._held:
                self._control.stop(f"Stopped with {self._chord}.")
            self._held.add(name)
