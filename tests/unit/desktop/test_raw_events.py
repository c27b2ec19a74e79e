from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echostudio.desktop import keysyms, raw_events
from echostudio.desktop.controller import RawEvent, RawKind
from echostudio.desktop.keymap import CONTROL_MASK, SHIFT_MASK, Keymap
from echostudio.desktop.raw_events import Request, ServerTime, Translator, changed_keys, split_requests
from echostudio.episode.geometry import DesktopPoint

KEY_A, KEY_CARET, EMPTY = 38, 49, 120


def device_event(kind: int, detail: int, *, time: int = 5000, x: int = 3, y: int = 4, state: int = 0) -> bytes:
    return struct.pack("=BBHIIIIhhhhHBx", kind, detail, 0, time, 1, 2, 0, x, y, 0, 0, state, 1)


def translator(now: float = 100.0) -> Translator:
    keymap = Keymap({KEY_A: (ord("a"), ord("A")), KEY_CARET: (0xFE52, 0xB0), EMPTY: (0,)}, [[]] * 8)
    return Translator(keymap, ServerTime(4000, 50.0), lambda: now)


def translate(*events: bytes, now: float = 100.0) -> list[RawEvent]:
    return list(translator(now).events(b"".join(events)))


def test_a_motion_has_its_place_and_the_servers_time() -> None:
    [event] = translate(device_event(raw_events.MOTION, 0, time=5250, x=-7, y=90))
    assert event == RawEvent(RawKind.MOVE, 51.25, DesktopPoint(-7, 90))


def test_no_event_is_later_than_its_arrival() -> None:
    [event] = translate(device_event(raw_events.MOTION, 0, time=9000), now=54.9)
    assert event.at == 54.9


def test_wheel_buttons_scroll_once() -> None:
    events = translate(
        *(device_event(kind, button) for button in (4, 5, 6, 7) for kind in (raw_events.BUTTON_PRESS, 5))
    )
    assert [event.kind for event in events] == [RawKind.SCROLL] * 4
    assert [event.delta for event in events] == [(0, -1), (0, 1), (-1, 0), (1, 0)]


def test_buttons_have_names() -> None:
    events = translate(*(device_event(raw_events.BUTTON_PRESS, button) for button in (1, 2, 3, 8, 9, 12)))
    assert [event.button for event in events] == ["left", "middle", "right", "back", "forward", "button12"]


def test_a_shifted_letter_is_read_as_typed_and_named_unshifted() -> None:
    down, up = translate(device_event(2, KEY_A, state=SHIFT_MASK), device_event(3, KEY_A))
    assert (down.kind, down.code, down.key, down.text) == (RawKind.KEY_DOWN, KEY_A, "a", "A")
    assert (up.kind, up.code, up.key, up.text) == (RawKind.KEY_UP, KEY_A, "a", "")


def test_a_chord_commits_no_text() -> None:
    [event] = translate(device_event(2, KEY_A, state=CONTROL_MASK))
    assert (event.key, event.text) == ("a", "")


def test_a_dead_key_commits_with_the_letter() -> None:
    events = translate(device_event(2, KEY_CARET), device_event(3, KEY_CARET), device_event(2, KEY_A))
    assert [(event.key, event.text) for event in events] == [("^", ""), ("^", ""), ("a", "â")]


def test_a_key_that_is_borrowed_meanwhile_is_let_go_under_its_old_name() -> None:
    one = translator()
    one.keymap.change(EMPTY, (0x1004E2D, 0x1004E2D))
    [down] = one.events(device_event(2, EMPTY))
    one.keymap.change(EMPTY, (0,))
    [up] = one.events(device_event(3, EMPTY))
    assert (down.key, down.text, up.key) == ("中", "中", "中")


def test_a_torn_event_and_an_unknown_one_are_left_out() -> None:
    assert translate(device_event(12, 0), device_event(2, KEY_A)[:20]) == []


@given(st.integers(0, 2**32 - 1), st.integers(-(2**30), 2**30))
def test_the_servers_clock_may_start_anew(begin: int, passed: int) -> None:
    time = ServerTime(begin, 1000.0)
    assert time.seconds((begin + passed) % 2**32) == pytest.approx(1000.0 + passed / 1000, abs=1e-4)


@pytest.mark.parametrize("big_endian", [False, True])
def test_requests_are_cut_by_their_length(big_endian: bool) -> None:
    order = ">" if big_endian else "<"
    change = struct.pack(f"{order}BBHBBxxIIII", 100, 2, 6, EMPTY, 2, 0xE9, 0xC9, 0x1004E2D, 0)
    nothing = struct.pack(f"{order}BBH", 127, 0, 3) + b"12345678"
    first, second = split_requests(change + nothing + b"\x7f\0", big_endian)
    assert changed_keys(first, big_endian) == {EMPTY: (0xE9, 0xC9), EMPTY + 1: (0x1004E2D, 0)}
    assert second == Request(127, 0, b"12345678")


def test_a_torn_or_impossible_request_ends_the_stretch() -> None:
    assert list(split_requests(struct.pack("<BBH", 100, 1, 9), False)) == []
    assert list(split_requests(struct.pack("<BBHI", 100, 1, 0, 0), False)) == []


def test_return_types_nothing() -> None:
    keymap = Keymap({36: (keysyms.RETURN, 0)}, [[]] * 8)
    [event] = Translator(keymap, ServerTime(0, 0.0), lambda: 100.0).events(device_event(2, 36))
    assert (event.key, event.text) == ("enter", "")
