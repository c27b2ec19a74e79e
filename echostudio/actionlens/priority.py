"""Work that must not be felt: a thread that lets all others go first."""

from __future__ import annotations

import os
import threading

_NICE = 10


def let_others_first() -> None:
    """Lower the calling thread's priority, where the system has priorities of threads; it cannot be raised again."""
    if hasattr(os, "setpriority"):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
