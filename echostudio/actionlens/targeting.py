"""Looking for a recorded target on a live desktop: stored crops, and questions to the desktop, given to re-aim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from echostudio.blobs import BlobStore
from echostudio.cancel import CancelToken
from echostudio.codec import Pixels
from echostudio.desktop.controller import Desktop
from echostudio.episode.evidence import Crop, ElementFacts, TargetEvidence, WindowFacts
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.episode.verdict import ReaimResult
from echostudio.errors import DesktopError
from echostudio.reaim import CropPicture, TargetPictures, re_aim
from echostudio.settings import Settings

Masks = Mapping[str, Sequence[FrameBox]]


def pictures(evidence: TargetEvidence, blobs: BlobStore, masks: Masks | None = None) -> TargetPictures:
    """Load the crops of a target.

    ``masks`` maps a picture's digest to boxes (pixels of that picture) that must not count: redacted, or changed by a
    flexible step. Raises ``MissingPicture`` when a picture is gone or damaged.
    """
    loaded: dict[str, Pixels] = {}
    for crop in evidence.crops:
        if crop.picture.digest not in loaded:
            loaded[crop.picture.digest] = blobs.get(crop.picture.digest)
    cut = tuple(
        _cut(crop, loaded[crop.picture.digest], (masks or {}).get(crop.picture.digest, ())) for crop in evidence.crops
    )
    size = (evidence.screen.frame_width, evidence.screen.frame_height)
    return TargetPictures(cut, evidence.point, size, evidence.element, evidence.element_count)


def look(
    desktop: Desktop,
    frame: Frame,
    evidence: TargetEvidence,
    blobs: BlobStore,
    settings: Settings,
    token: CancelToken,
    *,
    element_evidence: bool = True,
    masks: Masks | None = None,
) -> ReaimResult:
    """Search ``frame`` (grabbed from ``desktop`` just now) for a recorded target.

    The accepted place must lie in the window that corresponds to the recorded one: its popup, its program's window,
    else the active window; look-alikes anywhere count. Without ``element_evidence`` no program is asked anything.
    Raises ``MissingPicture``, ``Cancelled``, and ``DesktopError`` when the desktop is gone.
    """
    recorded = pictures(evidence, blobs, masks)
    window = window_for(desktop, evidence.window)
    box = frame.screen.box_to_frame(window.box) if window is not None and _inside(evidence) else None

    def element_at(point: FramePoint) -> ElementFacts | None:
        return desktop.element_at(frame.screen.to_desktop(point))

    def elements() -> list[tuple[ElementFacts, FrameBox]]:
        # Of every window: a twin in a second window of the same program is a twin.
        found = {one for shown in desktop.windows() for one in desktop.elements(shown)}
        return [(one, frame.screen.box_to_frame(one.box)) for one in found if one.box is not None]

    return re_aim(
        frame,
        recorded,
        settings.reaim,
        element_at if element_evidence else None,
        elements=elements if element_evidence else None,
        window=box,
        token=token,
        keep=settings.replay.keep_candidates,
    )


def window_for(desktop: Desktop, recorded: WindowFacts | None) -> WindowFacts | None:
    """Return the window in which a target of ``recorded`` must lie now, None when nothing tells.

    A popup stands for the topmost popup of the same program. Otherwise the active window when it is of the same
    program, else that program's topmost window, else the active window.
    """
    if recorded is None:
        return None
    try:
        active, shown = desktop.active_app(), desktop.windows()
    except DesktopError:
        desktop.grab()
        return None
    same = [window for window in shown if _same_program(window, recorded)]
    popups = [window for window in same if window.popup]
    if recorded.popup:
        return popups[0] if popups else active
    if active is not None and _same_program(active, recorded):
        return active
    tops = [window for window in same if not window.popup]
    return tops[0] if tops else active


def _same_program(one: WindowFacts, two: WindowFacts) -> bool:
    """Whether two windows belong to one program, by name or, where a popup tells no name, by process."""
    if one.window_class and two.window_class:
        return one.window_class == two.window_class
    return bool(one.program) and one.program == two.program


def _inside(evidence: TargetEvidence) -> bool:
    """Whether the recorded click lay in the client area of its window: title bars do not."""
    if evidence.window is None:
        return False
    return evidence.screen.box_to_frame(evidence.window.box).contains(evidence.point)


def _cut(crop: Crop, picture: Pixels, hidden: Sequence[FrameBox]) -> CropPicture:
    box = crop.box
    pixels = picture[box.y : box.bottom, box.x : box.right]
    point = FramePoint(crop.point.x - box.x, crop.point.y - box.y)
    return CropPicture(crop.kind, crop.variant, pixels, point, _mask(box, hidden))


def _mask(box: FrameBox, hidden: Sequence[FrameBox]) -> NDArray[np.bool_] | None:
    """Return True where a pixel of the crop must not count, None when all count."""
    common = [part for other in hidden if (part := box.clipped(other)).width and part.height]
    if not common:
        return None
    mask = np.zeros((box.height, box.width), dtype=np.bool_)
    for part in common:
        mask[part.y - box.y : part.bottom - box.y, part.x - box.x : part.right - box.x] = True
    return mask
