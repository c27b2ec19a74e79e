"""What the two commands find out about a machine and about an environment, without installing anything."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

PACKAGING = Path(__file__).resolve().parents[3] / "packaging"


def load(name: str) -> ModuleType:
    """Load a script of ``packaging/``, which is no package."""
    spec = importlib.util.spec_from_file_location(name, PACKAGING / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # the scripts import it by this name
    spec.loader.exec_module(module)
    return module


setup = load("setup_machine")

HERE = setup.Need("something here", "here-package", lambda: True)
GONE = setup.Need("something gone", "gone-package", lambda: False)


def pretend_environment(folder: Path) -> None:
    """Make a folder look like a fresh virtual environment with pip, by borrowing the one that runs these tests."""
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    for name, target in (("bin/python", sys.executable), ("lib", Path(sys.prefix, "lib"))):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)
    shutil.copy(Path(sys.prefix, "pyvenv.cfg"), folder)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A project folder with the two files that decide what is installed."""
    project = tmp_path / "my checkout"
    (project / "packaging").mkdir(parents=True)
    (project / "pyproject.toml").write_text("[project]\n")
    (project / "packaging/constraints.txt").write_text("numpy==2.4.6\n")
    return project


@pytest.fixture
def installs(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Every command that would have been run to its end, in order; all succeed and make an environment's Python."""
    commands: list[list[str]] = []

    def logged(command: list[str], environment: object, **rest: object) -> object:
        commands.append(command)
        if "venv" in command:
            pretend_environment(Path(command[-1]))
        return setup.Logged(False, [])

    monkeypatch.setattr(setup, "logged", logged)
    return commands


def steps(commands: list[list[str]]) -> list[str]:
    return ["venv" if "venv" in command else command[-1] for command in commands]


class TestNeeds:
    def test_a_library_is_found_by_the_loader_and_not_by_its_package(self) -> None:
        assert setup.library("libc.so.6", "whatever").found()
        assert not setup.library("libnothing-of-this-name.so.1", "libc6").found()

    def test_a_program_is_found_on_the_search_path(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        need = setup.program("paintbox", "paintbox")
        assert not need.found()
        (tmp_path / "paintbox").touch(0o755)
        assert need.found()

    def test_any_of_the_patterns_is_enough_for_a_file(self, tmp_path: Path) -> None:
        need = setup.file("a font", "fonts", f"{tmp_path}/no/*.ttf", f"{tmp_path}/**/Some.ttf")
        assert not need.found()
        (tmp_path / "deep/er").mkdir(parents=True)
        (tmp_path / "deep/er/Some.ttf").touch()
        assert need.found()

    def test_a_python_without_ensurepip_lacks_the_venv_module(self, monkeypatch: pytest.MonkeyPatch) -> None:
        find_spec = importlib.util.find_spec
        monkeypatch.setattr(
            setup.importlib.util, "find_spec", lambda name: None if name == "ensurepip" else find_spec(name)
        )
        assert not setup.venv_module().found()
        assert setup.venv_module().package == f"python3.{sys.version_info.minor}-venv"

    def test_only_linux_takes_them_from_the_system(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert setup.missing([HERE, GONE]) == [GONE]
        monkeypatch.setattr(sys, "platform", "darwin")
        assert setup.missing([HERE, GONE]) == []


class TestProvide:
    @pytest.fixture(autouse=True)
    def ordinary_user_of_debian(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
        monkeypatch.setattr(setup.shutil, "which", lambda name: f"/usr/bin/{name}")

    def test_an_ordinary_user_gets_one_line_with_everything(self, installs: list[list[str]]) -> None:
        other = GONE._replace(package="another-package")
        with pytest.raises(setup.SetupError) as caught:
            setup.provide([GONE], [other])
        line = str(caught.value).splitlines()[-1].strip()
        assert line == "apt-get update && apt-get install -y --no-install-recommends another-package gone-package"
        assert installs == []

    def test_what_is_only_wished_for_does_not_stop_the_command(self, capsys: pytest.CaptureFixture[str]) -> None:
        setup.provide([], [GONE])
        out, err = capsys.readouterr()
        assert out == ""
        assert "gone-package" in err

    def test_other_systems_get_the_names(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(setup.shutil, "which", lambda name: None)
        with pytest.raises(setup.SetupError, match="something gone") as caught:
            setup.provide([GONE], [])
        assert "apt-get" not in str(caught.value)

    def test_root_installs_and_looks_again(self, monkeypatch: pytest.MonkeyPatch, installs: list[list[str]]) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        need = GONE._replace(found=lambda: bool(installs))
        setup.provide([need], [])
        assert installs[-1][:1] == ["apt-get"]
        assert installs[-1][-1] == "gone-package"
        assert "--no-install-recommends" in installs[-1]

    def test_an_archive_that_lacks_the_package_is_shown(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        monkeypatch.setattr(
            setup, "logged", lambda command, environment: setup.Logged(True, [f"E: {command[-1]} fails"])
        )
        with pytest.raises(setup.SetupError, match="E: gone-package fails"):
            setup.provide([GONE], [])

    def test_nothing_missing_asks_nothing(self, installs: list[list[str]]) -> None:
        setup.provide([], [])
        assert installs == []


class TestEnvironment:
    def test_the_second_start_installs_nothing(self, checkout: Path, installs: list[list[str]]) -> None:
        environment = setup.Environment(checkout)
        assert not environment.is_ready()
        environment.make_ready()
        assert steps(installs) == ["venv", "."]
        assert environment.is_ready()
        environment.make_ready()
        assert len(installs) == 2

    @pytest.mark.parametrize("name", ["pyproject.toml", "packaging/constraints.txt"])
    def test_changed_wishes_install_again_into_the_same_environment(
        self, checkout: Path, installs: list[list[str]], name: str
    ) -> None:
        environment = setup.Environment(checkout)
        environment.make_ready()
        (checkout / name).write_text("changed\n")
        assert not environment.is_ready()
        environment.make_ready()
        assert steps(installs) == ["venv", ".", "."]

    def test_both_commands_keep_what_the_other_one_needs(self, checkout: Path, installs: list[list[str]]) -> None:
        environment = setup.Environment(checkout)
        environment.make_ready(("dev",))
        assert environment.is_ready()
        (checkout / "pyproject.toml").write_text("changed\n")
        environment.make_ready()
        assert steps(installs) == ["venv", ".[dev]", ".[dev]"]
        assert environment.is_ready(("dev",))

    def test_an_interrupted_installation_is_done_anew(
        self, checkout: Path, installs: list[list[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        environment = setup.Environment(checkout)
        logged = setup.logged

        def interrupted(command: list[str], *rest: object, **more: object) -> object:
            outcome: object = logged(command, *rest, **more)
            if "pip" in command:
                raise KeyboardInterrupt
            return outcome

        monkeypatch.setattr(setup, "logged", interrupted)
        assert setup.guarded(environment.make_ready) == setup.EXIT_STOPPED
        monkeypatch.setattr(setup, "logged", logged)
        assert not environment.is_ready()
        environment.make_ready()
        assert steps(installs) == ["venv", ".", "venv", "."]
        assert environment.is_ready()

    @pytest.mark.parametrize("fact", [{"venv": "/elsewhere/.venv"}, {"python": "cpython-399"}])
    def test_a_moved_or_foreign_environment_is_made_anew(
        self, checkout: Path, installs: list[list[str]], fact: dict[str, str]
    ) -> None:
        environment = setup.Environment(checkout)
        environment.make_ready()
        stamp = checkout / ".venv/echostudio-setup.json"
        stamp.write_text(json.dumps({**json.loads(stamp.read_text()), **fact}))
        assert not environment.is_ready()
        environment.make_ready()
        assert steps(installs) == ["venv", ".", "venv", "."]

    def test_an_environment_whose_python_is_gone_is_made_anew(self, checkout: Path, installs: list[list[str]]) -> None:
        environment = setup.Environment(checkout)
        environment.make_ready()
        environment.python.unlink()
        assert not environment.is_ready()
        environment.make_ready()
        assert steps(installs) == ["venv", ".", "venv", "."]

    @pytest.mark.parametrize("text", ["", "[]", "{", '{"complete": true}', '{"extras": null}'])
    def test_a_broken_stamp_counts_as_none(self, checkout: Path, text: str) -> None:
        (checkout / ".venv").mkdir()
        (checkout / ".venv/echostudio-setup.json").write_text(text)
        assert setup.Environment(checkout).stamp() is None
        assert not setup.Environment(checkout).is_ready()

    def test_an_environment_made_by_hand_is_used(self, checkout: Path, installs: list[list[str]]) -> None:
        pretend_environment(checkout / ".venv")
        setup.Environment(checkout).make_ready()
        assert steps(installs) == ["."]

    def test_a_failed_installation_leaves_no_claim(self, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        log = ["ERROR: Could not install packages: [Errno 28] No space left on device"]

        def logged(command: list[str], environment: object, **rest: object) -> object:
            (checkout / ".venv").mkdir(exist_ok=True)
            return setup.Logged("pip" in command, log)

        monkeypatch.setattr(setup, "logged", logged)
        with pytest.raises(setup.SetupError, match="the disk is full"):
            setup.Environment(checkout).make_ready()
        assert not setup.Environment(checkout).is_ready()

    def test_an_environment_of_somebody_else_is_refused_in_one_sentence(
        self, checkout: Path, installs: list[list[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(path: Path, *rest: object, **more: object) -> None:
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr(Path, "write_text", refuse)
        with pytest.raises(setup.SetupError, match="cannot be changed.*Permission denied"):
            setup.Environment(checkout).make_ready()

    @pytest.mark.skipif(os.name == "nt", reason="no flock there")
    def test_two_starts_install_once(
        self, checkout: Path, installs: list[list[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        waits = threading.Event()
        monkeypatch.setattr(setup, "say", lambda text: waits.set() if text.startswith("waiting") else None)
        first, second = setup.Environment(checkout), setup.Environment(checkout)
        with first._lock():
            late = threading.Thread(target=second.make_ready)
            late.start()
            assert waits.wait(10)
            assert installs == []
        late.join(10)
        first.make_ready()
        assert steps(installs) == ["venv", "."]


class TestLogged:
    def test_a_command_that_is_not_there_has_failed(self) -> None:
        outcome = setup.logged(["/no/such/program"], os.environ)
        assert outcome.failed
        assert "/no/such/program" in outcome.lines[0]

    def test_chosen_lines_are_shown_and_all_are_kept(self, capsys: pytest.CaptureFixture[str]) -> None:
        script = "import sys; print('Downloading x'); print('noise', file=sys.stderr); sys.exit(3)"
        outcome = setup.logged([sys.executable, "-c", script], os.environ, show=("Downloading ",))
        assert outcome.failed
        assert sorted(outcome.lines) == ["Downloading x", "noise"]
        out, err = capsys.readouterr()
        assert (out, err) == ("", "echostudio:   Downloading x\n")

    def test_errors_are_more_telling_than_the_last_lines(self) -> None:
        assert setup.with_log("Sorry.", ["ERROR: no such pin", *["box"] * 20]) == "Sorry.\n  | ERROR: no such pin"

    def test_a_message_ends_with_the_last_lines_of_the_log(self) -> None:
        text = setup.with_log("Sorry.", [*(f"line {number}" for number in range(20)), "", " "])
        assert text.splitlines() == ["Sorry.", *(f"  | line {number}" for number in range(14, 20))]


class TestRun:
    @pytest.mark.parametrize(
        ("arguments", "command"),
        [
            ([], ""),
            (["--home", "demo"], ""),
            (["--open", "timeline:M", "--shot", "desktop"], ""),
            (["--json", "--home", "x", "find", "demo"], "find"),
            (["demo", "--size", "1920x1080"], "demo"),
        ],
    )
    def test_the_command_is_told_from_values(self, arguments: list[str], command: str) -> None:
        assert load("run").command_of(arguments) == command

    @pytest.mark.parametrize(
        ("variables", "arguments", "expected"),
        [
            ({}, [], ["demo"]),
            ({"DISPLAY": ":5"}, [], []),
            ({"WAYLAND_DISPLAY": "wayland-0"}, [], []),
            ({}, ["runs", "list"], ["runs", "list"]),
        ],
    )
    @pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
    def test_without_arguments_it_opens_what_can_be_seen(
        self, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], arguments: list[str], expected: list[str]
    ) -> None:
        run = load("run")
        started: list[list[str]] = []
        monkeypatch.delenv("DISPLAY", raising=False)
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["run.py", *arguments])
        monkeypatch.setattr(run.setup, "prepare", lambda needed, wished: Path("/venv/python"))
        monkeypatch.setattr(os, "execv", lambda python, command: started.append(command))
        run.main()
        assert started == [["/venv/python", "-P", "-m", "echostudio", *expected]]

    @pytest.mark.parametrize("script", ["run.py", "test.py"])
    def test_an_old_python_gets_one_sentence(self, script: str) -> None:
        pretend = (
            "import runpy, sys; sys.version_info, sys.version = (3, 9, 2), '3.9.2 (main)';"
            f"runpy.run_path({str(PACKAGING / script)!r}, run_name='__main__')"
        )
        done = subprocess.run([sys.executable, "-c", pretend], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (7, "")
        assert done.stderr == "echostudio: this is Python 3.9.2, and 3.11 or newer is needed.\n"
