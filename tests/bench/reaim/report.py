"""The figures as a table for people and as one JSON object."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests.bench.reaim.cases import ADVERSARIAL, HITS
from tests.bench.reaim.measure import TIMED, Compared, Tally, wilson_upper

UNIQUE = ", unique when recorded"


@dataclass
class Measured:
    """Everything that one run of the bench found out."""

    conditions: str
    tallies: dict[str, Tally]
    reference: dict[str, Compared]
    windows: dict[str, Compared]
    passed: list[bool] = field(default_factory=list)
    peers: dict[str, dict[str, Tally]] = field(default_factory=dict)
    extra_mb: float | None = None
    large_ratio: float | None = None
    n_large: int = 0


def figures(measured: Measured) -> dict[str, object]:
    """The JSON row; rates are shares of 1."""
    tallies = measured.tallies
    row: dict[str, object] = {"conditions": measured.conditions, **_agreement(measured)}
    for name in TIMED:
        ratios = measured.reference[name].ratios
        row[f"speedup_{name}"] = round(float(np.median(ratios)), 1) if ratios else None
        row[f"n_speedup_{name}"] = len(ratios)
        row[f"ms_{name}"] = round(float(np.median(tallies[name].ms)), 1) if tallies[name].ms else None
    unique = tallies["identity" + UNIQUE]
    for name, tally in (("identity", unique), *((one, tallies[one]) for one in HITS[1:])):
        row[f"n_{name}"] = tally.n
        row[f"{name}_accept"] = round(tally.accepted / tally.n, 4) if tally.n else None
        row[f"{name}_within_2px"] = round(tally.within_2px / tally.accepted, 4) if tally.accepted else None
    row["identity_at_0px"] = round(unique.exact / unique.accepted, 4) if unique.accepted else None
    for name in ADVERSARIAL:
        row[f"wrong_{name}"] = len(tallies[name].wrong)
        row[f"n_{name}"] = tallies[name].n
    row["moved_accept_of_unique"] = _share(tallies["moved" + UNIQUE])
    n, wrong = sum(tallies[one].n for one in ADVERSARIAL), sum(len(tallies[one].wrong) for one in ADVERSARIAL)
    row |= {"n_adversarial": n, "wrong_adversarial": wrong, "wrong_upper_95": round(wilson_upper(wrong, n), 5)}
    row |= {"extra_mb": measured.extra_mb, "large_frame_ratio": _rounded(measured.large_ratio)}
    return row


def _agreement(measured: Measured) -> dict[str, object]:
    every = [*measured.reference.values(), *measured.windows.values()]
    n = sum(one.n for one in every)
    return {
        "agreement": round(sum(one.same for one in every) / n, 4) if n else None,
        "agreement_without_place": round(sum(one.same_without for one in every) / n, 4) if n else None,
        "n_agreement": n,
    }


def _share(tally: Tally) -> float | None:
    return round(tally.accepted / tally.n, 4) if tally.n else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def show(measured: Measured) -> None:
    """Print the table."""
    passed = measured.passed
    print(f"{measured.conditions}. {len(passed)} targets, {sum(passed)} unique when recorded.")
    print("Milliseconds are CPU time of one thread, median and 95th percentile.")
    print(
        f"{'condition':32} {'n':>5} {'accept':>7} {'<=2 px':>7} {'0 px':>5} {'wrong':>6} {'ms':>5} {'p95':>5}  refused"
    )
    for name in (*(one + kind for one in HITS for kind in ("", UNIQUE)), *ADVERSARIAL):
        _show_tally(name, measured.tallies[name])
    for name, finders in measured.peers.items():
        for finder, tally in finders.items():
            _show_tally(f"{name}: {finder}", tally)
    _show_compared("1920x1080", measured.reference)
    _show_compared("960x540 windows", measured.windows)
    if measured.extra_mb is not None:
        print(f"extra memory of a re-aim at 1920x1080: {measured.extra_mb:.0f} MB (8 re-aims, resident, highest)")
    if measured.large_ratio is not None:
        print(f"a screen of twice the width and height takes {measured.large_ratio:.2f}x (n = {measured.n_large})")


def _show_tally(name: str, one: Tally) -> None:
    if not one.n:
        return
    why = ", ".join(f"{key} {count}" for key, count in sorted(one.refused.items()))
    print(
        f"{name:32} {one.n:5} {one.accepted / one.n:7.1%} {one.within_2px:7} {one.exact:5} {len(one.wrong):6}"
        f" {np.median(one.ms):5.0f} {np.percentile(one.ms, 95):5.0f}  {why}"
    )
    for line in one.wrong if ":" not in name else ():
        print(f"    wrong: {line}")


def _show_compared(what: str, compared: dict[str, Compared]) -> None:
    for name, one in compared.items():
        if not one.n:
            continue
        speed = f", median {np.median(one.ratios):.0f}x faster" if one.ratios else ""
        print(
            f"against the exhaustive search, {what}, {name}: {one.same} of {one.n} the same,"
            f" {one.same_without} without the old place{speed}"
        )
        for line in one.differences:
            print(f"    differs: {line}")
