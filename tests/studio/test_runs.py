"""The Runs page over real run folders, and the offer to recover what broke off."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from echostudio.actionlens.runfolder import RunWriter
from echostudio.episode.memory import Memory
from echostudio.episode.run import Health
from echostudio.operations import library
from echostudio.operations.services import Services
from echostudio.studio.app import wait_ready
from echostudio.studio.main_window import MainWindow
from tests.studio.conftest import REFUSED_RUN
from tests.studio.samples import Sample

CUT_OFF = "20261130-120000-dead"
WHOLE = "20261130-114205-7c1d"


def write(services: Services, sample: Sample, run_id: str, *, end: bool) -> None:
    """Write a recording's folder; without an end its files are let go as by the system when a process dies."""
    run = sample.run(run_id)
    manifest = replace(run.manifest, started=f"2026-11-30T{run_id[9:11]}:00:00+00:00", ended=None, complete=False)
    writer = RunWriter.create(services.runs, manifest)
    for frame in sample.frames:
        writer.blobs.put(frame)
    for step in run.steps:
        writer.write_before(step)
        writer.write_after(step)
    if end:
        writer.close(Health(), True)
    for file in (writer._steps, writer._events, writer._looks, writer._life):
        file.close()


@pytest.fixture
def runs(services: Services, sample: Sample, memory: Memory) -> None:
    """A whole recording, one that was cut off, and a refused replay."""
    write(services, sample, WHOLE, end=True)
    write(services, sample, CUT_OFF, end=False)


@pytest.fixture
def shown(runs: None, window: MainWindow) -> MainWindow:
    window.go("runs")
    assert wait_ready(window)
    return window


def test_no_run_yet_says_what_to_do(window: MainWindow) -> None:
    window.go("runs")
    assert wait_ready(window)
    assert window.runs.empty.isVisible()
    window.runs.empty.start.click()
    assert window.page.name == "record"


def test_rows_newest_first_with_how_they_ended(shown: MainWindow) -> None:
    model = shown.runs.model
    rows = [[model.index(row, column).data() for column in range(3)] for row in range(model.rowCount())]
    intent = "Save a report as a named text file"
    assert rows == [[intent, "refused", "5"], [intent, "incomplete", "5"], [intent, "complete", "5"]]
    assert [chip.text() for chip in shown.runs.filters.values()] == [
        "all 3", "recordings 2", "replays 1", "refused 1", "incomplete 1",
    ]  # fmt: skip


def test_enter_opens_a_replay_at_its_refused_step(shown: MainWindow) -> None:
    shown.runs.select(REFUSED_RUN)
    QTest.keyClick(shown.runs.table, Qt.Key.Key_Return)
    assert shown.page.name == "replay"
    assert wait_ready(shown)
    assert shown.replay.state.run == REFUSED_RUN
    assert shown.replay._selected() is shown.replay.state.steps[4]


def test_enter_opens_a_recording_in_the_timeline(shown: MainWindow) -> None:
    shown.runs.select(WHOLE)
    QTest.keyClick(shown.runs.table, Qt.Key.Key_Return)
    assert wait_ready(shown)
    assert (shown.page.name, shown.timeline.opened) == ("timeline", f"run:{WHOLE}")


def test_filters_and_search(shown: MainWindow, qtbot: QtBot) -> None:
    shown.runs.filters["recordings"].click()
    assert shown.runs.model.rowCount() == 2
    qtbot.keyClicks(shown.runs.search, "incomplete")
    assert shown.runs.model.rowCount() == 1
    qtbot.keyClicks(shown.runs.search, " nothing such")
    assert shown.runs.nothing.isVisible()


@pytest.mark.usefixtures("runs")
def test_what_broke_off_is_offered_at_start_and_recovered_with_one_click(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    assert window.page.name == "library"
    qtbot.waitUntil(lambda: window.offer.isVisible())
    assert "broke off" in window.offer.words
    window.offer.deed.click()
    qtbot.waitUntil(lambda: window.messages.toast.words == "Recovered: 5 steps can be used.")
    assert window.offer.isHidden()
    assert library.run(services, CUT_OFF).manifest.recovered
    window.go("runs")
    assert wait_ready(window)
    assert "recovered" in [window.runs.model.index(row, 1).data() for row in range(3)]


@pytest.mark.usefixtures("runs")
def test_an_offer_that_was_put_away_does_not_come_back(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.offer.isVisible())
    window.go("record")
    assert window.offer.isHidden()
    window.go("library")
    window.offer._close()
    window.go("runs")
    assert wait_ready(window)
    assert window.offer.isHidden()


def test_recover_and_consolidate_are_there_for_what_they_fit(
    shown: MainWindow, services: Services, qtbot: QtBot
) -> None:
    shown.runs.select(REFUSED_RUN)
    assert not shown.commands.enabled("runs.recover")
    assert not shown.commands.enabled("runs.consolidate")
    shown.runs.select(CUT_OFF)
    assert shown.commands.enabled("runs.recover")
    assert not shown.commands.enabled("runs.consolidate")
    shown.runs.select(WHOLE)
    shown.commands.run("runs.consolidate")
    qtbot.waitUntil(lambda: shown.page.name == "timeline", timeout=10_000)
    assert wait_ready(shown)
    assert shown.timeline.state.memory is not None
    assert shown.timeline.state.memory.source_run == WHOLE
