"""The recorder's second hand: the slow part of finished steps, in their order, at low priority."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from echostudio.actionlens.priority import let_others_first
from echostudio.errors import EchoError


class Finisher:
    """Runs jobs one after the other in a thread; the first error stops it and is kept in ``failure``."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self.failure: EchoError | None = None

    def start(self) -> None:
        """Begin to work."""
        self._thread = threading.Thread(target=self._run, name="step-finisher", daemon=True)
        self._thread.start()

    def add(self, job: Callable[[], None]) -> None:
        """Take a job; without a thread it is done at once."""
        if self._thread is None:
            job()
        else:
            self._jobs.put(job)

    def close(self) -> None:
        """Do all jobs that were added, then end the thread."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        let_others_first()
        while (job := self._jobs.get()) is not None:
            if self.failure is None:
                try:
                    job()
                except EchoError as fault:
                    self.failure = fault
