"""What the inspector says about a step, a target, a check, a life: rows and lines, made from values."""

from __future__ import annotations

from echostudio.episode.check import Check
from echostudio.episode.evidence import TargetEvidence
from echostudio.episode.lifecycle import LifecycleEvent
from echostudio.episode.memory import Memory
from echostudio.studio.looks import CHECKS, STATES, Look
from echostudio.studio.parts.badge import fact
from echostudio.studio.parts.lines import Line
from echostudio.studio.timeline.state import TimelineState, TimelineStep
from echostudio.studio.wording import count, moment_words


def place_facts(step: TimelineStep) -> list[tuple[str, str]]:
    """Return program, window and elements of a step."""
    window = step.screen.window if step.screen else None
    window = window or next((target.window for _, target in step.targets if target.window), None)
    facts = []
    if window is not None:
        facts += [("program", window.program), ("window", window.title)]
    for _, target in step.targets:
        if target.element is not None:
            facts.append(("element", f"{target.element.role} “{target.element.name}”"))
    return facts


def element_facts(target: TargetEvidence) -> list[tuple[str, str]]:
    """Return point, element and window of a target."""
    rows = [("point", f"{target.point.x}, {target.point.y}")]
    if target.element is not None:
        rows.append(("element", f"{target.element.role} “{target.element.name}”"))
        if target.element_count is not None:
            rows.append(("of its name", count(target.element_count, "element")))
    else:
        rows.append(("element", "the program told none"))
    if target.window is not None:
        box = target.window.box
        rows += [("window", target.window.title), ("its place", f"{box.width}×{box.height} at {box.x}, {box.y}")]
    return rows


def check_lines(memory: Memory) -> list[Line]:
    """Return each check with its newest result."""
    lines = []
    results = memory.validation.results
    for place, check in enumerate(memory.checks):
        result = results[place] if place < len(results) and results[place].kind == check.kind else None
        if result is None:
            lines.append(Line(Look("circle-dashed", "not run", "muted"), check_words(check), "not run yet", under=True))
        else:
            where = (
                f"expected {result.expected} · {result.actual}" if result.expected else result.actual or result.sentence
            )
            lines.append(Line(CHECKS[result.passed], check_words(check), where, under=True))
    return lines


def check_words(check: Check) -> str:
    """Return a check as people read it: its kind, and its parameters."""
    inner = ", ".join(check_words(part) for part in check.parts)
    values = " · ".join(f"{value}" for value in check.parameters.values())
    return f"{check.kind.replace('_', ' ')}: {values or inner}"


def event_line(event: LifecycleEvent) -> Line:
    """Return one change of a memory's life."""
    look = STATES[event.after] if event.after else Look("circle", event.kind, "muted")
    words = f"{event.kind}: {event.reason}" if event.reason else event.kind
    return Line(look, words, f"{event.who} · rev {event.revision} · {moment_words(event.at)}", under=True)


def run_lines(state: TimelineState) -> list[Line]:
    """Return who recorded a run, and whether anything was lost."""
    run = state.run
    if run is None:
        return []
    good, bad = CHECKS[True], Look("warning-fill", "attention", "refused")
    health = run.health
    lines = [
        Line(fact("", "user"), f"{run.source.value} · {run.actor or 'unknown'}", moment_words(run.started), under=True),
        Line(
            good if run.complete else bad, "complete" if run.complete else "still running" if run.live else "incomplete"
        ),
        Line(good if health.captured == health.stored else bad, f"{health.stored} of {health.captured} events stored"),
        Line(good if not health.torn_lines else bad, count(health.torn_lines, "torn line")),
        Line(good if not health.gaps else bad, count(health.gaps, "gap")),
    ]
    return lines + [Line(bad, note) for note in health.notes]
