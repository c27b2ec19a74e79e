"""Where labels go on a picture so that they cover neither a target nor each other. Pure; no Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle in view pixels."""

    x: float
    y: float
    width: float
    height: float

    def shared(self, other: Area) -> float:
        """Return how many square pixels both cover."""
        across = min(self.x + self.width, other.x + other.width) - max(self.x, other.x)
        down = min(self.y + self.height, other.y + other.height) - max(self.y, other.y)
        return across * down if across > 0 and down > 0 else 0.0

    def inside(self, other: Area) -> bool:
        """Whether it lies wholly within the other."""
        return (
            self.x >= other.x
            and self.y >= other.y
            and self.x + self.width <= other.x + other.width
            and self.y + self.height <= other.y + other.height
        )


@dataclass(frozen=True, slots=True)
class Label:
    """A label to be placed: the box it belongs to, and how large it is."""

    box: Area
    width: float
    height: float


def place(labels: Sequence[Label], keep_clear: Sequence[Area], bounds: Area, gap: float = 4.0) -> list[Area | None]:
    """Return a place for each label, in order, or None where the picture has no room for it at all.

    No placed label shares a pixel with ``keep_clear`` or with another placed label; among the free places the one
    nearest to its own box that covers least of any other box is taken.
    """
    boxes = [label.box for label in labels]
    taken: list[Area] = list(keep_clear)
    placed: list[Area | None] = []
    for label in labels:
        free = [
            area
            for area in _candidates(label, bounds, gap)
            if area.inside(bounds) and not any(area.shared(other) for other in taken)
        ]
        best = min(free, key=lambda area: _cost(area, label, boxes), default=None)
        placed.append(best)
        if best is not None:
            taken.append(best)
    return placed


def _candidates(label: Label, bounds: Area, gap: float) -> Iterator[Area]:
    """Yield places around the box, close ones first, then ever further away."""
    box = label.box
    for distance in (gap, 28.0, 64.0, 112.0, 176.0, 256.0):
        above, below = box.y - distance - label.height, box.y + box.height + distance
        before, behind = box.x - distance - label.width, box.x + box.width + distance
        for x in (box.x, box.x + box.width - label.width, box.x + (box.width - label.width) / 2):
            yield Area(_held(x, label.width, bounds.x, bounds.width), above, label.width, label.height)
            yield Area(_held(x, label.width, bounds.x, bounds.width), below, label.width, label.height)
        for y in (box.y, box.y + box.height - label.height, box.y + (box.height - label.height) / 2):
            yield Area(behind, _held(y, label.height, bounds.y, bounds.height), label.width, label.height)
            yield Area(before, _held(y, label.height, bounds.y, bounds.height), label.width, label.height)


def _held(at: float, size: float, start: float, room: float) -> float:
    return max(start, min(at, start + room - size))


def _cost(area: Area, label: Label, boxes: Sequence[Area]) -> tuple[float, float]:
    covered = sum(area.shared(box) for box in boxes) / max(1.0, area.width * area.height)
    across = area.x + area.width / 2 - (label.box.x + label.box.width / 2)
    down = area.y + area.height / 2 - (label.box.y + label.box.height / 2)
    return 0.3 * round(covered, 2) + (across * across + down * down) ** 0.5 / 400.0, abs(down)
