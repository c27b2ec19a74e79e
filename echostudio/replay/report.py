"""A replay's report for people and scripts: the JSON document of the command line, and an HTML page with pictures.

The page lies in a folder of its own with its pictures beside it, needs no network, and survives being moved.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2

from echostudio import codec, paths
from echostudio.blobs import write_atomic
from echostudio.codec import Pixels
from echostudio.episode.frame import PictureRef
from echostudio.episode.report import ReplayReport, StepReport
from echostudio.episode.verdict import CropMatch, GateVerdict, ReaimResult, Refusal

PictureSource = Callable[[str], Pixels]


def document(report: ReplayReport) -> dict[str, Any]:
    """Return the JSON document of ``echostudio replay --json`` (DESIGN section 8)."""
    body: dict[str, Any] = {
        "memory": report.memory,
        "revision": report.revision,
        "run": report.run,
        "intent": report.intent,
        "outcome": report.outcome.value,
        "refusal": refusal_document(report.refusal),
        "gates": [gate_document(gate) for gate in report.gates],
        "steps": [step_document(step) for step in report.steps],
        "changed": report.changed,
        "values": report.values,
        "checks": [
            {"kind": c.kind, "passed": c.passed, "expected": c.expected, "actual": c.actual, "sentence": c.sentence}
            for c in report.checks
        ],
        "undo": list(report.undo),
        "report": report.report or None,
        "desktop": report.desktop,
        "started": report.started,
        "seconds": report.seconds,
    }
    if report.dry_run:
        body["dry_run"] = True
    return body


def refusal_document(refusal: Refusal | None) -> dict[str, Any] | None:
    """Return a refusal as JSON data with its class."""
    if refusal is None:
        return None
    return {
        "code": refusal.code.value,
        "class": "local" if refusal.code.local else "structural",
        "gate": refusal.gate,
        "step": refusal.step,
        "measured": refusal.measured,
        "needed": refusal.needed,
        "sentence": refusal.sentence,
        "next": refusal.next,
    }


def gate_document(gate: GateVerdict) -> dict[str, Any]:
    """Return one judged gate as JSON data."""
    return {
        "gate": gate.gate.value,
        "verdict": gate.verdict.value,
        "measured": gate.measured,
        "needed": gate.needed,
        "sentence": gate.sentence,
        "code": gate.code.value if gate.code else None,
    }


def step_document(step: StepReport) -> dict[str, Any]:
    """Return one step as JSON data; the re-aim figures are those of its (first) target."""
    result = next(iter(step.reaim.values()), None)
    return {
        "index": step.index,
        "words": step.words,
        "status": step.status,
        "route": step.route.value,
        "score": _rounded(result, "best"),
        "second": _rounded(result, "second"),
        "margin": _rounded(result, "margin"),
        "scale": _rounded(result, "scale"),
        "crop": result.crop if result else None,
        "variant": result.variant if result else None,
        "check": _rounded(result, "check"),
        "method": result.method if result else None,
        "ms": step.ms,
        "waited_ms": step.waited_ms,
        "note": step.note,
        "candidates": [_candidates(match) for match in result.crops] if result else [],
    }


def write(report: ReplayReport, folder: Path, picture: PictureSource, title: str = "") -> Path:
    """Write ``report.json``, ``report.html`` and the pictures into a folder; return the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    body = document(report)
    steps = [_page_step(step, folder, picture) for step in report.steps]
    write_atomic(folder / "report.json", json.dumps(body, indent=2, ensure_ascii=False).encode())
    template = environment().get_template("report.html.j2")
    page = template.render(report=body, steps=steps, title=title or report.intent)
    target = folder / "report.html"
    write_atomic(target, page.encode())
    return target


def environment() -> jinja2.Environment:
    """Return the template environment of all pages; everything put into a page is escaped."""
    loader = jinja2.FileSystemLoader(paths.resource("pages"))
    made = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    made.filters["plain"] = plain
    return made


def plain(value: Any) -> str:
    """Return a measured or needed value as people read it: no brackets, no quotes, yes and no."""
    if value is None or value == []:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    if isinstance(value, dict):
        return ", ".join(f"{name} {plain(one)}" for name, one in value.items() if one is not None)
    if isinstance(value, (list, tuple)):
        return ", ".join(plain(one) for one in value)
    return str(value)


def _page_step(step: StepReport, folder: Path, picture: PictureSource) -> dict[str, Any]:
    return {
        **step_document(step),
        "before": _save(step.before, folder, picture),
        "after": _save(step.after, folder, picture),
        "size": (step.before.width, step.before.height) if step.before else None,
        "targets": [_page_target(role, result) for role, result in step.reaim.items()],
    }


def _page_target(role: str, result: ReaimResult) -> dict[str, Any]:
    return {
        "role": role,
        "accepted": result.accepted,
        "sentence": result.sentence,
        "point": (result.point.x, result.point.y) if result.point else None,
        "box": _box(result.box),
        "second_box": _box(result.second_box),
        "best": result.best,
        "second": result.second,
    }


def _box(box: Any) -> tuple[int, int, int, int] | None:
    return (box.x, box.y, box.width, box.height) if box else None


def _save(ref: PictureRef | None, folder: Path, picture: PictureSource) -> str | None:
    if ref is None:
        return None
    name = f"pictures/{ref.digest[:16]}.png"
    if not (folder / name).exists():
        write_atomic(folder / name, codec.encode_png(picture(ref.digest)))
    return name


def _candidates(match: CropMatch) -> dict[str, Any]:
    return {
        "crop": match.kind,
        "variant": match.variant,
        "top": [{"score": round(c.score, 4), "box": _box(c.box), "scale": round(c.scale, 3)} for c in match.candidates],
    }


def _rounded(result: ReaimResult | None, name: str) -> float | None:
    value = getattr(result, name) if result is not None else None
    return round(float(value), 4) if value is not None else None
