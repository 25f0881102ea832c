"""Cards that no reader reads: the dealer says what is dealt (reading 24)."""

import pytest

from tablectl.core.cards import DEALER
from tablectl.core.events.round import Settled
from tablectl.core.facts.game_requests import DealFinished, Dealing
from tablectl.core.games.q_poker.state import Phase
from tests.support.poker import SHOE, irregularity
from tests.support.q_poker import HANDS, Sitting, accepted, new_table, versus
from tests.support.q_poker_deals import dealing_to, in_phase
from tests.support.sitting import refused

pytestmark = pytest.mark.article("q_poker", "reading 24")


def named(table: Sitting) -> str:
    """The round played to its end from where all is dealt, its cards named as they are opened."""
    while table.phase == Phase.OPENING:
        place = next(hand.place for hand in table.state.deal.hands if not hand.opened)
        assert accepted(table.open_hand(place, *HANDS[place]))
    table.decide_all()
    table.open_hand(DEALER, *HANDS[DEALER])
    return table.phase


@pytest.mark.parametrize("called", [True, False])
def test_round_by_hand_is_dealt_in_one_word(*, called: bool) -> None:
    table = new_table(Dealing.BY_HAND, shoe="", shuffler="").begin(versus(1), versus(2))
    if called:
        table.close()
    assert table.prompt() == ("closed_deal" if called else "betting_deal")
    assert accepted(table.tell(DealFinished()))
    assert [hand.cards for hand in table.state.deal.hands] == [(None, None, None)] * 3
    assert refused(table.open_hand(1)) == ("9(1)", "cards_unknown")
    assert named(table) == Phase.IDLE


@pytest.mark.parametrize("when", [Phase.BETTING, Phase.CLOSED, Phase.DEALING])
def test_round_without_its_reader_continues_by_hand(when: Phase) -> None:
    table = in_phase(when, Dealing.SHOE)
    assert refused(table.tell(DealFinished())) == ("table", "reader_works")
    table.lose(SHOE)
    assert table.prompt() == {"betting": "betting_deal", "closed": "closed_deal", "dealing": "deal"}[when]
    assert accepted(table.tell(DealFinished()))
    assert table.phase == Phase.OPENING
    assert named(table) == Phase.IDLE


def test_cards_read_before_the_loss_stay_and_doubtful_go() -> None:
    table = new_table().begin(versus(1))
    table.draw("As", "Qs")
    table.lose(SHOE)
    table.attach(SHOE)
    table.draw("Kd")
    assert table.prompt() == "count"
    assert accepted(table.count(4))
    assert [hand.cards for hand in table.state.deal.hands] == [("As", None), ("Qs", None)]
    table.draw("Qd", "2c")
    assert table.phase == Phase.OPENING


def test_round_with_unread_cards_is_marked() -> None:
    table = dealing_to(1)
    table.lose(SHOE)
    assert irregularity(table.tell(DealFinished())) == ("table", "cards_unread", "continues")
    assert named(table) == Phase.IDLE
    assert table.all_of(Settled)[-1].irregularities == ("table",)
