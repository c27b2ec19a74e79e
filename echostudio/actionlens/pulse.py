"""How a recording does: told while it runs, at most twice a second, and only when something changed."""

from __future__ import annotations

from echostudio.episode.happening import HealthChanged
from echostudio.episode.run import Health
from echostudio.events import EventBus

INTERVAL_SECONDS = 0.5
_MEGABYTE = 1_000_000


class Pulse:
    """Publishes ``HealthChanged``; ``cap`` is the size in megabytes at which the recording stops (0 = never)."""

    def __init__(self, run: str, bus: EventBus, cap: int) -> None:
        self._run, self._bus, self._cap = run, bus, cap
        self._told_at = float("-inf")
        self._told: HealthChanged | None = None

    def due(self, now: float) -> bool:
        """Whether half a second has passed since something was last told or looked at."""
        return now - self._told_at >= INTERVAL_SECONDS

    def tell(self, now: float, health: Health, state: str, size: int) -> bool:
        """Tell what has changed; return whether ``size`` (bytes) is within the cap."""
        self._told_at = now
        happening = HealthChanged(self._run, health, state, round(size / _MEGABYTE, 1), self._cap)
        if happening != self._told:
            self._told = happening
            self._bus.publish(happening)
        return not self._cap or size < self._cap * _MEGABYTE
