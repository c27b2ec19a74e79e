"""Put values into a program: only declared places change, and only within their constraints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from echostudio.actionlens import words
from echostudio.episode.field import Field, FieldKind, constraint_problem
from echostudio.episode.memory import Memory, MemoryStep
from echostudio.episode.verdict import Refusal, RefusalCode

MASK = "***"


@dataclass(frozen=True, slots=True)
class Bound:
    """A program with its values: ``values`` of all fields, ``changed`` those that differ, ``rebound`` step indices.

    Secrets appear as ``***`` in ``values`` and ``changed``; only the actions of ``secret`` steps hold them.
    """

    program: tuple[MemoryStep, ...]
    values: dict[str, str]
    changed: dict[str, str]
    rebound: frozenset[int]
    secret: frozenset[int] = frozenset()


def bind(memory: Memory, values: Mapping[str, str]) -> Bound | Refusal:
    """Return the program with the values in place, or the refusal; nothing else differs from the memory's program."""
    declared = {field.name: field for field in memory.fields}
    for name, value in values.items():
        if name not in declared:
            return _refusal(RefusalCode.UNDECLARED_CHANGE, f"“{name}” is not a declared field.", name, sorted(declared))
        problem = constraint_problem(declared[name], value)
        if problem:
            shown = MASK if declared[name].kind is FieldKind.SECRET else value
            return _refusal(RefusalCode.INVALID_VALUE, f"{name}: {problem}.", shown, declared[name].kind.value)
    program = list(memory.program)
    changed: dict[str, str] = {}
    rebound: set[int] = set()
    hidden: set[int] = set()
    for name, value in values.items():
        field = declared[name]
        if value == field.recorded and field.kind is not FieldKind.SECRET:
            continue
        changed[name] = _shown(field, value)
        for place in field.bindings:
            step = program[place.action_index]
            if place.path.endswith(".text"):
                return _refusal(
                    RefusalCode.UNSUPPORTED_ACTION,
                    f"{name}: a target chosen by its words cannot be replayed yet.",
                    name,
                    "recorded",
                )
            action = step.action.with_parameter(place.path, _typed(step, place.path, value))
            secret = field.kind is FieldKind.SECRET
            sentence = words.sentence(action, step.targets, secret=secret)
            program[place.action_index] = replace(step, action=action, words=sentence)
            rebound.add(place.action_index)
            if secret:
                hidden.add(place.action_index)
    shown_values = {name: _shown(field, values.get(name, field.recorded)) for name, field in declared.items()}
    return Bound(tuple(program), shown_values, changed, frozenset(rebound), frozenset(hidden))


def _typed(step: MemoryStep, path: str, value: str) -> object:
    """Keep the JSON type of the recorded parameter: numbers stay numbers, key lists stay lists."""
    recorded = step.action.parameters.get(path)
    if isinstance(recorded, bool):
        return value.casefold() in ("1", "true", "yes")
    if isinstance(recorded, int):
        return int(value) if value.lstrip("+-").isdigit() else recorded
    if isinstance(recorded, float):
        return float(value.replace(",", "."))
    if isinstance(recorded, list):
        return value.split("+")
    return value


def _shown(field: Field, value: str) -> str:
    return MASK if field.kind is FieldKind.SECRET else value


def _refusal(code: RefusalCode, sentence: str, measured: object, needed: object) -> Refusal:
    hint = {
        RefusalCode.UNDECLARED_CHANGE: "Declare the parameter as a field in the Timeline, or leave it as recorded.",
        RefusalCode.INVALID_VALUE: "Give a value that fits the field.",
        RefusalCode.UNSUPPORTED_ACTION: "Leave the target as recorded.",
    }[code]
    return Refusal(code, sentence, hint, "fields", None, measured, needed)
