from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, floor
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.dice import Throw
from tablectl.core.games.chinese_dice.hands import INDECISIVE, combination, rank_throw
from tablectl.core.games.chinese_dice.settlement import (
    Bank,
    Banker,
    Bet,
    ChineseDiceRules,
    Place,
    Role,
    Round,
    SettledBet,
    Settlement,
    Throws,
    ThrowsError,
    banker_outcome,
    cover,
    order_of_play,
    place_outcome,
    settle,
    throws_next,
)
from tablectl.core.money import Outcome
from tablectl.core.ratios import Ratio
from tablectl.shell.rules import load_rules

RULES = load_rules("chinese_dice")

STORM, TRIPLE, LOSS = (4, 5, 6), (2, 2, 2), (3, 1, 2)
PAIR = {odd: (odd, 5, 5) if odd != 5 else (1, 1, 5) for odd in range(1, 7)}


def one_place(banker: Throw, throw: Throw | None, *stakes: int, capital: int = 1_000_000) -> Round:
    """Place 2 with these bets against the bank at place 1."""
    bets = tuple(Bet("a", stake) for stake in stakes)
    return Round(Banker(1, "b", capital, (banker,)), 0, (), (Place(2, bets, (throw,) if throw is not None else ()),))


def bets_of(settled: Settlement) -> list[SettledBet]:
    return [bet for place in settled.places for bet in place.bets]


def nets(settled: Settlement) -> list[int]:
    return [bet.net for bet in bets_of(settled)]


@pytest.mark.article("chinese_dice", "reading 1")
@pytest.mark.article("chinese_dice", "5.a")
@pytest.mark.parametrize("throw", [STORM, TRIPLE, PAIR[6], PAIR[4]])
def test_a_higher_throw_wins_even_money_less_commission(throw: Throw) -> None:
    (bet,) = bets_of(settle(one_place(PAIR[3], throw, 10_000), RULES))
    assert bet == SettledBet(Bet("a", 10_000), 10_000, Outcome.WIN, 9_600, 400)


@pytest.mark.article("chinese_dice", "reading 1")
@pytest.mark.article("chinese_dice", "5.a")
@pytest.mark.parametrize("throw", [PAIR[2], PAIR[1], LOSS])
def test_a_lower_throw_loses_the_stake(throw: Throw) -> None:
    (bet,) = bets_of(settle(one_place(PAIR[3], throw, 10_000), RULES))
    assert bet == SettledBet(Bet("a", 10_000), 10_000, Outcome.LOSE, -10_000, 0)


@pytest.mark.article("chinese_dice", "5.c")
def test_an_equal_throw_ties_whatever_the_pair() -> None:
    (bet,) = bets_of(settle(one_place((5, 5, 3), (3, 2, 2), 10_000), RULES))
    assert bet == SettledBet(Bet("a", 10_000), 10_000, Outcome.PUSH, 0, 0)


@pytest.mark.article("chinese_dice", "reading 5")
@pytest.mark.parametrize("odd", [1, 6])
def test_a_pair_with_a_six_or_a_one_is_a_point_like_any_other(odd: int) -> None:
    assert banker_outcome(rank_throw(PAIR[odd])) is None


@pytest.mark.article("chinese_dice", "reading 4")
@pytest.mark.article("chinese_dice", "5.a")
@pytest.mark.parametrize("banker", [STORM, (6, 4, 5), TRIPLE, (1, 1, 1)])
def test_every_place_loses_at_once_when_the_banker_throws_4_5_6_or_three_alike(banker: Throw) -> None:
    settled = settle(one_place(banker, None, 500, 700), RULES)
    assert nets(settled) == [-500, -700]
    assert settled.places[0].combination is None


@pytest.mark.article("chinese_dice", "5.b")
def test_every_place_wins_at_once_when_the_banker_throws_1_2_3() -> None:
    settled = settle(one_place(LOSS, None, 500, 700), RULES)
    assert nets(settled) == [480, 672]
    assert settled.places[0].combination is None


@pytest.mark.article("chinese_dice", "5.a to 5.c")
def test_all_pairs_of_throws_come_to_what_article_5_says() -> None:
    order = ["1-2-3", *(f"pair+{odd}" for odd in range(1, 7)), "triple", "4-5-6"]
    decisive = [throw for throw in product(range(1, 7), repeat=3) if rank_throw(throw) != INDECISIVE]
    for banker, thrown in product(decisive, repeat=2):
        held, made = str(combination(banker)), str(combination(thrown))
        if held in {"4-5-6", "triple"}:
            expected = Outcome.LOSE
        elif held == "1-2-3":
            expected = Outcome.WIN
        elif held == made:
            expected = Outcome.PUSH
        else:
            expected = Outcome.WIN if order.index(made) > order.index(held) else Outcome.LOSE
        assert place_outcome(rank_throw(banker), rank_throw(thrown)) is expected


