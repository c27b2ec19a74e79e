"""Which typed keys may reach the disk."""

from __future__ import annotations

import pytest

from echostudio.actionlens.secrecy import FOCUS_LAG_SECONDS, KeyVault, Secrecy
from echostudio.actionlens.watch import Sample, Watch
from echostudio.desktop.controller import RawEvent
from echostudio.desktop.scripted import ScriptedDesktop
from echostudio.episode.evidence import ElementFacts, ScreenFacts, WindowFacts
from echostudio.episode.geometry import DesktopBox
from tests.unit.actionlens.make import Hands

PASSWORD = ElementFacts("password text", "Password", DesktopBox(5, 6, 70, 20))
NAME = ElementFacts("text", "Name", DesktopBox(5, 30, 70, 20))
WINDOW = WindowFacts("login", "Login", "Log in", DesktopBox(0, 0, 200, 100), handle=3)


class Looks(Watch):
    """A watch whose readings the test gives."""

    def __init__(self) -> None:
        super().__init__(ScriptedDesktop(), 200)
        self.structure: ScreenFacts | None = ScreenFacts(WINDOW, (), None, (("push button", "ok", 1),))

    def saw(self, at: float, element: ElementFacts | None) -> None:
        self._focuses.append(Sample(at, at, element))

    def facts_before(self, at: float) -> ScreenFacts | None:
        return self.structure

    def ask_facts(self) -> ScreenFacts | None:
        return self.structure


@pytest.fixture
def looks() -> Looks:
    return Looks()


class Vault:
    def __init__(self, looks: Looks) -> None:
        self.stored: list[RawEvent] = []
        self.dropped = 0
        self.vault = KeyVault(looks, self.stored.append, self._drop)

    def _drop(self, count: int) -> None:
        self.dropped += count

    def take(self, hands: Hands) -> None:
        for event in hands.events:
            self.vault.take(event, chord=False)
        hands.events.clear()


def test_keys_wait_until_the_focus_is_known(looks: Looks) -> None:
    looks.structure = None
    vault, hands = Vault(looks), Hands().type("ab")
    vault.take(hands)
    vault.vault.settle(hands.at)
    assert vault.stored == []
    looks.saw(hands.at + 0.01, NAME)
    vault.vault.settle(hands.at + 0.3)
    assert [event.key for event in vault.stored] == ["a", "a", "b", "b"]


def test_a_password_is_dropped_and_counted_and_its_place_is_remembered(looks: Looks) -> None:
    vault, hands = Vault(looks), Hands().type("hunter2")
    vault.take(hands)
    looks.saw(hands.at - 0.05, PASSWORD)
    vault.vault.settle(hands.at)
    assert vault.stored == []
    assert vault.dropped == 14
    assert vault.vault.secret_boxes == [PASSWORD.box]


def test_one_look_that_meets_a_password_decides_over_earlier_clear_ones(looks: Looks) -> None:
    hands = Hands().type("abcdef")
    vault = Vault(looks)
    first, last = hands.events[0].at, hands.events[-1].at
    vault.take(hands)
    looks.saw(first + 0.01, NAME)
    looks.saw(last - 0.01, PASSWORD)
    assert vault.vault.verdict(first, last) is Secrecy.SECRET


def test_a_look_from_before_the_tab_says_nothing_about_the_keys_after_it(looks: Looks) -> None:
    looks.structure = ScreenFacts(WINDOW, (), None, (("password text", "password", 1),))
    hands = Hands().type("me").tap("tab")
    tab = hands.events[-2].at
    looks.saw(tab - 0.05, NAME)
    hands.type("pw")
    vault = Vault(looks)
    vault.take(hands)
    vault.vault.settle(hands.at + 1.0, final=True)
    assert "".join(event.text for event in vault.stored) == "me"
    assert [event.key for event in vault.stored][-1] == "tab"
    assert vault.dropped == 4


def test_a_look_that_comes_too_early_after_a_tab_does_not_clear(looks: Looks) -> None:
    looks.structure = ScreenFacts(WINDOW, (), None, (("password text", "password", 1),))
    hands = Hands().tap("tab").type("pw")
    tab, first, last = hands.events[0].at, hands.events[2].at, hands.events[-1].at
    vault = Vault(looks)
    vault.take(hands)
    looks.saw(tab + FOCUS_LAG_SECONDS / 2, NAME)
    assert vault.vault.verdict(first, last) is Secrecy.UNKNOWN
    looks.saw(tab + FOCUS_LAG_SECONDS + 0.01, NAME)
    assert vault.vault.verdict(first, last) is Secrecy.CLEAR


def test_the_field_that_the_tab_leads_to_says_nothing_about_the_keys_before_it(looks: Looks) -> None:
    hands = Hands().type("me")
    first, last = hands.events[0].at, hands.events[-2].at
    hands.tap("tab")
    looks.saw(first, NAME)
    looks.saw(hands.at, PASSWORD)
    vault = Vault(looks)
    vault.take(hands)
    assert vault.vault.verdict(first, last) is Secrecy.CLEAR


@pytest.mark.parametrize(
    ("tree", "verdict"),
    [
        ((), Secrecy.CLEAR),
        ((("push button", "ok", 1),), Secrecy.CLEAR),
        ((("password text", "", 1), ("text", "name", 1)), Secrecy.UNKNOWN),
    ],
)
def test_without_a_known_focus_the_structure_decides(
    looks: Looks, tree: tuple[tuple[str, str, int], ...], verdict: Secrecy
) -> None:
    looks.structure = ScreenFacts(WINDOW, (), None, tree)
    assert Vault(looks).vault.verdict(1.0, 2.0) is verdict


def test_a_desktop_that_does_not_answer_is_unknown(looks: Looks) -> None:
    looks.structure = None
    assert Vault(looks).vault.verdict(1.0, 2.0) is Secrecy.UNKNOWN


@pytest.mark.parametrize(("answered", "patience"), [(True, 0.3), (False, 2.5)])
def test_unknown_keys_wait_for_an_answer_and_are_dropped_then(looks: Looks, answered: bool, patience: float) -> None:
    looks.structure = None
    vault, hands = Vault(looks), Hands().type("ab")
    vault.take(hands)
    if answered:
        looks.saw(hands.at, None)
    vault.vault.settle(hands.at)
    assert vault.dropped == 0
    vault.vault.settle(hands.at + patience)
    assert vault.dropped == 4
    assert vault.stored == []


def test_keys_are_held_while_the_question_is_under_way(looks: Looks) -> None:
    looks.structure = None
    vault, hands = Vault(looks), Hands().type("ab")
    vault.take(hands)
    vault.vault.settle(hands.at + 1.0)
    assert (vault.dropped, vault.stored) == (0, [])
    looks.saw(hands.at, NAME)
    vault.vault.settle(hands.at + 1.1)
    assert len(vault.stored) == 4
