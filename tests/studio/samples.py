"""A real memory, run and replay as values, with pictures in a blob store; painted here or taken from files."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from echostudio.blobs import BlobStore
from echostudio.codec import Pixels
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.check import Check, CheckResult
from echostudio.episode.evidence import (
    Crop,
    CropKind,
    CropVariant,
    Effect,
    ElementFacts,
    ScreenFacts,
    SelfTest,
    TargetEvidence,
    WindowFacts,
)
from echostudio.episode.field import Binding, Field, FieldKind
from echostudio.episode.frame import PictureRef
from echostudio.episode.geometry import DesktopBox, FrameBox, FramePoint, ScreenMap
from echostudio.episode.memory import AppIdentity, DroppedStep, Memory, MemoryStep, Preconditions, Reasoning, Validation
from echostudio.episode.report import ReplayReport, StepReport
from echostudio.episode.run import Health, Manifest, Run, RunSource
from echostudio.episode.step import Step, StepStatus
from echostudio.episode.verdict import (
    CropMatch,
    GateName,
    GateVerdict,
    Outcome,
    ReaimResult,
    Refusal,
    RefusalCode,
    Route,
    Verdict,
)

SIZE = (480, 270)


@dataclass(frozen=True)
class Spot:
    """Where a target lies in a frame, and how large it is."""

    x: int
    y: int
    width: int = 40
    height: int = 12


def paint(seed: int, spots: tuple[Spot, ...] = ()) -> Pixels:
    """Paint a small screen: a window, some buttons, a little noise that makes each picture its own."""
    picture = np.full((SIZE[1], SIZE[0], 3), 40, np.uint8)
    picture[20:250, 40:440] = 245
    picture[20:34, 40:440] = (90, 120, 180)
    noise = np.random.default_rng(seed).integers(0, 255, (6, 60, 3), dtype=np.uint8)
    picture[60:66, 60:120] = noise
    for spot in spots:
        top, left = spot.y - spot.height // 2, spot.x - spot.width // 2
        picture[top : top + spot.height, left : left + spot.width] = (200, 205, 215)
    return picture


SPOTS = (Spot(70, 46), Spot(80, 90), Spot(200, 60, 120, 16), Spot(380, 230))
WINDOW = WindowFacts("mousepad", "Mousepad", "*Untitled 1 - Mousepad", DesktopBox(40, 20, 400, 230), pid=4711)


class Sample:
    """Puts frames into a store and makes the values that refer to them."""

    def __init__(self, blobs: BlobStore, frames: tuple[Pixels, ...] = (), spots: tuple[Spot, ...] = SPOTS) -> None:
        self.blobs = blobs
        self.frames = frames or tuple(paint(seed, SPOTS[: seed % 5]) for seed in range(6))
        self.spots = spots
        self.refs = tuple(self._put(frame) for frame in self.frames)

    def _put(self, frame: Pixels) -> PictureRef:
        return PictureRef(self.blobs.put(frame), frame.shape[1], frame.shape[0])

    def target(self, frame: int, spot: Spot, name: str, margin: float = 0.214) -> TargetEvidence:
        picture = self.refs[frame]
        point = FramePoint(spot.x, spot.y)
        whole = FrameBox(0, 0, picture.width, picture.height)
        crops = tuple(
            Crop(kind, CropVariant.BEFORE, picture, _around(point, edge).clipped(whole), point)
            for kind, edge in ((CropKind.TARGET, 48), (CropKind.CONTEXT, 96), (CropKind.WIDE, 192))
        )
        box = DesktopBox(spot.x - spot.width // 2, spot.y - spot.height // 2, spot.width, spot.height)
        passed = margin >= 0.02
        test = SelfTest(
            1.0, 1.0 - margin, margin, passed, "context", "" if passed else "A twin of the target is on the screen."
        )
        return TargetEvidence(
            point,
            crops,
            ScreenMap.single(picture.width, picture.height),
            WINDOW,
            ElementFacts("menu item", name, box),
            1,
            test,
        )

    def steps(self) -> tuple[MemoryStep, ...]:
        facts = ScreenFacts(WINDOW, focus=ElementFacts("text", "editor"))
        menu, item, entry, button = self.spots
        click = {"button": "left", "count": 1, "modifiers": [], "target.text": ""}
        plan = (
            (
                Action(ActionKind.TYPE, {"text": "Quarterly report\nSales grew by four percent.\n"}),
                "Type “Quarterly report…”",
                None,
                0.6,
            ),
            (Action(ActionKind.CLICK, {**click, "target.text": "File"}), "Click “File”", (menu, "File", 0.214), 0.9),
            (
                Action(ActionKind.CLICK, {**click, "target.text": "Save As…"}),
                "Click “Save As…”",
                (item, "Save As…", 0.131),
                1.1,
            ),
            (Action(ActionKind.TYPE, {"text": "report.txt"}), "Type “report.txt”", None, 6.2),
            (Action(ActionKind.CLICK, {**click, "target.text": "Save"}), "Click “Save”", (button, "Save", 0.041), 1.4),
        )
        made = []
        for index, (action, words, aim, pause) in enumerate(plan):
            targets = {"target": self.target(index, aim[0], aim[1], aim[2])} if aim else {}
            effect = Effect(
                18400 - 900 * index,
                (FrameBox(self.spots[1].x, self.spots[1].y, 90, 60),),
                index == 4,
                "report.txt - Mousepad",
            )
            made.append(
                MemoryStep(
                    index,
                    index + (1 if index > 1 else 0),
                    action,
                    words,
                    self.refs[index],
                    self.refs[index + 1],
                    facts,
                    facts,
                    targets,
                    effect,
                    pause,
                    risky=index == 4,
                )
            )
        return tuple(made)

    def memory(self, intent: str = "Save a report as a named text file", ref: str = "m-2a41c7d0") -> Memory:
        results = (
            CheckResult("file_exists", True, "report.txt exists", "exists, 44 bytes"),
            CheckResult("text_contains", True, "“four percent”", "found in line 2"),
        )
        dropped = DroppedStep(2, "Click “Edit”", "click", "no effect")
        return Memory(
            ref,
            1,
            intent,
            AppIdentity("mousepad", "Mousepad", "Mousepad", ("mousepad",)),
            Preconditions(ScreenFacts(WINDOW), "report.txt"),
            self.steps(),
            Reasoning(True, (), (), (dropped,)),
            fields=(
                Field(
                    "file_name",
                    (Binding(3, "text"),),
                    FieldKind.PATH,
                    r"[\w.-]+\.txt",
                    (),
                    "report.txt",
                    "Name of the file",
                ),
                Field(
                    "body",
                    (Binding(0, "text"),),
                    FieldKind.TEXT,
                    "",
                    (),
                    "Quarterly report\nSales grew by four percent.\n",
                ),
            ),
            checks=(
                Check("file_exists", {"path": "{file_name}"}),
                Check("text_contains", {"path": "{file_name}", "text": "percent"}),
            ),
            validation=Validation("2026-11-30T10:00:00.000+00:00", results),
            phrases=("store the report",),
            source_run="20261130-114205-7c1d",
            created="2026-11-30T10:00:00.000+00:00",
            desktop_kind="virtual",
        )

    def run(self, run_id: str = "20261130-114205-7c1d") -> Run:
        width, height = self.refs[0].width, self.refs[0].height
        manifest = Manifest(
            run_id,
            RunSource.HUMAN,
            "Save a report as a named text file",
            "virtual",
            ScreenMap.single(width, height),
            "2026-11-30T09:58:00.000+00:00",
            "maria",
            app=WINDOW,
            ended="2026-11-30T09:58:20.000+00:00",
            complete=True,
            health=Health(212, 212, frames=12),
        )
        steps, at = [], 0.5
        for step in self.memory().program:
            steps.append(
                Step(
                    step.index,
                    f"s{step.index}",
                    step.action,
                    step.words,
                    "2026-11-30T09:58:01.000+00:00",
                    at,
                    at + 0.4,
                    StepStatus.DONE,
                    "",
                    step.before,
                    step.after,
                    step.screen,
                    step.screen_after,
                    step.targets,
                    step.effect,
                    before_age_ms=22.0,
                    settled_ms=310.0,
                )
            )
            at += 0.4 + step.seconds
        return Run(manifest, tuple(steps))


def _around(point: FramePoint, edge: int) -> FrameBox:
    return FrameBox(point.x - edge // 2, point.y - edge // 2, edge, edge)


def gates() -> tuple[GateVerdict, ...]:
    """Return nine judged gates, all accepted."""
    facts: tuple[tuple[GateName, object, object, str], ...] = (
        (GateName.LIFECYCLE, "active", "active", "The memory is active."),
        (GateName.TASK_TYPE, "save", "save", "Both save something."),
        (GateName.APP, "mousepad", "mousepad", "The program is open."),
        (GateName.VALIDATION, "2 of 2", "all", "Every check passed on the demonstration."),
        (GateName.REASONING, "viable", "viable", "The report has no blocker."),
        (GateName.PRIMITIVES, "2 kinds", "supported", "Every action can be done here."),
        (GateName.INTENT, 0.91, 0.18, "The request means this memory."),
        (GateName.FIELDS, "1 changed", "declared", "Only file_name changes."),
        (GateName.STATE, 0.97, 0.75, "The screen is the recorded start."),
    )
    return tuple(
        GateVerdict(gate, Verdict.ACCEPTED, measured, needed, words) for gate, measured, needed, words in facts
    )


def match(point: FramePoint, best: float, second: float, other: FrameBox, *, accepted: bool = True) -> ReaimResult:
    """Return what re-aim said about a place and its best rival."""
    box = _around(point, 96)
    margin = round(best - second, 3)
    crops = tuple(
        CropMatch(
            kind, "before", best - place * 0.004, second, margin, 1.0, box, other, point, (), accepted, 0.97, 11.0
        )
        for place, kind in enumerate(("context", "wide_context"))
    )
    return ReaimResult(
        accepted,
        point if accepted else None,
        None if accepted else RefusalCode.TARGET_AMBIGUOUS,
        "" if accepted else "margin",
        0.0 if accepted else 0.02 - margin,
        "Found by context." if accepted else "Two places match almost equally well.",
        best,
        second,
        margin,
        1.0,
        "context",
        "before",
        0.97,
        box,
        other,
        "pixels",
        crops,
        {"total": 34.0},
    )


def refused_report(
    memory: Memory, refs: tuple[PictureRef, ...], spots: tuple[Spot, ...], run: str = "20261130-141102-aa07"
) -> ReplayReport:
    """Return a replay that stopped before its last step: two places look the same."""
    rival = FrameBox(spots[3].x - 138, spots[3].y - 48, 96, 96)
    steps = []
    for step in memory.program[:4]:
        route = Route.B if step.action.kind == ActionKind.TYPE else Route.A
        reaim = {"target": match(_point(spots[step.index - 1]), 0.998, 0.74, rival)} if step.targets else {}
        words = "Type “summary.txt”" if step.index == 3 else step.words
        steps.append(
            StepReport(
                step.index, words, "done", route, reaim, refs[step.index], refs[step.index + 1], 1800, 410.0, 60.0
            )
        )
    aim = match(_point(spots[3]), 0.941, 0.934, rival, accepted=False)
    steps.append(
        StepReport(4, memory.program[4].words, "refused", Route.A, {"target": aim}, refs[4], None, 0, 120.0, 900.0)
    )
    refusal = Refusal(
        RefusalCode.TARGET_AMBIGUOUS,
        "“Save” and the button beside it match almost equally well in every crop, so nothing was clicked.",
        "Pick the target on the live screen, or do this step by hand.",
        None,
        4,
        0.007,
        0.02,
    )
    return ReplayReport(
        memory.id,
        memory.revision,
        run,
        memory.intent,
        Outcome.REFUSED,
        refusal,
        gates(),
        tuple(steps),
        {"file_name": "summary.txt"},
        (),
        ("The text typed in step 1 is in the editor, not saved.",),
        "2026-11-30T14:11:02.000+00:00",
        4.1,
        {"file_name": "summary.txt", "body": "Monthly summary\n"},
        False,
        ":98",
    )


def verified_report(
    memory: Memory, refs: tuple[PictureRef, ...], spots: tuple[Spot, ...], run: str = "20261130-150000-bb18"
) -> ReplayReport:
    """Return the same replay, done and proved."""
    refused = refused_report(memory, refs, spots, run)
    last = replace(
        refused.steps[4],
        status="done",
        reaim={"target": match(_point(spots[3]), 0.991, 0.83, FrameBox(4, 4, 96, 96))},
        after=refs[5],
        changed_pixels=900,
    )
    checks = (
        CheckResult("file_exists", True, "summary.txt exists", "exists, 40 bytes"),
        CheckResult("text_contains", True, "“percent”", "found in line 2"),
    )
    return replace(
        refused,
        outcome=Outcome.VERIFIED,
        refusal=None,
        steps=(*refused.steps[:4], last),
        checks=checks,
        undo=(),
        seconds=5.6,
    )


def _point(spot: Spot) -> FramePoint:
    return FramePoint(spot.x, spot.y)
