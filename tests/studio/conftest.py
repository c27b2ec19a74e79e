"""A real home with a real repository for the studio's tests; every test must end with no pending work and no bug."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from echostudio.actionlens.runfolder import RunWriter
from echostudio.episode.frame import PictureRef
from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import Memory, Validation
from echostudio.episode.run import Health, Manifest, RunSource
from echostudio.operations.services import Services, open_services
from echostudio.studio import theme
from echostudio.studio.app import wait_ready
from echostudio.studio.key_guard import KeyGuard
from echostudio.studio.main_window import MainWindow
from tests.studio.samples import Sample, refused_report

REFUSED_RUN = "20261130-141102-aa07"


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    return ["echostudio-tests"]


@pytest.fixture(autouse=True)
def _no_person_settings(tmp_path: Path) -> None:
    """Keep the window's layout out of the person's own settings."""
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "layout"))


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    opened = open_services(tmp_path / "home")
    yield opened
    opened.close()


@pytest.fixture
def sample(services: Services) -> Sample:
    return Sample(services.repository.blobs)


@pytest.fixture
def memory(services: Services, sample: Sample) -> Memory:
    """An active memory with two fields, two checks and one refused replay."""
    stored = services.repository.add(sample.memory(), None, "maria", "consolidated")
    active = services.repository.transition(stored.id, 1, LifecycleState.ACTIVE, "maria", "two checks pass", {})
    store_refused_replay(services, sample, active)
    return active


@pytest.fixture
def candidate(services: Services, sample: Sample) -> Memory:
    """A candidate without a check: promotion has blockers."""
    bare = replace(sample.memory("Export the figures", "m-77aa0011"), checks=(), validation=Validation(), fields=())
    return services.repository.add(bare, None, "jo", "first try")


def store_refused_replay(services: Services, sample: Sample, memory: Memory) -> None:
    """Put a replay's run folder and report where the library looks for them."""
    refs = tuple(PictureRef(ref.digest, ref.width, ref.height) for ref in sample.refs)
    report = refused_report(memory, refs, sample.spots, REFUSED_RUN)
    screen = sample.run().manifest.screen
    writer = RunWriter.create(
        services.runs, Manifest(report.run, RunSource.REPLAY, report.intent, "virtual", screen, report.started)
    )
    for frame in sample.frames:
        writer.blobs.put(frame)
    writer.close(Health(), True)
    services.repository.add_replay(report)


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot, services: Services) -> Iterator[MainWindow]:
    """The main window over the home as it is when the fixture is used."""
    theme.apply(qapp, "light")
    guard = KeyGuard(qapp)
    shown = MainWindow(services)
    with qtbot.waitActive(shown):
        shown.show()
        shown.activateWindow()
    assert wait_ready(shown)
    yield shown
    shown.close()
    services.jobs.close()
    qapp.processEvents()
    qapp.removeEventFilter(guard)
    shown.deleteLater()
    qapp.sendPostedEvents(shown, QEvent.Type.DeferredDelete)
