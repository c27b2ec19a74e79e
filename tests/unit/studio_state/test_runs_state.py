"""The Runs page's state, and the index that reads its rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from echostudio.actionlens.runfolder import RunWriter
from echostudio.episode.run import Health, RunSource
from echostudio.episode.verdict import Outcome
from echostudio.operations import record
from echostudio.operations.runs import RunIndex, RunRow, size, thumbnail
from echostudio.operations.services import Services, open_services
from echostudio.studio.runs.state import RunsState, ending, facts, kind, offer, target
from tests.studio.samples import Sample, refused_report

RECORDING = RunRow("r1", RunSource.HUMAN, "Save a report", "2026-11-30T09:00:00Z", "virtual", "mousepad", 5, 12.0)
BROKEN_OFF = replace(RECORDING, id="r2", intent="Save notes", complete=False, seconds=None)
REFUSED = RunRow(
    "r3", RunSource.REPLAY, "Save a report", "2026-11-30T10:00:00Z", ":7", "mousepad", 4, 3.0, memory="m-1",
    outcome=Outcome.REFUSED, refusal="Two places look the same.", refused_step=3,
)  # fmt: skip
VERIFIED = replace(REFUSED, id="r4", outcome=Outcome.VERIFIED, refusal="", refused_step=None)


@pytest.fixture
def state() -> RunsState:
    return RunsState().with_rows((VERIFIED, REFUSED, BROKEN_OFF, RECORDING))


def ids(state: RunsState) -> list[str]:
    return [row.id for row in state.visible]


@pytest.mark.parametrize(
    ("only", "found"),
    [
        ("all", ["r4", "r3", "r2", "r1"]),
        ("recordings", ["r2", "r1"]),
        ("replays", ["r4", "r3"]),
        ("refused", ["r3"]),
        ("incomplete", ["r2"]),
    ],
)
def test_filters_and_their_counts(state: RunsState, only: str, found: list[str]) -> None:
    assert ids(state.with_only(only)) == found
    assert state.counts[only] == len(found)


@pytest.mark.parametrize(
    ("query", "found"), [("NOTES", ["r2"]), ("two places", ["r3"]), ("verified", ["r4"]), ("mousepad save x", [])]
)
def test_search_looks_at_intent_program_refusal_and_ending(state: RunsState, query: str, found: list[str]) -> None:
    assert ids(state.with_query(query)) == found


def test_a_filter_that_is_empty_after_a_recovery_is_let_go(state: RunsState) -> None:
    only = state.with_only("incomplete")
    assert ids(only.with_rows((VERIFIED, replace(BROKEN_OFF, complete=True)))) == ["r4", "r2"]
    assert only.with_rows((BROKEN_OFF,)).only == "incomplete"


def test_how_a_run_ended_and_where_it_opens() -> None:
    live = replace(BROKEN_OFF, live=True)
    unreadable = replace(RECORDING, fault="manifest.json is not a JSON object.")
    assert [ending(row).word for row in (RECORDING, BROKEN_OFF, live, REFUSED, VERIFIED, unreadable)] == [
        "complete", "incomplete", "under way", "refused", "verified", "unreadable",
    ]  # fmt: skip
    assert ending(replace(RECORDING, recovered=True)).word == "recovered"
    assert ending(replace(VERIFIED, dry_run=True)).word == "verified · dry run"
    assert target(RECORDING) == ("timeline", "run:r1")
    assert target(REFUSED) == ("replay", "r3")
    assert target(replace(REFUSED, memory="")) == ("timeline", "run:r3")
    assert target(unreadable) is None
    assert [kind(row).word for row in (RECORDING, REFUSED)] == ["recording", "replay"]


def test_the_second_line_says_the_refusal_or_where_it_was() -> None:
    assert facts(REFUSED) == "step 4: Two places look the same."
    assert facts(replace(REFUSED, refused_step=None)) == "before the start: Two places look the same."
    assert facts(VERIFIED) == "replay · mousepad · virtual desktop :7"
    assert facts(RECORDING) == "recording · mousepad · virtual desktop"
    assert facts(replace(RECORDING, desktop="host")) == "recording · mousepad · this screen"


def test_the_offer_counts_what_broke_off(state: RunsState) -> None:
    assert state.broken_off == (BROKEN_OFF,)
    assert offer(state.broken_off) == "The run “Save notes” broke off before it was finished. 5 steps are on disk."
    assert offer((BROKEN_OFF, BROKEN_OFF)).startswith("2 runs broke off")
    assert offer(()) == ""


class TestIndex:
    @pytest.fixture
    def services(self, tmp_path: Path) -> Iterator[Services]:
        opened = open_services(tmp_path / "home")
        yield opened
        opened.close()

    @pytest.fixture
    def sample(self, services: Services) -> Sample:
        return Sample(services.repository.blobs)

    def written(self, services: Services, sample: Sample, run_id: str, *, steps: int = 5) -> RunWriter:
        """Write a run's folder, without its end."""
        run = sample.run(run_id)
        manifest = replace(run.manifest, ended=None, complete=False, health=Health())
        writer = RunWriter.create(services.runs, manifest)
        for frame in sample.frames:
            writer.blobs.put(frame)
        for step in run.steps[:steps]:
            writer.write_before(step)
            writer.write_after(step)
        return writer

    def test_a_recording_under_way_is_live_and_one_that_was_cut_off_is_incomplete(
        self, services: Services, sample: Sample
    ) -> None:
        writer, index = self.written(services, sample, "20261130-100000-aaaa"), RunIndex(services)
        row = index.rows()[0]
        assert (row.live, row.incomplete, row.steps, row.program) == (True, False, 5, "mousepad")
        for file in (writer._steps, writer._events, writer._looks, writer._life):
            file.close()  # as the system does when the process dies
        row = index.rows()[0]
        assert (row.live, row.incomplete, row.seconds) == (False, True, None)
        record.recover(services, row.id)
        row = index.rows()[0]
        assert (row.incomplete, row.complete, row.recovered) == (False, True, True)

    def test_a_finished_recording_has_its_first_picture_and_its_time(self, services: Services, sample: Sample) -> None:
        self.written(services, sample, "20261130-100000-aaaa").close(Health(), True)
        row = RunIndex(services).rows()[0]
        assert row.thumbnail == sample.refs[0].digest
        assert row.seconds is not None
        assert thumbnail(services, row.id, row.thumbnail) is not None
        assert size(services, row.id) > 1000

    def test_a_replay_tells_its_outcome_and_the_picture_of_its_refused_step(
        self, services: Services, sample: Sample
    ) -> None:
        memory = services.repository.add(sample.memory(), None, "jo", "shown")
        report = refused_report(memory, sample.refs, sample.spots)
        manifest = replace(sample.run(report.run).manifest, source=RunSource.REPLAY)
        RunWriter.create(services.runs, manifest).close(Health(), True)
        services.repository.add_replay(report)
        row = RunIndex(services).rows()[0]
        assert (row.outcome, row.refused_step, row.memory, row.steps) == (Outcome.REFUSED, 4, memory.id, 5)
        assert row.thumbnail == sample.refs[4].digest
        assert row.desktop == ":98"

    def test_newest_first_and_a_damaged_folder_is_told_and_harms_no_other(
        self, services: Services, sample: Sample
    ) -> None:
        self.written(services, sample, "20261130-100000-aaaa").close(Health(), True)
        damaged = services.runs / "20261201-100000-bbbb"
        damaged.mkdir()
        (damaged / "manifest.json").write_text("{", encoding="utf-8")
        rows = RunIndex(services).rows()
        assert [row.id for row in rows] == ["20261201-100000-bbbb", "20261130-100000-aaaa"]
        assert "manifest.json" in rows[0].fault
        assert not rows[0].incomplete

    def test_what_did_not_change_is_not_read_again(
        self, services: Services, sample: Sample, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.written(services, sample, "20261130-100000-aaaa").close(Health(), True)
        index = RunIndex(services)
        first = index.rows()
        monkeypatch.setattr(index, "_read", lambda path: pytest.fail(f"read {path} again"))
        assert index.rows() == first
