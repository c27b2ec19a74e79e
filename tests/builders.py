"""Small episode values for tests, built from plain words."""

from __future__ import annotations

from echostudio.episode.action import Action, ActionKind
from echostudio.episode.check import Check, CheckResult
from echostudio.episode.evidence import Effect, ScreenFacts, WindowFacts
from echostudio.episode.field import Binding, Field, FieldKind
from echostudio.episode.geometry import DesktopBox, FrameBox
from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import AppIdentity, Memory, MemoryStep, Preconditions, Reasoning, Validation


def window(title: str = "notes - Editor", program: str = "editor", **facts: object) -> WindowFacts:
    values = {"window_class": "Editor", "box": DesktopBox(10, 10, 300, 200), "pid": 7, "handle": 70} | facts
    return WindowFacts(program=program, title=title, **values)  # type: ignore[arg-type]


def start(**facts: object) -> ScreenFacts:
    values = {
        "window": window(),
        "tree": (("menu", "file", 1), ("menu", "edit", 1), ("push button", "save", 1), ("text", "", 1)),
    }
    return ScreenFacts(**(values | facts))  # type: ignore[arg-type]


def step(
    index: int, kind: ActionKind, words: str = "", effect: Effect | None = None, **parameters: object
) -> MemoryStep:
    done = effect if effect is not None else Effect(500, (FrameBox(5, 5, 50, 10),))
    return MemoryStep(index, index, Action(kind, dict(parameters)), words or kind.value, screen=start(), effect=done)


def memory(**changes: object) -> Memory:
    values: dict[str, object] = {
        "id": "save-a-note-ab12",
        "revision": 1,
        "intent": "save the note as monday.txt",
        "app": AppIdentity("editor", "Editor", "Editor", ("editor",)),
        "preconditions": Preconditions(start(), "notes - Editor"),
        "program": (
            step(0, ActionKind.TYPE, "Type “hello”", text="hello"),
            step(1, ActionKind.PRESS, "Press Tab", key="tab"),
            step(2, ActionKind.TYPE, "Type “monday.txt”", text="monday.txt"),
        ),
        "reasoning": Reasoning(True),
        "state": LifecycleState.ACTIVE,
        "fields": (Field("file_name", (Binding(2, "text"),), FieldKind.PATH, r".+\.txt", (), "monday.txt"),),
        "checks": (Check("file_exists", {"path": "{file_name}"}),),
        "validation": Validation("2026-11-30T10:00:00.000+00:00", (CheckResult("file_exists", True, "a", "a"),)),
    }
    return Memory(**(values | changes))  # type: ignore[arg-type]
