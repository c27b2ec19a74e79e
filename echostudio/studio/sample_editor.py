"""A small text editor for the demo on machines where no other editor is installed: File, Save As..., one text area."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMessageBox,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

TITLE = "Sample Editor"


class SaveAsDialog(QDialog):
    """Asks for a path."""

    def __init__(self, parent: QWidget, path: str) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save As")
        self.path = QLineEdit(path)
        self.path.setAccessibleName("Name")
        buttons = QDialogButtonBox()
        buttons.addButton("Cancel", QDialogButtonBox.ButtonRole.RejectRole)
        save = buttons.addButton("Save", QDialogButtonBox.ButtonRole.AcceptRole)
        save.setDefault(True)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(QLabel("Save the text under this name:"))
        layout.addWidget(self.path)
        layout.addWidget(buttons)
        self.setMinimumWidth(460)


class SampleEditor(QMainWindow):
    """One text, one menu."""

    def __init__(self) -> None:
        super().__init__()
        self._path = ""
        self.setWindowTitle(f"Untitled - {TITLE}")
        self._text = QPlainTextEdit()
        self._text.setAccessibleName("Text")
        self.setCentralWidget(self._text)
        menu = self.menuBar().addMenu("File")
        for words, deed in (("Save As...", self._save_as), ("Quit", self.close)):
            action = QAction(words, self)
            action.triggered.connect(deed)
            menu.addAction(action)
        edit = self.menuBar().addMenu("Edit")
        select = QAction("Select All", self)
        select.triggered.connect(self._text.selectAll)
        edit.addAction(select)
        self.resize(720, 480)
        self._text.setFocus()

    def _save_as(self) -> None:
        dialog = SaveAsDialog(self, self._path)
        if dialog.exec() != QDialog.DialogCode.Accepted or not dialog.path.text():
            return
        path = Path(dialog.path.text()).expanduser()
        try:
            path.write_text(self._text.toPlainText(), encoding="utf-8")
        except OSError as fault:
            QMessageBox.warning(self, TITLE, f"{path} was not saved: {fault.strerror}.")
            return
        self._path = str(path)
        self.setWindowTitle(f"{path.name} - {TITLE}")


def main() -> int:
    """Run the editor."""
    application = QApplication(sys.argv)
    application.setApplicationName(TITLE)
    window = SampleEditor()
    window.show()
    return application.exec()


if __name__ == "__main__":
    raise SystemExit(main())
