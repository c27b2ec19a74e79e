"""What someone asks for, and what the desk looks like: the two inputs of the gates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from echostudio.episode.evidence import ScreenFacts, WindowFacts
from echostudio.episode.verdict import ReaimResult


@dataclass(frozen=True, slots=True)
class Request:
    """A wish: words (empty when a memory is chosen by name), values by field name, and the program if named."""

    text: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    app: str = ""
    waive_lifecycle: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    """What the desk shows. ``look`` searches the first target in the present frame and touches nothing.

    A request without a desk has ``windows`` None: app and state then stay unknown.
    """

    windows: tuple[WindowFacts, ...] | None = None
    facts: Callable[[], ScreenFacts] | None = None
    look: Callable[[], ReaimResult | None] | None = None
