"""Following a folder that somebody still writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from echostudio.actionlens.follower import RunFollower
from echostudio.actionlens.runfolder import read_run
from echostudio.actionlens.runreader import STEPS
from echostudio.episode.run import Health
from echostudio.episode.step import StepStatus
from echostudio.errors import RunFolderError
from tests.unit.actionlens.make import step, writer


def test_each_poll_gives_only_what_is_new(tmp_path: Path) -> None:
    made = writer(tmp_path)
    follower = RunFollower(made.path)
    assert follower.poll() == []
    made.write_before(step(0))
    assert [one.status for one in follower.poll()] == [StepStatus.UNFINISHED]
    assert follower.poll() == []
    made.write_after(step(0, StepStatus.DONE))
    made.write_before(step(1))
    assert [(one.index, one.status) for one in follower.poll()] == [(0, StepStatus.DONE), (1, StepStatus.UNFINISHED)]
    assert not follower.finished
    made.close(Health())
    assert follower.finished
    assert follower.poll() == []


def test_a_partial_line_waits_for_its_rest_at_every_byte(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.write_before(step(0))
    made.write_after(step(0, StepStatus.DONE))
    made.close(Health())
    whole = (made.path / STEPS).read_bytes()
    file = made.path / STEPS
    file.write_bytes(b"")
    follower, seen = RunFollower(made.path), []
    for place in range(0, len(whole), 17):
        file.write_bytes(whole[:place])
        seen += follower.poll()
    file.write_bytes(whole)
    seen += follower.poll()
    assert [one.status for one in seen] == [StepStatus.UNFINISHED, StepStatus.DONE]
    assert seen[-1] == read_run(made.path).steps[-1]


def test_a_broken_line_is_told_with_its_number(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.write_before(step(0))
    follower = RunFollower(made.path)
    follower.poll()
    with (made.path / STEPS).open("ab") as stream:
        stream.write(b"nonsense\n")
    with pytest.raises(RunFolderError, match="line 2"):
        follower.poll()
    made.close(Health())


def test_a_folder_without_steps_yet_is_no_error(tmp_path: Path) -> None:
    assert RunFollower(tmp_path).poll() == []
