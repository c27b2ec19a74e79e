"""The recorder as people run it: a process of its own, started, measured and stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from echostudio.cancel import CancelToken, SystemClock, wait_until


@dataclass
class Share:
    """Percent of one core: of threads of normal and of low priority."""

    normal: float = 0.0
    low: float = 0.0


@dataclass
class RecorderProcess:
    """A running recorder; ``told`` and ``stop_seconds`` are known once it has ended."""

    child: subprocess.Popen[str]
    folder: Path
    told: dict[str, Any] = field(default_factory=dict)
    stop_seconds: float = 0.0

    @contextmanager
    def measured(self) -> Iterator[Share]:
        """Measure what it uses while the block runs."""
        share = Share()
        before, begun = self._used(), time.monotonic()
        yield share
        seconds = time.monotonic() - begun
        after = self._used()
        share.low = 100 * (after[1] - before[1]) / seconds
        share.normal = 100 * (after[0] - before[0]) / seconds - share.low

    def _used(self) -> tuple[float, float]:
        """Return the seconds used by all threads, and by those of low priority (the self test of crops)."""
        process = psutil.Process(self.child.pid)
        times, low = process.cpu_times(), 0.0
        for thread in process.threads():
            with suppress(ProcessLookupError):
                if os.getpriority(os.PRIO_PROCESS, thread.id) > 0:
                    low += thread.user_time + thread.system_time
        return times.user + times.system, low


@contextmanager
def recorder(display: str, folder: Path) -> Iterator[RecorderProcess]:
    """Run ``echostudio record`` while the block runs."""
    ready = folder / "ready"
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "echostudio", "--home", str(folder / "home"), "record", "--json"]
    command += ["--intent", "bench", "--display", display, "--ready-file", str(ready)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        wait_until(lambda: ready.exists() or child.poll() is not None, SystemClock(), CancelToken(), 40)
        running = RecorderProcess(child, folder / "home" / "runs" / ready.read_text())
        yield running
        begun = time.monotonic()
        child.send_signal(signal.SIGINT)
        output, _ = child.communicate(timeout=60)
        running.stop_seconds = time.monotonic() - begun
        running.told = json.loads(output)
    finally:
        if child.poll() is None:
            child.kill()
            child.communicate()
