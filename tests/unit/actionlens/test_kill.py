"""``kill -9`` of a real writer: whatever it had told is in the folder."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from echostudio.actionlens.runfolder import read_run, recover
from echostudio.actionlens.runreader import read_events
from echostudio.blobs import BlobStore
from echostudio.episode.step import StepStatus

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("lines", [1, 2, 7, 24])
def test_every_step_that_was_told_survives_a_kill(tmp_path: Path, lines: int) -> None:
    command = [sys.executable, "-m", "tests.unit.actionlens.killed_writer", str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = [process.stdout.readline().split() for _ in range(lines)]
        process.send_signal(signal.SIGKILL)
        told += [line.split() for line in process.stdout.read().splitlines()]
    path = tmp_path / "run-1"
    run = read_run(path)
    pictures = BlobStore(path / "assets")
    found = {step.index: step for step in run.steps}
    for phase, index in told:
        step = found[int(index)]
        assert step.before is not None
        assert pictures.get(step.before.digest).shape == (48, 64, 3)
        if phase == "after":
            assert step.status is StepStatus.DONE
    assert len(read_events(path)) >= 2 * sum(phase == "before" for phase, _ in told)
    assert all(step.status is StepStatus.DONE for step in recover(path).steps)
