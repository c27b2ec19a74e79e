"""A desktop shown live and used by hand: its picture to fit or 1:1, mouse and keys passed in while it has them."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from echostudio.episode.geometry import DesktopPoint, FramePoint, ScreenMap
from echostudio.errors import EchoError
from echostudio.operations.services import Services
from echostudio.studio import theme
from echostudio.studio.record.keys import GiveBack, meaning, reserved
from echostudio.studio.record.link import DesktopLink, Seen

_EDGE: Final = 5
_TICK: Final = 120
_BUTTONS: Final = {
    Qt.MouseButton.LeftButton: "left",
    Qt.MouseButton.MiddleButton: "middle",
    Qt.MouseButton.RightButton: "right",
    Qt.MouseButton.BackButton: "back",
    Qt.MouseButton.ForwardButton: "forward",
}


class DesktopView(QWidget):
    """Shows one desktop. It takes mouse and keys while it has the focus; a click gives it the focus.

    ``taken`` tells whether it has them, ``lost`` why the desktop went away. Ctrl+Alt, let go together, gives the keys
    back (``given_back``). The keys of the recording never go in.
    """

    taken = Signal(bool)
    given_back = Signal()
    lost = Signal(object)
    pictured = Signal()

    def __init__(self, services: Services) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Virtual desktop"))
        told = self.tr("Mouse and keys go to this desktop. Ctrl and Alt together give them back.")
        self.setAccessibleDescription(told)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled, False)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMinimumSize(240, 150)
        self._services = services
        self._link: DesktopLink | None = None
        self._image: QImage | None = None
        self._screen: ScreenMap | None = None
        self._reserved = reserved()
        self._give_back = GiveBack()
        self._wheel = QPointF()
        self._pan = QPointF(0.5, 0.5)
        self._actual = False
        self._pressed: set[Qt.MouseButton] = set()
        self.recording = False
        self.message = ""

    @property
    def display(self) -> str:
        """The display that is shown, or nothing."""
        return self._link.display if self._link is not None else ""

    @property
    def rate(self) -> float:
        """Pictures a second of late; 0 at rest."""
        return self._link.rate if self._link is not None else 0.0

    @property
    def image(self) -> QImage | None:
        """What is shown now."""
        return self._image

    @property
    def has_keys(self) -> bool:
        """Whether mouse and keys go in."""
        return self._link is not None and self.hasFocus()

    @property
    def frame_size(self) -> QSize:
        """The desktop's size in frame pixels; empty while nothing is shown."""
        return QSize(self._screen.frame_width, self._screen.frame_height) if self._screen is not None else QSize()

    @property
    def zoom(self) -> float:
        """View pixels per frame pixel; at most 1."""
        frame, room = self.frame_size, self._room()
        if self._actual or frame.isEmpty():
            return 1.0
        return min(1.0, room.width() / frame.width(), room.height() / frame.height())

    @property
    def actual(self) -> bool:
        """Whether it is shown 1:1."""
        return self._actual

    def show_desktop(self, display: str) -> None:
        """Show another desktop from now on; an empty name shows none."""
        if display == self.display:
            return
        self._drop()
        self._image, self._screen = None, None
        if display:
            link = DesktopLink(self._services, display, self)
            link.seen.connect(self._seen)
            link.lost.connect(self._gone)
            self._link = link
            self._ask_size()
            link.watch(self.isVisible())
        self.updateGeometry()
        self.update()

    def show_actual(self, actual: bool) -> None:
        """Show it 1:1 (the part around the pointer where it is larger than the view), or whole."""
        self._actual = actual
        self._ask_size()
        self.updateGeometry()
        self.update()

    def show_recording(self, recording: bool) -> None:
        """Frame it in red while it is recorded."""
        self.recording = recording
        self.update()

    def target(self) -> QRect:
        """Return where the whole frame lies in view pixels; larger than the view where it is panned."""
        frame, room = self.frame_size, self._room()
        width, height = round(frame.width() * self.zoom), round(frame.height() * self.zoom)
        left = (room.width() - width) * (0.5 if width <= room.width() else self._pan.x())
        top = (room.height() - height) * (0.0 if height <= room.height() else self._pan.y())
        return QRect(round(left) + _EDGE, round(top) + _EDGE, width, height)

    def to_desktop(self, place: QPointF) -> DesktopPoint | None:
        """Convert a view place into the place that the desktop takes; None while nothing is shown."""
        if self._screen is None:
            return None
        target, zoom = self.target(), self.zoom
        x = int((place.x() - target.x()) / zoom)
        y = int((place.y() - target.y()) / zoom)
        x = max(0, min(self._screen.frame_width - 1, x))
        y = max(0, min(self._screen.frame_height - 1, y))
        return self._screen.to_desktop(FramePoint(x, y))

    def close_link(self) -> None:
        """Let go of the desktop."""
        self._drop()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for much."""
        return QSize(900, 560)

    def heightForWidth(self, width: int) -> int:  # noqa: N802 - Qt's name
        """Ask for the desktop's shape, so that what belongs below it stands right below."""
        frame = self.frame_size
        if frame.isEmpty():
            return round(width * 9 / 16)
        inner = width - 2 * _EDGE
        height = frame.height() if self._actual else round(min(1.0, inner / frame.width()) * frame.height())
        return height + 2 * _EDGE

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw picture and frame."""
        painter = QPainter(self)
        now = theme.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._image is None:
            painter.setPen(QPen(now.colour("line"), 1))
            painter.setBrush(now.colour("inset"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
            painter.setPen(now.colour("faint"))
            words = self.message or (self.tr("Looking at the desktop …") if self._link else "")
            painter.drawText(self.rect().adjusted(24, 0, -24, 0), _MIDDLE, words)
            painter.end()
            return
        target = self.target()
        inside = target.intersected(self.rect().adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE))
        painter.setClipRect(inside)
        if self._image.size() == target.size():
            painter.drawImage(target.topLeft(), self._image)
        else:
            painter.drawImage(target, self._image)
        painter.setClipping(False)
        token = "failed" if self.recording else "accent" if self.has_keys else "line"
        strong = self.recording or self.has_keys
        painter.setPen(QPen(now.colour(token), 2 if strong else 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(inside).adjusted(-3, -3, 3, 3), 5, 5)
        painter.end()

    # Events of the view itself

    def event(self, event: QEvent) -> bool:
        """Keep every key that is not the recording's own from being a shortcut or moving the focus."""
        if isinstance(event, QKeyEvent) and self.has_keys:
            ours = event.keyCombination() in self._reserved
            if event.type() == QEvent.Type.ShortcutOverride and not ours:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                if not ours:
                    self._key_down(event)
                return True
            if event.type() == QEvent.Type.KeyRelease:
                self._key_up(event)
                return True
        return super().event(event)

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: N802 - Qt's name
        """Tab belongs to the desktop."""
        return False if self.has_keys else super().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Take mouse and keys."""
        super().focusInEvent(event)
        self.taken.emit(self.has_keys)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Give mouse and keys back, with nothing left pressed."""
        super().focusOutEvent(event)
        self._give_back.clear()
        self._pressed.clear()
        if self._link is not None:
            self._link.send(lambda hand: hand.release())
        self.taken.emit(False)
        self.update()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Look at the desktop again."""
        super().showEvent(event)
        if self._link is not None:
            self._link.watch(True)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """Rest while nobody sees it."""
        super().hideEvent(event)
        if self._link is not None:
            self._link.watch(False)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Ask for pictures of the new size."""
        super().resizeEvent(event)
        self._ask_size()

    # Mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Pass a button in."""
        self._button(event, pressed=True)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Pass the second press in; the desktop's programs make their own double clicks."""
        self._button(event, pressed=True)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Let go of a button in the desktop."""
        self._button(event, pressed=False)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Pass a move in; where the desktop is larger than the view, the part around the pointer is shown."""
        if not self.has_keys or self._link is None:
            return
        if self._actual:
            room = self._room()
            self._pan = QPointF(
                max(0.0, min(1.0, (event.position().x() - _EDGE) / max(1, room.width()))),
                max(0.0, min(1.0, (event.position().y() - _EDGE) / max(1, room.height()))),
            )
            self.update()
        point = self.to_desktop(event.position())
        if point is not None:
            self._link.move(point)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Pass whole wheel ticks in."""
        if not self.has_keys or self._link is None:
            event.ignore()
            return
        self._wheel += QPointF(event.angleDelta())
        dx, dy = int(self._wheel.x() / _TICK), int(self._wheel.y() / _TICK)
        self._wheel -= QPointF(dx * _TICK, dy * _TICK)
        if dx or dy:
            self._link.send(lambda hand: hand.scroll(-dx, -dy))
        event.accept()

    def _button(self, event: QMouseEvent, *, pressed: bool) -> None:
        name, point = _BUTTONS.get(event.button()), self.to_desktop(event.position())
        if self._link is None or name is None or point is None:
            return
        inside = self.target().contains(event.position().toPoint())
        if pressed and not inside or not pressed and event.button() not in self._pressed:
            return
        if pressed:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self._pressed.add(event.button())
        else:
            self._pressed.discard(event.button())
        self._link.move(point)
        self._link.send(lambda hand: hand.button(name, pressed))

    def _key_down(self, event: QKeyEvent) -> None:
        if event.isAutoRepeat() or self._link is None:
            return
        self._give_back.press(event.key())
        code, keysym = meaning(event)
        if code or keysym:
            self._link.send(lambda hand: hand.key(code, keysym, True))
        elif event.text():
            words = event.text()
            self._link.send(lambda hand: hand.text(words))

    def _key_up(self, event: QKeyEvent) -> None:
        if event.isAutoRepeat() or self._link is None:
            return
        code, keysym = meaning(event)
        self._link.send(lambda hand: hand.key(code, keysym, False))
        if self._give_back.release(event.key()):
            self.clearFocus()
            self.given_back.emit()

    # Pictures

    def _seen(self, seen: Seen) -> None:
        sized = self._screen != seen.screen
        self._screen = seen.screen
        if seen.image is not None:
            self._image = seen.image
            self.update(self.target().adjusted(-_EDGE, -_EDGE, _EDGE, _EDGE))
        if sized:
            self.updateGeometry()
            self._ask_size()
            self.update()
        self.pictured.emit()

    def _gone(self, fault: EchoError) -> None:
        self._drop()
        self._image, self._screen = None, None
        self.message = fault.sentence
        self.update()
        self.lost.emit(fault)

    def _ask_size(self) -> None:
        if self._link is not None:
            shown = self.zoom < 1.0 and self._screen is not None
            self._link.resize(self.target().size() if shown else None)

    def _drop(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.close()
            link.deleteLater()
        self.message = ""

    def _room(self) -> QSize:
        return QSize(max(1, self.width() - 2 * _EDGE), max(1, self.height() - 2 * _EDGE))


_MIDDLE: Final = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)
