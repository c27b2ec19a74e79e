"""What every page gives the main window, and what the main window gives every page."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from echostudio.operations.services import Services
from echostudio.studio.bridge import Bridge
from echostudio.studio.commands import CommandSet
from echostudio.studio.pictures import Pictures
from echostudio.studio.work import Work


@dataclass(frozen=True)
class Studio:
    """What a page works with: the services, background work, pictures, events, commands."""

    services: Services
    work: Work
    pictures: Pictures
    bridge: Bridge
    commands: CommandSet


class Page(QWidget):
    """A page of the main window.

    ``wants`` asks for another page: its name and what to open there. ``changed`` tells that facts or status may be
    others now, ``refreshed`` that the header's buttons are; ``said`` carries a sentence for a toast.
    """

    changed = Signal()
    wants = Signal(str, str)
    said = Signal(str)
    refreshed = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.setObjectName("page")
        self.setAccessibleName(name.capitalize())

    def header(self) -> QWidget:
        """Return what the top bar shows on its left: title, badges, search."""
        raise NotImplementedError

    def deeds(self) -> tuple[str, ...]:
        """Return the commands that stand as buttons in the top bar; the last is the main one."""
        return ()

    def facts(self) -> frozenset[str]:
        """Return what holds on this page now."""
        return frozenset()

    def status(self) -> str:
        """Return the page's own facts for the status line."""
        return ""

    def hints(self) -> tuple[str, ...]:
        """Return the commands whose keys the status line names."""
        return ()

    def ready(self) -> bool:
        """Whether everything that was asked for is shown."""
        return True

    def shown(self) -> None:
        """Refresh what may have changed while another page was in front."""

    def select(self, ref: str) -> None:
        """Choose what is named, on a page that lists things."""

    def library_changed(self) -> None:
        """Memories were added or changed, here or by another process."""
