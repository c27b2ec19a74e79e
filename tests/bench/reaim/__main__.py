"""Run with ``python3 -m tests.bench.reaim [--quick] [--cases DIR] [--seed N] [--reference N]``.

Prints a table, and as the last line one line of JSON with the same figures.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from echostudio.cancel import CancelToken
from echostudio.episode.verdict import Candidate, ReaimResult
from echostudio.reaim import re_aim, self_test
from echostudio.reaim.decide import decide
from echostudio.reaim.pyramid import ScaledCrop, Screen
from echostudio.reaim.reference import sweep
from echostudio.reaim.request import Request
from echostudio.reaim.sighting import Sighting
from echostudio.settings import ReaimSettings
from tests.bench.reaim.cases import ADVERSARIAL, DATA, HITS, Case, Trial, frame, load, trials

POLICY = ReaimSettings()
TIMED = ("identity", "scaled", "absent")


@dataclass
class Tally:
    """What happened under one condition."""

    n: int = 0
    accepted: int = 0
    within_2px: int = 0
    exact: int = 0
    wrong: list[str] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, trial: Trial, result: ReaimResult, ms: float) -> None:
        self.n += 1
        self.ms.append(ms)
        if result.point is None:
            self.refused[result.condition] += 1
            return
        self.accepted += 1
        truth = trial.truth
        off = max(abs(result.point.x - truth.x), abs(result.point.y - truth.y)) if truth else None
        self.within_2px += off is not None and off <= 2
        self.exact += off == 0
        if off is None or off > 2:
            self.wrong.append(f"{trial.case.screen} {trial.case.click.x},{trial.case.click.y} off by {off} px")


@dataclass
class Compared:
    """Fast against exhaustive under one condition."""

    n: int = 0
    same: int = 0
    ratios: list[float] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)


def aim(trial: Trial) -> tuple[ReaimResult, float]:
    began = time.process_time()
    result = re_aim(frame(trial.pixels), trial.case.evidence, POLICY)
    return result, (time.process_time() - began) * 1000


def exhaust(trial: Trial) -> tuple[ReaimResult, float]:
    """Sweep all three crops, timed, then decide by the same rule from what the sweeps saw."""
    evidence = trial.case.evidence
    request = Request(evidence, POLICY, None, None, None, None, CancelToken(), 8)
    began = time.process_time()
    screen = Screen(trial.pixels)
    crops = [ScaledCrop(crop, POLICY.flat_deviation) for crop in evidence.crops]
    seen = {crop.crop.kind: sweep(screen, crop, request) for crop in crops}
    ms = (time.process_time() - began) * 1000

    def remembered(_: Screen, crop: ScaledCrop, __: Request, seeds: Sequence[Candidate]) -> Sighting:
        return seen[crop.crop.kind]

    return decide(screen, request, remembered), ms


def compare(trial: Trial, compared: Compared) -> None:
    fast, fast_ms = sorted((aim(trial) for _ in range(3)), key=lambda pair: pair[1])[1]
    slow, slow_ms = exhaust(trial)
    compared.n += 1
    compared.ratios.append(slow_ms / fast_ms)
    same = fast.accepted == slow.accepted
    if same and fast.point and slow.point:
        same = max(abs(fast.point.x - slow.point.x), abs(fast.point.y - slow.point.y)) <= 1.5
    compared.same += same
    if not same:
        where = f"{trial.case.screen} {trial.case.click.x},{trial.case.click.y}"
        compared.differences.append(
            f"{where}: fast {fast.condition or fast.point}, full {slow.condition or slow.point}"
        )


def unique(case: Case) -> bool:
    return self_test(frame(case.pixels), case.evidence.crops, POLICY).passed


def wilson_upper(wrong: int, n: int, z: float = 1.96) -> float:
    """Upper end of the 95 % interval of a rate."""
    if n == 0:
        return 1.0
    share = wrong / n
    middle = share + z * z / (2 * n)
    return float((middle + z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n))


def measure(cases: list[Case], chosen: list[Case], seed: int, until: float) -> tuple[dict[str, Tally], list[bool]]:
    tallies: dict[str, Tally] = defaultdict(Tally)
    passed = []
    for index, case in enumerate(chosen):
        if time.perf_counter() > until:
            break
        passed.append(unique(case))
        for trial in trials(case, cases, random.Random(seed * 1000 + index)):
            result, ms = aim(trial)
            tallies[trial.condition].add(trial, result, ms)
            if trial.condition == "identity" and passed[-1]:
                tallies["identity, unique when recorded"].add(trial, result, ms)
    return tallies, passed


def measure_reference(cases: list[Case], chosen: list[Case], seed: int, runs: int, until: float) -> dict[str, Compared]:
    compared: dict[str, Compared] = {name: Compared() for name in (*TIMED, "erased")}
    done = 0
    for index, case in enumerate(chosen):
        for trial in trials(case, cases, random.Random(seed * 1000 + index)):
            if done >= runs or time.perf_counter() > until:
                return compared
            if trial.condition in compared:
                compare(trial, compared[trial.condition])
                done += 1
    return compared


def figures(tallies: dict[str, Tally], compared: dict[str, Compared]) -> dict[str, object]:
    total = sum(one.n for one in compared.values())
    row: dict[str, object] = {
        "agreement": round(sum(one.same for one in compared.values()) / total, 4) if total else None,
        "n_agreement": total,
    }
    for name in TIMED:
        ratios = compared[name].ratios
        row[f"speedup_{name}"] = round(float(np.median(ratios)), 1) if ratios else None
    for name in ("identity", "scaled", "absent"):
        row[f"ms_{name}"] = round(float(np.median(tallies[name].ms)), 1)
    unique_ones = tallies["identity, unique when recorded"]
    for name, tally in (("identity", unique_ones), ("scaled", tallies["scaled"]), ("moved", tallies["moved"])):
        row[f"n_{name}"] = tally.n
        row[f"{name}_accept"] = round(tally.accepted / max(1, tally.n), 4)
        row[f"{name}_within_2px"] = round(tally.within_2px / max(1, tally.accepted), 4)
    row["identity_at_0px"] = round(unique_ones.exact / max(1, unique_ones.accepted), 4)
    for name in ADVERSARIAL:
        row[f"wrong_{name}"] = len(tallies[name].wrong)
    row["n_adversarial"] = sum(tallies[name].n for name in ADVERSARIAL)
    row["wrong_adversarial"] = sum(len(tallies[name].wrong) for name in ADVERSARIAL)
    row["wrong_upper_95"] = round(wilson_upper(row["wrong_adversarial"], row["n_adversarial"]), 5)  # type: ignore[arg-type]
    return row


def show(tallies: dict[str, Tally], compared: dict[str, Compared], passed: list[bool]) -> None:
    print(f"{len(passed)} targets, {sum(passed)} unique when recorded. Milliseconds of one thread's CPU time.")
    print(
        f"{'condition':32} {'n':>4} {'accept':>7} {'<=2 px':>7} {'0 px':>6} {'wrong':>6} {'ms':>6} {'p95':>6}  refused"
    )
    for name in (HITS[0], "identity, unique when recorded", *HITS[1:], *ADVERSARIAL):
        one = tallies[name]
        if one.n:
            why = ", ".join(f"{key} {count}" for key, count in sorted(one.refused.items()))
            print(
                f"{name:32} {one.n:4} {one.accepted / one.n:7.1%} {one.within_2px:7} {one.exact:6} {len(one.wrong):6}"
                f" {np.median(one.ms):6.0f} {np.percentile(one.ms, 95):6.0f}  {why}"
            )
            for line in one.wrong:
                print(f"    wrong: {line}")
    for name, pair in compared.items():
        if pair.n:
            speed = f"{np.median(pair.ratios):.0f}x"
            print(f"against the exhaustive search, {name}: {pair.same} of {pair.n} the same, {speed} faster")
            for line in pair.differences:
                print(f"    differs: {line}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="an honest sample that ends within 50 s")
    parser.add_argument("--cases", type=Path, default=DATA, help="folder with cases.json and screens/")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reference", type=int, default=40, help="how many exhaustive runs to compare with")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop taking new cases after so long")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    began = time.perf_counter()
    cases = load(given.cases)
    chosen = random.Random(given.seed).sample(cases, len(cases))
    # The exhaustive runs come first: one of them may take many seconds and is never cut short.
    limit = min(given.seconds, 42.0) if given.quick else given.seconds
    compare_until, aims_until = began + limit / 2, began + limit
    compared = measure_reference(cases, chosen, given.seed, given.reference, compare_until)
    tallies, passed = measure(cases, chosen, given.seed, aims_until)
    show(tallies, compared, passed)
    print(json.dumps(figures(tallies, compared)))


if __name__ == "__main__":
    main()
