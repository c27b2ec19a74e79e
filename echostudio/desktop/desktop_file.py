"""The info file of a virtual desktop: how any process finds one that runs, and tells it from a stale one."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from echostudio import paths

_CLOCK_TOLERANCE = 0.05


def folder() -> Path:
    """Return the folder that holds one file per virtual desktop."""
    found = paths.locks_folder() / "desktops"
    found.mkdir(parents=True, exist_ok=True, mode=0o700)
    return found


def file_of(display: str) -> Path:
    """Return the info file of a local display such as ``:5``."""
    return folder() / f"{display.removeprefix(':')}.json"


def write(path: Path, facts: Mapping[str, Any]) -> None:
    """Write an info file so that a reader sees it whole or not at all."""
    partial = path.with_suffix(f".{os.getpid()}.part")
    partial.write_text(json.dumps(facts, indent=2), encoding="utf-8")
    partial.replace(path)


def read(path: Path) -> dict[str, Any] | None:
    """Read an info file; None when it is missing or torn."""
    try:
        facts = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    needed = {"display", "pid", "width", "height", "environment", "started", "tag", "folder", "largest"}
    return facts if isinstance(facts, dict) and needed <= facts.keys() else None


def keeper_lives(facts: Mapping[str, Any]) -> bool:
    """Whether the very keeper that wrote these facts still runs; a zombie or a reused process id does not count."""
    try:
        process = psutil.Process(int(facts["pid"]))
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return abs(process.create_time() - float(facts["started"])) < _CLOCK_TOLERANCE
    except psutil.NoSuchProcess:
        return False
