"""Where work runs: one worker per desk, one for the store's writes, a few for the rest.

Whoever holds a desk's worker drives that screen; across processes the desk lock says the same.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from echostudio.errors import EchoError

P = ParamSpec("P")
T = TypeVar("T")

_log = logging.getLogger(__name__)


class Jobs:
    """The executors of one process. A job never waits for another on the same executor."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=3, thread_name_prefix="pool")
        self._store = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        self._desks: dict[str, ThreadPoolExecutor] = {}
        self._lock = threading.Lock()

    def pool(self, deed: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run reads, matching, thumbnails."""
        return self._watched(self._pool.submit(deed, *args, **kwargs))

    def store(self, deed: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a write; writes queue up one behind the other."""
        return self._watched(self._store.submit(deed, *args, **kwargs))

    def desk(self, display: str, deed: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run something that drives or watches one desktop."""
        with self._lock:
            executor = self._desks.setdefault(display, ThreadPoolExecutor(1, thread_name_prefix=f"desk{display}"))
        return self._watched(executor.submit(deed, *args, **kwargs))

    def close(self) -> None:
        """Let running jobs end, drop the waiting ones."""
        for executor in (self._pool, self._store, *self._desks.values()):
            executor.shutdown(wait=True, cancel_futures=True)

    @staticmethod
    def _watched(future: Future[T]) -> Future[T]:
        """Log bugs of jobs even when nobody asks for the result; expected errors belong to whoever asked."""

        def look(done: Future[T]) -> None:
            fault = None if done.cancelled() else done.exception()
            if fault is not None and not isinstance(fault, EchoError):
                _log.error("a job failed", exc_info=fault)

        future.add_done_callback(look)
        return future
