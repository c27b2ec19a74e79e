from __future__ import annotations

import pytest

from echostudio.desktop.display_name import local_number, normalise


@pytest.mark.parametrize("spelling", [":5", ":5.0", ":05", " :5 ", "unix/:5", "unix:5.1", "localhost:5.0"])
def test_every_spelling_of_a_local_display_is_one_name(spelling: str) -> None:
    assert normalise(spelling) == ":5"
    assert local_number(spelling) == 5


def test_another_host_keeps_its_name() -> None:
    assert normalise("Server:5.0") == "server:5"
    assert local_number("server:5") is None


def test_what_is_no_display_name_stays() -> None:
    assert normalise("five") == "five"
    assert local_number("five") is None
