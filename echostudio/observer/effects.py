"""What an action changed on the screen, and whether the screen is quiet again."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from echostudio.codec import Pixels, changed_boxes, changed_mask
from echostudio.episode.evidence import Effect, ElementFacts, ScreenFacts, WindowFacts
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import FrameBox

MOST_BOXES = 12
CARET_WIDTH = 3
CARET_HEIGHTS = range(8, 41)


def effect(
    before: Frame,
    after: Frame,
    facts_before: ScreenFacts | None,
    facts_after: ScreenFacts | None,
    *,
    ignore: Sequence[FrameBox] = (),
) -> Effect:
    """Return what differs between two screens, however small.

    Args:
        before: the screen before the action.
        after: the settled screen after it; another size counts as changed everywhere.
        facts_before: what the window system told before; None when unknown.
        facts_after: what it tells now; None when unknown.
        ignore: areas (pixels of ``after``) that change by themselves: animations, a caret known to blink there.

    Facts that are unknown on either side are no evidence of a change. The boxes (at most 12, largest first, pixels of
    ``after``) cover areas; ``changed_pixels`` counts exactly.
    """
    pixels, boxes = _changes(before.pixels, after.pixels, ignore)
    window = facts_after.window if facts_after is not None else None
    return Effect(
        changed_pixels=pixels,
        boxes=boxes,
        window_changed=_windows_differ(facts_before, facts_after),
        title_after=window.title if window is not None else "",
        focus_changed=_focus_differs(facts_before, facts_after),
    )


def quiet(before: Frame, after: Frame, most_pixels: int) -> bool:
    """Return whether fewer than ``most_pixels`` pixels differ, a blinking caret not counted."""
    if before.pixels is after.pixels:
        return True
    if before.pixels.shape != after.pixels.shape:
        return False
    _, mask = _changed_rows(before.pixels, after.pixels)
    changed = int(np.count_nonzero(mask))
    if changed < most_pixels:
        return True
    if changed >= most_pixels + MOST_BOXES * CARET_WIDTH * CARET_HEIGHTS[-1]:
        return False
    carets = (box for box in _boxes(mask) if caret_like(box))
    calm = sum(int(np.count_nonzero(mask[box.y : box.bottom, box.x : box.right])) for box in carets)
    return changed - calm < most_pixels


def caret_boxes(before: Frame, after: Frame) -> tuple[FrameBox, ...]:
    """Return the changed areas between two screens of one size that look like a text caret."""
    if before.pixels is after.pixels or before.pixels.shape != after.pixels.shape:
        return ()
    top, mask = _changed_rows(before.pixels, after.pixels)
    return tuple(box for box in _boxes(mask, top) if caret_like(box))


def caret_like(box: FrameBox) -> bool:
    """Return whether a changed area has the shape of a text caret: up to 3 px wide, 8 to 40 px high."""
    return box.width <= CARET_WIDTH and box.height in CARET_HEIGHTS


def _changes(before: Pixels, after: Pixels, ignore: Sequence[FrameBox]) -> tuple[int, tuple[FrameBox, ...]]:
    if before is after:
        return 0, ()
    top, mask = _changed_rows(before, after)
    for box in ignore:
        mask[max(0, box.y - top) : max(0, box.bottom - top), max(0, box.x) : max(0, box.right)] = False
    return int(np.count_nonzero(mask)), tuple(_boxes(mask, top)[:MOST_BOXES])


def _boxes(mask: NDArray[np.bool_], top: int = 0) -> list[FrameBox]:
    return [FrameBox(x, y + top, width, height) for x, y, width, height in changed_boxes(mask)]


def _changed_rows(before: Pixels, after: Pixels) -> tuple[int, NDArray[np.bool_]]:
    """Return the first changed row, and the mask from there to the last one; a mask without rows when all is equal.

    A full mask of a full-HD screen costs ten times as much as finding out that only a few rows changed.
    """
    if before.shape != after.shape:
        return 0, changed_mask(before, after)
    difference = cv2.absdiff(before, after)
    rows = np.flatnonzero(difference.reshape(difference.shape[0], -1).any(axis=1))
    if not rows.size:
        return 0, np.zeros((0, before.shape[1]), dtype=np.bool_)
    part = slice(int(rows[0]), int(rows[-1]) + 1)
    return part.start, changed_mask(before[part], after[part])


def _windows_differ(before: ScreenFacts | None, after: ScreenFacts | None) -> bool:
    if before is None or after is None:
        return False
    popups = {_identity(window) for window in before.popups} != {_identity(window) for window in after.popups}
    if before.window is None or after.window is None:
        return popups or before.window is not after.window
    titles = before.window.title != after.window.title
    return popups or titles or _identity(before.window) != _identity(after.window)


def _identity(window: WindowFacts) -> tuple[int, int, str, str]:
    return window.handle, window.pid, window.program, window.window_class


def _focus_differs(before: ScreenFacts | None, after: ScreenFacts | None) -> bool:
    if before is None or after is None or before.focus is None or after.focus is None:
        return False
    return _placed(before.focus, before.window) != _placed(after.focus, after.window)


def _placed(element: ElementFacts, window: WindowFacts | None) -> tuple[str, str, int | None, int | None]:
    """Role, name, and the place within the window, so that a moved window is no change of focus."""
    if element.box is None or window is None:
        return element.role, element.name, None, None
    return element.role, element.name, element.box.x - window.box.x, element.box.y - window.box.y
