from __future__ import annotations

from echostudio.desktop import keysyms
from echostudio.desktop.keymap import CONTROL_MASK, LOCK_MASK, SHIFT_MASK, Keymap, Stroke, group_of

SHIFT, LEVEL3, ALT, SUPER, NUM, CAPS, CTRL = 50, 92, 64, 133, 77, 66, 37
KEY_E, KEY_1, KEY_A, KEY_KP7, EMPTY, KEY_SHARP_S = 26, 10, 38, 79, 120, 20
RUSSIAN = 1 << 13


def german_and_russian() -> Keymap:
    """A few keys: German first, Russian second."""
    return Keymap(
        {
            KEY_E: (ord("e"), ord("E"), 0x6D5, 0x6F5, 0x20AC, 0),
            KEY_1: (ord("1"), ord("!"), ord("1"), ord("!"), 0xB9, 0xA1),
            KEY_A: (ord("a"), ord("A"), 0x6C6, 0x6E6),
            KEY_SHARP_S: (0xDF, ord("?"), 0xDF, ord("?"), ord("\\"), 0xBF),
            KEY_KP7: (0xFF95, 0xFFB7, 0xFF95, 0xFFB7),
            SHIFT: (keysyms.SHIFT_LEFT, 0),
            LEVEL3: (keysyms.LEVEL3_SHIFT, 0),
            ALT: (0xFFE9, 0xFFE7),
            SUPER: (0xFFEB, 0),
            NUM: (keysyms.NUM_LOCK, 0),
            CAPS: (keysyms.CAPS_LOCK, 0),
            CTRL: (0xFFE3, 0),
            EMPTY: (0, 0, 0, 0),
        },
        [[SHIFT], [CAPS], [CTRL], [ALT], [NUM], [], [SUPER], [LEVEL3]],
    )


def test_the_modifiers_of_the_layout_are_found() -> None:
    masks = german_and_russian().masks
    assert (masks.alt, masks.num_lock, masks.super_, masks.level3) == (8, 16, 64, 128)


def test_characters_are_found_with_what_must_be_held() -> None:
    keymap = german_and_russian()
    assert keymap.stroke("e", 0) == Stroke(KEY_E)
    assert keymap.stroke("E", 0) == Stroke(KEY_E, shift=True)
    assert keymap.stroke("€", 0) == Stroke(KEY_E, level3=True)
    assert keymap.stroke("¡", 0) == Stroke(KEY_1, shift=True, level3=True)
    assert keymap.stroke("中", 0) is None


def test_only_the_present_group_counts_for_text() -> None:
    keymap = german_and_russian()
    assert keymap.stroke("ф", 0) is None
    assert keymap.stroke("ф", 1) == Stroke(KEY_A)
    assert keymap.stroke("a", 1) is None


def test_the_number_pad_never_types_text() -> None:
    assert german_and_russian().stroke("7", 0) is None


def test_without_altgr_its_level_is_out_of_reach() -> None:
    keymap = Keymap({KEY_E: (ord("e"), ord("E"), ord("e"), ord("E"), 0x20AC)}, [[], [], [], [], [], [], [], []])
    assert keymap.stroke("€", 0) is None


def test_a_chord_key_is_physical_whatever_the_group() -> None:
    keymap = german_and_russian()
    assert keymap.code_of_name("a") == keymap.code_of_name("ф") == KEY_A
    assert keymap.code_of_name("altgr") == LEVEL3
    assert keymap.code_of_name("f5") is None


def test_what_a_pressed_key_means() -> None:
    keymap = german_and_russian()
    read = {
        "e": (KEY_E, 0),
        "E": (KEY_E, SHIFT_MASK),
        "€": (KEY_E, 128),
        "!": (KEY_1, SHIFT_MASK),
        "ф": (KEY_A, RUSSIAN),
        "Ф": (KEY_A, RUSSIAN | SHIFT_MASK),
    }
    assert {char: keysyms.character(keymap.keysym(*press)) for char, press in read.items()} == {c: c for c in read}


def test_caps_lock_turns_letters_only() -> None:
    keymap = german_and_russian()
    assert keymap.keysym(KEY_E, LOCK_MASK) == ord("E")
    assert keymap.keysym(KEY_E, LOCK_MASK | SHIFT_MASK) == ord("e")
    assert keymap.keysym(KEY_1, LOCK_MASK) == ord("1")
    assert keymap.keysym(KEY_SHARP_S, LOCK_MASK) == 0xDF


def test_num_lock_decides_on_the_number_pad() -> None:
    keymap = german_and_russian()
    assert (keymap.name(KEY_KP7, 0), keymap.name(KEY_KP7, 16)) == ("home", "7")
    assert keymap.keysym(KEY_KP7, 16 | SHIFT_MASK) == 0xFF95


def test_names_are_unshifted() -> None:
    keymap = german_and_russian()
    assert keymap.name(KEY_1, SHIFT_MASK) == "1"
    assert keymap.name(KEY_E, 128) == "e"
    assert keymap.name(KEY_A, RUSSIAN) == "ф"
    assert keymap.name(EMPTY, 0) == f"code{EMPTY}"


def test_a_borrowed_key_means_its_character_in_every_group() -> None:
    keymap = german_and_russian()
    assert keymap.empty_codes() == (EMPTY,)
    keymap.change(EMPTY, (0x1004E2D, 0x1004E2D))
    assert keymap.empty_codes() == ()
    assert keymap.keysym(EMPTY, 0) == keymap.keysym(EMPTY, RUSSIAN) == 0x1004E2D
    assert keymap.stroke("中", 0) == Stroke(EMPTY)


def test_chords_write_nothing() -> None:
    keymap = german_and_russian()
    assert keymap.commits_text(SHIFT_MASK | LOCK_MASK | 128 | 16)
    assert not any(keymap.commits_text(state) for state in (CONTROL_MASK, 8, 64))


def test_the_group_is_part_of_the_state() -> None:
    assert [group_of(state) for state in (0, RUSSIAN | SHIFT_MASK, 3 << 13)] == [0, 1, 3]
