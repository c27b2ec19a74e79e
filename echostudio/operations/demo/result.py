"""What the demo found: its parts, each held or not, and the replays behind them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from echostudio.episode.report import ReplayReport
from echostudio.replay.report import document as replay_document


@dataclass(frozen=True, slots=True)
class Part:
    """One promise of the demo: what was expected, what happened, and whether it held."""

    title: str
    expected: str
    actual: str
    held: bool
    seconds: float
    replay: ReplayReport | None = None


@dataclass(slots=True)
class DemoResult:
    """All parts; ``held`` only when every one of them did and all were reached."""

    report: Path
    planned: int
    parts: list[Part] = field(default_factory=list)
    memory: str = ""
    run: str = ""
    editor: str = ""
    seconds: float = 0.0
    pictures: dict[str, str] = field(default_factory=dict)
    fault: str = ""

    @property
    def held(self) -> bool:
        """Whether the demo showed what it promised."""
        return not self.fault and len(self.parts) == self.planned and all(part.held for part in self.parts)

    def document(self) -> dict[str, Any]:
        """Return ``report.json``."""
        return {
            "held": self.held,
            "fault": self.fault or None,
            "memory": self.memory,
            "run": self.run,
            "editor": self.editor,
            "seconds": round(self.seconds, 1),
            "report": str(self.report),
            "pictures": self.pictures,
            "parts": [
                {
                    "title": part.title,
                    "expected": part.expected,
                    "actual": part.actual,
                    "held": part.held,
                    "seconds": round(part.seconds, 1),
                    "replay": replay_document(part.replay) if part.replay else None,
                }
                for part in self.parts
            ],
        }
