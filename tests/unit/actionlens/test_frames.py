"""Frames: how they differ, what the ring gives for a moment, and when a screen rests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echostudio.actionlens.difference import difference
from echostudio.actionlens.frame_ring import FrameRing
from echostudio.actionlens.pointer_track import PointerTrack
from echostudio.actionlens.settle import settle, wait_settled
from echostudio.cancel import CancelToken, ManualClock, SystemClock, wait_until
from echostudio.desktop.scripted import ScriptedDesktop
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import DesktopBox, DesktopPoint, FrameBox
from echostudio.errors import Cancelled, DesktopError
from echostudio.settings import RecordSettings, ReplaySettings
from tests.unit.actionlens.make import frame


@given(
    st.integers(2, 33),
    st.integers(2, 21),
    st.lists(st.tuples(st.integers(0, 32), st.integers(0, 20)), max_size=6),
)
@settings(max_examples=60, deadline=None)
def test_a_difference_counts_every_pixel_and_boxes_them(width: int, height: int, places: list[tuple[int, int]]) -> None:
    one = frame(1, width=width, height=height).pixels
    two = one.copy()
    changed = {(x % width, y % height) for x, y in places}
    for x, y in changed:
        two[y, x, (x + y) % 3] ^= 1
    found = difference(one, two)
    assert found.pixels == len(changed)
    if not changed:
        assert found.box is None
        return
    columns, rows = [x for x, _ in changed], [y for _, y in changed]
    left, top = min(columns), min(rows)
    assert found.box == FrameBox(left, top, max(columns) - left + 1, max(rows) - top + 1)


def test_another_size_differs_everywhere() -> None:
    assert difference(frame(width=10, height=4).pixels, frame(width=8, height=4).pixels).pixels == 32


class Screen:
    """A screen whose grabs are numbered and take 4 ms."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.seed = 0
        self.gone = False

    def grab(self) -> Frame:
        if self.gone:
            raise DesktopError("The desktop is gone.")
        started = self.clock.now()
        self.clock.advance(0.004)
        return replace(frame(self.seed, self.clock.now()), started=started)


def ring_of(seeds: list[int], rules: RecordSettings | None = None) -> tuple[FrameRing, Screen, list[float]]:
    clock = ManualClock()
    screen = Screen(clock)
    ring = FrameRing(screen.grab, clock, rules or RecordSettings(), 20)
    times = []
    for seed in seeds:
        screen.seed = seed
        ring.tick()
        times.append(clock.now())
        clock.advance(0.029)
    return ring, screen, times


def test_the_frame_before_a_moment_is_strictly_older() -> None:
    ring, _, times = ring_of([1, 2, 3])
    found = ring.newest_before(times[1])
    assert found is not None
    assert np.array_equal(found.pixels, frame(1).pixels)
    later = ring.newest_before(times[1] + 0.001)
    assert later is not None
    assert np.array_equal(later.pixels, frame(2).pixels)
    assert ring.newest_before(times[0]) is None


def test_a_grab_that_ends_after_the_click_is_not_before_it() -> None:
    ring, _, times = ring_of([1, 2])
    during = times[1] - 0.002
    found = ring.newest_before(during)
    assert found is not None
    assert found.taken == times[0]


def test_equal_frames_share_their_pixels_and_keep_their_times() -> None:
    ring, _, times = ring_of([1, 1, 1])
    frames = [ring.newest_before(time + 0.001) for time in times]
    assert all(one is not None for one in frames)
    assert len({id(one.pixels) for one in frames if one}) == 1
    assert [one.taken for one in frames if one] == times


def test_old_frames_are_forgotten_by_time() -> None:
    ring, _, times = ring_of([number % 2 for number in range(60)], RecordSettings(ring_seconds=1.0))
    assert ring.newest_before(times[5]) is None
    assert ring.newest_before(times[40]) is not None


def test_memory_stays_under_the_cap() -> None:
    clock = ManualClock()
    numbers = iter(range(1000))
    rules = RecordSettings(ring_megabytes=64, ring_seconds=30)

    def grab() -> Frame:
        pixels = np.full((1000, 2000, 3), next(numbers) % 250, np.uint8)
        return replace(frame(), pixels=pixels, taken=clock.now())

    ring = FrameRing(grab, clock, rules, 20)
    for _ in range(20):
        ring.tick()
        clock.advance(0.1)
    held = sum(ring.newest_before(clock.now() - 0.1 * back) is not None for back in range(20))
    assert held <= 12


def test_the_approach_frame_is_from_before_the_pointer_came_in() -> None:
    ring, _, times = ring_of([1, 2, 3, 4])
    track = PointerTrack(4.0)
    box = DesktopBox(10, 10, 20, 20)
    track.add(times[0] - 0.01, DesktopPoint(0, 0))
    track.add(times[1] + 0.001, DesktopPoint(15, 15))
    track.add(times[2] + 0.001, DesktopPoint(16, 15))
    found = ring.newest_where_pointer_outside(box, times[3], track)
    assert found is not None
    assert found.taken == times[1]


