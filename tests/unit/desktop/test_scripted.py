"""The scripted desktop: painted screens that react, fake time, a person, and failures on demand."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from echostudio.cancel import CancelToken
from echostudio.desktop.controller import Desktop, Placed
from echostudio.desktop.scripted import ScriptedDesktop
from echostudio.desktop.scripted_clock import STEP_SECONDS, ScriptedClock
from echostudio.desktop.scripted_editor import EditorOptions, ScriptedEditor
from echostudio.desktop.scripted_person import ScriptedPerson
from echostudio.desktop.scripted_program import ScriptedProgram, Window
from echostudio.desktop.scripted_text import Entry
from echostudio.desktop.scripted_widgets import Button, Checkbox, ListRows
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.geometry import DesktopBox, DesktopPoint
from echostudio.errors import Cancelled, DesktopError, InputFailed


class Form(ScriptedProgram):
    """Every kind of widget once."""

    name = "form"

    def build(self) -> None:
        self.pressed: list[str] = []
        self.entry = Entry("Name", (10, 10, 120, 22))
        self.secret = Entry("Password", (10, 40, 120, 22), secret=True)
        self.tick = Checkbox("Wrap", (10, 70, 80, 18))
        self.rows = ListRows(
            "Files", (150, 10, 120, 74), rows=[f"row {n}" for n in range(9)], on_open=self.pressed.append
        )
        self.button = Button("Go", (10, 100, 60, 22), on_click=lambda: self.pressed.append("go"))
        widgets = [self.entry, self.secret, self.tick, self.rows, self.button]
        self.window = self.open(Window("Form", (40, 40, 300, 140), list(widgets)))


def editor(folder: Path, **options: object) -> tuple[ScriptedDesktop, ScriptedEditor]:
    program = ScriptedEditor(folder, replace(EditorOptions(), **options))  # type: ignore[arg-type]
    return ScriptedDesktop(program), program


def form() -> tuple[ScriptedDesktop, Form]:
    program = Form()
    return ScriptedDesktop(program), program


def click(desktop: ScriptedDesktop, name: str, **parameters: object) -> None:
    place = desktop.place_of(name)
    assert place is not None, f"there is no {name}"
    desktop.perform(Action(ActionKind.CLICK, dict(parameters)), Placed(target=place), CancelToken())


def keys(desktop: ScriptedDesktop, kind: ActionKind, **parameters: object) -> None:
    desktop.perform(Action(kind, dict(parameters)), Placed(), CancelToken())


def save_as(desktop: ScriptedDesktop, name: str) -> None:
    keys(desktop, ActionKind.HOTKEY, keys=["ctrl", "shift", "s"])
    keys(desktop, ActionKind.TYPE, text=name)
    click(desktop, "Save")


def test_it_is_a_desktop(tmp_path: Path) -> None:
    desktop: Desktop = editor(tmp_path)[0]
    assert desktop.screen_map().frame_width == desktop.grab().pixels.shape[1] == 480


def test_the_clock_stops_at_every_moment_and_every_thirty_milliseconds() -> None:
    clock = ScriptedClock(start=0.0)
    stops: list[float] = []
    seen: list[tuple[str, float]] = []
    clock.tick_listeners.append(stops.append)
    clock.call_later(0.07, lambda: seen.append(("late", clock.now())))
    clock.call_later(0.01, lambda: seen.append(("early", clock.now())))
    clock.sleep(0.1, CancelToken())
    assert seen == [("early", pytest.approx(0.01)), ("late", pytest.approx(0.07))]
    assert clock.now() == pytest.approx(0.1)
    assert max(b - a for a, b in zip([0.0, *stops], stops, strict=False)) <= STEP_SECONDS + 1e-9


def test_what_is_scheduled_may_schedule_again_and_nothing_takes_real_time() -> None:
    clock = ScriptedClock(start=0.0)
    count = 0

    def again() -> None:
        nonlocal count
        count += 1
        clock.call_later(1.0, again)

    clock.call_later(0.0, again)
    started = time.monotonic()
    clock.advance(60.0)
    assert count == 61
    assert time.monotonic() - started < 5.0


def test_the_same_story_gives_the_same_pictures(tmp_path: Path) -> None:
    pictures = []
    for run in ("a", "b"):
        (tmp_path / run).mkdir()
        desktop, _ = editor(tmp_path / run)
        person = ScriptedPerson(desktop)
        person.type("Hello\nWorld!")
        person.click("File")
        pictures.append(desktop.grab().pixels)
    assert np.array_equal(pictures[0], pictures[1])


def test_pixels_are_shared_while_nothing_changes_and_cannot_be_written(tmp_path: Path) -> None:
    desktop, _ = editor(tmp_path)
    first = desktop.grab().pixels
    assert desktop.grab().pixels is first
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0] = 0


def test_saving_writes_a_real_file_and_names_the_window(tmp_path: Path) -> None:
    desktop, _ = editor(tmp_path)
    keys(desktop, ActionKind.TYPE, text="two\nlines")
    click(desktop, "File")
    click(desktop, "Save As...")
    keys(desktop, ActionKind.TYPE, text="report.txt")
    click(desktop, "Save")
    assert (tmp_path / "report.txt").read_text() == "two\nlines"
    window = desktop.active_app()
    assert window is not None
    assert window.title == "report.txt - Scripted Editor"


def test_an_open_menu_is_a_popup_that_a_click_elsewhere_or_escape_closes(tmp_path: Path) -> None:
    desktop, program = editor(tmp_path)
    click(desktop, "File")
    facts = desktop.screen_facts()
    assert [popup.popup for popup in facts.popups] == [True]
    assert ("menu item", "save as", 1) in facts.tree
    keys(desktop, ActionKind.PRESS, key="escape")
    assert desktop.screen_facts().popups == ()
    click(desktop, "File")
    click(desktop, "File")
    assert not any(window.popup for window in desktop.windows())
    click(desktop, "Edit")
    click(desktop, "Document")
    assert not any(window.popup for window in desktop.windows())
    assert program.dialog is None


def test_a_dialog_comes_after_its_delay_and_blocks_its_window(tmp_path: Path) -> None:
    desktop, program = editor(tmp_path, dialog_delay=0.8)
    keys(desktop, ActionKind.HOTKEY, keys=["ctrl", "shift", "s"])
    desktop.clock.sleep(0.7, CancelToken())
    assert program.dialog is None
    desktop.clock.sleep(0.2, CancelToken())
    window = desktop.active_app()
    assert window is not None
    assert (window.title, window.dialog, window.modal) == ("Save As", True, True)
    click(desktop, "File")
    assert not any(other.popup for other in desktop.windows())
    keys(desktop, ActionKind.PRESS, key="escape")
    assert program.dialog is None


@pytest.mark.parametrize(
    ("option", "content"), [("silent_save_failure", None), ("empty_save", "")], ids=["no file", "empty file"]
)
def test_a_silent_failure_looks_like_success(tmp_path: Path, option: str, content: str | None) -> None:
    desktop, _ = editor(tmp_path, **{option: True})
    keys(desktop, ActionKind.TYPE, text="words")
    save_as(desktop, "report.txt")
    window = desktop.active_app()
    assert window is not None
    assert window.title == "report.txt - Scripted Editor"
    target = tmp_path / "report.txt"
    assert (target.read_text() if target.exists() else None) == content


def test_a_doubled_dialog_shows_its_content_twice_pixel_for_pixel(tmp_path: Path) -> None:
    desktop, program = editor(tmp_path, doubled_button=True)
    keys(desktop, ActionKind.HOTKEY, keys=["ctrl", "shift", "s"])
    keys(desktop, ActionKind.TYPE, text="a.txt")
    assert program.dialog is not None
    box = program.dialog.box
    half = box.height // 2
    pixels = desktop.grab().pixels[box.y : box.y + box.height, box.x : box.x + box.width]
    assert np.array_equal(pixels[:half], pixels[half:])
    assert sum(element.name == "Save" for element in desktop.elements()) == 2


def test_an_erased_widget_is_gone_in_every_way_and_a_disabled_one_does_nothing(tmp_path: Path) -> None:
    desktop, _ = editor(tmp_path, erase="Save")
    keys(desktop, ActionKind.HOTKEY, keys=["ctrl", "shift", "s"])
    assert desktop.place_of("Save") is None
    assert desktop.place_of("Cancel") is not None
    other, program = editor(tmp_path, disable="Save")
    save_as(other, "b.txt")
    assert program.dialog is not None
    assert not (tmp_path / "b.txt").exists()


def test_dark_theme_and_window_place_change_pixels_only(tmp_path: Path) -> None:
    light, _ = editor(tmp_path)
    dark, program = editor(tmp_path, dark=True, window_at=(60, 40), size=(300, 180))
    assert light.grab().pixels.mean() > dark.grab().pixels.mean() + 20
    assert program.window.box == DesktopBox(60, 40, 300, 180)
    assert light.screen_facts().tree == dark.screen_facts().tree


def test_a_stamp_is_a_twin_of_any_part(tmp_path: Path) -> None:
    desktop, program = editor(tmp_path)
    source = program.window.box_of(program.window.widgets[0])
    desktop.stamp(source, DesktopPoint(380, 100))
    pixels = desktop.grab().pixels
    one = pixels[source.y : source.y + source.height, source.x : source.x + source.width]
    assert np.array_equal(one, pixels[100 : 100 + source.height, 380 : 380 + source.width])


def test_hover_lights_a_button_and_leaving_restores_every_pixel() -> None:
    desktop, program = form()
    calm = desktop.grab().pixels
    place = desktop.place_of("Go")
    assert place is not None
    desktop.move_pointer(place)
    box = program.window.box_of(program.button)
    changed = np.argwhere((desktop.grab().pixels != calm).any(axis=2))
    assert len(changed) > 100
    assert all(box.contains(DesktopPoint(int(x), int(y))) for y, x in changed)
    desktop.move_pointer(DesktopPoint(2, 2))
    assert np.array_equal(desktop.grab().pixels, calm)


def test_the_caret_blinks_as_a_thin_bar_and_can_be_switched_off() -> None:
    desktop, _ = form()
    before = desktop.grab().pixels
    desktop.clock.advance(0.6)
    changed = np.argwhere((desktop.grab().pixels != before).any(axis=2))
    assert {int(x) for _, x in changed} == {55}
    assert 8 <= len(changed) <= 40
    still = ScriptedDesktop(Form(), blinking=False)
    picture = still.grab().pixels
    still.clock.advance(0.6)
    assert still.grab().pixels is picture


def test_entries_edit_like_entries() -> None:
    desktop, program = form()
    keys(desktop, ActionKind.TYPE, text="abc")
    keys(desktop, ActionKind.PRESS, key="left")
    keys(desktop, ActionKind.PRESS, key="backspace")
    keys(desktop, ActionKind.TYPE, text="X")
    assert program.entry.text == "aXc"
    keys(desktop, ActionKind.PRESS, key="delete")
    assert program.entry.text == "aX"
    click(desktop, "Name", count=2)
    keys(desktop, ActionKind.TYPE, text="new")
    assert program.entry.text == "new"
    keys(desktop, ActionKind.HOTKEY, keys=["ctrl", "a"])
    keys(desktop, ActionKind.PRESS, key="delete")
    assert program.entry.text == ""
    program.entry.drops_first = 2
    keys(desktop, ActionKind.TYPE, text="lost")
    assert program.entry.text == "st"


def test_focus_goes_by_click_and_tab_and_space_works_the_widget() -> None:
    desktop, program = form()
    keys(desktop, ActionKind.TYPE, text="a\tb\t ")
    assert (program.entry.text, program.secret.text, program.tick.checked) == ("a", "b", True)
    focus = desktop.focused_element()
    assert focus is not None
    assert (focus.role, focus.name) == ("check box", "Wrap")
    assert {"focused", "checked"} <= set(focus.states)
    keys(desktop, ActionKind.HOTKEY, keys=["shift", "tab"])
    focus = desktop.focused_element()
    assert focus is not None
    assert focus.role == "password text"
    click(desktop, "Go")
    keys(desktop, ActionKind.PRESS, key="enter")
    assert program.pressed == ["go", "go"]


def test_a_password_shows_no_letter() -> None:
    pictures = []
    for word in ("abcd", "wxyz"):
        desktop, _ = form()
        click(desktop, "Password")
        keys(desktop, ActionKind.TYPE, text=word)
        pictures.append(desktop.grab().pixels)
    assert np.array_equal(pictures[0], pictures[1])


def test_lists_select_open_and_scroll() -> None:
    desktop, program = form()
    click(desktop, "row 1")
    assert program.rows.selected == 1
    click(desktop, "row 2", count=2)
    assert program.pressed == ["row 2"]
    place = desktop.place_of("row 1")
    desktop.perform(Action(ActionKind.SCROLL, {"dy": 3}), Placed(target=place), CancelToken())
    assert desktop.place_of("row 1") is None
    click(desktop, "row 5")
    assert program.rows.selected == 5
    element = desktop.element_at(DesktopPoint(200, 60))
    assert element is not None
    assert (element.role, element.name) == ("list item", "row 3")


def test_two_clicks_apart_are_no_double_click() -> None:
    desktop, program = form()
    click(desktop, "row 2")
    desktop.clock.advance(0.5)
    click(desktop, "row 2")
    assert program.pressed == []


def test_a_drag_on_the_title_moves_the_window() -> None:
    desktop, program = form()
    placed = Placed(start=DesktopPoint(100, 30), path=(DesktopPoint(120, 50),), end=DesktopPoint(150, 90))
    desktop.perform(Action(ActionKind.DRAG), placed, CancelToken())
    assert program.window.box == DesktopBox(90, 100, 300, 140)


def test_elements_can_be_switched_off(tmp_path: Path) -> None:
    desktop = ScriptedDesktop(ScriptedEditor(tmp_path), accessible=False)
    assert desktop.elements() == ()
    assert desktop.element_at(DesktopPoint(30, 30)) is None
    assert desktop.focused_element() is None
    assert desktop.screen_facts().tree == ()


def test_input_can_fail_be_swallowed_or_be_cancelled(tmp_path: Path) -> None:
    desktop, program = editor(tmp_path)
    desktop.fail_input_after = 1
    click(desktop, "File")
    with pytest.raises(InputFailed):
        click(desktop, "Save As...")
    assert len(desktop.performed) == 1
    desktop, program = editor(tmp_path)
    desktop.swallow_clicks = True
    calm = desktop.grab().pixels
    click(desktop, "Wrap lines")
    desktop.move_pointer(DesktopPoint(476, 266))
    assert np.array_equal(calm, desktop.grab().pixels)
    token = CancelToken()
    desktop.clock.call_later(0.25, token.cancel)
    with pytest.raises(Cancelled):
        desktop.perform(Action(ActionKind.TYPE, {"text": "abcdef"}), Placed(key_interval=0.1), token)
    assert program.area.text == "ab"
    assert desktop.modifiers_down() == ()


def test_screens_can_be_blank_black_empty_or_gone(tmp_path: Path) -> None:
    desktop, program = editor(tmp_path)
    desktop.screen = "black"
    assert not desktop.grab().pixels.any()
    desktop.screen = "gone"
    with pytest.raises(DesktopError):
        desktop.grab()
    desktop.screen = "on"
    desktop.close_windows()
    assert desktop.active_app() is None
    assert not program.running()


def test_launch_focus_and_the_order_of_windows(tmp_path: Path) -> None:
    desktop, first = editor(tmp_path)
    desktop.installed["form"] = Form
    with pytest.raises(DesktopError, match="not installed"):
        desktop.launch(["nothing"])
    program = desktop.launch(["form"])
    assert [window.program for window in desktop.windows()] == ["form", "scripted-editor"]
    keys(desktop, ActionKind.FOCUS, window="scripted-editor")
    assert desktop.active_app() == first.window.facts()
    with pytest.raises(InputFailed):
        keys(desktop, ActionKind.FOCUS, window="nobody")
    program.terminate()
    assert not program.running()
