"""What the reader may have missed is counted: article 11(1)."""

import pytest

from tablectl.core.facts.card_requests import Dealing
from tablectl.core.faults import Code
from tablectl.core.games.q_poker.state import Phase
from tests.support.poker import SHOE, SHUFFLER, irregularity, voided
from tests.support.q_poker import Sitting, accepted, new_table, versus
from tests.support.q_poker_deals import dealing_to, in_phase
from tests.support.sitting import refused


def deal_the_rest(table: Sitting) -> None:
    """The cards that place 1 and the dealer still lack."""
    lying = sum(len(hand.cards) for hand in table.state.deal.hands)
    table.draw(*("As", "Qs", "Ks", "7h", "Qd", "2c")[lying:])


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("q_poker", "reading 24")
@pytest.mark.parametrize("gone", ["lost", "restarted"])
@pytest.mark.parametrize("when", [Phase.BETTING, Phase.CLOSED, Phase.DEALING])
def test_after_a_shoe_failure_cards_are_counted_before_opening(when: Phase, gone: str) -> None:
    table = in_phase(when, Dealing.SHOE)
    table.lose(SHOE) if gone == "lost" else table.restart()
    table.attach(SHOE)
    deal_the_rest(table)
    assert refused(table.turn_up(1)) == ("11(1)", "count_first")
    assert accepted(table.count(6))
    assert table.finish().round_id


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("q_poker", "reading 24")
@pytest.mark.parametrize("when", [Phase.BETTING, Phase.CLOSED, Phase.DEALING, Phase.OPENING])
@pytest.mark.parametrize("difference", [-1, 1])
@pytest.mark.parametrize("was_blind", [False, True])
def test_a_count_that_differs_makes_the_round_void(when: Phase, difference: int, *, was_blind: bool) -> None:
    table = in_phase(when, Dealing.SHOE)
    if was_blind:
        table.lose(SHOE)
        table.attach(SHOE)
    blind = was_blind and when is not Phase.OPENING
    article = "table" if blind else "11(1)"
    lying = sum(len(hand.cards) for hand in table.state.deal.hands)
    effects = table.count(7 if blind and difference > 0 else lying + difference)  # Fewer it may have missed.
    assert irregularity(effects) == (article, "count_differs", "round_void")
    assert voided(effects) == (article, "count_differs")


@pytest.mark.article("q_poker", "11.1")
def test_count_takes_in_void_hands_and_cards_without_a_place() -> None:
    table = dealing_to(1)
    table.misplace(4)
    table.draw("2s", "Qs", "Ks", "7h", "Qd", "2c", "3c")
    assert accepted(table.count(8))
    assert voided(table.count(7)) == ("11(1)", "count_differs")


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.parametrize("when", [Phase.OPENING, Phase.DECIDING, Phase.SHOWDOWN])
def test_a_shoe_that_goes_after_the_deal_holds_nothing_up(when: Phase) -> None:
    table = in_phase(when, Dealing.SHOE)
    table.lose(SHOE)
    assert table.finish().round_id


@pytest.mark.article("q_poker", "11.1")
def test_packets_that_may_have_been_missed_have_to_be_counted() -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    table.raise_fault(Code.EVENT_GAP, SHUFFLER)
    table.packet()
    assert refused(table.turn_up(1)) == ("11(1)", "count_first")
    assert accepted(table.count(6))
    assert table.finish().round_id


@pytest.mark.article("q_poker", "11.1")
def test_card_missed_while_older_fault_stands_makes_count_due() -> None:
    table = new_table()
    table.raise_fault(Code.EVENT_GAP, SHOE)
    table.begin(versus(1))
    table.draw("As")
    assert table.prompt() != "count"
    table.raise_fault(Code.EVENT_GAP, SHOE)
    assert table.prompt() == "count"


@pytest.mark.article("q_poker", "11.1")
def test_count_without_the_shoe_is_repeated_when_it_returns() -> None:
    table = new_table().begin(versus(1), versus(2))
    table.draw("As")
    table.lose(SHOE)
    assert accepted(table.count(1))
    table.attach(SHOE)  # Two cards went by unread in between.
    assert table.prompt() == "count"
    assert accepted(table.count(3))
    assert [len(hand.cards) for hand in table.state.deal.hands] == [1, 1, 1]
