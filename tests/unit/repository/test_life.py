"""Lifecycle: allowed and illegal changes, events, validation."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from sqlalchemy.exc import IntegrityError

from echostudio.episode.check import CheckResult
from echostudio.episode.lifecycle import ALLOWED, LifecycleState
from echostudio.episode.memory import Validation
from echostudio.errors import IllegalTransition, RepositoryError, UsageError

CANDIDATE, ACTIVE = LifecycleState.CANDIDATE, LifecycleState.ACTIVE
QUARANTINED, DEPRECATED = LifecycleState.QUARANTINED, LifecycleState.DEPRECATED
ROUTES = {CANDIDATE: (), ACTIVE: (ACTIVE,), QUARANTINED: (QUARANTINED,), DEPRECATED: (DEPRECATED,)}


@pytest.fixture
def memory(library, make_memory, source):
    return library.add(make_memory(), source, "ann", "first demonstration")


@pytest.mark.parametrize(("before", "after"), list(product(LifecycleState, LifecycleState)))
def test_exactly_the_allowed_changes_are_made(library, memory, before, after) -> None:
    for state in ROUTES[before]:
        library.transition(memory.id, 1, state, "ann", "on the way")
    if after in ALLOWED[before]:
        moved = library.transition(memory.id, 1, after, "bob", "because")
        assert moved.state is library.get(memory.id).state is after
    else:
        count = len(library.events(memory.id))
        with pytest.raises(IllegalTransition, match=f"{before} and cannot become {after}"):
            library.transition(memory.id, 1, after, "bob", "because")
        assert library.get(memory.id).state is before
        assert len(library.events(memory.id)) == count
    assert library.verify() == []


def test_every_change_is_one_event_in_order(library, memory) -> None:
    library.transition(memory.id, 1, ACTIVE, "bob", "  reviewed ", {"checks_passed": "2"})
    library.transition(memory.id, 1, QUARANTINED, "cy", "wrong file")
    events = library.events(memory.id)
    assert [(event.kind, event.who, event.reason) for event in events] == [
        ("added", "ann", "first demonstration"),
        ("promoted", "bob", "reviewed"),
        ("quarantined", "cy", "wrong file"),
    ]
    assert [(event.before, event.after) for event in events] == [
        (None, CANDIDATE),
        (CANDIDATE, ACTIVE),
        (ACTIVE, QUARANTINED),
    ]
    assert events[1].evidence == {"checks_passed": "2"}
    assert [event.at for event in events] == sorted(event.at for event in events)


def test_a_change_without_a_reason_is_refused(library, memory) -> None:
    with pytest.raises(UsageError, match="reason"):
        library.transition(memory.id, 1, ACTIVE, "bob", " ")
    assert library.get(memory.id).state is CANDIDATE


def test_activating_supersedes_only_the_active_revision(library, memory) -> None:
    library.transition(memory.id, 1, ACTIVE, "ann", "good")
    second = library.revise(replace(memory, intent="Two"), "ann", "better")
    third = library.revise(replace(memory, intent="Three"), "ann", "another")
    assert library.in_use(memory.id).revision == 1
    library.transition(memory.id, third.revision, ACTIVE, "bob", "best")
    assert [revision.state for revision in library.revisions(memory.id)] == [DEPRECATED, CANDIDATE, ACTIVE]
    assert library.in_use(memory.id).revision == 3
    superseded, promoted = library.events(memory.id)[-2:]
    assert (superseded.kind, superseded.revision, superseded.evidence) == ("superseded", 1, {"superseded_by": "3"})
    assert (promoted.kind, promoted.revision) == ("promoted", 3)
    assert second.revision == 2
    assert library.verify() == []


def test_without_an_active_revision_the_latest_is_in_use(library, memory) -> None:
    library.transition(memory.id, 1, ACTIVE, "ann", "good")
    library.revise(memory, "ann", "again")
    library.transition(memory.id, 1, QUARANTINED, "ann", "bad")
    assert library.in_use(memory.id).revision == 2


def test_a_revision_that_is_not_there_cannot_change(library, memory) -> None:
    with pytest.raises(RepositoryError, match="no revision 5"):
        library.transition(memory.id, 5, ACTIVE, "ann", "why")


def test_events_can_not_be_changed_or_erased(library, memory) -> None:
    for statement in ("UPDATE lifecycle_event SET who = 'eve'", "DELETE FROM lifecycle_event"):
        with pytest.raises(IntegrityError, match="only ever appended"), library._database.writing() as session:
            session.connection().exec_driver_sql(statement)
    assert [event.who for event in library.events(memory.id)] == ["ann"]


def test_the_newest_validation_counts_and_earlier_ones_stay(library, memory) -> None:
    bad = Validation("2026-01-01T00:00:00Z", (CheckResult("file_exists", False, "a file", "no such file", "x."),))
    good = Validation("", (CheckResult("file_exists", True, "a file", "a file of 3 bytes", "x."),))
    assert library.set_validation(memory.id, 1, bad).validation == bad
    latest = library.set_validation(memory.id, 1, good).validation
    assert latest.positive
    assert latest.at
    assert library.get(memory.id).validation == latest
    reasons = [event.reason for event in library.events(memory.id) if event.kind == "validated"]
    assert reasons == ["0 of 1 checks passed.", "1 of 1 checks passed."]
    with library._database.reading() as session:
        assert session.connection().exec_driver_sql("SELECT COUNT(*) FROM validation").scalar_one() == 2