@pytest.mark.article("chinese_dice", "2.e")
def test_only_the_last_throw_of_a_turn_counts() -> None:
    banker = Banker(1, "b", 10_000, (None, (1, 2, 4), None, PAIR[2]))
    place = Place(2, (Bet("a", 100),), ((1, 4, 6), None, PAIR[4]))
    settled = settle(Round(banker, 0, (), (place,)), RULES)
    assert (settled.banker, settled.places[0].combination) == ("pair+2", "pair+4")
    assert nets(settled) == [96]


@pytest.mark.article("chinese_dice", "reading 2")
@pytest.mark.article("chinese_dice", "2.c")
@pytest.mark.parametrize(
    ("banker", "order"),
    [(1, [2, 3, 4, 5, 6, 7, 8]), (5, [6, 7, 8, 1, 2, 3, 4]), (8, [1, 2, 3, 4, 5, 6, 7])],
)
def test_the_places_throw_round_the_table_from_the_one_after_the_bankers(banker: int, order: list[int]) -> None:
    places = [Place(number, (), ()) for number in (4, 8, 1, 6, 3, 5, 2, 7) if number != banker]
    assert [place.place for place in order_of_play(banker, places)] == order


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.parametrize(
    ("room", "stakes", "covers"),
    [
        (100, (40, 60), (40, 60)),
        (100, (40, 70), (40, 60)),
        (100, (120, 10), (100, 0)),
        (0, (5,), (0,)),
        (7, (), ()),
    ],
)
def test_bets_of_one_place_share_the_room_in_the_order_placed(
    room: int, stakes: tuple[int, ...], covers: tuple[int, ...]
) -> None:
    assert cover(room, tuple(Bet("a", stake) for stake in stakes)) == covers


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.parametrize(("result", "room"), [(0, 100), (30, 70), (-30, 70), (100, 0), (-100, 0)])
def test_the_bank_has_room_for_what_it_may_still_win_or_lose(result: int, room: int) -> None:
    assert Bank(100, result).room == room


@pytest.mark.article("chinese_dice", "reading 7")
@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.parametrize(("throw", "net"), [(PAIR[4], 960), (PAIR[2], -1_000)])
def test_a_bet_above_the_capital_wins_and_loses_only_what_is_covered(throw: Throw, net: int) -> None:
    settled = settle(one_place(PAIR[3], throw, 5_000, 10, capital=1_000), RULES)
    assert [(bet.covered, bet.net) for bet in bets_of(settled)] == [(1_000, net), (0, 0)]
    assert bets_of(settled)[1].outcome is Outcome.PUSH


def bank_of_1000(*turns: tuple[int, int, Throw | None], banker: Throw = PAIR[3]) -> Settlement:
    """Places with one bet each, settled against a bank of 10.00 at place 6; a turn is place, stake and throw."""
    places = tuple(
        Place(place, (Bet("a", stake),) if stake else (), (throw,) if throw is not None else ())
        for place, stake, throw in turns
    )
    return settle(Round(Banker(6, "b", 1_000, (banker,)), 0, (), places), RULES)


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.parametrize(("throw", "outcome"), [(PAIR[4], Outcome.WIN), (PAIR[2], Outcome.LOSE)])
def test_once_the_bank_is_decided_the_others_dont_throw_and_their_bets_go_back(throw: Throw, outcome: Outcome) -> None:
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
def test_a_place_throws_as_long_as_the_bank_can_win_or_lose_the_last_hundredth(left: int, *, throws: bool) -> None:
    assert throws_next((Bet("a", 100),), Bank(1_000, 1_000 - left), rank_throw(PAIR[3])) is throws


@pytest.mark.article("chinese_dice", "4.c")
def test_the_room_counts_from_the_running_result_in_either_direction() -> None:
    settled = bank_of_1000((7, 700, PAIR[4]), (8, 700, PAIR[2]), (1, 2_000, PAIR[2]))
    assert [bet.covered for bet in bets_of(settled)] == [700, 300, 600]
    assert settled.bank[0].net + settled.bank[0].commission == -700 + 300 + 600


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.parametrize(("banker", "nets_of"), [(LOSS, [576, 384, 0]), (STORM, [-600, -400, 0])])
def test_the_order_of_play_also_limits_what_the_bankers_own_throw_decides(banker: Throw, nets_of: list[int]) -> None:
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
def test_a_place_that_throws_out_of_turn_or_not_at_all_cant_be_settled(
    turns: list[tuple[int, int, Throw | None]], banker: Throw, place: int, why: str
) -> None:
    with pytest.raises(ThrowsError, match=why) as error:
        bank_of_1000(*turns, banker=banker)
    assert error.value.place == place
    assert error.value.message.endswith(why if "throw" not in why else "its bets are undecided")


