"""The demo's report: one page that tells every part with its pictures, and the same as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from echostudio import codec
from echostudio.actionlens import runfolder
from echostudio.blobs import BlobStore, write_atomic
from echostudio.episode.frame import PictureRef
from echostudio.errors import EchoError
from echostudio.operations import library
from echostudio.operations.demo.result import DemoResult, Part
from echostudio.operations.services import Services
from echostudio.replay import report as replay_pages


def write(result: DemoResult, services: Services) -> None:
    """Write ``report.html``, ``report.json`` and one page per replay."""
    folder = result.report.parent
    body = result.document()
    parts = [_part(part, number, folder, services) for number, part in enumerate(result.parts, start=1)]
    steps = _demonstration(result, folder, services)
    write_atomic(folder / "report.json", json.dumps(body, indent=2, ensure_ascii=False, default=str).encode())
    template = replay_pages.environment().get_template("demo.html.j2")
    write_atomic(result.report, template.render(demo=body, parts=parts, steps=steps).encode())


def _part(part: Part, number: int, folder: Path, services: Services) -> dict[str, object]:
    page = ""
    if part.replay is not None:
        place = folder / f"replay-{number}"

        def picture(digest: str, run: str = part.replay.run) -> codec.Pixels:
            return library.replay_picture(services, run, digest)

        replay_pages.write(part.replay, place, picture, part.title)
        page = f"replay-{number}/report.html"
    return {
        "title": part.title,
        "expected": part.expected,
        "actual": part.actual,
        "held": part.held,
        "seconds": round(part.seconds, 1),
        "page": page,
        "refusal": replay_pages.refusal_document(part.replay.refusal) if part.replay else None,
    }


def _demonstration(result: DemoResult, folder: Path, services: Services) -> list[dict[str, object]]:
    """The recorded steps with their pictures; empty when nothing was recorded."""
    if not result.run:
        return []
    try:
        path = runfolder.find_run(services.runs, result.run)
        run = runfolder.read_run(path)
    except EchoError:
        return []
    blobs = BlobStore(path / "assets")
    return [
        {"number": step.index + 1, "words": step.words, "picture": _thumb(step.before, blobs, folder)}
        for step in run.steps
    ]


def _thumb(ref: PictureRef | None, blobs: BlobStore, folder: Path) -> str | None:
    source = blobs.thumbnail_path(ref.digest) if ref else None
    if ref is None or source is None:
        return None
    name = f"pictures/{ref.digest[:16]}.jpg"
    write_atomic(folder / name, source.read_bytes())
    return name
