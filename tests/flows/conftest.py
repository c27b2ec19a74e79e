"""The whole line on the scripted desktop, in words: a person demonstrates, the memory replays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from echostudio.operations.services import Services, open_services
from tests.flows.line import Line


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    opened = open_services(tmp_path / "home")
    yield opened
    opened.close()


@pytest.fixture
def line(services: Services, tmp_path: Path) -> Line:
    folder = tmp_path / "files"
    folder.mkdir()
    return Line(services, folder)
