"""What a person or a script may say to a running ``echostudio record --control``, one order a line."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from echostudio.actionlens.control import RecordControl

ORDERS = "pause resume private public ignore listen mark [TEXT] note TEXT undo stop"


def give_order(control: RecordControl, line: str) -> str:
    """Obey one line; return what is wrong with it, empty when nothing is."""
    word, _, text = line.strip().partition(" ")
    plain: dict[str, Callable[[], None]] = {
        "pause": control.pause,
        "resume": lambda: control.pause(False),
        "private": control.private,
        "public": lambda: control.private(False),
        "ignore": control.ignore,
        "listen": lambda: control.ignore(False),
        "undo": control.undo_last,
        "stop": control.stop,
    }
    if word == "mark":
        control.mark(text.strip())
    elif word == "note" and text.strip():
        control.note(text.strip())
    elif word in plain and not text.strip():
        plain[word]()
    else:
        return f"“{line.strip()}” is no order. These are: {ORDERS}"
    return ""


def listen(control: RecordControl, lines: Iterable[str], complain: Callable[[str], None]) -> None:
    """Obey every line in a thread of its own; it ends with the lines, or with the process."""

    def obey() -> None:
        for line in lines:
            problem = give_order(control, line) if line.strip() else ""
            if problem:
                complain(problem)

    threading.Thread(target=obey, name="orders", daemon=True).start()