def layers(casino: int, partners: tuple[int, ...], throw: Throw, stake: int) -> list[tuple[str, int, int]]:
    """What the layers behind a banker's 100.00 bring when place 2 stakes and throws against 3."""
    bets = tuple(Bet(f"p{index}", amount) for index, amount in enumerate(partners))
    place = Place(2, (Bet("a", stake),), (throw,))
    settled = settle(Round(Banker(1, "b", 10_000, (PAIR[3],)), casino, bets, (place,)), RULES)
    return [(str(layer.role), layer.net, layer.commission) for layer in settled.bank]


@pytest.mark.article("chinese_dice", "reading 8")
@pytest.mark.article("chinese_dice", "4.e")
@pytest.mark.parametrize(
    ("stake", "lost"),
    [
        (5_000, [5_000, 0, 0, 0]),
        (10_000, [10_000, 0, 0, 0]),
        (12_000, [10_000, 2_000, 0, 0]),
        (16_000, [10_000, 3_000, 2_000, 1_000]),
        (90_000, [10_000, 3_000, 2_000, 4_000]),
    ],
)
def test_banker_casino_and_partners_are_charged_and_credited_in_their_order(stake: int, lost: list[int]) -> None:
    names = ["banker", "casino", "partner", "partner"]
    assert layers(3_000, (2_000, 4_000), PAIR[4], stake) == [
        (name, -part, 0) for name, part in zip(names, lost, strict=True)
    ]
    assert layers(3_000, (2_000, 4_000), PAIR[2], stake) == [
        (name, part * 96 // 100, part * 4 // 100) for name, part in zip(names, lost, strict=True)
    ]


@pytest.mark.article("chinese_dice", "4.e")
@pytest.mark.parametrize(("throw", "net", "commission"), [(PAIR[2], 0, 1), (PAIR[4], -1, 0), (PAIR[3], 0, 0)])
def test_a_single_hundredth_is_credited_or_charged_as_well(throw: Throw, net: int, commission: int) -> None:
    assert layers(0, (), throw, 1) == [("banker", net, commission)]


@pytest.mark.article("chinese_dice", "4.e")
def test_there_is_no_casino_layer_when_the_casino_hasnt_joined() -> None:
    assert [name for name, _, _ in layers(0, (500,), PAIR[4], 100)] == ["banker", "partner"]


@pytest.mark.article("chinese_dice", "reading 6")
@pytest.mark.article("chinese_dice", "7.b")
def test_the_bank_pays_commission_on_its_net_gain_of_the_round_and_each_bet_on_its_own() -> None:
    settled = bank_of_1000((7, 300, PAIR[2]), (8, 200, PAIR[4]))
    assert [(bet.net, bet.commission) for bet in bets_of(settled)] == [(-300, 0), (192, 8)]
    assert (settled.bank[0].net, settled.bank[0].commission) == (96, 4)


@pytest.mark.article("chinese_dice", "7.b")
def test_a_bank_that_ends_level_pays_no_commission() -> None:
    settled = bank_of_1000((7, 300, PAIR[2]), (8, 300, PAIR[4]))
    assert (settled.bank[0].net, settled.bank[0].commission) == (0, 0)


@pytest.mark.parametrize(
    ("stake", "net", "commission"), [(1, 0, 1), (24, 23, 1), (25, 24, 1), (26, 24, 2), (9_999, 9_599, 400)]
)
def test_a_winners_net_is_rounded_down_and_the_commission_up(stake: int, net: int, commission: int) -> None:
    (bet,) = bets_of(settle(one_place(PAIR[3], PAIR[4], stake), RULES))
    assert (bet.net, bet.commission) == (net, commission)


DECISIVE = [throw for throw in product(range(1, 7), repeat=3) if rank_throw(throw) != INDECISIVE]
OTHERS = [None, *(throw for throw in product(range(1, 7), repeat=3) if rank_throw(throw) == INDECISIVE)]
BETS = st.builds(Bet, st.sampled_from("abc"), st.integers(1, 500))


@st.composite
def turns(draw: st.DrawFn) -> Throws:
    return (*draw(st.lists(st.sampled_from(OTHERS), max_size=2)), draw(st.sampled_from(DECISIVE)))


@st.composite
def rounds(draw: st.DrawFn) -> Round:
    """A round of small stakes against a small bank, so that the bank is often decided."""
    banker, *numbers = draw(st.permutations(range(1, 9)))
    held = Banker(banker, "b", draw(st.integers(1, 1_500)), draw(turns()))
    partners = tuple(draw(st.lists(BETS, max_size=3)))
    all_bets = [tuple(draw(st.lists(BETS, max_size=3))) for _ in numbers[: draw(st.integers(0, 7))]]
    asked = Round(
        held,
        draw(st.integers(0, 300)),
        partners,
        tuple(Place(number, bets, draw(turns())) for number, bets in zip(numbers, all_bets, strict=False)),
    )
    return only_due_throws(asked)


def only_due_throws(played: Round) -> Round:
    """The round without the throws of places that don't throw, by walking through it a second time."""
    due = {number for number, _, throws in walk(played) if throws}
    places = tuple(place if place.place in due else place._replace(throws=()) for place in played.places)
    return Round(played.banker, played.casino_share, played.partners, places)


def walk(played: Round) -> Iterator[tuple[int, list[int], bool]]:
    """Place, what each of its bets moves to its bettor, and whether it throws: reading 7 read a second time."""
    capital = played.banker.capital + played.casino_share + sum(stake for _, stake in played.partners)
    running = 0
    held = str(combination(played.banker.throws[-1] or ()))
    by_number = {place.place: place for place in played.places}
    for step in range(1, 8):
        place = by_number.get((played.banker.place - 1 + step) % 8 + 1)
        if place is None:
            continue
        room = capital - abs(running)
        throws = bool(place.bets) and room > 0 and held.startswith("pair")
        sign = {"4-5-6": -1, "triple": -1, "1-2-3": 1}.get(held, 0)
        if throws:
            order = ["1-2-3", *(f"pair+{odd}" for odd in range(1, 7)), "triple", "4-5-6"]
            made = order.index(str(combination(place.throws[-1] or ())))
            sign = (made > order.index(held)) - (made < order.index(held))
        moved: list[int] = []
        for _, stake in place.bets:
            moved.append(sign * min(stake, room))
            room -= min(stake, room)
        running -= sum(moved)
        yield place.place, moved, throws


@given(rounds())
def test_every_bet_brings_what_a_second_reading_gives_rounded_down(played: Round) -> None:
    moved = {number: bets for number, bets, _ in walk(played)}
    for place in settle(played, RULES).places:
        for bet, exact in zip(place.bets, moved[place.place], strict=True):
            kept = Fraction(max(exact, 0) * 4, 100)
            assert (bet.net, bet.commission) == (floor(exact - kept), ceil(kept))
            assert bet.outcome == ("win" if exact > 0 else "lose" if exact < 0 else "push")


@given(rounds())
def test_bettors_bank_and_commission_sum_to_zero(played: Round) -> None:
    settled = settle(played, RULES)
    moved = [(bet.net, bet.commission) for bet in bets_of(settled)]
    moved += [(layer.net, layer.commission) for layer in settled.bank]
    assert sum(net + commission for net, commission in moved) == 0
    assert all(commission >= 0 for _, commission in moved)


@given(rounds())
@pytest.mark.article("chinese_dice", "4.c")
def test_no_layer_and_no_bet_wins_or_loses_more_than_it_put_down(played: Round) -> None:
    settled = settle(played, RULES)
    assert all(abs(layer.net + layer.commission) <= layer.amount for layer in settled.bank)
    assert all(abs(bet.net + bet.commission) <= bet.covered <= bet.bet.stake for bet in bets_of(settled))
    for first, second in pairwise(settled.bank):
        assert abs(first.net + first.commission) == first.amount or second.net == second.commission == 0


@given(rounds(), st.randoms())
def test_the_order_in_which_places_are_listed_moves_no_money(played: Round, chance: Random) -> None:
    shuffled = list(played.places)
    chance.shuffle(shuffled)
    other = settle(Round(played.banker, played.casino_share, played.partners, tuple(shuffled)), RULES)
    first = settle(played, RULES)
    assert {place.place: place for place in other.places} == {place.place: place for place in first.places}
    assert [place.place for place in other.places] == [place.place for place in shuffled]
    assert other.bank == first.bank


@given(rounds(), st.integers(0, 7))
def test_turning_the_table_moves_no_money(played: Round, by: int) -> None:
    def turned(number: int) -> int:
        return (number - 1 + by) % 8 + 1

    places = tuple(place._replace(place=turned(place.place)) for place in played.places)
    banker = played.banker._replace(place=turned(played.banker.place))
    first = settle(played, RULES)
    other = settle(Round(banker, played.casino_share, played.partners, places), RULES)
    assert other.bank == first.bank
    assert [place.bets for place in other.places] == [place.bets for place in first.places]


@pytest.mark.article("chinese_dice", "7.b")
def test_another_commission_is_another_rule_table() -> None:
    dearer = ChineseDiceRules("x", "x", "x", "x", Ratio(10, 100))
    assert nets(settle(one_place(PAIR[3], PAIR[4], 1_000), dearer)) == [900]


def test_the_layers_are_named_in_the_order_of_the_law() -> None:
    assert list(Role) == ["banker", "casino", "partner"]
