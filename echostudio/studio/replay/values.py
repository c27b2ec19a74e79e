"""The values form: one editor per field, by its kind; what does not fit is said beside it at once."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from echostudio.episode.field import Field, FieldKind
from echostudio.studio.looks import CHANGED, FLEXIBLE
from echostudio.studio.parts.controls import Choice
from echostudio.studio.parts.lines import Glyph
from echostudio.studio.parts.text import label
from echostudio.studio.replay.state import value_problem


class ValueEditor(QWidget):
    """One field: name, kind, editor, and what is wrong."""

    changed = Signal()

    def __init__(self, declared: Field) -> None:
        super().__init__()
        self.declared = declared
        self.editor = _editor(declared)
        self.editor.setAccessibleName(declared.name)
        self.editor.setAccessibleDescription(declared.description or declared.kind.value)
        self.editor.setToolTip(declared.description)
        self._glyph = Glyph(FLEXIBLE, 14)
        self._kind = label(declared.kind.value, "small", "muted")
        self._fault = label("", "small", "refused", wrap=True)
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self._glyph)
        head.addWidget(label(declared.name))
        head.addStretch()
        head.addWidget(self._kind)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.editor)
        column.addWidget(self._fault)
        self._watch()
        self._refresh()

    @property
    def value(self) -> str:
        """The value as it stands."""
        if isinstance(self.editor, Choice):
            return self.editor.currentText()
        if isinstance(self.editor, QPlainTextEdit):
            return self.editor.toPlainText()
        return self.editor.text()

    def show_value(self, value: str) -> None:
        """Put a value into the editor."""
        if isinstance(self.editor, Choice):
            self.editor.setCurrentText(value)
        elif isinstance(self.editor, QPlainTextEdit):
            self.editor.setPlainText(value)
        else:
            self.editor.setText(value)

    @property
    def problem(self) -> str:
        """What is wrong with the value, or nothing."""
        return value_problem(self.declared, self.value)

    @property
    def differs(self) -> bool:
        """Whether it is not the recorded value."""
        return self.value != self.declared.recorded

    def _watch(self) -> None:
        if isinstance(self.editor, Choice):
            self.editor.currentTextChanged.connect(lambda _: self._refresh())
        else:
            self.editor.textChanged.connect(lambda *_: self._refresh())

    def _refresh(self) -> None:
        problem = self.problem
        self._fault.setText(problem)
        self._fault.setVisible(bool(problem))
        self.editor.setProperty("wrong", bool(problem))
        self.editor.style().unpolish(self.editor)
        self.editor.style().polish(self.editor)
        secret = self.declared.kind == FieldKind.SECRET
        self._glyph.show_look(CHANGED if self.differs and not secret else FLEXIBLE)
        self._kind.setText(self.tr("changed") if self.differs and not secret else self.declared.kind.value)
        self.changed.emit()


class ValuesForm(QWidget):
    """All fields of a memory."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self._none = label(self.tr("Nothing may change: this memory has no fields."), tone="muted", wrap=True)
        self._column.addWidget(self._none)
        self.editors: dict[str, ValueEditor] = {}

    def show_fields(self, fields: tuple[Field, ...], values: dict[str, str]) -> None:
        """Show these fields with values (the recorded ones where none are given)."""
        for old in self.editors.values():
            old.hide()
            old.deleteLater()
        self.editors = {}
        self._none.setVisible(not fields)
        for declared in fields:
            editor = ValueEditor(declared)
            given = values.get(declared.name, "" if declared.kind == FieldKind.SECRET else declared.recorded)
            editor.show_value(given if given != "***" else "")
            editor.changed.connect(self.changed)
            self.editors[declared.name] = editor
            self._column.addWidget(editor)
        self.changed.emit()

    @property
    def values(self) -> dict[str, str]:
        """All values as they stand."""
        return {name: editor.value for name, editor in self.editors.items()}

    @property
    def given(self) -> dict[str, str]:
        """The values that differ from the recorded ones: what the replay is asked to change."""
        return {name: editor.value for name, editor in self.editors.items() if editor.differs}

    @property
    def good(self) -> bool:
        """Whether every value may be used."""
        return not any(editor.problem for editor in self.editors.values())


def _editor(declared: Field) -> QLineEdit | QPlainTextEdit | Choice:
    if declared.kind == FieldKind.CHOICE and declared.choices:
        return Choice(declared.name, declared.choices)
    if declared.kind == FieldKind.TEXT and "\n" in declared.recorded:
        many = QPlainTextEdit()
        many.setFixedHeight(60)
        many.setTabChangesFocus(True)
        return many
    line = QLineEdit()
    if declared.kind == FieldKind.SECRET:
        line.setEchoMode(QLineEdit.EchoMode.Password)
    return line
