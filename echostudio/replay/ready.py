"""Waiting until a step can be done: the right window, the focus where keys should go, the target found.

A refusal from here means that nothing was sent for this step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from echostudio.actionlens import settle, targeting
from echostudio.blobs import BlobStore
from echostudio.cancel import CancelToken
from echostudio.codec import Pixels
from echostudio.desktop.controller import Desktop, Placed
from echostudio.episode.evidence import ElementFacts, ScreenFacts
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import DesktopPoint
from echostudio.episode.memory import AppIdentity, MemoryStep
from echostudio.episode.verdict import ReaimResult, Refusal, RefusalCode
from echostudio.replay.expectation import TEXT_ROLES, needs_focus
from echostudio.replay.flexible import flexible_masks
from echostudio.replay.parking import park
from echostudio.retrieval.gates import next_step
from echostudio.retrieval.state import window_differs
from echostudio.settings import Settings

_POLL = 0.1


@dataclass(slots=True)
class Readiness:
    """What the wait found: the frame that was searched, the results by role, and where the action goes."""

    frame: Frame
    results: dict[str, ReaimResult] = field(default_factory=dict)
    placed: Placed = field(default_factory=Placed)
    refusal: Refusal | None = None
    waited: float = 0.0


@dataclass(frozen=True, slots=True)
class Desk:
    """What every wait needs."""

    desktop: Desktop
    blobs: BlobStore
    settings: Settings
    token: CancelToken
    app: AppIdentity
    program: tuple[MemoryStep, ...]


def wait_ready(desk: Desk, step: MemoryStep, waiting: Callable[[str], None]) -> Readiness:
    """Wait until the step can be done, at most ``ready_timeout_s``; ``waiting`` hears what it waits for."""
    clock, begun = desk.desktop.clock, desk.desktop.clock.now()
    deadline = begun + desk.settings.replay.ready_timeout_s
    wrong = _wait_window(desk, step, deadline, waiting)
    if wrong is not None:
        frame = desk.desktop.grab()
        ready = Readiness(frame, refusal=wrong)
    elif step.targets:
        ready = _wait_targets(desk, step, deadline, waiting)
    else:
        ready = Readiness(desk.desktop.grab(), placed=Placed(key_interval=_pace(desk, step)))
    ready.waited = clock.now() - begun
    return ready


def _wait_window(desk: Desk, step: MemoryStep, deadline: float, waiting: Callable[[str], None]) -> Refusal | None:
    """Wait until the active window, and for keys the focus, are those of the recording."""
    while True:
        problem = _window_problem(desk, step)
        if not problem:
            return None
        waiting(problem)
        if desk.desktop.clock.now() >= deadline:
            code = RefusalCode.STATE_MISMATCH
            return Refusal(code, problem, next_step(code), "state", step.index, "other", "as recorded")
        desk.desktop.clock.sleep(_POLL, desk.token)


def _window_problem(desk: Desk, step: MemoryStep) -> str:
    if step.screen is None or step.screen.window is None:
        return ""
    now = desk.desktop.active_app()
    if now is None:
        return "No window is active."
    problem = window_differs(desk.app, step.screen.window, now)
    if problem or not needs_focus(step):
        return problem
    return focus_problem(step.screen, desk.desktop.focused_element())


def focus_problem(recorded: ScreenFacts, now: ElementFacts | None) -> str:
    """Return why keys would go to the wrong place, or an empty string; unknown focus is no evidence."""
    before = recorded.focus
    if before is None or now is None or before.role not in TEXT_ROLES or now.role in TEXT_ROLES:
        return ""
    return f"The keyboard focus is on the {now.role} “{now.name}”, not in a text field."


def _wait_targets(desk: Desk, step: MemoryStep, deadline: float, waiting: Callable[[str], None]) -> Readiness:
    if park(desk.desktop):
        settle.wait_settled(desk.desktop, desk.settings.replay, desk.token)
    seen: Pixels | None = None
    ready = Readiness(desk.desktop.grab())
    while True:
        if seen is None or not np.array_equal(seen, ready.frame.pixels):
            seen = ready.frame.pixels
            ready.results = _look(desk, step, ready.frame)
        missing = next((result for result in ready.results.values() if not result.accepted), None)
        if missing is None:
            ready.placed = _placed(desk, step, ready)
            return ready
        waiting(missing.sentence)
        if desk.desktop.clock.now() >= deadline:
            ready.refusal = _refused(step, missing)
            return ready
        desk.desktop.clock.sleep(_POLL, desk.token)
        ready.frame, _ = settle.wait_settled(desk.desktop, desk.settings.replay, desk.token)


def _look(desk: Desk, step: MemoryStep, frame: Frame) -> dict[str, ReaimResult]:
    return {
        role: targeting.look(
            desk.desktop,
            frame,
            evidence,
            desk.blobs,
            desk.settings,
            desk.token,
            masks=flexible_masks(desk.program, step, evidence),
        )
        for role, evidence in step.targets.items()
    }


def _placed(desk: Desk, step: MemoryStep, ready: Readiness) -> Placed:
    places: dict[str, DesktopPoint] = {}
    for role, result in ready.results.items():
        if result.point is None:
            continue
        places[role] = ready.frame.screen.to_desktop(result.point)
    return Placed(
        target=places.get("target"), start=places.get("from"), end=places.get("to"), key_interval=_pace(desk, step)
    )


def _pace(desk: Desk, step: MemoryStep) -> float:
    """Follow the demonstration's typing pace, within what programs take and people wait for."""
    recorded = step.key_interval_ms
    milliseconds = desk.settings.replay.key_interval_ms if recorded is None else min(max(recorded, 30.0), 250.0)
    return milliseconds / 1000


def _refused(step: MemoryStep, result: ReaimResult) -> Refusal:
    code = result.code or RefusalCode.TARGET_NOT_FOUND
    measured = {"score": result.best, "margin": result.margin, "check": result.check}
    needed = {"condition": result.condition, "shortfall": result.shortfall}
    return Refusal(code, f"{step.words}: {result.sentence}", next_step(code), None, step.index, measured, needed)
