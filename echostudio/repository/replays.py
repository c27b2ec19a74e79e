"""Replays in the library: what each one reported, and the counts that a list shows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from pydantic import ValidationError
from sqlalchemy import Subquery, case, func, select
from sqlmodel import Session, col

from echostudio.episode import wire
from echostudio.episode.report import ReplayReport
from echostudio.episode.verdict import Outcome
from echostudio.errors import RepositoryError
from echostudio.repository.tables import ReplayRow, ReplayStepRow


def write_replay(session: Session, report: ReplayReport) -> None:
    """Add a report with its steps; a run that was resumed adds a second report, and the newest counts."""
    row = ReplayRow(
        run_id=report.run,
        memory_id=report.memory,
        revision=report.revision,
        outcome=report.outcome.value,
        refusal_code=report.refusal.code.value if report.refusal else None,
        dry_run=report.dry_run,
        started=report.started,
        seconds=report.seconds,
        body=wire.to_text(replace(report, steps=())),
    )
    session.add(row)
    session.flush()
    number = cast(int, row.id)  # given by the flush
    for position, step in enumerate(report.steps):
        session.add(
            ReplayStepRow(
                replay_id=number,
                position=position,
                status=step.status,
                route=step.route.value,
                ms=step.ms,
                body=wire.to_text(step),
            )
        )


def of_memory(session: Session, memory_id: str) -> list[ReplayReport]:
    """Return all reports of a memory, newest first."""
    query = select(ReplayRow).where(col(ReplayRow.memory_id) == memory_id).order_by(col(ReplayRow.id).desc())
    rows = session.execute(query).scalars().all()
    return [read_replay(session, row) for row in rows]


def of_run(session: Session, run_id: str) -> ReplayReport | None:
    """Return the newest report of a run, or None."""
    query = select(ReplayRow).where(col(ReplayRow.run_id) == run_id).order_by(col(ReplayRow.id).desc()).limit(1)
    row = session.execute(query).scalar_one_or_none()
    return None if row is None else read_replay(session, row)


def counts() -> Subquery:
    """Return per memory how many replays there were, refused and verified; dry runs do not count."""
    return (
        select(
            col(ReplayRow.memory_id).label("memory_id"),
            func.count().label("replays"),
            func.sum(case((col(ReplayRow.outcome) == Outcome.REFUSED.value, 1), else_=0)).label("refused"),
            func.sum(case((col(ReplayRow.outcome) == Outcome.VERIFIED.value, 1), else_=0)).label("verified"),
        )
        .where(col(ReplayRow.dry_run).is_(False))
        .group_by(col(ReplayRow.memory_id))
        .subquery()
    )


def read_replay(session: Session, row: ReplayRow) -> ReplayReport:
    """Put a report together; raises ``RepositoryError`` naming the run when a row does not fit."""
    query = (
        select(col(ReplayStepRow.body))
        .where(col(ReplayStepRow.replay_id) == row.id)
        .order_by(col(ReplayStepRow.position))
    )
    bodies: Sequence[str] = session.execute(query).scalars().all()
    try:
        data = {**json.loads(row.body), "steps": [json.loads(body) for body in bodies]}
        return wire.from_json(ReplayReport, data)
    except (ValidationError, ValueError, TypeError) as fault:
        raise RepositoryError(
            f"The report of replay {row.run_id or row.id} is damaged in the library.",
            "`echostudio store verify` says where.",
        ) from fault
