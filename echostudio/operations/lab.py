"""What-if re-aim: any step of a memory against any picture, by the very rule that a replay follows; sends nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from echostudio import codec
from echostudio.actionlens import targeting
from echostudio.cancel import CancelToken
from echostudio.episode.evidence import CropVariant, ScreenFacts, TargetEvidence, WindowFacts
from echostudio.episode.frame import Frame, PictureRef
from echostudio.episode.geometry import FrameBox, ScreenMap
from echostudio.episode.memory import Memory, MemoryStep
from echostudio.episode.verdict import ReaimResult
from echostudio.errors import EchoError, UsageError
from echostudio.events import LibraryChanged
from echostudio.operations import desktop as desks
from echostudio.operations import library
from echostudio.operations.services import Services, who
from echostudio.reaim import TargetPictures, re_aim
from echostudio.reaim.lab import decide_again
from echostudio.replay.flexible import flexible_masks
from echostudio.replay.start import settings_for
from echostudio.settings import OWN_THRESHOLDS, ReaimSettings, with_thresholds


@dataclass(frozen=True, eq=False, slots=True)
class LabScreen:
    """A picture to look at: its frame, and which windows it shows as far as that is known.

    ``window`` is the window in which the target must lie where that is known for certain (the recorded one).
    """

    frame: Frame
    facts: ScreenFacts | None = None
    window: WindowFacts | None = None


@dataclass(frozen=True, slots=True)
class StoredScreen:
    """A stored picture of a step: ``recorded``, ``approach`` (before the pointer came near) or of a ``replay``.

    ``result`` is what that replay decided; ``step`` is the step's index.
    """

    kind: str
    picture: PictureRef
    step: int
    at: str = ""
    run: str = ""
    result: ReaimResult | None = None


@dataclass(frozen=True, slots=True)
class Past:
    """One stored decision of a replay: which run and step, and what was seen."""

    run: str
    at: str
    revision: int
    step: int
    words: str
    role: str
    result: ReaimResult
    picture: PictureRef | None = None


@dataclass(frozen=True, slots=True)
class Flip:
    """A stored decision that other thresholds would turn round; not ``known`` where a replay would look further."""

    run: str
    step: int
    was: bool
    would: bool
    past: Past
    known: bool = True


def target(memory: Memory, step_index: int, role: str = "") -> tuple[MemoryStep, str, TargetEvidence]:
    """Return a step, the role of its target (its first one unless named) and the evidence.

    Raises ``UsageError`` for a step that is not there or has no such target.
    """
    if not 0 <= step_index < len(memory.program):
        raise UsageError(f"There is no step {step_index}; this memory has {len(memory.program)}, counted from 0.")
    step = memory.program[step_index]
    if not step.targets:
        raise UsageError(f"Step {step_index} ({step.words}) has no target to look for.", _with_targets(memory))
    chosen = role or next(iter(step.targets))
    if chosen not in step.targets:
        raise UsageError(f"Step {step_index} has no target {role!r}.", f"It has: {', '.join(step.targets)}.")
    return step, chosen, step.targets[chosen]


def policy_of(services: Services, memory: Memory) -> ReaimSettings:
    """Return the thresholds that a replay of this memory uses."""
    return settings_for(memory, services.settings).reaim


def screens(services: Services, memory: Memory, step_index: int, role: str = "") -> tuple[StoredScreen, ...]:
    """Return the stored pictures that make sense for a step: recorded ones first, then of replays, newest first."""
    step, chosen, evidence = target(memory, step_index, role)
    found = [StoredScreen("recorded", step.before, step_index, memory.created)] if step.before else []
    for crop in evidence.crops:
        if all(crop.picture.digest != one.picture.digest for one in found):
            kind = "approach" if crop.variant is CropVariant.APPROACH else "recorded"
            found.append(StoredScreen(kind, crop.picture, step_index, memory.created))
    for one in past(services, memory):
        if one.step == step_index and one.role == chosen and one.picture is not None:
            found.append(StoredScreen("replay", one.picture, step_index, one.at, one.run, one.result))
    return tuple(found)


def load_screen(source: Path | bytes) -> LabScreen:
    """Read a picture file, or its bytes; raises ``PictureError`` when it is none that this program reads."""
    named = "The pasted data" if isinstance(source, bytes) else str(source)
    try:
        pixels = codec.decode(source if isinstance(source, bytes) else source.read_bytes())
    except OSError as fault:
        raise codec.PictureError(f"{named} cannot be read: {fault.strerror}.", "Name a PNG, WebP or JPEG.") from fault
    except codec.PictureError as fault:
        raise codec.PictureError(f"{named}: {fault.sentence}", "Name a PNG, WebP or JPEG of a screen.") from fault
    return screen_of(pixels)


def screen_of(pixels: codec.Pixels) -> LabScreen:
    """Return RGB pixels as a screen of one monitor of which nothing else is known."""
    return LabScreen(Frame(pixels, 0.0, ScreenMap.single(pixels.shape[1], pixels.shape[0])))


def open_screen(services: Services, memory: Memory, stored: StoredScreen, role: str = "") -> LabScreen:
    """Read a stored picture; raises ``MissingPicture`` when it was purged or damaged."""
    digest = stored.picture.digest
    if stored.kind != "replay":
        _, _, evidence = target(memory, stored.step, role)
        pixels = library.picture(services, digest)
        return LabScreen(Frame(pixels, 0.0, evidence.screen), memory.program[stored.step].screen, evidence.window)
    pixels = library.replay_picture(services, stored.run, digest)
    return _as_replayed(services, stored, screen_of(pixels))


def grab(display: str | None) -> LabScreen:
    """Return what a desktop shows now; raises ``DesktopError`` when there is none."""
    with desks.opened(display) as desk:
        frame = desk.grab()
        return LabScreen(frame, desk.screen_facts())


def recorded(services: Services, memory: Memory, step_index: int, role: str = "") -> TargetPictures:
    """Return what is looked for, without the areas that earlier typing may have changed."""
    step, _, evidence = target(memory, step_index, role)
    masks = flexible_masks(memory.program, step, evidence)
    return targeting.pictures(evidence, services.repository.blobs, masks)


def look(
    services: Services,
    memory: Memory,
    step_index: int,
    role: str,
    screen: LabScreen,
    policy: ReaimSettings | None = None,
    token: CancelToken | None = None,
) -> ReaimResult:
    """Look for a step's target on a picture, as a replay would; a picture has no elements, so pixels alone decide.

    Raises ``UsageError`` (no such target), ``MissingPicture`` (evidence is gone), ``Cancelled``.
    """
    _, _, evidence = target(memory, step_index, role)
    return re_aim(
        screen.frame,
        recorded(services, memory, step_index, role),
        policy or policy_of(services, memory),
        window=allowed(evidence, screen),
        token=token,
        keep=services.settings.replay.keep_candidates,
    )


def allowed(evidence: TargetEvidence, screen: LabScreen) -> FrameBox | None:
    """Return the box in which the target must lie on a picture; None when nothing tells, or it lay on no window."""
    recorded_in = evidence.window
    if recorded_in is None or not evidence.screen.box_to_frame(recorded_in.box).contains(evidence.point):
        return None
    window = screen.window or window_now(recorded_in, screen.facts)
    return screen.frame.screen.box_to_frame(window.box) if window is not None else None


def window_now(recorded_in: WindowFacts | None, facts: ScreenFacts | None) -> WindowFacts | None:
    """Return the window that corresponds to the recorded one: its program's popup for a popup, else the active one."""
    if recorded_in is None or facts is None:
        return None
    popups = [one for one in facts.popups if one.program == recorded_in.program]
    return popups[0] if recorded_in.popup and popups else facts.window


