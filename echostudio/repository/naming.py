"""How a person's words name a memory: by id, by the beginning of an id, by its intent or another phrase for it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from rapidfuzz import fuzz, process
from sqlalchemy import ColumnElement, or_, select, union
from sqlmodel import Session, col

from echostudio.errors import UnknownMemory, UsageError
from echostudio.repository.tables import MemoryTable, PhraseRow, RevisionTable

SHORTEST_PREFIX = 4
_CLOSE_ENOUGH = 60.0


def key(words: str) -> str:
    """Return the form in which intents are compared: one width, one case, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", words).casefold().split())


def resolve(session: Session, ref: str) -> str:
    """Return the one id that ``ref`` names.

    An exact id wins, then an exact intent or phrase of a current revision, then the beginning of an id. Raises
    ``UsageError`` when several are meant, ``UnknownMemory`` with the nearest names when none is.
    """
    wanted = ref.strip()
    if wanted and session.get(MemoryTable, wanted) is not None:
        return wanted
    for found in (_by_words(session, wanted), _by_prefix(session, wanted)):
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(f"“{wanted}” means several memories: {', '.join(found)}.", "Name one by its id.")
    raise UnknownMemory(f"There is no memory “{wanted}”.", _nearest(session, wanted))


def is_current() -> ColumnElement[bool]:
    """Return the condition that a revision is its memory's latest or active one."""
    return or_(
        col(RevisionTable.revision) == col(MemoryTable.latest_revision),
        col(RevisionTable.revision) == col(MemoryTable.active_revision),
    )


def _by_words(session: Session, wanted: str) -> list[str]:
    words = key(wanted)
    if not words:
        return []
    by_intent = (
        select(col(MemoryTable.id))
        .join(RevisionTable, col(RevisionTable.memory_id) == col(MemoryTable.id))
        .where(is_current(), col(RevisionTable.intent_key) == words)
    )
    by_phrase = (
        select(col(MemoryTable.id))
        .join(PhraseRow, col(PhraseRow.memory_id) == col(MemoryTable.id))
        .where(
            col(PhraseRow.text_key) == words,
            or_(
                col(PhraseRow.revision) == col(MemoryTable.latest_revision),
                col(PhraseRow.revision) == col(MemoryTable.active_revision),
            ),
        )
    )
    return sorted(session.execute(union(by_intent, by_phrase)).scalars())


def _by_prefix(session: Session, wanted: str) -> list[str]:
    if len(wanted) < SHORTEST_PREFIX:
        return []
    beginning = col(MemoryTable.id).startswith(wanted, autoescape=True)
    return sorted(session.execute(select(col(MemoryTable.id)).where(beginning)).scalars())


def _nearest(session: Session, wanted: str) -> str:
    rows = session.execute(
        select(col(MemoryTable.id), col(RevisionTable.intent)).join(
            RevisionTable, col(RevisionTable.memory_id) == col(MemoryTable.id)
        )
    ).all()
    names = {name for row in rows for name in row}
    if not names:
        return "The library is empty."
    return _did_you_mean(wanted, names)


def _did_you_mean(wanted: str, names: Iterable[str]) -> str:
    close = process.extract(
        wanted, sorted(names), scorer=fuzz.WRatio, processor=key, limit=3, score_cutoff=_CLOSE_ENOUGH
    )
    if not close:
        return "`echostudio memory list` shows all."
    return f"Did you mean {' or '.join(f'“{name}”' for name, _, _ in close)}?"
