"""A person at the scripted desktop, as recordings see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from echostudio.cancel import CancelToken
from echostudio.desktop.controller import RawEvent, RawKind
from echostudio.desktop.scripted import ScriptedDesktop
from echostudio.desktop.scripted_editor import EditorOptions, ScriptedEditor
from echostudio.desktop.scripted_person import ScriptedPerson
from echostudio.desktop.scripted_program import ScriptedProgram, Window
from echostudio.desktop.scripted_widgets import ListRows
from echostudio.episode.geometry import DesktopBox, DesktopPoint
from echostudio.errors import Cancelled, DesktopError


class Listing(ScriptedProgram):
    """A window with a list."""

    name = "listing"

    def build(self) -> None:
        self.opened: list[str] = []
        self.rows = ListRows("Files", (150, 10, 120, 74), rows=[f"row {n}" for n in range(9)])
        self.rows.on_open = self.opened.append
        self.window = self.open(Window("Listing", (40, 40, 300, 140), [self.rows]))


def editor(folder: Path, **options: float) -> tuple[ScriptedDesktop, ScriptedEditor]:
    program = ScriptedEditor(folder, EditorOptions(**options))  # type: ignore[arg-type]
    return ScriptedDesktop(program), program


def test_a_person_is_seen_by_recordings_before_the_screen_changes(tmp_path: Path) -> None:
    desktop, _ = editor(tmp_path)
    events: list[RawEvent] = []
    source = desktop.raw_input()
    source.start(events.append)
    redraws: list[float] = []
    last = [desktop.grab().pixels]

    def watch(now: float) -> None:
        if desktop.grab().pixels is not last[0]:
            last[0] = desktop.grab().pixels
            redraws.append(now)

    desktop.clock.tick_listeners.append(watch)
    desktop.stage.blinking = False
    ScriptedPerson(desktop).click("Wrap lines")
    down = next(event for event in events if event.kind is RawKind.BUTTON_DOWN)
    up = next(event for event in events if event.kind is RawKind.BUTTON_UP)
    assert down.at < min(at for at in redraws if at >= down.at)
    assert up.at < min(at for at in redraws if at >= up.at)
    assert [event.at for event in events] == sorted(event.at for event in events)
    assert sum(event.kind is RawKind.MOVE for event in events) > 10
    source.stop()
    source.stop()
    seen = len(events)
    ScriptedPerson(desktop).click("Wrap lines")
    assert len(events) == seen


def test_keys_are_physical_keys_with_the_text_they_commit(tmp_path: Path) -> None:
    desktop, program = editor(tmp_path)
    events: list[RawEvent] = []
    desktop.raw_input().start(events.append)
    person = ScriptedPerson(desktop)
    person.type("A!é")
    person.hotkey("ctrl", "a")
    person.press("f5")
    told = [(event.kind.value, event.key, event.text) for event in events if event.kind is RawKind.KEY_DOWN]
    assert told == [
        ("key_down", "shift", ""),
        ("key_down", "a", "A"),
        ("key_down", "shift", ""),
        ("key_down", "1", "!"),
        ("key_down", "é", "é"),
        ("key_down", "ctrl", ""),
        ("key_down", "a", ""),
        ("key_down", "f5", ""),
    ]
    downs = [event.key for event in events if event.kind is RawKind.KEY_DOWN]
    ups = [event.key for event in events if event.kind is RawKind.KEY_UP]
    assert sorted(downs) == sorted(ups)
    assert program.area.text == "A!é"
    assert desktop.modifiers_down() == ()


def record_for_ever(desktop: ScriptedDesktop, token: CancelToken) -> None:
    while True:
        desktop.grab()
        desktop.clock.sleep(0.033, token)


def test_a_planned_person_waits_for_a_recording_and_for_what_is_to_come(tmp_path: Path) -> None:
    desktop, _ = editor(tmp_path, dialog_delay=0.8)
    token = CancelToken()
    person = ScriptedPerson(desktop, planned=True)
    person.type("hello")
    person.click("File")
    person.click("Save As...")
    person.click("Name")
    person.type("b.txt")
    person.click("Save")
    person.then(token.cancel)
    desktop.clock.advance(5.0)
    assert not person.done
    events: list[RawEvent] = []
    desktop.raw_input().start(events.append)
    with pytest.raises(Cancelled):
        record_for_ever(desktop, token)
    assert (tmp_path / "b.txt").read_text() == "hello"
    assert sum(event.kind is RawKind.BUTTON_DOWN for event in events) == 4
    assert person.done


def test_a_person_that_sees_nothing_says_so(tmp_path: Path) -> None:
    desktop, _ = editor(tmp_path)
    with pytest.raises(DesktopError, match="Nowhere"):
        ScriptedPerson(desktop).click("Nowhere")


def test_a_persons_drag_scroll_and_double_click() -> None:
    program = Listing()
    desktop = ScriptedDesktop(program)
    person = ScriptedPerson(desktop)
    person.click("row 2", count=2)
    assert program.opened == ["row 2"]
    person.scroll("row 2", 2)
    assert program.rows.first == 2
    person.drag(DesktopPoint(100, 30), DesktopPoint(130, 60))
    assert program.window.box == DesktopBox(70, 70, 300, 140)
