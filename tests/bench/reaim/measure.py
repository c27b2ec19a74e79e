"""One trial at a time: aimed at, compared with the exhaustive search, counted."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from echostudio.cancel import CancelToken
from echostudio.episode.evidence import CropKind
from echostudio.episode.geometry import FramePoint
from echostudio.episode.verdict import Candidate, ReaimResult
from echostudio.reaim import TargetPictures, re_aim, self_test
from echostudio.reaim.decide import decide
from echostudio.reaim.pyramid import ScaledCrop, Screen
from echostudio.reaim.reference import sweep
from echostudio.reaim.request import Request
from echostudio.reaim.sighting import Sighting
from echostudio.settings import ReaimSettings
from tests.bench.reaim.cases import Case, Trial, frame

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

    def add(self, trial: Trial, point: FramePoint | None, condition: str, ms: float) -> None:
        self.n += 1
        self.ms.append(ms)
        if point is None:
            self.refused[condition] += 1
            return
        self.accepted += 1
        truth = trial.truth
        off = max(abs(point.x - truth.x), abs(point.y - truth.y)) if truth else None
        self.within_2px += off is not None and off <= 2
        self.exact += off == 0
        if off is None or off > 2:
            self.wrong.append(f"{trial.case.screen} {trial.case.click.x},{trial.case.click.y}: {point.x},{point.y}")


@dataclass
class Compared:
    """Fast against exhaustive under one condition, with the old place and without it."""

    n: int = 0
    same: int = 0
    same_without: int = 0
    ratios: list[float] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)


def aim(trial: Trial, evidence: TargetPictures | None = None) -> tuple[ReaimResult, float]:
    """The result and the CPU milliseconds."""
    began = time.process_time()
    result = re_aim(frame(trial.pixels), evidence or trial.case.evidence, POLICY)
    return result, (time.process_time() - began) * 1000


def unique(case: Case) -> bool:
    return self_test(frame(case.pixels), case.evidence.crops, POLICY).passed


def compare(trial: Trial, compared: Compared, chance: random.Random, timed: bool) -> None:
    """Aim with and without the old place, search exhaustively, compare.

    ``timed`` sweeps all three crops and notes the ratio; otherwise only what the rule asks for is swept.
    """
    evidence = trial.case.evidence
    height, width = trial.pixels.shape[:2]
    lost = replace(evidence, recorded_point=FramePoint(chance.randrange(width), chance.randrange(height)))
    fast, fast_ms = sorted((aim(trial) for _ in range(3 if timed else 1)), key=lambda pair: pair[1])[
        -1 if not timed else 1
    ]
    without, _ = aim(trial, lost)
    swept = _Swept(trial)
    if timed:
        compared.ratios.append(swept.all_ms() / fast_ms)
    compared.n += 1
    slow, slow_without = swept.decide(evidence), swept.decide(lost)
    compared.same += _same(fast, slow)
    compared.same_without += _same(without, slow_without)
    for name, one, other in (("with", fast, slow), ("without", without, slow_without)):
        if not _same(one, other):
            where = f"{trial.case.screen} {trial.case.click.x},{trial.case.click.y}"
            compared.differences.append(f"{where} {name} old place: {_told(one)}, exhaustive: {_told(other)}")


class _Swept:
    """Exhaustive sweeps of one trial, each made once and when it is asked for."""

    def __init__(self, trial: Trial) -> None:
        self.trial, self.screen = trial, Screen(trial.pixels)
        self.seen: dict[CropKind, Sighting] = {}

    def sweep(self, screen: Screen, crop: ScaledCrop, request: Request, _: Sequence[Candidate] = ()) -> Sighting:
        if crop.crop.kind not in self.seen:
            self.seen[crop.crop.kind] = sweep(screen, crop, request)
        return self.seen[crop.crop.kind]

    def all_ms(self) -> float:
        """CPU milliseconds of sweeping all three crops, without any decision."""
        began = time.process_time()
        screen, request = Screen(self.trial.pixels), _request(self.trial.case.evidence)
        for picture in self.trial.case.evidence.crops:
            self.sweep(screen, ScaledCrop(picture, POLICY.flat_deviation), request)
        return (time.process_time() - began) * 1000

    def decide(self, evidence: TargetPictures) -> ReaimResult:
        """By the same rule as the fast search."""
        return decide(self.screen, _request(evidence), self.sweep)


def _request(evidence: TargetPictures) -> Request:
    return Request(evidence, POLICY, None, None, None, None, CancelToken(), 8)


def _same(one: ReaimResult, two: ReaimResult) -> bool:
    if one.point is None or two.point is None:
        return one.accepted == two.accepted
    return max(abs(one.point.x - two.point.x), abs(one.point.y - two.point.y)) <= 1.5


def _told(result: ReaimResult) -> str:
    numbers = f"{result.crop} {result.best:.3f}/{result.second:.3f} at {result.scale:g}"
    return (
        f"{result.condition or 'accepted'} {result.point.x},{result.point.y} ({numbers})"
        if result.point
        else f"{result.condition} ({numbers})"
    )


def wilson_upper(wrong: int, n: int, z: float = 1.96) -> float:
    """Upper end of the 95 % interval of a rate."""
    if n == 0:
        return 1.0
    share = wrong / n
    middle = share + z * z / (2 * n)
    return float((middle + z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n))
