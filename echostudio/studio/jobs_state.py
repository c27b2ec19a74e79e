"""Which jobs run now, how far they are, and how each is cancelled. No Qt here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from echostudio.events import JobFinished, JobProgress


@dataclass(frozen=True, slots=True)
class Job:
    """One running job; ``total`` 0 means that nobody knows how long it takes."""

    number: int
    words: str
    done: int = 0
    total: int = 0
    name: str = ""
    cancel: Callable[[], None] | None = None


class JobList:
    """The running jobs, oldest first."""

    def __init__(self) -> None:
        self._jobs: dict[int, Job] = {}
        self._count = 0

    @property
    def running(self) -> tuple[Job, ...]:
        """The jobs that have not ended."""
        return tuple(self._jobs.values())

    def begin(self, words: str, cancel: Callable[[], None] | None = None, name: str = "") -> int:
        """Add a job and return its number."""
        self._count += 1
        self._jobs[self._count] = Job(self._count, words, name=name, cancel=cancel)
        return self._count

    def end(self, number: int) -> None:
        """Take a job away; one that has gone already is no fault."""
        self._jobs.pop(number, None)

    def apply(self, event: JobProgress | JobFinished) -> None:
        """Follow a job that speaks on the bus."""
        number = next((job.number for job in self._jobs.values() if job.name == event.job), 0)
        if isinstance(event, JobFinished):
            self.end(number)
            return
        number = number or self.begin(event.words, name=event.job)
        job = self._jobs[number]
        self._jobs[number] = replace(job, words=event.words, done=event.done, total=event.total)
