"""A run: one execution, of a person, an agent or a replay; on disk a folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from echostudio.episode.evidence import WindowFacts
from echostudio.episode.geometry import ScreenMap
from echostudio.episode.step import Step

FORMAT_VERSION = 1


class RunSource(StrEnum):
    """Who acted."""

    HUMAN = "human"
    AGENT = "agent"
    REPLAY = "replay"


@dataclass(frozen=True, slots=True)
class Health:
    """Whether anything was lost: counts of raw events, reorders, gaps, torn lines; age of the oldest before frame."""

    captured: int = 0
    stored: int = 0
    reordered: int = 0
    gaps: int = 0
    torn_lines: int = 0
    oldest_before_ms: float = 0.0
    frames: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """The head of a run folder."""

    id: str
    source: RunSource
    intent: str
    desktop_kind: str
    screen: ScreenMap
    started: str
    actor: str = ""
    session_type: str = ""
    platform: str = ""
    app: WindowFacts | None = None
    ended: str | None = None
    complete: bool = False
    recovered: bool = False
    health: Health = field(default_factory=Health)
    format_version: int = FORMAT_VERSION


@dataclass(frozen=True, slots=True)
class Run:
    """A run as read from its folder."""

    manifest: Manifest
    steps: tuple[Step, ...]
