"""Recorded targets on real screens, and the conditions under which they are looked for again."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
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
ADVERSARIAL = ("absent", "erased", "twin", "moved_twin", "rows", "disabled", "covered", "theme", "blank")
ROW_REACH = 300
# Screens that show another program beside their own: seen when a target "of an absent program" was found, rightly.
ALSO_SHOWN = {"gimp": ("thunar",), "thunar": ("gimp",)}


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
    """The hits, one of each; ``HITS``."""
    pixels, click = case.pixels, case.click
    height, width = pixels.shape[:2]
    yield Trial(case, "identity", pixels, click)
    scaled, place = perturb.scale(pixels, chance.uniform(0.7, 1.5), click)
    yield Trial(case, "scaled", scaled, place)
    # Towards the middle, so that the target and what is round it stay on the screen.
    dx = chance.randint(16, 160) * (1 if click.x < width // 2 else -1)
    dy = chance.randint(16, 160) * (1 if click.y < height // 2 else -1)
    yield Trial(case, "moved", perturb.shift(pixels, dx, dy), FramePoint(click.x + dx, click.y + dy))
    yield Trial(case, "compressed", perturb.jpeg(pixels), click)


def adversarial(case: Case, others: list[Case], chance: random.Random) -> Iterator[Trial]:
    """Screens on which a click would be wrong, or right at one place only; some 30 of them, in mixed order."""
    made = [*_absent(case, others, chance), *_twins(case, chance), *_rows(case, chance), *_changed(case, chance)]
    chance.shuffle(made)
    for condition, pixels, truth in made:
        yield Trial(case, condition, pixels(), truth)


# Condition, how to make the screen, where the target is.
_Made = tuple[str, Callable[[], Pixels], FramePoint | None]


def _absent(case: Case, others: list[Case], chance: random.Random) -> Iterator[_Made]:
    screens = {other.screen: other.pixels for other in _foreign(case, others)}
    for name in chance.sample(sorted(screens), min(9, len(screens))):
        yield "absent", partial(np.copy, screens[name]), None
    for name in chance.sample(sorted(screens), min(2, len(screens))):
        factor = chance.uniform(0.7, 1.5)
        yield "absent", partial(_scaled, screens[name], factor, case.click), None


def _twins(case: Case, chance: random.Random) -> Iterator[_Made]:
    """The widget once more elsewhere, with and without surroundings; and there only (``moved_twin``)."""
    height, width = case.pixels.shape[:2]
    for grow in (0, 12, 30, 60):
        copy = case.widget.grown(grow).clipped(FrameBox(0, 0, width, height))
        away = _away(case, copy, chance)
        yield "twin", partial(perturb.duplicate, case.pixels, copy, away), case.click
        # A wider copy would be the target itself, moved with all that is known of it.
        if grow < 30:
            yield "moved_twin", partial(_moved_twin, case, copy, away), None


def _rows(case: Case, chance: random.Random) -> Iterator[_Made]:
    """A band with the widget repeated above and below it like the rows of a list; then with the own row emptied."""
    height, width = case.pixels.shape[:2]
    pitch = case.widget.height + chance.randint(4, 14)
    left, top = max(0, case.click.x - ROW_REACH), case.click.y - pitch // 2
    band = FrameBox(left, top, min(2 * ROW_REACH, width - left), pitch).clipped(FrameBox(0, 0, width, height))
    listed = partial(_listed, case.pixels, band, pitch)
    yield "rows", listed, case.click
    yield "rows", lambda: perturb.erase(listed(), case.widget, 2), None


def _changed(case: Case, chance: random.Random) -> Iterator[_Made]:
    pixels, widget = case.pixels, case.widget
    for grow in (2, 4, 8):
        yield "erased", partial(perturb.erase, pixels, widget, grow), None
    for strength in (0.4, 0.5, 0.65):
        yield "disabled", partial(perturb.recolour, pixels, widget, strength), None
    for share in (0.5, 0.75, 1.0):
        shade = chance.randint(30, 230)
        yield "covered", partial(perturb.cover, pixels, widget, share, (shade, shade, shade)), None
    yield "theme", partial(perturb.invert_theme, pixels), case.click
    yield "blank", partial(np.full_like, pixels, chance.choice((0, 30, 255))), None


def _scaled(pixels: Pixels, factor: float, keep: FramePoint) -> Pixels:
    return perturb.scale(pixels, factor, keep)[0]


def _away(case: Case, copy: FrameBox, chance: random.Random) -> FramePoint:
    """A place for the copy that leaves the target and its nearest surroundings alone."""
    height, width = case.pixels.shape[:2]
    while True:
        place = FramePoint(chance.randrange(width - copy.width), chance.randrange(height - copy.height))
        if not FrameBox(place.x, place.y, copy.width, copy.height).overlaps(copy.grown(60)):
            return place


def _moved_twin(case: Case, copy: FrameBox, away: FramePoint) -> Pixels:
    return perturb.erase(perturb.duplicate(case.pixels, copy, away), case.widget)


def _listed(pixels: Pixels, band: FrameBox, pitch: int) -> Pixels:
    height = pixels.shape[0]
    for step in (-3, -2, -1, 1, 2, 3):
        top = band.y + step * pitch
        if top >= 0 and top + band.height <= height:
            pixels = perturb.duplicate(pixels, band, FramePoint(band.x, top))
    return pixels


def part(trial: Trial, chance: random.Random, width: int = 960, height: int = 540) -> Trial:
    """A window of the trial's screen that holds the target: a quarter of the work for the exhaustive search."""
    rows, columns = trial.pixels.shape[:2]
    near = trial.truth or trial.case.click
    left = min(max(0, near.x - chance.randrange(width // 5, 4 * width // 5)), max(0, columns - width))
    top = min(max(0, near.y - chance.randrange(height // 4, 3 * height // 4)), max(0, rows - height))
    pixels = np.ascontiguousarray(trial.pixels[top : top + height, left : left + width])
    truth = FramePoint(trial.truth.x - left, trial.truth.y - top) if trial.truth else None
    return replace(trial, pixels=pixels, truth=truth)


def _foreign(case: Case, others: list[Case]) -> list[Case]:
    """Cases on screens of other programs (the part of a file name before ``_`` names the program)."""
    program = _program(case)
    same = {program, *ALSO_SHOWN.get(program, ())}
    return [other for other in others if _program(other) not in same]


def _program(case: Case) -> str:
    return Path(case.screen).stem.split("_")[0]
