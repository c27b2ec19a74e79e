"""The centre viewer: before, action, after, side by side, difference; both pictures zoom and pan together."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from echostudio import codec
from echostudio.operations.services import Services
from echostudio.studio import theme
from echostudio.studio.page import Studio
from echostudio.studio.parts.controls import Chip, Segments, button
from echostudio.studio.parts.frame_view import FrameView
from echostudio.studio.parts.text import label
from echostudio.studio.pictures import PictureKey, read_pixels, to_image
from echostudio.studio.timeline.marking import action_marks, after_marks, before_marks
from echostudio.studio.timeline.state import TimelineState, TimelineStep


class Viewer(QWidget):
    """Shows one step's pictures."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._state = TimelineState()
        self._step: TimelineStep | None = None
        self._difference: tuple[PictureKey, PictureKey, QImage] | None = None
        self.mode = "before"
        self.segments = Segments(
            self.tr("What is shown"),
            (
                ("before", self.tr("Before")),
                ("action", self.tr("Action")),
                ("after", self.tr("After")),
                ("side", self.tr("Side by side")),
                ("difference", self.tr("Difference")),
            ),
        )
        self.marks = Chip(self.tr("marks"), checked=True)
        self.first = FrameView(self.tr("Screen"))
        self.second = FrameView(self.tr("Screen after"))
        self._zoom = button("", "quiet", tip=self.tr("Fit, or actual size"))
        self.caption = label("", "small", "muted")
        self._lay_out()
        self._connect()
        self.segments.choose(self.mode)

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setSpacing(8)
        bar.addWidget(self.segments)
        bar.addStretch()
        bar.addWidget(self.marks)
        bar.addWidget(self._zoom)
        self._zoom.setMinimumWidth(76)
        self._views = views = QHBoxLayout()
        views.setSpacing(8)
        views.addWidget(self.first, 1)
        views.addWidget(self.second, 1)
        self.second.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 8)
        column.setSpacing(8)
        column.addLayout(bar)
        column.addLayout(views)
        column.addWidget(self.caption)
        column.addStretch(1)

    def _connect(self) -> None:
        self.segments.chosen.connect(self.show_mode)
        self.marks.toggled.connect(lambda _: self._show_marks())
        self._zoom.clicked.connect(lambda: self.first.actual_size() if self.first.fits else self.first.fit())
        self.first.zoom_changed.connect(self._show_zoom)
        self.first.view_changed.connect(lambda zoom, middle: self._follow(self.second, zoom, middle))
        self.second.view_changed.connect(lambda zoom, middle: self._follow(self.first, zoom, middle))
        self._studio.pictures.loaded.connect(self._picture_came)

    def show_step(self, state: TimelineState, step: TimelineStep | None) -> None:
        """Show a step's pictures in the present mode."""
        self._state, self._step = state, step
        self._refresh()

    def show_mode(self, mode: str) -> None:
        """Show the pictures another way."""
        self.mode = mode
        self.segments.choose(mode)
        self.second.setVisible(mode == "side")
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Put the two pictures beside or below each other, whichever shows them larger."""
        super().resizeEvent(event)
        image = self.first.image
        ratio = image.width() / image.height() if image is not None else 16 / 9
        width, height = self.width() - 24, self.height() - 90
        beside = min(width / 2, height * ratio)
        below = min(width, height / 2 * ratio)
        way = QBoxLayout.Direction.LeftToRight if beside >= below else QBoxLayout.Direction.TopToBottom
        self._views.setDirection(way)

    def toggle_marks(self) -> None:
        """Show or hide the marks."""
        self.marks.toggle()

    def ready(self) -> bool:
        """Whether every picture that the mode needs is shown."""
        step = self._step
        if step is None or (step.before is None and step.after is None):
            return True
        return self.first.image is not None and (self.mode != "side" or self.second.image is not None)

    def _key(self, which: str) -> PictureKey | None:
        step = self._step
        picture = None if step is None else step.after if which == "after" else step.before
        kind, run = self._state.place
        return PictureKey(picture.digest, kind, run) if picture else None

    def _refresh(self) -> None:
        step = self._step
        if self.mode == "difference":
            self._show_difference()
        else:
            self._show_in(self.first, "after" if self.mode == "after" else "before")
            if self.mode == "side":
                self._show_in(self.second, "after")
        self._show_marks()
        self.caption.setText(_caption(step) if step else "")

    def _show_in(self, view: FrameView, which: str) -> None:
        key = self._key(which)
        if key is None:
            missing = {"after": self.tr("No picture after this step"), "before": self.tr("No picture before this step")}
            dropped = self._step is not None and self._step.dropped
            view.show_image(None, self.tr("Dropped steps keep no pictures") if dropped else missing[which])
            return
        image = self._studio.pictures.frame(key)
        if image is not None or view.image is None:
            view.show_image(image)

    def _show_marks(self) -> None:
        step = self._step
        shown = step is not None and self.marks.isChecked()
        if step is None or not shown:
            self.first.show_marks(())
            self.second.show_marks(())
            return
        make = {"before": before_marks, "action": action_marks, "side": action_marks}.get(self.mode, after_marks)
        self.first.show_marks(make(step) if self.mode != "difference" else ())
        self.second.show_marks(after_marks(step))

    def _show_difference(self) -> None:
        before, after = self._key("before"), self._key("after")
        if before is None or after is None:
            self.first.show_image(None, self.tr("Both pictures are needed to compare"))
            return
        if self._difference and self._difference[:2] == (before, after):
            self.first.show_image(self._difference[2])
            return
        services = self._studio.services
        future = services.jobs.pool(_difference, services, before, after, theme.current().colour("window"))

        def came(image: QImage) -> None:
            self._difference = (before, after, image)
            if self.mode == "difference" and (self._key("before"), self._key("after")) == (before, after):
                self.first.show_image(image)

        self._studio.work.ask(self, "difference", future, came)

    def _picture_came(self, key: PictureKey) -> None:
        if self.mode != "difference" and key in (self._key("before"), self._key("after")):
            self._refresh()

    def _follow(self, view: FrameView, zoom: float, middle: QPointF) -> None:
        view.follow(zoom or None, middle if zoom else None)

    def _show_zoom(self, zoom: float) -> None:
        word = self.tr("fit") if self.first.fits else self.tr("zoom")
        self._zoom.setText(f"{word} {round(100 * zoom)} %")


def _difference(services: Services, before: PictureKey, after: PictureKey, ground: QColor) -> QImage:
    """Fade what stayed the same towards the page's colour, and leave what changed as it is; runs in the pool."""
    first, second = read_pixels(services, before), read_pixels(services, after)
    changed = codec.changed_mask(first, second)[:, :, None]
    grey = codec.grey(second)[:, :, None].astype(np.float32)
    colour = np.array([ground.red(), ground.green(), ground.blue()], np.float32)
    faded = (0.22 * grey + 0.78 * colour).astype(np.uint8)
    return to_image(np.where(changed, second, faded))


def _caption(step: TimelineStep) -> str:
    facts = []
    if step.before_age_ms is not None:
        facts.append(f"before frame {step.before_age_ms:.0f} ms old")
    if step.settled_ms is not None:
        facts.append(f"settled in {step.settled_ms:.0f} ms")
    if step.effect is not None and step.before is not None and step.before.width:
        part = 100 * step.effect.changed_pixels / (step.before.width * step.before.height)
        facts.append(f"changed {part:.1f} % of the screen")
    for name, target in step.targets:
        place = target.screen.to_desktop(target.point)
        where = "" if name == "target" else f"{name} "
        facts.append(f"{where}frame {target.point.x}, {target.point.y} → desktop {place.x}, {place.y}")
    if step.before is not None:
        facts.append(f"{step.before.width}×{step.before.height}")
    return "     ".join(facts)
