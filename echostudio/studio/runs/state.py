"""What the Runs page shows: rows, filter, search, and how each run ended. No Qt here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from echostudio.episode.run import RunSource
from echostudio.episode.verdict import Outcome
from echostudio.operations.runs import RunRow
from echostudio.studio.looks import OUTCOMES, Look
from echostudio.studio.wording import count

ALL: Final = "all"
_FITS: Final[dict[str, Callable[[RunRow], bool]]] = {
    ALL: lambda row: True,
    "recordings": lambda row: not row.replay,
    "replays": lambda row: row.replay,
    "refused": lambda row: row.outcome in (Outcome.REFUSED, Outcome.BROKEN),
    "incomplete": lambda row: row.incomplete,
}
FILTERS: Final = tuple(_FITS)

LIVE: Final = Look("record-fill", "under way", "failed")
INCOMPLETE: Final = Look("warning-fill", "incomplete", "refused")
UNREADABLE: Final = Look("x-circle-fill", "unreadable", "failed")
RECOVERED: Final = Look("first-aid-kit-fill", "recovered", "changed")
COMPLETE: Final = Look("check-circle-fill", "complete", "accepted")
_KINDS: Final = {
    RunSource.HUMAN: Look("record-fill", "recording", "muted"),
    RunSource.AGENT: Look("robot", "recording by an agent", "muted"),
    RunSource.REPLAY: Look("play-circle", "replay", "muted"),
}


def ending(row: RunRow) -> Look:
    """Return how a run ended, or that it has not."""
    if row.fault:
        return UNREADABLE
    if row.live:
        return LIVE
    if row.outcome is not None:
        look = OUTCOMES[row.outcome]
        return Look(look.icon, f"{look.word} · dry run", look.token) if row.dry_run else look
    if row.incomplete:
        return INCOMPLETE
    return RECOVERED if row.recovered else COMPLETE


def kind(row: RunRow) -> Look:
    """Return what kind of run it is."""
    return _KINDS[row.source]


def facts(row: RunRow) -> str:
    """Return the line below the intent: the refusal where there is one, else kind, program and desktop."""
    if row.fault:
        return row.fault
    if row.refusal:
        at = f"step {row.refused_step + 1}: " if row.refused_step is not None else "before the start: "
        return at + row.refusal
    where = row.desktop if row.desktop in ("host", "scripted") else f"virtual desktop {row.desktop}"
    where = {"host": "this screen", "virtual desktop virtual": "virtual desktop"}.get(where, where)
    return " · ".join(part for part in (kind(row).word, row.program, where if row.desktop else "") if part)


def target(row: RunRow) -> tuple[str, str] | None:
    """Return the page and what to open there: a recording in the Timeline, a replay where it stopped."""
    if row.fault:
        return None
    return ("replay", row.id) if row.memory else ("timeline", f"run:{row.id}")


@dataclass(frozen=True)
class RunsState:
    """The page: all rows (newest first), which of them are shown."""

    rows: tuple[RunRow, ...] = ()
    only: str = ALL
    query: str = ""
    loaded: bool = False

    def with_rows(self, rows: tuple[RunRow, ...]) -> RunsState:
        """Take newer rows; a filter that would show nothing any more is let go."""
        newer = replace(self, rows=rows, loaded=True)
        return newer if newer.counts[self.only] or not rows else replace(newer, only=ALL)

    def with_only(self, only: str) -> RunsState:
        """Show one kind of runs."""
        return replace(self, only=only)

    def with_query(self, query: str) -> RunsState:
        """Show the runs that hold every word."""
        return replace(self, query=query.strip())

    @cached_property
    def matching(self) -> tuple[RunRow, ...]:
        """The rows that hold every word of the search."""
        words = self.query.casefold().split()
        return tuple(row for row in self.rows if all(word in _text(row) for word in words))

    @cached_property
    def visible(self) -> tuple[RunRow, ...]:
        """The rows that are shown."""
        return tuple(row for row in self.matching if _FITS[self.only](row))

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many of the matching rows each filter would show."""
        return {name: sum(fits(row) for row in self.matching) for name, fits in _FITS.items()}

    @property
    def broken_off(self) -> tuple[RunRow, ...]:
        """The runs that can be recovered, newest first."""
        return tuple(row for row in self.rows if row.incomplete)


def offer(rows: tuple[RunRow, ...]) -> str:
    """Return the sentence that offers to recover what broke off; empty when nothing did."""
    if not rows:
        return ""
    if len(rows) > 1:
        return f"{len(rows)} runs broke off before they were finished. Their steps are on disk."
    name = f"“{rows[0].intent}”" if rows[0].intent else rows[0].id
    held = f"{count(rows[0].steps, 'step')} {'is' if rows[0].steps == 1 else 'are'} on disk."
    return f"The run {name} broke off before it was finished. {held}"


def _text(row: RunRow) -> str:
    parts = (row.intent, row.program, row.id, row.desktop, row.memory, row.refusal, ending(row).word, kind(row).word)
    return " ".join(parts).casefold()
