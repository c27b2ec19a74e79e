"""The coarse view of one crop: where over all scales a look at full size is worth it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.reaim.pyramid import COARSE_FLOOR, Plane, ScaledCrop, Screen, Template
from echostudio.reaim.request import Request
from echostudio.reaim.scoremap import EXCLUDED, ScoreMap, local_map, scores, whole_map

# From this scale on half the resolution shows as much: the crop is as large there as at half the scale.
_COARSER_FROM = 1.45
# A place may score this much more at full size than in the best of the coarse maps at these phases: thin lines lie
# between two coarse pixels. Measured on 1800 places: 0.14 for 99 of 100, at most 0.19; with one phase alone up to 0.59.
_PRUNING_LOSS = 0.28
_PHASES = ((0, 0), (2, 0), (0, 2), (2, 2))
# A smaller crop has too few coarse pixels to rule anything out.
_PRUNE_CROP = 24
_TILE = 64
_NEAR = 2
# A smaller frame costs less to score as a whole than to prune.
_PRUNE_FROM = 60_000
_WHOLE_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Peak:
    """A place worth a look at full size: middle of the box in frame pixels, scale, coarse score."""

    center: FramePoint
    scale: float
    coarse: float


class CoarseStack:
    """Coarse score maps of one crop over the scales, laid over each other by the middle of the box."""

    def __init__(self, screen: Screen, crop: ScaledCrop, steps: Sequence[float], request: Request) -> None:
        self.factor, self.crop, self.plane = screen.factor, crop, screen.coarse
        self.scales = tuple(steps)
        self.layers = np.full((len(steps), *screen.coarse.shape), EXCLUDED, np.float32)
        for layer, scale in zip(self.layers, steps, strict=True):
            request.token.check()
            self._fill(layer, screen, scale)
        self.top: Plane = self.layers.max(axis=0)

    def _fill(self, layer: Plane, screen: Screen, scale: float) -> None:
        zoom = 2 if scale >= _COARSER_FROM else 1
        plane = screen.level(self.factor * zoom)
        scaled = self.crop.reduced(scale, self.factor * zoom)
        if scaled is None or scaled.width > plane.shape[1] or scaled.height > plane.shape[0]:
            return
        found = scores(plane, scaled, COARSE_FLOOR)
        if zoom > 1:
            found = found.repeat(zoom, axis=0).repeat(zoom, axis=1)
        top, left = scaled.height * zoom // 2, scaled.width * zoom // 2
        part = layer[top : top + found.shape[0], left : left + found.shape[1]]
        part[:] = found[: part.shape[0], : part.shape[1]]

    def exclude(self, box: FrameBox) -> None:
        """Rule out what would overlap a box of frame pixels."""
        reach_x = reach_y = 0
        for layer, scale in zip(self.layers, self.scales, strict=True):
            width, height = self.crop.size(scale)
            # One coarse pixel less: what only touches the box may turn out free at full size, where it is judged.
            reach_x = max(0, (box.width + width) // (2 * self.factor) - 1)
            reach_y = max(0, (box.height + height) // (2 * self.factor) - 1)
            layer[_span(box.center, self.factor, reach_x, reach_y)] = EXCLUDED
        part = _span(box.center, self.factor, reach_x, reach_y)
        self.top[part] = self.layers[(slice(None), *part)].max(axis=0)

    def middle(self, column: int, row: int) -> FramePoint:
        """The frame pixel in the middle of a pixel of the map."""
        half = self.factor // 2
        return FramePoint(column * self.factor + half, row * self.factor + half)

    def peaks(self, count: int, window: FrameBox | None) -> list[Peak]:
        """The highest places, in falling order; only those whose click lies in ``window`` when it is given."""
        view = self.top.copy() if window is None else self._inside(window)
        found: list[Peak] = []
        while len(found) < count:
            _, score, _, (column, row) = cv2.minMaxLoc(view)
            if score <= 0:
                break
            layer = int(self.layers[:, row, column].argmax())
            center = self.middle(column, row)
            found.append(Peak(center, self.scales[layer], float(score)))
            width, height = self.crop.size(self.scales[layer])
            view[_span(center, self.factor, width // (4 * self.factor), height // (4 * self.factor))] = EXCLUDED
        return found

    def sharpened(self, peaks: Sequence[Peak], every: Sequence[float], count: int) -> list[Peak]:
        """Return the best ``count`` of the peaks after a coarse look at the scales that the stack leaves out.

        Small scales match something on every screen, often many times; a target between two coarse scales would be lost
        among them. So no scale gets more than two places: the exact map of that scale would show the others.
        """
        chosen: list[Peak] = []
        for peak in sorted((self._sharpen(one, every) for one in peaks), key=lambda peak: -peak.coarse):
            if sum(other.scale == peak.scale for other in chosen) < 2 and len(chosen) < count:
                chosen.append(peak)
        return chosen

    def _sharpen(self, peak: Peak, every: Sequence[float]) -> Peak:
        index = every.index(peak.scale)
        middle = FramePoint(peak.center.x // self.factor, peak.center.y // self.factor)
        best = peak
        for scale in (*every[max(0, index - 1) : index], *every[index + 1 : index + 2]):
            small = self.crop.reduced(scale, self.factor)
            near = local_map(self.plane, small, middle, _NEAR, COARSE_FLOOR) if small else None
            found = near.best() if near else None
            if found is not None and found.score > best.coarse:
                place = found.box.center
                best = Peak(self.middle(place.x, place.y), scale, found.score)
        return best

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


def exact_map(screen: Screen, crop: ScaledCrop, scaled: Template, needed: float, known: FrameBox) -> ScoreMap:
    """Score one scale at full size wherever a score of ``needed`` is thinkable; elsewhere the map is 0.

    Coarse maps of the same scale rule out what lies far below; on a small or very repetitive frame nothing is ruled
    out, because the whole map costs less. The place of the box ``known`` is always scored.
    """
    rows, columns = screen.height - scaled.height + 1, screen.width - scaled.width + 1
    floor = crop.floor
    if rows * columns < _PRUNE_FROM or min(scaled.width, scaled.height) < _PRUNE_CROP:
        return whole_map(screen.full, scaled, floor)
    tiles = _tiles(_best_phase(screen, crop, scaled.scale), rows, columns, screen.factor) >= needed - _PRUNING_LOSS
    tiles[min(max(0, known.y), rows - 1) // _TILE, min(max(0, known.x), columns - 1) // _TILE] = True
    _, _, boxes, _ = cv2.connectedComponentsWithStats(tiles.astype(np.uint8))
    areas = [(int(x), int(y), int(w), int(h)) for x, y, w, h, _ in boxes[1:]]
    cost = sum((w + scaled.width / _TILE) * (h + scaled.height / _TILE) for _, _, w, h in areas)
    if cost > _WHOLE_SHARE * tiles.size:
        return whole_map(screen.full, scaled, floor)
    values = np.zeros((rows, columns), np.float32)
    for x, y, width, height in areas:
        left, top = x * _TILE, y * _TILE
        right, bottom = min(columns, left + width * _TILE), min(rows, top + height * _TILE)
        patch = screen.full[top : bottom + scaled.height - 1, left : right + scaled.width - 1]
        values[top:bottom, left:right] = scores(np.ascontiguousarray(patch), scaled, floor)
    return ScoreMap(values, scaled.scale, scaled.width, scaled.height, scaled.offset)


def _best_phase(screen: Screen, crop: ScaledCrop, scale: float) -> Plane:
    """The highest coarse score near every place, over crops cut into blocks at several phases."""
    highest: Plane | None = None
    for phase in _PHASES:
        small = crop.reduced(scale, screen.factor, phase)
        if small is None:
            continue
        found = scores(screen.coarse, small, COARSE_FLOOR)
        if highest is not None:
            rows, columns = min(found.shape[0], highest.shape[0]), min(found.shape[1], highest.shape[1])
            found = np.maximum(found[:rows, :columns], highest[:rows, :columns])
        highest = found
    # Without any coarse evidence nothing can be ruled out.
    whole = np.ones(screen.coarse.shape, np.float32) if highest is None else highest
    return np.asarray(cv2.dilate(whole, np.ones((5, 5), np.uint8)), np.float32)


def _tiles(coarse: Plane, rows: int, columns: int, factor: int) -> Plane:
    """The highest coarse score in every tile of a full-size map of that size."""
    down, across, edge = -(-rows // _TILE), -(-columns // _TILE), _TILE // factor
    short = (max(0, down * edge - coarse.shape[0]), max(0, across * edge - coarse.shape[1]))
    padded = np.pad(coarse, ((0, short[0]), (0, short[1])), mode="edge")[: down * edge, : across * edge]
    return np.asarray(padded.reshape(down, edge, across, edge).max(axis=(1, 3)), dtype=np.float32)


def _span(center: FramePoint, factor: int, reach_x: int, reach_y: int) -> tuple[slice, slice]:
    column, row = center.x // factor, center.y // factor
    return (
        slice(max(0, row - reach_y), max(0, row + reach_y + 1)),
        slice(max(0, column - reach_x), max(0, column + reach_x + 1)),
    )
