"""The person's switches, the recorder's own keys, and the orders of the command line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echostudio.actionlens.control import OrderKind, RecordControl
from echostudio.actionlens.hotkeys import Hotkeys, parse_chord
from echostudio.cancel import CancelToken, ManualClock, SystemClock, wait_until
from echostudio.cli.orders import give_order, listen
from echostudio.desktop.controller import RawEvent, RawKind
from echostudio.errors import SettingsError
from tests.unit.actionlens.make import Hands


def control() -> tuple[RecordControl, ManualClock]:
    clock = ManualClock(100.0)
    made = RecordControl()
    made.attach(clock.now)
    return made, clock


def test_what_may_be_kept_follows_from_when_it_happened() -> None:
    made, clock = control()
    clock.advance(1)
    made.private()
    clock.advance(2)
    made.private(False)
    assert [made.blind_at(at) for at in (100.9, 101.0, 102.9, 103.0)] == [False, True, True, False]
    assert [made.deaf_at(at) for at in (100.9, 101.0, 102.9, 103.0)] == [False, True, True, False]
    assert not made.is_private


def test_ignoring_stops_the_ears_and_not_the_eyes() -> None:
    made, _ = control()
    made.ignore()
    assert (made.blind_at(100.5), made.deaf_at(100.5), made.ignored_at(100.5)) == (False, True, True)
    made.private()
    assert not made.ignored_at(100.5)
    assert made.state == "private"


def test_a_switch_that_is_on_already_is_not_ordered_again() -> None:
    made, _ = control()
    made.pause()
    made.pause()
    made.pause(False)
    made.pause(False)
    assert [order.kind for order in made.due(1000)] == [OrderKind.PAUSE, OrderKind.RESUME]


def test_orders_wait_until_all_input_before_them_is_known() -> None:
    made, clock = control()
    made.note("first")
    clock.advance(1)
    made.undo_last()
    assert [order.text for order in made.due(100.5)] == ["first"]
    assert [order.kind for order in made.due(101)] == [OrderKind.UNDO]


@given(st.lists(st.sampled_from(["a", "shift", "ctrl", "f9", "move", "click"]), max_size=12))
def test_hotkeys_pass_on_everything_else_in_order_and_nothing_of_themselves(deeds: list[str]) -> None:
    hands = Hands()
    for deed in deeds:
        if deed == "move":
            hands.move(1, 1)
        elif deed == "click":
            hands.click()
        else:
            hands.tap(deed, "a" if deed == "a" else "")
    done: list[RawEvent] = []
    filtered = Hotkeys({"f9": done.append})
    passed = [event for one in hands.events for event in filtered.take(one)] + filtered.flush()
    assert passed == [event for event in hands.events if event.key != "f9"]
    assert len(done) == deeds.count("f9")


def shifted(key: str, text: str = "") -> list[RawEvent]:
    hands = Hands()
    hands.press("shift")
    hands.tap(key, text)
    hands.release("shift")
    return hands.events


def test_the_modifier_of_a_hotkey_goes_with_it_and_that_of_a_letter_stays() -> None:
    done: list[str] = []
    filtered = Hotkeys({"f9": lambda _: done.append("stop"), "shift+f9": lambda _: done.append("private")})
    passed = [event for one in shifted("f9") for event in filtered.take(one)]
    assert (passed, done) == ([], ["private"])
    passed = [event for one in shifted("a", "A") for event in filtered.take(one)]
    assert [(event.kind, event.key) for event in passed] == [
        (RawKind.KEY_DOWN, "shift"),
        (RawKind.KEY_DOWN, "a"),
        (RawKind.KEY_UP, "a"),
        (RawKind.KEY_UP, "shift"),
    ]


def test_a_held_hotkey_acts_once() -> None:
    done: list[RawEvent] = []
    filtered = Hotkeys({"f9": done.append})
    first = Hands().press("f9").events[0]
    assert [filtered.take(first) for _ in range(5)] == [[]] * 5
    assert len(done) == 1


def test_a_modifier_that_moves_overtook_is_not_out_of_order() -> None:
    hands = Hands()
    hands.press("shift")
    hands.move(5, 5)
    hands.click()
    filtered = Hotkeys({"shift+f9": lambda _: None})
    passed = [event for one in hands.events for event in filtered.take(one)]
    times = [event.at for event in passed]
    assert times == sorted(times)
    assert [event.kind for event in passed][:3] == [RawKind.MOVE, RawKind.KEY_DOWN, RawKind.BUTTON_DOWN]


@pytest.mark.parametrize("text", ["", "hyper+f9", "f9+", "xf86mail"])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(SettingsError):
        parse_chord(text)


def test_lines_become_orders() -> None:
    made, _ = control()
    for line in ("pause", "resume", "private", "public", "ignore", "listen", "mark", "mark here", "note x y", "undo"):
        assert give_order(made, line + "\n") == ""
    orders = made.due(1000)
    assert [order.kind.value for order in orders] == (
        ["pause", "resume", "private", "public", "ignore", "listen", "mark", "mark", "note", "undo"]
    )
    assert [order.text for order in orders if order.text] == ["here", "x y"]


@pytest.mark.parametrize("line", ["note", "pause now", "dance"])
def test_what_is_no_order_is_answered(line: str) -> None:
    made, _ = control()
    assert "These are:" in give_order(made, line)
    assert made.due(1000) == []


def test_orders_are_read_in_a_thread() -> None:
    made, _ = control()
    complaints: list[str] = []
    listen(made, ["pause\n", "\n", "dance\n", "stop\n"], complaints.append)
    found: list[OrderKind] = []
    assert wait_until(
        lambda: bool(found.extend(order.kind for order in made.due(1000)) or OrderKind.STOP in found),
        SystemClock(),
        CancelToken(),
        5.0,
    )
    assert found == [OrderKind.PAUSE, OrderKind.STOP]
    assert len(complaints) == 1
