from __future__ import annotations

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from echostudio.desktop.gestures import drag_points
from echostudio.episode.geometry import DesktopPoint

points = st.builds(DesktopPoint, st.integers(-2000, 2000), st.integers(-2000, 2000))


@given(st.lists(points, min_size=2, max_size=6))
def test_a_drag_ends_at_its_end_and_passes_every_corner_in_small_steps(path: list[DesktopPoint]) -> None:
    moves = list(drag_points(path))
    assert moves[-1] == path[-1]
    rest = iter([path[0], *moves])
    assert all(corner in rest for corner in path[1:]) or len(set(path)) < len(path)
    assert all(math.dist((a.x, a.y), (b.x, b.y)) <= 18 for a, b in pairwise([path[0], *moves]))


def test_a_short_drag_still_moves_often_enough_to_be_one() -> None:
    assert len(list(drag_points((DesktopPoint(0, 0), DesktopPoint(20, 0))))) >= 10
