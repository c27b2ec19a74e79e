"""The Lab's state: decided anew as thresholds move, nothing searched; what would flip; which crop is shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from echostudio.blobs import BlobStore
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.episode.memory import Memory
from echostudio.episode.verdict import ReaimResult, RefusalCode
from echostudio.operations.lab import Past, StoredScreen, flipped
from echostudio.settings import ReaimSettings
from echostudio.studio.lab.state import LabState, Source, first_source, headline, moment, reference
from tests.studio.samples import Sample, match

POLICY = ReaimSettings()
STEP = 4
RIVAL = FrameBox(10, 10, 96, 96)


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    return Sample(BlobStore(tmp_path / "blobs"))


@pytest.fixture
def memory(sample: Sample) -> Memory:
    return sample.memory()


def seen(best: float, second: float) -> ReaimResult:
    accepted = best >= POLICY.eta_match and best - second >= POLICY.eta_margin
    return match(FramePoint(380, 230), best, second, RIVAL, accepted=accepted)


def past(result: ReaimResult, run: str, step: int = STEP) -> Past:
    return Past(run, "2026-11-30T14:11:02.000+00:00", 1, step, "Click “Save”", "target", result)


@pytest.fixture
def state(memory: Memory, sample: Sample) -> LabState:
    stored = tuple(StoredScreen("recorded", ref, STEP) for ref in sample.refs[:2])
    sources = tuple(Source("recorded", "", one) for one in stored)
    decisions = (past(seen(0.99, 0.70), "clear"), past(seen(0.95, 0.92), "narrow"), past(seen(0.90, 0.60), "other", 1))
    empty = LabState(memory, STEP, "target", POLICY, POLICY, POLICY, sources=sources, past=decisions)
    return empty.on(sources[0], (480, 270)).found(seen(0.95, 0.90), POLICY, 41.0)


def test_without_a_moved_threshold_the_search_itself_speaks(state: LabState) -> None:
    assert state.verdict is not None
    assert state.verdict.result is state.result
    assert headline(state) == (True, "Accepted by context")
    assert not state.changed
    assert state.flips == ()


def test_a_higher_margin_refuses_at_once_and_says_which_replays_would_turn_round(state: LabState) -> None:
    tuned = state.with_thresholds(eta_margin=0.1)
    accepted, words = headline(tuned)
    assert not accepted
    assert words == "Refused: ambiguous under these thresholds"
    assert tuned.verdict is not None
    assert tuned.verdict.result.code is RefusalCode.TARGET_AMBIGUOUS
    assert [(flip.run, flip.was, flip.would) for flip in tuned.flips] == [("narrow", True, False)]
    assert tuned.flip_words == "1 decision would turn round."
    assert tuned.moved_words == "margin 0.02 → 0.1"
    assert [row.flip is not None for row in tuned.past_rows] == [False, True]


def test_flips_of_other_steps_are_counted_apart(state: LabState) -> None:
    tuned = state.with_thresholds(eta_match=0.93)
    assert [flip.run for flip in tuned.flips] == ["other"]
    assert tuned.flip_words == "None of them would turn round. In other steps: 1."
    assert len(tuned.past_rows) == 2


def test_lower_thresholds_accept_what_was_refused() -> None:
    refused = past(seen(0.9, 0.89), "refused")
    (flip,) = flipped([refused], POLICY.model_copy(update={"eta_margin": 0.005}), POLICY)
    assert (flip.was, flip.would) == (False, True)


def test_what_an_element_vouched_for_is_no_flip_without_a_change_of_the_pixels_verdict() -> None:
    by_element = replace(seen(0.99, 0.99), accepted=True, code=None, condition="", method="element")
    assert flipped([past(by_element, "twin")], POLICY.model_copy(update={"eta_margin": 0.05}), POLICY) == ()


def test_gauges_follow_the_sliders_and_the_chosen_crop(state: LabState) -> None:
    tuned = state.with_thresholds(eta_match=0.9)
    assert [(gauge.name, gauge.needed) for gauge in tuned.gauges] == [
        ("Margin", 0.02),
        ("Score", 0.9),
        ("Target check", 0.8),
    ]
    wide = replace(tuned, chosen=("wide_context", "before"))
    assert wide.gauges[1].value == pytest.approx(0.946)


def test_the_table_names_what_is_wrong_with_each_crop(state: LabState) -> None:
    notes = [(row.name, row.size, row.note, row.decided) for row in state.rows]
    assert notes == [("context", 96, "decides", True), ("wide", 192, "", False)]
    assert [row.note for row in state.with_thresholds(eta_margin=0.2).rows] == ["twin", "twin"]
    assert [row.note for row in state.with_thresholds(eta_match=0.99).rows] == ["too low", "too low"]
    assert [row.note for row in state.with_thresholds(target_check=0.98).rows] == ["target differs", "target differs"]


def test_another_picture_forgets_what_was_seen_and_is_added_once(state: LabState) -> None:
    live = Source("live", ":7")
    there = state.on(live).on(state.sources[0]).on(live)
    assert there.result is None
    assert there.crops == ()
    assert there.position == 2
    assert len(there.sources) == 3
    assert headline(there) == (False, "Looking…")


def test_every_target_of_the_memory_can_be_chosen(state: LabState) -> None:
    assert [index for index, _, _ in state.steps] == [1, 2, 4]


def test_a_reference_names_memory_step_and_picture() -> None:
    assert reference("m-1:4") == ("m-1", 4, "")
    assert reference("m-1:4:/a:b@c.png") == ("m-1", 4, "/a:b@c.png")
    assert reference("m-1") == ("m-1", 0, "")


def test_the_picture_of_a_replay_is_shown_first_when_it_is_asked_for(state: LabState, sample: Sample) -> None:
    replayed = Source("replay", "", StoredScreen("replay", sample.refs[3], STEP, run="r7", result=seen(0.9, 0.89)))
    sources = (*state.sources, replayed)
    assert first_source(sources, "run=r7") is replayed
    assert first_source(sources, "run=gone") is sources[0]
    assert first_source((), "") is None
    assert replayed.accepted is False


def test_a_stored_time_tells_its_weekday_for_a_week() -> None:
    at = "2026-11-30T12:00:00.000+00:00"
    assert moment(at, datetime(2026, 12, 2, tzinfo=UTC)).startswith("Mon ")
    assert moment(at, datetime(2026, 12, 20, tzinfo=UTC)).startswith("30 Nov ")
    assert moment("never") == "–"
