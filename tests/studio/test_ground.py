"""Bridge, background work, pictures, icons, themes: what every page stands on."""

from __future__ import annotations

import threading
from concurrent.futures import Future

import numpy as np
import pytest
import qtawesome
from PySide6.QtCore import QObject, QThread
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from echostudio.errors import Cancelled, EchoError
from echostudio.events import EventBus, JobFinished, JobProgress
from echostudio.studio import looks, theme
from echostudio.studio.bridge import Bridge
from echostudio.studio.commands import COMMANDS
from echostudio.studio.looks import Look
from echostudio.studio.pictures import to_image
from echostudio.studio.work import Work


def test_a_thousand_events_arrive_in_order_on_the_gui_thread(qtbot: QtBot) -> None:
    bus = EventBus()
    bridge = Bridge(bus)
    got: list[tuple[object, bool]] = []
    bridge.happened.connect(lambda event: got.append((event, QThread.isMainThread())))
    worker = threading.Thread(target=lambda: [bus.publish(n) for n in range(1000)])
    worker.start()
    worker.join()
    qtbot.waitUntil(lambda: len(got) == 1000)
    assert got == [(n, True) for n in range(1000)]
    bridge.close()


def test_progress_is_thinned_newest_wins_and_never_outlives_the_end(qtbot: QtBot) -> None:
    bus = EventBus()
    bridge = Bridge(bus)
    got: list[object] = []
    bridge.happened.connect(got.append)
    for done in range(500):
        bus.publish(JobProgress("bundle", done, 500, "Reading"))
    bus.publish(JobFinished("bundle"))
    qtbot.waitUntil(lambda: JobFinished("bundle") in got)
    assert len(got) < 50
    assert got[-2:] == [JobProgress("bundle", 499, 500, "Reading"), JobFinished("bundle")]
    bridge.close()


def test_a_closed_bridge_forwards_nothing(qapp: QApplication) -> None:
    bus = EventBus()
    bridge = Bridge(bus)
    got: list[object] = []
    bridge.happened.connect(got.append)
    bridge.close()
    bus.publish("late")
    bridge.deleteLater()
    qapp.processEvents()
    bus.publish("later")
    assert got == []


@pytest.fixture
def work(qapp: QApplication) -> Work:
    return Work()


def answered(value: object) -> Future[object]:
    future: Future[object] = Future()
    future.set_result(value)
    return future


def refused(error: Exception) -> Future[object]:
    future: Future[object] = Future()
    future.set_exception(error)
    return future


def test_the_newest_question_wins(work: Work, qtbot: QtBot) -> None:
    owner, got = QObject(), []
    slow: Future[object] = Future()
    work.ask(owner, "rows", slow, got.append)
    work.ask(owner, "rows", answered("new"), got.append)
    slow.set_result("old")
    qtbot.waitUntil(lambda: work.pending == 0)
    assert got == ["new"]


def test_an_answer_for_a_widget_that_is_gone_is_dropped(work: Work, qtbot: QtBot, qapp: QApplication) -> None:
    import shiboken6

    owner, got = QObject(), []
    work.ask(owner, "rows", answered("late"), got.append)
    shiboken6.delete(owner)
    qtbot.waitUntil(lambda: work.pending == 0)
    assert got == []


def test_expected_errors_are_shown_and_cancelling_is_not(work: Work, qtbot: QtBot) -> None:
    owner, shown = QObject(), []
    work.failed.connect(shown.append)
    fault = EchoError("The disk is full.")
    work.ask(owner, "a", refused(fault), lambda _: None)
    work.ask(owner, "b", refused(Cancelled()), lambda _: None)
    qtbot.waitUntil(lambda: work.pending == 0)
    assert shown == [fault]


def test_a_bug_in_a_job_reaches_the_excepthook(work: Work, qtbot: QtBot) -> None:
    with qtbot.captureExceptions() as bugs:
        work.ask(QObject(work), "a", refused(ZeroDivisionError("a bug")), lambda _: None)
        qtbot.waitUntil(lambda: work.pending == 0)
    assert [kind for kind, *_ in bugs] == [ZeroDivisionError]


def test_named_work_is_listed_until_it_ends(work: Work, qtbot: QtBot) -> None:
    future: Future[object] = Future()
    work.ask(QObject(work), "a", future, lambda _: None, words="Replay", cancel=lambda: None)
    assert [job.words for job in work.jobs.running] == ["Replay"]
    future.set_result(None)
    qtbot.waitUntil(lambda: work.jobs.running == ())


def test_images_own_their_pixels_and_keep_the_colours() -> None:
    pixels = np.zeros((3, 5, 3), np.uint8)
    pixels[1, 2] = (10, 20, 30)
    image = to_image(pixels)
    pixels[:] = 255
    assert (image.width(), image.height()) == (5, 3)
    assert image.pixelColor(2, 1) == QColor(10, 20, 30)
    assert image.pixelColor(0, 0) == QColor(0, 0, 0)


def test_every_icon_exists_in_the_family(qapp: QApplication) -> None:
    names = {command.icon for command in COMMANDS}
    for group in vars(looks).values():
        entries = group.values() if isinstance(group, dict) else [group]
        names |= {entry.icon for entry in entries if isinstance(entry, Look)}
    for name in sorted(names):
        assert len(qtawesome.charmap(f"ph.{name}")) == 1


@pytest.mark.parametrize("name", ["light", "dark"])
def test_words_can_be_read_in_both_themes(name: str) -> None:
    loaded = theme.load(name)
    for ground in ("window", "panel", "raised"):
        for token in ("text", "muted", "accepted", "refused", "failed", "skipped", "field", "changed"):
            assert contrast(loaded.colour(token), loaded.colour(ground)) >= 4.5, (token, ground)
        assert contrast(loaded.colour("faint"), loaded.colour(ground)) >= 3.0, ground
    assert contrast(loaded.colour("on_accent"), loaded.colour("accent")) >= 4.5
    for token in ("best", "second", "recorded", "changed"):
        assert contrast(loaded.colour("on_status"), loaded.colour(token)) >= 4.5, token


def test_both_themes_have_the_same_tokens() -> None:
    assert theme.load("light").colours.keys() == theme.load("dark").colours.keys()


def contrast(one: QColor, other: QColor) -> float:
    """Return the contrast ratio of the accessibility guidelines."""

    def luminance(colour: QColor) -> float:
        parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in colour.getRgbF()[:3]]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
