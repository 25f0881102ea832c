"""The banker and the players set their cards."""

from dataclasses import replace

import pytest

from tablectl.core.cards import BANKER
from tablectl.core.effects import StartTimer, StopTimer
from tablectl.core.events.round import Decided, Revealed
from tablectl.core.facts import TimerElapsed
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.game import ThirteenCardsGame
from tablectl.core.games.thirteen_cards.state import Phase, Settings
from tablectl.core.money import utc_text
from tablectl.core.table import fault
from tests.support.sitting import commands, events, refused
from tests.support.thirteen_cards import (
    BANKERS,
    BETTER,
    FOUL,
    HANDS,
    SHOE,
    flat,
    irregularity,
    nets,
    new_table,
    on,
    read_table,
    rows,
    rules,
    started,
    voided,
)
from tests.support.thirteen_cards_deals import dealt, one_done, shown

DRAGON = rows("As 2s 3d / 4c 5h 6s 7d 8h / 9c Th Jd Qc Ks")


def _in_order() -> list[str]:
    return [flat(HANDS[place])[nth] for nth in range(13) for place in (BANKER, 2, 3, 4)]


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 9")
def test_the_banker_shows_their_cards_to_everybody() -> None:
    table = dealt()
    effects = table.show(BANKER)
    (event,) = [event for event in events(effects) if isinstance(event, Revealed)]
    assert (event.place, event.cards, event.hand) == (BANKER, flat(BANKERS), None)
    banker = next(hand for hand in table.public()["hands"] if hand["place"] == BANKER)
    assert banker["rows"] == [list(row) for row in BANKERS]
    assert banker["formations"] == ["pair", "two_pairs", "three_of_a_kind"]
    assert (banker["natural"], banker["foul"]) == (None, False)


@pytest.mark.article("thirteen_cards", "9.I")
def test_a_natural_is_named_when_it_is_shown() -> None:
    table = dealt()
    table.show(BANKER, DRAGON)
    assert [event.hand for event in table.all_of(Revealed)] == ["dragon"]


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 12")
def test_the_showing_starts_five_minutes_for_all_places() -> None:
    table = dealt()
    clock = started(table.show(BANKER))
    assert (clock.started, clock.lasts_s) == (table.facts[-1].at, 300)
    assert table.game.outstanding(table.state) == (clock,)
    assert table.public()["time_ends"] == utc_text(clock.started.utc_us + 300_000_000)


def test_time_for_setting_is_that_of_the_rule_table() -> None:
    table = new_table()
    table.game = ThirteenCardsGame(replace(rules(), setting_s=20), Settings())
    table.begin(on(2)).deal()
    assert started(table.show(BANKER)).lasts_s == 20


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 12")
@pytest.mark.article("thirteen_cards", "reading 17")
def test_banker_resets_until_a_player_takes_up_cards() -> None:
    table = shown()
    first = table.clock
    effects = table.show(BANKER, FOUL)
    assert commands(effects, StopTimer, StartTimer) == [StopTimer(first.operation), table.clock]
    assert table.clock.started == table.facts[-1].at
    table.pick_up(3)
    assert refused(table.show(BANKER)) == ("2(d)", "picked_up")


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 12")
def test_the_time_of_an_earlier_showing_ends_nothing() -> None:
    table = shown()
    first = table.clock.operation
    table.show(BANKER, FOUL)
    assert table.tell(TimerElapsed(first)) == ()
    assert table.phase == Phase.PLAYERS_SETTING


@pytest.mark.article("thirteen_cards", "7")
@pytest.mark.article("thirteen_cards", "reading 10")
def test_bankers_foul_is_named_while_they_may_set_anew() -> None:
    table = dealt()
    assert irregularity(table.show(BANKER, FOUL)) == ("7", "banker_foul", "continues")
    assert table.prompt() == "banker_foul"
    table.show(BANKER)
    assert (table.prompt(), table.public()["hands"][0]["foul"]) == ("pick_up", False)


@pytest.mark.article("thirteen_cards", "7")
@pytest.mark.article("thirteen_cards", "reading 10")
def test_foul_of_bankers_that_stands_loses_to_every_valid_hand() -> None:
    table = dealt()
    table.show(BANKER, FOUL)
    table.pick_up(2)
    assert table.prompt() == "players_set"
    table.all_set()
    assert nets(table.compare()) == {(2, "ann"): "49.00", (3, "bob"): "49.00"}


