"""What real programs of three toolkits tell about their elements."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from echostudio.cancel import CancelToken, SystemClock, wait_until
from echostudio.desktop import host, virtual
from echostudio.desktop.accessibility import Accessibility
from echostudio.desktop.controller import Desktop, Placed, Program
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.evidence import ElementFacts, WindowFacts
from echostudio.episode.geometry import DesktopPoint

pytestmark = pytest.mark.desktop

PATIENCE = 20.0


@dataclass
class Scene:
    """One program in front, on a desktop of its own."""

    desktop: Desktop
    accessible: Accessibility
    program: Program

    def eventually(self, found: Callable[[], object], what: str) -> None:
        if not wait_until(lambda: bool(found()), SystemClock(), CancelToken(), PATIENCE, interval=0.1):
            pytest.fail(f"{what} did not come; windows: {self.desktop.windows()}")

    @property
    def window(self) -> WindowFacts:
        window = self.desktop.active_app()
        assert window is not None
        return window

    def named(self, name: str, *roles: str) -> ElementFacts:
        found = [e for e in self.accessible.elements(self.window) if e.name == name and e.role in roles]
        assert found, f"no {name} among {[(e.role, e.name) for e in self.accessible.elements(self.window)]}"
        return found[0]

    def has(self, name: str, *roles: str) -> bool:
        return any(e.name == name and e.role in roles for e in self.accessible.elements(self.window))

    def click(self, element: ElementFacts, button: str = "left") -> None:
        place = Placed(target=middle(element))
        self.desktop.perform(Action(ActionKind.CLICK, {"button": button, "count": 1}), place, CancelToken())

    def keys(self, kind: ActionKind, **parameters: object) -> None:
        self.desktop.perform(Action(kind, parameters), Placed(), CancelToken())

    def popups(self) -> list[WindowFacts]:
        return [window for window in self.desktop.windows() if window.popup]

    def open_menu(self, name: str, item: str) -> None:
        self.click(self.named(name, "menu", "menu item"))
        self.eventually(lambda: self.popups() and self.has(item, "menu item", "menu"), f"the menu {name}")


def middle(element: ElementFacts) -> DesktopPoint:
    box = element.box
    assert box is not None
    return DesktopPoint(box.x + box.width // 2, box.y + box.height // 2)


@pytest.fixture
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    command = request.param
    for needed in ("Xvfb", command):
        if shutil.which(needed) is None:
            pytest.skip(f"needs {needed}")
    if command == "pcmanfm" and not any(Path("/usr/lib").glob("*/gtk-2.0/modules/libatk-bridge.so")):
        pytest.skip("GTK 2 tells its elements only with libatk-adaptor and libgail-common")
    info = virtual.start(1280, 800, home=tmp_path / "home")
    desktop = host.open_display(info.display)
    accessible = Accessibility(info.display)
    try:
        scene = Scene(desktop, accessible, desktop.launch([command]))
        scene.eventually(lambda: (window := desktop.active_app()) and accessible.elements(window), command)
        yield scene
    finally:
        accessible.close()
        desktop.close()
        virtual.stop(info.display)


@pytest.mark.parametrize(
    ("scene", "item", "role"),
    [("mousepad", "Save As...", "menu"), ("featherpad", "Save As", "menu item"), ("pcmanfm", "Close Tab", "menu")],
    indirect=["scene"],
    ids=["gtk3", "qt5", "gtk2"],
)
def test_menu_bar_and_open_menu_tell_their_items(scene: Scene, item: str, role: str) -> None:
    menu = scene.named("File", "menu", "menu item")
    told = scene.accessible.element_at(middle(menu))
    assert told is not None
    assert (told.role, told.name) == (role, "File")
    assert not scene.has(item, "menu item")
    scene.open_menu("File", item)
    entry = scene.named(item, "menu item")
    told = scene.accessible.element_at(middle(entry))
    assert told is not None
    assert (told.role, told.name, told.box) == ("menu item", item, entry.box)
    scene.keys(ActionKind.PRESS, key="escape")
    scene.keys(ActionKind.PRESS, key="escape")
    scene.eventually(lambda: not scene.popups(), "the end of the menu")
    scene.eventually(lambda: not scene.has(item, "menu item"), "a tree without the menu")


@pytest.mark.parametrize("scene", ["mousepad", "featherpad"], indirect=True, ids=["gtk3", "qt5"])
def test_a_save_dialog_tells_its_entry_its_buttons_and_its_text(scene: Scene) -> None:
    main = scene.window
    scene.keys(ActionKind.HOTKEY, keys=["ctrl", "shift", "s"])
    scene.eventually(lambda: scene.window.dialog and scene.has("Save", "push button"), "the save dialog")
    scene.eventually(lambda: (e := scene.accessible.focused()) and "editable" in e.states, "the name entry's focus")
    focused = scene.accessible.focused()
    assert focused is not None
    assert focused.role == "text"
    assert scene.accessible.element_at(middle(focused)) == focused
    scene.keys(ActionKind.HOTKEY, keys=["ctrl", "a"])
    scene.keys(ActionKind.TYPE, text="notes.txt")
    scene.eventually(lambda: scene.accessible.text_of_focused() == "notes.txt", "the typed text")
    for name in ("Save", "Cancel"):
        button = scene.named(name, "push button")
        told = scene.accessible.element_at(middle(button))
        assert told is not None
        assert (told.role, told.name, told.box) == ("push button", name, button.box)
    names = {element.name for element in scene.accessible.elements(scene.window)}
    assert "File" not in names, "the dialog's tree must not hold its window's menu bar"
    assert scene.accessible.tree(main).elements != scene.accessible.tree(scene.window).elements


@pytest.mark.parametrize("scene", ["mousepad"], indirect=True)
def test_the_text_area_is_found_below_the_tab_list(scene: Scene) -> None:
    box = scene.window.box
    place = DesktopPoint(box.x + box.width // 2, box.y + box.height * 2 // 3)
    told = scene.accessible.element_at(place)
    assert told is not None
    assert told.role == "text"
    assert {"editable", "multi line", "showing"} <= set(told.states)
    assert scene.accessible.element_at(DesktopPoint(box.x + 20, box.y - 8)) is None, "a title bar is no element"
    scene.keys(ActionKind.TYPE, text="one two")
    scene.eventually(lambda: scene.accessible.text_of_focused() == "one two", "the typed text")


@pytest.mark.parametrize("scene", ["mousepad"], indirect=True)
def test_items_of_a_context_menu_are_found(scene: Scene) -> None:
    box = scene.window.box
    place = Placed(target=DesktopPoint(box.x + box.width // 2, box.y + box.height // 2))
    scene.desktop.perform(Action(ActionKind.CLICK, {"button": "right", "count": 1}), place, CancelToken())
    scene.eventually(lambda: scene.has("Select All", "menu item"), "the context menu")
    item = scene.named("Select All", "menu item")
    told = scene.accessible.element_at(middle(item))
    assert told is not None
    assert (told.role, told.name) == ("menu item", "Select All")


@pytest.mark.parametrize(
    ("scene", "role"), [("mousepad", "menu item"), ("featherpad", "list item")], indirect=["scene"], ids=["gtk3", "qt5"]
)
def test_the_open_list_of_a_combo_box_hides_the_box(scene: Scene, role: str) -> None:
    scene.keys(ActionKind.HOTKEY, keys=["ctrl", "shift", "s"])
    scene.eventually(lambda: scene.window.dialog and scene.has("Save", "push button"), "the save dialog")
    box = next(
        e for e in reversed(scene.accessible.elements(scene.window)) if e.role == "combo box" and "Files" in e.name
    )

    def told() -> tuple[str, str]:
        element = scene.accessible.element_at(middle(box))
        return (element.role, element.name) if element is not None else ("", "")

    assert told() == ("combo box", box.name)
    scene.click(box)
    scene.eventually(lambda: told() == (role, box.name), "the list")
    counts = [(e.role, e.name, e.box) for e in scene.accessible.elements(scene.window) if e.role == role]
    assert len(counts) == len(set(counts)), "an item must be told once"


@pytest.mark.parametrize("scene", ["mousepad"], indirect=True)
def test_a_program_that_hangs_gives_nothing_soon_and_answers_again_later(scene: Scene) -> None:
    window = scene.window
    menu = scene.named("File", "menu")
    os.kill(window.pid, signal.SIGSTOP)
    try:
        started = time.monotonic()
        tree = scene.accessible.tree(window)
        assert (tree.elements, tree.complete) == ((), False)
        assert scene.accessible.element_at(middle(menu), window) is None
        assert time.monotonic() - started < 5.0
    finally:
        os.kill(window.pid, signal.SIGCONT)
    scene.eventually(lambda: scene.accessible.tree(window).complete, "the answer after the pause")
    assert scene.accessible.element_at(middle(menu), window) == menu
