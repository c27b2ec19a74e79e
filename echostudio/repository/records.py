"""Between a memory and its rows: one revision taken apart for writing, and put together again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from blake3 import blake3
from pydantic import ValidationError
from sqlalchemy import select
from sqlmodel import Session, SQLModel, col

from echostudio.episode import wire
from echostudio.episode.field import FieldKind
from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import Memory, MemoryStep, Validation
from echostudio.errors import RepositoryError
from echostudio.repository.naming import key
from echostudio.repository.pictures import references_of, thumbnail_of
from echostudio.repository.tables import (
    ActionNodeRow,
    BlobRow,
    CheckRow,
    EvidenceRow,
    FieldRow,
    PathRow,
    PhraseRow,
    RevisionTable,
    ValidationRow,
)

_Detail = TypeVar("_Detail", PhraseRow, FieldRow, CheckRow, EvidenceRow)


def write_revision(session: Session, memory: Memory) -> None:
    """Add all rows of a new revision; its memory row must be there."""
    session.add(_revision_row(memory))
    for digest, row in {step.action.digest: _action_row(step) for step in memory.program}.items():
        if session.get(ActionNodeRow, digest) is None:
            session.add(row)
    # Rows refer to each other by plain keys, so the referred ones go first.
    session.flush()
    session.add_all(_detail_rows(memory))
    if memory.validation.results:
        session.add(validation_row(memory.id, memory.revision, memory.validation))
    session.flush()


def read_revision(session: Session, memory_id: str, revision: int) -> Memory:
    """Put one revision together; raises ``RepositoryError`` naming it when a row is missing or does not fit."""
    row = session.get(RevisionTable, (memory_id, revision))
    if row is None:
        raise RepositoryError(f"{memory_id} has no revision {revision}.")
    try:
        return wire.from_json(Memory, _assembled(session, row))
    except (ValidationError, ValueError, KeyError, TypeError) as fault:
        raise RepositoryError(
            f"Revision {revision} of {memory_id} is damaged in the library.", "`echostudio store verify` says where."
        ) from fault


def validation_row(memory_id: str, revision: int, validation: Validation) -> ValidationRow:
    """Return the row of the checks' results."""
    return ValidationRow(
        memory_id=memory_id,
        revision=revision,
        at=validation.at,
        positive=validation.positive,
        body=wire.to_text(validation),
    )


def content_digest(memory: Memory) -> str:
    """Return the digest of everything of a revision that never changes: all but state and validation."""
    fixed = replace(memory, state=LifecycleState.CANDIDATE, validation=Validation())
    data = wire.to_json(fixed)
    if not memory.policy:
        # Revisions from before memories had thresholds of their own keep their digest.
        del data["policy"]
    text = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return str(blake3(text.encode()).hexdigest())


def parameters_of(row: ActionNodeRow) -> dict[str, Any]:
    """Return the parameters of a shared action; raises ``ValueError`` when they are not a JSON object."""
    parameters = json.loads(row.parameters)
    if not isinstance(parameters, dict):
        raise ValueError("not an object")  # noqa: TRY004 - the row is at fault, not the type of an argument
    return parameters


def light(memory: Memory) -> dict[str, list[str]]:
    """Return what a list shows and a search reads beside the columns; never a secret's value."""
    return {
        "fields": [field.name for field in memory.fields],
        "phrases": list(memory.phrases),
        "recorded": [field.recorded for field in memory.fields if field.recorded and field.kind != FieldKind.SECRET],
    }


def _revision_row(memory: Memory) -> RevisionTable:
    body = {
        "app": wire.to_json(memory.app),
        "preconditions": wire.to_json(memory.preconditions),
        "reasoning": wire.to_json(memory.reasoning),
        "policy": memory.policy,
    }
    return RevisionTable(
        memory_id=memory.id,
        revision=memory.revision,
        intent=memory.intent,
        intent_key=key(memory.intent),
        state=memory.state.value,
        app_program=memory.app.program,
        app_class=memory.app.window_class,
        source_run=memory.source_run,
        desktop_kind=memory.desktop_kind,
        created=memory.created,
        thumbnail=thumbnail_of(memory),
        steps=len(memory.program),
        checks=len(memory.checks),
        light=json.dumps(light(memory), ensure_ascii=False),
        body=json.dumps(body, ensure_ascii=False),
        content=content_digest(memory),
    )


