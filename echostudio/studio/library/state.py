"""What the Library shows: the rows, the search, the filter, the order; and what speaks for or against a promotion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from echostudio.episode.lifecycle import ALLOWED, LifecycleState
from echostudio.episode.memory import Memory, MemoryRow
from echostudio.studio.looks import CHECKS, FLEXIBLE, Look
from echostudio.studio.wording import count

SORTS: Final = ("intent", "state", "replays", "refused", "updated")
_ORDER: Final = {state: place for place, state in enumerate(LifecycleState)}


@dataclass(frozen=True)
class LibraryState:
    """The rows as loaded, and how the person looks at them.

    ``found`` holds the ids that the repository's own search gave for ``query`` (it knows step words); until it has
    answered, the words of the rows decide alone.
    """

    rows: tuple[MemoryRow, ...] = ()
    query: str = ""
    found: frozenset[str] | None = None
    only: LifecycleState | None = None
    sort: str = "updated"
    rising: bool = False
    loaded: bool = False

    def with_rows(self, rows: list[MemoryRow]) -> LibraryState:
        """Take the newest rows."""
        return replace(self, rows=tuple(rows), loaded=True)

    def with_query(self, query: str) -> LibraryState:
        """Search for other words."""
        return replace(self, query=query.strip(), found=None)

    def with_found(self, query: str, rows: list[MemoryRow]) -> LibraryState:
        """Take the repository's answer, when it is still the question."""
        if query != self.query:
            return self
        return replace(self, found=frozenset(row.id for row in rows))

    def with_only(self, only: LifecycleState | None) -> LibraryState:
        """Show one lifecycle state only, or all."""
        return replace(self, only=only)

    def sorted_by(self, sort: str) -> LibraryState:
        """Order by another column; the same one again turns the order round."""
        rising = not self.rising if sort == self.sort else sort == "intent"
        return replace(self, sort=sort, rising=rising)

    @cached_property
    def matching(self) -> tuple[MemoryRow, ...]:
        """The rows that the search finds, in order, before the filter by state."""
        rows = [row for row in self.rows if self._matches(row)]
        return tuple(sorted(rows, key=self._key, reverse=not self.rising))

    @cached_property
    def visible(self) -> tuple[MemoryRow, ...]:
        """The rows that are shown."""
        return tuple(row for row in self.matching if self.only is None or row.state == self.only)

    @cached_property
    def counts(self) -> dict[LifecycleState, int]:
        """How many of the found rows are in each state."""
        counts = dict.fromkeys(LifecycleState, 0)
        for row in self.matching:
            counts[row.state] += 1
        return counts

    def _matches(self, row: MemoryRow) -> bool:
        if not self.query:
            return True
        if self.found is not None and row.id in self.found:
            return True
        text = " ".join((row.intent, row.app, *row.phrases, *row.fields, *row.recorded_values)).casefold()
        return all(word in text for word in self.query.casefold().split())

    def _key(self, row: MemoryRow) -> tuple[object, str]:
        keys: dict[str, object] = {
            "intent": row.intent.casefold(),
            "state": _ORDER[row.state],
            "replays": row.replays,
            "refused": row.refused / row.replays if row.replays else -1.0,
            "updated": row.updated,
        }
        return keys[self.sort], row.id


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the promotion's evidence: how it looks, what it says, where it stands."""

    look: Look
    sentence: str
    where: str = ""


_GOOD: Final = CHECKS[True]
_OPEN: Final = Look("warning-fill", "to do", "refused")


def findings(memory: Memory, blockers: tuple[str, ...]) -> tuple[Finding, ...]:
    """Return what speaks for a promotion, and every blocker."""
    found = [Finding(_OPEN, blocker) for blocker in blockers]
    kept, dropped = len(memory.program), len(memory.reasoning.dropped)
    if kept:
        found.append(Finding(_GOOD, f"{kept} of {count(kept + dropped, 'step')} kept", "report"))
    passed = sum(result.passed is True for result in memory.validation.results)
    if memory.validation.positive:
        found.append(Finding(_GOOD, f"{count(passed, 'check')} passed on the demonstration", "evidence"))
    weakest = weakest_margin(memory)
    if weakest is not None:
        found.append(_margin_finding(*weakest))
    if memory.fields:
        names = ", ".join(field.name for field in memory.fields)
        found.append(Finding(FLEXIBLE, f"may change: {names}", count(len(memory.fields), "field")))
    else:
        found.append(Finding(Look("lock-simple-fill", "fixed", "muted"), "nothing may change", "no field"))
    return tuple(found)


def weakest_margin(memory: Memory) -> tuple[float, bool, int] | None:
    """Return the smallest self-test margin, whether every target passed, and the step (from 0)."""
    tests = [
        (target.self_test, step.index)
        for step in memory.program
        for target in step.targets.values()
        if target.self_test is not None
    ]
    if not tests:
        return None
    failed = [(test, index) for test, index in tests if not test.passed]
    test, index = min(failed or tests, key=lambda pair: pair[0].margin)
    return test.margin, not failed, index


def _margin_finding(margin: float, passed: bool, index: int) -> Finding:
    if passed:
        return Finding(_GOOD, f"every target unique, smallest margin {margin:.3f}", f"step {index + 1}")
    return Finding(_OPEN, f"a target has a twin, margin {margin:.3f}", f"step {index + 1}")


def may_become(state: LifecycleState, after: LifecycleState) -> bool:
    """Whether the lifecycle allows the change."""
    return after in ALLOWED[state]
