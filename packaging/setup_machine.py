"""Makes a bare machine ready for EchoStudio: system packages, the virtual environment, the pinned packages.

Standard library only: this runs before anything is installed. ``packaging/run.py`` and ``packaging/test.py`` share it.
Nothing here writes to stdout, which belongs to the program that is started afterwards.
"""

from __future__ import annotations

import contextlib
import ctypes
import glob
import hashlib
import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

try:
    import fcntl
except ImportError:  # Windows has no flock; two first starts at once are not guarded there.
    fcntl = None  # type: ignore[assignment]

PROJECT = Path(__file__).resolve().parents[1]
CONSTRAINTS = Path("packaging", "constraints.txt")
EXIT_STOPPED = 6
EXIT_MISSING = 7
LOG_LINES = 6


class SetupError(Exception):
    """The machine cannot be made ready; the text is for the person."""


class Need(NamedTuple):
    """One thing that the system itself must provide."""

    what: str
    package: str  # as Debian and Ubuntu call it
    found: Callable[[], bool]


class Stamp(NamedTuple):
    """What a virtual environment was last set up for; ``complete`` is false while packages are being installed."""

    complete: bool
    venv: str
    python: str
    inputs: str
    extras: tuple[str, ...]


def say(text: str) -> None:
    """Print one line of progress on stderr."""
    print(f"echostudio: {text}", file=sys.stderr, flush=True)


# --- what the system must provide -------------------------------------------------------------------------------------


def library(soname: str, package: str) -> Need:
    """Return the need for a shared library that the dynamic loader can find."""

    def found() -> bool:
        try:
            ctypes.CDLL(soname)
        except OSError:
            return False
        return True

    return Need(soname, package, found)


def program(name: str, package: str) -> Need:
    """Return the need for a program on the search path."""
    return Need(name, package, lambda: shutil.which(name) is not None)


def file(what: str, package: str, *patterns: str) -> Need:
    """Return the need for any one file that matches any of the glob patterns."""
    return Need(what, package, lambda: any(next(glob.iglob(p, recursive=True), None) for p in patterns))


def venv_module() -> Need:
    """Return the need for a complete ``venv`` module; Debian splits the half of it that installs pip off."""
    return Need(
        "Python's venv module",
        f"python{sys.version_info.major}.{sys.version_info.minor}-venv",
        lambda: importlib.util.find_spec("ensurepip") is not None and importlib.util.find_spec("venv") is not None,
    )


