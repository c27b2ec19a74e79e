"""How a person steers a replay from another thread: pause, single step, breakpoints, stop."""

from __future__ import annotations

import threading

from echostudio.cancel import CancelToken


class ReplayControl:
    """The switches of one replay. ``token`` ends it; everything else only holds it back between two inputs."""

    def __init__(self, *, can_resume: bool = True) -> None:
        self.token = CancelToken()
        self.breakpoints: set[int] = set()
        self.can_resume = can_resume
        self._condition = threading.Condition()
        self._paused = False
        self._single = False

    @property
    def paused(self) -> bool:
        """Whether the replay is held back."""
        return self._paused

    def pause(self) -> None:
        """Hold the replay before its next input."""
        with self._condition:
            self._paused = True

    def resume(self) -> None:
        """Let a paused replay go on."""
        with self._condition:
            self._paused = False
            self._condition.notify_all()

    def step(self) -> None:
        """Let a paused replay do one step, then hold it again."""
        with self._condition:
            self._single = True
            self._paused = False
            self._condition.notify_all()

    def stop(self, reason: str = "Stopped by the person.") -> None:
        """End the replay; it lets go of everything it holds down."""
        self.token.cancel(reason)
        self.resume()

    def should_hold(self, index: int) -> bool:
        """Whether the replay must wait before this step; a breakpoint pauses it."""
        with self._condition:
            if index in self.breakpoints and not self._single:
                self._paused = True
            return self._paused

    def hold(self) -> None:
        """Wait until the person goes on; raises ``Cancelled`` when the replay was stopped meanwhile."""
        with self._condition:
            while self._paused and not self.token.cancelled:
                self._condition.wait(0.1)
        self.token.check()

    def step_done(self) -> None:
        """Pause again after a single step."""
        with self._condition:
            if self._single:
                self._single = False
                self._paused = True
