"""Real programs: recorded at 1920x1080, replayed at 1600x900, moved, with other values, judged by the artifact."""

from __future__ import annotations

from pathlib import Path

import pytest

from echostudio.episode.geometry import DesktopBox
from echostudio.episode.verdict import Outcome, RefusalCode
from echostudio.operations.services import Services
from tests.desktop import programs
from tests.desktop.conftest import Stages
from tests.desktop.workflow import Workflow, demonstrate, run, story

pytestmark = pytest.mark.desktop

ELSEWHERE = DesktopBox(420, 170, 900, 560)


@pytest.mark.parametrize("workflow", programs.WORKFLOWS, ids=lambda workflow: workflow.name)
def test_recorded_and_replayed_elsewhere_with_other_values(
    workflow: Workflow, services: Services, stages: Stages, folder: Path
) -> None:
    here = stages(1920, 1080)
    memory = demonstrate(services, here, workflow, folder)
    there = stages(1600, 900)

    refused = run(services, there, memory, {})
    assert refused.outcome is Outcome.REFUSED, story(refused)
    assert refused.refusal is not None
    assert refused.refusal.code is RefusalCode.APP_MISMATCH
    assert refused.steps == ()

    other = workflow.other(folder)
    workflow.open(there, folder, ELSEWHERE)
    undeclared = run(services, there, memory, {**other, "colour": "blue"})
    assert undeclared.refusal is not None
    assert undeclared.refusal.code is RefusalCode.UNDECLARED_CHANGE
    assert undeclared.steps == ()

    report = run(services, there, memory, other)
    assert report.outcome is Outcome.VERIFIED, story(report)
    assert workflow.proof(folder, other), story(report)
