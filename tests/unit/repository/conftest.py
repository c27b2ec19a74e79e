"""A library in a fresh folder, and memories with real small pictures."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from echostudio.blobs import BlobStore
from echostudio.episode.action import Action, ActionKind
from echostudio.episode.check import Check
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
from echostudio.episode.memory import AppIdentity, Memory, MemoryStep, Preconditions, Reasoning
from echostudio.episode.report import ReplayReport, StepReport
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
from echostudio.repository import Repository

WIDTH, HEIGHT = 32, 20
MakeMemory = Callable[..., Memory]


def picture(store: BlobStore, seed: int) -> PictureRef:
    pixels = np.random.default_rng(seed).integers(0, 255, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    return PictureRef(store.put(pixels), WIDTH, HEIGHT)


def evidence(ref: PictureRef) -> TargetEvidence:
    point = FramePoint(10, 8)
    crop = Crop(CropKind.CONTEXT, CropVariant.APPROACH, ref, FrameBox(2, 2, 16, 12), point)
    window = WindowFacts("mousepad", "Mousepad", "Untitled 1 - Mousepad", DesktopBox(0, 0, WIDTH, HEIGHT))
    return TargetEvidence(
        point=point,
        crops=(crop,),
        screen=ScreenMap.single(WIDTH, HEIGHT),
        window=window,
        element=ElementFacts("push button", "Save", DesktopBox(5, 5, 10, 8)),
        element_count=1,
        self_test=SelfTest(0.99, 0.41, 0.58, True, "context"),
    )


def program(store: BlobStore, seed: int) -> tuple[MemoryStep, ...]:
    before, after, approach = (picture(store, seed + offset) for offset in range(3))
    screen = ScreenFacts(window=evidence(approach).window, tree=(("push button", "Save", 1),))
    return (
        MemoryStep(
            index=0,
            run_step=1,
            action=Action(ActionKind.CLICK, {"button": "left", "count": 1, "modifiers": []}),
            words="Click “Save”",
            before=before,
            after=after,
            screen=screen,
            targets={"target": evidence(approach)},
            effect=Effect(120, (FrameBox(1, 2, 3, 4),)),
            seconds=1.25,
        ),
        MemoryStep(
            index=1,
            run_step=3,
            action=Action(ActionKind.TYPE, {"text": "notes.txt"}),
            words="Type “notes.txt”",
            key_interval_ms=92.5,
        ),
    )


def report(memory: str, run: str, outcome: Outcome = Outcome.VERIFIED, *, dry_run: bool = False) -> ReplayReport:
    match = CropMatch("context", "approach", 0.98, 0.4, 0.58, 1.0, None, None, None, (), True, 0.9, 12.0)
    found = ReaimResult(
        True, None, None, "", 0.0, "Found.", 0.98, 0.4, 0.58, 1.0, "context", "approach", 0.9, None, None, "pixels",
        (match,), {"sweep": 9.5},
    )  # fmt: skip
    refusal = Refusal(RefusalCode.TARGET_AMBIGUOUS, "Two.", "Pick one.", step=0, measured=0.01, needed=0.02)
    return ReplayReport(
        memory=memory,
        revision=1,
        run=run,
        intent="Save",
        outcome=outcome,
        refusal=refusal if outcome is Outcome.REFUSED else None,
        gates=(GateVerdict(GateName.APP, Verdict.ACCEPTED, "mousepad", "mousepad", "Right."),),
        steps=(
            StepReport(0, "Click “Save”", "done", Route.A, {"target": found}, ms=120.0),
            StepReport(1, "Type", "done", Route.B),
        ),
        changed={"file_name": "other.txt"},
        checks=(),
        undo=("other.txt was written",),
        started="2026-11-30T12:00:00.000Z",
        seconds=4.5,
        dry_run=dry_run,
    )


@pytest.fixture
def make_report() -> Callable[..., ReplayReport]:
    """Build a replay report with a re-aim result in it."""
    return report


@pytest.fixture
def source(tmp_path: Path) -> BlobStore:
    """The pictures of a run, from which a memory is added."""
    return BlobStore(tmp_path / "run" / "assets")


@pytest.fixture
def make_memory(source: BlobStore) -> MakeMemory:
    """Build a memory whose pictures lie in ``source``."""

    def make(intent: str = "Save two lines as notes", memory_id: str = "save-two-lines-x7k2", seed: int = 1) -> Memory:
        return Memory(
            id=memory_id,
            revision=1,
            intent=intent,
            app=AppIdentity("mousepad", "Mousepad", "Mousepad", ("mousepad",)),
            preconditions=Preconditions(ScreenFacts(), "Untitled 1 - Mousepad"),
            program=program(source, seed),
            reasoning=Reasoning(True),
            fields=(Field("file_name", (Binding(1, "text"),), FieldKind.PATH, recorded="notes.txt"),),
            checks=(Check("file_exists", {"path": "{file_name}"}),),
            source_run="run-1",
            desktop_kind="virtual",
        )

    return make


@pytest.fixture
def library_folder(tmp_path: Path) -> Path:
    return tmp_path / "library"


@pytest.fixture(scope="session")
def empty_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty library on disk, copied for each test: making the tables takes longer than most tests."""
    folder = tmp_path_factory.mktemp("empty") / "library"
    Repository.open(folder).close()
    return folder


@pytest.fixture
def library(library_folder: Path, empty_library: Path) -> Iterator[Repository]:
    shutil.copytree(empty_library, library_folder)
    opened = Repository.open(library_folder)
    yield opened
    opened.close()
