"""Reading 7: in the order of play, a bet is covered by what the bank may still win or lose."""

import pytest

from tablectl.core.games.chinese_dice.hands import rank_throw
from tablectl.core.games.chinese_dice.settlement import (
    Bank,
    Bet,
    Place,
    ThrowsError,
    cover,
    order_of_play,
    settle,
    throws_next,
)
from tablectl.core.money import Outcome
from tablectl.core.outcomes import Throw
from tests.support.chinese_dice_bank import LOSS, PAIR, RULES, STORM, TRIPLE, bank_of_1000, bets_of, nets, one_place


@pytest.mark.article("chinese_dice", "reading 2")
@pytest.mark.article("chinese_dice", "2.c")
@pytest.mark.parametrize(
    ("banker", "order"),
    [(1, [2, 3, 4, 5, 6, 7, 8]), (5, [6, 7, 8, 1, 2, 3, 4]), (8, [1, 2, 3, 4, 5, 6, 7])],
)
def test_places_throw_round_table_from_one_after_bankers(banker: int, order: list[int]) -> None:
    places = [Place(number, (), ()) for number in (4, 8, 1, 6, 3, 5, 2, 7) if number != banker]
    assert [place.place for place in order_of_play(banker, places)] == order


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.parametrize(
    ("room", "stakes", "covers"),
    [
        (100, (40, 60), (40, 60)),
        (100, (40, 70), (40, 60)),
        (100, (120, 10), (100, 0)),
        (100, (60, 30, 30), (60, 30, 10)),
        (0, (5,), (0,)),
        (7, (), ()),
    ],
)
def test_bets_of_one_place_share_room_in_order_placed(
    room: int, stakes: tuple[int, ...], covers: tuple[int, ...]
) -> None:
    assert cover(room, tuple(Bet("a", stake) for stake in stakes)) == covers


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.parametrize(("result", "room"), [(0, 100), (30, 70), (-30, 70), (100, 0), (-100, 0)])
def test_bank_has_room_for_all_it_may_win_or_lose(result: int, room: int) -> None:
    assert Bank(100, result).room == room


@pytest.mark.article("chinese_dice", "reading 7")
@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.parametrize(("throw", "net"), [(PAIR[4], 960), (PAIR[2], -1_000)])
def test_bet_above_capital_wins_and_loses_only_what_is_covered(throw: Throw, net: int) -> None:
    settled = settle(one_place(PAIR[3], throw, 5_000, 10, capital=1_000), RULES)
    assert [(bet.covered, bet.net) for bet in bets_of(settled)] == [(1_000, net), (0, 0)]
    assert bets_of(settled)[1].outcome is Outcome.PUSH


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.parametrize(("throw", "outcome"), [(PAIR[4], Outcome.WIN), (PAIR[2], Outcome.LOSE)])
def test_once_the_bank_is_decided_other_bets_go_back(throw: Throw, outcome: Outcome) -> None:
    settled = bank_of_1000((1, 300, None), (7, 600, throw), (8, 500, throw), (2, 10, None))
    by_place = {place.place: place for place in settled.places}
    assert [place.place for place in settled.places] == [1, 7, 8, 2]
    assert [by_place[number].bets[0].covered for number in (7, 8, 1, 2)] == [600, 400, 0, 0]
    assert [by_place[number].bets[0].outcome for number in (7, 8, 1, 2)] == [
        *(outcome, outcome),
        *(Outcome.PUSH, Outcome.PUSH),
    ]
    assert by_place[1].combination is None


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.parametrize(("left", "throws"), [(0, False), (1, True), (2, True)])
def test_place_throws_until_the_bank_is_decided_to_the_hundredth(left: int, *, throws: bool) -> None:
    assert throws_next((Bet("a", 100),), Bank(1_000, 1_000 - left), rank_throw(PAIR[3])) is throws


@pytest.mark.article("chinese_dice", "4.c")
def test_the_room_counts_from_the_running_result_in_either_direction() -> None:
    settled = bank_of_1000((7, 700, PAIR[4]), (8, 700, PAIR[2]), (1, 2_000, PAIR[2]))
    assert [bet.covered for bet in bets_of(settled)] == [700, 300, 600]
    assert settled.bank[0].net + settled.bank[0].commission == -700 + 300 + 600


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.parametrize(("banker", "nets_of"), [(LOSS, [576, 384, 0]), (STORM, [-600, -400, 0])])
def test_order_of_play_also_limits_what_bankers_own_throw_decides(banker: Throw, nets_of: list[int]) -> None:
    settled = bank_of_1000((7, 600, None), (8, 500, None), (1, 500, None), banker=banker)
    assert nets(settled) == nets_of
    assert bets_of(settled)[2].outcome is Outcome.PUSH


@pytest.mark.article("chinese_dice", "5.c")
def test_a_tie_leaves_the_room_as_it_was() -> None:
    settled = bank_of_1000((7, 600, PAIR[3]), (8, 1_000, PAIR[4]))
    assert [bet.covered for bet in bets_of(settled)] == [600, 1_000]


@pytest.mark.article("chinese_dice", "3.b")
def test_a_place_without_bets_doesnt_throw() -> None:
    settled = bank_of_1000((7, 0, None), (8, 100, PAIR[4]))
    assert settled.places[0].combination is None
    assert settled.places[0].bets == ()
    assert not throws_next((), Bank(1), rank_throw(PAIR[3]))


@pytest.mark.parametrize(
    ("turns", "banker", "place", "why"),
    [
        ([(7, 100, None)], PAIR[3], 7, "has to throw"),
        ([(7, 0, PAIR[4])], PAIR[3], 7, "it has no bet"),
        ([(7, 100, PAIR[4])], STORM, 7, "the banker's 4-5-6 decides"),
        ([(7, 100, PAIR[4])], TRIPLE, 7, "the banker's triple decides"),
        ([(7, 100, PAIR[4])], LOSS, 7, "the banker's 1-2-3 decides"),
        ([(8, 100, PAIR[4]), (7, 1_000, PAIR[4])], PAIR[3], 8, "the bank is decided"),
        ([(1, 100, PAIR[4]), (7, 1_000, PAIR[2])], PAIR[3], 1, "the bank is decided"),
    ],
)
def test_place_throwing_out_of_turn_or_never_cant_be_settled(
    turns: list[tuple[int, int, Throw | None]], banker: Throw, place: int, why: str
) -> None:
    with pytest.raises(ThrowsError, match=why) as error:
        bank_of_1000(*turns, banker=banker)
    assert error.value.place == place
    assert error.value.message.endswith(why if "throw" not in why else "its bets are undecided")
