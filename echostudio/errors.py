"""The errors that a person may meet; a refusal is a value and never comes from here.

Every error carries one sentence for the person and, where there is one, a hint about what to do next.
The doors (studio, command line) translate them once; anything that is not an ``EchoError`` is a bug.
"""

from __future__ import annotations

from typing import ClassVar


class EchoError(Exception):
    """Root of all expected errors."""

    code: ClassVar[str] = "error"

    def __init__(self, sentence: str, hint: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = hint


class Cancelled(EchoError):
    """The person stopped the work; shown as nothing."""

    code = "cancelled"

    def __init__(self, sentence: str = "Stopped.", hint: str = "") -> None:
        super().__init__(sentence, hint)


class UsageError(EchoError):
    """The request itself is wrong: unknown field, malformed value."""

    code = "usage"


class DesktopError(EchoError):
    """Capture or input failed: no display, no permission, the monitor is gone."""

    code = "desktop"


class DeskBusy(DesktopError):
    """Another process drives this desktop."""

    code = "desk_busy"


class InputFailed(DesktopError):
    """An injected input did not arrive, or could not be sent."""

    code = "input_failed"


class RunFolderError(EchoError):
    """A run folder is unreadable, hand-broken, or newer than this program."""

    code = "run_folder"


class RepositoryError(EchoError):
    """The memory repository cannot do what was asked."""

    code = "repository"


class RepositoryBusy(RepositoryError):
    """The database stayed locked by another process."""

    code = "repository_busy"


class RepositoryFull(RepositoryError):
    """No space is left for the repository or a run folder."""

    code = "disk_full"


class UnknownMemory(RepositoryError):
    """No memory has that name or id."""

    code = "unknown_memory"


class UnknownRun(RunFolderError):
    """No run has that id."""

    code = "unknown_run"


class IllegalTransition(RepositoryError):
    """The lifecycle does not allow this change."""

    code = "illegal_transition"


class SettingsError(EchoError):
    """A setting has a value that is not allowed."""

    code = "settings"
