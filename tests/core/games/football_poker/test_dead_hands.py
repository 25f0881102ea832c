"""A hand that nobody bet on gets cards: reading 11."""

import pytest

from tablectl.core.cards import COMMON
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.games.football_poker.state import Phase
from tests.support.football_poker import HANDS, bet, due, new_table
from tests.support.football_poker_deals import dealing_to, in_phase
from tests.support.poker import irregularity, next_cards, voided
from tests.support.sitting import refused
from tests.support.ways import both_ways


@pytest.mark.article("football_poker", "reading 11")
@both_ways
def test_cards_at_a_place_without_bet_are_a_dead_hand(dealing: Dealing) -> None:
    table = dealing_to(1, 3, dealing=dealing)
    assert irregularity(table.misplace(2)) == ("6(3)", "dealt_without_bet", "hand_void")
    assert (due(table), table.held(1), table.phase) == (1, (), Phase.DEALING)
    assert len(table.held(2)) == (1 if dealing is Dealing.SHOE else 2)
    hands = {**HANDS, 1: ("3c", "4d")}
    settled = table.deal(hands).finish(hands)
    assert [place["place"] for place in settled.round["places"]] == [1, 3, COMMON]
    assert settled.irregularities == ("6(3)",)
    assert "As" not in repr(table.events)


@pytest.mark.article("football_poker", "reading 11")
def test_two_consecutive_cards_at_a_betless_place_are_declared_singly() -> None:
    table = new_table().begin(bet(1))
    table.draw("4s", "4h")
    table.misplace(2)
    assert (table.held(1), table.held(2)) == (("4s",), ("4h",))
    table.misplace(2)
    assert (table.held(1), table.held(2)) == ((), ("4h", "4s"))
    assert refused(table.misplace(2)) == ("6(3)", "nothing_misplaced")
    table.draw("As", "4d", "2s", "6d")
    assert table.finish().irregularities == ("6(3)",) * 2


@pytest.mark.article("football_poker", "reading 11")
@pytest.mark.parametrize(
    ("dealing", "when"),
    [(Dealing.SHOE, Phase.THIRDS), (Dealing.SHOE, Phase.LOOKING), (Dealing.SHUFFLER, Phase.LOOKING)],
)
def test_last_first_card_at_a_betless_place_reopens_the_deal(dealing: Dealing, when: Phase) -> None:
    table = in_phase(when, dealing)
    assert irregularity(table.misplace(5)) == ("6(3)", "dealt_without_bet", "hand_void")
    assert (table.phase, due(table)) == (Phase.DEALING, COMMON)
    next_cards(table)
    assert table.phase == when


@pytest.mark.article("football_poker", "reading 11")
@both_ways
def test_third_card_at_a_betless_place_reopens_third_cards(dealing: Dealing) -> None:
    table = in_phase(Phase.OPENING, dealing)
    assert irregularity(table.misplace(5)) == ("6(3)", "dealt_without_bet", "hand_void")
    assert (table.phase, due(table), len(table.held(5))) == (Phase.THIRDS, 2, 1)
    next_cards(table)
    assert table.finish({**HANDS, 2: ("Kc", "Th", "3c")}).settlement["places"][1]["total"] == 3


@pytest.mark.article("football_poker", "reading 11")
@both_ways
def test_cards_too_many_at_place_without_bet_are_dead_hand(dealing: Dealing) -> None:
    table = in_phase(Phase.OPENING, dealing)
    next_cards(table)
    assert irregularity(table.misplace(5)) == ("6(3)", "dealt_without_bet", "hand_void")
    assert refused(table.open_hand(5, "3c", "3d")) == ("6(3)", "hand_not_live")
    assert table.finish().irregularities == ("6(3)",)
    assert "3c" not in repr(table.events)


@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.article("football_poker", "reading 11")
def test_fourth_card_makes_of_a_dead_hand_a_void_round() -> None:
    table = new_table().begin(bet(1))
    for name in ("4s", "4h", "4c"):
        table.draw(name)
        table.misplace(2)
    table.draw("5c")
    assert voided(table.misplace(2)) == ("6(3)", "wrong_number")


@pytest.mark.article("football_poker", "7")
@pytest.mark.article("football_poker", "reading 11")
def test_shown_card_that_stays_turns_up_no_dead_hand() -> None:
    table = new_table().begin(bet(1))
    table.draw("4s")
    table.misplace(2)
    table.draw("As")
    table.expose(1, 1)
    table.draw("4h")
    table.misplace(2)
    hands = {hand["place"]: hand["cards"] for hand in table.public()["hands"]}
    assert (hands[1], hands[2]) == (["As"], [None, None])
