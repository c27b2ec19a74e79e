"""Run with ``python3 -m tests.bench.recording [--quick] [--seed N]``.

Prints a table of measured figures against what they must reach, and as the last line one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echostudio.cancel import CancelToken
from echostudio.operations.demo.stage import Stage, stage
from tests.bench.recording.bursts import burst
from tests.bench.recording.kills import Kills, cuts, kills
from tests.bench.recording.texts import STRINGS, texts
from tests.bench.recording.work import median, quantile, work
from tests.desktop.programs import MOUSEPAD
from tests.desktop.recording import desktop_on, live


@dataclass(frozen=True)
class Amounts:
    """How much is measured."""

    burst_seconds: float
    idle_seconds: float
    busy_seconds: float
    kills: int
    cut_step: int
    strings: int


QUICK = Amounts(2, 3, 7, 4, 80, 4)
FULL = Amounts(60, 20, 120, 200, 1, len(STRINGS))


@dataclass
class Row:
    """One line of the table: the figure, what it must reach, from how many."""

    key: str
    value: float | int
    needed: str
    n: str
    good: bool


def measure(amounts: Amounts, folder: Path, seed: int) -> list[Row]:
    rows: list[Row] = []
    with stage(1024, 768, folder / "small", CancelToken()) as here:
        rows += _bursts(here, folder / "burst", amounts)
        rows += _kills(here, folder / "kills", amounts, seed)
        rows += _texts(here, folder / "texts", amounts)
    with stage(1920, 1080, folder / "large", CancelToken()) as here:
        rows += _work(here, folder / "work", amounts)
    return rows


def _bursts(here: Stage, folder: Path, amounts: Amounts) -> list[Row]:
    found = burst(here.display, folder, amounts.burst_seconds)
    pace = f"{found.keys} keys, {found.keys / found.seconds:.0f}/s"
    return [
        Row("keys_lost", found.keys_lost, "0", pace, found.keys_lost == 0),
        Row("moves_lost", found.moves_lost, "0", f"{found.moves} moves", found.moves_lost == 0),
        Row("keys_disordered", found.disordered, "0", pace, found.disordered == 0),
        Row("burst_gaps", found.gaps, "0", "1 recording", found.gaps == 0),
    ]


def _work(here: Stage, folder: Path, amounts: Amounts) -> list[Row]:
    folder.mkdir()
    here.start(MOUSEPAD, folder)
    found = work(here, folder / "run", amounts.idle_seconds, amounts.busy_seconds)
    middle, late = median(found.ages_ms), quantile(found.ages_ms, 0.99)
    steps, ages = f"{found.steps} steps", f"{len(found.ages_ms)} frames"
    untested = found.pointer_steps - found.self_tests
    return [
        Row("before_age_ms_median", round(middle, 1), "<= 40", ages, middle <= 40),
        Row("before_age_ms_p99", round(late, 1), "<= 120", ages, late <= 120),
        Row("cpu_busy", round(found.cpu_busy, 1), "<= 25", f"{amounts.busy_seconds:g} s", found.cpu_busy <= 25),
        Row("cpu_self_test", round(found.cpu_self_test, 1), "", "low priority", True),
        Row("cpu_idle", round(found.cpu_idle, 1), "<= 6", f"{amounts.idle_seconds:g} s", found.cpu_idle <= 6),
        Row("kb_per_step", round(found.kb_per_step, 1), "<= 150", steps, found.kb_per_step <= 150),
        Row("kb_per_step_png", round(found.kb_per_step_png, 1), "", steps, True),
        Row("self_tests_missing", untested, "0", f"{found.pointer_steps} clicks", untested == 0),
        Row("stop_seconds", round(found.stop_seconds, 2), "<= 2", "1 stop", found.stop_seconds <= 2),
    ]


def _kills(here: Stage, folder: Path, amounts: Amounts, seed: int) -> list[Row]:
    found: Kills = kills(folder, amounts.kills, random.Random(seed))
    with desktop_on(here.display) as desk, live(desk, folder / "runs") as recording:
        for word in ("one", "two", "three"):
            here.person.type(word)
            here.person.press("escape")
        recording.stop()
    cuts(recording.writer.path, folder, found, amounts.cut_step)
    n = f"{found.kills} kills"
    return [
        Row("kills", found.kills, "", f"{found.told} told steps", True),
        Row("steps_lost", found.steps_lost, "0", n, found.steps_lost == 0),
        Row("cut_steps_lost", found.cuts_lost, "0", f"{found.cuts} cuts", found.cuts_lost == 0),
        Row("unreadable", found.unreadable, "0", f"{n}, {found.cuts} cuts", found.unreadable == 0),
    ]


def _texts(here: Stage, folder: Path, amounts: Amounts) -> list[Row]:
    every = max(1, len(STRINGS) // amounts.strings)
    found = texts(here, folder, STRINGS[::every][: amounts.strings])
    for line in found.wrong:
        print(f"  not exact: {line}")
    return [
        Row("text_exact", found.exact, f"{found.total}", "Qt 6 field", found.exact == found.total),
        Row("text_total", found.total, "", "Qt 6 field", True),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small part of everything, in under 50 seconds")
    parser.add_argument("--seed", type=int, default=4)
    chosen = parser.parse_args()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(QUICK if chosen.quick else FULL, Path(folder), chosen.seed)
    shown: Callable[[Row], str] = lambda row: "" if row.good else "  <-- not reached"  # noqa: E731
    print(f"{'figure':24}{'measured':>12}  {'needed':10}{'of':28}")
    for row in rows:
        print(f"{row.key:24}{row.value:>12}  {row.needed:10}{row.n:28}{shown(row)}")
    told: dict[str, Any] = {row.key: row.value for row in rows}
    print(json.dumps({**told, "seconds": round(time.monotonic() - begun, 1), "quick": chosen.quick}))


if __name__ == "__main__":
    main()
