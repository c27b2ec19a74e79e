"""The fast search for one crop: coarse over all scales, peaks refined at full size, one exact map where it was best.

The margin stays honest because twins on one screen share its scale: the exact map at the winning scale finds every
one of them; coarse peaks only serve the other scales. Scales are those of the exhaustive search; a finer one is tried
only where ``finer`` asks for it, in both searches, and then has its own exact map.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from echostudio.episode.geometry import FramePoint
from echostudio.episode.verdict import Candidate
from echostudio.reaim.coarse import CoarseStack, Peak, exact_map
from echostudio.reaim.finer import decide_finer
from echostudio.reaim.pyramid import ScaledCrop, Screen, scales
from echostudio.reaim.request import Request
from echostudio.reaim.scoremap import local_map
from echostudio.reaim.sighting import Sighting, apart, highest, near_distance, peaks, sighted

COARSE_PEAKS = 12
FIRST_PEAKS = 4
OTHER_PEAKS = 6
# So many of the first places are looked at in the neighbouring scales too.
CLOSER_LOOKS = 2
# A best this far under the threshold stays under it at full size: no exact map is needed to refuse it.
HOPELESS = 0.12
# From here on no other place can be better by more than the exact map of this scale will show.
PERFECT = 0.999
# A neighbouring scale gains less than this over the scale of a coarse peak.
SCALE_GAIN = 0.25
# The same for a place that the exact map of the winning scale has placed already.
RIVAL_GAIN = 0.10
# How much higher than its coarse score a place may turn out at full size (thin lines lose most).
COARSE_LOSS = 0.30
# Along a ridge of scales the score falls no faster than this a step.
RIDGE = 0.01
# Looks whose middles lie in one square of this edge are the same look.
_SAME = 4


def find(screen: Screen, crop: ScaledCrop, request: Request, seeds: Sequence[Candidate] = ()) -> Sighting:
    """Find best and second best of one crop over the whole frame.

    Args:
        screen: The frame, made ready.
        crop: The crop.
        request: Policy, window, token.
        seeds: Places worth a look whatever the coarse map says. Only the middle of the box and the scale count.
    """
    fitting = [scale for scale in scales(request.policy) if crop.fits(scale, screen)]
    if not fitting or crop.flat:
        return Sighting(None, None, fits=bool(fitting), flat=crop.flat)
    return _Search(screen, crop, request, fitting).run(seeds)


class _Search:
    def __init__(self, screen: Screen, crop: ScaledCrop, request: Request, fitting: list[float]) -> None:
        self.screen, self.crop, self.request = screen, crop, request
        self.fitting = fitting
        self.floor = request.policy.flat_deviation
        self.looked: dict[tuple[float, int, int, bool], Candidate | None] = {}
        self.stack = CoarseStack(screen, crop, fitting[::2], request)

    def run(self, seeds: Sequence[Candidate]) -> Sighting:
        refined = self._first([*self._seed_peaks(seeds), *self._coarse_peaks()])
        best = highest(refined)
        if best is None:
            return Sighting(None, None)
        if best.score < PERFECT:
            best = self._climb(best)
        hopeless = best.score < self.request.policy.eta_match - HOPELESS
        sighting = self._hopeless(best, refined) if hopeless else self._exact(best, refined)
        return decide_finer(self.screen, self.crop, self.request, sighting, self._exact)

    def _first(self, peaks: Sequence[Peak]) -> list[Candidate]:
        """Look at the first peaks at full size; at the neighbouring scales only where that can matter."""
        found: list[Candidate] = []
        for peak in peaks:
            middle = self._refine(peak, (0,))
            found += middle
            if middle and middle[0].score >= PERFECT:
                return found
        highest_coarse = sorted(peaks, key=lambda peak: -peak.coarse)[:CLOSER_LOOKS]
        for peak in (*highest_coarse, *(_peak(one) for one in apart(found, CLOSER_LOOKS))):
            found += self._refine(peak, (-1, 1))
        return found

    def _coarse_peaks(self) -> list[Peak]:
        peaks = self.stack.peaks(COARSE_PEAKS, self.request.window)
        return self.stack.sharpened(peaks, self.fitting, FIRST_PEAKS)

    def _seed_peaks(self, seeds: Sequence[Candidate]) -> list[Peak]:
        return [Peak(seed.box.center, self.fitting[self._index(seed.scale)], 1.0) for seed in seeds]

    def _index(self, scale: float) -> int:
        """The number of the searched scale nearest to ``scale``."""
        index = round((scale - self.fitting[0]) / self.request.policy.scale_step)
        return min(max(0, index), len(self.fitting) - 1)

    def _refine(self, peak: Peak, steps: Sequence[int], window: bool = True) -> list[Candidate]:
        """Match at full size round a peak, at the scales so many steps from its own."""
        index = self._index(peak.scale)
        places = [index + step for step in steps if 0 <= index + step < len(self.fitting)]
        found = [self._look(peak.center, self.fitting[place], window) for place in places]
        return [one for one in found if one is not None]

    def _look(self, center: FramePoint, scale: float, window: bool) -> Candidate | None:
        """The best place at that scale near ``center``; what was looked at already is remembered."""
        key = (scale, center.x // _SAME, center.y // _SAME, window)
        if key not in self.looked:
            self.request.token.check()
            scaled = self.crop.at(scale)
            reach = self.screen.factor + 1 + round(max(self.crop.size(scale)) * 0.05 / 2)
            near = local_map(self.screen.full, scaled, center, reach, self.floor) if scaled else None
            self.looked[key] = near.best(self.request.window if window else None) if near else None
        return self.looked[key]

    def _climb(self, best: Candidate) -> Candidate:
        """Follow the score over the neighbouring scales, down and up.

        Two steps each way at least, and on as long as it falls no further than a ridge does: a plain crop scores nearly
        the same over many scales, each at a slightly other place.
        """
        start = self._index(best.scale)
        first = best
        for direction in (-1, 1):
            place, index = first, start + direction
            while 0 <= index < len(self.fitting):
                one = self._look(place.box.center, self.fitting[index], True)
                on_ridge = one is not None and one.score >= best.score - RIDGE
                if one is None or not (on_ridge or abs(index - start) < 2):
                    break
                best, place = highest((best, one)) or best, one if on_ridge else place
                index += direction
        return best

    def _hopeless(self, best: Candidate, refined: Iterable[Candidate]) -> Sighting:
        places = apart([best, *refined], self.request.keep)
        return Sighting(best, places[1] if len(places) > 1 else None, places)

    def _exact(self, best: Candidate, refined: Iterable[Candidate]) -> Sighting:
        self.request.token.check()
        scaled = self.crop.at(best.scale)
        if scaled is None:
            return self._hopeless(best, refined)
        policy = self.request.policy
        needed = max(policy.eta_match, best.score) - policy.eta_margin
        exact = exact_map(self.screen, self.crop, scaled, needed, best.box)
        best = highest((exact.best(self.request.window), best)) or best
        near = exact.near_twin(best, near_distance(best.box), policy.eta_margin)
        places = peaks([exact], best, max(2, self.request.keep))
        # A best that is refused anyway needs no complete list of rivals.
        others = self._other_scales(best, places[1:]) if best.score >= policy.eta_match else []
        free = [one for one in (*refined, *others, *places[1:]) if not one.box.overlaps(best.box)]
        return sighted(best, near, free, self.request.keep)

    def _other_scales(self, best: Candidate, rivals: Sequence[Candidate]) -> list[Candidate]:
        """Look at the other scales beside ``best`` until the margin is decided.

        First the rivals of the exact map, which may match better at a neighbouring scale, then the coarse peaks.
        """
        needed = best.score - self.request.policy.eta_margin
        found: list[Candidate] = []
        for rival in rivals:
            if rival.score > needed:
                return found
            if rival.score > needed - RIVAL_GAIN:
                found += self._beside(best, rival)
        self.stack.exclude(best.box)
        for peak in self.stack.peaks(OTHER_PEAKS, None):
            if peak.coarse < needed - COARSE_LOSS or any(one.score > needed for one in found):
                break
            middle = self._refine(peak, (0,), window=False)
            if middle and middle[0].score >= needed - SCALE_GAIN:
                found += self._beside(best, middle[0])
        return found

    def _beside(self, best: Candidate, one: Candidate) -> list[Candidate]:
        """The place itself and what the neighbouring scales show there, without what overlaps ``best``."""
        around = self._refine(_peak(one), (-1, 1), window=False)
        return [other for other in (one, *around) if not other.box.overlaps(best.box)]


def _peak(one: Candidate) -> Peak:
    return Peak(one.box.center, one.scale, one.score)
