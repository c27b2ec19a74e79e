"""What is kept of the moment before an action: the frame, the window facts, and the evidence of each target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from echostudio.actionlens import crops
from echostudio.actionlens.drafts import Draft
from echostudio.actionlens.frame_ring import FrameRing
from echostudio.actionlens.pointer_track import PointerTrack
from echostudio.actionlens.runfolder import RunWriter
from echostudio.actionlens.watch import Standing, Watch
from echostudio.episode.evidence import (
    Crop,
    CropVariant,
    ElementFacts,
    ScreenFacts,
    SelfTest,
    TargetEvidence,
    WindowFacts,
)
from echostudio.episode.frame import Frame, PictureRef
from echostudio.episode.geometry import DesktopBox, DesktopPoint, FrameBox, FramePoint, ScreenMap
from echostudio.episode.structure import normalised
from echostudio.reaim import CropPicture, self_test
from echostudio.settings import Settings

_PATIENCE_SECONDS = 0.3
_WIDER = (1.5, 2.0, 2.7)


@dataclass(frozen=True, slots=True)
class Scene:
    """The screen before an action; ``frame`` is None when the action came before the first grab."""

    frame: Frame | None
    picture: PictureRef | None
    facts: ScreenFacts | None
    standing: Standing | None
    age_ms: float | None
    targets: dict[str, TargetEvidence] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Near:
    """A press at ``place`` and time ``at``, and the pressed element's box in the frame when it is known."""

    place: DesktopPoint
    at: float
    element: FrameBox | None


class SceneTaker:
    """Takes scenes from the ring and the watch, and stores their pictures."""

    def __init__(
        self, writer: RunWriter, ring: FrameRing, watch: Watch, track: PointerTrack, settings: Settings
    ) -> None:
        self._writer = writer
        self._ring = ring
        self._watch = watch
        self._track = track
        self._policy = settings.reaim
        self.secret_boxes: Sequence[DesktopBox] = ()

    def take(self, draft: Draft) -> Scene:
        """Keep the newest frame strictly before the action's first input, and cut its targets."""
        at = draft.started
        frame = self._ring.newest_before(at)
        facts, standing = self._watch.facts_before(at), self._watch.standing_before(at)
        if frame is None:
            return Scene(None, None, facts, standing, None)
        scene = Scene(frame, self.store(frame), facts, standing, (at - frame.taken) * 1000)
        return replace(scene, targets=self.targets(scene, draft))

    def store(self, frame: Frame) -> PictureRef:
        """Store a frame with every known password field painted over."""
        boxes = [frame.screen.box_to_frame(box) for box in self.secret_boxes]
        return self._writer.put_frame(frame, boxes)

    def targets(self, scene: Scene, draft: Draft) -> dict[str, TargetEvidence]:
        """Return the evidence of every place of the action in a scene."""
        if scene.frame is None or scene.picture is None:
            return {}
        found = {}
        for role, point in draft.points:
            at = draft.ended if role == "to" else draft.started
            element = self._watch.element(point, at, 0.0 if role == "to" else _PATIENCE_SECONDS)
            found[role] = self._target(scene, scene.frame, scene.picture, point, draft.started, element)
        return found

    def tested(self, scene: Scene, evidence: TargetEvidence, hurry: Callable[[], bool]) -> TargetEvidence:
        """Match the crops against their own frame; widen them until the target is unique there, or ``hurry`` holds."""
        frame = scene.frame
        own = [crop for crop in evidence.crops if crop.variant is CropVariant.BEFORE]
        if frame is None or not own:
            return evidence
        result = self_test(frame, [_picture(frame, crop) for crop in own], self._policy)
        widened: list[Crop] = []
        window = _window_box(evidence, frame)
        largest = max(own, key=lambda crop: crop.box.width * crop.box.height).box
        for factor in () if result.passed or self._weak(result) else _WIDER:
            size = round(self._policy.wide_crop * factor)
            crop = crops.widened(own[0].picture, evidence.point, window, size, CropVariant.BEFORE)
            if crop.box == largest or hurry():
                break
            largest, trial = crop.box, self_test(frame, [_picture(frame, crop)], self._policy)
            if trial.margin > result.margin or trial.passed:
                result, widened = trial, [crop]
            if trial.passed:
                break
        return replace(evidence, crops=(*evidence.crops, *widened), self_test=result)

    def _weak(self, result: SelfTest) -> bool:
        """Whether the surroundings are unique and the target itself is flat: no wider crop changes that."""
        return result.best >= self._policy.eta_match and result.margin >= self._policy.eta_margin

    def _target(
        self,
        scene: Scene,
        frame: Frame,
        picture: PictureRef,
        place: DesktopPoint,
        at: float,
        element: ElementFacts | None,
    ) -> TargetEvidence:
        point = frame.screen.to_frame(place)
        window = scene.standing.under(place) if scene.standing is not None else None
        box = frame.screen.box_to_frame(window.box) if window is not None else None
        cuts = crops.cut(picture, point, box, self._policy)
        around = frame.screen.box_to_frame(element.box) if element is not None and element.box is not None else None
        approach = self._approach(frame, window, _Near(place, at, around), cuts)
        return TargetEvidence(point, (*cuts, *approach), frame.screen, window, element, _count(scene.facts, element))

    def _approach(self, frame: Frame, window: WindowFacts | None, near: _Near, cuts: tuple[Crop, ...]) -> list[Crop]:
        """Cut the same boxes from frames in which the pointer had not come near: without its highlight."""
        found: list[Crop] = []
        wide = cuts[-1].box if cuts else None
        last: Frame | None = None
        for crop in cuts:
            avoid = crop.box if near.element is None else _union(crop.box, near.element)
            earlier = self._ring.newest_where_pointer_outside(_to_desktop(frame.screen, avoid), near.at, self._track)
            chosen = next((one for one in (earlier, last) if self._shows_same(one, frame, window, near, wide)), None)
            if chosen is not None:
                last = chosen
                found.append(replace(crop, variant=CropVariant.APPROACH, picture=self.store(chosen)))
        return found

    def _shows_same(
        self, earlier: Frame | None, frame: Frame, window: WindowFacts | None, near: _Near, box: FrameBox | None
    ) -> bool:
        """Whether the earlier frame has the same window at the point, and the same things in it."""
        if earlier is None or box is None:
            return False
        standing = self._watch.standing_before(earlier.taken)
        then = standing.under(near.place) if standing is not None else None
        if then is not None and window is not None and then.handle != window.handle:
            return False
        return crops.same_place(earlier.pixels, frame.pixels, box)


