"""Declaring fields, proposing them, their constraints; and what stands before promotion."""

from __future__ import annotations

from dataclasses import replace

import pytest

from echostudio.consolidation import fields, promote
from echostudio.consolidation.consolidate import propose
from echostudio.episode.check import Check, CheckResult
from echostudio.episode.field import Binding, Field, FieldKind, constraint_problem
from echostudio.episode.memory import Memory, Reasoning, Validation
from echostudio.errors import UsageError


@pytest.fixture
def memory(rec) -> Memory:
    """Steps: 0 click Save, 1 type notes.txt, 2 type two lines, 3 ctrl+s, 4 type notes.txt, 5 type 42."""
    rec.click(words="Click “Save”")
    rec.type("notes.txt")
    rec.type("two lines")
    rec.hotkey("ctrl", "s")
    rec.type("notes.txt")
    rec.type("42")
    return propose(rec.run()).memory


def field(name: str = "file_name", *places: tuple[int, str], **rest: object) -> Field:
    return Field(name, tuple(Binding(*place) for place in places or ((1, "text"),)), **rest)  # type: ignore[arg-type]


def test_adding_a_field_takes_the_recorded_value(memory: Memory) -> None:
    changed = fields.add(memory, field(kind=FieldKind.PATH))
    assert changed.fields == (field(kind=FieldKind.PATH, recorded="notes.txt"),)
    assert memory.fields == ()
    assert changed.program == memory.program


def test_one_field_may_fill_several_places_of_one_value(memory: Memory) -> None:
    both = fields.add(memory, field("file_name", (1, "text"), (4, "text"), (1, "text")))
    assert both.fields[0].bindings == (Binding(1, "text"), Binding(4, "text"))
    one_by_one = fields.add(fields.add(memory, field(kind=FieldKind.PATH)), field("file_name", (4, "text")))
    assert one_by_one.fields[0].bindings == both.fields[0].bindings
    assert one_by_one.fields[0].kind is FieldKind.PATH
    with pytest.raises(UsageError, match="different values: “notes.txt”, “two lines”"):
        fields.add(memory, field("file_name", (1, "text"), (2, "text")))
    with pytest.raises(UsageError, match="another kind"):
        fields.add(both, replace(field("file_name", (5, "text")), kind=FieldKind.NUMBER))


def test_a_target_and_a_hotkey_may_be_flexible(memory: Memory) -> None:
    assert fields.add(memory, field("button", (0, "target.text"))).fields[0].recorded == "Save"
    assert fields.add(memory, field("keys", (3, "keys"))).fields[0].recorded == "ctrl+s"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (field("file_name", (9, "text")), "no step 9"),
        (field("file_name", (-1, "text")), "no step -1"),
        (field("file_name", (0, "text")), "has no parameter text"),
        (field("file_name", (3, "key")), "has no parameter key"),
        (Field("file_name", ()), "fills no place"),
        (field("file name"), "cannot be a field's name"),
        (field(""), "cannot be a field's name"),
        (field("1st"), "cannot be a field's name"),
        (field(pattern="("), "not a regular expression"),
        (field(pattern="[0-9]+"), "does not match"),
        (field(kind=FieldKind.NUMBER), "is not a number"),
        (field(kind=FieldKind.CHOICE), "choice without choices"),
        (field(kind=FieldKind.CHOICE, choices=("a", "b")), "is not one of a, b"),
    ],
)
def test_a_field_that_does_not_fit_is_refused(memory: Memory, wrong: Field, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        fields.add(memory, wrong)


def test_a_missing_recorded_target_name_is_told(memory: Memory, make_target) -> None:
    nameless = replace(memory.program[0], targets={"target": make_target(name="")})
    without = replace(memory, program=(nameless, *memory.program[1:]))
    with pytest.raises(UsageError, match=r"recorded no target\.text"):
        fields.add(without, field("button", (0, "target.text")))


def test_a_place_belongs_to_one_field(memory: Memory) -> None:
    with pytest.raises(UsageError, match="already belongs to the field file_name"):
        fields.add(fields.add(memory, field()), field("other"))


def test_a_secret_is_taken_out_of_the_program(memory: Memory) -> None:
    hidden = fields.add(memory, field("pin", (5, "text"), kind=FieldKind.SECRET))
    assert hidden.fields[0].recorded == ""
    assert hidden.program[5].action.parameters == {"text": ""}
    assert "42" not in hidden.program[5].words
    assert memory.program[5].action.parameters == {"text": "42"}
    again = fields.remove(hidden, "pin")
    assert fields.add(again, field("pin", (5, "text"), kind=FieldKind.SECRET)).fields == hidden.fields


def test_removing_a_field_asks_for_its_checks_first(memory: Memory) -> None:
    changed = fields.add(memory, field())
    assert fields.remove(changed, "file_name").fields == ()
    nested = Check("not", parts=(Check("file_absent", {"path": "{file_name}"}),))
    with pytest.raises(UsageError, match="check not uses the field file_name"):
        fields.remove(replace(changed, checks=(nested,)), "file_name")
    with pytest.raises(UsageError, match="no field filename") as near:
        fields.remove(changed, "filename")
    assert "file_name" in near.value.hint


def test_proposals_join_equal_values_and_name_kinds(memory: Memory) -> None:
    proposed = fields.proposals(memory)
    assert [(one.name, one.kind, one.recorded) for one in proposed] == [
        ("file_name", FieldKind.PATH, "notes.txt"),
        ("text", FieldKind.TEXT, "two lines"),
        ("number", FieldKind.NUMBER, "42"),
    ]
    assert proposed[0].bindings == (Binding(1, "text"), Binding(4, "text"))
    for one in proposed:
        memory = fields.add(memory, one)
    assert memory.fields == proposed
    assert fields.proposals(memory) == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("/tmp/a b", FieldKind.PATH),
        ("~/notes", FieldKind.PATH),
        ("C:\\x.doc", FieldKind.PATH),
        ("report 2026.csv", FieldKind.PATH),
        ("https://a.example/b?c", FieldKind.URL),
        ("2026-11-30", FieldKind.DATE),
        ("-3,5", FieldKind.NUMBER),
        ("first line.\nsecond.txt", FieldKind.TEXT),
        ("hello", FieldKind.TEXT),
        ("end.", FieldKind.TEXT),
    ],
)
def test_typed_texts_suggest_their_kind(rec, text: str, kind: FieldKind) -> None:
    rec.type(text)
    (proposed,) = fields.proposals(propose(rec.run()).memory)
    assert proposed.kind is kind
    assert constraint_problem(proposed, text) is None


