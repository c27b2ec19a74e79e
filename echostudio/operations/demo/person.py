"""A person at a desktop: sees elements, moves the pointer by hand, clicks, types; knows nothing of the recorder.

The person acts through an X connection of their own, so a recorder meets the events exactly as from a human hand.
"""

from __future__ import annotations

from collections.abc import Callable

from echostudio.cancel import CancelToken, wait_until
from echostudio.desktop.controller import Desktop, Placed
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.evidence import ElementFacts, WindowFacts
from echostudio.episode.geometry import DesktopPoint
from echostudio.errors import DesktopError

_GLIDE_STEPS = 12
_GLIDE_PAUSE = 0.012
_LOOK = 0.25
_READ = 0.6
_PATIENCE = 15.0


class Person:
    """Acts on a desktop as a careful human would."""

    def __init__(self, desktop: Desktop, token: CancelToken, key_interval: float = 0.06) -> None:
        self._desktop = desktop
        self._token = token
        self._key_interval = key_interval

    def wait_for(self, condition: Callable[[], bool], what: str, patience: float = _PATIENCE) -> None:
        """Wait until something shows; raise ``DesktopError`` naming what did not."""
        if not wait_until(condition, self._desktop.clock, self._token, patience, interval=0.05):
            raise DesktopError(f"Waited {patience:.0f} s for {what}, but it did not show.")

    def active(self) -> WindowFacts | None:
        """Return the window in front."""
        return self._desktop.active_app()

    def wait_window(self, part: str, *, dialog: bool | None = None) -> WindowFacts:
        """Wait until a window whose title holds ``part`` is active, and return it."""
        seen: list[WindowFacts] = []

        def there() -> bool:
            window = self._desktop.active_app()
            good = window is not None and part.casefold() in window.title.casefold()
            good = good and (dialog is None or window is not None and window.dialog == dialog)
            if good and window is not None:
                seen.append(window)
            return bool(good)

        self.wait_for(there, f"the window “{part}”")
        self.pause(_READ)
        return seen[-1]

    def element(self, name: str, roles: tuple[str, ...] = ()) -> ElementFacts:
        """Wait until an element of that name (and one of the roles) shows, and return it."""
        seen: list[ElementFacts] = []

        def there() -> bool:
            found = self.find(name, roles)
            if found is not None:
                seen.append(found)
            return found is not None

        self.wait_for(there, f"“{name}”")
        return seen[-1]

    def find(self, name: str, roles: tuple[str, ...] = ()) -> ElementFacts | None:
        """Return the showing element of that name in the active window or an open popup, or None."""
        popups = [window for window in self._desktop.windows() if window.popup]
        for window in (*popups, self._desktop.active_app()):
            for element in self._desktop.elements(window) if window is not None else ():
                if _plain(element.name) == _plain(name) and (not roles or element.role in roles) and _visible(element):
                    return element
        return None

    def click(self, name: str, roles: tuple[str, ...] = (), count: int = 1) -> None:
        """Look for an element by its name, move there, click its middle."""
        self.click_at(middle(self.element(name, roles)), count)

    def click_at(self, point: DesktopPoint, count: int = 1) -> None:
        """Move to a place as a hand does, pause, click."""
        self.glide(point)
        self.pause(_LOOK)
        action = Action(ActionKind.CLICK, {"button": "left", "count": count, "modifiers": []})
        self._desktop.perform(action, Placed(target=point), self._token)
        self.pause(_LOOK)

    def glide(self, point: DesktopPoint) -> None:
        """Move the pointer along a line in small steps."""
        start = self._desktop.pointer()
        for step in range(1, _GLIDE_STEPS + 1):
            share = step / _GLIDE_STEPS
            x = round(start.x + (point.x - start.x) * share)
            y = round(start.y + (point.y - start.y) * share)
            self._desktop.move_pointer(DesktopPoint(x, y))
            self.pause(_GLIDE_PAUSE)

    def type(self, text: str) -> None:
        """Type text key by key; a line break is the Enter key."""
        self._desktop.perform(
            Action(ActionKind.TYPE, {"text": text}), Placed(key_interval=self._key_interval), self._token
        )
        self.pause(_LOOK)

    def press(self, key: str) -> None:
        """Press one key."""
        self._desktop.perform(Action(ActionKind.PRESS, {"key": key}), Placed(), self._token)
        self.pause(_LOOK)

    def hotkey(self, *keys: str) -> None:
        """Press keys together."""
        self._desktop.perform(Action(ActionKind.HOTKEY, {"keys": list(keys)}), Placed(), self._token)
        self.pause(_LOOK)

    def pause(self, seconds: float) -> None:
        """Do nothing, as hands do between two deeds."""
        self._desktop.clock.sleep(seconds, self._token)


def middle(element: ElementFacts) -> DesktopPoint:
    """Return the middle of an element's box."""
    if element.box is None:
        raise DesktopError(f"Where “{element.name}” lies is not known.")
    return DesktopPoint(element.box.x + element.box.width // 2, element.box.y + element.box.height // 2)


def _visible(element: ElementFacts) -> bool:
    return element.box is not None and element.box.width > 1 and element.box.height > 1


def _plain(name: str) -> str:
    return name.replace("_", "").replace("&", "").replace("…", "...").strip().casefold()
