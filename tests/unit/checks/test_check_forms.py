"""Well-formed checks, fields in their values, and checks that prove nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echostudio.checks import CATALOGUE, GROUPS, World, fields_used, run, vacuity, validate
from echostudio.checks.substitution import fields_of, fill
from echostudio.checks.vacuity import fresh_value
from echostudio.episode.check import Check
from echostudio.episode.field import Binding, Field, FieldKind, constraint_problem
from echostudio.errors import UsageError

EXISTS = Check("file_exists", {"path": "{name}"})


def test_the_catalogue_tells_keys_and_help() -> None:
    assert {"file_exists", "text_contains", "window_title"} <= set(CATALOGUE)
    for kind, checker in CATALOGUE.items():
        assert checker.kind == kind
        assert checker.help.endswith(".")
        assert checker.keys
        assert all(checker.keys.values())
        assert checker.patterns <= set(checker.keys)
    assert not set(CATALOGUE) & set(GROUPS)


@pytest.mark.parametrize("kind", sorted(CATALOGUE))
def test_every_kind_needs_all_its_keys_and_no_others(kind: str) -> None:
    whole = dict.fromkeys(CATALOGUE[kind].keys, "x")
    validate(Check(kind, whole))
    for key in whole:
        rest = {name: value for name, value in whole.items() if name != key}
        with pytest.raises(UsageError, match=f"{kind} needs {key}"):
            validate(Check(kind, rest))
        with pytest.raises(UsageError, match=f"{kind} needs {key}"):
            validate(Check(kind, {**whole, key: ""}))
    with pytest.raises(UsageError, match=f"{kind} has no colour"):
        validate(Check(kind, {**whole, "colour": "red"}))
    with pytest.raises(UsageError, match="holds no other checks"):
        validate(Check(kind, whole, (EXISTS,)))


def test_an_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="no check file_exist") as near:
        validate(Check("file_exist", {"path": "x"}))
    assert "file_exists" in near.value.hint
    with pytest.raises(UsageError) as far:
        validate(Check("zzz"))
    assert "window_title" in far.value.hint


@pytest.mark.parametrize(
    "check",
    [
        Check("all"),
        Check("any", {"path": "x"}, (EXISTS,)),
        Check("not", parts=(EXISTS, EXISTS)),
        Check("all", parts=(Check("any", parts=(Check("file_exists"),)),)),
        Check("text_matches", {"path": "x", "pattern": "("}),
        Check("text_matches", {"path": "x", "pattern": "a{2}b{"}),
        Check("file_exists", {"path": "a{b"}),
        Check("file_exists", {"path": "a{}b"}),
    ],
)
def test_malformed_checks_are_refused(check: Check) -> None:
    with pytest.raises(UsageError):
        validate(check)


def test_fields_are_checked_when_they_are_known() -> None:
    validate(EXISTS)
    validate(EXISTS, ["name", "other"])
    with pytest.raises(UsageError, match="no field name") as wrong:
        validate(Check("all", parts=(EXISTS,)), ["names"])
    assert wrong.value.hint == "Did you mean {names}?"
    assert fields_used(Check("not", parts=(EXISTS, Check("text_contains", {"path": "{a}{b}", "text": "{{c}}"})))) == {
        "name",
        "a",
        "b",
    }


def test_values_fill_in_and_doubled_braces_stay() -> None:
    assert fill("{a}/{b}.txt {{literal}}", {"a": "x", "b": "{a}"}) == "x/{a}.txt {literal}"
    assert fields_of("{a}/{{b}}/{c}") == ("a", "c")
    with pytest.raises(UsageError, match="no field gone"):
        fill("{gone}", {"a": "x"})


@settings(deadline=None)
@given(st.text(), st.text())
def test_any_text_can_be_written_literally_beside_a_field(text: str, value: str) -> None:
    doubled = text.replace("{", "{{").replace("}", "}}")
    assert fill(doubled, {}) == text
    assert fill(doubled + "{x}", {"x": value}) == text + value
    assert re.fullmatch(fill("{x}", {"x": value}, quote=re.escape), value)


def field(kind: FieldKind = FieldKind.TEXT, recorded: str = "notes.txt", **rest: object) -> Field:
    return Field("name", (Binding(0, "text"),), kind, recorded=recorded, **rest)  # type: ignore[arg-type]


def test_a_check_that_ignores_the_fields_is_vacuous(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    world = World(tmp_path)
    honest = Check("text_contains", {"path": "{name}", "text": "hello"})
    blind = Check("file_exists", {"path": "notes.txt"})
    backwards = Check("file_absent", {"path": "{name}.bak"})
    given_checks = (EXISTS, honest, blind, backwards)
    assert all(result.passed for result in run(given_checks, {"name": "notes.txt"}, world))
    assert vacuity(given_checks, (field(FieldKind.PATH),), world) == (blind, backwards)


def test_without_fields_vacuity_is_not_judged(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    assert vacuity((Check("file_exists", {"path": "notes.txt"}),), (), World(tmp_path)) == ()


@pytest.mark.parametrize("kind", list(FieldKind))
def test_fresh_values_are_new_and_of_their_kind(kind: FieldKind) -> None:
    recorded = {FieldKind.NUMBER: "3", FieldKind.DATE: "2026-11-30", FieldKind.URL: "https://a.example/"}
    one = field(kind, recorded.get(kind, "docs/notes.txt"), choices=("docs/notes.txt", "b"))
    values = {fresh_value(one) for _ in range(5)}
    assert one.recorded not in values
    assert all(constraint_problem(one, value) is None for value in values)
    if kind is FieldKind.PATH:
        assert all(re.fullmatch(r"docs/[a-z]{16}\.txt", value) for value in values)
    if kind is not FieldKind.CHOICE:
        assert len(values) == 5