def test_a_proposed_name_follows_the_label_of_the_input(rec, focused) -> None:
    rec.type("Ann", screen_before=focused("entry", "First name:"))
    rec.type("Lee", screen_before=focused("entry", "First name:"))
    rec.type("x", screen_before=focused("entry", "1 of 2"))
    names = [one.name for one in fields.proposals(propose(rec.run()).memory)]
    assert names == ["first_name", "first_name_2", "text"]


@pytest.mark.parametrize(
    ("kind", "recorded", "good", "bad"),
    [
        (FieldKind.TEXT, "abc", ["x", "é 世界"], ["a\nb", "a\tb", "a\x07"]),
        (FieldKind.TEXT, "a\nb\tc", ["a\nb", "x\ty"], ["\x00"]),
        (FieldKind.NUMBER, "3", ["-4", "2.5", "2,5", "+1"], ["", "x", "1e5", "1 0", "--1"]),
        (FieldKind.DATE, "2026-11-30", ["2024-02-29"], ["2023-02-29", "30.11.2026", ""]),
        (FieldKind.DATE, "30.11.2026", ["01.02.2026"], ["2026-11-30", "32.01.2026"]),
        (FieldKind.DATE, "", ["2026-11-30"], ["30.11.2026"]),
        (FieldKind.URL, "https://a.example", ["ftp://x/y"], ["a.example", "https://a b", ""]),
        (FieldKind.PATH, "a.txt", ["/x/y z", "b.txt"], ["", "a\nb", "a\0b"]),
        (FieldKind.SECRET, "", ["pass word"], ["", "a\nb"]),
    ],
)
def test_constraints_of_kinds(kind: FieldKind, recorded: str, good: list[str], bad: list[str]) -> None:
    one = field(kind=kind, recorded=recorded)
    assert [value for value in good if constraint_problem(one, value) is not None] == []
    assert [value for value in bad if constraint_problem(one, value) is None] == []


def test_a_pattern_decides_over_line_breaks_and_secrets_stay_unsaid() -> None:
    assert constraint_problem(field(pattern=r"a(\nb)*", recorded="a"), "a\nb") is None
    assert constraint_problem(field(pattern="a+", recorded="a"), "aab") == "“aab” does not match the pattern a+"
    assert "regular expression" in (constraint_problem(field(pattern="(", recorded="a"), "a") or "")
    secret = constraint_problem(field(kind=FieldKind.SECRET, pattern=r"\d+"), "hunter2")
    assert secret is not None
    assert "hunter2" not in secret


PASSED = CheckResult("file_exists", True, "a file", "a file of 3 bytes", "It is there.")


@pytest.fixture
def ready(memory: Memory) -> Memory:
    return replace(
        memory, checks=(Check("file_exists", {"path": "notes.txt"}),), validation=Validation("now", (PASSED,))
    )


def test_a_viable_proven_memory_may_be_promoted(ready: Memory) -> None:
    assert promote.blockers(ready) == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"checks": ()}, "no check that proves"),
        ({"validation": Validation()}, "have not been run"),
        ({"validation": Validation("now", (replace(PASSED, passed=False),))}, "did not pass. It is there."),
        ({"validation": Validation("now", (replace(PASSED, passed=None),))}, "could not be judged"),
        ({"validation": Validation("now", (PASSED, PASSED))}, "changed after they were last run"),
        ({"validation": Validation("now", (replace(PASSED, kind="all"),))}, "changed after they were last run"),
        ({"reasoning": Reasoning(False, ("Too dark.",))}, "Too dark."),
        ({"reasoning": Reasoning(False)}, "not viable"),
        ({"program": ()}, "has no steps"),
    ],
)
def test_each_blocker_is_told(ready: Memory, change: dict[str, object], words: str) -> None:
    (blocker,) = promote.blockers(replace(ready, **change))  # type: ignore[arg-type]
    assert words in blocker


def test_unsupported_actions_and_lost_evidence_block(ready: Memory) -> None:
    first, second, *rest = ready.program
    broken = replace(ready, program=(replace(first, targets={}), replace(
        second, action=second.action.with_parameter("speed", 2)), *rest))  # fmt: skip
    lost, unknown = promote.blockers(broken)
    assert lost == "Step 0 (Click “Save”) has no evidence of its target."
    assert "type has no speed" in unknown
