"""Pixels in, verdict out: where a recorded target is in the present frame, or why it is refused. No I/O.

Source: EchoPath, image-based target re-aiming (IBTR); the rule, its thresholds and the measurements behind them are in
the design's section on re-aim. ``re_aim`` is the fast path; ``reference.exhaustive`` is what it is judged by.
"""

from __future__ import annotations

from echostudio.cancel import CancelToken
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import FrameBox
from echostudio.episode.verdict import ReaimResult
from echostudio.reaim.decide import decide
from echostudio.reaim.evidence import CropPicture, ElementAt, Elements, ReadWords, TargetPictures
from echostudio.reaim.match import find
from echostudio.reaim.pyramid import Screen
from echostudio.reaim.request import Request
from echostudio.reaim.selftest import self_test
from echostudio.settings import ReaimSettings

__all__ = ["CropPicture", "TargetPictures", "re_aim", "self_test"]


def re_aim(
    frame: Frame,
    evidence: TargetPictures,
    policy: ReaimSettings,
    element_at: ElementAt | None = None,
    read_words: ReadWords | None = None,
    *,
    elements: Elements | None = None,
    window: FrameBox | None = None,
    token: CancelToken | None = None,
    keep: int = 8,
) -> ReaimResult:
    """Find a recorded target in a frame, or refuse.

    Args:
        frame: The present screen, RGB (height, width, 3); 16-bit depth and odd strides are converted.
        evidence: The recorded crops with the click inside each, the recorded place, the element if known.
        policy: Scales and thresholds.
        element_at: Tells the accessible element at a pixel of this frame; used to corroborate the accepted place.
        read_words: Reads the words in RGB pixels; asked only for a target without texture of its own.
        elements: Lists all accessible elements with their boxes in this frame; asked only when look-alikes are seen.
        window: The accepted place must lie in this box (frame pixels). Look-alikes outside it still count.
        token: Cancels the search; it is looked at once per scale.
        keep: How many candidates per crop the result carries.

    Returns:
        Accepted with ``point`` (pixel of this frame), or refused with a ``target_`` code, the failed condition and how
        much was short. Refusals are values.

    Raises:
        Cancelled: The token was cancelled.
        PictureError: A picture has a shape or type that is no screen picture.
    """
    request = Request(evidence, policy, element_at, read_words, elements, window, token or CancelToken(), keep)
    return decide(Screen(frame.pixels), request, find)
