"""A flood of input: 1000 keys and 2000 pointer moves a second; is anything lost?"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from echostudio.actionlens.runreader import read_events
from echostudio.cancel import CancelToken
from echostudio.desktop.controller import RawKind
from tests.bench.recording.process import recorder

KEYS_A_SECOND, MOVES_A_SECOND, SLICES = 1000, 2000, 50
# The keys a, s, d, f: typed round and round, so that an exchange of two neighbours shows.
CODES = (38, 39, 40, 41)


@dataclass(frozen=True)
class Burst:
    keys: int
    keys_lost: int
    moves: int
    moves_lost: int
    disordered: int
    seconds: float
    gaps: int


def flood(display: str, seconds: float) -> tuple[int, int, float]:
    """Send the flood; return how many keys and moves went out, and how long it took."""
    sender, begun = Display(display), time.monotonic()
    keys = moves = 0
    for turn in range(round(seconds * SLICES)):
        for _ in range(KEYS_A_SECOND // SLICES):
            code = CODES[keys % len(CODES)]
            xtest.fake_input(sender, X.KeyPress, code)
            xtest.fake_input(sender, X.KeyRelease, code)
            keys += 1
        for _ in range(MOVES_A_SECOND // SLICES):
            xtest.fake_input(sender, X.MotionNotify, x=20 + moves % 500, y=20 + moves // 500 % 400)
            moves += 1
        sender.sync()
        CancelToken().wait(max(0.0, begun + (turn + 1) / SLICES - time.monotonic()))
    spent = time.monotonic() - begun
    sender.close()
    return keys, moves, spent


def burst(display: str, folder: Path, seconds: float) -> Burst:
    with recorder(display, folder) as running:
        keys, moves, spent = flood(display, seconds)
    events = read_events(running.folder)
    downs = [event.code for event in events if event.kind is RawKind.KEY_DOWN]
    moved = sum(event.kind is RawKind.MOVE for event in events)
    wrong = sum(code != CODES[place % len(CODES)] for place, code in enumerate(downs))
    return Burst(keys, keys - len(downs), moves, moves - moved, wrong, spent, running.told["health"]["gaps"])
