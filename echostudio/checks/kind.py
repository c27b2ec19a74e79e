"""What every kind of check is: its keys with their help, and how it looks at the world."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from echostudio.checks.world import World

SHOWN = 80


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check saw: passed (None = cannot be judged), expected beside actual, and the sentence for people."""

    passed: bool | None
    expected: str
    actual: str
    sentence: str


class CheckKind(ABC):
    """One kind of check. All keys are needed; ``patterns`` are those whose values are regular expressions."""

    kind: ClassVar[str]
    help: ClassVar[str]
    keys: ClassVar[Mapping[str, str]]
    patterns: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def judge(self, parameters: Mapping[str, str], world: World) -> Finding:
        """Look at the world; ``parameters`` hold every key, their fields already filled in."""


def shortened(text: str, around: str = "", length: int = SHOWN) -> str:
    """Return text as it fits beside an expectation: one line, cut around the place that matters, cuts shown as …."""
    line = re.sub(r"\s*\n\s*", " ⏎ ", text.strip())
    if len(line) <= length:
        return line
    start = max(0, line.find(around) - length // 4) if around else 0
    start = min(start, len(line) - length)
    head, tail = "…" if start else "", "…" if start + length < len(line) else ""
    return f"{head}{line[start : start + length]}{tail}"
