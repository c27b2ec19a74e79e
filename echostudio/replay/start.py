"""What the desk shows before a replay: the questions of the gates, and the dry look for the first target."""

from __future__ import annotations

from dataclasses import dataclass

from echostudio.actionlens import targeting
from echostudio.blobs import BlobStore
from echostudio.cancel import CancelToken
from echostudio.desktop.controller import Desktop
from echostudio.episode.action import ActionKind
from echostudio.episode.evidence import ScreenFacts, TargetEvidence
from echostudio.episode.frame import Frame
from echostudio.episode.memory import Memory, MemoryStep
from echostudio.episode.verdict import ReaimResult
from echostudio.replay.flexible import flexible_masks
from echostudio.retrieval.request import Situation
from echostudio.settings import Settings, with_thresholds


@dataclass(frozen=True, slots=True)
class Looked:
    """A dry look: the step and role that were looked for, the frame that was searched, and what it gave."""

    step: MemoryStep
    role: str
    frame: Frame
    result: ReaimResult


class StartView:
    """Answers the gates from one desktop; asking touches nothing. ``looked`` is the dry look once it was asked for."""

    def __init__(
        self, desktop: Desktop, memory: Memory, blobs: BlobStore, settings: Settings, token: CancelToken
    ) -> None:
        self._desktop = desktop
        self._memory = memory
        self._blobs = blobs
        self._settings = settings_for(memory, settings)
        self._token = token
        self.looked: Looked | None = None

    def situation(self) -> Situation:
        """Return what the gates may ask."""
        return Situation(self._desktop.windows(), self._desktop.screen_facts, self._look)

    def _look(self) -> ReaimResult | None:
        first = first_target(self._memory)
        if first is None:
            return None
        step, role, evidence = first
        frame = self._desktop.grab()
        masks = flexible_masks(self._memory.program, step, evidence)
        result = targeting.look(self._desktop, frame, evidence, self._blobs, self._settings, self._token, masks=masks)
        self.looked = Looked(step, role, frame, result)
        return result


def settings_for(memory: Memory, settings: Settings) -> Settings:
    """Return the settings under which a memory is replayed: its own thresholds go before the general ones.

    Raises ``SettingsError`` when its thresholds are not allowed ones.
    """
    return settings.model_copy(update={"reaim": with_thresholds(settings.reaim, memory.policy)})


def first_target(memory: Memory) -> tuple[MemoryStep, str, TargetEvidence] | None:
    """Return the first pointer target that must show at the start: nothing but keys for the same window goes before."""
    for step in memory.program:
        target = next(iter(step.targets.items()), None)
        if target is not None:
            return step, *target
        start = memory.program[0].screen
        same = step.screen is not None and start is not None and step.screen.window is not None
        if step.action.kind is not ActionKind.TYPE or not same or _handle(step.screen) != _handle(start):
            return None
    return None


def _handle(facts: ScreenFacts | None) -> int | None:
    return facts.window.handle if facts is not None and facts.window is not None else None
