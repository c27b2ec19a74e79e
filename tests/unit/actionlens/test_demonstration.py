"""Raw input -> actions: the rules one by one, and that nothing gets lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echostudio.actionlens.demonstration import Demonstration
from echostudio.actionlens.drafts import Draft, Finished, Started
from echostudio.episode.action import ActionKind
from echostudio.episode.geometry import DesktopPoint
from echostudio.settings import RecordSettings
from tests.unit.actionlens.make import Hands

RULES = RecordSettings()


def actions(hands: Hands) -> list[Draft]:
    return [signal.draft for signal in run(hands) if isinstance(signal, Finished)]


def run(hands: Hands) -> list[object]:
    machine = Demonstration(RULES)
    signals: list[object] = [signal for event in hands.events for signal in machine.feed(event)]
    return signals + list(machine.close(hands.at + 0.01))


def told(hands: Hands) -> list[tuple[str, dict[str, object]]]:
    return [(draft.action.kind.value, draft.action.parameters) for draft in actions(hands)]


def click(count: int = 1, button: str = "left", modifiers: tuple[str, ...] = ()) -> tuple[str, dict[str, object]]:
    return ("click", {"button": button, "count": count, "modifiers": list(modifiers)})


def test_a_press_and_a_release_are_one_click_at_the_press() -> None:
    hands = Hands().move(30, 40).down().move(33, 41).up()
    (draft,) = actions(hands)
    assert (draft.action.kind.value, draft.action.parameters) == click()
    assert draft.points == (("target", DesktopPoint(30, 40)),)
    assert draft.started == hands.events[1].at
    assert draft.ended == hands.events[-1].at


def test_a_click_begins_at_button_down_and_not_later() -> None:
    machine = Demonstration(RULES)
    hands = Hands().move(5, 5).down()
    signals = [signal for event in hands.events for signal in machine.feed(event)]
    assert [type(signal) for signal in signals] == [Started]


@pytest.mark.parametrize("presses", [2, 3])
def test_quick_presses_at_one_place_count_up_although_the_hand_wiggles(presses: int) -> None:
    hands = Hands().move(50, 50)
    for number in range(presses):
        hands.move(50 + 2 * (number % 2), 50).click()
    assert told(hands) == [click(presses)]


def test_a_fourth_press_begins_anew() -> None:
    hands = Hands().click().click().click().click()
    assert told(hands) == [click(3), click(1)]


def test_slow_or_distant_presses_are_two_clicks() -> None:
    slow = Hands().click().wait(RULES.double_click_ms / 1000).click()
    far = Hands().move(10, 10).click().move(10 + RULES.double_click_px + 1, 10).click()
    other = Hands().click("left").click("right")
    assert told(slow) == [click(), click()]
    assert told(far) == [click(), click()]
    assert told(other) == [click(), click(button="right")]


def test_modifiers_become_part_of_the_click() -> None:
    hands = Hands().press("shift").press("ctrl").click().release("ctrl").release("shift")
    assert told(hands) == [click(modifiers=("ctrl", "shift"))]


def test_moving_while_pressed_is_a_drag_with_both_ends_and_path() -> None:
    hands = Hands().move(10, 10).down().move(40, 12).move(90, 30).up()
    (draft,) = actions(hands)
    assert draft.action.kind is ActionKind.DRAG
    assert dict(draft.points) == {"from": DesktopPoint(10, 10), "to": DesktopPoint(90, 30)}
    assert [text for _, text in draft.trace][0] == "40,12"
    assert draft.trace[-1][1] == "90,30"


def test_a_drag_that_comes_back_is_still_a_drag() -> None:
    hands = Hands().move(10, 10).down().move(60, 10).move(10, 10).up()
    assert [draft.action.kind for draft in actions(hands)] == [ActionKind.DRAG]


def test_two_buttons_at_once_are_a_visible_blocked_step() -> None:
    hands = Hands().down("left").down("right").up("right").up("left").wait(1).click()
    first, second = actions(hands)
    assert "Two mouse buttons" in first.blocked
    assert not second.blocked


def test_a_double_click_drag_is_blocked_and_not_lost() -> None:
    hands = Hands().move(10, 10).click().down().move(70, 10).up()
    (draft,) = actions(hands)
    assert draft.blocked


def test_scroll_ticks_merge_by_direction_and_keep_their_deltas() -> None:
    hands = Hands().scroll().scroll().scroll(-1).wait(1).scroll(-1).scroll(0, dx=1)
    drafts = actions(hands)
    assert [draft.action.parameters for draft in drafts] == [
        {"dx": 0, "dy": 2},
        {"dx": 0, "dy": -1},
        {"dx": 0, "dy": -1},
        {"dx": 1, "dy": 0},
    ]
    assert [text for _, text in drafts[0].trace] == ["0,1", "0,1"]


def test_scrolling_with_a_modifier_is_blocked() -> None:
    hands = Hands().press("ctrl").scroll().scroll().release("ctrl")
    (draft,) = actions(hands)
    assert "ctrl" in draft.blocked
    assert draft.action.parameters == {"dx": 0, "dy": 2}


def test_text_with_shift_space_and_altgr_is_one_type() -> None:
    hands = Hands().type("Hello you").press("altgr").tap("q", "@").release("altgr")
    assert told(hands) == [("type", {"text": "Hello you@"})]


def test_backspace_edits_the_run_and_the_trace_keeps_it() -> None:
    hands = Hands().type("helo").tap("backspace").type("lo")
    (draft,) = actions(hands)
    assert draft.action.parameters == {"text": "hello"}
    assert [text for _, text in draft.trace] == ["h", "e", "l", "o", "backspace", "l", "o"]


def test_backspace_beyond_the_run_is_a_press() -> None:
    hands = Hands().type("a").tap("backspace").tap("backspace").tap("backspace")
    assert told(hands) == [("type", {"text": ""}), ("press", {"key": "backspace"}), ("press", {"key": "backspace"})]


def test_enter_inside_a_run_is_a_line_end_and_at_its_end_a_press() -> None:
    hands = Hands().type("one").tap("enter", "\r").type("two").tap("enter", "\r")
    assert told(hands) == [("type", {"text": "one\ntwo"}), ("press", {"key": "enter"})]


def test_enter_before_a_pause_is_a_press() -> None:
    hands = Hands().type("one").tap("enter").wait(RULES.text_gap_ms / 1000 + 0.1).type("two")
    assert told(hands) == [("type", {"text": "one"}), ("press", {"key": "enter"}), ("type", {"text": "two"})]


def test_a_window_that_opens_after_enter_splits_the_run_there() -> None:
    hands = Hands().type("one").tap("enter")
    opened = hands.at + 0.01
    hands.wait(0.1).type("two")
    machine = Demonstration(RULES)
    signals = [signal for event in hands.events for signal in machine.feed(event)]
    signals += machine.boundary(opened)
    signals += machine.close(hands.at)
    drafts = [signal.draft for signal in signals if isinstance(signal, Finished)]
    assert [draft.action.parameters for draft in drafts] == [{"text": "one"}, {"key": "enter"}, {"text": "two"}]
    assert drafts[2].started > drafts[1].started


def test_tab_ends_a_run() -> None:
    hands = Hands().type("user").tap("tab", "\t").type("more")
    assert told(hands) == [("type", {"text": "user"}), ("press", {"key": "tab"}), ("type", {"text": "more"})]


def test_chords_name_modifiers_first_in_one_order() -> None:
    hands = Hands().chord("shift", "ctrl", "s").chord("alt", "f4").chord("shift", "tab")
    assert told(hands) == [
        ("hotkey", {"keys": ["ctrl", "shift", "s"]}),
        ("hotkey", {"keys": ["alt", "f4"]}),
        ("hotkey", {"keys": ["shift", "tab"]}),
    ]


def test_a_chord_whose_key_goes_up_after_its_modifier_is_still_one_chord() -> None:
    hands = Hands().press("ctrl").press("s").release("ctrl").release("s").type("x")
    assert told(hands) == [("hotkey", {"keys": ["ctrl", "s"]}), ("type", {"text": "x"})]


def test_alt_alone_is_a_chord_and_shift_alone_nothing() -> None:
    assert told(Hands().tap("alt")) == [("hotkey", {"keys": ["alt"]})]
    assert told(Hands().tap("shift").tap("ctrl")) == []


def test_alt_that_took_part_in_a_chord_or_click_is_no_tap() -> None:
    assert told(Hands().chord("alt", "f")) == [("hotkey", {"keys": ["alt", "f"]})]
    assert told(Hands().press("alt").click().release("alt")) == [click(modifiers=("alt",))]


def test_repeats_of_an_arrow_are_steps_and_of_a_function_key_are_not() -> None:
    hands = Hands().press("down").press("down").press("down").release("down").press("f5").press("f5").release("f5")
    assert told(hands) == [("press", {"key": "down"})] * 3 + [("press", {"key": "f5"})]


def test_repeated_presses_are_separate_steps() -> None:
    assert told(Hands().tap("tab").tap("tab")) == [("press", {"key": "tab"})] * 2


def test_a_key_that_cannot_be_replayed_is_a_visible_blocked_step() -> None:
    (draft,) = actions(Hands().tap("xf86mail"))
    assert "xf86mail" in draft.blocked


def test_dead_keys_and_locks_show_only_in_the_text() -> None:
    hands = Hands().tap("dead_acute").tap("e", "é").tap("caps_lock").tap("a", "A")
    assert told(hands) == [("type", {"text": "éA"})]


def test_a_long_pause_is_a_wait_before_the_next_action() -> None:
    gap = RULES.wait_gap_ms / 1000 + 1.5
    hands = Hands().click().wait(gap).click().type("a")
    kinds = [kind for kind, _ in told(hands)]
    assert kinds == ["click", "wait", "click", "type"]
    assert told(hands)[1][1]["seconds"] == pytest.approx(gap, abs=0.2)


def test_an_input_of_another_kind_ends_what_is_open_and_says_when() -> None:
    hands = Hands().type("ab").move(5, 5).click()
    signals = [signal for signal in run(hands) if isinstance(signal, Finished)]
    down = next(event for event in hands.events if event.kind.value == "button_down")
    assert signals[0].draft.action.parameters == {"text": "ab"}
    assert signals[0].until == down.at


def test_closing_with_everything_down_loses_nothing() -> None:
    hands = Hands().type("ab").press("shift").move(1, 1).down()
    assert [kind for kind, _ in told(hands)] == ["type", "click"]


@st.composite
def gestures(draw: st.DrawFn) -> tuple[Hands, int]:
    """Any mix of whole gestures, each apart from the next, and how many actions they are."""
    hands, count = Hands(), 0
    for kind in draw(
        st.lists(st.sampled_from(["click", "right", "drag", "text", "chord", "key", "scroll"]), max_size=9)
    ):
        hands.wait(draw(st.floats(2.6, 5.0)))
        count += 1
        if kind == "click":
            hands.move(draw(st.integers(0, 500)), 20).click()
        elif kind == "right":
            hands.click("right")
        elif kind == "drag":
            hands.move(0, 0).down().move(100, 0).move(200, 5).up()
        elif kind == "text":
            hands.type(draw(st.text("abcXYZ 12", min_size=1, max_size=6)))
        elif kind == "chord":
            hands.chord("ctrl", "c")
        elif kind == "key":
            hands.tap(draw(st.sampled_from(["enter", "tab", "escape", "left"])))
        else:
            hands.scroll().scroll()
    return hands, count


@given(gestures())
@settings(max_examples=60, deadline=None)
def test_every_gesture_becomes_one_action_and_begins_before_it_ends(case: tuple[Hands, int]) -> None:
    hands, count = case
    signals = run(hands)
    begun = [signal.draft.number for signal in signals if isinstance(signal, Started)]
    ended = [signal.draft for signal in signals if isinstance(signal, Finished)]
    assert len(ended) == count
    assert sorted(begun) == sorted(draft.number for draft in ended) == list(range(count))
    assert all(draft.started <= draft.ended for draft in ended)


@given(st.lists(st.tuples(st.sampled_from("dumslkr"), st.floats(0.0, 3.0), st.integers(0, 40)), max_size=40))
@settings(max_examples=80, deadline=None)
def test_any_stream_of_events_is_survived_and_pairs_up(stream: list[tuple[str, float, int]]) -> None:
    hands = Hands()
    for kind, after, place in stream:
        if kind == "m":
            hands.move(place, place, after)
        elif kind == "d":
            hands.down(["left", "right"][place % 2], after)
        elif kind == "u":
            hands.up(["left", "right"][place % 2], after)
        elif kind == "s":
            hands.scroll(1.0 if place % 2 else -1.0, 0.0, after)
        elif kind == "l":
            hands.press("shift" if place % 3 else "ctrl", "", after)
        elif kind == "r":
            hands.release("shift" if place % 3 else "ctrl", after)
        else:
            hands.press(["a", "enter", "backspace"][place % 3], ["a", "\r", ""][place % 3], after)
    signals = run(hands)
    begun = [signal.draft.number for signal in signals if isinstance(signal, Started)]
    ended = [signal.draft.number for signal in signals if isinstance(signal, Finished)]
    assert sorted(begun) == sorted(ended)
    assert len(set(begun)) == len(begun)
