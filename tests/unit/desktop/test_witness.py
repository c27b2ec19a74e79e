"""Counting what the system saw against what was delivered."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as st

from echostudio.desktop.damage import NOTHING, joined
from echostudio.desktop.raw_events import releases
from echostudio.desktop.record_stream import split_messages
from echostudio.desktop.witness import Comparison
from echostudio.episode.geometry import DesktopBox, DesktopPoint


def event(kind: int) -> bytes:
    return struct.pack("=BB30x", kind, 38)


def test_releases_are_counted_whoever_sent_them_and_nothing_else_is() -> None:
    data = b"".join(event(kind) for kind in (2, 3, 4, 5, 6, 3 | 0x80, 12))
    assert releases(data) == 3
    assert releases(data[:-40]) == 2
    assert releases(b"") == 0


def test_a_difference_that_is_still_on_the_way_is_no_loss() -> None:
    compared = Comparison()
    assert compared.look(5, 3, 10.0) == 0
    assert compared.look(6, 4, 10.3) == 0
    assert compared.look(6, 6, 10.5) == 0
    assert compared.look(6, 6, 12.0) == 0


def test_a_difference_that_stays_is_a_loss_and_is_told_once() -> None:
    compared = Comparison()
    assert compared.look(5, 3, 10.0) == 0
    assert compared.look(5, 3, 10.6) == 2
    assert compared.look(9, 7, 11.0) == 2
    assert compared.look(9, 7, 12.0) == 2


def test_the_last_look_decides_at_once() -> None:
    assert Comparison().look(5, 4, 10.0, final=True) == 1


def test_a_richer_stream_is_no_loss() -> None:
    assert Comparison().look(3, 8, 10.0, final=True) == 0


def reply(category: int, data: bytes, swapped: int = 0) -> bytes:
    return struct.pack("=BBHIBB22x", 1, category, 7, len(data) // 4, 0, swapped) + data


@given(st.lists(st.integers(1, 70), max_size=8))
def test_messages_are_whole_however_the_stream_is_cut(cuts: list[int]) -> None:
    foreign = struct.pack("=BB30x", 34, 0) + struct.pack("=BB30x", 0, 3)
    stream = reply(4, b"") + reply(0, event(2) * 3) + foreign + reply(1, b"x" * 24, swapped=1) + reply(5, b"")
    found, rest, place = [], b"", 0
    for size in [*cuts, len(stream)]:
        messages, rest = split_messages(rest + stream[place : place + size])
        found += messages
        place += size
    assert [(m.category, m.data, m.client_swapped) for m in found] == [
        (4, b"", False),
        (0, event(2) * 3, False),
        (1, b"x" * 24, True),
        (5, b"", False),
    ]
    assert rest == b""


boxes = st.builds(DesktopBox, st.integers(-50, 50), st.integers(-50, 50), st.integers(1, 40), st.integers(1, 40))


@given(boxes, boxes)
def test_a_joined_box_holds_both_and_nothing_adds_nothing(one: DesktopBox, two: DesktopBox) -> None:
    both = joined(one, two)
    for box in (one, two):
        assert both.contains(DesktopPoint(box.x, box.y))
        assert both.contains(DesktopPoint(box.x + box.width - 1, box.y + box.height - 1))
    assert both.width <= one.width + two.width + abs(one.x - two.x)
    assert joined(one, NOTHING) == joined(NOTHING, one) == one
