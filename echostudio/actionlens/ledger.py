"""The lines of the steps as they reach the disk, and what the person says about a step afterwards."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from dataclasses import replace

from echostudio.actionlens.runfolder import RunWriter
from echostudio.episode.happening import StepRecorded
from echostudio.episode.step import UNDONE, Step
from echostudio.events import EventBus

_KEEP = 50


class Ledger:
    """Writes and tells steps; its methods may be called from several threads.

    A remark about a step whose after line is not written yet is on disk at once, and is part of that line again.
    """

    def __init__(self, writer: RunWriter, bus: EventBus) -> None:
        self._writer = writer
        self._bus = bus
        self._lock = threading.Lock()
        self._latest: deque[Step] = deque(maxlen=_KEEP)
        self._remarks: defaultdict[str, list[str]] = defaultdict(list)

    def before(self, step: Step) -> None:
        """Write a step's first line."""
        with self._lock:
            self._writer.write_before(step)
            self._latest.append(step)
        self._bus.publish(StepRecorded(self._writer.id, step))

    def after(self, step: Step) -> None:
        """Write a step's second line, with what was said about it meanwhile."""
        with self._lock:
            step = _with(step, self._remarks[step.id])
            self._writer.write_after(step)
            self._replace(step)
        self._bus.publish(StepRecorded(self._writer.id, step))

    def remark(self, text: str) -> Step | None:
        """Write a remark to the last step that counts; return it, None when there is none."""
        return self._amend(text.replace(";", ",").strip())

    def undo(self) -> Step | None:
        """Mark the last step that counts as undone; return it, None when there is none."""
        return self._amend(UNDONE)

    def _amend(self, text: str) -> Step | None:
        with self._lock:
            known = next((step for step in reversed(self._latest) if not step.undone), None)
            if known is None or not text:
                return None
            self._remarks[known.id].append(text)
            step = _with(known, [text])
            self._writer.write_amended(step)
            self._replace(step)
        self._bus.publish(StepRecorded(self._writer.id, step))
        return step

    def _replace(self, step: Step) -> None:
        for place, known in enumerate(self._latest):
            if known.id == step.id:
                self._latest[place] = step


def _with(step: Step, remarks: list[str]) -> Step:
    return replace(step, note="; ".join(part for part in (step.note, *remarks) if part))
