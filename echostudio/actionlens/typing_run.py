"""A run of typed text: characters, corrections and line ends between two other inputs, as one ``type``."""

from __future__ import annotations

from dataclasses import dataclass, field

ENTER = "\n"
BACKSPACE = "\b"


@dataclass(slots=True)
class TypingRun:
    """The keys of a text run as (clock time, character); ``ENTER`` and ``BACKSPACE`` stand for those keys.

    Enter becomes a line end of the text only when more text follows in the same run; Enters at the end are presses
    of their own, since they usually confirm.
    """

    number: int
    items: list[tuple[float, str]] = field(default_factory=list)

    @property
    def started(self) -> float:
        """When the first key went down."""
        return self.items[0][0]

    @property
    def last(self) -> float:
        """When the last key went down."""
        return self.items[-1][0]

    def body(self) -> list[tuple[float, str]]:
        """Return the keys without the Enters at the end."""
        return self.items[: len(self.items) - len(self.trailing())]

    def trailing(self) -> list[float]:
        """Return the times of the Enters at the end."""
        times: list[float] = []
        for at, character in reversed(self.items):
            if character != ENTER:
                break
            times.insert(0, at)
        return times

    def text(self) -> str:
        """Return what the run leaves behind, corrections applied."""
        return fold(self.body())

    def can_erase(self) -> bool:
        """Whether a Backspace would remove something that this run typed."""
        return bool(fold(self.items))

    def split(self, at: float) -> list[tuple[float, str]]:
        """Cut the run after its last Enter that is not later than ``at``; return the keys that came after it."""
        place = max((i for i, (time, key) in enumerate(self.items) if key == ENTER and time <= at), default=None)
        if place is None:
            return []
        rest = self.items[place + 1 :]
        self.items = self.items[: place + 1]
        return rest


def fold(items: list[tuple[float, str]]) -> str:
    """Apply the corrections and return the text."""
    text: list[str] = []
    for _, character in items:
        if character == BACKSPACE:
            del text[-1:]
        else:
            text.append(character)
    return "".join(text)
