"""The command table, the palette, the keys, and that bare keys leave text boxes alone."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from echostudio.episode.memory import Memory
from echostudio.studio.app import wait_ready
from echostudio.studio.commands import COMMANDS, TABLE
from echostudio.studio.main_window import MainWindow
from echostudio.studio.palette import KeyHelp, Palette, ranked
from echostudio.studio.preferences import Preferences

DESIGNED = {
    "timeline.previous": "Left", "timeline.next": "Right", "timeline.first": "Home", "timeline.last": "End",
    "timeline.play": "Space", "timeline.speed1": "1", "timeline.speed5": "5", "timeline.before": "B",
    "timeline.after": "A", "timeline.difference": "D", "replay.run": "F5", "replay.step": "F10",
    "replay.pause": "F8", "replay.breakpoint": "F2", "replay.stop": "Shift+F5", "studio.palette": "Ctrl+K",
}  # fmt: skip


def test_the_keys_are_those_of_the_design() -> None:
    assert {name: TABLE[name].keys[0] for name in DESIGNED} == DESIGNED


PAGES = tuple(sorted({need for command in COMMANDS for need in command.needs if need.startswith("page:")}))
NEVER_TOGETHER = (
    PAGES,
    ("can-record", "recording"),
    ("rec-going", "rec-paused"),
    ("rec-open", "rec-private"),
    ("rec-listening", "rec-ignoring"),
)


def test_no_key_means_two_things_at_one_time() -> None:
    assert len(PAGES) == 6
    for facts in itertools.product(*NEVER_TOGETHER):
        missing = {fact for group in NEVER_TOGETHER for fact in group} - set(facts)
        keys = Counter(key for command in COMMANDS if not command.needs & missing for key in command.keys)
        assert [key for key, times in keys.items() if times > 1] == [], facts


def test_every_key_is_one_that_qt_knows() -> None:
    for command in COMMANDS:
        for key in command.keys:
            assert QKeySequence(key).count() == 1, (command.id, key)


def test_every_command_is_bound(window: MainWindow) -> None:
    window.commands.set_facts(frozenset(fact for command in COMMANDS for fact in command.needs))
    assert [command.id for command in COMMANDS if not window.commands.enabled(command.id)] == []


def test_palette_finds_by_beginnings_and_forgives_slips() -> None:
    commands = list(COMMANDS)
    assert ranked("", commands) == commands
    assert ranked("diff", commands)[0].id == "timeline.difference"
    assert ranked("dry", commands)[0].id == "replay.dry"
    assert ranked("qarantine", commands)[0].id == "library.quarantine"


def test_palette_runs_what_is_chosen(window: MainWindow, qtbot: QtBot) -> None:
    palette = Palette(window.commands, window)
    qtbot.addWidget(palette)
    palette.words.setText("go to replay")
    qtbot.keyClick(palette.words, Qt.Key.Key_Return)
    assert window.page.name == "replay"


def test_help_lists_every_command_that_has_keys(window: MainWindow, qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QLabel

    help_ = KeyHelp(window)
    qtbot.addWidget(help_)
    words = {one.text() for one in help_.findChildren(QLabel)}
    expected = {one.title for one in COMMANDS if one.keys and not one.id.startswith("timeline.speed")}
    assert expected <= words


@pytest.fixture
def timeline(memory: Memory, window: MainWindow) -> MainWindow:
    window.open("timeline", memory.id)
    assert wait_ready(window)
    return window


def press(window: MainWindow, qtbot: QtBot, key: Qt.Key) -> None:
    target = QApplication.focusWidget() or window
    qtbot.keyClick(target, key)


def test_keys_steer_the_timeline(timeline: MainWindow, qtbot: QtBot) -> None:
    page = timeline.timeline
    press(timeline, qtbot, Qt.Key.Key_Right)
    press(timeline, qtbot, Qt.Key.Key_Right)
    assert page.position == 2
    press(timeline, qtbot, Qt.Key.Key_Left)
    assert page.position == 1
    press(timeline, qtbot, Qt.Key.Key_End)
    assert page.position == 5
    press(timeline, qtbot, Qt.Key.Key_Right)
    assert page.position == 5
    press(timeline, qtbot, Qt.Key.Key_Home)
    assert page.position == 0
    for key, mode in ((Qt.Key.Key_A, "after"), (Qt.Key.Key_D, "difference"), (Qt.Key.Key_B, "before")):
        press(timeline, qtbot, key)
        assert page.viewer.mode == mode
    assert wait_ready(timeline)


def test_no_bare_key_acts_while_a_text_box_has_the_focus(memory: Memory, window: MainWindow, qtbot: QtBot) -> None:
    window.open("replay", memory.id)
    assert wait_ready(window)
    editor = window.replay.values.editors["file_name"].editor
    editor.setFocus()
    started: list[str] = []
    for name in ("replay.run", "replay.breakpoint", "replay.step"):
        window.commands.bind(name, lambda name=name: started.append(name))  # type: ignore[misc]
    for key in (Qt.Key.Key_F5, Qt.Key.Key_F2, Qt.Key.Key_F10, Qt.Key.Key_A):
        qtbot.keyClick(editor, key)
    assert started == []
    window.replay.steps.setFocus()
    qtbot.keyClick(window.replay.steps, Qt.Key.Key_F2)
    assert started == ["replay.breakpoint"]


def test_a_button_keeps_its_space_bar(timeline: MainWindow, qtbot: QtBot) -> None:
    chip = timeline.timeline.viewer.marks
    chip.setFocus()
    shown = chip.isChecked()
    qtbot.keyClick(chip, Qt.Key.Key_Space)
    assert chip.isChecked() is not shown
    assert not timeline.timeline._playing.isActive()


def test_preferences_come_from_the_tree_and_are_saved(window: MainWindow, qtbot: QtBot) -> None:
    from echostudio import paths, settings

    dialog = Preferences(window._services.settings, window)
    qtbot.addWidget(dialog)
    dialog.saved.connect(window._settings_saved)
    groups = {name: getattr(settings.Settings(), name) for name in ("reaim", "retrieval", "record", "replay", "studio")}
    assert set(dialog.options) == {(g, key) for g, values in groups.items() for key in type(values).model_fields}
    dialog.options["studio", "theme"].show_value("dark")
    dialog.options["reaim", "eta_match"].show_value(0.83)
    dialog.save()
    qtbot.waitUntil(lambda: window.work.pending == 0)
    stored = settings.load(paths.settings_file(window._services.home))
    assert (stored.studio.theme, stored.reaim.eta_match) == ("dark", 0.83)
    from echostudio.studio import theme

    assert theme.current().name == "dark"


def test_preferences_search_and_reset(window: MainWindow, qtbot: QtBot) -> None:
    dialog = Preferences(window._services.settings, window)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.search.setText("double click")
    shown = [key for (_, key), option in dialog.options.items() if option.isVisible()]
    assert shown == ["double_click_ms", "double_click_px"]
    option = dialog.options["record", "double_click_ms"]
    option.show_value(900)
    assert option.reset.isEnabled()
    option.reset.click()
    assert option.value == 400
