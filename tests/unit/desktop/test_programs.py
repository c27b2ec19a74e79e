from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from echostudio.cancel import CancelToken, SystemClock, wait_until
from echostudio.desktop.programs import launch, session_members
from echostudio.errors import DesktopError

ENVIRONMENT = {"PATH": os.environ["PATH"], "MARK": "seen"}


def soon(condition: object) -> bool:
    assert callable(condition)
    return wait_until(condition, SystemClock(), CancelToken(), 5.0)


def test_a_program_gets_its_folder_and_exactly_its_environment(tmp_path: Path) -> None:
    program = launch(["sh", "-c", 'pwd > out; echo "$MARK" >> out'], ENVIRONMENT, tmp_path)
    assert soon(lambda: not program.running())
    assert (tmp_path / "out").read_text() == f"{tmp_path}\nseen\n"


def test_arguments_pass_no_shell(tmp_path: Path) -> None:
    program = launch(["touch", "a b; rm x"], ENVIRONMENT, tmp_path)
    assert soon(lambda: not program.running())
    assert os.listdir(tmp_path) == ["a b; rm x"]


def test_the_whole_session_ends() -> None:
    program = launch(["sh", "-c", "sleep 60 & set -m; sleep 60 & wait"], ENVIRONMENT)
    assert soon(lambda: len(session_members(program.pid)) == 3)
    program.terminate()
    assert not program.running()
    assert session_members(program.pid) == []


def test_a_program_that_ignores_the_request_is_killed() -> None:
    program = launch(["sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"], ENVIRONMENT)
    assert soon(lambda: len(session_members(program.pid)) == 2)
    program.terminate(timeout=0.2)
    assert not program.running()


def test_a_killed_program_does_not_run() -> None:
    program = launch(["sleep", "60"], ENVIRONMENT)
    assert program.running()
    os.kill(program.pid, signal.SIGKILL)
    assert soon(lambda: not program.running())


def test_a_missing_program_is_told_by_name() -> None:
    with pytest.raises(DesktopError, match="'no-such-program' is not installed"):
        launch(["no-such-program"], ENVIRONMENT)


def test_no_program_is_an_error() -> None:
    with pytest.raises(DesktopError, match="No program"):
        launch([], ENVIRONMENT)


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DesktopError, match="could not be started"):
        launch(["true"], ENVIRONMENT, tmp_path / "gone")
