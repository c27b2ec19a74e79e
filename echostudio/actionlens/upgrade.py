"""Format versions of run folders: what is too new is refused, what is old is upgraded one version at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from echostudio.episode.run import FORMAT_VERSION
from echostudio.errors import RunFolderError

ManifestData = dict[str, Any]

# From a version to the next one; the manifest decides, since it names the version of the whole folder.
STEPS: dict[int, Callable[[ManifestData], ManifestData]] = {}


def upgrade_manifest(data: ManifestData, path: Path) -> ManifestData:
    """Bring the manifest's data to the present version.

    Raises ``RunFolderError`` when the version is missing, newer than this program, or without a way up.
    """
    version = data.get("format_version")
    if isinstance(version, bool) or not isinstance(version, int):
        raise RunFolderError(f"{path}: the format version is missing.", "This is not a run folder of EchoStudio.")
    if version > FORMAT_VERSION:
        raise RunFolderError(
            f"{path}: the run has format {version}, this program reads up to {FORMAT_VERSION}.",
            "Open it with the newer EchoStudio that recorded it.",
        )
    while version < FORMAT_VERSION:
        if version not in STEPS:
            raise RunFolderError(f"{path}: format {version} is not known to this program.")
        data = {**STEPS[version](data), "format_version": version + 1}
        version += 1
    return data
