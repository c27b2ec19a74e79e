"""What this machine has and lacks for recording, replaying and virtual desktops, and how to get it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from echostudio import paths, settings
from echostudio.desktop import host
from echostudio.errors import EchoError
from echostudio.operations.demo.editors import choose
from echostudio.repository import Repository

_TOOLS = {
    "X server for virtual desktops": ("Xvfb", "apt-get install xvfb"),
    "window manager for virtual desktops": ("openbox", "apt-get install openbox"),
    "session bus for virtual desktops": ("dbus-daemon", "apt-get install dbus at-spi2-core"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    what: str
    good: bool
    sentence: str
    hint: str = ""


def examine(home: Path | None = None) -> list[Finding]:
    """Look at everything that a first recording needs; changes nothing but a probe file in the home."""
    place = home or paths.default_home()
    findings = [
        Finding("Python", sys.version_info >= (3, 11), sys.version.split()[0]),
        _home(place),
        _settings(place),
        _library(place),
        _display(),
    ]
    for what, (tool, hint) in _TOOLS.items():
        found = shutil.which(tool)
        findings.append(Finding(what, found is not None, found or f"{tool} is missing.", "" if found else hint))
    editor = choose()
    findings.append(Finding("editor for the demo", True, editor.name))
    return findings


def _home(place: Path) -> Finding:
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place) as probe:
            probe.write(b"x")
        free = shutil.disk_usage(place).free / 1e9
    except OSError as fault:
        return Finding("home", False, f"{place}: {fault.strerror}.", "Name another with --home or ECHOSTUDIO_HOME.")
    return Finding("home", free > 0.5, f"{place}, {free:.1f} GB free")


def _settings(place: Path) -> Finding:
    try:
        settings.load(paths.settings_file(place))
    except EchoError as fault:
        return Finding("settings", False, fault.sentence, fault.hint)
    return Finding("settings", True, "readable")


def _library(place: Path) -> Finding:
    folder = paths.library_folder(place)
    if not folder.exists():
        return Finding("library", True, "none yet")
    try:
        repository = Repository.open(folder)
        try:
            damages = repository.verify()
            count = len(repository.rows())
        finally:
            repository.close()
    except EchoError as fault:
        return Finding("library", False, fault.sentence, fault.hint)
    return Finding("library", not damages, damages[0] if damages else f"{count} memories, whole")


def _display() -> Finding:
    kind = host.session_type()
    if kind == "none":
        return Finding("screen", True, "none here; virtual desktops work without one")
    display = os.environ.get("DISPLAY", "")
    try:
        desktop = host.open_display(None)
        try:
            frame = desktop.grab()
            pointer = desktop.pointer()
            raw = desktop.raw_input()
            raw.start(lambda _event: None)
            raw.stop()
        finally:
            desktop.close()
    except EchoError as fault:
        return Finding("screen", False, fault.sentence, fault.hint)
    size = f"{frame.box.width}x{frame.box.height}"
    return Finding("screen", True, f"{display} ({kind}), {size}, pointer at {pointer.x}, {pointer.y}, input is heard")
