"""What was seen when a step happened: the window, the element, the crops around the point, and how unique they were."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from echostudio.episode.frame import PictureRef
from echostudio.episode.geometry import DesktopBox, FrameBox, FramePoint, ScreenMap


class CropKind(StrEnum):
    """The three crops around a point, and the one that was widened until it was unique."""

    TARGET = "target"
    CONTEXT = "context"
    WIDE = "wide_context"
    WIDENED = "widened"


class CropVariant(StrEnum):
    """Which frame a crop is cut from: before the pointer came near, or just before the button went down."""

    APPROACH = "approach"
    BEFORE = "before"


@dataclass(frozen=True, slots=True)
class Crop:
    """A box into a stored frame. The click lies at ``point`` (pixel of that frame), not always in the box's middle."""

    kind: CropKind
    variant: CropVariant
    picture: PictureRef
    box: FrameBox
    point: FramePoint


@dataclass(frozen=True, slots=True)
class ElementFacts:
    """One accessible element: role and name as the program tells them, box in desktop space."""

    role: str
    name: str
    box: DesktopBox | None = None
    states: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WindowFacts:
    """A top-level window as the window system tells it; ``box`` is the client area in desktop space."""

    program: str
    window_class: str
    title: str
    box: DesktopBox
    pid: int = 0
    handle: int = 0
    dialog: bool = False
    modal: bool = False
    popup: bool = False
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SelfTest:
    """How well the crops were found in their own frame: best, second best, their gap, and whether that is enough."""

    best: float
    second: float
    margin: float
    passed: bool
    crop: str
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class TargetEvidence:
    """A pointer target: the pixel in the before frame, its crops, the element there if known, and the self test."""

    point: FramePoint
    crops: tuple[Crop, ...]
    screen: ScreenMap
    window: WindowFacts | None = None
    element: ElementFacts | None = None
    element_count: int | None = None
    self_test: SelfTest | None = None


@dataclass(frozen=True, slots=True)
class ScreenFacts:
    """The whole screen at a step: active window, popups above it, focused element."""

    window: WindowFacts | None = None
    popups: tuple[WindowFacts, ...] = ()
    focus: ElementFacts | None = None
    tree: tuple[tuple[str, str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Effect:
    """What lastingly changed between before and after."""

    changed_pixels: int = 0
    boxes: tuple[FrameBox, ...] = ()
    window_changed: bool = False
    title_after: str = ""
    focus_changed: bool = False

    @property
    def any(self) -> bool:
        """Whether the step had an effect at all."""
        return self.changed_pixels > 0 or self.window_changed or self.focus_changed
