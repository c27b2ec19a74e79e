"""What of a screen's elements counts, and how alike two screens are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echostudio.episode.evidence import ElementFacts
from echostudio.observer.elements import menu_part, normalised, similarity, structure, tells_enough

TREES = st.lists(
    st.tuples(st.sampled_from(["menu", "push button", "label", "table", "entry"]), st.text("abc12 ", max_size=3))
).map(lambda pairs: structure([ElementFacts(role, name) for role, name in pairs]))


def elements(*pairs: tuple[str, str]) -> list[ElementFacts]:
    return [ElementFacts(role, name) for role, name in pairs]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("Save _As...", "save as"),
        ("&Open…", "open"),
        ("*Sheet 12", "sheet"),
        ("  Two   words ", "two words"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("cafe\u0301", "café"),
        ("v. 1", "v."),
        ("x" * 99, "x" * 60),
    ],
)
def test_names_are_compared_without_what_differs_between_runs(told: str, expected: str) -> None:
    assert normalised(told) == expected


def test_chrome_counts_by_name_containers_by_role_content_not_at_all() -> None:
    tree = structure(
        elements(
            ("menu", "File"),
            ("push button", "OK"),
            ("push button", "OK"),
            ("table", "Sheet1"),
            ("table cell", "4711"),
            ("label", "Ready"),
            ("page tab", "Style"),
            ("list item", "report.txt"),
        )
    )
    assert tree == (("menu", "file", 1), ("push button", "ok", 2), ("table", "", 1))


def test_nameless_ones_count_at_most_six_times_and_named_ones_always() -> None:
    tree = structure(elements(*[("push button", "")] * 9, *[("link", "More 1")] * 9))
    assert tree == (("link", "more", 9), ("push button", "", 6))


def test_order_does_not_matter() -> None:
    pairs = [("menu", "File"), ("entry", "Name"), ("menu", "Edit")]
    assert structure(elements(*pairs)) == structure(elements(*reversed(pairs)))


def test_likeness_of_a_dialog_and_its_window_is_small() -> None:
    window = structure(elements(("menu", "File"), ("menu", "Edit"), ("text", "Document")))
    dialog = structure(elements(("push button", "Save"), ("push button", "Cancel"), ("text", "Name")))
    grown = structure(elements(("menu", "File"), ("menu", "Edit"), ("text", "Document"), ("entry", "Find")))
    assert similarity(window, dialog) == 0.0
    assert similarity(window, grown) == 0.75
    assert similarity((), ()) == 1.0
    assert similarity(window, ()) == 0.0


@given(TREES, TREES)
def test_likeness_is_symmetric_bounded_and_one_for_equals(
    one: tuple[tuple[str, str, int], ...], two: tuple[tuple[str, str, int], ...]
) -> None:
    assert similarity(one, two) == similarity(two, one)
    assert 0.0 <= similarity(one, two) <= 1.0
    assert similarity(one, one) == 1.0
    assert (similarity(one, two) == 1.0) == (one == two)


def test_an_open_menu_is_a_part_of_its_own() -> None:
    tree = structure(elements(("menu", "File"), ("menu item", "Save"), ("check menu item", "Wrap")))
    assert menu_part(tree) == (("check menu item", "wrap", 1), ("menu item", "save", 1))


def test_two_elements_are_no_evidence() -> None:
    assert not tells_enough(structure(elements(("menu", "File"), ("label", "a"), ("push button", "OK"))))
    assert tells_enough(structure(elements(("menu", "File"), ("menu", "Edit"), ("push button", "OK"))))
