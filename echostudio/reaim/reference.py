"""The exhaustive search, as plain as the papers describe it; the fast path is judged by it.

Every scale, the whole frame at full size, OpenCV's own correlation. It takes seconds and hundreds of megabytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cv2
import numpy as np

from echostudio.cancel import CancelToken
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import FrameBox
from echostudio.episode.verdict import Candidate, ReaimResult
from echostudio.reaim.decide import decide
from echostudio.reaim.evidence import ElementAt, Elements, ReadWords, TargetPictures
from echostudio.reaim.finer import decide_finer
from echostudio.reaim.pyramid import ScaledCrop, Screen, deviation, resample, scales
from echostudio.reaim.request import Request
from echostudio.reaim.scoremap import ScoreMap
from echostudio.reaim.sighting import Sighting, highest, near_distance, peaks, sighted
from echostudio.settings import ReaimSettings


def exhaustive(
    frame: Frame,
    evidence: TargetPictures,
    policy: ReaimSettings,
    element_at: ElementAt | None = None,
    read_words: ReadWords | None = None,
    *,
    elements: Elements | None = None,
    window: FrameBox | None = None,
    token: CancelToken | None = None,
    keep: int = 8,
) -> ReaimResult:
    """Judge like ``re_aim``, by the same rule, with the exhaustive search. Same arguments and result."""
    request = Request(evidence, policy, element_at, read_words, elements, window, token or CancelToken(), keep)
    return decide(Screen(frame.pixels), request, sweep)


def sweep(screen: Screen, crop: ScaledCrop, request: Request, seeds: Sequence[Candidate] = ()) -> Sighting:
    """Match one crop at every place and scale. ``seeds`` change nothing here."""
    policy = request.policy
    fitting = [scale for scale in scales(policy) if crop.fits(scale, screen)]
    if not fitting or crop.flat:
        return Sighting(None, None, fits=bool(fitting), flat=crop.flat)
    maps = []
    for scale in fitting:
        request.token.check()
        maps.append(_map(screen, crop, scale, policy.flat_deviation))
    best = highest(one.best(request.window) for one in maps)
    if best is None:
        return Sighting(None, None)

    def finer(one: Candidate, seen: Iterable[Candidate]) -> Sighting:
        return _read([_map(screen, crop, one.scale, policy.flat_deviation)], one, seen, request)

    return decide_finer(screen, crop, request, _read(maps, best, (), request), finer)


def _read(maps: Sequence[ScoreMap], best: Candidate, seen: Iterable[Candidate], request: Request) -> Sighting:
    """Read best, second and the other places off maps, together with what was ``seen`` on earlier ones."""
    best = highest((best, *(one.best(request.window) for one in maps))) or best
    own = next(one for one in maps if one.scale == best.scale)
    near = own.near_twin(best, near_distance(best.box), request.policy.eta_margin)
    free = [*peaks(maps, best, max(2, request.keep))[1:], *(one for one in seen if not one.box.overlaps(best.box))]
    return sighted(best, near, free, request.keep)


def _map(screen: Screen, crop: ScaledCrop, scale: float, floor: float) -> ScoreMap:
    width, height = crop.size(scale)
    picture = resample(crop.grey, width, height)
    scaled = crop.at(scale)
    if scaled is None:
        values = np.zeros((screen.height - height + 1, screen.width - width + 1), np.float32)
    elif scaled.weight is None:
        values = cv2.matchTemplate(screen.grey, picture, cv2.TM_CCOEFF_NORMED)
        values[np.isinf(deviation(screen.full, width, height, floor))] = 0.0
    else:
        values = cv2.matchTemplate(
            screen.grey.astype(np.float32), picture.astype(np.float32), cv2.TM_CCOEFF_NORMED, mask=scaled.weight
        )
        values[~np.isfinite(values) | (values > 1.01)] = 0.0
        values[np.isinf(deviation(screen.full, width, height, floor))] = 0.0
    return ScoreMap(np.asarray(values, np.float32), scale, width, height, crop.offset(width, height))
