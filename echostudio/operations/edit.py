"""Edit a memory: every edit makes a new revision in ``candidate``; the active one stays in use until promotion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

from echostudio import checks
from echostudio.consolidation import fields
from echostudio.desktop import host
from echostudio.episode.check import Check
from echostudio.episode.field import Binding, Field, FieldKind
from echostudio.episode.memory import Memory, Validation
from echostudio.errors import DesktopError, UsageError
from echostudio.events import LibraryChanged
from echostudio.operations.services import Services, who


def add_field(
    services: Services,
    ref: str,
    name: str,
    action_index: int,
    path: str,
    kind: FieldKind = FieldKind.TEXT,
    pattern: str = "",
    choices: tuple[str, ...] = (),
) -> Memory:
    """Declare a parameter as a field; a second place under the same name becomes a second binding."""
    memory = services.repository.get(ref)
    declared = Field(name, (Binding(action_index, path),), kind, pattern, choices)
    return _revise(services, fields.add(memory, declared), f"field {name} added at step {action_index}, {path}")


def remove_field(services: Services, ref: str, name: str) -> Memory:
    """Make a field fixed again."""
    memory = services.repository.get(ref)
    return _revise(services, fields.remove(memory, name), f"field {name} removed")


def add_check(services: Services, ref: str, check: Check) -> Memory:
    """Add a check; raises ``UsageError`` when its kind or keys are wrong."""
    checks.validate(check)
    memory = services.repository.get(ref)
    return _revise(services, replace(memory, checks=(*memory.checks, check)), f"check {check.kind} added")


def remove_check(services: Services, ref: str, index: int) -> Memory:
    """Take a check away again."""
    memory = services.repository.get(ref)
    if not 0 <= index < len(memory.checks):
        raise UsageError(f"There is no check {index}; this memory has {len(memory.checks)}.")
    kept = tuple(check for at, check in enumerate(memory.checks) if at != index)
    return _revise(services, replace(memory, checks=kept), f"check {memory.checks[index].kind} removed")


def rename(services: Services, ref: str, intent: str) -> Memory:
    """Give a memory another intent."""
    if not intent.strip():
        raise UsageError("A memory needs an intent.")
    memory = services.repository.get(ref)
    return _revise(services, replace(memory, intent=intent.strip()), "renamed")


def add_phrase(services: Services, ref: str, phrase: str) -> Memory:
    """Add another way to ask for this memory."""
    memory = services.repository.get(ref)
    return _revise(services, replace(memory, phrases=(*memory.phrases, phrase.strip())), "phrase added")


def run_checks(
    services: Services, ref: str, values: Mapping[str, str] | None = None, display: str | None = None
) -> Validation:
    """Run the checks now on the demonstration's own artifact (or with other values, which are not stored)."""
    memory = services.repository.get(ref)
    chosen = {declared.name: declared.recorded for declared in memory.fields} | dict(values or {})
    with _world(display) as world:
        results = checks.run(memory.checks, chosen, world)
    validation = Validation(datetime.now(UTC).isoformat(timespec="milliseconds"), results)
    if not values:
        services.repository.set_validation(memory.id, memory.revision, validation)
        services.bus.publish(LibraryChanged((memory.id,)))
    return validation


@contextmanager
def _world(display: str | None) -> Iterator[checks.World]:
    """Give a world that can tell window titles, when there is a display to ask."""
    try:
        desktop = host.open_display(display)
    except DesktopError:
        yield checks.World(None, None)
        return
    try:
        yield checks.World(None, lambda: [window.title for window in desktop.windows()])
    finally:
        desktop.close()


def _revise(services: Services, memory: Memory, reason: str) -> Memory:
    stored = services.repository.revise(memory, who(), reason)
    services.bus.publish(LibraryChanged((stored.id,)))
    return stored
