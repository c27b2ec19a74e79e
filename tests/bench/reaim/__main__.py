"""Run with ``python3 -m tests.bench.reaim [--quick] [--cases DIR] [--half even|odd] [--seed N] ...``.

Prints a table, and as the last line one line of JSON with the same figures. The full run takes about half an hour of
one core; ``--quick`` is a sample of everything that ends within 50 seconds.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import cv2

from tests.bench.reaim.cases import DATA, HITS, Case, Trial, adversarial, load, part, trials
from tests.bench.reaim.cost import extra_memory, large_frame_ratio
from tests.bench.reaim.measure import TIMED, Compared, Tally, aim, compare, unique
from tests.bench.reaim.peers import PEERS
from tests.bench.reaim.report import UNIQUE, Measured, figures, show


@dataclass
class Plan:
    """How much is measured; times in seconds from the start, after which no new case is begun."""

    reference: int
    reference_until: float
    windows: int
    windows_until: float
    peers: int
    large: int
    hostile: int
    aims_until: float


FULL = Plan(12, 500, 200, 1100, 12, 6, 1000, float("inf"))
QUICK = Plan(1, 30, 10, 22, 0, 1, 6, 44)


class Bench:
    """The cases of one run, in the order drawn, and a clock."""

    def __init__(self, cases: list[Case], chosen: list[Case], seed: int, plan: Plan) -> None:
        self.cases, self.chosen, self.seed, self.plan = cases, chosen, seed, plan
        self.began = time.perf_counter()

    def late(self, until: float) -> bool:
        return time.perf_counter() - self.began > until

    def chance(self, index: int, salt: int) -> random.Random:
        return random.Random(self.seed * 100_000 + salt * 10_000 + index)

    def hits(self, index: int) -> list[Trial]:
        return list(trials(self.chosen[index], self.cases, self.chance(index, 1)))

    def reference(self) -> dict[str, Compared]:
        """The timed comparison at full size."""
        compared = {name: Compared() for name in TIMED}
        for index in range(min(self.plan.reference, len(self.chosen))):
            asked = {one.condition: one for one in self.hits(index)}
            hostile = adversarial(self.chosen[index], self.cases, self.chance(index, 2))
            asked["absent"] = next(one for one in hostile if one.condition == "absent")
            for name in TIMED:
                if not self.late(self.plan.reference_until):
                    compare(asked[name], compared[name], self.chance(index, 3), timed=True)
        return compared

    def windows(self) -> dict[str, Compared]:
        """The comparison of decisions on windows of the screens, under every condition."""
        compared: dict[str, Compared] = defaultdict(Compared)
        done = 0
        for index in range(len(self.chosen)):
            chance = self.chance(index, 4)
            hostile = adversarial(self.chosen[index], self.cases, self.chance(index, 5))
            every = [*self.hits(index), *(one for one in hostile if one.condition != "blank")]
            for trial in chance.sample(every, 4):
                if done >= self.plan.windows or self.late(self.plan.windows_until):
                    return compared
                compare(part(trial, chance), compared[trial.condition], chance, timed=False)
                done += 1
        return compared

    def peers(self) -> dict[str, dict[str, Tally]]:
        """Peers and re-aim itself on the same trials."""
        tallies: dict[str, dict[str, Tally]] = defaultdict(lambda: defaultdict(Tally))
        for index in range(min(self.plan.peers, len(self.chosen))):
            if self.late(self.plan.aims_until - 10):
                break
            hostile = adversarial(self.chosen[index], self.cases, self.chance(index, 2))
            absent = next(one for one in hostile if one.condition == "absent")
            for trial in (*(one for one in self.hits(index) if one.condition in TIMED), absent):
                result, ms = aim(trial)
                tallies[trial.condition]["re-aim"].add(trial, result.point, result.condition, ms)
                for name, finder in PEERS.items():
                    began = time.process_time()
                    point = finder(trial)
                    ms = (time.process_time() - began) * 1000
                    tallies[trial.condition][name].add(trial, point, "not found", ms)
        return tallies

    def aims(self) -> tuple[dict[str, Tally], list[bool]]:
        """All conditions of all cases, fast search only."""
        tallies: dict[str, Tally] = defaultdict(Tally)
        passed: list[bool] = []
        for index, case in enumerate(self.chosen):
            passed.append(unique(case))
            hostile = islice(adversarial(case, self.cases, self.chance(index, 6)), self.plan.hostile)
            for trial in (*self.hits(index), *hostile):
                if self.late(self.plan.aims_until):
                    return tallies, passed
                result, ms = aim(trial)
                tallies[trial.condition].add(trial, result.point, result.condition, ms)
                if trial.condition in HITS and passed[-1]:
                    tallies[trial.condition + UNIQUE].add(trial, result.point, result.condition, ms)
        return tallies, passed


def halved(cases: list[Case], half: str) -> list[Case]:
    """The cases on every second screen by name; ``even`` is the half on which choices are made."""
    if half == "all":
        return cases
    names = sorted({case.screen for case in cases})[half == "odd" :: 2]
    return [case for case in cases if case.screen in names]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="an honest sample that ends within 50 s")
    parser.add_argument("--cases", type=Path, default=DATA, help="folder with cases.json and screens/")
    parser.add_argument("--half", choices=("all", "even", "odd"), default="all", help="screens to look for targets of")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reference", type=int, help="how many cases to time against the exhaustive search")
    parser.add_argument("--windows", type=int, help="how many decisions to compare on 960x540 windows")
    parser.add_argument("--peers", type=int, help="how many cases the peers get")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    plan = QUICK if given.quick else FULL
    for name in ("reference", "windows", "peers"):
        if getattr(given, name) is not None:
            setattr(plan, name, getattr(given, name))
    cases = load(given.cases)
    picked = halved(cases, given.half)
    bench = Bench(cases, random.Random(given.seed).sample(picked, len(picked)), given.seed, plan)
    conditions = f"{len(cases)} cases of {given.cases.name}, half {given.half}, seed {given.seed}"
    measured = Measured(conditions, {}, bench.reference(), bench.windows(), peers=bench.peers())
    measured.extra_mb = extra_memory(given.cases)
    if plan.large:
        measured.large_ratio, measured.n_large = large_frame_ratio(bench.chosen[: plan.large])
    measured.tallies, measured.passed = bench.aims()
    show(measured)
    print(json.dumps(figures(measured)))


if __name__ == "__main__":
    main()
