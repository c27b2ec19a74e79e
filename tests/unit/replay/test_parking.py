from pathlib import Path

from echostudio.cancel import CancelToken
from echostudio.desktop.controller import Placed
from echostudio.desktop.scripted import ScriptedDesktop
from echostudio.desktop.scripted_editor import ScriptedEditor
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.geometry import DesktopBox, DesktopPoint, FramePoint, Monitor, ScreenMap
from echostudio.replay.parking import park, parking_place
from tests.builders import window


def test_a_free_corner_is_taken() -> None:
    screen = ScreenMap.single(800, 600)
    covering = window(box=DesktopBox(400, 300, 400, 300))
    assert parking_place(screen, [covering]) == DesktopPoint(1, 598)


def test_without_a_free_corner_the_bottom_right_is_taken() -> None:
    screen = ScreenMap.single(800, 600)
    assert parking_place(screen, [window(box=DesktopBox(0, 0, 800, 600))]) == DesktopPoint(798, 598)


def test_a_monitor_left_of_the_origin_has_corners_too() -> None:
    screen = ScreenMap((Monitor("left", DesktopBox(-500, -100, 500, 400), FramePoint(0, 0)),))
    assert parking_place(screen, []) == DesktopPoint(-2, 298)


def test_the_pointer_stays_while_a_menu_is_open(tmp_path: Path) -> None:
    desktop = ScriptedDesktop(ScriptedEditor(tmp_path))
    assert park(desktop)
    assert not park(desktop)
    place = desktop.place_of("File")
    assert place is not None
    desktop.move_pointer(place)
    click = Action(ActionKind.CLICK, {"button": "left", "count": 1, "modifiers": []})
    desktop.perform(click, Placed(target=place), CancelToken())
    desktop.clock.advance(0.1)
    assert any(found.popup for found in desktop.windows())
    assert not park(desktop)
    assert desktop.pointer() == place
