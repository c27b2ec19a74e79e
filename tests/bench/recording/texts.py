"""Strings of many scripts: typed by a person into a Qt field, recorded, and typed again from the recording."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from echostudio.actionlens.runfolder import read_run
from echostudio.cancel import CancelToken, SystemClock, wait_until
from echostudio.desktop.controller import Placed
from echostudio.episode.action import Action, ActionKind
from echostudio.operations.demo.stage import Stage
from tests.desktop.recording import ROOT, desktop_on, live

STRINGS = (
    "plain words", "Shift IT", "a+b=c*d", "100 % & more", "{[(<>)]}", "~tilde^caret`", "\"quoted\" 'too'", "a\\b/c|d",
    "mail@example.org", "#tag $5", "été à Noël", "Straße Äpfel", "señor ¿qué?", "çà et là", "København", "Łódź żółć",
    "Ærøskøbing", "Dvořák", "Beyoğlu ışık", "naïve façade", "Привет мир", "Здравствуй", "Ελληνικά", "עברית", "العربية",
    "日本語", "中文字符", "한국어", "ไทย", "हिन्दी", "€ £ ¥ ¢", "½ ¼ ¾ ±", "→ ← ↑ ↓", "∑ ∞ ≠ ≤", "• … — –",
    "“curly” ‘too’", "emoji 😀", "🚀🎉", "Ünïcödé", "end. Of; it: all!",
)  # fmt: skip
_INTERVAL = 0.03


@dataclass
class Texts:
    total: int = 0
    exact: int = 0
    wrong: list[str] = field(default_factory=list)


def texts(stage: Stage, folder: Path, strings: tuple[str, ...]) -> Texts:
    """Type every string once by hand and once from its record; exact means all three are equal."""
    folder.mkdir()
    file, found = folder / "field.txt", Texts()
    file.write_text("")
    stage.desktop.launch([sys.executable, "-m", "tests.bench.recording.field", str(file)], folder=ROOT)
    stage.person.wait_window("Field")
    with desktop_on(stage.display) as desk, live(desk, folder / "runs") as recording:
        shown = [_enter(stage, file, text) for text in strings]
        recording.stop()
    typed = [step for step in read_run(recording.writer.path).steps if step.action.kind is ActionKind.TYPE]
    for place, text in enumerate(strings):
        recorded = str(typed[place].action.parameters["text"]) if place < len(typed) else ""
        again = _enter(stage, file, recorded) if recorded else ""
        found.total += 1
        found.exact += shown[place] == recorded == again == text
        if not shown[place] == recorded == again == text:
            found.wrong.append(f"{text!r}: field {shown[place]!r}, recorded {recorded!r}, replayed {again!r}")
    return found


def _enter(stage: Stage, file: Path, text: str) -> str:
    """Type into the empty field, return what it holds, and empty it again."""
    stage.desktop.perform(Action(ActionKind.TYPE, {"text": text}), Placed(key_interval=_INTERVAL), stage.token)
    wait_until(lambda: file.read_text(encoding="utf-8") == text, SystemClock(), CancelToken(), 1.0)
    held = file.read_text(encoding="utf-8")
    stage.desktop.perform(Action(ActionKind.HOTKEY, {"keys": ["ctrl", "a"]}), Placed(), stage.token)
    stage.desktop.perform(Action(ActionKind.PRESS, {"key": "delete"}), Placed(), stage.token)
    wait_until(lambda: file.read_text(encoding="utf-8") == "", SystemClock(), CancelToken(), 1.0)
    return held
