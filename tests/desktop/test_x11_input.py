"""Input on a real X server: what is sent arrives in real programs, and what a person does is heard."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from Xlib import X

from echostudio.cancel import CancelToken, SystemClock, wait_until
from echostudio.desktop import host, virtual
from echostudio.desktop.connection import Connection
from echostudio.desktop.controller import Desktop, Placed, Program, RawEvent, RawInput, RawKind, VirtualInfo
from echostudio.desktop.listener import X11RawInput
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.evidence import WindowFacts
from echostudio.episode.geometry import DesktopBox, DesktopPoint
from echostudio.errors import Cancelled, DesktopError, InputFailed

pytestmark = pytest.mark.desktop

TEXT = "é ß ñ € “q” 中文 😀 λ→ ~^@#{}[]\\|<> Ab1"
MANY = "".join(chr(0x4E00 + index) for index in range(60))
MIXED = "".join(f"{char}一{MANY[index % 7]}" for index, char in enumerate(MANY[:40]))


@dataclass
class Desk:
    info: VirtualInfo
    desktop: Desktop

    def act(self, kind: ActionKind, placed: Placed | None = None, **parameters: object) -> None:
        self.desktop.perform(Action(kind, parameters), placed or Placed(key_interval=0.0), CancelToken())

    def type(self, text: str, interval: float = 0.0) -> None:
        self.act(ActionKind.TYPE, Placed(key_interval=interval), text=text)

    def xdotool(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], env={**os.environ, "DISPLAY": self.info.display}, check=True, timeout=60)

    def layout(self, *words: str) -> None:
        subprocess.run(["setxkbmap", *words], env={**os.environ, "DISPLAY": self.info.display}, check=True, timeout=60)

    def active(self) -> WindowFacts | None:
        return self.desktop.active_app()

    @contextmanager
    def hearing(self) -> Iterator[list[RawEvent]]:
        """Collect what a listener hears during the block."""
        events: list[RawEvent] = []
        source: RawInput = self.desktop.raw_input()
        source.start(events.append)
        try:
            yield events
        finally:
            source.stop()

    @contextmanager
    def terminal(self, file: Path) -> Iterator[Program]:
        """A terminal that writes what is typed into it to a file, until Ctrl+D."""
        program = self.desktop.launch(["xterm", "-u8", "-e", "sh", "-c", f"exec cat > {shlex.quote(str(file))}"])
        try:
            assert soon(lambda: self._in_front("XTerm") and file.exists())
            yield program
        finally:
            program.terminate()
            assert soon(lambda: not self._in_front("XTerm"))

    def written(self, file: Path, program: Program) -> str:
        self.act(ActionKind.HOTKEY, keys=["ctrl", "d"])
        assert soon(lambda: not program.running())
        return file.read_text()

    def _in_front(self, window_class: str) -> bool:
        window = self.active()
        return window is not None and window.window_class == window_class


def soon(condition: Callable[[], object]) -> bool:
    return wait_until(lambda: bool(condition()), SystemClock(), CancelToken(), 15.0)


def typed(events: list[RawEvent]) -> str:
    return "".join(event.text for event in events if event.kind is RawKind.KEY_DOWN)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    info = virtual.start(1024, 768, home=tmp_path_factory.mktemp("home"))
    try:
        desktop = host.open_display(info.display)
        yield Desk(info, desktop)
        desktop.close()
    finally:
        virtual.stop(info.display)


@pytest.fixture
def desk(shared: Desk) -> Iterator[Desk]:
    """The shared desktop, with nothing held and the American layout after each test."""
    yield shared
    assert shared.desktop.modifiers_down() == ()
    shared.layout("us")


def test_text_arrives_exactly_in_a_terminal(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "out"
    with desk.terminal(file) as program:
        desk.type(f"{TEXT}\n\tnext {'x1Y' * 100}\r\n")
        assert desk.written(file, program) == f"{TEXT}\n\tnext {'x1Y' * 100}\n"


@pytest.mark.parametrize("text", [MANY, MIXED], ids=["distinct", "mixed"])
def test_more_foreign_characters_than_there_are_free_keys(desk: Desk, tmp_path: Path, text: str) -> None:
    file = tmp_path / "out"
    with desk.terminal(file) as program:
        desk.type(text + "\n")
        assert desk.written(file, program) == text + "\n"


def test_text_arrives_exactly_in_an_editor(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_text("")
    program = desk.desktop.launch(["mousepad", str(file)])
    try:
        assert soon(lambda: (window := desk.active()) is not None and file.name in window.title)
        desk.type(TEXT, interval=0.01)
        desk.act(ActionKind.HOTKEY, keys=["ctrl", "s"])
        assert soon(lambda: file.read_text())
        assert file.read_text() == TEXT
    finally:
        program.terminate()


def test_caps_lock_does_not_change_text_and_stays_on(desk: Desk) -> None:
    desk.xdotool("key", "Caps_Lock")
    with desk.hearing() as events:
        desk.type("aBç1")
    letters = [event.text for event in events if event.kind is RawKind.KEY_DOWN and event.text]
    with desk.hearing() as after:
        desk.xdotool("key", "a")
    desk.xdotool("key", "Caps_Lock")
    assert "".join(letters) == "aBç1"
    assert typed(after) == "A"


@pytest.mark.parametrize("layout", [("de",), ("fr",), ("us,ru",)])
def test_text_is_exact_under_other_layouts(desk: Desk, layout: tuple[str, ...], tmp_path: Path) -> None:
    desk.layout(*layout)
    file = tmp_path / "out"
    with desk.terminal(file) as program:
        desk.type(TEXT + "\n")
        assert desk.written(file, program) == TEXT + "\n"


def test_borrowed_keys_are_given_back(desk: Desk) -> None:
    connection = Connection(desk.info.display)
    before = connection.read_keymap().empty_codes()
    desk.type(MANY[:5])
    after = connection.read_keymap().empty_codes()
    connection.close()
    assert len(before) >= 5
    assert after == before


def test_a_text_with_a_control_character_is_refused_whole(desk: Desk) -> None:
    with desk.hearing() as events, pytest.raises(InputFailed, match=r"U\+0007"):
        desk.type("abc\x07")
    assert typed(events) == ""


def test_a_cancelled_text_stops_between_characters_and_holds_nothing(desk: Desk) -> None:
    token = CancelToken()
    source = desk.desktop.raw_input()
    events: list[RawEvent] = []

    def hear(event: RawEvent) -> None:
        events.append(event)
        if len(typed(events)) >= 3:
            token.cancel()

    source.start(hear)
    with pytest.raises(Cancelled):
        desk.desktop.perform(Action(ActionKind.TYPE, {"text": "ABCDEFGH"}), Placed(key_interval=0.2), token)
    source.stop()
    assert typed(events) == "ABC"
    assert desk.desktop.modifiers_down() == ()


def test_a_chord_presses_modifiers_first_and_lets_go_in_reverse(desk: Desk) -> None:
    with desk.hearing() as events:
        desk.act(ActionKind.HOTKEY, keys=["ctrl", "shift", "s"])
    assert [(event.kind, event.key, event.text) for event in events] == [
        (RawKind.KEY_DOWN, "ctrl", ""),
        (RawKind.KEY_DOWN, "shift", ""),
        (RawKind.KEY_DOWN, "s", ""),
        (RawKind.KEY_UP, "s", ""),
        (RawKind.KEY_UP, "shift", ""),
        (RawKind.KEY_UP, "ctrl", ""),
    ]


def test_a_chord_works_by_the_physical_key_under_a_foreign_layout(desk: Desk) -> None:
    desk.layout("ru,us")
    with desk.hearing() as events:
        desk.act(ActionKind.HOTKEY, keys=["ctrl", "s"])
    assert [event.code for event in events if event.kind is RawKind.KEY_DOWN] == [37, 39]


def test_a_key_that_no_layout_has_is_an_input_failure(desk: Desk) -> None:
    with desk.hearing() as events, pytest.raises(InputFailed, match="'f99'"):
        desk.act(ActionKind.HOTKEY, keys=["ctrl", "f99"])
    assert events == []


@pytest.mark.parametrize(("key", "heard"), [("enter", ""), ("f5", ""), ("space", " "), ("a", "a"), ("A", "A")])
def test_a_press_sends_the_named_key(desk: Desk, key: str, heard: str) -> None:
    with desk.hearing() as events:
        desk.act(ActionKind.PRESS, key=key)
    assert typed(events) == heard
    assert key.lower() in [event.key for event in events if event.kind is RawKind.KEY_DOWN]


def test_a_press_of_a_character_without_key_writes_it(desk: Desk) -> None:
    with desk.hearing() as events:
        desk.act(ActionKind.PRESS, key="中")
    assert typed(events) == "中"


def test_a_double_click_with_a_modifier(desk: Desk) -> None:
    with desk.hearing() as events:
        place = Placed(target=DesktopPoint(300, 200))
        desk.act(ActionKind.CLICK, place, button="right", count=2, modifiers=["ctrl"])
    kinds = [event.kind for event in events if event.kind is not RawKind.MOVE]
    pair = [RawKind.BUTTON_DOWN, RawKind.BUTTON_UP]
    assert kinds == [RawKind.KEY_DOWN, *pair, *pair, RawKind.KEY_UP]
    buttons = [event for event in events if event.button]
    assert {event.button for event in buttons} == {"right"}
    assert {event.point for event in buttons} == {DesktopPoint(300, 200)}


def test_a_drag_moves_between_press_and_release(desk: Desk) -> None:
    placed = Placed(start=DesktopPoint(100, 100), path=(DesktopPoint(200, 300),), end=DesktopPoint(400, 320))
    with desk.hearing() as events:
        desk.act(ActionKind.DRAG, placed)
    kinds = [event.kind for event in events]
    down, up = kinds.index(RawKind.BUTTON_DOWN), kinds.index(RawKind.BUTTON_UP)
    moves = [event.point for event in events[down:up] if event.kind is RawKind.MOVE]
    assert (events[down].point, events[up].point) == (placed.start, placed.end)
    assert DesktopPoint(200, 300) in moves
    assert len(moves) > 20


def test_a_cancelled_drag_lets_go_of_the_button(desk: Desk) -> None:
    token = CancelToken()
    source, events = desk.desktop.raw_input(), list[RawEvent]()

    def hear(event: RawEvent) -> None:
        events.append(event)
        if event.kind is RawKind.BUTTON_DOWN:
            token.cancel()

    source.start(hear)
    placed = Placed(start=DesktopPoint(100, 100), end=DesktopPoint(900, 700))
    with pytest.raises(Cancelled):
        desk.desktop.perform(Action(ActionKind.DRAG, {}), placed, token)
    source.stop()
    assert events[-1].kind is RawKind.BUTTON_UP
    assert events[-1].point != placed.end


def test_scroll_ticks_go_the_right_way(desk: Desk) -> None:
    with desk.hearing() as events:
        desk.act(ActionKind.SCROLL, Placed(target=DesktopPoint(500, 400)), dx=-1, dy=3)
    assert [event.delta for event in events if event.kind is RawKind.SCROLL] == [(0, 1)] * 3 + [(-1, 0)]


def test_a_place_outside_the_screen_is_an_input_failure(desk: Desk) -> None:
    with desk.hearing() as events, pytest.raises(InputFailed, match="did not reach"):
        desk.act(ActionKind.CLICK, Placed(target=DesktopPoint(5000, 400)))
    assert RawKind.BUTTON_DOWN not in [event.kind for event in events]


def test_modifiers_of_others_are_seen(desk: Desk) -> None:
    desk.xdotool("keydown", "shift", "keydown", "Super_L")
    assert desk.desktop.modifiers_down() == ("shift", "super")
    desk.xdotool("keyup", "shift", "keyup", "Super_L")
    assert desk.desktop.modifiers_down() == ()


def test_keys_that_another_program_borrows_are_read_as_they_were(desk: Desk) -> None:
    with desk.hearing() as events:
        desk.xdotool("type", "--delay", "2", TEXT)
    assert typed(events) == TEXT
    downs = [event.code for event in events if event.kind is RawKind.KEY_DOWN]
    assert sorted(downs) == sorted(event.code for event in events if event.kind is RawKind.KEY_UP)


def test_a_layout_that_is_changed_while_recording_is_followed(desk: Desk) -> None:
    with desk.hearing() as events:
        desk.xdotool("key", "29")
        desk.layout("de")
        desk.xdotool("key", "29")
    assert [event.text for event in events if event.kind is RawKind.KEY_DOWN] == ["y", "z"]


def test_a_thousand_keys_a_second_are_all_heard_in_time_and_order(desk: Desk) -> None:
    clock, letters = SystemClock(), "abcdefghij" * 100
    connection = Connection(desk.info.display)
    keymap = connection.read_keymap()
    codes = {letter: keymap.code_of_name(letter) for letter in set(letters)}
    with desk.hearing() as events:
        began = clock.now()
        for index, letter in enumerate(letters):
            with connection.use() as display:
                display.xtest_fake_input(X.KeyPress, codes[letter])
                display.xtest_fake_input(X.KeyRelease, codes[letter])
                display.sync()
            clock.sleep(began + (index + 1) / 1000 - clock.now(), CancelToken())
        ended = clock.now()
    connection.close()
    assert typed(events) == letters
    assert [event.at for event in events] == sorted(event.at for event in events)
    assert began - 0.005 <= events[0].at
    assert events[-1].at <= ended + 0.005


def test_a_second_stop_does_nothing_and_a_lost_desktop_is_noticed() -> None:
    info = virtual.start(640, 480)
    source = X11RawInput(info.display, SystemClock())
    source.start(lambda event: None)
    virtual.stop(info.display)
    assert soon(lambda: source.failure is not None)
    source.stop()
    source.stop()


def test_no_display_is_told_when_listening_starts() -> None:
    with pytest.raises(DesktopError, match="no display :4242"):
        X11RawInput(":4242", SystemClock()).start(lambda event: None)


def test_windows_menus_and_dialogs_are_told_apart(desk: Desk, tmp_path: Path) -> None:
    program = desk.desktop.launch(["mousepad"], folder=tmp_path)
    try:
        assert soon(lambda: (window := desk.active()) is not None and window.program == "mousepad")
        window = desk.active()
        assert window is not None
        assert (window.window_class, window.pid, window.dialog) == ("Mousepad", program.pid, False)
        assert Path(window.command[0]).name == "mousepad"
        desk.desktop.place_window(window, DesktopBox(120, 90, 700, 500))
        moved = desk.active()
        assert moved is not None
        assert moved.box == DesktopBox(120, 90, 700, 500)
        desk.act(ActionKind.HOTKEY, keys=["alt", "f"])
        assert soon(lambda: desk.desktop.windows()[0].popup)
        assert [one.handle for one in desk.desktop.windows() if not one.popup] == [window.handle]
        desk.act(ActionKind.PRESS, key="escape")
        assert soon(lambda: not desk.desktop.windows()[0].popup)
        desk.act(ActionKind.HOTKEY, keys=["ctrl", "o"])
        assert soon(lambda: (front := desk.active()) is not None and front.dialog)
        dialog = desk.active()
        assert dialog is not None
        assert dialog.modal
        assert desk.desktop.windows()[0].handle == dialog.handle
    finally:
        program.terminate()
    assert soon(lambda: desk.active() is None)
    with pytest.raises(DesktopError, match="is gone"):
        desk.desktop.raise_window(window)


def test_a_window_is_raised_over_another(desk: Desk, tmp_path: Path) -> None:
    with desk.terminal(tmp_path / "one"):
        first = desk.active()
        second = desk.desktop.launch(["xterm", "-title", "second"])
        try:
            assert soon(lambda: (front := desk.active()) is not None and front.title == "second")
            assert first is not None
            desk.desktop.raise_window(first)
            front = desk.active()
            assert front is not None
            assert front.handle == first.handle
            assert [one.handle for one in desk.desktop.windows()][0] == first.handle
        finally:
            second.terminate()


def test_launch_and_focus_are_no_input(desk: Desk) -> None:
    with pytest.raises(DesktopError, match="Launch is not an input"):
        desk.act(ActionKind.LAUNCH, command="xterm")


if shutil.which("xdotool") is None or shutil.which("xterm") is None or shutil.which("setxkbmap") is None:
    pytestmark = [pytest.mark.desktop, pytest.mark.skip(reason="needs xdotool, xterm and setxkbmap")]
