"""Virtual desktops for tests: each with its own HOME, ended afterwards."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from echostudio.cancel import CancelToken
from echostudio.operations.demo.stage import Stage, stage
from echostudio.operations.services import Services, open_services

Stages = Callable[[int, int], Stage]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A working folder with a short path: people and replays type it key by key."""
    with tempfile.TemporaryDirectory(prefix="es") as place:
        yield Path(place)


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    opened = open_services(tmp_path / "home")
    yield opened
    opened.close()


@pytest.fixture
def stages(tmp_path: Path) -> Iterator[Stages]:
    """Start virtual desktops of the asked sizes."""
    if shutil.which("Xvfb") is None:
        pytest.skip("needs Xvfb: apt-get install xvfb openbox dbus at-spi2-core")
    with ExitStack() as stack:
        count = 0

        def start(width: int, height: int) -> Stage:
            nonlocal count
            count += 1
            return stack.enter_context(stage(width, height, tmp_path / f"desk{count}", CancelToken()))

        yield start
