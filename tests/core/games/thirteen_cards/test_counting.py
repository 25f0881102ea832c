"""A reader that was away: which cards are in doubt, and how they are counted."""

import pytest

from tablectl.core.cards import BANKER, PACK
from tablectl.core.events.round import Irregular
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.state import Phase, dealt
from tests.support.sitting import refused
from tests.support.thirteen_cards import BUZZER, SHOE, irregularity, new_table, on, read_table
from tests.support.thirteen_cards_deals import dealing, hidden, places_dealt


def test_a_reader_that_was_away_has_the_cards_counted() -> None:
    table = dealing("As", "Ks")
    table.lose(SHOE)
    assert table.prompt() == "deal_unread"
    table.attach(SHOE)
    assert table.prompt() == "count"
    assert table.count(2) == ()
    assert table.prompt() == "card"
    assert table.held(2) == ("Ks",)


def test_missed_cards_lie_where_due_and_later_ones_become_unknown() -> None:
    table = dealing("As", "Ks")
    table.lose(SHOE)
    table.attach(SHOE)
    table.draw("Qs")
    effects = table.count(4)
    assert irregularity(effects) == ("table", "cards_unread", "continues")
    assert [hand.cards for hand in table.state.hands] == [("As",), ("Ks",), (None,), (None,)]
    assert places_dealt(table) == [BANKER, 2, 3, 4]
    table.draw("Qs")
    assert table.held(BANKER) == ("As", "Qs")


def test_deal_with_unread_cards_is_marked() -> None:
    table = dealing("As")
    table.lose(SHOE)
    assert irregularity(table.finish_deal()) == ("table", "cards_unread", "continues")
    without = new_table().begin(on(2)).shaken()
    without.finish_deal()
    assert without.all_of(Irregular) == []


def test_open_card_keeps_its_name_despite_a_doubtful_reading() -> None:
    table = dealing("As")
    table.expose(BANKER)
    table.draw("Ks")
    table.count(3)
    assert [hand.cards for hand in table.state.hands][:3] == [("As",), (None,), (None,)]


@pytest.mark.article("thirteen_cards", "4")
@pytest.mark.parametrize("count", [1, 53])
@pytest.mark.article("thirteen_cards", "reading 18")
def test_a_count_that_cannot_be_takes_no_card_back(count: int) -> None:
    table = dealing("As", "Ks")
    table.lose(SHOE)
    assert refused(table.count(count)) == ("4", "count_differs")
    assert (table.phase, table.prompt()) == (Phase.DEALING, "deal_unread")


def test_count_finds_an_unreported_card_at_any_time() -> None:
    table = dealing("As", "Ks")
    table.count(3)
    assert [hand.cards for hand in table.state.hands] == [(None,), (None,), (None,), ()]


@pytest.mark.parametrize("why", ["lost", "gap", "session", "restarted"])
def test_whatever_may_have_hidden_a_card_asks_for_a_count(why: str) -> None:
    table = dealing("As")
    if why == "lost":
        table.lose(SHOE)
    if why == "gap":
        table.raise_fault(Code.EVENT_GAP, SHOE)
    if why == "session":
        table.restart()
    table.attach(SHOE, "2" if why == "restarted" else "1")
    assert table.prompt() == "count"


@pytest.mark.parametrize("why", ["gap elsewhere", "other device", "other restarted"])
def test_what_hides_no_card_asks_for_no_count(why: str) -> None:
    table = dealing("As")
    if why == "gap elsewhere":
        table.raise_fault(Code.EVENT_GAP, BUZZER)
    if why == "other device":
        table.lose(BUZZER)
    if why == "other restarted":
        table.attach("dice", "2")
    assert not table.public()["count_due"]


def test_without_the_reader_the_dealer_declares_the_deal_finished() -> None:
    table = dealing("As", "Ks")
    table.lose(SHOE)
    table.finish_deal()
    assert table.phase == Phase.BANKER_SETTING
    assert (dealt(table.state), table.held(2)) == (52, ("Ks", *(None,) * 12))


def test_doubtful_cards_stay_unknown_when_the_deal_is_declared_finished() -> None:
    table = dealing("As")
    table.lose(SHOE)
    table.attach(SHOE)
    table.draw("Ks")
    table.lose(SHOE)
    table.finish_deal()
    assert (table.held(BANKER)[0], table.held(2)[0]) == ("As", None)


def test_count_without_the_reader_is_repeated_when_it_returns() -> None:
    table = dealing("As")
    table.lose(SHOE)
    table.count(2)
    table.attach(SHOE)
    assert table.prompt() == "count"
    table.count(2)
    assert table.prompt() == "card"


def test_reader_absent_at_the_shake_doubts_the_first_card() -> None:
    table = read_table().begin(on(2))
    table.lose(SHOE)
    table.shaken()
    table.attach(SHOE)
    assert table.prompt() == "count"
    table.draw("As")
    table.count(3)
    assert [hand.cards for hand in table.state.hands][:3] == [(None,)] * 3


def test_a_doubt_is_gone_when_all_fifty_two_were_read() -> None:
    table = dealing(*PACK[:4])
    table.lose(SHOE)
    table.attach(SHOE)
    table.draw(*PACK[4:])
    assert (table.phase, table.public()["count_due"]) == (Phase.BANKER_SETTING, False)
    assert len(hidden(table)) == 52
