"""The film strip: a small picture per step, with the time that passed between them. Only what is visible is drawn."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from echostudio.studio import icons, theme
from echostudio.studio.pictures import PictureKey, Pictures
from echostudio.studio.timeline.state import GAP_SECONDS, TimelineState, TimelineStep, gaps
from echostudio.studio.wording import seconds

HEIGHT: Final = 124
_PICTURE: Final = QSize(124, 70)
_SPACE: Final = 12
_GAP: Final = 46
_LEFT: Final = 16
_TOP: Final = 12


class FilmStrip(QAbstractScrollArea):
    """Shows all steps of a timeline in a row; a click chooses one."""

    chosen = Signal(int)

    def __init__(self, pictures: Pictures) -> None:
        super().__init__()
        self.setObjectName("bottompanel")
        self.setAccessibleName(self.tr("Film strip"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFixedHeight(HEIGHT)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setAutoFillBackground(False)
        self._pictures = pictures
        self._state = TimelineState()
        self._lefts: tuple[int, ...] = ()
        self._gaps: tuple[float, ...] = ()
        self._current = -1
        pictures.loaded.connect(lambda _: self.viewport().update())

    def show_state(self, state: TimelineState) -> None:
        """Show another timeline, or a longer one."""
        self._state, self._gaps = state, gaps(state)
        lefts, left = [], _LEFT
        for place in range(len(state.steps)):
            left += _GAP if place and self._gaps[place] >= GAP_SECONDS else 0
            lefts.append(left)
            left += _PICTURE.width() + _SPACE
        self._lefts = tuple(lefts)
        self._set_range()
        self.viewport().update()

    def show_current(self, place: int) -> None:
        """Mark a step and bring it into view."""
        self._current = place
        if 0 <= place < len(self._lefts):
            bar, left = self.horizontalScrollBar(), self._lefts[place]
            margin = _PICTURE.width()
            if left - margin < bar.value():
                bar.setValue(max(0, left - margin))
            elif left + 2 * margin > bar.value() + self.viewport().width():
                bar.setValue(left + 2 * margin - self.viewport().width())
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keep the scroll range right."""
        super().resizeEvent(event)
        self._set_range()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Scroll sideways with either wheel."""
        delta = event.angleDelta()
        bar = self.horizontalScrollBar()
        bar.setValue(bar.value() - (delta.x() or delta.y()))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Choose the step under the pointer."""
        place = self.step_at(event.position().toPoint())
        if place >= 0:
            self.chosen.emit(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Leave the arrows to the page's commands."""
        event.ignore()

    def step_at(self, point: QPoint) -> int:
        """Return which step lies under a place of the viewport, or -1."""
        x = point.x() + self.horizontalScrollBar().value()
        return next((n for n, left in enumerate(self._lefts) if left <= x < left + _PICTURE.width()), -1)

    def visible_steps(self) -> range:
        """Return which steps lie at least partly in view."""
        start = self.horizontalScrollBar().value()
        end = start + self.viewport().width()
        shown = [n for n, left in enumerate(self._lefts) if left + _PICTURE.width() > start and left < end]
        return range(shown[0], shown[-1] + 1) if shown else range(0)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the steps in view."""
        now = theme.current()
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), now.colour("panel"))
        painter.fillRect(0, 0, self.viewport().width(), 1, now.colour("line"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        offset = self.horizontalScrollBar().value()
        for place in self.visible_steps():
            self._paint_step(painter, place, self._state.steps[place], self._lefts[place] - offset)
        painter.end()

    def _paint_step(self, painter: QPainter, place: int, step: TimelineStep, left: int) -> None:
        now = theme.current()
        box = QRectF(left, _TOP, _PICTURE.width(), _PICTURE.height())
        if place and self._gaps[place] >= GAP_SECONDS:
            self._paint_gap(painter, box, self._gaps[place])
        path = QPainterPath()
        path.addRoundedRect(box, 4, 4)
        painter.fillPath(path, now.colour("inset"))
        painter.save()
        painter.setClipPath(path)
        self._paint_picture(painter, box, step)
        painter.restore()
        current = place == self._current
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(now.colour("accent" if current else "line"), 2 if current else 1))
        painter.drawRoundedRect(
            box.adjusted(-3, -3, 3, 3) if current else box, 6 if current else 4, 6 if current else 4
        )
        self._paint_words(painter, place, step, box, current)

    def _paint_picture(self, painter: QPainter, box: QRectF, step: TimelineStep) -> None:
        if step.before is None:
            icons.paint(painter, QRectF(box.center().x() - 11, box.center().y() - 11, 22, 22), "minus-circle", "faint")
            return
        kind, run = self._state.place
        image = self._pictures.thumb(PictureKey(step.before.digest, kind, run))
        if image is None:
            return
        size = image.size().scaled(_PICTURE, Qt.AspectRatioMode.KeepAspectRatioByExpanding)
        target = QRectF(0, 0, size.width(), size.height())
        target.moveCenter(box.center())
        painter.setOpacity(0.35 if step.dropped else 1.0)
        painter.drawImage(target, image)

    def _paint_words(self, painter: QPainter, place: int, step: TimelineStep, box: QRectF, current: bool) -> None:
        now = theme.current()
        font = now.font("small", bold=current)
        font.setStrikeOut(step.dropped)
        painter.setFont(font)
        painter.setPen(now.colour("faint" if step.dropped else "text" if current else "muted"))
        number = "" if step.dropped else f"{place_number(self._state, place)}  "
        words = painter.fontMetrics().elidedText(number + step.words, Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(
            QRectF(box.left(), box.bottom() + 6, box.width(), 18), int(Qt.AlignmentFlag.AlignVCenter), words
        )

    def _paint_gap(self, painter: QPainter, box: QRectF, pause: float) -> None:
        now = theme.current()
        painter.setFont(now.font("small"))
        painter.setPen(now.colour("faint"))
        area = QRectF(box.left() - _GAP - _SPACE / 2, box.top(), _GAP, box.height())
        painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter), seconds(pause))
        dash = QPen(now.colour("line"), 1, Qt.PenStyle.DashLine)
        painter.setPen(dash)
        middle = area.center()
        painter.drawLine(int(middle.x()), int(area.top()), int(middle.x()), int(middle.y() - 12))
        painter.drawLine(int(middle.x()), int(middle.y() + 12), int(middle.x()), int(area.bottom()))

    def _set_range(self) -> None:
        end = self._lefts[-1] + _PICTURE.width() + _LEFT if self._lefts else 0
        bar = self.horizontalScrollBar()
        bar.setPageStep(self.viewport().width())
        bar.setSingleStep(40)
        bar.setRange(0, max(0, end - self.viewport().width()))


def place_number(state: TimelineState, place: int) -> int:
    """Return the number that people read: the step's place in the program (or in the run), from 1."""
    step = state.steps[place]
    return (step.index if step.index is not None else step.run_step) + 1
