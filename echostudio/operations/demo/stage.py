"""The demo's stage: a virtual desktop with an editor on it, and a recorder in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from echostudio.cancel import CancelToken, SystemClock, wait_until
from echostudio.desktop import host, virtual
from echostudio.desktop.controller import Desktop, Program
from echostudio.episode.evidence import WindowFacts
from echostudio.episode.geometry import DesktopBox
from echostudio.errors import DesktopError
from echostudio.operations.demo.editors import Editor, is_main_window
from echostudio.operations.demo.person import Person


@dataclass(frozen=True, slots=True)
class Stage:
    """A running virtual desktop and the person who sits at it."""

    display: str
    desktop: Desktop
    person: Person
    token: CancelToken

    def start(self, editor: Editor, folder: Path, place: DesktopBox | None = None) -> Program:
        """Start the editor, wait for its window, and move it if a place is given."""
        known = {window.handle for window in self.desktop.windows()}
        program = self.desktop.launch(editor.command, folder=folder)
        self.person.wait_for(lambda: self._new_window(editor, known) is not None, f"the window of {editor.name}", 30)
        window = self._new_window(editor, known)
        if place is not None and window is not None:
            self.desktop.place_window(window, place)
        self.person.wait_for(lambda: is_main_window(editor, self.desktop.active_app()), f"{editor.name} in front")
        self.person.wait_for(lambda: self.person.find(editor.menu) is not None, f"the menu of {editor.name}")
        return program

    def _new_window(self, editor: Editor, known: set[int]) -> WindowFacts | None:
        return next((w for w in self.desktop.windows() if w.handle not in known and is_main_window(editor, w)), None)


@contextmanager
def stage(width: int, height: int, home: Path, token: CancelToken) -> Iterator[Stage]:
    """Start a virtual desktop with a HOME of its own; end it and everything on it afterwards."""
    home.mkdir(parents=True, exist_ok=True)
    info = virtual.start(width, height, home=home)
    try:
        desktop = host.open_display(info.display)
        try:
            yield Stage(info.display, desktop, Person(desktop, token), token)
        finally:
            desktop.close()
    finally:
        virtual.stop(info.display)


@contextmanager
def recorder(display: str, intent: str, home: Path, ready: Path, token: CancelToken) -> Iterator[None]:
    """Run ``echostudio record`` in a process of its own while the block runs; stop it as Ctrl+C does."""
    command = [sys.executable, "-m", "echostudio", "--home", str(home), "record", "--json"]
    command += ["--intent", intent, "--display", display, "--ready-file", str(ready)]
    ready.unlink(missing_ok=True)
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        started = wait_until(lambda: ready.exists() or child.poll() is not None, SystemClock(), token, 30)
        if not started or child.poll() is not None:
            raise DesktopError("The recorder did not start.", _last_words(child))
        yield
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=20)
        if child.returncode != 0:
            raise DesktopError("The recorder failed.", errors[-400:])
    finally:
        if child.poll() is None:
            child.kill()
            child.communicate()


def _last_words(child: subprocess.Popen[str]) -> str:
    child.kill()
    return (child.communicate()[1] or "")[-400:]
