"""Words, jobs and label places: the studio's other parts without Qt."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from echostudio.events import JobFinished, JobProgress
from echostudio.studio.jobs_state import JobList
from echostudio.studio.parts.placing import Area, Label, place
from echostudio.studio.wording import count, parameter, seconds, share, when

BOUNDS = Area(0, 0, 600, 400)


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ("2026-03-09T12:00:00+00:00", "yesterday"),
        ("2026-03-05T12:00:00+00:00", "Thu"),
        ("2026-01-02T12:00:00+00:00", "2 Jan"),
        ("2024-08-02T12:00:00+00:00", "Aug 2024"),
        ("", "–"),
        ("not a time", "–"),
    ],
)
def test_times_are_said_as_people_say_them(at: str, words: str) -> None:
    assert when(at, datetime(2026, 3, 10, 13, 0, tzinfo=UTC)) == words


def test_figures_in_words() -> None:
    assert (share(1, 3), share(0, 0)) == ("33 %", "–")
    assert (seconds(0.44), seconds(12.4), seconds(125)) == ("0.4 s", "12 s", "2 min 5 s")
    assert (count(1, "step"), count(2, "memory", "memories")) == ("1 step", "2 memories")
    assert (parameter(["ctrl", "s"]), parameter([]), parameter(False)) == ("ctrl + s", "none", "no")


def test_jobs_come_speak_and_go() -> None:
    jobs = JobList()
    number = jobs.begin("Replay")
    jobs.apply(JobProgress("bundle", 1, 4, "Reading"))
    jobs.apply(JobProgress("bundle", 2, 4, "Writing"))
    assert [(job.words, job.done, job.total) for job in jobs.running] == [("Replay", 0, 0), ("Writing", 2, 4)]
    jobs.apply(JobFinished("bundle"))
    jobs.end(number)
    assert jobs.running == ()


def test_labels_cover_neither_targets_nor_each_other() -> None:
    boxes = [Area(300, 200, 20, 20), Area(280, 180, 60, 60), Area(250, 150, 120, 120)]
    labels = [Label(box, 130, 20) for box in boxes]
    placed = place(labels, [boxes[0]], BOUNDS)
    assert None not in placed
    areas = [area for area in placed if area is not None]
    assert all(area.shared(boxes[0]) == 0 and area.inside(BOUNDS) for area in areas)
    assert all(one.shared(other) == 0 for n, one in enumerate(areas) for other in areas[n + 1 :])


def test_a_label_in_the_corner_stays_inside_the_picture() -> None:
    (area,) = place([Label(Area(590, 390, 10, 10), 100, 20)], [], BOUNDS)
    assert area is not None
    assert area.inside(BOUNDS)


def test_a_label_that_has_no_room_is_left_out() -> None:
    assert place([Label(Area(10, 10, 5, 5), 900, 20)], [], BOUNDS) == [None]
