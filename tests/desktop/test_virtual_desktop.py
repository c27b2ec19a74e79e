"""Virtual desktops as processes: they start whole, and end without a trace in every way there is to end them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from Xlib import X

from echostudio.cancel import CancelToken, SystemClock, wait_until
from echostudio.desktop import desktop_file, host, sweep, virtual
from echostudio.desktop.connection import Connection
from echostudio.desktop.controller import Desktop, VirtualInfo
from echostudio.desktop.environment import TAG
from echostudio.desktop.servers import BACKGROUND
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import DesktopPoint
from echostudio.errors import DesktopError

pytestmark = pytest.mark.desktop

Start = Callable[..., VirtualInfo]


def soon(condition: Callable[[], object]) -> bool:
    return wait_until(lambda: bool(condition()), SystemClock(), CancelToken(), 10.0)


def left_of(info: VirtualInfo) -> list[object]:
    """What is still there of a desktop that should be gone."""
    left: list[object] = [(pid, _name(pid)) for pid in sweep.tagged(info.environment[TAG])]
    files = (Path(info.environment["XDG_RUNTIME_DIR"]), desktop_file.file_of(info.display))
    left += [path for path in files if path.exists()]
    return left


@pytest.fixture
def start() -> Iterator[Start]:
    """Start virtual desktops that end with the test."""
    started: list[VirtualInfo] = []

    def one(*args: int, **more: object) -> VirtualInfo:
        started.append(virtual.start(*args, **more))  # type: ignore[arg-type]
        return started[-1]

    yield one
    for info in started:
        if virtual.info(info.display) == info:
            virtual.stop(info.display)


@pytest.fixture
def opened() -> Iterator[Callable[[VirtualInfo], Desktop]]:
    """Open desktops and close them with the test."""
    desktops: list[Desktop] = []

    def one(info: VirtualInfo) -> Desktop:
        desktops.append(host.open_display(info.display))
        return desktops[-1]

    yield one
    for desktop in desktops:
        desktop.close()


def test_a_started_desktop_is_whole(start: Start, opened: Callable[[VirtualInfo], Desktop], tmp_path: Path) -> None:
    info = start(801, 600, home=tmp_path / "home")
    assert virtual.info(f"{info.display}.0") == info
    assert info in virtual.running()
    desktop = opened(info)
    assert (desktop.kind, desktop.name) == ("virtual", info.display)
    frame = desktop.grab()
    assert frame.pixels.shape == (600, 801, 3)
    assert tuple(frame.pixels[300, 400]) == tuple(BACKGROUND.to_bytes(3, "big"))
    assert frame.started <= frame.taken
    connection = Connection(info.display)
    with connection.root() as root:
        for name in ("AT_SPI_BUS", "_NET_SUPPORTING_WM_CHECK"):
            assert root.get_full_property(root.display.get_atom(name), X.AnyPropertyType) is not None, name
    connection.close()


def test_programs_run_with_the_desktops_environment(start: Start, tmp_path: Path) -> None:
    home = tmp_path / "home"
    info = start(640, 480, home=home, programs=[["sh", "-c", "env > $HOME/seen; exec sleep 60"]])
    assert soon(lambda: (home / "seen").exists() and f"DISPLAY={info.display}\n" in (home / "seen").read_text())
    seen = dict(line.split("=", 1) for line in (home / "seen").read_text().splitlines() if "=" in line)
    assert {name: seen.get(name) for name in info.environment} == info.environment
    assert "WAYLAND_DISPLAY" not in seen
    assert "PYTHONPATH" not in seen or str(Path(virtual.__file__).parents[2]) not in seen["PYTHONPATH"].split(":")


def test_a_program_that_is_missing_starts_nothing() -> None:
    before = virtual.running()
    with pytest.raises(DesktopError, match="'no-such-program' is not installed"):
        virtual.start(640, 480, programs=[["no-such-program"]])
    assert virtual.running() == before


def test_missing_servers_are_named_with_the_way_to_get_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DesktopError, match="'Xvfb'") as caught:
        virtual.start(640, 480)
    assert "apt-get install xvfb openbox" in caught.value.hint


RUNAWAY = ["sh", "-c", "setsid sleep 600 & exec sleep 600"]


def test_stopping_leaves_nothing(start: Start) -> None:
    info = start(640, 480, programs=[RUNAWAY])
    assert soon(lambda: len([pid for pid in sweep.tagged(info.environment[TAG]) if _name(pid) == "sleep"]) == 2)
    virtual.stop(info.display)
    assert left_of(info) == []
    assert virtual.info(info.display) is None


def test_a_killed_keeper_leaves_nothing(start: Start) -> None:
    info = start(640, 480, programs=[RUNAWAY])
    assert soon(lambda: len([pid for pid in sweep.tagged(info.environment[TAG]) if _name(pid) == "sleep"]) == 2)
    os.kill(info.pid, signal.SIGKILL)
    assert soon(lambda: not left_of(info)), left_of(info)
    assert info not in virtual.running()


@pytest.mark.parametrize("server", ["Xvfb", "openbox", "dbus-daemon"])
def test_the_death_of_a_server_ends_the_desktop(start: Start, server: str) -> None:
    info = start(640, 480)
    [child] = [child for child in psutil.Process(info.pid).children() if child.name() == server]
    child.kill()
    assert soon(lambda: not left_of(info)), left_of(info)
    assert soon(lambda: virtual.info(info.display) is None)


def test_a_program_that_ends_does_not_end_the_desktop(start: Start) -> None:
    info = start(640, 480, programs=[["true"]])
    assert soon(lambda: not [one for one in psutil.Process(info.pid).children() if one.name() == "true"])
    assert virtual.info(info.display) == info


def test_a_desktop_shrinks_and_grows_back_but_not_further(
    start: Start, opened: Callable[[VirtualInfo], Desktop]
) -> None:
    info = start(1024, 768)
    desktop = opened(info)
    assert desktop.grab().box.width == 1024
    for width, height in ((800, 700), (900, 600), (1024, 768)):
        assert virtual.resize(info.display, width, height).width == width
        assert desktop.grab().pixels.shape == (height, width, 3)
        assert (desktop.screen_map().frame_width, desktop.screen_map().frame_height) == (width, height)
    with pytest.raises(DesktopError, match="started at 1024x768 and cannot become 1025x768"):
        virtual.resize(info.display, 1025, 768)


def test_several_threads_may_grab_at_once(start: Start, opened: Callable[[VirtualInfo], Desktop]) -> None:
    desktop = opened(start(640, 480))
    frames: list[Frame] = []
    threads = [threading.Thread(target=lambda: frames.extend(desktop.grab() for _ in range(5))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(frames) == 20
    assert all((frame.pixels == frames[0].pixels).all() for frame in frames)


def test_a_desktop_that_is_gone_says_so(start: Start, opened: Callable[[VirtualInfo], Desktop]) -> None:
    info = start(640, 480)
    desktop = opened(info)
    desktop.grab()
    virtual.stop(info.display)
    for question in (desktop.grab, desktop.windows, desktop.pointer, lambda: desktop.move_pointer(DesktopPoint(1, 1))):
        with pytest.raises(DesktopError, match=f"The desktop {info.display} is gone"):
            question()
    with pytest.raises(DesktopError, match=f"no display {info.display}"):
        host.open_display(info.display)


def _name(pid: int) -> str:
    try:
        return str(psutil.Process(pid).name())
    except psutil.NoSuchProcess:
        return ""
