from __future__ import annotations

import json
import os
from pathlib import Path

import psutil
import pytest

from echostudio import paths
from echostudio.desktop import desktop_file, host, virtual
from echostudio.desktop.capture import arrange
from echostudio.desktop.text_entry import refused_characters
from echostudio.desktop.windows import is_popup, stepped
from echostudio.episode.geometry import DesktopBox, DesktopPoint, FramePoint
from echostudio.errors import DesktopError

MENU, TOOLTIP, NORMAL = (f"_NET_WM_WINDOW_TYPE_{kind}" for kind in ("POPUP_MENU", "TOOLTIP", "NORMAL"))


@pytest.fixture
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(paths, "locks_folder", lambda: tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("types", "size", "popup"),
    [
        ((MENU,), (80, 9), True),
        ((TOOLTIP,), (400, 300), False),
        ((NORMAL,), (60, 60), True),
        ((), (20, 20), True),
        ((), (200, 19), False),
    ],
)
def test_which_windows_are_popups(types: tuple[str, ...], size: tuple[int, int], popup: bool) -> None:
    assert is_popup(types, *size) is popup


def test_a_terminal_takes_whole_cells_between_its_limits() -> None:
    assert stepped(100, base=4, step=6, smallest=10, largest=0) == 100
    assert stepped(103, base=4, step=6, smallest=10, largest=0) == 100
    assert stepped(5, base=4, step=6, smallest=10, largest=0) == 10
    assert stepped(500, base=0, step=0, smallest=0, largest=300) == 300


def test_the_frame_begins_at_the_common_corner_of_all_monitors() -> None:
    screen = arrange([("left", DesktopBox(-1280, 100, 1280, 720)), ("main", DesktopBox(0, 0, 1920, 1080))])
    assert (screen.frame_width, screen.frame_height) == (3200, 1080)
    assert screen.to_frame(DesktopPoint(-1280, 100)) == FramePoint(0, 100)
    assert screen.to_desktop(FramePoint(1280, 0)) == DesktopPoint(0, 0)


def test_control_characters_and_halves_of_pairs_cannot_be_typed() -> None:
    assert refused_characters("a\n\tb\x07\x1b\ud83d\x07") == ("\x07", "\x1b", "\ud83d")
    assert refused_characters("é 中 😀\u200d") == ()


def test_the_session_is_told_from_its_variables() -> None:
    assert host.session_type({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}) == "wayland"
    assert host.session_type({"XDG_SESSION_TYPE": "wayland"}) == "wayland"
    assert host.session_type({"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11"}) == "x11"
    assert host.session_type({}) == "none"


def test_no_display_is_told_with_a_way_out(locks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(DesktopError, match="DISPLAY is not set") as caught:
        host.open_display(None)
    assert "desktop up" in caught.value.hint


def test_a_wayland_session_is_refused_before_anything_is_opened(locks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.setenv("DISPLAY", ":4242")
    with pytest.raises(DesktopError, match="Wayland") as caught:
        host.open_display(None)
    assert "desktop up" in caught.value.hint


def test_a_display_that_does_not_exist_is_told_by_name(locks: Path) -> None:
    with pytest.raises(DesktopError, match="no display :4242"):
        host.open_display(":4242.0")


def facts(pid: int, started: float, folder: Path) -> dict[str, object]:
    known: dict[str, object] = {"display": ":4242", "pid": pid, "width": 800, "height": 600, "environment": {}}
    return {**known, "started": started, "tag": "no-process-has-this", "folder": str(folder), "largest": [800, 600]}


def test_what_a_dead_keeper_left_is_removed(locks: Path, tmp_path: Path) -> None:
    left = tmp_path / "left"
    left.mkdir()
    path = desktop_file.file_of(":4242")
    # This process's id, but another start time: the id was given away again.
    desktop_file.write(path, facts(os.getpid(), psutil.Process().create_time() - 60, left))
    assert virtual.info(":4242") is None
    assert virtual.running() == ()
    assert not path.exists()
    assert not left.exists()


def test_a_living_keeper_is_found_under_every_spelling(locks: Path, tmp_path: Path) -> None:
    desktop_file.write(desktop_file.file_of(":4242"), facts(os.getpid(), psutil.Process().create_time(), tmp_path))
    found = virtual.info("localhost:4242.0")
    assert found is not None
    assert (found.display, found.pid, found.width) == (":4242", os.getpid(), 800)


def test_a_torn_info_file_is_no_desktop(locks: Path) -> None:
    path = desktop_file.file_of(":4242")
    path.write_text(json.dumps({"display": ":4242"}))
    assert virtual.info(":4242") is None
    assert virtual.running() == ()


def test_an_unknown_desktop_cannot_be_stopped(locks: Path) -> None:
    with pytest.raises(DesktopError, match="No virtual desktop :4242"):
        virtual.stop(":4242")


def test_an_impossible_size_is_refused(locks: Path) -> None:
    with pytest.raises(DesktopError, match="10x10"):
        virtual.start(10, 10)
