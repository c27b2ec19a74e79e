"""The replay as a process of its own: stopped with Ctrl+C while it types, refused by a covered or doubled target."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from echostudio.episode.geometry import DesktopBox
from echostudio.episode.memory import Memory
from echostudio.episode.verdict import Outcome, RefusalCode
from echostudio.operations.services import Services
from tests.desktop import programs
from tests.desktop.conftest import Stages
from tests.desktop.workflow import demonstrate, run, story

pytestmark = pytest.mark.desktop

SAVE = programs.WORKFLOWS[0]


@pytest.fixture
def memory(services: Services, stages: Stages, folder: Path) -> Memory:
    return demonstrate(services, stages(1280, 800), SAVE, folder)


def test_ctrl_c_while_typing_lets_go_of_everything_and_exits_6(
    services: Services, stages: Stages, memory: Memory, folder: Path
) -> None:
    there = stages(1024, 768)
    SAVE.open(there, folder, None)
    typed = folder / "stopped.txt"
    command = [sys.executable, "-m", "echostudio", "--home", str(services.home), "replay", memory.id, "--json"]
    command += ["--display", there.display, "--set", f"file_name={typed}", "--set", "text=" + "LONG TEXT " * 40]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    there.person.wait_for(lambda: _is_typing(there.desktop.active_app()), "typing", 40)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=30)
    body = json.loads(out)
    assert child.returncode == 6, body
    assert body["outcome"] == "stopped"
    assert there.desktop.modifiers_down() == ()
    assert not typed.exists()


def test_the_panic_key_stops_a_replay_that_is_typing(
    services: Services, stages: Stages, memory: Memory, folder: Path
) -> None:
    there = stages(1024, 768)
    SAVE.open(there, folder, None)
    command = [sys.executable, "-m", "echostudio", "--home", str(services.home), "replay", memory.id, "--json"]
    command += ["--display", there.display, "--set", "text=" + "long text " * 40]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    there.person.wait_for(lambda: _is_typing(there.desktop.active_app()), "typing", 40)
    there.person.hotkey("ctrl", "alt", "q")
    out, _ = child.communicate(timeout=30)
    assert child.returncode == 6
    assert json.loads(out)["outcome"] == "stopped"
    assert there.desktop.modifiers_down() == ()


def _is_typing(window: object) -> bool:
    """The title gets a star as soon as the text differs from the file."""
    return str(getattr(window, "title", "")).startswith("*")


def test_a_doubled_window_and_a_dialog_in_front_are_refused_before_input(
    services: Services, stages: Stages, memory: Memory, folder: Path
) -> None:
    there = stages(1400, 800)
    other = SAVE.other(folder)
    SAVE.open(there, folder, DesktopBox(20, 60, 640, 420))
    SAVE.open(there, folder, DesktopBox(710, 60, 640, 420))
    twin = run(services, there, memory, other)
    assert twin.outcome is Outcome.REFUSED, story(twin)
    assert twin.refusal is not None
    assert twin.refusal.code is RefusalCode.TARGET_AMBIGUOUS, story(twin)
    assert [step.status for step in twin.steps] == ["refused"]
    assert twin.steps[0].before is not None

    there.person.hotkey("ctrl", "o")
    there.person.wait_window("Open", dialog=True)
    dialog = run(services, there, memory, other)
    assert dialog.refusal is not None
    assert dialog.refusal.code is RefusalCode.STATE_MISMATCH, story(dialog)
    assert "Open" in dialog.refusal.sentence
    assert dialog.steps == ()


def test_a_running_replay_keeps_others_off_its_desk(
    services: Services, stages: Stages, memory: Memory, folder: Path
) -> None:
    there = stages(1024, 768)
    SAVE.open(there, folder, None)
    command = [sys.executable, "-m", "echostudio", "--home", str(services.home), "replay", memory.id, "--json"]
    command += ["--display", there.display, "--set", "text=" + "long text " * 40]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    there.person.wait_for(lambda: _is_typing(there.desktop.active_app()), "typing", 40)
    second = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=30)
    assert second.returncode == 7
    assert json.loads(second.stdout)["error"]["code"] == "desk_busy"
