from __future__ import annotations

import pytest

from echostudio.desktop import keysyms
from echostudio.desktop.keysyms import DeadKeys, character, key_name, keysym_of

DEAD_CIRCUMFLEX, DEAD_ACUTE = 0xFE52, 0xFE51


@pytest.mark.parametrize(
    ("keysym", "char"),
    [
        (0x61, "a"),
        (0xE9, "é"),
        (0x1004E2D, "中"),
        (0x20AC, "€"),
        (0x1B1, "ą"),
        (0x4B1, "ア"),
        (0x6C6, "ф"),
        (0x6A4, "є"),
        (0x7E1, "α"),
        (0x7F2, "σ"),
        (0x7F3, "ς"),
        (0x7B1, "ά"),
        (0xCE0, "א"),
        (0x13BC, "Œ"),
        (0xAD2, "“"),
        (0xAFE, "„"),
        (0x8FD, "→"),
        (0xFFB7, "7"),
        (0xFF0D, ""),
        (0xFFE1, ""),
        (0x100D800, ""),
    ],
)
def test_a_keysym_stands_for_its_character(keysym: int, char: str) -> None:
    assert character(keysym) == char


@pytest.mark.parametrize("char", list("aÿ€中😀λ→“~\u00a0"))
def test_a_character_survives_the_way_to_its_keysym_and_back(char: str) -> None:
    assert character(keysym_of(char)) == char


def test_latin_1_needs_no_unicode_keysym() -> None:
    assert keysym_of("é") == 0xE9
    assert keysym_of("Ā") == 0x1000100


@pytest.mark.parametrize(
    ("keysym", "name"),
    [(0xFF0D, "enter"), (0xFFC2, "f5"), (0xFFE3, "ctrl"), (0xFE03, "altgr"), (0x20, "space"), (0xFF55, "page_up")],
)
def test_keys_have_names(keysym: int, name: str) -> None:
    assert key_name(keysym) == name
    assert keysyms.BY_NAME[name] == keysym


def test_a_dead_key_joins_the_letter_after_it() -> None:
    dead = DeadKeys()
    assert [dead.feed(DEAD_CIRCUMFLEX), dead.feed(ord("o")), dead.feed(ord("o"))] == ["", "ô", "o"]


def test_a_dead_key_before_a_space_or_itself_writes_its_accent() -> None:
    dead = DeadKeys()
    assert [dead.feed(DEAD_CIRCUMFLEX), dead.feed(0x20)] == ["", "^"]
    assert [dead.feed(DEAD_ACUTE), dead.feed(DEAD_ACUTE)] == ["", "´"]


def test_a_dead_key_waits_while_shift_is_pressed_and_swallows_what_it_cannot_join() -> None:
    dead = DeadKeys()
    assert [dead.feed(DEAD_CIRCUMFLEX), dead.feed(keysyms.SHIFT_LEFT), dead.feed(ord("E"))] == ["", "", "Ê"]
    assert [dead.feed(DEAD_CIRCUMFLEX), dead.feed(ord("x"))] == ["", ""]
