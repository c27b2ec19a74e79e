"""A person at work in an editor on a full-HD desktop: what the recorder costs, how fresh its before frames are."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from echostudio.actionlens.repack import repack
from echostudio.actionlens.runfolder import read_run
from echostudio.actionlens.runreader import ASSETS
from echostudio.cancel import CancelToken
from echostudio.desktop import host
from echostudio.episode.action import ActionKind
from echostudio.operations.demo.person import Person
from echostudio.operations.demo.stage import Stage
from tests.bench.recording.process import recorder
from tests.desktop.programs import MENU

_SETTLE_SECONDS = 2.0


@dataclass(frozen=True)
class Work:
    cpu_idle: float
    cpu_busy: float
    cpu_self_test: float
    ages_ms: tuple[float, ...]
    steps: int
    kb_per_step: float
    kb_per_step_png: float
    stop_seconds: float
    self_tests: int
    pointer_steps: int


def work(stage: Stage, folder: Path, idle: float, busy: float) -> Work:
    with recorder(stage.display, folder) as running:
        CancelToken().wait(_SETTLE_SECONDS)
        with running.measured() as resting:
            CancelToken().wait(idle)
        with running.measured() as acting:
            _edit(stage.display, busy)
    run = read_run(running.folder)
    pointed = [step for step in run.steps if step.action.kind is ActionKind.CLICK]
    png = _kb(running.folder)
    repack(running.folder / ASSETS, CancelToken())
    ages = tuple(step.before_age_ms for step in run.steps if step.before_age_ms is not None)
    tested = sum(target.self_test is not None for step in pointed for target in step.targets.values())
    count = max(1, len(run.steps))
    return Work(
        resting.normal + resting.low,
        acting.normal,
        acting.low,
        ages,
        len(run.steps),
        _kb(running.folder) / count,
        png / count,
        running.stop_seconds,
        tested,
        len(pointed),
    )


def _edit(display: str, seconds: float) -> None:
    """Type, open and close a menu, select, as a person does: some two deeds in three seconds."""
    desk = host.open_display(display)
    person, begun = Person(desk, CancelToken()), time.monotonic()
    while time.monotonic() - begun < seconds:
        person.type("some words ")
        person.click("Edit", MENU)
        person.press("escape")
        person.pause(0.4)
        person.hotkey("ctrl", "a")
        person.pause(0.6)
        person.press("end")
        person.pause(0.6)
    desk.close()


def _kb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1000


def quantile(values: tuple[float, ...], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else float("nan")


def median(values: tuple[float, ...]) -> float:
    return statistics.median(values) if values else float("nan")
