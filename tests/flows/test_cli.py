"""The command line over the scripted desktop: exit codes, the one JSON document, sentences."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from echostudio import cli
from echostudio.desktop import host
from echostudio.desktop.scripted import ScriptedDesktop
from echostudio.episode.memory import Memory
from tests.flows.line import Line

Run = Callable[..., Result]

STEP_KEYS = {"index", "words", "status", "route", "score", "second", "margin", "scale", "crop", "variant", "ms"}


@pytest.fixture
def run(line: Line) -> Run:
    app = cli.build(lambda *_: 0)

    def call(*words: str) -> Result:
        return CliRunner().invoke(app, ["--home", str(line.services.home), *words])

    return call


@pytest.fixture
def memory(line: Line) -> Memory:
    return line.active()


def on(monkeypatch: pytest.MonkeyPatch, desktop: ScriptedDesktop) -> tuple[str, str]:
    """Let ``--display :97`` be the scripted desktop."""
    monkeypatch.setattr(host, "open_display", lambda _display: desktop)
    return ("--display", ":97")


def document(result: Result) -> Any:
    return json.loads(result.stdout)


def test_a_verified_replay_exits_0_and_prints_one_document(
    run: Run, memory: Memory, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = on(monkeypatch, line.editor())
    done = run("replay", memory.id, *where, "--set", "file_name=cli.txt", "--set", "text=from the shell", "--json")
    body = document(done)
    assert done.exit_code == 0, done.output
    assert body["outcome"] == "verified"
    assert body["refusal"] is None
    assert len(body["gates"]) == 9
    assert body["changed"] == {"file_name": "cli.txt", "text": "from the shell"}
    assert set(body["steps"][1]) >= STEP_KEYS
    assert (line.folder / "cli.txt").read_text() == "from the shell"


@pytest.mark.parametrize(
    ("options", "words", "code", "refusal"),
    [
        ({}, ("--set", "colour=blue"), 3, "undeclared_change"),
        ({"doubled_button": True}, (), 4, "target_ambiguous"),
        ({"empty_save": True}, (), 5, None),
    ],
)
def test_each_class_of_outcome_has_its_exit_code(
    run: Run,
    memory: Memory,
    line: Line,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    words: tuple[str, ...],
    code: int,
    refusal: str | None,
) -> None:
    (line.folder / "monday.txt").unlink()
    done = run("replay", memory.id, *on(monkeypatch, line.editor(**options)), *words, "--json")
    body = document(done)
    assert done.exit_code == code, done.output
    assert (body["refusal"] or {}).get("code") == refusal
    if body["refusal"]:
        assert body["refusal"]["class"] == ("local" if code == 4 else "structural")
        assert body["refusal"]["sentence"]
        assert body["refusal"]["next"]


def test_a_dry_run_exits_0_when_it_would_start(
    run: Run, memory: Memory, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop = line.editor()
    done = run("replay", memory.id, *on(monkeypatch, desktop), "--dry-run", "--json")
    assert done.exit_code == 0
    assert document(done)["dry_run"] is True
    assert desktop.performed == []


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("replay", "no-such-memory", "--display", ":97", "--json"), 7, "unknown_memory"),
        (("memory", "show", "no-such-memory", "--json"), 7, "unknown_memory"),
        (("runs", "show", "no-such-run", "--json"), 7, "unknown_run"),
        (("consolidate", "no-such-run", "--json"), 7, "unknown_run"),
        (("replay", "--json"), 2, "usage"),
        (("desktop", "up", "--size", "big"), 2, "usage"),
    ],
)
def test_errors_are_one_document_with_a_sentence(run: Run, words: tuple[str, ...], code: int, error: str) -> None:
    done = run(*words)
    assert done.exit_code == code, done.output
    fault = document(done)["error"]
    assert fault["code"] == error
    assert fault["sentence"].endswith((".", "!"))


def test_without_a_display_nothing_starts(run: Run, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    for words in (("replay", memory.id, "--json"), ("record", "--intent", "x", "--json")):
        done = run(*words)
        assert done.exit_code == 7, done.output
        assert "display" in document(done)["error"]["sentence"]


def test_find_tells_candidates_with_gates_and_proposed_values(
    run: Run, memory: Memory, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("memory", "phrase", memory.id, "add", "keep the note as monday.txt")
    done = run("find", "save a note", *on(monkeypatch, line.editor()), "--json")
    candidates = document(done)["candidates"]
    assert done.exit_code == 0, done.output
    assert candidates[0]["memory"] == memory.id
    assert [gate["gate"] for gate in candidates[0]["gates"]][0] == "lifecycle"
    nothing = run("find", "mute the microphone", "--json")
    assert nothing.exit_code == 3
    assert document(nothing)["candidates"] == []


def test_a_whole_memory_is_made_from_the_shell(run: Run, line: Line) -> None:
    body = document(run("consolidate", line.recorded(), "--json"))
    memory = body["memory"]
    assert body["viable"]
    typed = [step for step in body["steps"] if step["kind"] == "type" and step["kept"]]
    name = next(step["index"] for step in typed if step["parameters"]["text"] == "monday.txt")
    assert run("memory", "field", memory, "add", "file_name", str(name), "text", "--json").exit_code == 0
    assert run("memory", "field", memory, "add", "x", "99", "text", "--json").exit_code == 2
    refused = run("memory", "promote", memory, "--reason", "too early", "--json")
    assert refused.exit_code == 3
    assert document(refused)["error"]["code"] == "promotion_refused"
    path = f"path={line.folder}/{{file_name}}"
    assert run("memory", "check", memory, "add", "file_exists", path, "--json").exit_code == 0
    assert run("memory", "check", memory, "add", "no_such_check", path, "--json").exit_code == 2
    assert run("memory", "check", memory, "run", "--json").exit_code == 0
    promoted = run("memory", "promote", memory, "--reason", "checked", "--json")
    assert promoted.exit_code == 0, promoted.output
    assert document(promoted)["state"] == "active"
    assert run("store", "verify").exit_code == 0


def test_a_secret_never_stands_on_the_command_line(run: Run, line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = line.candidate().id
    assert run("memory", "field", memory, "add", "pin", "0", "text", "--kind", "secret").exit_code == 0
    where = on(monkeypatch, line.editor())
    plain = run("replay", memory, "--set", "pin=hunter2", *where, "--json")
    assert plain.exit_code == 2
    assert "hunter2" not in plain.output
    monkeypatch.setenv("PIN", "hunter2")
    asked = run("replay", memory, "--set", "pin=@env:PIN", *where, "--json")
    assert document(asked)["refusal"]["code"] == "not_active"
    assert "hunter2" not in asked.output
