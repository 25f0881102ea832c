"""What the reader may have missed is counted: reading 9."""

import pytest

from tablectl.core.facts.card_requests import Dealing
from tablectl.core.faults import Code
from tablectl.core.games.football_poker.state import Phase
from tests.support.football_poker import Sitting, new_table
from tests.support.football_poker_deals import IN_PLAY, all_dealt, dealing_to, in_phase
from tests.support.poker import SHOE, SHUFFLER, irregularity, voided
from tests.support.sitting import refused


def deal_the_rest(table: Sitting) -> None:
    """The first cards that places 1 and 2 and the common one still lack, or the third."""
    order = ("As", "4d", "Kc", "Th", "2s", "6d", "9s")
    lying = sum(len(hand.cards) for hand in table.hands)
    table.draw(*order[lying:])


@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.parametrize("gone", ["lost", "restarted"])
@pytest.mark.parametrize("when", [Phase.BETTING, Phase.CLOSED, Phase.DEALING, Phase.LOOKING, Phase.THIRDS])
def test_after_a_shoe_failure_cards_are_counted_before_opening(when: Phase, gone: str) -> None:
    table = in_phase(when, Dealing.SHOE)
    table.lose(SHOE) if gone == "lost" else table.restart()
    table.attach(SHOE)
    assert table.prompt() == "count"
    if when is not Phase.LOOKING:
        deal_the_rest(table)
    assert refused(table.turn_up(2)) == ("6(3)", "count_first")
    assert refused(table.count(sum(len(hand.cards) for hand in table.hands))) is None
    assert table.look().deal_thirds().finish().round_id


@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.parametrize("when", [Phase.BETTING, Phase.CLOSED, *IN_PLAY])
@pytest.mark.parametrize("difference", [-1, 1])
def test_a_count_that_differs_makes_the_round_void(when: Phase, difference: int) -> None:
    table = in_phase(when, Dealing.SHOE)
    table.lose(SHOE)
    table.attach(SHOE)
    article = "6(3)" if when is Phase.OPENING else "table"
    lying = sum(len(hand.cards) for hand in table.hands)
    effects = table.count(lying - 1 if difference < 0 else 52)
    assert irregularity(effects) == (article, "count_differs", "round_void")


@pytest.mark.article("football_poker", "reading 9")
def test_count_takes_in_dead_hands_and_cards_without_a_place() -> None:
    table = all_dealt(1)
    table.misplace(4)
    table.draw("7c", "3c")
    assert refused(table.count(6)) is None
    assert voided(table.count(5)) == ("6(3)", "count_differs")


def test_between_rounds_and_before_the_betting_no_cards_are_counted() -> None:
    table = new_table()
    assert refused(table.count(0)) == ("6(1)", "no_round")
    assert refused(table.ready().count(0)) == ("6(3)", "no_cards_out")


@pytest.mark.article("football_poker", "reading 9")
def test_a_shoe_that_goes_after_the_deal_holds_nothing_up() -> None:
    table = in_phase(Phase.OPENING, Dealing.SHOE)
    table.lose(SHOE)
    assert table.prompt() == "open_hands"
    assert table.finish().round_id


@pytest.mark.article("football_poker", "reading 9")
def test_packets_that_may_have_been_missed_have_to_be_counted() -> None:
    table = in_phase(Phase.DEALING, Dealing.SHUFFLER)
    table.raise_fault(Code.EVENT_GAP, SHUFFLER)
    table.packet()
    table.packet()
    assert refused(table.turn_up(1)) == ("6(3)", "count_first")
    table.count(6)
    assert table.look().deal_thirds().finish().round_id


@pytest.mark.article("football_poker", "reading 9")
def test_count_without_the_shoe_is_repeated_when_it_returns() -> None:
    table = dealing_to(1, 2)
    table.lose(SHOE)
    table.count(1)
    table.attach(SHOE)  # Two cards went by unread in between.
    assert table.prompt() == "count"
    assert refused(table.count(3)) is None
    assert [len(hand.cards) for hand in table.hands] == [2, 1, 0]


@pytest.mark.article("football_poker", "reading 9")
def test_shoe_lost_in_the_draw_may_have_missed_a_card() -> None:
    table = new_table().ready()
    table.open_round()
    table.lose(SHOE)
    table.commit()
    table.show()
    table.bet(1)
    table.attach(SHOE)
    assert table.prompt() == "count"
    table.count(0)
    assert table.prompt() == "betting"
