"""Whether some process still writes into a folder."""

from __future__ import annotations

from pathlib import Path

import psutil


def being_written(folder: Path) -> bool:
    """Whether a process that may be looked at holds a file of this folder open, this process included."""
    whole = f"{folder.resolve()}/"
    for process in psutil.process_iter():
        try:
            if any(file.path.startswith(whole) for file in process.open_files()):
                return True
        except psutil.Error:
            # It ended meanwhile, or belongs to someone else, who does not write here.
            continue
    return False
