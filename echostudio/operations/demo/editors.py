"""The text editors that the demo can use, and how a person saves a text in each."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from echostudio.episode.evidence import WindowFacts
from echostudio.operations.demo.person import Person


@dataclass(frozen=True, slots=True)
class Editor:
    """One editor: its command, its window class, the words of its menu and dialog."""

    name: str
    command: tuple[str, ...]
    window_class: str
    menu: str = "File"
    save_as: str = "Save As..."
    dialog: str = "Save As"
    save: str = "Save"

    def write_and_save(self, person: Person, text: str, path: Path) -> None:
        """Play the whole demonstration: type the text, File, Save As..., the path, Save."""
        person.type(text)
        person.click(self.menu, ("menu", "menu item"))
        person.click(self.save_as, ("menu item",))
        person.wait_window(self.dialog, dialog=True)
        person.hotkey("ctrl", "a")
        person.type(str(path))
        person.click(self.save, ("push button", "button"))
        person.wait_for(path.exists, f"the file {path.name}")
        person.wait_for(lambda: is_main_window(self, person.active()), f"{self.name} in front")
        person.pause(0.8)


KNOWN = (
    Editor("mousepad", ("mousepad", "--disable-server"), "Mousepad"),
    Editor("featherpad", ("featherpad", "--standalone"), "FeatherPad", save_as="Save As", dialog="Save as"),
)


def bundled() -> Editor:
    """Return the small editor that ships with the studio, for machines where no other is installed."""
    return Editor(
        "sample editor", (sys.executable, "-m", "echostudio.studio.sample_editor"), "Sample Editor", dialog="Save As"
    )


def choose() -> Editor:
    """Return the first known editor that is installed, else the bundled one."""
    return next((editor for editor in KNOWN if shutil.which(editor.command[0])), bundled())


def is_main_window(editor: Editor, window: WindowFacts | None) -> bool:
    """Whether the editor's main window is in front."""
    if window is None or window.dialog or window.popup:
        return False
    return window.window_class.casefold() == editor.window_class.casefold()
