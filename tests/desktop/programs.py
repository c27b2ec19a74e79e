"""The workflows that are recorded and replayed on real programs: GTK 2, GTK 3, Qt 5 and a terminal."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

from echostudio.episode.check import Check
from echostudio.episode.geometry import DesktopBox
from echostudio.operations.demo.editors import Editor
from echostudio.operations.demo.stage import Stage
from tests.desktop.workflow import Workflow

MENU = ("menu", "menu item")
ITEM = ("menu item",)
BUTTON = ("push button", "button")

MOUSEPAD = Editor("mousepad", ("mousepad", "--disable-server"), "Mousepad")
FEATHERPAD = Editor("featherpad", ("featherpad", "--standalone"), "FeatherPad", save_as="Save As", dialog="Save as")
GEANY = Editor("geany", ("geany", "--new-instance", "--no-msgwin", "--no-terminal"), "Geany", dialog="Save File")
GNUMERIC = Editor("gnumeric", ("gnumeric", "--no-splash"), "Gnumeric")
PCMANFM = Editor("pcmanfm", ("pcmanfm", "--no-desktop"), "Pcmanfm")

Opener = Callable[[Stage, Path, DesktopBox | None], None]

EXISTS = Check("file_exists", {"path": "{file_name}"})
SAYS = Check("text_contains", {"path": "{file_name}", "text": "{text}"})


def _file_says(_folder: Path) -> tuple[Check, ...]:
    return EXISTS, SAYS


def opener(editor: Editor) -> Opener:
    def start(stage: Stage, folder: Path, place: DesktopBox | None) -> None:
        stage.start(editor, folder, place)

    return start


def _save_new(editor: Editor) -> Callable[[Stage, Path, dict[str, str]], None]:
    def act(stage: Stage, _folder: Path, values: dict[str, str]) -> None:
        editor.write_and_save(stage.person, values["text"], Path(values["file_name"]))

    return act


def _note(name: str, text: str) -> Callable[[Path], dict[str, str]]:
    return lambda folder: {"text": text, "file_name": str(folder / name)}


def _says(folder: Path, values: dict[str, str]) -> bool:
    return Path(values["file_name"]).read_text().strip() == values["text"]


def _append_line(stage: Stage, folder: Path, values: dict[str, str]) -> None:
    """Open an existing file through the menu's dialog, add a line at its end, save."""
    person = stage.person
    person.click("File", MENU)
    person.click("Open...", ITEM)
    person.wait_window("Open", dialog=True)
    person.type(values["file_name"])
    person.press("enter")
    person.wait_window(Path(values["file_name"]).name, dialog=False)
    person.hotkey("ctrl", "end")
    person.type(values["text"])
    person.hotkey("ctrl", "s")
    person.wait_for(lambda: values["text"] in Path(values["file_name"]).read_text(), "the saved line")
    person.pause(0.6)


def _two_notes(folder: Path) -> None:
    for name in ("first.txt", "second.txt"):
        if not (folder / name).exists():
            (folder / name).write_text(f"This is {name}\n")


def _open_with_notes(stage: Stage, folder: Path, place: DesktopBox | None) -> None:
    _two_notes(folder)
    stage.start(MOUSEPAD, folder, place)


def _new_folder(stage: Stage, folder: Path, values: dict[str, str]) -> None:
    person = stage.person
    person.click("Edit", MENU)
    person.press("escape")
    person.hotkey("ctrl", "shift", "n")
    person.wait_window("Creating", dialog=True)
    person.hotkey("ctrl", "a")
    person.type(values["name"])
    person.click("OK", BUTTON)
    person.wait_for((folder / values["name"]).is_dir, "the new folder")
    person.pause(0.8)


def _fill_cells(stage: Stage, folder: Path, values: dict[str, str]) -> None:
    """Type a value into the first cell and save as text through the menu."""
    person = stage.person
    person.type(values["text"])
    person.press("enter")
    person.click("File", MENU)
    person.click("Save As", ITEM)
    person.wait_window("Save", dialog=True)
    person.hotkey("ctrl", "a")
    person.type(values["file_name"])
    person.press("enter")
    person.wait_for(Path(values["file_name"]).exists, "the saved sheet")
    person.pause(0.8)


WORKFLOWS = (
    Workflow(
        "mousepad save as",
        opener(MOUSEPAD),
        _save_new(MOUSEPAD),
        _note("monday.txt", "Roof finished\non Monday"),
        _note("friday.txt", "Windows in March,\nsays Ana"),
        _file_says,
        _says,
    ),
    Workflow(
        "mousepad open and append",
        _open_with_notes,
        _append_line,
        _note("first.txt", "one more line"),
        _note("second.txt", "another line here"),
        _file_says,
        lambda _folder, values: (
            Path(values["file_name"]).read_text().startswith("This is second.txt\nanother line here")
        ),
    ),
    Workflow(
        "featherpad save as",
        opener(FEATHERPAD),
        _save_new(FEATHERPAD),
        _note("qt-one.txt", "Written in Qt"),
        _note("qt-two.txt", "Other words, same way"),
        _file_says,
        _says,
    ),
    Workflow(
        "geany save as",
        opener(GEANY),
        _save_new(GEANY),
        _note("code-one.txt", "alpha = 1"),
        _note("code-two.txt", "beta = 22"),
        _file_says,
        _says,
    ),
    Workflow(
        "pcmanfm new folder",
        opener(PCMANFM),
        _new_folder,
        lambda _folder: {"name": "Invoices"},
        lambda _folder: {"name": "Receipts 2026"},
        lambda folder: (Check("not", {}, (Check("file_absent", {"path": f"{folder}/{{name}}"}),)),),
        lambda folder, values: (folder / values["name"]).is_dir(),
    ),
    Workflow(
        "gnumeric save sheet",
        opener(GNUMERIC),
        _fill_cells,
        _note("sheet-one.gnumeric", "41.5"),
        _note("sheet-two.gnumeric", "77.25"),
        lambda _folder: (EXISTS,),
        lambda _folder, values: values["text"] in gzip.decompress(Path(values["file_name"]).read_bytes()).decode(),
    ),
)
