"""Which steps stay, which go, and why."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echostudio.consolidation.trim import trim
from echostudio.episode.action import KEY_KINDS, Action, ActionKind
from echostudio.episode.evidence import Effect
from echostudio.episode.frame import PictureRef
from echostudio.episode.geometry import FrameBox
from echostudio.episode.step import Step, StepStatus
from echostudio.errors import UsageError

NOTHING = Effect()


def kept(rec, overrides: dict[str, str] | None = None) -> list[int]:
    return [index for index, judged in trim(rec.steps, overrides).items() if judged.kept]


def reason(rec, index: int) -> str:
    return trim(rec.steps)[index].reason


def test_a_plain_run_is_kept_whole(rec) -> None:
    rec.click()
    rec.type("hello")
    rec.hotkey("ctrl", "s")
    rec.wait()
    rec.press("enter")
    assert kept(rec) == [0, 1, 2, 3, 4]
    assert {judged.reason for judged in trim(rec.steps).values()} == {""}


@pytest.mark.parametrize("status", [StepStatus.FAILED, StepStatus.BLOCKED, StepStatus.REFUSED, StepStatus.UNFINISHED])
def test_what_was_not_done_goes_with_its_error(rec, status: StepStatus) -> None:
    rec.click()
    rec.click(status=status, error="the pointer did not move")
    assert kept(rec) == [0]
    assert reason(rec, 1).startswith(str(status))
    assert reason(rec, 1).endswith(": the pointer did not move")


def test_a_click_without_effect_goes(rec) -> None:
    rec.click(NOTHING)
    rec.click(x=200)
    assert kept(rec) == [1]
    assert reason(rec, 0) == "no effect"


def test_a_click_of_unknown_effect_stays(rec) -> None:
    rec.click(None)
    rec.click(x=200)
    assert kept(rec) == [0, 1]


@pytest.mark.parametrize("follow", ["type", "press", "hotkey"])
def test_a_click_that_prepares_keys_stays_though_it_shows_nothing(rec, follow: str) -> None:
    rec.click(NOTHING)
    rec.wait()
    {"type": lambda: rec.type("x"), "press": lambda: rec.press("a"), "hotkey": lambda: rec.hotkey("ctrl", "v")}[
        follow
    ]()
    assert kept(rec) == [0, 1, 2]
    assert reason(rec, 0) == "prepares the keys of run step 2"


def test_only_the_last_idle_click_before_typing_stays(rec) -> None:
    rec.click(NOTHING, x=10)
    rec.click(NOTHING, x=300)
    rec.type("x")
    assert kept(rec) == [1, 2]


def test_an_idle_click_before_typing_that_goes_is_no_preparation(rec) -> None:
    rec.click(NOTHING)
    rec.type("x", status=StepStatus.FAILED)
    rec.click(x=300)
    assert kept(rec) == [2]


def test_keys_without_visible_effect_stay(rec) -> None:
    rec.hotkey("ctrl", "c", effect=NOTHING)
    rec.click()
    rec.type("secret", NOTHING)
    assert kept(rec) == [0, 1, 2]


def test_an_idle_scroll_and_drag_go(rec, make_target) -> None:
    rec.add(ActionKind.SCROLL, {"dx": 0, "dy": 3}, NOTHING, targets={"target": make_target()})
    rec.add(ActionKind.DRAG, {"button": "left"}, NOTHING, targets={"from": make_target(), "to": make_target(200)})
    rec.type("x")
    assert kept(rec) == [2]


def test_a_hover_that_opened_what_was_clicked_stays(rec) -> None:
    rec.hover(Effect(900, (FrameBox(80, 50, 200, 200),)), x=50, y=60)
    rec.click(x=150, y=150)
    assert kept(rec) == [0, 1]
    assert reason(rec, 0) == "opens what run step 1 needs"


def test_a_hover_whose_popup_is_a_window_stays(rec) -> None:
    rec.hover(Effect(window_changed=True), x=50)
    rec.press("down")
    assert kept(rec) == [0, 1]


@pytest.mark.parametrize(
    ("effect", "x"),
    [
        (NOTHING, 150),  # nothing changed
        (Effect(900, (FrameBox(80, 50, 20, 20),)), 400),  # a tip elsewhere
        (Effect(900, (FrameBox(0, 0, 200, 200),)), 53),  # the clicked button itself lit up
    ],
)
def test_a_hover_that_prepared_nothing_goes(rec, effect: Effect, x: int) -> None:
    rec.hover(effect, x=50, y=60)
    rec.click(x=x, y=60)
    assert kept(rec) == [1]
    assert reason(rec, 0) == "moved the pointer and prepared nothing"


def test_a_last_hover_goes_and_one_of_unknown_effect_stays(rec) -> None:
    rec.hover(None)
    rec.click(x=300)
    rec.hover()
    assert kept(rec) == [0, 1]


def test_typing_replaced_after_select_all_goes(rec) -> None:
    rec.click(NOTHING)
    rec.type("helo")
    rec.press("left", NOTHING)
    rec.press("backspace")
    rec.hotkey("ctrl", "a")
    rec.type("hello")
    assert kept(rec) == [0, 4, 5]
    assert reason(rec, 1) == "superseded: everything was selected and overwritten in run step 5"
    assert reason(rec, 0) == "prepares the keys of run step 4"


@pytest.mark.parametrize("how", ["delete", "backspace"])
def test_typing_selected_and_deleted_goes(rec, how: str) -> None:
    rec.type("wrong")
    rec.hotkey("ctrl", "a")
    rec.press(how)
    rec.type("right")
    assert kept(rec) == [1, 2, 3]


def test_replaced_twice_leaves_the_last(rec) -> None:
    rec.type("one")
    rec.hotkey("ctrl", "a")
    rec.type("two")
    rec.hotkey("ctrl", "a")
    rec.type("three")
    assert 0 not in kept(rec)
    assert 2 not in kept(rec)
    assert 4 in kept(rec)


@pytest.mark.parametrize(
    "between",
    [
        lambda rec: rec.click(x=300),
        lambda rec: rec.press("tab"),
        lambda rec: rec.press("enter"),
        lambda rec: rec.hotkey("ctrl", "s"),
        lambda rec: rec.type("more\n"),
    ],
)
def test_typing_that_may_have_been_used_before_select_all_stays(rec, between) -> None:
    rec.type("first")
    between(rec)
    rec.hotkey("ctrl", "a")
    rec.type("second")
    assert kept(rec) == [0, 1, 2, 3]


def test_select_all_to_copy_supersedes_nothing(rec) -> None:
    rec.type("text")
    rec.hotkey("ctrl", "a")
    rec.hotkey("ctrl", "c")
    rec.hotkey("ctrl", "a")
    rec.press("end")
    assert kept(rec) == [0, 1, 2, 3, 4]


def test_select_all_in_another_input_supersedes_nothing(rec, focused) -> None:
    rec.type("ann", screen_before=focused("entry", "Name"))
    rec.hotkey("ctrl", "a", screen_before=focused("entry", "Street"))
    rec.type("bob", screen_before=focused("entry", "Street"))
    assert kept(rec) == [0, 1, 2]


def test_typing_with_a_line_end_may_have_been_sent_and_stays(rec) -> None:
    rec.type("hello\n")
    rec.hotkey("ctrl", "a")
    rec.type("bye")
    assert kept(rec) == [0, 1, 2]


def test_typing_deleted_by_backspaces_goes_with_them(rec) -> None:
    rec.type("abc")
    for _ in range(3):
        rec.press("backspace")
    rec.type("xyz")
    assert kept(rec) == [4]
    assert reason(rec, 0) == "deleted again by 3 backspaces"
    assert reason(rec, 2) == "deletes the text of run step 0, which is dropped"


def test_more_backspaces_than_characters_delete_older_text_too(rec) -> None:
    rec.type("ab")
    for _ in range(4):
        rec.press("backspace")
    assert kept(rec) == [3, 4]


def test_a_partial_deletion_stays_as_it_was(rec) -> None:
    rec.type("abc")
    rec.press("backspace")
    rec.type("d")
    assert kept(rec) == [0, 1, 2]


def test_backspaces_after_a_click_stay(rec) -> None:
    rec.type("a")
    rec.click(x=300)
    rec.press("backspace")
    assert kept(rec) == [0, 1, 2]


def test_undone_typing_goes_when_the_screen_came_back(rec) -> None:
    rec.type("abc", before=PictureRef("f" * 64, 640, 480))
    rec.hotkey("ctrl", "z", after=PictureRef("f" * 64, 640, 480), effect=None)
    rec.type("xyz")
    assert kept(rec) == [2]
    assert reason(rec, 0) == "undone in run step 1"


def test_undone_typing_goes_when_the_undos_cleared_what_was_written(rec) -> None:
    rec.type("two words", Effect(200, (FrameBox(10, 10, 40, 10), FrameBox(60, 10, 40, 10))))
    rec.hotkey("ctrl", "z", effect=Effect(90, (FrameBox(58, 10, 44, 10),)))
    rec.hotkey("ctrl", "z", effect=Effect(90, (FrameBox(12, 11, 36, 9),)))
    rec.hotkey("ctrl", "z", effect=Effect(50, (FrameBox(300, 10, 40, 10),)))
    assert kept(rec) == [3]


@pytest.mark.parametrize("effect", [None, Effect(90, (FrameBox(300, 300, 10, 10),))])
def test_an_undo_without_proof_leaves_all_as_it_was(rec, effect: Effect | None) -> None:
    rec.type("abc", Effect(200, (FrameBox(10, 10, 40, 10),)))
    rec.hotkey("ctrl", "z", effect=effect)
    assert kept(rec) == [0, 1]


def test_a_repeat_on_an_unchanged_screen_goes(rec) -> None:
    rec.press("f5")
    rec.press("f5", NOTHING)
    rec.press("f5")
    assert kept(rec) == [0, 2]
    assert reason(rec, 1) == "repeats run step 0 on an unchanged screen"


def test_a_first_try_without_effect_goes(rec) -> None:
    rec.press("enter", NOTHING)
    rec.press("enter")
    assert kept(rec) == [1]
    assert reason(rec, 0) == "had no effect and was repeated in run step 1"


def test_a_second_click_on_an_unchanged_screen_goes_even_before_typing(rec) -> None:
    rec.click(x=50)
    rec.click(NOTHING, x=53)
    rec.type("x")
    assert kept(rec) == [0, 2]


@pytest.mark.parametrize(
    "deed",
    [
        lambda rec: rec.press("left", NOTHING),
        lambda rec: rec.press("tab", NOTHING),
        lambda rec: rec.hotkey("shift", "tab", effect=NOTHING),
        lambda rec: rec.hotkey("ctrl", "right", effect=NOTHING),
        lambda rec: rec.wait(),
        lambda rec: rec.press("backspace"),
    ],
)
def test_repeats_that_each_do_something_stay(rec, deed) -> None:
    for _ in range(3):
        deed(rec)
    assert kept(rec) == [0, 1, 2]


def test_the_person_overrules_both_ways(rec) -> None:
    rec.click(NOTHING)
    rec.click(x=200)
    assert kept(rec, {"0": "keep", "1": "drop"}) == [0]
    judged = trim(rec.steps, {"0": "keep", "1": "drop"})
    assert judged[0].reason == "kept by the person (no effect)"
    assert judged[1].reason == "dropped by the person"
    assert trim(rec.steps, {"0": "drop", "1": "keep"}) == trim(rec.steps)


def test_what_a_dropped_step_needed_is_judged_anew(rec) -> None:
    rec.click(NOTHING)
    rec.type("x")
    assert kept(rec) == [0, 1]
    assert kept(rec, {"1": "drop"}) == []


@pytest.mark.parametrize("overrides", [{"7": "keep"}, {"x": "drop"}, {"0": "maybe"}])
def test_an_override_that_does_not_fit_is_refused(rec, overrides: dict[str, str]) -> None:
    rec.click()
    with pytest.raises(UsageError):
        trim(rec.steps, overrides)


ACTIONS = st.sampled_from(
    [
        Action(ActionKind.CLICK, {"button": "left", "count": 1}),
        Action(ActionKind.HOVER),
        Action(ActionKind.TYPE, {"text": "ab"}),
        Action(ActionKind.TYPE, {"text": "c\n"}),
        Action(ActionKind.HOTKEY, {"keys": ["ctrl", "a"]}),
        Action(ActionKind.HOTKEY, {"keys": ["ctrl", "z"]}),
        Action(ActionKind.PRESS, {"key": "backspace"}),
        Action(ActionKind.PRESS, {"key": "enter"}),
        Action(ActionKind.WAIT, {"seconds": 1.0}),
    ]
)
EFFECTS = st.sampled_from([None, NOTHING, Effect(50, (FrameBox(0, 0, 20, 20),)), Effect(window_changed=True)])
STEPS = st.lists(st.tuples(ACTIONS, EFFECTS, st.sampled_from(StepStatus)), max_size=12).map(
    lambda drawn: [
        Step(index, f"s{index}", action, "words", "", float(index), index + 0.5, status, effect=effect)
        for index, (action, effect, status) in enumerate(drawn)
    ]
)


@settings(max_examples=50, deadline=None)
@given(STEPS, st.data())
def test_every_step_is_judged_and_every_drop_has_a_reason(steps: list[Step], data: st.DataObject) -> None:
    judged = trim(steps)
    assert list(judged) == [step.index for step in steps]
    for step in steps:
        own = judged[step.index]
        assert own.kept or own.reason
        assert step.status is StepStatus.DONE or not own.kept
    overrides = {
        str(step.index): data.draw(st.sampled_from(["keep", "drop"])) for step in steps if data.draw(st.booleans())
    }
    overruled = trim(steps, overrides)
    assert all(overruled[int(name)].kept == (word == "keep") for name, word in overrides.items())


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_no_click_right_before_kept_keys_is_ever_lost(steps: list[Step]) -> None:
    judged = trim(steps)
    following = None
    for step in reversed(steps):
        if step.status is StepStatus.DONE and step.action.kind is ActionKind.CLICK and following in KEY_KINDS:
            assert judged[step.index].kept
        if judged[step.index].kept and step.action.kind is not ActionKind.WAIT:
            following = step.action.kind
