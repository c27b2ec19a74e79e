"""Waiting until a screen has come to rest; a blinking caret does not count."""

from __future__ import annotations

from dataclasses import dataclass

from echostudio.actionlens.difference import difference
from echostudio.cancel import CancelToken
from echostudio.desktop.controller import Desktop
from echostudio.episode.frame import Frame
from echostudio.settings import ReplaySettings

_LOOK_SECONDS = 0.04


@dataclass(frozen=True, slots=True)
class Settled:
    """The last frame, how long the wait took, and whether the screen really came to rest."""

    frame: Frame
    ms: float
    quiet: bool


def wait_settled(desktop: Desktop, settings: ReplaySettings, token: CancelToken) -> tuple[Frame, float]:
    """Wait for a quiet screen and return its frame and the milliseconds it took; see ``settle``."""
    settled = settle(desktop, settings, token)
    return settled.frame, settled.ms


def settle(desktop: Desktop, settings: ReplaySettings, token: CancelToken) -> Settled:
    """Grab until fewer than ``settle_pixels`` changed from grab to grab for ``settle_quiet_ms``.

    After ``settle_timeout_s`` the last frame comes back with ``quiet`` False. Raises ``Cancelled`` when the token is
    cancelled, ``DesktopError`` when the screen cannot be grabbed.
    """
    clock = desktop.clock
    begun = quiet_since = clock.now()
    frame = desktop.grab()
    while True:
        now = clock.now()
        if now - quiet_since >= settings.settle_quiet_ms / 1000:
            return Settled(frame, (now - begun) * 1000, True)
        if now - begun >= settings.settle_timeout_s:
            return Settled(frame, (now - begun) * 1000, False)
        clock.sleep(_LOOK_SECONDS, token)
        newer = desktop.grab()
        if difference(frame.pixels, newer.pixels).disturbs(settings.settle_pixels):
            quiet_since = clock.now()
        frame = newer
