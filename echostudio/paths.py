"""Where things live on disk: the home of all data, and the shipped resources."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import platformdirs


def default_home() -> Path:
    """Return ``ECHOSTUDIO_HOME``, else the platform's data folder."""
    named = os.environ.get("ECHOSTUDIO_HOME")
    return Path(named).expanduser() if named else Path(platformdirs.user_data_dir("echostudio", appauthor=False))


def runs_folder(home: Path) -> Path:
    """Return the folder that holds one folder per run."""
    return home / "runs"


def library_folder(home: Path) -> Path:
    """Return the folder of the memory repository."""
    return home / "library"


def reports_folder(home: Path) -> Path:
    """Return the folder that holds one report folder per replay."""
    return home / "reports"


def settings_file(home: Path) -> Path:
    """Return the file that holds the person's settings."""
    return home / "settings.json"


def locks_folder() -> Path:
    """Return the folder of the desk locks; it does not depend on the home, since screens do not either."""
    folder = Path(tempfile.gettempdir()) / f"echostudio-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def resource(*parts: str) -> Path:
    """Return the path of a shipped resource, in a checkout or in an installed wheel."""
    package = Path(__file__).resolve().parent
    shipped = package / "_resources"
    base = shipped if shipped.is_dir() else package.parent / "resources"
    return base.joinpath(*parts)