def test_a_pointer_that_was_always_inside_has_no_approach_frame() -> None:
    ring, _, times = ring_of([1, 2])
    track = PointerTrack(4.0)
    track.add(times[0] - 1, DesktopPoint(15, 15))
    assert ring.newest_where_pointer_outside(DesktopBox(10, 10, 20, 20), times[1], track) is None


def test_the_last_stay_counts() -> None:
    track = PointerTrack(60.0)
    for at, x in [(1, 0), (2, 15), (3, 0), (4, 15), (5, 16)]:
        track.add(float(at), DesktopPoint(x, 15))
    assert track.entered(DesktopBox(10, 10, 20, 20), 9.0) == 4.0
    assert track.entered(DesktopBox(10, 10, 20, 20), 3.5) == 3.5
    assert track.at(2.5) == DesktopPoint(15, 15)
    assert track.at(0.5) is None


def test_rest_is_the_first_frame_after_a_quiet_time() -> None:
    ring, _, times = ring_of([1, 1, 2, 3] + [3] * 12)
    rest = ring.rest_after(times[1] + 0.001, 250)
    assert rest is not None
    assert rest.frame.taken - times[3] >= 0.25
    assert np.array_equal(rest.frame.pixels, frame(3).pixels)
    assert ring.rest_after(times[-1], 250) is None


def test_a_screen_that_does_not_react_is_watched_longer() -> None:
    ring, _, times = ring_of([1] * 20 + [2] * 40)
    assert ring.rest_after(times[1], 250, horizon=times[15]) is None
    rest = ring.rest_after(times[1], 250)
    assert rest is not None
    assert np.array_equal(rest.frame.pixels, frame(2).pixels)
    ring, _, times = ring_of([1] * 60)
    rest = ring.rest_after(times[1], 250)
    assert rest is not None
    assert rest.ms >= 1500


def test_frames_beyond_the_horizon_do_not_count() -> None:
    ring, _, times = ring_of([1, 2] + [3] * 12)
    assert ring.rest_after(times[0], 250, horizon=times[6]) is None
    assert ring.rest_after(times[0], 250, until=times[8], horizon=times[6]) is None
    assert ring.rest_after(times[0], 250) is not None


def test_the_next_input_ends_the_search_for_rest() -> None:
    ring, _, times = ring_of([1, 2, 3, 4, 5])
    rest = ring.rest_after(times[0], 250, until=times[3])
    assert rest is not None
    assert rest.frame.taken == times[2]


def test_a_caret_does_not_disturb_rest_and_is_known_to_blink() -> None:
    clock = ManualClock()
    base = frame(3)
    seen = base.pixels.copy()
    seen[10:30, 5:17] ^= 255
    pictures = [base.pixels, seen] * 8

    def grab() -> Frame:
        return replace(base, pixels=pictures.pop(), taken=clock.now())

    ring = FrameRing(grab, clock, RecordSettings(), 20)
    begun = clock.now()
    for _ in range(14):
        ring.tick()
        clock.advance(0.03)
    rest = ring.rest_after(begun - 0.001, 250, until=clock.now())
    assert rest is not None
    assert rest.frame.taken == pytest.approx(clock.now() - 0.03)
    assert ring.blinks(begun, clock.now()) == (FrameBox(5, 10, 12, 20),)


def test_a_lost_screen_is_told_after_a_while_and_not_at_the_first_miss() -> None:
    ring, screen, _ = ring_of([1])
    screen.gone = True
    assert ring.tick() is None
    assert ring.failure is None
    for _ in range(30):
        ring.tick()
    assert ring.failure is not None


def test_the_thread_grabs_and_ends() -> None:
    ring = FrameRing(lambda: frame(1, SystemClock().now()), SystemClock(), RecordSettings(frame_interval_ms=10), 20)
    ring.start()
    ring.stir()
    try:
        assert wait_until(lambda: ring.grabs >= 3, SystemClock(), CancelToken(), 5.0)
    finally:
        ring.stop()
    ring.stop()


def test_a_quiet_screen_settles_after_the_quiet_time() -> None:
    desktop = ScriptedDesktop()
    found, ms = wait_settled(desktop, ReplaySettings(), CancelToken())
    assert 250 <= ms < 350
    assert found.pixels.shape == (270, 480, 3)


def test_a_screen_that_never_rests_gives_its_last_frame_and_says_so() -> None:
    desktop = ScriptedDesktop()
    seeds = iter(range(10_000))
    desktop.grab = lambda: frame(next(seeds), desktop.clock.now())  # type: ignore[method-assign]
    settled = settle(desktop, ReplaySettings(settle_timeout_s=1.0), CancelToken())
    assert not settled.quiet
    assert settled.ms >= 1000


def test_waiting_for_rest_can_be_stopped() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        settle(ScriptedDesktop(), ReplaySettings(), token)
