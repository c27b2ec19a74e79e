"""Run folders: what is written can be read, whatever happened to the files in between."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from echostudio.actionlens.lines import read_lines
from echostudio.actionlens.runfolder import (
    RunWriter,
    broken_runs,
    find_run,
    list_runs,
    new_run_id,
    read_run,
    recover,
)
from echostudio.actionlens.runreader import EVENTS, LIFECYCLE, MANIFEST, STEPS, read_events
from echostudio.blobs import BlobStore
from echostudio.episode.geometry import FrameBox
from echostudio.episode.run import FORMAT_VERSION, Health, RunSource
from echostudio.episode.step import StepStatus
from echostudio.errors import RepositoryFull, RunFolderError, UnknownRun
from tests.unit.actionlens.make import Hands, frame, manifest, step, writer


def finished(folder: Path, steps: int = 2) -> RunWriter:
    made = writer(folder)
    for index in range(steps):
        one = replace(step(index), before=made.put_frame(frame(index)))
        made.write_before(one)
        made.write_after(replace(one, status=StepStatus.DONE, ended=1.0))
    made.close(Health(captured=3, stored=3))
    return made


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    made = finished(tmp_path)
    run = read_run(made.path)
    assert [one.status for one in run.steps] == [StepStatus.DONE] * 2
    assert run.manifest.complete
    assert run.manifest.ended is not None
    assert run.manifest.health.captured == 3
    picture = run.steps[1].before
    assert picture is not None
    assert np.array_equal(BlobStore(made.path / "assets").get(picture.digest), frame(1).pixels)


def test_each_step_has_a_before_and_an_after_line_that_share_its_id(tmp_path: Path) -> None:
    made = finished(tmp_path, steps=1)
    lines = [line.data for line in read_lines(made.path / STEPS).lines]
    assert [line["phase"] for line in lines] == ["before", "after"]
    assert lines[0]["id"] == lines[1]["id"]


def test_a_step_is_readable_as_soon_as_its_before_line_is_written(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.write_before(step())
    (one,) = read_run(made.path).steps
    assert one.status is StepStatus.UNFINISHED
    made.close(Health())


def test_a_run_that_exists_is_not_written_over(tmp_path: Path) -> None:
    finished(tmp_path)
    with pytest.raises(RunFolderError, match="already exists"):
        writer(tmp_path)


def test_masks_are_burned_into_the_stored_picture_only(tmp_path: Path) -> None:
    made = writer(tmp_path)
    shown = frame(4)
    kept = shown.pixels.copy()
    picture = made.put_frame(shown, [FrameBox(5, 6, 20, 10), FrameBox(500, 500, 4, 4)])
    stored = made.blobs.get(picture.digest)
    assert np.array_equal(shown.pixels, kept)
    assert len(np.unique(stored[6:16, 5:25].reshape(-1, 3), axis=0)) == 1
    outside = np.ones(kept.shape[:2], dtype=bool)
    outside[6:16, 5:25] = False
    assert np.array_equal(stored[outside], kept[outside])
    made.close(Health())


@pytest.mark.parametrize("name", [STEPS, EVENTS, LIFECYCLE])
def test_cut_at_every_byte_of_the_last_two_lines_a_run_stays_readable(tmp_path: Path, name: str) -> None:
    made = finished(tmp_path, steps=2)
    # A writer that was killed has not closed; the manifest says so.
    (made.path / MANIFEST).write_text(json.dumps(json.loads((made.path / MANIFEST).read_text()) | {"ended": None}))
    file = made.path / name
    if name == EVENTS:
        file.write_bytes(b"".join(_raw_lines()))
    data = file.read_bytes()
    begin = data.rstrip(b"\n").rfind(b"\n", 0, data.rstrip(b"\n").rfind(b"\n")) + 1
    places = range(begin, len(data)) if len(data) - begin < 700 else [*range(begin, len(data), 13), len(data) - 1]
    for place in places:
        file.write_bytes(data[:place])
        run = read_run(made.path)
        whole = data[:place].count(b"\n")
        rest = data[:place].rsplit(b"\n", 1)[-1]
        complete = rest + b"\n" in data and rest.endswith(b"}")
        assert run.manifest.health.torn_lines == (1 if rest and not complete else 0)
        if name == STEPS:
            done = sum(one.status is StepStatus.DONE for one in run.steps)
            assert done == (whole + complete) // 2
        if name == EVENTS:
            assert len(read_events(made.path)) == whole + complete


def _raw_lines() -> list[bytes]:
    from echostudio.episode import wire

    return [wire.to_text(event).encode() + b"\n" for event in Hands().click().events]


def test_recovering_a_torn_run_makes_it_appendable_and_complete(tmp_path: Path) -> None:
    made = writer(tmp_path)
    for index in range(2):
        made.write_before(step(index))
        made.write_after(step(index, StepStatus.DONE))
    made.write_before(step(2, started=0.5))
    for name in (STEPS, EVENTS, LIFECYCLE):
        with (made.path / name).open("ab") as stream:
            stream.write(b'{"phase": "aft')
    run = recover(made.path)
    assert run.manifest.complete
    assert run.manifest.recovered
    assert run.manifest.health.torn_lines == 3
    assert [one.status for one in run.steps] == [StepStatus.DONE] * 3
    assert run.steps[2].after is None
    assert "recovered" in run.steps[2].note
    kinds = [line.data["kind"] for line in read_lines(made.path / LIFECYCLE).lines]
    assert kinds[-1] == "recovered"
    assert read_run(made.path) == recover(made.path)


def test_recovering_takes_the_whole_text_from_the_stored_keys(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.mark("recording", clock=90.0)
    hands = Hands().type("Hello")
    first = next(event for event in hands.events if event.text)
    for event in hands.events:
        made.write_raw(event)
    made.write_before(step(0, started=first.at - 90.0, text=""))
    (one,) = recover(made.path).steps
    assert one.action.parameters == {"text": "Hello"}
    assert one.words == "Type “Hello”"


def test_an_unfinished_act_of_a_replay_stays_unfinished(tmp_path: Path) -> None:
    made = writer(tmp_path, source=RunSource.REPLAY)
    made.write_before(step())
    (one,) = recover(made.path).steps
    assert one.status is StepStatus.UNFINISHED


def test_a_broken_line_in_the_middle_is_told_by_file_and_number(tmp_path: Path) -> None:
    made = finished(tmp_path)
    file = made.path / STEPS
    lines = file.read_bytes().split(b"\n")
    lines[1] = lines[1][:40]
    file.write_bytes(b"\n".join(lines))
    with pytest.raises(RunFolderError, match=r"steps\.jsonl, line 2"):
        read_run(made.path)


def test_a_hand_edit_that_does_not_fit_is_told_by_line_and_place(tmp_path: Path) -> None:
    made = finished(tmp_path)
    file = made.path / STEPS
    file.write_text(file.read_text().replace('"index": 1', '"index": "one"', 1))
    with pytest.raises(RunFolderError, match=r"line 3: index"):
        read_run(made.path)
    file.write_text(
        file.read_text().replace('"index": "one"', '"index": 1').replace('"phase": "after"', '"phase": "x"')
    )
    with pytest.raises(RunFolderError, match=r"line 2: the phase"):
        read_run(made.path)


def test_an_editor_that_drops_the_last_line_end_loses_nothing(tmp_path: Path) -> None:
    made = finished(tmp_path)
    file = made.path / STEPS
    file.write_bytes(file.read_bytes().rstrip(b"\n") + b"")
    run = read_run(made.path)
    assert len(run.steps) == 2
    assert run.manifest.health.torn_lines == 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format_version": FORMAT_VERSION + 1}, "reads up to"),
        ({"format_version": 0}, "not known"),
        ({"format_version": "new"}, "version is missing"),
        ({"source": "ghost"}, "source"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_refused_clearly(
    tmp_path: Path, change: dict[str, object], sentence: str
) -> None:
    made = finished(tmp_path)
    file = made.path / MANIFEST
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(RunFolderError, match=sentence):
        read_run(made.path)


def test_one_broken_run_does_not_hide_the_others(tmp_path: Path) -> None:
    finished(tmp_path)
    other = RunWriter.create(tmp_path, manifest("run-2"))
    other.close(Health())
    (tmp_path / "run-1" / MANIFEST).write_text("{")
    (tmp_path / "stray").mkdir()
    assert [one.id for one in list_runs(tmp_path)] == ["run-2"]
    assert {(one.path.name, bool(one.sentence)) for one in broken_runs(tmp_path)} == {("run-1", True), ("stray", True)}
    assert list_runs(tmp_path / "nowhere") == []


def test_a_run_is_found_by_id_beginning_or_path(tmp_path: Path) -> None:
    made = finished(tmp_path)
    RunWriter.create(tmp_path, manifest("other")).close(Health())
    assert find_run(tmp_path, "run-1") == made.path
    assert find_run(tmp_path, "oth").name == "other"
    assert find_run(tmp_path, str(made.path)) == made.path
    with pytest.raises(UnknownRun) as fault:
        find_run(tmp_path, "run-2")
    assert "run-1" in fault.value.hint
    RunWriter.create(tmp_path, manifest("run-10")).close(Health())
    with pytest.raises(UnknownRun, match="several"):
        find_run(tmp_path, "run")
    with pytest.raises(UnknownRun):
        find_run(tmp_path, "")


def test_run_ids_sort_by_time_and_differ() -> None:
    assert len({new_run_id() for _ in range(20)}) > 15


class Disk:
    """A disk that takes so many more bytes, in pieces, and then is full."""

    def __init__(self) -> None:
        self.room = 1_000_000

    def write(self, file: int, data: bytes) -> int:
        if self.room <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        part = data[: min(self.room, 50)]
        self.room -= len(part)
        return os.write(file, part)


@pytest.mark.parametrize("room", [0, 1, 49, 50, 51, 120])
def test_a_full_disk_loses_at_most_the_line_being_written_and_a_retry_works(tmp_path: Path, room: int) -> None:
    disk = Disk()
    made = RunWriter.create(tmp_path, manifest(), disk.write)
    made.write_before(step(0))
    made.write_after(step(0, StepStatus.DONE))
    disk.room = room
    with pytest.raises(RepositoryFull):
        made.write_before(step(1))
    assert [one.index for one in read_run(made.path).steps] == [0]
    assert read_run(made.path).manifest.health.torn_lines == 0
    disk.room = 1_000_000
    made.write_before(step(1))
    made.close(Health())
    assert [one.index for one in read_run(made.path).steps] == [0, 1]


def test_closing_twice_counts_once(tmp_path: Path) -> None:
    made = finished(tmp_path)
    made.close(Health(captured=99), complete=False)
    assert read_run(made.path).manifest.health.captured == 3
    kinds = [line.data["kind"] for line in read_lines(made.path / LIFECYCLE).lines]
    assert kinds == ["started", "stopped"]
