"""``echostudio reaim``: one step of a memory against one picture; sends nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from echostudio import codec
from echostudio.blobs import write_atomic
from echostudio.cancel import CancelToken
from echostudio.cli.desk import Json, stop_on_signals
from echostudio.cli.output import DONE, LOCAL, door, escape, print_json, say
from echostudio.episode import wire
from echostudio.episode.memory import Memory, MemoryStep
from echostudio.episode.verdict import ReaimResult
from echostudio.errors import UsageError
from echostudio.operations import lab, lab_search, library
from echostudio.operations.lab import LabScreen
from echostudio.reaim import TargetPictures
from echostudio.settings import OWN_THRESHOLDS, ReaimSettings


def reaim(
    memory: Annotated[str, typer.Argument(help="Id, its beginning, or the exact intent.")],
    step: Annotated[int, typer.Argument(help="Index of the step, counted from 0.")],
    screen: Annotated[Path, typer.Option("--screen", help="The picture to look at: PNG, WebP or JPEG.")],
    role: Annotated[str, typer.Option(help="Which target of a drag: from or to.")] = "",
    heatmap: Annotated[
        Path | None, typer.Option("--heatmap", help="Write the score map over the picture here.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Could this step's target be found on this picture? Exit code 0: yes; 4: refused."""
    with door(as_json) as services:
        token = CancelToken()
        stop_on_signals(token)
        found = library.memory(services, memory)
        chosen, role, _ = lab.target(found, step, role)
        picture = lab.load_screen(screen)
        policy = lab.policy_of(services, found)
        result = lab.look(services, found, step, role, picture, policy, token)
        if heatmap is not None:
            pictures = lab.recorded(services, found, step, role)
            write_atomic(heatmap, _heat(picture, pictures, result, policy, token))
        if as_json:
            print_json(_document(found, chosen, role, result, policy, heatmap))
        else:
            _tell(chosen, result, heatmap)
        raise typer.Exit(DONE if result.accepted else LOCAL)


def _heat(
    picture: LabScreen, pictures: TargetPictures, result: ReaimResult, policy: ReaimSettings, token: CancelToken
) -> bytes:
    """Return the score map of the crop that decided, over the picture, as PNG."""
    crops = lab_search.distinct_crops(pictures)
    if not crops:
        raise UsageError("This step has no recorded crop, so there is no score map.")
    decided = [one for one in crops if (one.kind.value, one.variant.value) == (result.crop, result.variant)]
    heat = lab_search.heatmap(picture.frame, (decided or list(crops))[0], policy, token)
    return codec.encode_png(lab_search.painted(picture.frame.pixels, heat))


def _document(
    memory: Memory, step: MemoryStep, role: str, result: ReaimResult, policy: ReaimSettings, heatmap: Path | None
) -> dict[str, Any]:
    return {
        "memory": memory.id,
        "revision": memory.revision,
        "step": step.index,
        "words": step.words,
        "role": role,
        **wire.to_json(result),
        "policy": {name: getattr(policy, name) for name in OWN_THRESHOLDS},
        "heatmap": str(heatmap) if heatmap else None,
    }


def _tell(step: MemoryStep, result: ReaimResult, heatmap: Path | None) -> None:
    mark = "[green]✓ accepted[/]" if result.accepted else f"[yellow]▲ refused[/] ({result.code or ''})"
    say(f"{mark}  {escape(step.words)}\n  {escape(result.sentence)}")
    if result.point is not None:
        say(f"  click at {result.point.x}, {result.point.y}, scale {result.scale:.2f}")
    for crop in result.crops:
        check = "" if crop.check is None else f"  check {crop.check:.3f}"
        say(
            f"  {crop.kind.replace('_', ' '):13s} {crop.variant:9s} best {crop.best:.3f}  second {crop.second:.3f}  "
            f"margin {crop.margin:.3f}{check}  {crop.ms:.0f} ms"
        )
    if heatmap is not None:
        say(f"  score map: {heatmap}")
