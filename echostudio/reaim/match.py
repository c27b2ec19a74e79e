"""The fast search for one crop: coarse over all scales, peaks refined at full size, one exact map where it was best.

The margin stays honest because twins on one screen share its scale: the exact map at the winning scale finds every
one of them; coarse peaks only serve the other scales. Scales are those of the exhaustive search and nothing finer:
polishing the best before the gate, but not the second, would widen the margin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.episode.verdict import Candidate
from echostudio.reaim.pyramid import Plane, ScaledCrop, Screen, Template, scales
from echostudio.reaim.request import Request
from echostudio.reaim.scoremap import EXCLUDED, local_map, scores, whole_map
from echostudio.reaim.sighting import Sighting, apart, highest, near_distance, peaks

FIRST_PEAKS = 4
OTHER_PEAKS = 6
# A best this far under the threshold stays under it at full size: no exact map is needed to refuse it.
HOPELESS = 0.12
# How much higher than its coarse score a place may turn out at full size (thin lines lose most).
COARSE_LOSS = 0.30


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


@dataclass(frozen=True, slots=True)
class _Peak:
    center: FramePoint
    scale: float
    coarse: float


class _Search:
    def __init__(self, screen: Screen, crop: ScaledCrop, request: Request, fitting: list[float]) -> None:
        self.screen, self.crop, self.request = screen, crop, request
        self.fitting = fitting
        self.floor = request.policy.flat_deviation
        self.stack = _Stack(screen, crop, fitting[::2], request)

    def run(self, seeds: Sequence[Candidate]) -> Sighting:
        first = [*self._seed_peaks(seeds), *self.stack.peaks(FIRST_PEAKS, self.request.window)]
        refined = [one for peak in first for one in self._refine(peak, 1)]
        best = highest(refined)
        if best is None:
            return Sighting(None, None)
        best = highest([best, *self._refine(_Peak(best.box.center, best.scale, best.score), 2)]) or best
        if best.score < self.request.policy.eta_match - HOPELESS:
            return self._hopeless(best, refined)
        return self._exact(best, refined)

    def _seed_peaks(self, seeds: Sequence[Candidate]) -> list[_Peak]:
        return [_Peak(seed.box.center, self.nearest_scale(seed.scale), 1.0) for seed in seeds]

    def nearest_scale(self, scale: float) -> float:
        return min(self.fitting, key=lambda one: abs(one - scale))

    def _refine(self, peak: _Peak, steps: int, window: bool = True) -> list[Candidate]:
        """Match at full size round a coarse peak, at its scale and ``steps`` to both sides."""
        index = self.fitting.index(peak.scale)
        found = []
        for scale in self.fitting[max(0, index - steps) : index + steps + 1]:
            self.request.token.check()
            scaled = self.crop.at(scale)
            if scaled is None:
                continue
            reach = self.screen.factor + 1 + round(max(scaled.width, scaled.height) * 0.05 / 2)
            near = local_map(self.screen.full, scaled, peak.center, reach, self.floor)
            best = near.best(self.request.window if window else None) if near else None
            if best is not None:
                found.append(best)
        return found

    def _hopeless(self, best: Candidate, refined: Iterable[Candidate]) -> Sighting:
        places = apart([best, *refined], self.request.keep)
        return Sighting(best, places[1] if len(places) > 1 else None, places)

    def _exact(self, best: Candidate, refined: list[Candidate]) -> Sighting:
        self.request.token.check()
        scaled = self.crop.at(best.scale)
        if scaled is None:
            return self._hopeless(best, refined)
        exact = whole_map(self.screen.full, scaled, self.floor)
        best = exact.best(self.request.window) or best
        near = exact.near_twin(best, near_distance(best.box))
        places = peaks([exact], best, max(2, self.request.keep))
        others = self._other_scales(best, highest(places[1:]))
        free = [one for one in (*refined, *others, *places[1:]) if not one.box.overlaps(best.box)]
        second = highest((near, *free))
        return Sighting(best, second, self._kept(best, free))

    def _kept(self, best: Candidate, free: list[Candidate]) -> tuple[Candidate, ...]:
        kept = (best, *apart(free, max(0, self.request.keep - 1)))
        return tuple(sorted(kept, key=lambda one: -one.score))

    def _other_scales(self, best: Candidate, second: Candidate | None) -> list[Candidate]:
        """Refine what the coarse maps show beside ``best``, until the margin is decided."""
        needed = best.score - self.request.policy.eta_margin
        found: list[Candidate] = []
        if second is not None and second.score > needed:
            return found
        self.stack.exclude(best.box)
        for peak in self.stack.peaks(OTHER_PEAKS, None):
            if peak.coarse < needed - COARSE_LOSS:
                break
            found += [one for one in self._refine(peak, 1, window=False) if not one.box.overlaps(best.box)]
            if any(one.score > needed for one in found):
                break
        return found


class _Stack:
    """Coarse score maps of one crop over the scales, laid over each other by the middle of the box."""

    def __init__(self, screen: Screen, crop: ScaledCrop, steps: Sequence[float], request: Request) -> None:
        self.factor, self.crop = screen.factor, crop
        self.scales = tuple(steps)
        rows, columns = screen.coarse.shape
        self.layers = np.full((len(steps), rows, columns), EXCLUDED, np.float32)
        for layer, scale in zip(self.layers, steps, strict=True):
            request.token.check()
            scaled = crop.coarse(scale, self.factor)
            if scaled is not None and scaled.width <= columns and scaled.height <= rows:
                found = _coarse_scores(screen, scaled)
                top, left = scaled.height // 2, scaled.width // 2
                layer[top : top + found.shape[0], left : left + found.shape[1]] = found
        self.top: Plane = self.layers.max(axis=0)

    def exclude(self, box: FrameBox) -> None:
        """Rule out what would overlap a box of full-size pixels."""
        center, factor = box.center, self.factor
        reach_x = reach_y = 0
        for layer, scale in zip(self.layers, self.scales, strict=True):
            width, height = self.crop.size(scale)
            # One coarse pixel less: what only touches the box may turn out free at full size, where it is judged.
            reach_x = max(0, (box.width + width) // (2 * factor) - 1)
            reach_y = max(0, (box.height + height) // (2 * factor) - 1)
            layer[_span(center, factor, reach_x, reach_y)] = EXCLUDED
        part = _span(center, factor, reach_x, reach_y)
        self.top[part] = self.layers[(slice(None), *part)].max(axis=0)

    def peaks(self, count: int, window: FrameBox | None) -> list[_Peak]:
        """The highest places, in falling order; only those whose click lies in ``window`` when it is given."""
        view = self.top.copy() if window is None else self._inside(window)
        found: list[_Peak] = []
        while len(found) < count:
            _, score, _, (column, row) = cv2.minMaxLoc(view)
            if score <= 0:
                break
            layer = int(self.layers[:, row, column].argmax())
            half = self.factor // 2
            center = FramePoint(column * self.factor + half, row * self.factor + half)
            found.append(_Peak(center, self.scales[layer], float(score)))
            width, height = self.crop.size(self.scales[layer])
            view[_span(center, self.factor, width // (4 * self.factor), height // (4 * self.factor))] = EXCLUDED
        return found

    def _inside(self, window: FrameBox) -> Plane:
        """The map of highest scores with every place ruled out whose click would surely lie outside the window."""
        view = np.full_like(self.top, EXCLUDED)
        for layer, scale in zip(self.layers, self.scales, strict=True):
            width, height = self.crop.size(scale)
            shift = self.crop.offset(width, height)
            left = (window.x - shift.x + width // 2) // self.factor - 1
            top = (window.y - shift.y + height // 2) // self.factor - 1
            right, bottom = left + window.width // self.factor + 3, top + window.height // self.factor + 3
            part = (slice(max(0, top), max(0, bottom)), slice(max(0, left), max(0, right)))
            np.maximum(view[part], layer[part], out=view[part])
        return view


def _coarse_scores(screen: Screen, scaled: Template) -> Plane:
    spread = screen.coarse_deviation(scaled.width, scaled.height)
    return scores(screen.coarse, scaled, 0.5, spread)


def _span(center: FramePoint, factor: int, reach_x: int, reach_y: int) -> tuple[slice, slice]:
    column, row = center.x // factor, center.y // factor
    return (
        slice(max(0, row - reach_y), max(0, row + reach_y + 1)),
        slice(max(0, column - reach_x), max(0, column + reach_x + 1)),
    )
