"""From a run to a candidate: program, identity, risk, blockers, notes."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echostudio.consolidation.consolidate import key_interval_ms, propose
from echostudio.consolidation.identity import app_of, new_id, title_part
from echostudio.consolidation.risk import is_risky
from echostudio.episode.action import ActionKind
from echostudio.episode.evidence import Effect, ScreenFacts, SelfTest, WindowFacts
from echostudio.episode.geometry import DesktopBox
from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import AppIdentity
from echostudio.episode.step import StepStatus
from echostudio.settings import ReaimSettings

NOTHING = Effect()


def window(title: str, program: str = "mousepad", window_class: str = "Mousepad") -> WindowFacts:
    return WindowFacts(program, window_class, title, DesktopBox(0, 0, 10, 10))


def test_the_program_is_the_kept_steps_renumbered(rec, focused) -> None:
    rec.click(NOTHING)
    rec.click(x=200, screen_before=ScreenFacts(window("Untitled 1 - Mousepad")))
    rec.type("hello", trace=((2.0, "h"), (2.1, "e"), (2.2, "l"), (2.3, "l"), (2.4, "o")))
    proposal = propose(rec.run(), None)
    memory = proposal.memory
    assert [(step.index, step.run_step) for step in memory.program] == [(0, 1), (1, 2)]
    first, second = memory.program
    source = rec.steps[1]
    assert (first.action, first.words, first.before, first.after) == (
        source.action,
        source.words,
        source.before,
        source.after,
    )
    assert (first.screen, first.targets, first.effect) == (source.screen_before, source.targets, source.effect)
    assert first.seconds == second.seconds == 0.75
    assert (first.key_interval_ms, second.key_interval_ms) == (None, 100.0)
    assert memory.preconditions.expected_title == "Untitled 1 - Mousepad"
    assert memory.preconditions.start == source.screen_before


def test_the_candidate_tells_where_it_came_from(rec) -> None:
    rec.type("hello")
    memory = propose(rec.run(intent="Save two lines")).memory
    assert (memory.state, memory.revision, memory.source_run) == (LifecycleState.CANDIDATE, 1, "run-1")
    assert (memory.intent, memory.desktop_kind) == ("Save two lines", "virtual")
    assert memory.app == AppIdentity("mousepad", "Mousepad", "Mousepad", ("mousepad",))
    assert memory.reasoning.viable


def test_every_recorded_step_is_in_the_proposal(rec, make_target) -> None:
    weak = SelfTest(0.95, 0.9, 0.05, True, "context")
    rec.click(NOTHING)
    rec.click(x=200, targets={"target": make_target(200, self_test=weak)})
    rec.type("x")
    proposal = propose(rec.run())
    assert [(step.index, step.run_step, step.kept) for step in proposal.steps] == [
        (None, 0, False),
        (0, 1, True),
        (1, 2, True),
    ]
    assert [step.margin for step in proposal.steps] == [0.59, 0.05, None]
    assert [step.kind for step in proposal.steps] == ["click", "click", "type"]
    assert proposal.steps[2].parameters == {"text": "x"}
    (dropped,) = proposal.memory.reasoning.dropped
    assert (dropped.run_step, dropped.reason) == (0, proposal.steps[0].reason)


def test_nothing_recorded_and_nothing_kept_are_not_viable(rec) -> None:
    empty = propose(rec.run())
    assert (empty.viable, empty.steps, empty.memory.program) == (False, (), ())
    rec.click(NOTHING)
    nothing = propose(rec.run())
    assert nothing.blockers == ("Nothing is kept: there is no step to replay.",)


def test_a_failed_step_that_the_person_keeps_blocks(rec) -> None:
    rec.type("x")
    rec.type("y", status=StepStatus.BLOCKED, error="a gesture of three fingers")
    assert propose(rec.run()).viable
    kept = propose(rec.run(), {"1": "keep"})
    assert kept.blockers == ("Type y (run_step 1) is kept but was not done (blocked: a gesture of three fingers).",)


def test_a_pointer_step_without_evidence_blocks(rec, make_target) -> None:
    rec.click(targets={})
    rec.add(ActionKind.DRAG, {"button": "left"}, targets={"from": make_target()})
    rec.click(x=90, targets={"target": make_target(crops=False, role="")})
    blockers = propose(rec.run()).blockers
    assert [re.search(r"evidence of its (\w+)", blocker).group(1) for blocker in blockers] == ["target", "to", "target"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("test", "words"),
    [
        (SelfTest(0.97, 0.96, 0.01, False, "context"), "its margin 0.010 is 0.010 below the needed 0.02"),
        (SelfTest(0.70, 0.10, 0.60, False, "context"), "its score 0.700 is 0.080 below the needed 0.78"),
        (SelfTest(0.90, 0.10, 0.80, False, "context", "The crop is flat."), "The crop is flat."),
    ],
)
def test_a_failed_self_test_blocks_and_tells_by_how_much(rec, make_target, test: SelfTest, words: str) -> None:
    rec.click(words="Click “OK”", targets={"target": make_target(count=2, self_test=test)})
    (blocker,) = propose(rec.run()).blockers
    assert blocker.startswith("Click “OK” (run_step 0) could not be told apart")
    assert words in blocker


def test_the_needed_margin_is_the_settings_one(rec, make_target) -> None:
    test = SelfTest(0.97, 0.92, 0.05, False, "context")
    rec.click(targets={"target": make_target(count=None, self_test=test)})
    assert "below the needed 0.10" in propose(rec.run(), policy=ReaimSettings(eta_margin=0.1)).blockers[0]


def test_a_unique_element_makes_up_for_a_failed_self_test(rec, make_target) -> None:
    test = SelfTest(0.97, 0.96, 0.01, False, "context")
    rec.click(words="Click “OK”", targets={"target": make_target(count=1, self_test=test)})
    proposal = propose(rec.run())
    assert proposal.viable
    assert proposal.memory.reasoning.notes == (
        "Click “OK” (run_step 0) is found by its element alone; its picture is not unique.",
    )
    nameless = make_target(name="", count=1, self_test=test)
    rec.steps[0] = replace(rec.steps[0], targets={"target": nameless})
    assert not propose(rec.run()).viable


def test_an_unknown_parameter_blocks(rec) -> None:
    rec.add(ActionKind.TYPE, {"text": "x", "speed": 3})
    assert propose(rec.run()).blockers == ("Type x 3 (run_step 0) cannot be replayed: type has no speed.",)


def test_an_unfinished_recording_is_a_note(rec) -> None:
    rec.type("x")
    rec.click(x=300, status=StepStatus.BLOCKED, words="A pinch")
    proposal = propose(rec.run(complete=False, gaps=2, torn_lines=1, notes=("The clock jumped.",)))
    assert proposal.viable
    notes = proposal.memory.reasoning.notes
    assert len(notes) == 5
    assert "did not end properly" in notes[0]
    assert notes[-1] == "A pinch (run_step 1) could not be recorded; the program goes on without it."


def test_the_pace_of_typing_is_the_median_gap(rec) -> None:
    plain = rec.type("abcd", trace=((0.0, "a"), (0.08, "b"), (0.16, "c"), (2.0, "d")))
    assert key_interval_ms(plain) == 80.0
    released = rec.type("abc", trace=((0.0, "a"), (0.02, "-a"), (0.1, "b"), (0.12, "-b"), (0.2, "c")))
    assert key_interval_ms(released) == 100.0
    for step in (rec.type("abc"), rec.type("a", trace=((0.0, "a"),)), rec.press("enter", trace=((0, "a"), (1, "b")))):
        assert key_interval_ms(step) is None


@pytest.mark.parametrize(
    ("name", "risky"),
    [
        ("Send", True),
        ("_Delete", True),
        ("Remove all…", True),
        ("Find & &Replace", True),
        ("删除文件", True),
        ("Save", False),
        ("Resend later", False),
        ("Postcards", False),
        ("", False),
    ],
)
def test_words_that_cannot_be_taken_back_are_risky(rec, make_target, name: str, risky: bool) -> None:
    step = rec.click(words="Click", targets={"target": make_target(name=name)})
    assert is_risky(step) is risky
    assert propose(rec.run()).memory.program[0].risky is risky


def test_what_is_typed_or_written_in_a_document_is_not_risky(rec, make_target, focused) -> None:
    assert not is_risky(rec.type("please send and delete", words="Type “please send and delete”"))
    written = {"target": make_target(name="delete this", role="text")}
    assert not is_risky(rec.click(words="Click “delete this”", targets=written))
    assert is_risky(rec.click(words="Click “Delete”", targets={"target": make_target(role="")}))
    assert is_risky(rec.press("enter", screen_before=focused("push button", "Send")))
    assert not is_risky(rec.press("enter", screen_before=focused("text", "send")))
    assert not is_risky(rec.press("delete", screen_before=focused("push button", "Send")))


@pytest.mark.parametrize(
    ("title", "part"),
    [
        ("Untitled 1 - Mousepad", "Mousepad"),
        ("a - b – Mousepad", "Mousepad"),
        ("*notes.txt — mousepad 0.5", "mousepad 0.5"),
        ("Mousepad", "Mousepad"),
        ("notes.txt", ""),
        ("mousepad notes.txt", ""),
        ("Mousepad - notes.txt", ""),
        ("", ""),
    ],
)
def test_the_stable_part_of_a_title_names_the_program(title: str, part: str) -> None:
    assert title_part(window(title), "mousepad") == part


def test_a_window_that_tells_nothing_has_no_stable_part() -> None:
    assert title_part(window("a - b", "", ""), "") == ""
    assert title_part(window("", "", ""), "") == ""


def test_the_program_is_taken_from_the_first_screen_when_the_head_is_silent(rec) -> None:
    rec.type("x")
    rec.type("y", screen_before=ScreenFacts(window("Calc", "/opt/calc", "Calc")))
    run = rec.run()
    run = replace(run, manifest=replace(run.manifest, app=None))
    assert app_of(run) == AppIdentity("calc", "Calc", "Calc")
    assert app_of(replace(run, steps=run.steps[:1])) == AppIdentity("", "")


def test_ids_are_short_and_readable() -> None:
    assert re.fullmatch(r"save-two-lines-[a-z2-9]{4}", new_id("Save two lines as notes"))
    assert re.fullmatch(r"uber-grosse-tabelle-[a-z2-9]{4}", new_id("Über große Tabelle".replace("ß", "ss")))
    assert re.fullmatch(r"memory-[a-z2-9]{4}", new_id("保存两行"))
    assert len({new_id("a") for _ in range(20)}) > 15


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_intent_gives_a_plain_id(intent: str) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,36}-[a-z2-9]{4}", new_id(intent))
