"""A recording in this process on a virtual desktop, for tests and measures that look into it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from echostudio.actionlens.control import RecordControl
from echostudio.actionlens.recorder import Recorder
from echostudio.actionlens.runfolder import RunWriter, new_run_id, utc_now
from echostudio.cancel import CancelToken
from echostudio.desktop import host
from echostudio.desktop.controller import Desktop
from echostudio.episode.geometry import DesktopPoint
from echostudio.episode.run import Health, Manifest, RunSource
from echostudio.events import EventBus
from echostudio.settings import Settings

ROOT = Path(__file__).parents[2]


class Live:
    """A recorder at work in a thread of its own; ``stop`` returns the health and re-raises what went wrong."""

    def __init__(self, desktop: Desktop, folder: Path, settings: Settings | None = None) -> None:
        manifest = Manifest(new_run_id(), RunSource.HUMAN, "a test", desktop.kind, desktop.screen_map(), utc_now())
        self.writer = RunWriter.create(folder, manifest)
        self.control = RecordControl()
        self.bus = EventBus()
        self.token = CancelToken()
        self.recorder = Recorder(desktop, self.writer, settings or Settings(), self.bus, self.control)
        self.health: Health | None = None
        self._fault: BaseException | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recorder")
        self._thread.start()
        if not self._ready.wait(15) or self._fault is not None:
            raise self._fault or TimeoutError("the recorder did not start")

    def stop(self) -> Health:
        self.token.cancel()
        self._thread.join(30)
        if self._fault is not None:
            raise self._fault
        assert self.health is not None
        return self.health

    def _run(self) -> None:
        try:
            self.health = self.recorder.record(self.token, self._ready.set)
        except Exception as fault:  # noqa: BLE001 - handed to the test's own thread
            self._fault = fault
        self._ready.set()


@contextmanager
def live(desktop: Desktop, folder: Path, settings: Settings | None = None) -> Iterator[Live]:
    recording = Live(desktop, folder, settings)
    try:
        yield recording
    finally:
        recording.token.cancel()
        recording._thread.join(30)


@contextmanager
def desktop_on(display: str) -> Iterator[Desktop]:
    opened = host.open_display(display)
    try:
        yield opened
    finally:
        opened.close()


@contextmanager
def red_window(display: str) -> Iterator[DesktopPoint]:
    """Show the window that turns red when it is pressed; give its middle."""
    command = [sys.executable, "-m", "tests.desktop.red_on_press", display]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout is not None
            word, x, y = program.stdout.readline().split()
            assert word == "ready"
            yield DesktopPoint(int(x), int(y))
        finally:
            program.kill()
