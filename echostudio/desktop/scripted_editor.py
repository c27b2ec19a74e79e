"""A ready program for the scripted desktop: a text editor that really writes files, and can be broken on purpose."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from echostudio.desktop.scripted_paint import DARK, LIGHT
from echostudio.desktop.scripted_program import ScriptedProgram, Window
from echostudio.desktop.scripted_text import Entry, TextArea
from echostudio.desktop.scripted_widgets import Button, Checkbox, Label, Menu, Twin, Widget

MENU_HEIGHT = 20
STATUS_HEIGHT = 18
DIALOG_SIZE = (216, 84)


@dataclass(frozen=True, slots=True)
class EditorOptions:
    """Where the editor opens, and what is wrong with it.

    Attributes:
        window_at: top left corner of the client area.
        size: width and height of the client area.
        dark: dark theme.
        dialog_delay: fake seconds until the save dialog appears.
        silent_save_failure: saving looks like success, and no file is written.
        empty_save: saving looks like success, and the file is empty.
        doubled_button: the save dialog shows its whole content twice, pixel for pixel; both work.
        erase: name of a widget that leaves its bare place behind.
        disable: name of a widget that is greyed out.
        drop_keys: so many first characters of the name entry get lost.
    """

    window_at: tuple[int, int] = (20, 26)
    size: tuple[int, int] = (340, 200)
    dark: bool = False
    dialog_delay: float = 0.0
    silent_save_failure: bool = False
    empty_save: bool = False
    doubled_button: bool = False
    erase: str = ""
    disable: str = ""
    drop_keys: int = 0


class ScriptedEditor(ScriptedProgram):
    """A text area, the menus File and Edit, a save dialog; files are written into ``folder``."""

    name = "scripted-editor"
    window_class = "ScriptedEditor"

    def __init__(self, folder: Path, options: EditorOptions | None = None, *, text: str = "") -> None:
        super().__init__()
        self.folder = folder
        self.options = options or EditorOptions()
        self.theme = DARK if self.options.dark else LIGHT
        width, height = self.options.size
        self.area = TextArea(
            "Document", (4, MENU_HEIGHT + 2, width - 8, height - MENU_HEIGHT - STATUS_HEIGHT - 4), text=text
        )
        self.area.caret = len(text)
        self.status = Label("Ready", (6, height - STATUS_HEIGHT, width - 110, STATUS_HEIGHT))
        self.window = Window(
            "untitled - Scripted Editor",
            (*self.options.window_at, width, height),
            self._broken(self._widgets(width, height)),
            focus=self.area,
            shortcuts={"ctrl+shift+s": self.ask_name},
        )
        self.dialog: Window | None = None

    def build(self) -> None:
        """Open the editor's window."""
        self.open(self.window)

    def ask_name(self) -> None:
        """Open the save dialog, after the delay; one at a time."""
        self.later(self.options.dialog_delay, self._open_dialog)

    def _widgets(self, width: int, height: int) -> list[Widget]:
        file_menu = {"New": self._clear, "Save As...": self.ask_name, "Quit": lambda: self.close(self.window)}
        edit_menu = {"Select All": self._select_all, "Clear": self._clear}
        return [
            Menu("File", (0, 0, 44, MENU_HEIGHT), items=file_menu),
            Menu("Edit", (44, 0, 44, MENU_HEIGHT), items=edit_menu),
            self.area,
            self.status,
            Checkbox("Wrap lines", (width - 100, height - STATUS_HEIGHT, 96, STATUS_HEIGHT)),
        ]

    def _broken(self, widgets: list[Widget]) -> list[Widget]:
        for widget in widgets:
            widget.erased = bool(self.options.erase) and widget.name == self.options.erase
            widget.enabled = not self.options.disable or widget.name != self.options.disable
        return widgets

    def _open_dialog(self) -> None:
        if self.dialog is not None:
            return
        width, height = DIALOG_SIZE
        content = self._dialog_content()
        entry = content[1]
        if self.options.doubled_button:
            content += [Twin(w, (w.place[0], w.place[1] + height, *w.place[2:])) for w in content]
        x, y, own_width, own_height = self.window.place
        tall = height * (2 if self.options.doubled_button else 1)
        place = (x + (own_width - width) // 2, max(20, y + (own_height - tall) // 2), width, tall)
        shortcuts = {"escape": self._close_dialog}
        self.dialog = Window("Save As", place, content, dialog=True, modal=True, focus=entry, shortcuts=shortcuts)
        self.open(self.dialog)

    def _dialog_content(self) -> list[Widget]:
        entry = Entry("Name", (56, 12, 148, 22), drops_first=self.options.drop_keys)

        def save() -> None:
            self._save(entry.text)

        entry.on_enter = save
        return self._broken(
            [
                Label("Name:", (12, 12, 42, 22)),
                entry,
                Button("Cancel", (56, 50, 70, 24), on_click=self._close_dialog),
                Button("Save", (134, 50, 70, 24), on_click=save),
            ]
        )

    def _save(self, name: str) -> None:
        if not name.strip():
            return
        self._close_dialog()
        target = self.folder / name
        if not target.parent.is_dir():
            self.status.name = "Not saved: no such folder"
            return
        if not self.options.silent_save_failure:
            target.write_text("" if self.options.empty_save else self.area.text, encoding="utf-8")
        self.window.title = f"{Path(name).name} - Scripted Editor"
        self.status.name = f"Saved {Path(name).name}"

    def _select_all(self) -> None:
        self.area.key("ctrl+a")

    def _clear(self) -> None:
        self.area.set_text("")
        self.window.title = "untitled - Scripted Editor"
        self.status.name = "Ready"

    def _close_dialog(self) -> None:
        if self.dialog is not None:
            self.close(self.dialog)
            self.dialog = None
