"""The shaking of the dice: it ends the betting, names the place of the first card, and may be invalid."""

import pytest

from tablectl.core.cards import BANKER, Place
from tablectl.core.events.device import DiceShown
from tablectl.core.events.round import BettingOver
from tablectl.core.facts.reports import DiceThrown
from tablectl.core.facts.table_requests import FaultAcknowledged
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.state import Phase, first_place
from tablectl.core.table import fault
from tests.support.sitting import refused
from tests.support.thirteen_cards import DICE, UNIT, Sitting, new_table, on, read_table


def out_of_turn(table: Sitting) -> bool:
    return fault(table.table, Code.DICE_OUT_OF_TURN, DICE) is not None


def shown(table: Sitting) -> list[tuple[tuple[int, ...], bool, str]]:
    return [(event.dice, event.valid, event.flaw) for event in table.all_of(DiceShown)]


# --- the dice


@pytest.mark.article("thirteen_cards", "2.c")
def test_the_shake_ends_the_betting() -> None:
    table = new_table().begin(on(2))
    table.shake(1, 2, 3, 4)
    assert [event.by for event in table.all_of(BettingOver)] == ["throw"]
    assert refused(table.bet()) == ("2(c)", "betting_over")
    assert refused(table.take_back()) == ("2(c)", "betting_over")


@pytest.mark.article("thirteen_cards", "2.b")
@pytest.mark.article("thirteen_cards", "reading 8")
@pytest.mark.parametrize(
    ("dice", "first"),
    [((1, 1, 1, 1), 4), ((1, 1, 1, 2), BANKER), ((1, 1, 2, 2), 2), ((1, 2, 2, 2), 3), ((6, 6, 6, 6), 4)],
)
def test_total_counted_from_banker_names_place_of_first_card(dice: tuple[int, ...], first: Place) -> None:
    table = new_table().begin(on(2))
    table.shake(*dice)
    assert (table.public()["first"], table.public()["dice"]) == (first, [*dice])
    assert table.state.hands[0].place == first


@pytest.mark.article("thirteen_cards", "reading 8")
def test_first_places_follow_the_exact_odds_of_the_dice() -> None:
    faces = range(1, 7)
    throws = [(a, b, c, d) for a in faces for b in faces for c in faces for d in faces]
    firsts = [first_place(throw) for throw in throws]
    assert [firsts.count(place) for place in (BANKER, 2, 3, 4)] == [324, 326, 324, 322]


@pytest.mark.article("thirteen_cards", "1.c")
@pytest.mark.article("thirteen_cards", "2.c")
@pytest.mark.parametrize(
    ("dice", "flaw", "told"),
    [
        ((1, 2, 3), "", "missing"),
        ((1, 2, 3, 4, 5), "", "extra"),
        ((1, 2, 3, 7), "", "unsure"),
        ((1, 2), "cocked", "cocked"),
    ],
)
def test_invalid_shake_ends_betting_all_same_and_is_repeated(dice: tuple[int, ...], flaw: str, told: str) -> None:
    table = new_table().begin(on(2))
    table.shake(*dice, flaw=flaw)
    faces = tuple(face for face in dice if face <= 6)
    assert (table.phase, shown(table), table.prompt()) == (Phase.CLOSED, [(faces, False, told)], "closed_shake")
    assert refused(table.bet()) == ("2(c)", "betting_over")
    table.shake(1, 1, 1, 2)
    assert (table.phase, len(table.all_of(BettingOver))) == (Phase.DEALING, 1)


@pytest.mark.article("thirteen_cards", "2.b")
def test_a_shake_names_the_place_of_the_shaker() -> None:
    table = new_table().begin(on(2), on(3, "bob", 2 * UNIT))
    table.shake(1, 1, 1, 2)
    assert table.all_of(DiceShown)[0].place == 3


@pytest.mark.article("thirteen_cards", "2.b")
def test_without_a_reader_the_dealer_enters_the_shake() -> None:
    table = new_table(dice="").begin(on(2), on(3, "bob", 2 * UNIT))
    assert table.prompt() == "betting_enter_dice"
    assert refused(table.enter(1, 1, 1, 2, place=2)) == ("2(b)", "not_his_shake")
    table.enter(1, 1, 1, 2, place=3, flaw="cocked")
    assert (table.phase, table.prompt()) == (Phase.CLOSED, "closed_enter_dice")
    table.enter(1, 1, 1, 2, place=3)
    assert table.phase == Phase.DEALING


def test_where_the_reader_is_lost_the_dealer_enters_the_shake() -> None:
    table = new_table().begin(on(2))
    table.lose(DICE)
    assert table.prompt() == "betting_enter_dice"
    assert refused(table.enter(1, 1, 1, 2)) is None
    assert table.phase == Phase.DEALING


@pytest.mark.article("thirteen_cards", "2.c")
def test_undue_throw_moves_nothing_and_is_recorded() -> None:
    table = new_table()
    table.shake(1, 1, 1, 2)
    assert (shown(table), out_of_turn(table)) == ([((1, 1, 1, 2), False, "out_of_turn")], True)
    table.tell(FaultAcknowledged(Code.DICE_OUT_OF_TURN, DICE))
    table.begin(on(2)).shaken()
    before = table.state
    table.shake(6, 6, 6, 6)
    assert table.state == before
    assert out_of_turn(table)


@pytest.mark.article("thirteen_cards", "2.a")
def test_dice_shaken_before_the_boxed_pack_are_out_of_turn() -> None:
    table = new_table()
    table.seat()
    table.open_round()
    table.bet()
    assert table.prompt() == "pack"
    table.shake(1, 1, 1, 2)
    assert (table.phase, out_of_turn(table)) == (Phase.BETTING, True)


@pytest.mark.article("thirteen_cards", "2.b")
def test_dice_shaken_before_any_bet_leave_betting_open() -> None:
    table = new_table().begin()
    table.shake(1, 1, 1, 2)
    assert (table.phase, out_of_turn(table)) == (Phase.BETTING, True)


def test_dice_from_reader_that_is_not_tables_count_for_nothing() -> None:
    table = new_table().begin(on(2))
    table.tell(DiceThrown("other", (1, 1, 1, 2)))
    assert table.phase == Phase.BETTING


@pytest.mark.article("thirteen_cards", "2.c")
def test_shake_invalid_before_the_first_card_is_repeated() -> None:
    table = read_table().begin(on(2)).shaken()
    table.invalidate("outside")
    assert (table.phase, table.public()["dice"], shown(table)[-1][1:]) == (Phase.CLOSED, [], (False, "outside"))
    assert [event.called_invalid for event in table.all_of(DiceShown)] == [False, True]
    assert refused(table.bet()) == ("2(c)", "betting_over")
    table.shake(1, 1, 2, 2)
    assert table.public()["first"] == 2
