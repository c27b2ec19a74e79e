from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from echostudio.episode.action import ActionKind
from echostudio.episode.field import Binding, Field, FieldKind
from echostudio.episode.verdict import Refusal, RefusalCode
from echostudio.replay.binding import Bound, bind
from tests import builders

VALUES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=30)


def bound(memory: object, values: dict[str, str]) -> Bound:
    done = bind(memory, values)  # type: ignore[arg-type]
    assert isinstance(done, Bound)
    return done


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_only_the_declared_place_changes(value: str) -> None:
    memory = builders.memory()
    memory = replace(memory, fields=(replace(memory.fields[0], pattern="", kind=FieldKind.TEXT),))
    done = bound(memory, {"file_name": value})
    for old, new in zip(memory.program, done.program, strict=True):
        if old.index != 2:
            assert new == old
    assert done.program[2].action.parameters == {"text": value}
    assert replace(done.program[2], action=memory.program[2].action, words=memory.program[2].words) == memory.program[2]


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=12).filter(lambda name: name != "file_name"), VALUES)
def test_every_undeclared_name_is_refused(name: str, value: str) -> None:
    done = bind(builders.memory(), {name: value})
    assert isinstance(done, Refusal)
    assert done.code is RefusalCode.UNDECLARED_CHANGE


def test_a_value_outside_its_constraint_is_refused() -> None:
    done = bind(builders.memory(), {"file_name": "monday.exe"})
    assert isinstance(done, Refusal)
    assert done.code is RefusalCode.INVALID_VALUE
    assert "monday.exe" in done.sentence


def test_the_recorded_value_changes_nothing() -> None:
    memory = builders.memory()
    done = bound(memory, {"file_name": "monday.txt"})
    assert done.program == memory.program
    assert done.changed == {}
    assert done.rebound == frozenset()


def test_changed_words_tell_the_new_value() -> None:
    done = bound(builders.memory(), {"file_name": "friday.txt"})
    assert done.changed == {"file_name": "friday.txt"}
    assert done.program[2].words == "Type “friday.txt”"


def test_one_field_fills_all_its_places() -> None:
    memory = builders.memory()
    both = replace(memory.fields[0], bindings=(Binding(0, "text"), Binding(2, "text")))
    done = bound(replace(memory, fields=(both,)), {"file_name": "x.txt"})
    assert [done.program[i].action.parameters["text"] for i in (0, 2)] == ["x.txt", "x.txt"]
    assert done.rebound == {0, 2}


def test_a_number_stays_a_number() -> None:
    count = Field("ticks", (Binding(0, "dy"),), FieldKind.NUMBER, "", (), "3")
    memory = replace(builders.memory(), program=(builders.step(0, ActionKind.SCROLL, dx=0, dy=3),), fields=(count,))
    assert bound(memory, {"ticks": "5"}).program[0].action.parameters == {"dx": 0, "dy": 5}


def test_a_secret_never_shows() -> None:
    secret = Field("pin", (Binding(0, "text"),), FieldKind.SECRET)
    memory = replace(builders.memory(), fields=(secret,))
    done = bound(memory, {"pin": "hunter2"})
    assert done.program[0].action.parameters["text"] == "hunter2"
    assert "hunter2" not in f"{done.values}{done.changed}{done.program[0].words}"


def test_a_target_chosen_by_words_is_refused_not_ignored() -> None:
    row = Field("row", (Binding(0, "target.text"),))
    memory = replace(builders.memory(), program=(builders.step(0, ActionKind.CLICK, button="left"),), fields=(row,))
    done = bind(memory, {"row": "Smith"})
    assert isinstance(done, Refusal)
    assert done.code is RefusalCode.UNSUPPORTED_ACTION
