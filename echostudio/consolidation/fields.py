"""Declaring what may change: fields are added to and removed from a memory as values, and proposed, never applied."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from rapidfuzz import process

from echostudio.checks import fields_used
from echostudio.consolidation.values import kind_of, suggested_name
from echostudio.episode.action import PARAMETER_PATHS
from echostudio.episode.field import Binding, Field, FieldKind, constraint_problem
from echostudio.episode.memory import Memory, MemoryStep
from echostudio.errors import UsageError


def add(memory: Memory, field: Field) -> Memory:
    """Return the memory with one more field, or with more places for the field that has this name already.

    All places of a field must hold the same recorded value, which becomes the field's own. A secret's recorded value
    is taken out of the program. Raises ``UsageError`` when the name, a place, or the constraint does not fit.
    """
    if not field.name.isidentifier():
        raise UsageError(f"“{field.name}” cannot be a field's name.", "Use letters, digits and _, like file_name.")
    if not field.bindings:
        raise UsageError(f"The field {field.name} fills no place.", "Name a step and a parameter.")
    for binding in field.bindings:
        _require_free(memory, binding)
    known = next((other for other in memory.fields if other.name == field.name), None)
    declared = _valued(memory, field if known is None else _joined(known, field))
    _require_fitting_constraint(declared)
    if declared.kind is FieldKind.SECRET:
        memory, declared = _without_secret(memory, declared), replace(declared, recorded="")
    if known is None:
        return replace(memory, fields=(*memory.fields, declared))
    return replace(memory, fields=tuple(declared if other is known else other for other in memory.fields))


def remove(memory: Memory, name: str) -> Memory:
    """Return the memory without a field; raises ``UsageError`` when there is none, or a check still needs it."""
    names = [field.name for field in memory.fields]
    if name not in names:
        close = process.extractOne(name, names, score_cutoff=60)
        raise UsageError(f"There is no field {name}.", f"Did you mean {close[0]}?" if close else "")
    for check in memory.checks:
        if name in fields_used(check):
            raise UsageError(f"The check {check.kind} uses the field {name}.", "Remove the check first.")
    return replace(memory, fields=tuple(field for field in memory.fields if field.name != name))


def proposals(memory: Memory) -> tuple[Field, ...]:
    """Return the typed texts that may well change, in the order of their first use; a value used twice is one field."""
    bound = {binding for field in memory.fields for binding in field.bindings}
    taken = {field.name for field in memory.fields}
    places: dict[str, list[MemoryStep]] = {}
    for step in memory.program:
        text = step.action.parameters.get("text")
        if isinstance(text, str) and text.strip() and Binding(step.index, "text") not in bound:
            places.setdefault(text, []).append(step)
    proposed = []
    for text, steps in places.items():
        kind = kind_of(text)
        name = _free(suggested_name(kind, steps[0]), taken)
        taken.add(name)
        bindings = tuple(Binding(step.index, "text") for step in steps)
        proposed.append(Field(name, bindings, kind, recorded=text))
    return tuple(proposed)


def as_text(value: Any) -> str:
    """Return a parameter's value as a person would write it: hotkeys with plus signs, commands with spaces."""
    if isinstance(value, (list, tuple)):
        return "+".join(str(part) for part in value)
    return str(value)


def _value_at(memory: Memory, binding: Binding) -> str:
    """Return the recorded value at a place; raises ``UsageError`` when there is no such place."""
    if not 0 <= binding.action_index < len(memory.program):
        raise UsageError(
            f"There is no step {binding.action_index}.", f"The program has steps 0 to {len(memory.program) - 1}."
        )
    step = memory.program[binding.action_index]
    paths = PARAMETER_PATHS[step.action.kind]
    if binding.path not in paths:
        raise UsageError(
            f"Step {step.index} ({step.words}) has no parameter {binding.path}.",
            f"A {step.action.kind} has: {', '.join(paths)}.",
        )
    if binding.path in step.action.parameters:
        return as_text(step.action.parameters[binding.path])
    role, _, part = binding.path.partition(".")
    target = step.targets.get(role)
    if part == "text" and target is not None and target.element is not None and target.element.name:
        return target.element.name
    raise UsageError(f"Step {step.index} ({step.words}) recorded no {binding.path}.")


def _require_free(memory: Memory, binding: Binding) -> None:
    for other in memory.fields:
        if binding in other.bindings:
            raise UsageError(
                f"{binding.path} of step {binding.action_index} already belongs to the field {other.name}.",
                f"Remove {other.name} first.",
            )


def _joined(known: Field, more: Field) -> Field:
    """Return a declared field with the places of another of its name; what that one says otherwise must agree."""
    for part, plain in (("kind", FieldKind.TEXT), ("pattern", ""), ("choices", ())):
        wanted = getattr(more, part)
        if wanted not in (plain, getattr(known, part)):
            raise UsageError(f"There already is a field {known.name} with another {part}.", "Remove it first.")
    return replace(known, bindings=(*known.bindings, *more.bindings))


def _valued(memory: Memory, field: Field) -> Field:
    """Return the field with the value that all its places hold."""
    values = list(dict.fromkeys(_value_at(memory, binding) for binding in field.bindings))
    if field.kind is FieldKind.SECRET:
        # Places that were taken out of the program before are empty.
        values = [value for value in values if value] or [""]
    if len(values) > 1:
        raise UsageError(
            f"The places of {field.name} hold different values: {', '.join(f'“{value}”' for value in values)}.",
            "Declare one field for each value.",
        )
    return replace(field, bindings=tuple(dict.fromkeys(field.bindings)), recorded=values[0])


def _require_fitting_constraint(field: Field) -> None:
    try:
        re.compile(field.pattern)
    except re.error as fault:
        raise UsageError(f"The pattern of {field.name} is not a regular expression: {fault}.") from fault
    if field.kind is FieldKind.CHOICE and not field.choices:
        raise UsageError(f"{field.name} is a choice without choices.")
    if field.kind is FieldKind.SECRET and not field.recorded:
        return
    problem = constraint_problem(field, field.recorded)
    if problem is not None:
        raise UsageError(f"The recorded value does not fit the field {field.name}: {problem}.")


def _without_secret(memory: Memory, field: Field) -> Memory:
    """Take the recorded value out of the steps that the field fills, and out of their words."""
    program = list(memory.program)
    for binding in field.bindings:
        step = program[binding.action_index]
        words = step.words.replace(field.recorded, "***") if field.recorded else step.words
        program[binding.action_index] = replace(step, action=step.action.with_parameter(binding.path, ""), words=words)
    return replace(memory, program=tuple(program))


def _free(name: str, taken: set[str]) -> str:
    number = 2
    candidate = name
    while candidate in taken:
        candidate = f"{name}_{number}"
        number += 1
    return candidate
