"""Two small dialogs of the Timeline: declare a field, add a check."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from echostudio.checks import CATALOGUE
from echostudio.episode.check import Check
from echostudio.episode.field import FieldKind
from echostudio.studio.parts.controls import Choice, button
from echostudio.studio.parts.text import label

_KIND_HELP = {
    FieldKind.TEXT: "Any text.",
    FieldKind.PATH: "A file or folder name.",
    FieldKind.URL: "A web address.",
    FieldKind.DATE: "A date like 2026-03-31.",
    FieldKind.NUMBER: "A number.",
    FieldKind.CHOICE: "One of a list, separated by commas.",
    FieldKind.SECRET: "Asked for at replay; never stored.",
}


class _Form(QDialog):
    """A dialog with a head, fields, a sentence about what is wrong, and two buttons."""

    def __init__(self, title: str, words: str, main: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setMinimumWidth(440)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addWidget(label(title, "heading"))
        column.addWidget(label(words, tone="muted", wrap=True))
        self.form = QFormLayout()
        self.form.setHorizontalSpacing(16)
        self.form.setVerticalSpacing(10)
        column.addLayout(self.form)
        self.fault = label("", "small", "refused", wrap=True)
        self.fault.setMinimumHeight(18)
        column.addWidget(self.fault)
        row = QHBoxLayout()
        cancel = button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        self.main = button(main, "primary")
        self.main.setDefault(True)
        self.main.clicked.connect(self.accept)
        row.addStretch()
        row.addWidget(cancel)
        row.addWidget(self.main)
        column.addLayout(row)

    def edit(self, name: str, text: str = "", placeholder: str = "") -> QLineEdit:
        """Add a line to the form."""
        line = QLineEdit(text)
        line.setAccessibleName(name)
        line.setPlaceholderText(placeholder)
        self.form.addRow(name, line)
        return line


class FieldDialog(_Form):
    """Asks for name, kind and constraint of a new field."""

    def __init__(self, suggested: str, place: str, recorded: str, taken: Iterable[str], parent: QWidget) -> None:
        words = self.tr("{0} may change from then on, in every replay of the new revision. Recorded: “{1}”.")
        super().__init__(self.tr("Let this change"), words.format(place, recorded), self.tr("Declare field"), parent)
        self._taken = frozenset(taken)
        self.name = self.edit(self.tr("Name"), suggested)
        self.kind = Choice(self.tr("Kind"), [kind.value for kind in FieldKind])
        self.form.addRow(self.tr("Kind"), self.kind)
        self.help = label("", "small", "muted")
        self.form.addRow("", self.help)
        self.constraint = self.edit(self.tr("Pattern"), "", self.tr("Regular expression; empty = anything of its kind"))
        self.name.textChanged.connect(self._refresh)
        self.constraint.textChanged.connect(self._refresh)
        self.kind.currentTextChanged.connect(self._refresh)
        self.name.selectAll()
        self._refresh()

    @property
    def chosen_kind(self) -> FieldKind:
        """The kind that is chosen."""
        return FieldKind(self.kind.currentText())

    @property
    def pattern(self) -> str:
        """The pattern, or nothing for a choice."""
        return "" if self.chosen_kind == FieldKind.CHOICE else self.constraint.text().strip()

    @property
    def choices(self) -> tuple[str, ...]:
        """The choices, for a choice."""
        if self.chosen_kind != FieldKind.CHOICE:
            return ()
        return tuple(part.strip() for part in self.constraint.text().split(",") if part.strip())

    def _refresh(self) -> None:
        self.help.setText(self.tr(_KIND_HELP[self.chosen_kind]))
        fault = self._fault()
        self.fault.setText(fault)
        self.main.setEnabled(not fault)

    def _fault(self) -> str:
        name = self.name.text()
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            return self.tr("A name has letters, digits and _, and no digit first.")
        if self.chosen_kind == FieldKind.CHOICE and not self.choices:
            return self.tr("Name the choices, separated by commas.")
        try:
            re.compile(self.pattern)
        except re.error as error:
            return self.tr("The pattern is not a regular expression: {0}.").format(error)
        if name in self._taken:
            self.help.setText(self.tr("This field exists already; it will fill this place too."))
        return ""


class CheckDialog(_Form):
    """Asks for a check of the catalogue."""

    def __init__(self, fields: Iterable[str], parent: QWidget) -> None:
        names = ", ".join(f"{{{name}}}" for name in fields)
        words = self.tr("Values may hold fields of this memory: {0}.").format(names) if names else ""
        super().__init__(self.tr("Add a check"), words, self.tr("Add check"), parent)
        self.kind = Choice(self.tr("Kind"), [kind for kind in CATALOGUE if kind not in ("all", "any", "not")])
        self.form.addRow(self.tr("What"), self.kind)
        self.help = label("", "small", "muted", wrap=True)
        self.form.addRow("", self.help)
        self._lines: dict[str, QLineEdit] = {}
        self.kind.currentTextChanged.connect(self._show_kind)
        self._show_kind(self.kind.currentText())

    @property
    def check(self) -> Check:
        """The check as it stands in the form; empty values are left out."""
        values: Mapping[str, str] = {name: line.text() for name, line in self._lines.items() if line.text()}
        return Check(self.kind.currentText(), dict(values))

    def _show_kind(self, kind: str) -> None:
        for line in self._lines.values():
            self.form.removeRow(line)
        entry = CATALOGUE[kind]
        self.help.setText(entry.help)
        self._lines = {key: self.edit(key, placeholder=words) for key, words in entry.keys.items()}
