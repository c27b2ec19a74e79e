"""What every deed works with: home, settings, bus, repository, executors."""

from __future__ import annotations

import getpass
from dataclasses import dataclass
from pathlib import Path

from echostudio import paths, settings
from echostudio.events import EventBus
from echostudio.operations.jobs import Jobs
from echostudio.repository import Repository
from echostudio.settings import Settings


@dataclass(slots=True)
class Services:
    """The parts of one open studio or command."""

    home: Path
    settings: Settings
    bus: EventBus
    repository: Repository
    jobs: Jobs

    @property
    def runs(self) -> Path:
        """The folder of all run folders."""
        return paths.runs_folder(self.home)

    def close(self) -> None:
        """End all work and let go of the repository."""
        self.jobs.close()
        self.repository.close()


def open_services(home: Path | None = None) -> Services:
    """Open (or make) a home; raises ``SettingsError`` or ``RepositoryError`` when it is damaged."""
    place = (home or paths.default_home()).expanduser().absolute()
    place.mkdir(parents=True, exist_ok=True)
    chosen = settings.load(paths.settings_file(place))
    return Services(place, chosen, EventBus(), Repository.open(paths.library_folder(place)), Jobs())


def who() -> str:
    """Return the name under which lifecycle events are written."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
