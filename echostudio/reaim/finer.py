"""Finer scales for a crop that the searched scales leave undecided; the same step in the fast and in the full search.

Between two searched scales a crop of dense text can lose a third of its score. Where the best is short of the needed
score, it is followed over finer scales at its place, and the scale where it got highest is then searched over the whole
frame like any other: what the best gains, its twins gain too. Following only the best would widen the margin by itself.
A margin that is too small is never mended this way: on a resampled screen luck decides which of two equal rows lies
nearer to whole pixels, and the finer scale would take the lucky one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from echostudio.episode.verdict import Candidate
from echostudio.reaim.pyramid import ScaledCrop, Screen
from echostudio.reaim.request import Request
from echostudio.reaim.scoremap import local_map
from echostudio.reaim.sighting import Sighting, highest

# A best under this has nothing in common with the crop at any scale near by.
LOWEST = 0.45
PARTS = 4
_REACH = 3

# Searches one scale over the whole frame, given the place that made it worth while, and adds what else was seen.
ScaleSearch = Callable[[Candidate, Iterable[Candidate]], Sighting]


def decide_finer(
    screen: Screen, crop: ScaledCrop, request: Request, sighting: Sighting, search_scale: ScaleSearch
) -> Sighting:
    """Return the sighting itself when its score passes, else what the best finer scale shows over the whole frame."""
    best, policy = sighting.best, request.policy
    if best is None or not LOWEST <= best.score < policy.eta_match:
        return sighting
    polished = polish(screen, crop, request, best)
    if polished.score < policy.eta_match:
        return sighting
    return search_scale(polished, (best, *sighting.candidates))


def polish(screen: Screen, crop: ScaledCrop, request: Request, one: Candidate) -> Candidate:
    """Follow one place over the finer scales up to the next searched one on both sides."""
    step = request.policy.scale_step / PARTS
    best = one
    for stride in (2, 1):
        around = [best.scale + stride * step, best.scale - stride * step]
        best = highest((best, *(_at(screen, crop, request, best, round(scale, 6)) for scale in around))) or best
    return best


def _at(screen: Screen, crop: ScaledCrop, request: Request, near: Candidate, scale: float) -> Candidate | None:
    request.token.check()
    scaled = crop.at(scale) if crop.fits(scale, screen) else None
    if scaled is None:
        return None
    found = local_map(screen.full, scaled, near.box.center, _REACH, crop.floor)
    return found.best(request.window) if found else None
