"""Who sits where, who may hold a place's cards, and who shakes the dice."""

import pytest

from tablectl.core.events.round import BetRefused
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.state import Phase
from tablectl.core.table import fault
from tests.support.sitting import refused
from tests.support.thirteen_cards import DICE, UNIT, new_table, on


@pytest.mark.article("thirteen_cards", "3")
def test_seats_are_kept_between_rounds_and_change_there() -> None:
    table = new_table().begin(on(2), on(3, "bob"))
    table.void()
    assert [seat["bettor"] for seat in table.public()["seats"]] == ["ann", "bob"]
    table.seat(4, "ann")
    table.leave(3)
    assert table.public()["seats"] == [{"place": 4, "bettor": "ann"}]


@pytest.mark.article("thirteen_cards", "3")
def test_player_may_change_place_until_they_bet() -> None:
    table = new_table().begin(on(2))
    table.seat(3, "bob")
    assert refused(table.seat(4, "bob")) is None
    assert refused(table.seat(3, "ann")) == ("3", "no_changing_places")
    table.take_back()
    assert refused(table.seat(3, "ann")) is None


@pytest.mark.article("thirteen_cards", "3")
def test_a_player_may_bet_on_several_places() -> None:
    table = new_table().begin(on(2), on(3, "bob"))
    assert refused(table.bet(3, "ann")) is None
    assert [(bet.place, bet.bettor) for bet in table.state.bets] == [(2, "ann"), (3, "bob"), (3, "ann")]


@pytest.mark.article("thirteen_cards", "5")
@pytest.mark.article("thirteen_cards", "reading 15")
def test_refused_bet_on_an_unheld_place_reaches_surveillance() -> None:
    table = new_table().begin(on(2))
    effects = table.bet(3, "ann")
    assert refused(effects) == ("5", "no_holder")
    assert [event.article for event in table.all_of(BetRefused)] == ["5"]
    table.seat(3, "bob")
    assert refused(table.bet(3, "ann")) == ("5", "no_holder")
    table.does(on(3, "bob"))
    assert refused(table.bet(3, "ann")) is None


@pytest.mark.article("thirteen_cards", "5")
@pytest.mark.article("thirteen_cards", "reading 16")
def test_highest_seated_bettor_holds_the_cards_first_among_equals() -> None:
    table = new_table()
    for bettor in ("ann", "bob"):
        table.seat(2, bettor)
    table.seat(3, "cat")
    table.open_round()
    table.does(on(2, "bob"), on(2, "ann"), on(2, "cat", 3 * UNIT))
    assert table.public()["holders"] == [{"place": 2, "bettor": "bob"}]
    table.does(on(2, "ann"))
    assert table.public()["holders"] == [{"place": 2, "bettor": "ann"}]


@pytest.mark.article("thirteen_cards", "2.b")
@pytest.mark.article("thirteen_cards", "reading 16")
def test_highest_seated_bettor_shakes_first_among_equals() -> None:
    table = new_table().begin(on(2, "ann"), on(3, "bob"))
    assert table.public()["shaker"] == {"place": 2, "bettor": "ann"}
    table.does(on(3, "standing", 3 * UNIT), on(3, "bob"))
    assert table.public()["shaker"] == {"place": 3, "bettor": "bob"}
    table.does(on(2, "ann"))
    assert table.public()["shaker"] == {"place": 2, "bettor": "ann"}


@pytest.mark.article("thirteen_cards", "5")
def test_withdrawn_seated_bet_brings_a_prompt() -> None:
    table = new_table().begin(on(2))
    table.does(on(2, "bob"))
    table.take_back()
    assert table.prompt() == "no_holder"
    table.shake(1, 1, 1, 1)
    assert table.phase == Phase.BETTING
    assert fault(table.table, Code.DICE_OUT_OF_TURN, DICE) is not None


@pytest.mark.article("thirteen_cards", "3")
@pytest.mark.article("thirteen_cards", "reading 22")
def test_of_several_at_a_place_only_the_named_person_leaves() -> None:
    table = new_table()
    for bettor in ("ann", "bob"):
        table.seat(2, bettor)
    assert refused(table.leave(2)) == ("3", "who_leaves")
    assert refused(table.leave(2, "ann")) is None
    assert table.public()["seats"] == [{"place": 2, "bettor": "bob"}]
    assert refused(table.leave(2)) is None


@pytest.mark.article("thirteen_cards", "5")
@pytest.mark.article("thirteen_cards", "reading 22")
def test_who_holds_the_cards_is_fixed_when_they_are_dealt() -> None:
    table = new_table().begin(on(2))
    table.does(on(2, "standing", 3 * UNIT))
    table.shaken()
    assert refused(table.seat(2, "standing")) is None
    assert table.public()["holders"] == [{"place": 2, "bettor": "ann"}]
