"""The recorder as a process of its own: killed in the middle, stopped in order, refused where it cannot work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from echostudio.cancel import CancelToken, SystemClock, wait_until
from echostudio.episode.step import StepStatus
from echostudio.operations import consolidate, record
from echostudio.operations.demo.stage import Stage, recorder
from echostudio.operations.services import Services
from tests.desktop.conftest import Stages
from tests.desktop.programs import MENU, MOUSEPAD

pytestmark = pytest.mark.desktop


def _start_recorder(services: Services, stage: Stage, ready: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "echostudio", "--home", str(services.home), "record", "--intent", "kill me"]
    command += ["--display", stage.display, "--ready-file", str(ready)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    assert wait_until(lambda: ready.exists() or child.poll() is not None, SystemClock(), CancelToken(), 30)
    assert child.poll() is None, child.communicate()[1]
    return child


def _shown(child: subprocess.Popen[str], count: int) -> list[str]:
    """Read the recorder's lines until so many steps were shown to the person."""
    assert child.stderr is not None
    lines: list[str] = []
    while len(lines) < count:
        line = child.stderr.readline()
        assert line, lines
        if line.strip()[:1].isdigit():
            lines.append(line.strip())
    return lines


def test_every_shown_step_survives_kill_9_and_recover_makes_the_run_usable(
    services: Services, stages: Stages, tmp_path: Path
) -> None:
    here = stages(1280, 800)
    here.start(MOUSEPAD, tmp_path)
    child = _start_recorder(services, here, tmp_path / "ready")
    person = here.person
    person.type("first words")
    person.click("File", MENU)
    person.press("escape")
    person.hotkey("ctrl", "a")
    shown = _shown(child, 3)
    child.kill()
    child.communicate()

    run = (tmp_path / "ready").read_text()
    before = record.load(services, run)
    assert not before.manifest.complete
    words = [step.words for step in before.steps]
    assert len(words) >= 3
    for line in shown:
        assert any(line.endswith(one) for one in words), (line, words)
    recovered = record.recover(services, run)
    assert recovered.manifest.recovered
    assert [step for step in recovered.steps[:3] if step.status is not StepStatus.DONE] == []
    done = consolidate.consolidate(services, run)
    assert done.memory is not None
    assert done.memory.program[0].action.parameters == {"text": "first words"}


def test_ctrl_c_ends_in_order_with_one_document(services: Services, stages: Stages, tmp_path: Path) -> None:
    here = stages(1024, 768)
    here.start(MOUSEPAD, tmp_path)
    ready = tmp_path / "ready"
    with recorder(here.display, "ends well", services.home, ready, here.token):
        here.person.type("short")
    run = record.load(services, ready.read_text())
    assert run.manifest.complete
    assert run.manifest.health.captured == run.manifest.health.stored > 0
    assert [step.action.parameters for step in run.steps] == [{"text": "short"}]


def test_two_recorders_never_share_a_desk(services: Services, stages: Stages, tmp_path: Path) -> None:
    here = stages(800, 600)
    first = _start_recorder(services, here, tmp_path / "ready")
    command = [sys.executable, "-m", "echostudio", "--home", str(services.home)]
    command += ["record", "--intent", "second", "--display", here.display, "--json"]
    second = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=30)
    assert second.returncode == 7
    assert json.loads(second.stdout)["error"]["code"] == "desk_busy"
    assert first.returncode == 0