def _action_row(step: MemoryStep) -> ActionNodeRow:
    parameters = json.dumps(step.action.parameters, sort_keys=True, ensure_ascii=False)
    return ActionNodeRow(digest=step.action.digest, kind=step.action.kind.value, parameters=parameters)


def _detail_rows(memory: Memory) -> Iterator[SQLModel]:
    name: dict[str, Any] = {"memory_id": memory.id, "revision": memory.revision}
    for position, step in enumerate(memory.program):
        yield _path_row(name, position, step)
        yield from _evidence_rows(name, position, step)
    for picture in references_of(memory).values():
        yield BlobRow(**name, digest=picture.digest, width=picture.width, height=picture.height)
    for position, phrase in enumerate(memory.phrases):
        yield PhraseRow(**name, position=position, text=phrase, text_key=key(phrase))
    for position, field in enumerate(memory.fields):
        yield FieldRow(
            **name,
            position=position,
            name=field.name,
            kind=field.kind.value,
            recorded=field.recorded,
            body=wire.to_text(field),
        )
    for position, check in enumerate(memory.checks):
        yield CheckRow(**name, position=position, kind=check.kind, body=wire.to_text(check))


def _path_row(name: Mapping[str, Any], position: int, step: MemoryStep) -> PathRow:
    body = wire.to_json(replace(step, targets={}))
    for elsewhere in ("action", "targets"):
        del body[elsewhere]
    return PathRow(
        **name,
        position=position,
        action_digest=step.action.digest,
        run_step=step.run_step,
        words=step.words,
        risky=step.risky,
        optional=step.optional,
        body=json.dumps(body, ensure_ascii=False),
    )


def _evidence_rows(name: Mapping[str, Any], position: int, step: MemoryStep) -> Iterator[EvidenceRow]:
    for role, target in step.targets.items():
        yield EvidenceRow(
            **name,
            position=position,
            role=role,
            point_x=target.point.x,
            point_y=target.point.y,
            element_role=target.element.role if target.element else "",
            element_name=target.element.name if target.element else "",
            margin=target.self_test.margin if target.self_test else None,
            body=wire.to_text(target),
        )


def _assembled(session: Session, row: RevisionTable) -> dict[str, Any]:
    """Return the JSON data of a whole memory."""
    body = json.loads(row.body)
    return {
        **body,
        "id": row.memory_id,
        "revision": row.revision,
        "intent": row.intent,
        "state": row.state,
        "source_run": row.source_run,
        "created": row.created,
        "desktop_kind": row.desktop_kind,
        "program": _program(session, row),
        "phrases": [phrase.text for phrase in _rows(session, PhraseRow, row)],
        "fields": [json.loads(field.body) for field in _rows(session, FieldRow, row)],
        "checks": [json.loads(check.body) for check in _rows(session, CheckRow, row)],
        "validation": _validation(session, row),
    }


def _program(session: Session, row: RevisionTable) -> list[dict[str, Any]]:
    targets: dict[int, dict[str, Any]] = {}
    for evidence in _rows(session, EvidenceRow, row):
        targets.setdefault(evidence.position, {})[evidence.role] = json.loads(evidence.body)
    query = (
        select(PathRow, ActionNodeRow)
        .join(ActionNodeRow, col(ActionNodeRow.digest) == col(PathRow.action_digest))
        .where(col(PathRow.memory_id) == row.memory_id, col(PathRow.revision) == row.revision)
        .order_by(col(PathRow.position))
    )
    program = [
        {
            **json.loads(path.body),
            "action": {"kind": action.kind, "parameters": parameters_of(action)},
            "targets": targets.get(path.position, {}),
        }
        for path, action in session.execute(query)
    ]
    if len(program) != row.steps:
        raise ValueError(f"{len(program)} of {row.steps} steps")
    return program


def _validation(session: Session, row: RevisionTable) -> Any:
    query = (
        select(col(ValidationRow.body))
        .where(col(ValidationRow.memory_id) == row.memory_id, col(ValidationRow.revision) == row.revision)
        .order_by(col(ValidationRow.id).desc())
        .limit(1)
    )
    body = session.execute(query).scalar_one_or_none()
    return json.loads(body) if body else {}


def _rows(session: Session, table: type[_Detail], row: RevisionTable) -> Sequence[_Detail]:
    query = (
        select(table)
        .where(col(table.memory_id) == row.memory_id, col(table.revision) == row.revision)
        .order_by(col(table.position))
    )
    return session.execute(query).scalars().all()
