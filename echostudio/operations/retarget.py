"""Give a step's target new evidence: picked again on a picture, or with other crops; always a new revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from echostudio.actionlens import crops
from echostudio.codec import Pixels
from echostudio.episode.evidence import Crop, CropKind, CropVariant, SelfTest, TargetEvidence
from echostudio.episode.frame import PictureRef
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.episode.memory import Memory, MemoryStep
from echostudio.errors import UsageError
from echostudio.events import LibraryChanged
from echostudio.operations import lab
from echostudio.operations.lab import LabScreen
from echostudio.operations.services import Services, who
from echostudio.reaim import CropPicture, self_test
from echostudio.settings import ReaimSettings

SMALLEST = 24


@dataclass(frozen=True, slots=True)
class Proposal:
    """A target as it would be: the click, and the crop boxes round it; all in pixels of one picture."""

    point: FramePoint
    boxes: Mapping[CropKind, FrameBox]

    def moved(self, kind: CropKind, box: FrameBox, picture: FrameBox) -> Proposal:
        """Return the proposal with another box for one crop, held inside the picture, round the click, not too small.

        Larger crops grow with it, so that the order from target to wide context stays.
        """
        order = tuple(self.boxes)
        chosen = _held(box, self.point, picture)
        boxes = dict(self.boxes)
        boxes[kind] = chosen
        for wider in order[order.index(kind) + 1 :]:
            boxes[wider] = _joined(boxes[wider], chosen)
        for tighter in order[: order.index(kind)]:
            boxes[tighter] = boxes[tighter].clipped(chosen)
        return Proposal(self.point, boxes)


def as_recorded(evidence: TargetEvidence) -> Proposal:
    """Return the target as it is now, in the picture just before the input."""
    own = [crop for crop in evidence.crops if crop.variant is CropVariant.BEFORE] or list(evidence.crops)
    return Proposal(evidence.point, {crop.kind: crop.box for crop in own})


def proposed(screen: LabScreen, point: FramePoint, window: FrameBox | None, policy: ReaimSettings) -> Proposal:
    """Return a target at ``point`` with crops of the usual sizes, clipped to the window; raises ``UsageError``."""
    whole = screen.frame.box
    if not whole.contains(point):
        raise UsageError("This place lies outside the picture.")
    boxes = {kind: crops.box_around(point, size, whole, window) for kind, size in crops.sizes(policy).items()}
    return Proposal(point, boxes)


def tested(pixels: Pixels, proposal: Proposal, policy: ReaimSettings) -> SelfTest:
    """Return whether the target could be told from everything else on its own picture, and by which margin."""
    screen = lab.screen_of(pixels)
    return self_test(screen.frame, [_cut(pixels, kind, box, proposal) for kind, box in proposal.boxes.items()], policy)


def repick(
    services: Services, memory: Memory, step_index: int, role: str, screen: LabScreen, proposal: Proposal, reason: str
) -> Memory:
    """Store a target that was picked again as a new revision, candidate, with new evidence and its self test.

    The element is kept only when the click stays inside it on the recorded picture: on another picture nobody knows
    what lies there. Raises ``UsageError`` without a reason, or for a click outside the picture or a crop.
    """
    step, role, evidence = lab.target(memory, step_index, role)
    _sound(proposal, screen.frame.box, reason)
    picture = _stored(services, screen)
    own = tuple(Crop(kind, CropVariant.BEFORE, picture, box, proposal.point) for kind, box in proposal.boxes.items())
    same_picture = any(crop.picture.digest == picture.digest for crop in evidence.crops)
    kept = _approach(evidence, proposal) if same_picture and proposal.point == evidence.point else ()
    element_stays = same_picture and _in_element(evidence, proposal.point)
    fresh = replace(
        evidence,
        point=proposal.point,
        crops=(*own, *kept),
        screen=screen.frame.screen,
        window=evidence.window if same_picture else lab.window_now(evidence.window, screen.facts),
        element=evidence.element if element_stays else None,
        element_count=evidence.element_count if element_stays else None,
        self_test=tested(screen.frame.pixels, proposal, lab.policy_of(services, memory)),
    )
    before = picture if len(step.targets) == 1 and not same_picture else step.before
    changed = replace(step, before=before, targets={**step.targets, role: fresh})
    return _revise(services, memory, changed, f"target of step {step_index} picked again. {reason.strip()}")


def adjust_crop(
    services: Services, memory: Memory, step_index: int, role: str, kind: CropKind, box: FrameBox, reason: str
) -> Memory:
    """Store another box for one crop of the recorded picture as a new revision; the self test is run anew."""
    step, role, evidence = lab.target(memory, step_index, role)
    own = next((crop for crop in evidence.crops if crop.variant is CropVariant.BEFORE), None)
    if own is None or step.before is None:
        raise UsageError("This target has no recorded picture to cut from.")
    stored = lab.StoredScreen("recorded", own.picture, step_index)
    screen = lab.open_screen(services, memory, stored, role)
    now = as_recorded(evidence)
    if kind not in now.boxes:
        raise UsageError(f"This target has no {kind.value.replace('_', ' ')} crop.")
    return repick(services, memory, step_index, role, screen, now.moved(kind, box, screen.frame.box), reason)


def _sound(proposal: Proposal, picture: FrameBox, reason: str) -> None:
    if not reason.strip():
        raise UsageError("A reason is needed.", "Say in a few words why the target is picked again.")
    if not picture.contains(proposal.point):
        raise UsageError("This place lies outside the picture.")
    for kind, box in proposal.boxes.items():
        if not box.contains(proposal.point) or box.clipped(picture) != box:
            raise UsageError(f"The {kind.value.replace('_', ' ')} crop must hold the click and lie in the picture.")


def _stored(services: Services, screen: LabScreen) -> PictureRef:
    box = screen.frame.box
    return PictureRef(services.repository.blobs.put(screen.frame.pixels), box.width, box.height)


def _approach(evidence: TargetEvidence, proposal: Proposal) -> tuple[Crop, ...]:
    """Return the crops from before the pointer came near, in the same boxes: they show the same place."""
    return tuple(
        replace(crop, box=proposal.boxes[crop.kind])
        for crop in evidence.crops
        if crop.variant is CropVariant.APPROACH and crop.kind in proposal.boxes
    )


def _in_element(evidence: TargetEvidence, point: FramePoint) -> bool:
    box = evidence.element.box if evidence.element else None
    return point == evidence.point or (box is not None and evidence.screen.box_to_frame(box).contains(point))


def _revise(services: Services, memory: Memory, step: MemoryStep, reason: str) -> Memory:
    program = tuple(step if one.index == step.index else one for one in memory.program)
    stored = services.repository.revise(replace(memory, program=program), who(), reason)
    services.bus.publish(LibraryChanged((stored.id,)))
    return stored


def _cut(pixels: Pixels, kind: CropKind, box: FrameBox, proposal: Proposal) -> CropPicture:
    inside = FramePoint(proposal.point.x - box.x, proposal.point.y - box.y)
    return CropPicture(kind, CropVariant.BEFORE, pixels[box.y : box.bottom, box.x : box.right], inside)


def _held(box: FrameBox, point: FramePoint, picture: FrameBox) -> FrameBox:
    """Grow or move the sides so that the box holds the click with some surroundings, and clip it to the picture."""
    half = SMALLEST // 2
    left, top = min(box.x, point.x - half), min(box.y, point.y - half)
    right, bottom = max(box.right, point.x + half), max(box.bottom, point.y + half)
    return FrameBox(left, top, right - left, bottom - top).clipped(picture)


def _joined(one: FrameBox, two: FrameBox) -> FrameBox:
    left, top = min(one.x, two.x), min(one.y, two.y)
    return FrameBox(left, top, max(one.right, two.right) - left, max(one.bottom, two.bottom) - top)
