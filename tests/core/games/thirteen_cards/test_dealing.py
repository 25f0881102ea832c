"""The deal: to all four places in turn, face down, whether the cards are read or not."""

import pytest

from tablectl.core.cards import BANKER, PACK, Card, Place
from tablectl.core.dealing.pack import PackState
from tablectl.core.events.round import CardOutOfRound, CutReached, Irregular
from tablectl.core.facts.reports import CardDrawn, CutCardReached
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.dealing import next_place
from tablectl.core.games.thirteen_cards.state import Phase
from tablectl.core.table import fault
from tests.support.thirteen_cards import BANKERS, SHOE, irregularity, new_table, on, read_table, voided
from tests.support.thirteen_cards_deals import dealing, hidden, places_dealt


@pytest.mark.article("thirteen_cards", "2.b")
@pytest.mark.article("thirteen_cards", "reading 17")
@pytest.mark.parametrize(("dice", "order"), [((1, 1, 1, 2), (BANKER, 2, 3, 4)), ((1, 2, 2, 2), (3, 4, BANKER, 2))])
def test_cards_are_dealt_singly_from_the_place_of_the_dice(dice: tuple[int, ...], order: tuple[Place, ...]) -> None:
    table = read_table().begin(on(2)).deal(dice=dice)
    assert places_dealt(table) == [*order] * 13
    assert table.phase == Phase.BANKER_SETTING


@pytest.mark.article("thirteen_cards", "2.c")
@pytest.mark.article("thirteen_cards", "reading 15")
def test_all_four_places_are_dealt_whoever_bets() -> None:
    table = read_table().begin(on(3, "bob")).deal()
    assert {hand.place: len(hand.cards) for hand in table.state.hands} == {BANKER: 13, 2: 13, 3: 13, 4: 13}


@pytest.mark.article("thirteen_cards", "reading 14")
def test_all_fifty_two_cards_are_dealt_and_shuffled_each_round() -> None:
    table = read_table().begin(on(2))
    table.play()
    assert len(places_dealt(table)) == len(PACK)
    assert (table.state.pack.state, table.state.boxed, table.prompt()) == (PackState.NEEDED, False, "pack")


@pytest.mark.article("thirteen_cards", "2.b")
def test_the_prompt_names_the_place_that_is_due() -> None:
    table = dealing("As", "Ks")
    assert (table.prompt(), dict(table.game.waiting(table.table).values)) == ("card", {"place": "3"})


@pytest.mark.article("thirteen_cards", "2.b")
def test_read_cards_lie_face_down_and_unnamed() -> None:
    table = dealing("As", "Ks")
    assert hidden(table) == {"As", "Ks"}
    assert [hand["cards"] for hand in table.public()["hands"]] == [[None], [None], [], []]


@pytest.mark.article("thirteen_cards", "2.b")
def test_without_a_reader_the_dealer_says_when_all_is_dealt() -> None:
    table = new_table().begin(on(2)).shaken()
    assert table.prompt() == "deal"
    table.finish_deal()
    assert (table.phase, places_dealt(table)) == (Phase.BANKER_SETTING, [BANKER, 2, 3, 4] * 13)
    assert hidden(table) == frozenset()


def test_card_not_in_the_pack_is_out_of_round() -> None:
    table = new_table().begin(on(2)).shaken()
    before = table.state
    table.tell(CardDrawn(SHOE, Card("As")))
    assert table.state == before
    assert len(table.all_of(CardOutOfRound)) == 1


@pytest.mark.article("thirteen_cards", "1.a")
def test_fifty_third_card_is_recorded_and_the_round_goes_on() -> None:
    table = read_table().begin(on(2)).deal()
    effects = table.draw(None)
    assert irregularity(effects) == ("1(a)", "card_too_many", "continues")
    assert fault(table.table, Code.CARD_OUT_OF_ROUND, SHOE) is not None
    assert table.banker_shows().all_set().compare().irregularities == ("1(a)",)


@pytest.mark.article("thirteen_cards", "1.a")
def test_a_card_read_twice_is_known_at_neither_place() -> None:
    table = dealing("As", "Ks", "As")
    assert [hand.cards for hand in table.state.hands] == [(None,), ("Ks",), (None,), ()]
    assert fault(table.table, Code.SHOE_IMPOSSIBLE_DUPLICATE, SHOE) is not None


@pytest.mark.parametrize("name", [None, "zz"])
def test_card_that_could_not_be_read_is_dealt_all_same(name: str | None) -> None:
    table = dealing()
    table.draw(name)
    assert (table.held(BANKER), next_place(table.state)) == ((None,), 2)


def test_the_white_card_at_the_boxs_mouth_is_told() -> None:
    table = dealing("As")
    table.tell(CutCardReached(SHOE))
    assert len(table.all_of(CutReached)) == 1


def test_the_supervisor_voids_a_deal_and_every_stake_goes_back() -> None:
    table = dealing("As")
    event = voided(table.void())
    assert [(bet.bettor, bet.place, bet.stake) for bet in event.returned] == [
        ("ann", 2, "100.00"),
        ("bob", 3, "100.00"),
    ]
    assert (event.article, event.reason, event.by) == ("table", "fire alarm", "supervisor")
    assert (table.phase, table.state.hands, hidden(table)) == (Phase.IDLE, (), frozenset())


def test_dealt_cards_of_the_tests_are_read_where_they_belong() -> None:
    table = read_table().begin(on(2)).deal()
    assert set(table.held(BANKER)) == {card for row in BANKERS for card in row}
    assert not table.all_of(Irregular)
