"""What holds for every test: a home of its own, no thread left behind, no unexpected warning in the log."""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

# Before anything loads Qt: no test may open a window on the screen of the person who runs it.
os.environ["QT_QPA_PLATFORM"] = "offscreen"

THREAD_GRACE_S = 2.0
FOREIGN_THREADS = ("pydevd", "pytest_timeout")  # a debugger's and a watchdog's own


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the long campaigns too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--slow"):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="a long campaign; run with --slow"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that only this test knows, also to the processes that it starts."""
    folder = tmp_path / "home"
    monkeypatch.setenv("ECHOSTUDIO_HOME", str(folder))
    return folder


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    """Fail a test that leaves a thread running."""
    before = set(threading.enumerate())
    yield
    left = threads_left(before, time.monotonic() + THREAD_GRACE_S)
    if left:
        pytest.fail(f"threads left running: {', '.join(sorted(thread.name for thread in left))}", pytrace=False)


def threads_left(before: set[threading.Thread], deadline: float) -> list[threading.Thread]:
    """Return the new threads that do not end before the deadline (seconds on the monotonic clock)."""
    new = [thread for thread in threading.enumerate() if thread not in before and _is_ours(thread)]
    for thread in new:
        thread.join(max(0.0, deadline - time.monotonic()))
    return [thread for thread in new if thread.is_alive()]


def _is_ours(thread: threading.Thread) -> bool:
    # A dummy stands for a native thread (of Qt, say) that once ran Python: it has no end that Python could see.
    return not isinstance(thread, threading._DummyThread) and not thread.name.startswith(FOREIGN_THREADS)


class LogWatch(logging.Handler):
    """Collects every record of level WARNING and above."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(f"{record.levelname} {record.name}: {record.getMessage()}")


@pytest.fixture(autouse=True)
def no_unexpected_log(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that logs a warning or worse, unless it is marked ``expected_log``."""
    watch = LogWatch()
    root = logging.getLogger()
    root.addHandler(watch)
    yield
    root.removeHandler(watch)
    marker = request.node.get_closest_marker("expected_log")
    complaint = log_complaint(watch.messages, None if marker is None else marker.args)
    if complaint:
        pytest.fail(complaint, pytrace=False)


def log_complaint(messages: list[str], patterns: tuple[str, ...] | None) -> str | None:
    """Return what is wrong with the log of a test.

    Args:
        messages: The warnings and errors that the test logged.
        patterns: None when none is expected; else regular expressions, each of which must be seen and which together
            must cover all messages. No pattern at all allows any message, but demands one.
    """
    if patterns is None:
        return f"logged without being marked expected_log: {messages}" if messages else None
    if not messages:
        return "marked expected_log, but nothing of level WARNING or above was logged"
    unseen = [pattern for pattern in patterns if not any(re.search(pattern, message) for message in messages)]
    if unseen:
        return f"expected in the log, but not seen: {unseen}"
    strange = [message for message in messages if patterns and not any(re.search(p, message) for p in patterns)]
    return f"logged, but matched by no expected_log pattern: {strange}" if strange else None