@pytest.mark.article("thirteen_cards", "7")
def test_the_same_thirteen_cards_are_shown_again_and_no_others() -> None:
    table = shown()
    assert refused(table.show(BANKER, BETTER)) == ("7", "cards_disagree")


@pytest.mark.article("thirteen_cards", "7")
@pytest.mark.parametrize("place", [BANKER, 2])
def test_cards_the_box_read_elsewhere_are_refused_with_a_fault(place: int | str) -> None:
    table = read_table().begin(on(2)).deal()
    if place == 2:
        table.banker_shows().all_set()
    assert refused(table.show(place, HANDS[3])) == ("7", "cards_disagree")
    assert fault(table.table, Code.SHOE_CARDS_DISAGREE, SHOE) is not None


def test_card_that_box_could_not_read_is_what_is_shown() -> None:
    table = read_table().begin(on(2)).shaken()
    table.draw(*(None if nth == 0 else card for nth, card in enumerate(_in_order())))
    assert table.held(BANKER)[0] is None
    assert refused(table.show(BANKER)) is None


def test_guessing_betrays_no_face_down_card() -> None:
    table = read_table().begin(on(2)).shaken()
    table.draw(*(None if nth == 0 else card for nth, card in enumerate(_in_order())))
    guess = ((BETTER[0][0], *BANKERS[0][1:]), *BANKERS[1:])
    assert refused(table.show(BANKER, guess)) is None
    assert fault(table.table, Code.SHOE_CARDS_DISAGREE, SHOE) is None
    assert BETTER[0][0] not in (card for place in (2, 3, 4) for card in table.held(place))


@pytest.mark.article("thirteen_cards", "2.d")
def test_players_take_up_cards_after_the_banker_has_shown() -> None:
    assert refused(dealt().pick_up(2)) == ("2(d)", "banker_first")


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "5")
def test_taking_up_and_finishing_are_told_with_the_holders_name() -> None:
    table = shown()
    table.pick_up(2)
    table.finish(2)
    told = [(event.place, event.bettor, event.decision) for event in table.all_of(Decided)]
    assert told == [(2, "ann", "takes_up"), (2, "ann", "finishes")]


@pytest.mark.article("thirteen_cards", "2.d")
def test_who_has_set_their_cards_has_taken_them_up() -> None:
    table = one_done()
    assert (table.public()["picked_up"], table.public()["set"]) == ([2], [2])
    assert refused(table.show(BANKER)) == ("2(d)", "picked_up")


@pytest.mark.article("thirteen_cards", "2.d")
def test_when_all_are_set_nobody_waits_for_the_time() -> None:
    table = one_done()
    clock = table.clock
    assert commands(table.finish(3), StopTimer) == [StopTimer(clock.operation)]
    assert (table.phase, table.prompt()) == (Phase.COMPARING, "compare")
    assert table.tell(TimerElapsed(clock.operation)) == ()


@pytest.mark.article("thirteen_cards", "reading 15")
def test_place_without_bets_is_neither_set_nor_compared_nor_listed() -> None:
    table = shown()
    assert refused(table.pick_up(4)) == ("8", "no_bet_there")
    table.all_set()
    assert refused(table.show(4)) == ("8", "no_bet_there")
    assert [place["place"] for place in table.compare().round["places"]] == [2, 3]


@pytest.mark.article("thirteen_cards", "2.d")
def test_a_time_that_was_not_asked_for_ends_nothing() -> None:
    for table in (dealt(), shown()):
        assert table.tell(TimerElapsed(99)) == ()


@pytest.mark.article("thirteen_cards", "2.d")
def test_clock_runs_on_after_a_restart_from_the_same_instant() -> None:
    table = one_done()
    clock = table.clock
    table.restart()
    assert table.game.outstanding(table.state) == (clock,)
    table.tell(TimerElapsed(clock.operation))
    assert table.prompt() == "call_time"


def test_a_void_round_stops_the_clock() -> None:
    table = shown()
    clock = table.clock
    effects = table.void()
    assert commands(effects, StopTimer) == [StopTimer(clock.operation)]
    assert len(voided(effects).returned) == 2
    assert table.game.outstanding(table.state) == ()