STUDIO = (
    library("libEGL.so.1", "libegl1"),
    library("libGL.so.1", "libgl1"),
    library("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
    library("libxcb-cursor.so.0", "libxcb-cursor0"),
    library("libxcb-icccm.so.4", "libxcb-icccm4"),
    library("libxcb-image.so.0", "libxcb-image0"),
    library("libxcb-keysyms.so.1", "libxcb-keysyms1"),
    library("libxcb-randr.so.0", "libxcb-randr0"),
    library("libxcb-render-util.so.0", "libxcb-render-util0"),
    library("libxcb-shape.so.0", "libxcb-shape0"),
    library("libxcb-xkb.so.1", "libxcb-xkb1"),
    library("libdbus-1.so.3", "libdbus-1-3"),
    library("libfontconfig.so.1", "libfontconfig1"),
    library("libglib-2.0.so.0", "libglib2.0-0"),
    file("DejaVu Sans", "fonts-dejavu-core", "/usr/share/fonts/**/DejaVuSans.ttf"),
)
VIRTUAL_DESKTOP = (
    program("Xvfb", "xvfb"),
    program("openbox", "openbox"),
    program("dbus-daemon", "dbus"),
    file("at-spi-bus-launcher", "at-spi2-core", "/usr/lib*/at-spi-bus-launcher", "/usr/lib*/*/at-spi-bus-launcher"),
)
DEMO = (program("mousepad", "mousepad"),)
TESTS = (
    program("xdotool", "xdotool"),
    program("featherpad", "featherpad"),
    program("pcmanfm", "pcmanfm"),
    program("gnumeric", "gnumeric"),
    program("geany", "geany"),
    program("xterm", "xterm"),
    # Without these GTK 2 programs show no accessible elements.
    file("GTK 2 accessibility bridge", "libatk-adaptor", "/usr/lib/*/gtk-2.0/modules/libatk-bridge.so"),
    file("GTK 2 accessibility", "libgail-common", "/usr/lib/*/gtk-2.0/modules/libgail.so"),
)


def missing(needs: Iterable[Need]) -> list[Need]:
    """Return the needs that this machine does not meet; only Linux takes them from the system."""
    return [need for need in needs if not need.found()] if sys.platform.startswith("linux") else []


def how_to_install(needs: Sequence[Need]) -> str:
    """Return what a person does to meet the needs: one line to run as root, or the names to look for."""
    if shutil.which("apt-get"):
        packages = " ".join(sorted({need.package for need in needs}))
        return (
            "This machine lacks system packages; run this line as root, then start again:\n"
            f"  apt-get update && apt-get install -y --no-install-recommends {packages}"
        )
    names = ", ".join(need.what for need in needs)
    return f"This machine lacks {names}: install them with your system's package manager, then start again."


def provide(needed: Sequence[Need], wished: Sequence[Need]) -> None:
    """Install what is missing with apt-get when that is allowed, else say how.

    Args:
        needed: What the command cannot do without.
        wished: What other commands would like; its absence is only mentioned.

    Raises:
        SetupError: A needed thing is still missing.
    """
    if not needed and not wished:
        return
    log: list[str] = []
    if may_install():
        log = apt_install(sorted({need.package for need in (*needed, *wished)}))
        importlib.invalidate_caches()
        needed, wished = missing(needed), missing(wished)
    every = [*needed, *wished]
    if every:
        sentence = with_log(how_to_install(every), log)
        if needed:
            raise SetupError(sentence)
        say(f"{sentence}\n  (this command does without them and goes on)")


def may_install() -> bool:
    """Return whether this process may install system packages: root, on Debian or one of its descendants."""
    return hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get") is not None


def apt_install(packages: Sequence[str]) -> list[str]:
    """Install system packages; return the log of a failure, nothing after a success."""
    say(f"installing system packages: {' '.join(packages)}")
    install = ["apt-get", "-o", "DPkg::Lock::Timeout=300", "-qy", "--no-install-recommends", "install", *packages]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # Package lists may be absent (new images) or older than the archive; only then is fetching them worth its time.
    if any(Path("/var/lib/apt/lists").glob("*_Packages*")) and not logged(install, environment).failed:
        return []
    say("fetching the package lists")
    update = logged(["apt-get", "-o", "DPkg::Lock::Timeout=300", "-q", "update"], environment)
    outcome = logged(install, environment)
    return [*update.lines, *outcome.lines] if outcome.failed else []


# --- the virtual environment ------------------------------------------------------------------------------------------


class Environment:
    """The virtual environment ``.venv`` of one checkout, and the stamp that says what it was set up for."""

    def __init__(self, project: Path = PROJECT) -> None:
        self.project = project
        self.folder = project / ".venv"
        self.python = self.folder.joinpath(*(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))
        self._stamp_file = self.folder / "echostudio-setup.json"

    def is_ready(self, extras: Iterable[str] = ()) -> bool:
        """Return whether the environment holds what the project's files ask for now."""
        stamp = self.stamp()
        return (
            stamp is not None
            and stamp == self._wanted(stamp.extras)
            and set(extras) <= set(stamp.extras)
            and os.access(self.python, os.X_OK)
        )

    def make_ready(self, extras: Iterable[str] = ()) -> None:
        """Make, repair or refresh the environment; waits while another start does the same.

        Raises:
            SetupError: The environment could not be made, or packages not be installed.
        """
        with self._lock() as held:
            if self.is_ready(extras):
                return
            try:
                self._set_up(extras, held)
            except OSError as error:
                raise SetupError(f"The virtual environment cannot be changed: {error}.") from error

    def _set_up(self, extras: Iterable[str], held: tuple[int, ...]) -> None:
        stamp = self.stamp()
        # Extras of earlier starts stay, else the two commands would undo each other's work in turn.
        wanted = self._wanted({*extras, *(stamp.extras if stamp else ())})
        if not self._is_sound(stamp):
            self._create()
        self._write(wanted._replace(complete=False))
        self._install(wanted.extras, held)
        self._write(wanted)

    def stamp(self) -> Stamp | None:
        """Return the stamp, or None when there is none that can be read."""
        try:
            facts = json.loads(self._stamp_file.read_text(encoding="utf-8"))
            return Stamp(**{**facts, "extras": tuple(facts["extras"])})
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def _wanted(self, extras: Iterable[str]) -> Stamp:
        digest = hashlib.sha256()
        for name in (Path("pyproject.toml"), CONSTRAINTS):
            digest.update((self.project / name).read_bytes())
        # A virtual environment knows its own path and the minor version of its Python; moved or mixed it breaks.
        return Stamp(
            True, str(self.folder), str(sys.implementation.cache_tag), digest.hexdigest(), tuple(sorted(set(extras)))
        )

    def _is_sound(self, stamp: Stamp | None) -> bool:
        """Return whether packages may be installed into the environment as it is."""
        if stamp is not None:
            now = self._wanted(())
            if not stamp.complete or (stamp.venv, stamp.python) != (now.venv, now.python):
                return False
        question = [str(self.python), "-c", "import pip, sys; print(sys.implementation.cache_tag)"]
        try:
            answer = subprocess.run(question, capture_output=True, text=True, check=False)
        except OSError:
            return False
        return answer.returncode == 0 and answer.stdout.strip() == sys.implementation.cache_tag

    def _create(self) -> None:
        say(f"making the virtual environment {self.folder}")
        # Started from inside the environment that is to be cleared, its own Python must not be the one that does it.
        python = getattr(sys, "_base_executable", None) or sys.executable
        outcome = logged([python, "-m", "venv", "--clear", str(self.folder)], os.environ)
        if outcome.failed:
            raise SetupError(with_log(f"The virtual environment {self.folder} could not be made.", outcome.lines))

    def _install(self, extras: Sequence[str], held: tuple[int, ...]) -> None:
        say("installing the pinned packages (the first time this takes a minute or two)")
        target = f".[{','.join(extras)}]" if extras else "."
        constraints = CONSTRAINTS.as_posix()
        command = [str(self.python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        command += ["--progress-bar", "off", "-c", constraints, "-e", target]
        # The variables reach the build backend too, which -c does not. Relative, since pip splits them at spaces.
        pins = {"PIP_CONSTRAINT": constraints, "PIP_BUILD_CONSTRAINT": constraints}
        # pip inherits the lock, so that it still holds when this process is killed and pip goes on.
        shown = ("Downloading ", "Installing collected")
        outcome = logged(command, {**os.environ, **pins}, folder=self.project, show=shown, keep=held)
        if outcome.failed:
            raise SetupError(
                with_log(f"The packages could not be installed: {pip_cause(outcome.lines)}.", outcome.lines)
            )

    def _write(self, stamp: Stamp) -> None:
        draft = self._stamp_file.with_suffix(".new")
        draft.write_text(json.dumps(stamp._asdict()), encoding="utf-8")
        draft.replace(self._stamp_file)

    @contextlib.contextmanager
    def _lock(self) -> Iterator[tuple[int, ...]]:
        """Hold the right to change the environment; yields the descriptors that carry it."""
        if fcntl is None:
            yield ()
            return
        with (self.project / CONSTRAINTS).open(
            "rb"
        ) as held:  # a file that is always there: no lock file is left behind
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("waiting: another start is installing packages")
                fcntl.flock(held, fcntl.LOCK_EX)
            yield (held.fileno(),)


# --- running and reporting --------------------------------------------------------------------------------------------


class Logged(NamedTuple):
    """How a command ended, and all that it printed."""

    failed: bool
    lines: list[str]


def logged(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path | None = None,
    show: tuple[str, ...] = (),
    keep: tuple[int, ...] = (),
) -> Logged:
    """Run a command to its end without input; pass on lines that begin like ``show`` and the descriptors ``keep``."""
    lines: list[str] = []
    try:
        running = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder,
            env=dict(environment), text=True, encoding="utf-8", errors="replace", pass_fds=keep,
        )  # fmt: skip
    except OSError as error:
        return Logged(True, [str(error)])
    with running:
        for line in running.stdout or ():
            lines.append(line.rstrip())
            if line.strip().startswith(show):
                say(f"  {line.strip()[:150]}")
    return Logged(running.returncode != 0, lines)


def pip_cause(lines: Sequence[str]) -> str:
    """Return in a few words why pip failed."""
    log = "\n".join(lines)
    causes = {
        "No space left on device": "the disk is full",
        "NewConnectionError": "the package index cannot be reached",
        "ConnectTimeoutError": "the package index cannot be reached",
        "NameResolutionError": "the package index cannot be reached",
        "ReadTimeoutError": "the package index does not answer",
        "ResolutionImpossible": "the pins contradict each other",
        "No matching distribution": "a pinned package is not to be had for this Python and system",
    }
    return next((cause for sign, cause in causes.items() if sign in log), "pip failed")


def with_log(sentence: str, lines: Sequence[str]) -> str:
    """Return the sentence with the telling lines of a log: the errors of pip or apt-get, else the last lines."""
    lines = [line.strip()[:200] for line in lines if line.strip()]
    telling = [line for line in lines if line.startswith(("ERROR: ", "E: "))] or lines
    return "\n".join([sentence, *(f"  | {line}" for line in telling[-LOG_LINES:])])


def prepare(needed: Iterable[Need], wished: Iterable[Need] = (), extras: Sequence[str] = ()) -> Path:
    """Make the machine ready and return the Python of the virtual environment.

    Args:
        needed: What the command cannot do without; looked for at every start.
        wished: What other commands need; looked for only when packages are installed anyway.
        extras: Optional dependency groups of the project.

    Raises:
        SetupError: Something is missing that this process cannot install.
    """
    environment = Environment()
    if environment.is_ready(extras):
        provide(missing(needed), ())
    else:
        needed = tuple(needed)
        provide(missing((venv_module(), *needed)), missing(need for need in wished if need not in needed))
        environment.make_ready(extras)
    return environment.python


def guarded(main: Callable[[], int]) -> int:
    """Return what ``main`` returns; a failed or interrupted setup becomes one message and an exit code."""
    try:
        return main()
    except SetupError as error:
        say(str(error))
        return EXIT_MISSING
    except KeyboardInterrupt:
        say("stopped; the next start goes on from here")
        return EXIT_STOPPED
