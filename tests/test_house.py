"""The house keeps its plan: top level, layers, pins, and the traps that the dependencies are chosen to avoid."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).resolve().parents[1]
TOP_LEVEL = {"pyproject.toml", "echostudio", "resources", "tests", "packaging", "README.md", "LICENSE"}
MADE_BY_TOOLS = {"build", "dist", "__pycache__"}
VAGUE_FOLDERS = {"utils", "common", "misc", "helpers"}
# The pins hold on every system that the project runs on, so what only Windows asks for is pinned too.
SYSTEMS: tuple[dict[str, str], ...] = ({}, {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"})

REFERENCE_COUNTS = """
import sys
from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
LOOPS = 500
class Sender(QObject):
    sent = Signal(bool)
application = QGuiApplication([])
sender, image = Sender(), QImage(64, 64, QImage.Format.Format_RGB32)
sender.sent.connect(lambda flag: None)
painter = QPainter(image)
before = sys.getrefcount(None), sys.getrefcount(True)
for _ in range(LOOPS):
    painter.drawRect(QRect(1, 1, 8, 8))
    painter.fillRect(QRect(1, 1, 8, 8), QColor(1, 2, 3))
    sender.sent.emit(True)
lost = before[0] - sys.getrefcount(None), before[1] - sys.getrefcount(True)
painter.end()
assert max(lost) < LOOPS // 5, f"lost references to None, True: {lost}"
"""

RULES_TRIED = """
import logging, threading, pytest
stop = threading.Event()
def test_thread_left():
    threading.Thread(target=stop.wait, args=(30,), name="left behind", daemon=True).start()
def test_thread_ended():
    stop.set()
    thread = threading.Thread(target=stop.wait); thread.start()
def test_logs():
    logging.getLogger("a").warning("surprise")
@pytest.mark.expected_log("known .* trouble")
def test_logs_as_expected():
    logging.getLogger("a").warning("known kind of trouble")
@pytest.mark.expected_log("known .* trouble")
def test_logs_something_else():
    logging.getLogger("a").warning("known kind of trouble")
    logging.getLogger("a").error("surprise")
@pytest.mark.expected_log
def test_marked_without_need():
    pass
@pytest.mark.slow
def test_campaign():
    assert False
"""


def sources(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((PROJECT / folder).rglob("*.py"))]


def run_python(*arguments: str, folder: Path = PROJECT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def pins() -> dict[str, str]:
    lines = (PROJECT / "packaging/constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pairs}


def asked_for() -> set[str]:
    """Return the names of all packages that the project, its extras and its build need, and theirs in turn."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    todo = [Requirement(text) for group in (project["project"]["dependencies"], *extras) for text in group]
    # The build's own needs are not installed here, so that theirs cannot be looked up.
    seen = {"hatchling", "editables", "trove-classifiers"}
    done: set[tuple[str, frozenset[str]]] = set()
    while todo:
        need = todo.pop()
        key = (canonicalize_name(need.name), frozenset(need.extras))
        seen.add(key[0])
        if key not in done and _is_installed(need.name):
            done.add(key)
            todo += _needs_of(need.name, {"", *need.extras})
    return seen


def _is_installed(name: str) -> bool:
    return any(True for _ in importlib.metadata.distributions(name=name))


def _needs_of(name: str, extras: set[str]) -> list[Requirement]:
    needs = [Requirement(text) for text in importlib.metadata.requires(name) or ()]
    return [
        need
        for need in needs
        if not need.marker
        or any(need.marker.evaluate({**system, "extra": extra}) for system in SYSTEMS for extra in extras)
    ]


def test_the_top_level_holds_what_the_plan_names_and_nothing_else() -> None:
    found = {path.name for path in PROJECT.iterdir() if not path.name.startswith(".")}
    found = {name for name in found - MADE_BY_TOOLS if not name.endswith(".egg-info")}
    assert found == TOP_LEVEL
    assert (PROJECT / ".ci/run").is_file()


def test_imports_keep_to_the_layers() -> None:
    done = run_python(
        "-c", "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_packaging_is_no_package() -> None:
    assert not list((PROJECT / "packaging").rglob("__init__.py"))


def test_no_folder_has_a_vague_name() -> None:
    folders = {path.parent for path in sources("echostudio", "packaging", "tests")}
    assert [str(folder) for folder in sorted(folders) if VAGUE_FOLDERS & set(folder.relative_to(PROJECT).parts)] == []


@pytest.mark.parametrize("folder", ["echostudio", "packaging", "resources"])
def test_nothing_names_the_workplace(folder: str) -> None:
    suffixes = {".py", ".json", ".html", ".css", ".svg", ".md", ".txt", ".toml", ".j2", ".ts", ".sql"}
    files = [path for path in (PROJECT / folder).rglob("*") if path.is_file() and path.suffix in suffixes]
    assert files
    named = [path for path in files if re.search(r"\.\./shared|(?<![\w.])/work\b", path.read_text(encoding="utf-8"))]
    assert named == []


def test_every_source_reads_and_the_largest_are_named() -> None:
    functions, files = [], []
    for path in sources("echostudio"):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(PROJECT).as_posix()
        files.append((text.count("\n"), name))
        functions += [
            (node.end_lineno - node.lineno + 1, f"{name}:{node.lineno} {node.name}")
            for node in ast.walk(ast.parse(text, name))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
        ]
    for title, sizes in (("longest files", files), ("longest functions", functions)):
        print(title, *(f"  {lines:5} {name}" for lines, name in sorted(sizes, reverse=True)[:10]), sep="\n")
    assert functions


def test_everything_needed_is_pinned_and_nothing_else() -> None:
    needed = asked_for()
    assert sorted(needed - set(pins())) == [], "needed, but not pinned"
    assert sorted(set(pins()) - needed) == [], "pinned, but not needed"


def test_the_pins_satisfy_the_project_file() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    groups = (project["build-system"]["requires"], project["project"]["dependencies"], *extras)
    needs = [Requirement(text) for group in groups for text in group]
    assert [str(need) for need in needs if not need.specifier.contains(pins()[canonicalize_name(need.name)])] == []


def test_only_the_headless_cv2_is_installed() -> None:
    # Both wheels install cv2; the other one leaks its Qt 5 plugin path into every program that is launched.
    assert _is_installed("opencv-python-headless")
    assert not _is_installed("opencv-python")


def test_qt_keeps_the_references_of_none_and_true() -> None:
    done = run_python("-c", REFERENCE_COUNTS)
    assert done.returncode == 0, done.stderr


def test_the_rules_for_all_tests_bite(tmp_path: Path) -> None:
    shutil.copy(PROJECT / "tests/conftest.py", tmp_path)
    shutil.copy(PROJECT / "pyproject.toml", tmp_path)
    (tmp_path / "test_tried.py").write_text(RULES_TRIED, encoding="utf-8")
    done = run_python("-m", "pytest", "-rA", "test_tried.py", folder=tmp_path)
    blamed = set(re.findall(r"^ERROR test_tried.py::(\w+)", done.stdout, re.MULTILINE))
    assert blamed == {"test_thread_left", "test_logs", "test_logs_something_else", "test_marked_without_need"}, (
        done.stdout
    )
    assert "a long campaign; run with --slow" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("6 passed, 1 skipped, 4 errors")
