from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from echostudio import paths
from echostudio.desktop.lock import DeskLock
from echostudio.errors import DeskBusy


@pytest.fixture(autouse=True)
def own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "locks_folder", lambda: tmp_path)


def test_the_lock_says_who_holds_the_desktop() -> None:
    with DeskLock(":5.0", "record") as lock:
        told = json.loads(lock.path.read_text())
        assert (told["pid"], told["purpose"]) == (os.getpid(), "record")
        with pytest.raises(DeskBusy) as caught, DeskLock("localhost:5", "replay"):
            pass
    sentence = caught.value.sentence
    assert f"record by {told['who']} (process {os.getpid()}) since {told['since']}" in sentence
    assert caught.value.hint


def test_another_display_is_free() -> None:
    with DeskLock(":5", "record"), DeskLock(":6", "record") as second:
        assert second.display == ":6"


def test_the_lock_is_free_again_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), DeskLock(":5", "record"):
        _ = 1 / 0
    with DeskLock(":5", "replay"):
        pass


def test_a_dead_owner_frees_the_lock(tmp_path: Path) -> None:
    code = (
        "import os, sys, signal; from pathlib import Path; from echostudio import paths;"
        "paths.locks_folder = lambda: Path(sys.argv[1]); from echostudio.desktop.lock import DeskLock;"
        "DeskLock(':5', 'record').__enter__(); print('held', flush=True); signal.pause()"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(paths.__file__).parents[1]) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "held\n"
        with pytest.raises(DeskBusy, match=str(owner.pid)), DeskLock(":5", "replay"):
            pass
        owner.kill()
        owner.wait()
        with DeskLock(":5", "replay"):
            pass


def test_an_unreadable_owner_is_still_an_owner() -> None:
    with DeskLock(":5", "record") as lock:
        lock.path.write_text("{torn")
        with pytest.raises(DeskBusy, match="another process"), DeskLock(":5", "replay"):
            pass
