"""The preferences, made from the settings tree: default, range and description of each option come from there."""

from __future__ import annotations

from typing import Any, Final, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from echostudio.settings import Settings
from echostudio.studio import icons
from echostudio.studio.parts.controls import Choice, button
from echostudio.studio.parts.text import label, rule

_INDENT: Final = 7  # the style sheet's padding does not reach the line inside a spin box
_TITLES: Final = {
    "reaim": "Finding targets again",
    "retrieval": "Choosing a memory",
    "record": "Recording",
    "replay": "Replaying",
    "studio": "The studio",
}


class Option(QWidget):
    """One option: name, description with its range and default, editor, and a way back to the default."""

    changed = Signal()

    def __init__(self, name: str, info: FieldInfo, value: Any) -> None:
        super().__init__()
        self.name = name
        self.default = info.default
        self.words = f"{name} {info.description or ''}".replace("_", " ").casefold()
        title = name.replace("_", " ").capitalize()
        self.editor = _editor(info, value)
        self.editor.setAccessibleName(title)
        self.editor.setAccessibleDescription(info.description or "")
        self.editor.setFixedWidth(150)
        self.reset = button("", "quiet", "arrow-counter-clockwise", self.tr("Back to the default"))
        self.reset.setFixedWidth(32)
        self.reset.clicked.connect(lambda: self.show_value(self.default))
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 7, 0, 7)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(1)
        grid.addWidget(label(title), 0, 0)
        grid.addWidget(label(_help(info), "small", "muted", wrap=True), 1, 0)
        grid.addWidget(self.editor, 0, 1, 2, 1)
        grid.addWidget(self.reset, 0, 2, 2, 1)
        grid.setColumnStretch(0, 1)
        self._watch()
        self._refresh()

    @property
    def value(self) -> Any:
        """The value as edited now."""
        editor = self.editor
        if isinstance(editor, QSpinBox | QDoubleSpinBox):
            return editor.value()
        return editor.currentText() if isinstance(editor, Choice) else editor.text()

    def show_value(self, value: Any) -> None:
        """Put a value into the editor."""
        if isinstance(self.editor, QSpinBox | QDoubleSpinBox):
            self.editor.setValue(value)
        elif isinstance(self.editor, Choice):
            self.editor.setCurrentText(str(value))
        else:
            self.editor.setText(str(value))

    def _watch(self) -> None:
        if isinstance(self.editor, QSpinBox | QDoubleSpinBox):
            self.editor.valueChanged.connect(lambda _: self._refresh())
        elif isinstance(self.editor, Choice):
            self.editor.currentTextChanged.connect(lambda _: self._refresh())
        else:
            self.editor.textChanged.connect(lambda _: self._refresh())

    def _refresh(self) -> None:
        self.reset.setEnabled(self.value != self.default)
        self.changed.emit()


class Preferences(QDialog):
    """All settings, searchable; saved as a whole."""

    saved = Signal(object)

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Settings"))
        self.resize(660, 640)
        self._settings = settings
        self.options: dict[tuple[str, str], Option] = {}
        self._groups: list[tuple[str, QWidget]] = []
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Search settings"))
        self.search.setAccessibleName(self.tr("Search settings"))
        glass = self.search.addAction(icons.icon("magnifying-glass", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        glass.setText(self.search.accessibleName())
        self.search.textChanged.connect(self._filter)
        self.fault = label("", tone="refused", wrap=True)
        self._lay_out()

    def _lay_out(self) -> None:
        body = QWidget()
        body.setObjectName("panelbody")
        groups = QVBoxLayout(body)
        groups.setContentsMargins(24, 8, 20, 20)
        for name in _TITLES:
            groups.addWidget(self._group(name))
        groups.addStretch()
        area = QScrollArea()
        area.setObjectName("panel")
        area.setWidgetResizable(True)
        area.setWidget(body)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        head = QHBoxLayout()
        head.setContentsMargins(24, 16, 24, 12)
        head.addWidget(self.search)
        foot = QHBoxLayout()
        foot.setContentsMargins(24, 12, 24, 16)
        foot.setSpacing(8)
        everything = button(self.tr("All defaults"), icon="arrow-counter-clockwise")
        everything.clicked.connect(self.reset_all)
        cancel, save = button(self.tr("Cancel")), button(self.tr("Save"), "primary")
        cancel.clicked.connect(self.reject)
        save.clicked.connect(self.save)
        save.setDefault(True)
        foot.addWidget(everything)
        foot.addWidget(self.fault, 1)
        foot.addWidget(cancel)
        foot.addWidget(save)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(rule())
        column.addWidget(area, 1)
        column.addWidget(rule())
        column.addLayout(foot)

    def _group(self, name: str) -> QWidget:
        values: BaseModel = getattr(self._settings, name)
        box = QWidget()
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 12, 0, 4)
        column.setSpacing(0)
        column.addWidget(label(self.tr(_TITLES[name]), "heading"))
        column.addSpacing(6)
        for key, info in type(values).model_fields.items():
            option = Option(key, info, getattr(values, key))
            self.options[name, key] = option
            column.addWidget(option)
        self._groups.append((name, box))
        return box

    def reset_all(self) -> None:
        """Put every option back to its default; nothing is saved yet."""
        for option in self.options.values():
            option.show_value(option.default)

    def save(self) -> None:
        """Check everything, and hand the new settings on; or say which option is wrong."""
        data = self._settings.model_dump()
        for (group, key), option in self.options.items():
            data[group][key] = option.value
        try:
            chosen = Settings.model_validate(data)
        except ValidationError as fault:
            first = fault.errors()[0]
            self.fault.setText(f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}")
            return
        self.saved.emit(chosen)
        self.accept()

    def _filter(self, words: str) -> None:
        wanted = words.casefold().split()
        for name, box in self._groups:
            shown = False
            for (group, _), option in self.options.items():
                if group == name:
                    fits = all(word in f"{option.words} {_TITLES[name].casefold()}" for word in wanted)
                    option.setVisible(fits)
                    shown = shown or fits
            box.setVisible(shown)


def _bounds(info: FieldInfo) -> tuple[float | None, float | None]:
    low = next((one.ge for one in info.metadata if hasattr(one, "ge")), None)
    high = next((one.le for one in info.metadata if hasattr(one, "le")), None)
    return low, high


def _help(info: FieldInfo) -> str:
    low, high = _bounds(info)
    span = f" {low:g} to {high:g}," if low is not None and high is not None else ""
    return (
        f"{info.description}{span} default {info.default}." if span else f"{info.description} Default {info.default}."
    )


def _editor(info: FieldInfo, value: Any) -> QSpinBox | QDoubleSpinBox | Choice | QLineEdit:
    low, high = _bounds(info)
    if get_origin(info.annotation) is Literal:
        choice = Choice("", [str(one) for one in get_args(info.annotation)])
        choice.setCurrentText(str(value))
        return choice
    if info.annotation is int:
        whole = QSpinBox()
        whole.setRange(int(low or 0), int(high if high is not None else 1_000_000))
        whole.setValue(value)
        whole.lineEdit().setTextMargins(_INDENT, 0, 0, 0)
        return whole
    if info.annotation is float:
        number = QDoubleSpinBox()
        number.setDecimals(3)
        number.setSingleStep(0.01)
        number.setRange(low or 0.0, high if high is not None else 1e6)
        number.setValue(value)
        number.lineEdit().setTextMargins(_INDENT, 0, 0, 0)
        return number
    return QLineEdit(str(value))
