"""The live screen: the searched frame with best and second best, or the desktop as it is now; bars below it."""

from __future__ import annotations

from typing import Final

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from echostudio.episode.verdict import ReaimResult
from echostudio.settings import ReaimSettings
from echostudio.studio.parts.badge import Badge, fact
from echostudio.studio.parts.controls import button
from echostudio.studio.parts.frame_view import FrameView
from echostudio.studio.parts.marks import Mark, at
from echostudio.studio.parts.meter import Measure, Meter
from echostudio.studio.parts.text import ElidedLabel
from echostudio.studio.replay.state import StepRow

_MARGIN_FULL: Final = 0.1


class LiveScreen(QWidget):
    """Shows one picture and what re-aim said about it."""

    def __init__(self, policy: ReaimSettings) -> None:
        super().__init__()
        self._policy = policy
        self.view = FrameView(self.tr("Live screen"))
        self.place, self.kind = Badge(), Badge()
        self._facts = ElidedLabel("", "small", "muted")
        self._zoom = button("", "quiet", tip=self.tr("Fit, or actual size"))
        self._zoom.setMinimumWidth(76)
        self._zoom.clicked.connect(lambda: self.view.actual_size() if self.view.fits else self.view.fit())
        self.view.zoom_changed.connect(
            lambda zoom: self._zoom.setText(f"{'fit' if self.view.fits else 'zoom'} {round(100 * zoom)} %")
        )
        self.margin, self.score, self.check = Meter(), Meter(), Meter()
        self.bars = QFrame()
        self.bars.setObjectName("card")
        bars = QVBoxLayout(self.bars)
        bars.setContentsMargins(14, 10, 14, 12)
        bars.setSpacing(8)
        self._verdict = ElidedLabel("")
        bars.addWidget(self._verdict)
        bars.addWidget(self.margin)
        lower = QHBoxLayout()
        lower.setSpacing(18)
        lower.addWidget(self.score)
        lower.addWidget(self.check)
        bars.addLayout(lower)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.place)
        head.addWidget(self.kind)
        head.addStretch()
        head.addWidget(self._facts)
        head.addWidget(self._zoom)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 12)
        column.setSpacing(10)
        column.addLayout(head)
        column.addWidget(self.view)
        column.addWidget(self.bars)
        column.addStretch(1)

    def show_picture(self, image: QImage | None, empty: str, place: str, kind: str) -> None:
        """Show a picture, where it is from, and whether it is live."""
        self.view.show_image(image, empty)
        self._zoom.setVisible(image is not None)
        self.place.show_look(fact(place, "monitor") if place else None)
        self.kind.show_look(fact(kind, "broadcast" if kind == self.tr("live") else "image") if kind else None)

    def show_aim(self, step: StepRow | None, *, marks: bool) -> None:
        """Show what re-aim measured for a step; ``marks`` only when its own picture is shown."""
        aim = step.aim if step else None
        self.bars.setVisible(aim is not None)
        self.view.show_marks(aim_marks(step) if step and marks else ())
        if aim is None:
            self._facts.setText("")
            return
        self._verdict.setText(aim.sentence)
        self.margin.show_measure(
            Measure(self.tr("Margin between best and second best"), aim.margin, self._policy.eta_margin, _MARGIN_FULL)
        )
        self.score.show_measure(Measure(self.tr("Score"), aim.best, self._policy.eta_match))
        self.check.setVisible(aim.check is not None)
        if aim.check is not None:
            self.check.show_measure(Measure(self.tr("Target check"), aim.check, self._policy.target_check))
        self._facts.setText(_facts(aim))


def aim_marks(step: StepRow) -> tuple[Mark, ...]:
    """Return best and second box with their scores, and the point that is clicked."""
    marks: list[Mark] = []
    for role, aim in step.reaim:
        name = "" if role == "target" else f"{role} "
        if aim.box is not None:
            marks.append(Mark("best", f"{name}best {aim.best:.3f}", box=aim.box, clear=True))
        if aim.second_box is not None:
            marks.append(Mark("second", f"{name}second {aim.second:.3f}", box=aim.second_box, dashed=True, clear=True))
        if aim.point is not None:
            marks.append(Mark("recorded", point=at(aim.point)))
    return tuple(marks)


def _facts(aim: ReaimResult) -> str:
    facts = [f"by {aim.method}", aim.crop.replace("_", " "), f"scale {aim.scale:.2f}"]
    total = aim.timings_ms.get("total") or sum(crop.ms for crop in aim.crops)
    if total:
        facts.append(f"{total:.0f} ms")
    return " · ".join(fact for fact in facts if fact)
