"""The Lab's picture: score map over it, boxes and numbers, and a target that can be picked and its crops dragged."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QPen

from echostudio.episode.evidence import CropKind, SelfTest
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.operations.lab_search import Heat, ramp
from echostudio.operations.retarget import Proposal
from echostudio.studio import theme
from echostudio.studio.parts.frame_view import FrameView
from echostudio.studio.parts.marks import Mark, at, paint_marks

_NEAR: Final = 7.0
_CLICK: Final = 4.0
Grip = tuple[CropKind, int, int]


class LabCanvas(FrameView):
    """A frame with its score map; in picking mode a click picks a target and the crops' edges can be dragged."""

    picked = Signal(object)
    reshaped = Signal(object, object)
    reshape_ended = Signal()

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setMouseTracking(True)
        self._heat: Heat | None = None
        self._map: QImage | None = None
        self._map_factor = 4
        self._painted: QImage | None = None
        self.opacity = 0.85
        self.map_shown = True
        self.picking = False
        self.proposal: Proposal | None = None
        self._test: SelfTest | None = None
        self._pressed: QPointF | None = None
        self._grip: Grip | None = None

    def show_prepared(self, image: QImage, reduced: QImage) -> None:
        """Show a picture that was reduced to the view's width elsewhere, so that painting need not do it."""
        self.show_image(image)
        self._scaled = reduced

    def show_heat(self, heat: Heat | None) -> None:
        """Lay another score map over the picture; None takes it away."""
        if heat is self._heat:
            return
        self._heat, self._painted = heat, None
        self._map = heat_image(heat) if heat is not None else None
        self._map_factor = heat.factor if heat is not None else 4
        self.update()

    def set_opacity(self, opacity: float) -> None:
        """Let more or less of the map show (0 to 1)."""
        self.opacity = opacity
        self.update()

    def set_map_shown(self, shown: bool) -> None:
        """Show or hide the map."""
        self.map_shown = shown
        self.update()

    def set_picking(self, picking: bool) -> None:
        """Begin or end picking a target."""
        self.picking, self._grip, self._pressed = picking, None, None
        self.setCursor(Qt.CursorShape.CrossCursor if picking else Qt.CursorShape.ArrowCursor)
        if not picking:
            self.proposal = None
        self.update()

    def show_proposal(self, proposal: Proposal | None, test: SelfTest | None) -> None:
        """Draw a proposed target with its crops, and what its self test says."""
        self.proposal, self._test = proposal, test
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the picture with its map, then the proposal."""
        super().paintEvent(event)
        if self.proposal is None or self.image is None:
            return
        painter = QPainter(self)
        paint_marks(painter, self._proposal_marks(self.proposal), self.target(), self.zoom, QRectF(self.rect()))
        self._paint_grips(painter, self.proposal)
        painter.end()

    def _paint_image(self, painter: QPainter, target: QRectF) -> None:
        super()._paint_image(painter, target)
        if self._map is None or not self.map_shown or self.picking or self.opacity <= 0 or self.image is None:
            return
        painter.save()
        painter.setOpacity(self.opacity)
        painter.setClipRect(target)
        if self.zoom < 1.0:
            size = target.size().toSize()
            if self._painted is None or self._painted.size() != size:
                self._painted = self._part().scaled(
                    size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
                )
            painter.drawImage(target.topLeft(), self._painted)
        else:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(target, self._part())
        painter.restore()

    def _part(self) -> QImage:
        """Return the map cut or grown to exactly the frame's shape: its last block may be missing."""
        assert self._map is not None
        assert self.image is not None
        across = -(-self.image.width() // self._map_factor)
        down = -(-self.image.height() // self._map_factor)
        if (across, down) == (self._map.width(), self._map.height()):
            return self._map
        return self._map.copy(QRect(0, 0, across, down))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Take hold of a crop's edge, or begin to pan."""
        self._pressed = event.position()
        self._grip = self._grip_at(event.position())
        if self._grip is None:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Drag the edge, pan, or show what a press would do."""
        if self._grip is not None and self.proposal is not None:
            kind, across, down = self._grip
            self.reshaped.emit(kind, _dragged(self.proposal.boxes[kind], across, down, self.to_frame(event.position())))
            return
        super().mouseMoveEvent(event)
        if self.picking and not event.buttons():
            self.setCursor(_cursor(self._grip_at(event.position())))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """End a drag; a press that did not move picks the place."""
        super().mouseReleaseEvent(event)
        if self._grip is not None:
            self._grip = None
            self.reshape_ended.emit()
        elif self.picking and self._pressed is not None and self.image is not None:
            moved = event.position() - self._pressed
            place = self.to_frame(event.position())
            inside = QRectF(self.image.rect()).contains(place)
            if inside and abs(moved.x()) + abs(moved.y()) < _CLICK:
                self.picked.emit(FramePoint(int(place.x()), int(place.y())))
        self._pressed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Zoom, unless a place is being picked."""
        if not self.picking:
            super().mouseDoubleClickEvent(event)

    def _proposal_marks(self, proposal: Proposal) -> tuple[Mark, ...]:
        marks, test = [], self._test
        for kind, box in proposal.boxes.items():
            own = kind is CropKind.TARGET
            name = kind.value.replace("_", " ").replace("context", "context crop").replace("target", "target crop")
            token = "best" if own else "recorded"
            if test is not None and test.crop == kind.value:
                told = f"unique by {test.margin:.3f}" if test.passed else f"twin, {test.margin:.3f}"
                name, token = f"{name} · {told}", "best" if test.passed else "second"
            marks.append(Mark(token, name, box, dashed=not own, clear=own))
        return (*marks, Mark("recorded", point=at(proposal.point), clear=True))

    def _paint_grips(self, painter: QPainter, proposal: Proposal) -> None:
        now = theme.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for kind, box in proposal.boxes.items():
            painter.setPen(QPen(QColor(255, 255, 255), 1.2))
            painter.setBrush(now.colour("best" if kind is CropKind.TARGET else "recorded"))
            shown = self._to_view(box)
            for corner in (shown.topLeft(), shown.topRight(), shown.bottomLeft(), shown.bottomRight()):
                painter.drawRect(QRectF(corner.x() - 3, corner.y() - 3, 6, 6))

    def _to_view(self, box: FrameBox) -> QRectF:
        target, zoom = self.target(), self.zoom
        return QRectF(target.x() + box.x * zoom, target.y() + box.y * zoom, box.width * zoom, box.height * zoom)

    def _grip_at(self, place: QPointF) -> Grip | None:
        """Return which crop's edges lie under the pointer: -1, 0 or 1 across and down; smaller crops go first."""
        if not self.picking or self.proposal is None:
            return None
        for kind, box in self.proposal.boxes.items():
            shown = self._to_view(box)
            if not shown.adjusted(-_NEAR, -_NEAR, _NEAR, _NEAR).contains(place):
                continue
            across = (
                -1 if abs(place.x() - shown.left()) <= _NEAR else 1 if abs(place.x() - shown.right()) <= _NEAR else 0
            )
            down = -1 if abs(place.y() - shown.top()) <= _NEAR else 1 if abs(place.y() - shown.bottom()) <= _NEAR else 0
            if across or down:
                return kind, across, down
        return None


def heat_image(heat: Heat) -> QImage:
    """Return a score map in its colours, one pixel per value."""
    colours = ramp()
    colours[:, :3] *= colours[:, 3:]
    table = (colours[:, [2, 1, 0, 3]] * 255).astype(np.uint8)
    values = np.ascontiguousarray(table[heat.values])
    height, width = heat.values.shape
    return QImage(values.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied).copy()


def _dragged(box: FrameBox, across: int, down: int, to: QPointF) -> FrameBox:
    left, top, right, bottom = box.x, box.y, box.right, box.bottom
    x, y = round(to.x()), round(to.y())
    left, right = (x if across < 0 else left), (x if across > 0 else right)
    top, bottom = (y if down < 0 else top), (y if down > 0 else bottom)
    left, right, top, bottom = min(left, right), max(left, right), min(top, bottom), max(top, bottom)
    return FrameBox(left, top, right - left, bottom - top)


def _cursor(grip: Grip | None) -> Qt.CursorShape:
    if grip is None:
        return Qt.CursorShape.CrossCursor
    _, across, down = grip
    if across and down:
        return Qt.CursorShape.SizeFDiagCursor if across == down else Qt.CursorShape.SizeBDiagCursor
    return Qt.CursorShape.SizeHorCursor if across else Qt.CursorShape.SizeVerCursor