def past(services: Services, memory: Memory) -> tuple[Past, ...]:
    """Return every stored decision about a target of this memory, newest replay first."""
    return tuple(
        Past(report.run, report.started, report.revision, step.index, step.words, role, result, step.before)
        for report in services.repository.replays(memory.id)
        for step in report.steps
        for role, result in step.reaim.items()
    )


def flipped(decisions: Sequence[Past], policy: ReaimSettings, searched: ReaimSettings) -> tuple[Flip, ...]:
    """Return the stored decisions that these thresholds would turn round; nothing is searched again.

    ``searched`` are the thresholds of the replays. What an element vouched for stays accepted: only where both sets of
    thresholds judge the pixels differently is anything turned round.
    """
    found = []
    for one in decisions:
        before, after = decide_again(one.result, searched, searched), decide_again(one.result, policy, searched)
        would, was = after.result.accepted, one.result.accepted
        if would != before.result.accepted and would != was:
            found.append(Flip(one.run, one.step, was, would, one, after.known))
    return tuple(found)


def flips(services: Services, memory: Memory, policy: ReaimSettings) -> tuple[Flip, ...]:
    """Return which stored decisions of all replays of a memory these thresholds would turn round."""
    return flipped(past(services, memory), policy, policy_of(services, memory))


def own_thresholds(services: Services, policy: ReaimSettings) -> dict[str, float]:
    """Return the thresholds of a policy that differ from the general settings."""
    general = services.settings.reaim
    chosen = {name: float(getattr(policy, name)) for name in OWN_THRESHOLDS}
    return {name: value for name, value in chosen.items() if value != getattr(general, name)}


def save_policy(services: Services, memory: Memory, policy: ReaimSettings, reason: str) -> Memory:
    """Keep thresholds as a setting of this memory: a new revision, candidate, that replays use once it is promoted.

    Raises ``UsageError`` without a reason or when nothing changes, ``SettingsError`` for a value out of range.
    """
    if not reason.strip():
        raise UsageError("A reason is needed.", "Say in a few words why this memory needs other thresholds.")
    own = own_thresholds(services, policy)
    with_thresholds(services.settings.reaim, own)
    if own == memory.policy:
        raise UsageError("These are the thresholds that the memory has already.")
    before, after = policy_of(services, memory), policy
    changes = ", ".join(
        f"{name} {getattr(before, name):g} to {getattr(after, name):g}"
        for name in OWN_THRESHOLDS
        if getattr(before, name) != getattr(after, name)
    )
    stored = services.repository.revise(
        replace(memory, policy=own), who(), f"thresholds: {changes or 'as in the settings'}. {reason.strip()}"
    )
    services.bus.publish(LibraryChanged((stored.id,)))
    return stored


def _with_targets(memory: Memory) -> str:
    able = [str(step.index) for step in memory.program if step.targets]
    return f"These steps have one: {', '.join(able)}." if able else "No step of this memory has one."


def _as_replayed(services: Services, stored: StoredScreen, screen: LabScreen) -> LabScreen:
    """Add which monitors and windows a replay saw: at that step, else where the step before left them."""
    try:
        run = library.run(services, stored.run)
    except EchoError:
        return screen
    monitors, frame = run.manifest.screen, screen.frame
    if (monitors.frame_width, monitors.frame_height) == (frame.box.width, frame.box.height):
        frame = replace(frame, screen=monitors)
    done = {step.index: step for step in run.steps}
    here, before = done.get(stored.step), done.get(stored.step - 1)
    facts = here.screen_before if here else before.screen_after if before else None
    return LabScreen(frame, facts)
