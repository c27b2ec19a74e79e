"""A Qt window with one field that writes what it holds into a file: ``python -m tests.bench.recording.field FILE``."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit


def main(file: Path) -> None:
    app = QApplication([])
    field = QLineEdit()
    field.setWindowTitle("Field")
    field.textChanged.connect(lambda text: file.write_text(text, encoding="utf-8"))
    field.resize(600, 60)
    field.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose)
    field.show()
    app.exec()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
