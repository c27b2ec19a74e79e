"""A writer that is killed at random moments, and files cut off at every byte: is a told step ever lost?"""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from echostudio.actionlens.runfolder import read_run, recover
from echostudio.actionlens.runreader import EVENTS, LIFECYCLE, STEPS
from echostudio.blobs import BlobStore
from echostudio.episode.step import StepStatus
from echostudio.errors import EchoError
from tests.desktop.recording import ROOT

_LATEST_SECONDS = 0.4


@dataclass
class Kills:
    kills: int = 0
    told: int = 0
    steps_lost: int = 0
    unreadable: int = 0
    cuts: int = 0
    cuts_lost: int = 0


def kills(folder: Path, count: int, dice: random.Random) -> Kills:
    found = Kills()
    for number in range(count):
        _kill_once(folder / f"kill{number}", found, dice.uniform(0.0, _LATEST_SECONDS))
    return found


def _kill_once(folder: Path, found: Kills, after: float) -> None:
    command = [sys.executable, "-m", "tests.unit.actionlens.killed_writer", str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        lines += process.stdout.read().splitlines()
    found.kills += 1
    # The last line itself may have been cut by the kill; what it tells is then not known to have been told.
    told = [line.split() for line in lines if len(line.split()) == 2]
    found.told += sum(phase == "after" for phase, _ in told)
    try:
        steps = {step.index: step for step in read_run(folder / "run-1").steps}
        recover(folder / "run-1")
    except EchoError:
        found.unreadable += 1
        return
    pictures = BlobStore(folder / "run-1" / "assets")
    for phase, index in told:
        step = steps.get(int(index))
        whole = step is not None and (phase == "before" or step.status is StepStatus.DONE)
        shown = step is not None and step.before is not None and pictures.path(step.before.digest) is not None
        found.steps_lost += not (whole and shown)
    shutil.rmtree(folder)


def cuts(run: Path, scratch: Path, found: Kills, step: int = 1) -> None:
    """Cut each file of a run at every ``step``-th byte of its last two lines; whole steps before it must stay."""
    for name in (STEPS, EVENTS, LIFECYCLE):
        data = (run / name).read_bytes()
        begin = len(b"".join(data.splitlines(keepends=True)[:-2]))
        whole = begin and len(read_run(run).steps) - 2
        for at in range(begin, len(data), step):
            copy = scratch / "cut"
            shutil.copytree(run, copy, ignore=shutil.ignore_patterns("assets"))
            (copy / name).write_bytes(data[:at])
            found.cuts += 1
            try:
                found.cuts_lost += len(recover(copy).steps) < whole
            except EchoError:
                found.unreadable += 1
            shutil.rmtree(copy)
