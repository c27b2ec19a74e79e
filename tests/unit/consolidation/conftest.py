"""Recorded steps and runs in few words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from echostudio.episode.action import Action, ActionKind
from echostudio.episode.evidence import (
    Crop,
    CropKind,
    CropVariant,
    Effect,
    ElementFacts,
    ScreenFacts,
    SelfTest,
    TargetEvidence,
    WindowFacts,
)
from echostudio.episode.frame import PictureRef
from echostudio.episode.geometry import DesktopBox, FrameBox, FramePoint, ScreenMap
from echostudio.episode.run import Health, Manifest, Run, RunSource
from echostudio.episode.step import Step, StepStatus

SCREEN = ScreenMap.single(640, 480)
CHANGED = Effect(500, (FrameBox(100, 100, 80, 20),))
NOTHING = Effect()


def ref(name: str) -> PictureRef:
    return PictureRef(name.ljust(64, "0"), 640, 480)


def target(
    x: int = 50,
    y: int = 60,
    name: str = "Save",
    role: str = "push button",
    count: int | None = 1,
    self_test: SelfTest | None = None,
    crops: bool = True,
) -> TargetEvidence:
    point = FramePoint(x, y)
    crop = Crop(CropKind.CONTEXT, CropVariant.APPROACH, ref("a"), FrameBox(0, 0, 96, 96), point)
    element = ElementFacts(role, name) if role else None
    return TargetEvidence(point, (crop,) if crops else (), SCREEN, element=element, element_count=count,
                          self_test=self_test or SelfTest(0.99, 0.4, 0.59, True, "context"))  # fmt: skip


class Recorder:
    """Builds steps one after another, a second apart."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def add(self, kind: ActionKind, parameters: dict[str, Any], effect: Effect | None = CHANGED, **rest: Any) -> Step:
        index = len(self.steps)
        words = rest.pop("words", f"{kind.value.title()} {' '.join(str(value) for value in parameters.values())}")
        step = Step(
            index=index,
            id=f"s{index}",
            action=Action(kind, parameters),
            words=words,
            at="2026-11-30T12:00:00.000Z",
            started=float(index),
            ended=rest.pop("ended", index + 0.25),
            status=rest.pop("status", StepStatus.DONE),
            before=rest.pop("before", ref(f"{index}b")),
            after=rest.pop("after", ref(f"{index}a")),
            effect=effect,
            **rest,
        )
        self.steps.append(step)
        return step

    def click(self, effect: Effect | None = CHANGED, x: int = 50, y: int = 60, **rest: Any) -> Step:
        rest.setdefault("targets", {"target": target(x, y)})
        return self.add(ActionKind.CLICK, {"button": "left", "count": 1, "modifiers": []}, effect, **rest)

    def hover(self, effect: Effect | None = CHANGED, x: int = 50, y: int = 60, **rest: Any) -> Step:
        return self.add(ActionKind.HOVER, {}, effect, targets={"target": target(x, y)}, **rest)

    def type(self, text: str, effect: Effect | None = CHANGED, **rest: Any) -> Step:
        return self.add(ActionKind.TYPE, {"text": text}, effect, **rest)

    def hotkey(self, *keys: str, effect: Effect | None = CHANGED, **rest: Any) -> Step:
        return self.add(ActionKind.HOTKEY, {"keys": list(keys)}, effect, **rest)

    def press(self, key: str, effect: Effect | None = CHANGED, **rest: Any) -> Step:
        return self.add(ActionKind.PRESS, {"key": key}, effect, **rest)

    def wait(self, seconds: float = 8.0) -> Step:
        return self.add(ActionKind.WAIT, {"seconds": seconds}, NOTHING)

    def run(self, intent: str = "Save two lines as notes", complete: bool = True, **health: Any) -> Run:
        window = WindowFacts("/usr/bin/mousepad", "Mousepad", "Untitled 1 - Mousepad", DesktopBox(0, 0, 600, 400),
                             command=("mousepad",))  # fmt: skip
        manifest = Manifest(
            id="run-1",
            source=RunSource.HUMAN,
            intent=intent,
            desktop_kind="virtual",
            screen=SCREEN,
            started="2026-11-30T12:00:00.000Z",
            app=window,
            complete=complete,
            health=Health(**health),
        )
        return Run(manifest, tuple(self.steps))


@pytest.fixture
def rec() -> Recorder:
    return Recorder()


@pytest.fixture
def make_target() -> Callable[..., TargetEvidence]:
    return target


@pytest.fixture
def focused() -> Callable[[str, str], ScreenFacts]:
    """A screen whose focus is the element of this role and name."""
    return lambda role, name: ScreenFacts(focus=ElementFacts(role, name))
