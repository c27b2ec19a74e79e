"""Recorded targets on real screens, and the conditions under which they are looked for again."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from echostudio import codec
from echostudio.codec import Pixels
from echostudio.episode.evidence import CropKind, CropVariant
from echostudio.episode.frame import Frame
from echostudio.episode.geometry import FrameBox, FramePoint, ScreenMap
from echostudio.reaim import CropPicture, TargetPictures, perturb

DATA = Path(__file__).parents[2] / "data" / "reaim"
SIZES = {CropKind.TARGET: 48, CropKind.CONTEXT: 96, CropKind.WIDE: 192}
HITS = ("identity", "scaled", "moved", "compressed")
ADVERSARIAL = ("absent", "erased", "twin", "moved_twin", "disabled", "covered", "theme", "blank")


@dataclass(frozen=True)
class Case:
    """One click on one widget of one screen."""

    screen: str
    pixels: Pixels
    click: FramePoint
    widget: FrameBox

    @cached_property
    def evidence(self) -> TargetPictures:
        height, width = self.pixels.shape[:2]
        crops = tuple(cut(self.pixels, self.click, size, kind) for kind, size in SIZES.items())
        return TargetPictures(crops, self.click, (width, height))


@dataclass(frozen=True)
class Trial:
    """A case on a changed screen. ``truth`` is where the target is now; None when every accept is wrong."""

    case: Case
    condition: str
    pixels: Pixels
    truth: FramePoint | None


def cut(pixels: Pixels, click: FramePoint, size: int, kind: CropKind) -> CropPicture:
    """Cut a square round the click, clipped to the screen."""
    whole = FrameBox(0, 0, pixels.shape[1], pixels.shape[0])
    box = FrameBox(click.x - size // 2, click.y - size // 2, size, size).clipped(whole)
    part = pixels[box.y : box.bottom, box.x : box.right].copy()
    return CropPicture(kind, CropVariant.APPROACH, part, FramePoint(click.x - box.x, click.y - box.y))


def frame(pixels: Pixels) -> Frame:
    """Wrap pixels as a captured frame."""
    return Frame(pixels, 0.0, ScreenMap.single(pixels.shape[1], pixels.shape[0]))


def load(folder: Path) -> list[Case]:
    """Read ``cases.json`` and the screens beside it."""
    screens: dict[str, Pixels] = {}
    cases = []
    for entry in json.loads((folder / "cases.json").read_text()):
        name = entry["screen"]
        if name not in screens:
            screens[name] = codec.decode((folder / "screens" / name).read_bytes())
        cases.append(Case(name, screens[name], FramePoint(*entry["click"]), FrameBox(*entry["widget_box"])))
    return cases


def trials(case: Case, others: list[Case], chance: random.Random) -> Iterator[Trial]:
    """Every condition of one case."""
    pixels, click, widget = case.pixels, case.click, case.widget
    height, width = pixels.shape[:2]
    whole = FrameBox(0, 0, width, height)
    yield Trial(case, "identity", pixels, click)
    scaled, place = perturb.scale(pixels, chance.uniform(0.7, 1.5), click)
    yield Trial(case, "scaled", scaled, place)
    # Towards the middle, so that the target and what is round it stay on the screen.
    dx = chance.randint(16, 160) * (1 if click.x < width // 2 else -1)
    dy = chance.randint(16, 160) * (1 if click.y < height // 2 else -1)
    yield Trial(case, "moved", perturb.shift(pixels, dx, dy), FramePoint(click.x + dx, click.y + dy))
    yield Trial(case, "compressed", perturb.jpeg(pixels), click)
    yield Trial(case, "absent", chance.choice(_foreign(case, others)).pixels, None)
    yield Trial(case, "erased", perturb.erase(pixels, widget), None)
    copy = widget.grown(chance.choice((0, 30))).clipped(whole)
    away = FramePoint((click.x + width // 2) % (width - copy.width), (click.y + height // 2) % (height - copy.height))
    yield Trial(case, "twin", perturb.duplicate(pixels, copy, away), click)
    elsewhere = FramePoint((click.x + width // 2) % (width - 100), (click.y + height // 3) % (height - 100))
    gone = perturb.erase(perturb.duplicate(pixels, widget, elsewhere), widget)
    yield Trial(case, "moved_twin", gone, None)
    yield Trial(case, "disabled", perturb.recolour(pixels, widget), None)
    yield Trial(case, "covered", perturb.cover(pixels, widget), None)
    yield Trial(case, "theme", perturb.invert_theme(pixels), click)
    yield Trial(case, "blank", np.full_like(pixels, chance.choice((0, 30, 255))), None)


def _foreign(case: Case, others: list[Case]) -> list[Case]:
    """Cases on screens of other programs (the part of a file name before ``_`` names the program)."""
    program = Path(case.screen).stem.split("_")[0]
    return [other for other in others if Path(other.screen).stem.split("_")[0] != program]
