"""Following a run folder that another process is still writing: each poll reads only what is new."""

from __future__ import annotations

from pathlib import Path

from echostudio.actionlens.lines import Line, broken, parse
from echostudio.actionlens.runreader import STEPS, read_manifest, step_of
from echostudio.episode.run import Manifest
from echostudio.episode.step import Step
from echostudio.errors import RunFolderError


class RunFollower:
    """Reads the steps of a growing run; a partial last line waits for its rest."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._offset = 0
        self._number = 0

    @property
    def manifest(self) -> Manifest:
        """The manifest as it stands now; raises ``RunFolderError`` when it cannot be read."""
        return read_manifest(self.path)

    @property
    def finished(self) -> bool:
        """Whether the writer has closed the run; a killed writer never does."""
        return self.manifest.ended is not None

    def poll(self) -> list[Step]:
        """Return the steps that are new or were completed since the last poll, in the order of their lines.

        A step comes twice: at its first line (status ``unfinished``) and at its second. Raises ``RunFolderError``
        with file and line for a line that does not fit.
        """
        file = self.path / STEPS
        try:
            with file.open("rb") as stream:
                stream.seek(self._offset)
                data = stream.read()
        except FileNotFoundError:
            return []
        except OSError as fault:
            raise RunFolderError(f"{file} cannot be read: {fault.strerror}.") from fault
        *whole, _ = data.split(b"\n")
        return [step for text in whole if (step := self._take(text, file)) is not None]

    def _take(self, text: bytes, file: Path) -> Step | None:
        self._number += 1
        self._offset += len(text) + 1
        if not text.strip():
            return None
        data = parse(text)
        if data is None:
            raise broken(file, self._number, "not a JSON object")
        return step_of(Line(self._number, data), file)
