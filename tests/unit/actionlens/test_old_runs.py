"""Run folders of every format version that ever was stay readable; one from the future is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from echostudio.actionlens import upgrade
from echostudio.actionlens.runfolder import broken_runs, list_runs, read_run, recover
from echostudio.actionlens.runreader import read_events
from echostudio.blobs import BlobStore
from echostudio.episode.action import ActionKind
from echostudio.episode.run import FORMAT_VERSION
from echostudio.episode.step import StepStatus
from echostudio.errors import RunFolderError

OLD = Path(__file__).parents[2] / "old_runs"


def test_there_is_a_sample_of_every_version() -> None:
    assert {path.name for path in OLD.iterdir()} >= {f"version-{n}" for n in range(1, FORMAT_VERSION + 1)}


def test_version_1_reads_whole() -> None:
    run = read_run(OLD / "version-1")
    assert [step.action.kind for step in run.steps] == [ActionKind.CLICK, ActionKind.TYPE]
    assert all(step.status is StepStatus.DONE for step in run.steps)
    target = run.steps[0].targets["target"]
    assert target.element is not None
    assert target.element.name == "Save"
    assert target.self_test is not None
    pictures = BlobStore(OLD / "version-1" / "assets")
    for step in run.steps:
        for picture in (step.before, step.after):
            assert picture is not None
            assert pictures.get(picture.digest).shape == (picture.height, picture.width, 3)
    assert len(read_events(OLD / "version-1")) == run.manifest.health.stored
    assert run.manifest.health.torn_lines == 0


def test_version_1_cut_off_can_be_recovered(tmp_path: Path) -> None:
    path = tmp_path / "run"
    shutil.copytree(OLD / "version-1", path)
    steps = path / "steps.jsonl"
    steps.write_bytes(b"\n".join(steps.read_bytes().split(b"\n")[:3]) + b"\n")
    manifest = path / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"complete": true', '"complete": false'))
    run = recover(path)
    assert run.steps[1].status is StepStatus.DONE
    assert run.steps[1].action.parameters == {"text": "a"}


def test_a_run_from_the_future_is_refused_in_one_sentence() -> None:
    with pytest.raises(RunFolderError, match="format 99, this program reads up to") as fault:
        read_run(OLD / "from-the-future")
    assert "newer EchoStudio" in fault.value.hint
    assert [one.path.name for one in broken_runs(OLD)] == ["from-the-future"]
    assert "version-1" in [one.id for one in list_runs(OLD)]


def test_upgrades_go_one_version_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    first = FORMAT_VERSION - 2
    steps = {
        first: lambda data: {**data, "seen": [first]},
        first + 1: lambda data: {**data, "seen": [*data["seen"], first + 1]},
    }
    monkeypatch.setattr(upgrade, "STEPS", steps)
    done = upgrade.upgrade_manifest({"format_version": first}, Path("manifest.json"))
    assert done == {"format_version": FORMAT_VERSION, "seen": [first, first + 1]}
