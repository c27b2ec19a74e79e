"""Keys, buttons and pointer moves through XTEST; whatever is held is known and can be let go."""

from __future__ import annotations

from Xlib import X

from echostudio.cancel import CancelToken, Clock, wait_until
from echostudio.desktop.connection import Connection
from echostudio.episode.geometry import DesktopPoint
from echostudio.errors import InputFailed

BUTTONS = {"left": 1, "middle": 2, "right": 3, "back": 8, "forward": 9}
SCROLL_UP, SCROLL_DOWN, SCROLL_LEFT, SCROLL_RIGHT = 4, 5, 6, 7

_ARRIVAL_SECONDS = 0.5


class Injector:
    """Sends single input events and remembers what is held down."""

    def __init__(self, connection: Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._held: list[tuple[int, int]] = []

    def key_down(self, code: int) -> None:
        """Press a physical key."""
        self._press(X.KeyPress, code)

    def key_up(self, code: int) -> None:
        """Let go of a physical key."""
        self._release(X.KeyPress, code)

    def tap(self, code: int) -> None:
        """Press and let go of a physical key."""
        try:
            self.key_down(code)
        finally:
            self.key_up(code)

    def button_down(self, button: int) -> None:
        """Press a pointer button by its X number."""
        self._press(X.ButtonPress, button)

    def button_up(self, button: int) -> None:
        """Let go of a pointer button."""
        self._release(X.ButtonPress, button)

    def move(self, point: DesktopPoint) -> None:
        """Move the pointer; does not look whether it arrived."""
        with self._connection.use() as display:
            display.xtest_fake_input(X.MotionNotify, 0, x=point.x, y=point.y)
            display.sync()

    def arrive(self, point: DesktopPoint, token: CancelToken) -> None:
        """Move the pointer and prove that it is there; raise ``InputFailed`` when it is not."""
        self.move(point)
        if not wait_until(lambda: self.pointer() == point, self._clock, token, _ARRIVAL_SECONDS):
            place = self.pointer()
            raise InputFailed(
                f"The pointer did not reach ({point.x}, {point.y}); it is at ({place.x}, {place.y}).",
                "Another program may hold the pointer, or the place lies outside the screen.",
            )

    def pointer(self) -> DesktopPoint:
        """Return where the pointer is."""
        with self._connection.root() as root:
            found = root.query_pointer()
        return DesktopPoint(int(found.root_x), int(found.root_y))

    def state(self) -> int:
        """Return the modifier state: bits 0-7 modifiers, 8-12 buttons, 13-14 layout group."""
        with self._connection.root() as root:
            return int(root.query_pointer().mask)

    def release_all(self) -> None:
        """Let go of everything that was pressed here, last pressed first."""
        for kind, detail in reversed(tuple(self._held)):
            self._release(kind, detail)

    def _press(self, kind: int, detail: int) -> None:
        # Noted first: a press whose answer is lost may have arrived.
        self._held.append((kind, detail))
        self._send(kind, detail)

    def _release(self, kind: int, detail: int) -> None:
        if (kind, detail) in self._held:
            self._held.remove((kind, detail))
            self._send(kind + 1, detail)

    def _send(self, kind: int, detail: int) -> None:
        with self._connection.use() as display:
            display.xtest_fake_input(kind, detail)
            display.sync()
