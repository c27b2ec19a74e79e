"""Open the studio, or render one of its pages with real data into a picture."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEventLoop, QMessageLogContext, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from echostudio.errors import EchoError, UsageError
from echostudio.operations import lab, library
from echostudio.operations.services import Services, open_services
from echostudio.studio import theme
from echostudio.studio.key_guard import KeyGuard
from echostudio.studio.lab.state import reference
from echostudio.studio.main_window import MainWindow
from echostudio.studio.messages import install_excepthook

_log = logging.getLogger(__name__)
_qt_log = logging.getLogger("qt")
_PATIENCE_MS: Final = 30_000
_EXIT_INPUT: Final = 7
PAGES: Final = ("record", "library", "runs", "run", "timeline", "replay", "lab")
_BARE: Final = ("record", "library", "runs")


def run(
    home: Path | None,
    open_at: str | None = None,
    shot: Path | None = None,
    theme_name: str | None = None,
    size: str | None = None,
) -> int:
    """Run the studio until its window closes, and return the exit code.

    ``open_at`` is ``record[:DISPLAY]``, ``library``, ``runs[:RUN]``, ``timeline:MEMORY``, ``run:RUN`` (both with
    ``@N`` for the Nth step), ``replay:RUN_OR_MEMORY`` or ``lab:MEMORY:STEP[:FILE]``. With ``shot`` the page is grabbed
    as soon as its data is shown (not after some time), written as PNG, and the studio ends with 0.
    Raises ``EchoError`` when the home cannot be opened or the page named does not exist.
    """
    if shot is not None and not _has_screen():
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    width, height = _size(size)
    services = open_services(home)
    try:
        page, ref = _target(services, open_at)
        app = _application(theme_name or services.settings.studio.theme)
        guard = KeyGuard(app)
        window = MainWindow(services)
        try:
            window.resize(width, height)
            if page:
                window.open(page, ref)
            return _take_shot(window, shot) if shot is not None else _show(app, window, services, size)
        finally:
            window.shut()
            app.removeEventFilter(guard)
            qInstallMessageHandler(None)
    finally:
        services.close()


def _has_screen() -> bool:
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _application(choice: str) -> QApplication:
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    qInstallMessageHandler(_log_qt)
    app.setApplicationName("EchoStudio")
    app.setDesktopFileName("echostudio")
    theme.apply(app, choice)
    hints = QGuiApplication.styleHints()
    if choice == "system":
        hints.colorSchemeChanged.connect(lambda _: theme.apply(app, "system"))
    return app


def _log_qt(kind: QtMsgType, _context: QMessageLogContext, words: str) -> None:
    """Put what Qt says about itself into the log, one level lower than Qt thinks of it."""
    levels = {QtMsgType.QtCriticalMsg: logging.WARNING, QtMsgType.QtFatalMsg: logging.CRITICAL}
    _qt_log.log(levels.get(kind, logging.INFO), "%s", words)


def _target(services: Services, open_at: str | None) -> tuple[str, str]:
    """Return page and reference; raise ``UsageError`` for no page of ours, ``EchoError`` for what is unknown."""
    if not open_at:
        return "", ""
    page, _, ref = open_at.partition(":")
    if page == "lab" and ref:
        return page, _lab_target(services, ref)
    ref, at, step = ref.partition("@")
    if page not in PAGES or (page not in _BARE and not ref):
        raise UsageError(
            f"{open_at!r} is no page.",
            "Use record, library, runs, timeline:MEMORY, run:RUN, replay:RUN_OR_MEMORY, lab:MEMORY:STEP.",
        )
    if page == "run":
        library.run(services, ref)
        return "timeline", f"run:{ref}{at}{step}"
    if page == "timeline":
        return page, f"{library.memory(services, ref).id}{at}{step}"
    if page == "library" and ref:
        return page, library.memory(services, ref).id
    return page, ref


def _lab_target(services: Services, ref: str) -> str:
    """Return ``MEMORY:STEP[:FILE]`` with the memory's id; raise ``EchoError`` for what cannot be looked at."""
    name, step, source = reference(ref)
    memory = library.memory(services, name)
    lab.target(memory, step)
    if source and not source.startswith("run="):
        lab.load_screen(Path(source))
    return f"{memory.id}:{step}" + (f":{source}" if source else "")


def _size(size: str | None) -> tuple[int, int]:
    try:
        width, height = (int(part) for part in (size or "1440x900").lower().split("x"))
    except ValueError:
        raise UsageError(f"{size!r} is no size.", "Write it like 1440x900.") from None
    if not (640 <= width <= 7680 and 400 <= height <= 4320):
        raise UsageError(f"{size} is too small or too large for the window.", "Use 640x400 to 7680x4320.")
    return width, height


def _show(app: QApplication, window: MainWindow, services: Services, size: str | None) -> int:
    log_file = services.home / "studio.log"
    handler = logging.FileHandler(log_file, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.setLevel(logging.WARNING)
    logging.getLogger().addHandler(handler)
    install_excepthook(window, str(log_file))
    try:
        if size is None:
            window.restore_layout()
        window.show()
        return app.exec()
    finally:
        sys.excepthook = sys.__excepthook__
        logging.getLogger().removeHandler(handler)
        handler.close()


def _take_shot(window: MainWindow, shot: Path) -> int:
    """Show the window, wait until all it asked for has come, grab it."""
    faults: list[EchoError] = []
    window.work.failed.connect(faults.append)
    window.show()
    if not wait_ready(window):
        _log.error("%s", faults[0].sentence if faults else "The page was not ready in time.")
        return _EXIT_INPUT
    shot.parent.mkdir(parents=True, exist_ok=True)
    if not window.grab().save(str(shot), "PNG"):
        _log.error("%s cannot be written.", shot)
        return _EXIT_INPUT
    return 0


def wait_ready(window: MainWindow, patience_ms: int = _PATIENCE_MS) -> bool:
    """Run the event loop until the page in front shows all its data; return False when that never comes.

    A paint may ask for pictures, so the page counts as ready only after two looks with a paint in between.
    """
    loop = QEventLoop()
    calm = 0

    def look() -> None:
        nonlocal calm
        window.repaint()
        calm = calm + 1 if window.ready() else 0
        if calm >= 3:
            loop.exit(0)

    ticking = QTimer(interval=15)
    ticking.timeout.connect(look)
    ticking.start()
    QTimer.singleShot(patience_ms, loop, lambda: loop.exit(1))
    code = loop.exec()
    ticking.stop()
    return code == 0
