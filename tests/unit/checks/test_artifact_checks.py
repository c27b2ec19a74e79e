"""Every kind of check against real files: what passes, what does not, what cannot be judged."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from echostudio import checks
from echostudio.checks import World, reading
from echostudio.episode.check import Check, CheckResult
from echostudio.errors import DesktopError, UsageError


@pytest.fixture
def world(tmp_path: Path) -> World:
    (tmp_path / "work").mkdir()
    (tmp_path / "home").mkdir()
    return World(tmp_path / "work", home=tmp_path / "home")


def judge(world: World, kind: str, values: dict[str, str] | None = None, **parameters: str) -> CheckResult:
    (result,) = checks.run([Check(kind, parameters)], values or {}, world)
    assert result.kind == kind
    assert result.sentence
    return result


def test_paths_lie_in_the_folder_the_home_or_where_they_say(world: World, tmp_path: Path) -> None:
    (tmp_path / "work" / "a.txt").touch()
    (tmp_path / "home" / "b.txt").touch()
    (tmp_path / "c.txt").touch()
    assert judge(world, "file_exists", path="a.txt").passed
    assert judge(world, "file_exists", path="~/b.txt").passed
    assert judge(world, "file_exists", path=str(tmp_path / "c.txt")).passed
    assert judge(World(home=tmp_path / "home"), "file_exists", path="b.txt").passed
    assert judge(world, "file_exists", path="b.txt").passed is False
    assert World(tmp_path).resolve("~") == Path.home()
    assert World(tmp_path).resolve("~other/x") == tmp_path / "~other/x"


def test_file_exists_wants_a_plain_file(world: World, tmp_path: Path) -> None:
    (tmp_path / "work" / "sub").mkdir()
    (tmp_path / "work" / "one").write_bytes(b"x")
    (tmp_path / "work" / "dangling").symlink_to("nowhere")
    found = judge(world, "file_exists", path="one")
    assert (found.passed, found.actual) == (True, "a file of 1 byte")
    assert str(tmp_path / "work" / "one") in found.expected
    for path, actual in (("sub", "a folder"), ("gone", "no such file"), ("one/below", "no such file")):
        found = judge(world, "file_exists", path=path)
        assert (found.passed, found.actual) == (False, actual)
    assert judge(world, "file_exists", path="dangling").passed is False
    assert judge(world, "file_exists", path="nul\0byte").passed is None


def test_file_absent_is_the_other_way_round(world: World, tmp_path: Path) -> None:
    assert judge(world, "file_absent", path="gone").passed is True
    (tmp_path / "work" / "there").touch()
    found = judge(world, "file_absent", path="there")
    assert (found.passed, found.actual) == (False, "a file of 0 bytes")
    assert judge(world, "file_absent", path=".").passed is False


@pytest.mark.parametrize(
    ("content", "text", "passed"),
    [
        ("first line\nsecond line\n", "line\nsecond", True),
        ("first\r\nsecond", "first\nsecond", True),
        ("first\nsecond", "first\r\nsecond", True),
        ("Grüße, 世界", "世界", True),
        ("case", "Case", False),
        ("", "x", False),
        ("\ufeffstart", "start", True),
    ],
)
def test_text_contains(world: World, tmp_path: Path, content: str, text: str, passed: bool) -> None:
    (tmp_path / "work" / "f").write_bytes(content.encode())
    found = judge(world, "text_contains", path="f", text=text)
    assert found.passed is passed
    assert text.splitlines()[0] in found.expected


def test_text_contains_survives_any_bytes(world: World, tmp_path: Path) -> None:
    (tmp_path / "work" / "f").write_bytes(b"\xff\xfe\0abc\x80 needle \xc3")
    assert judge(world, "text_contains", path="f", text="needle").passed
    assert judge(world, "text_contains", path="f", text="other").passed is False


def test_an_expectation_stands_beside_what_was_found(world: World, tmp_path: Path) -> None:
    (tmp_path / "work" / "f").write_text("x" * 500 + "the needle" + "y" * 500)
    found = judge(world, "text_contains", path="f", text="needle")
    assert "needle" in found.actual
    assert len(found.actual) < 100
    assert found.actual.startswith("“…")
    missed = judge(world, "text_contains", path="f", text="hay")
    assert missed.sentence.endswith("does not hold “hay”.")
    (tmp_path / "work" / "f").write_text("")
    assert judge(world, "text_contains", path="f", text="hay").actual == "an empty file"
    assert judge(world, "text_contains", path="gone", text="hay").actual == "no such file"
    assert judge(world, "text_contains", path="gone", text="hay").passed is False
    assert judge(world, "text_contains", path=".", text="hay").passed is False


def test_a_file_too_large_to_read_is_judged_only_by_what_was_read(world, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("echostudio.checks.files.read_text", lambda path: reading.read_text(path, limit=10))
    (tmp_path / "work" / "f").write_text("0123456789needle")
    assert judge(world, "text_contains", path="f", text="123").passed is True
    assert judge(world, "text_contains", path="f", text="needle").passed is None
    (tmp_path / "work" / "f").write_text("0123456789")
    assert judge(world, "text_contains", path="f", text="needle").passed is False
    assert reading.LIMIT == 20 * 1024 * 1024


def test_a_pipe_never_blocks_a_check(world: World, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "work" / "pipe")
    found = judge(world, "text_contains", path="pipe", text="x")
    assert (found.passed, found.actual) == (False, "not a plain file")


def test_an_unreadable_file_cannot_be_judged(world: World, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "work" / "f").write_text("x")

    def deny(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", deny)
    found = judge(world, "text_contains", path="f", text="x")
    assert (found.passed, found.actual) == (None, "not readable: Permission denied")


def test_text_matches_searches_lines_and_quotes_values(world: World, tmp_path: Path) -> None:
    (tmp_path / "work" / "f").write_text("total: 12.50 EUR\nname: a.c (x)\n")
    assert judge(world, "text_matches", path="f", pattern=r"^total: \d{{2}}\.").passed
    assert judge(world, "text_matches", path="f", pattern=r"^name: {name}$", values={"name": "a.c (x)"}).passed
    assert judge(world, "text_matches", path="f", pattern=r"^name: {name}$", values={"name": "a.. .x."}).passed is False
    assert judge(world, "text_matches", path="gone", pattern="x").passed is False


def test_directory_listing_wants_exactly_these_names(world: World, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", ".hidden"):
        (tmp_path / "work" / name).touch()
    assert judge(world, "directory_listing", path=".", names="b.txt, a.txt").passed
    assert judge(world, "directory_listing", path=".", names="a.txt\nb.txt\n").passed
    fewer = judge(world, "directory_listing", path=".", names="a.txt,c.txt")
    assert fewer.passed is False
    assert "c.txt missing; b.txt not expected" in fewer.sentence
    assert (fewer.expected, fewer.actual) == ("a.txt, c.txt", "a.txt, b.txt")
    assert judge(world, "directory_listing", path="gone", names="x").actual == "no such folder"
    assert judge(world, "directory_listing", path="a.txt", names="x").passed is False
    assert judge(world, "directory_listing", path="nul\0", names="x").passed is None


def test_window_title_asks_the_desktop(world: World) -> None:
    titled = World(titles=lambda: ["Untitled 1 - Mousepad", "Files"])
    assert judge(titled, "window_title", text="Mousepad").passed
    missed = judge(titled, "window_title", text="Gedit")
    assert missed.passed is False
    assert missed.actual == "“Untitled 1 - Mousepad”, “Files”"
    assert judge(World(titles=list), "window_title", text="x").actual == "no windows"
    assert judge(world, "window_title", text="x").passed is None


def test_a_lost_desktop_cannot_be_judged() -> None:
    def lost() -> list[str]:
        raise DesktopError("The display is gone.")

    found = judge(World(titles=lost), "window_title", text="x")
    assert found.passed is None
    assert "The display is gone." in found.sentence


def test_an_empty_value_proves_nothing(world: World, tmp_path: Path) -> None:
    (tmp_path / "work" / "f").write_text("anything")
    assert judge(world, "text_contains", path="f", text="{words}", values={"words": ""}).passed is None
    titled = World(titles=lambda: ["anything"])
    assert judge(titled, "window_title", text="{words}", values={"words": ""}).passed is None


YES, NO, UNKNOWN = (
    Check("file_absent", {"path": "x"}),
    Check("file_exists", {"path": "x"}),
    Check("window_title", {"text": "x"}),
)


@pytest.mark.parametrize(
    ("kind", "parts", "passed"),
    [
        ("all", (YES, YES), True),
        ("all", (YES, NO, UNKNOWN), False),
        ("all", (YES, UNKNOWN), None),
        ("any", (NO, YES, UNKNOWN), True),
        ("any", (NO, NO), False),
        ("any", (NO, UNKNOWN), None),
        ("not", (YES,), False),
        ("not", (NO,), True),
        ("not", (UNKNOWN,), None),
        ("not", (Check("any", parts=(NO, Check("all", parts=(YES, YES)))),), False),
    ],
)
def test_groups_judge_in_three_values(world: World, kind: str, parts: tuple[Check, ...], passed: bool | None) -> None:
    (result,) = checks.run([Check(kind, parts=parts)], {}, world)
    assert (result.kind, result.passed) == (kind, passed)
    assert result.expected
    assert result.actual


def test_results_keep_the_order_of_the_checks(world: World) -> None:
    assert [result.passed for result in checks.run([NO, YES, UNKNOWN, NO], {}, world)] == [False, True, None, False]
    assert checks.run([], {}, world) == ()


def test_nothing_is_looked_at_when_one_check_is_wrong(world: World) -> None:
    looked = []
    watched = World(titles=lambda: looked.append("titles") or [])
    with pytest.raises(UsageError, match="no field other"):
        checks.run([UNKNOWN, Check("file_exists", {"path": "{other}"})], {"file": "x"}, watched)
    assert looked == []
