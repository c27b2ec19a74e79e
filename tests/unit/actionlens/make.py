"""Values and events for the tests of actionlens."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from echostudio.actionlens.runfolder import RunWriter, utc_now
from echostudio.desktop.controller import RawEvent, RawKind
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import DesktopPoint, ScreenMap
from echostudio.episode.run import Manifest, RunSource
from echostudio.episode.step import Step, StepStatus

WIDTH, HEIGHT = 64, 48


def manifest(name: str = "run-1", source: RunSource = RunSource.HUMAN) -> Manifest:
    return Manifest(name, source, "save a file", "scripted", ScreenMap.single(WIDTH, HEIGHT), utc_now())


def writer(folder: Path, name: str = "run-1", source: RunSource = RunSource.HUMAN) -> RunWriter:
    return RunWriter.create(folder, manifest(name, source))


def frame(seed: int = 0, taken: float = 0.0, width: int = WIDTH, height: int = HEIGHT) -> Frame:
    pixels = np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)
    return Frame(pixels, taken, ScreenMap.single(width, height), taken)


def step(index: int = 0, status: StepStatus = StepStatus.UNFINISHED, started: float = 0.0, text: str = "hi") -> Step:
    return Step(
        index, f"s{index}", Action(ActionKind.TYPE, {"text": text}), "Type “hi”", utc_now(), started, None, status
    )


class Hands:
    """Makes raw events; every call moves time on."""

    def __init__(self, at: float = 100.0) -> None:
        self.at = at
        self.point = DesktopPoint(10, 10)
        self.events: list[RawEvent] = []

    def wait(self, seconds: float) -> Hands:
        self.at += seconds
        return self

    def move(self, x: int, y: int, after: float = 0.01) -> Hands:
        self.point = DesktopPoint(x, y)
        return self._add(RawKind.MOVE, after)

    def down(self, button: str = "left", after: float = 0.02) -> Hands:
        return self._add(RawKind.BUTTON_DOWN, after, button=button)

    def up(self, button: str = "left", after: float = 0.05) -> Hands:
        return self._add(RawKind.BUTTON_UP, after, button=button)

    def click(self, button: str = "left") -> Hands:
        return self.down(button).up(button)

    def scroll(self, dy: float = 1.0, dx: float = 0.0, after: float = 0.05) -> Hands:
        return self._add(RawKind.SCROLL, after, delta=(dx, dy))

    def press(self, key: str, text: str = "", after: float = 0.05) -> Hands:
        return self._add(RawKind.KEY_DOWN, after, key=key, text=text)

    def release(self, key: str, after: float = 0.02) -> Hands:
        return self._add(RawKind.KEY_UP, after, key=key)

    def tap(self, key: str, text: str = "") -> Hands:
        return self.press(key, text).release(key)

    def type(self, text: str) -> Hands:
        for character in text:
            key = {" ": "space"}.get(character, character.lower())
            if character.isupper():
                self.press("shift").tap(key, character).release("shift")
            else:
                self.tap(key, character)
        return self

    def chord(self, *keys: str) -> Hands:
        for key in keys:
            self.press(key)
        for key in reversed(keys):
            self.release(key)
        return self

    def _add(self, kind: RawKind, after: float, **facts: object) -> Hands:
        self.at += after
        key = str(facts.get("key", ""))
        code = sum(ord(sign) * 7**place for place, sign in enumerate(key)) % 100_003 if key else 0
        self.events.append(RawEvent(kind, self.at, self.point, code=code, **facts))  # type: ignore[arg-type]
        return self
