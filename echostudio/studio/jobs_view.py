"""Running jobs in the status line: what, how far, and a way to cancel."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from echostudio.studio.jobs_state import Job
from echostudio.studio.parts.controls import button
from echostudio.studio.parts.text import label


class JobsView(QWidget):
    """Shows the newest running job and how many others there are; nothing while all is quiet."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Running work"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self._words = label("", "small", "muted")
        self._bar = QProgressBar()
        self._bar.setFixedWidth(96)
        self._bar.setTextVisible(False)
        self._cancel = button(self.tr("Cancel"), "quiet")
        self._cancel.clicked.connect(self._cancel_job)
        for widget in (self._bar, self._words, self._cancel):
            row.addWidget(widget)
        self._job: Job | None = None
        self.show_jobs(())

    def show_jobs(self, jobs: tuple[Job, ...]) -> None:
        """Show these jobs."""
        self._job = jobs[-1] if jobs else None
        self.setVisible(bool(jobs))
        if self._job is None:
            return
        more = f"  +{len(jobs) - 1}" if len(jobs) > 1 else ""
        self._words.setText(self._job.words + more)
        self._bar.setRange(0, self._job.total)
        self._bar.setValue(self._job.done)
        self._cancel.setVisible(self._job.cancel is not None)

    def _cancel_job(self) -> None:
        if self._job is not None and self._job.cancel is not None:
            self._job.cancel()