def _picture(frame: Frame, crop: Crop) -> CropPicture:
    box = crop.box
    pixels = frame.pixels[box.y : box.bottom, box.x : box.right]
    point = FramePoint(crop.point.x - box.x, crop.point.y - box.y)
    return CropPicture(crop.kind, crop.variant, pixels, point)


def _window_box(evidence: TargetEvidence, frame: Frame) -> FrameBox | None:
    return frame.screen.box_to_frame(evidence.window.box) if evidence.window is not None else None


def _count(facts: ScreenFacts | None, element: ElementFacts | None) -> int | None:
    """Return how many elements carry the same role and name, None when the structure cannot tell.

    The structure folds names; one whose digits were folded away stands for several.
    """
    if facts is None or element is None or not element.name or any(sign.isdigit() for sign in element.name):
        return None
    folded = normalised(element.name)
    return sum(count for role, name, count in facts.tree if role == element.role and normalised(name) == folded) or None


def _union(one: FrameBox, two: FrameBox) -> FrameBox:
    """Join the boxes, unless the second is so large (a document, a list) that the pointer never leaves it."""
    if two.width * two.height > 16 * one.width * one.height:
        return one
    left, top = min(one.x, two.x), min(one.y, two.y)
    return FrameBox(left, top, max(one.right, two.right) - left, max(one.bottom, two.bottom) - top)


def _to_desktop(screen: ScreenMap, box: FrameBox) -> DesktopBox:
    first = screen.to_desktop(FramePoint(box.x, box.y))
    last = screen.to_desktop(FramePoint(max(box.x, box.right - 1), max(box.y, box.bottom - 1)))
    return DesktopBox(first.x, first.y, last.x - first.x + 1, last.y - first.y + 1)
