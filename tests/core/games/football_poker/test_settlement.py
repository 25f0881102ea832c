from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.bets.ratios import Ratio
from tablectl.core.cards import PACK, Card, parse_cards
from tablectl.core.games.football_poker.hands import Cards
from tablectl.core.games.football_poker.rules import BetName, FootballPokerRules
from tablectl.core.games.football_poker.settlement import (
    COMMON,
    Bet,
    Place,
    PlaceName,
    Round,
    SettledBet,
    settle,
    winning_numbers,
)
from tablectl.core.money import Outcome
from tablectl.core.outcomes import Draw, Series
from tablectl.rule_tables import load_rules

UPPER = ["1234", "2345", "3456", "4567", "5678", "6781", "7812", "8123"]
LOWER = ["5678", "6781", "7812", "8123", "1234", "2345", "3456", "4567"]

LAW_VALUES = dict(zip("AKQJT98765432", [1, 0, 0, 0, 0, 9, 8, 7, 6, 5, 4, 3, 2], strict=True))

# A hand for every total: of two cards, and of three after a 0 or a 9.
OF_TWO = {1: "Ks As", 2: "Ks 2s", 3: "As 2s", 4: "Ks 4s", 5: "9s 6s", 6: "9s 7s", 7: "9s 8s", 8: "9s 9d"}
OF_THREE = {0: "Ks Qs Js", 1: "4s 6s As", 2: "4s 5s 3s", 3: "As 8s 4s", 4: "2s 8s 4s", 5: "Ks Ts 5s"} | {
    6: "9s Ts 7s",
    7: "9s As 7s",
    8: "9s Js 9d",
    9: "3s 6s Qd",
}
HANDS = [(total, text) for hands in (OF_TWO, OF_THREE) for total, text in hands.items()]


@pytest.fixture(name="rules", scope="module")
def _rules() -> FootballPokerRules:
    return load_rules("football_poker")


def hand(text: str) -> Cards:
    return parse_cards(text.split())


def brings(bet: BetName, cards: str, combination: int, rules: FootballPokerRules, stake: int = 100) -> SettledBet:
    played = Round(Draw(Series.UPPER, combination), (Place(COMMON, hand(cards), (Bet("a", bet, stake),)),))
    ((_, _, (settled,)),) = settle(played, rules).places
    return settled


def by_the_law(bet: str, cards: str, combination: int) -> tuple[str, int, int]:
    """Outcome, net and commission per 100 staked: the settlement table of articles 4 and 10 to 12, read again."""
    total = sum(LAW_VALUES[card[0]] for card in cards.split()) % 10
    post = len(cards.split()) == 3 and total in {0, 9}
    if bet == "post":
        return ("win", 800, 0) if post else ("lose", -100, 0)
    if bet in {"even", "odd"}:
        numbers = {"even": {2, 4, 6, 8}, "odd": {1, 3, 5, 7}}[bet]
        return ("win", 100, 0) if total in numbers else ("lose", -100, 0)
    if post:
        return "push", 0, 0
    series = {"upper_range": UPPER, "lower_range": LOWER}[bet]
    return ("win", 95, 5) if str(total) in series[combination - 1] else ("lose", -100, 0)


ARTICLES = {"upper_range": "4.1", "lower_range": "4.2", "even": "4.3", "odd": "4.4", "post": "4.5"}


@pytest.mark.article("football_poker", "1")
@pytest.mark.article("football_poker", "10.2")
@pytest.mark.article("football_poker", "11.1")
@pytest.mark.article("football_poker", "11.2")
@pytest.mark.article("football_poker", "12")
@pytest.mark.article("football_poker", "reading 3")
@pytest.mark.article("football_poker", "reading 4")
@pytest.mark.parametrize("combination", range(1, 9))
@pytest.mark.parametrize(("total", "cards"), HANDS, ids=[text for _, text in HANDS])
@pytest.mark.parametrize(
    "bet", [pytest.param(bet, marks=pytest.mark.article("football_poker", ARTICLES[bet])) for bet in BetName]
)
def test_every_bet_on_every_total_pays_by_law(
    bet: BetName, total: int, cards: str, combination: int, rules: FootballPokerRules
) -> None:
    settled = brings(bet, cards, combination, rules)
    assert (settled.outcome, settled.net, settled.commission) == by_the_law(bet, cards, combination)


@pytest.mark.parametrize(("total", "cards"), HANDS, ids=[text for _, text in HANDS])
def test_the_settlement_tells_the_total(total: int, cards: str, rules: FootballPokerRules) -> None:
    settled = settle(Round(Draw(Series.LOWER, 1), (Place(4, hand(cards), ()),)), rules)
    assert [(place.place, place.total, place.bets) for place in settled.places] == [(4, total, ())]


@pytest.mark.article("football_poker", "10.2")
@pytest.mark.parametrize("cards", [OF_THREE[0], OF_THREE[9]])
@pytest.mark.parametrize("combination", range(1, 9))
def test_post_wins_itself_loses_even_and_odd_and_returns_ranges(
    cards: str, combination: int, rules: FootballPokerRules
) -> None:
    settled = {bet: brings(bet, cards, combination, rules) for bet in BetName}
    assert {bet: (one.outcome, one.net, one.commission) for bet, one in settled.items()} == {
        BetName.UPPER_RANGE: (Outcome.PUSH, 0, 0),
        BetName.LOWER_RANGE: (Outcome.PUSH, 0, 0),
        BetName.EVEN: (Outcome.LOSE, -100, 0),
        BetName.ODD: (Outcome.LOSE, -100, 0),
        BetName.POST: (Outcome.WIN, 800, 0),
    }


@pytest.mark.article("football_poker", "4.3")
@pytest.mark.article("football_poker", "4.4")
@pytest.mark.article("football_poker", "4.5")
def test_even_and_odd_name_four_numbers_each_without_the_post(rules: FootballPokerRules) -> None:
    numbers = rules.numbers_of(1)
    assert sorted(winning_numbers(BetName.EVEN, numbers)) == [2, 4, 6, 8]
    assert sorted(winning_numbers(BetName.ODD, numbers)) == [1, 3, 5, 7]
    assert sorted(winning_numbers(BetName.POST, numbers)) == []


@pytest.mark.article("football_poker", "11.2")
def test_the_post_pays_eight_times_the_stake(rules: FootballPokerRules) -> None:
    assert brings(BetName.POST, "Ks Qs 9s", 1, rules, stake=1_050).net == 8_400


@pytest.mark.article("football_poker", "reading 2")
@pytest.mark.article("football_poker", "10.1")
def test_every_third_card_counts_even_without_a_post_bet(rules: FootballPokerRules) -> None:
    assert brings(BetName.ODD, "Ks Qs 5s", 1, rules).outcome is Outcome.WIN
    assert brings(BetName.UPPER_RANGE, "4s 5s 5d", 1, rules).outcome is Outcome.WIN
    assert brings(BetName.LOWER_RANGE, "4s 5s 5d", 1, rules).outcome is Outcome.LOSE


@pytest.mark.article("football_poker", "reading 5")
@pytest.mark.article("football_poker", "6.1")
@pytest.mark.parametrize("combination", range(1, 9))
def test_whichever_series_was_drawn_both_take_the_same_combination(combination: int, rules: FootballPokerRules) -> None:
    upper, lower = (settle(Round(Draw(series, combination), ()), rules) for series in Series)
    assert upper == lower
    assert "".join(map(str, upper.numbers.upper)) == UPPER[combination - 1]
    assert "".join(map(str, upper.numbers.lower)) == LOWER[combination - 1]


@pytest.mark.article("football_poker", "reading 6")
@pytest.mark.article("football_poker", "12")
@pytest.mark.parametrize(
    ("stake", "net", "commission"),
    [
        (2000, 1900, 100),
        (100, 95, 5),
        (20, 19, 1),
        (10, 9, 1),
        (1, 0, 1),
        (21, 19, 2),
        (39, 37, 2),
        (10**30 + 1, 95 * 10**28, 5 * 10**28 + 1),
    ],
)
@pytest.mark.parametrize(("bet", "cards"), [(BetName.UPPER_RANGE, "As 2s"), (BetName.LOWER_RANGE, "4s 4d")])
def test_winning_range_pays_5_percent_commission_rounded_up(
    bet: BetName, cards: str, stake: int, net: int, commission: int, rules: FootballPokerRules
) -> None:
    settled = brings(bet, cards, 1, rules, stake)
    assert (settled.outcome, settled.net, settled.commission) == (Outcome.WIN, net, commission)
    assert net + commission == stake


def test_another_rule_table_changes_pay_and_commission(rules: FootballPokerRules) -> None:
    other = replace(
        rules,
        pays={**rules.pays, BetName.EVEN: Ratio(3, 2)},
        commission={BetName.EVEN: Ratio(3, 25)},
    )
    even = brings(BetName.EVEN, "Ks 2s", 1, other)
    assert (even.net, even.commission) == (132, 18)
    upper = brings(BetName.UPPER_RANGE, "Ks 2s", 1, other)
    assert (upper.net, upper.commission) == (100, 0)


@pytest.mark.article("football_poker", "10.1")
@pytest.mark.parametrize("cards", ["Ks Qs", "4s 5s", "4s 4d Ks", "Ks", "", "Ks Qs Js Ts"])
def test_a_hand_that_isnt_complete_has_no_settlement(cards: str, rules: FootballPokerRules) -> None:
    with pytest.raises(ValueError, match="isn't a complete hand"):
        settle(Round(Draw(Series.UPPER, 1), (Place(1, hand(cards), ()),)), rules)


def test_every_two_cards_and_every_third_have_a_settlement(rules: FootballPokerRules) -> None:
    bets = tuple(Bet("a", bet, 100) for bet in BetName)
    for first, second, third in product(PACK[:13], repeat=3):
        cards = (first, second, third) if values(first, second) in {0, 9} else (first, second)
        ((_, total, settled),) = settle(Round(Draw(Series.UPPER, 3), (Place(2, cards, bets),)), rules).places
        assert total == values(*cards)
        assert [(one.outcome, one.net, one.commission) for one in settled] == [
            by_the_law(bet, " ".join(cards), 3) for bet in BetName
        ]


def values(*cards: Card) -> int:
    return sum(LAW_VALUES[card[0]] for card in cards) % 10


BETS = st.builds(Bet, st.sampled_from("abc"), st.sampled_from(list(BetName)), st.integers(1, 10**9))
PLACES: list[PlaceName] = [*range(1, 11), COMMON]


@st.composite
def rounds(draw: st.DrawFn) -> Round:
    places = draw(st.lists(st.sampled_from(PLACES), unique=True))
    cards = iter(draw(st.permutations(PACK)))
    dealt: list[Place] = []
    for place in places:
        two = (next(cards), next(cards))
        whole = (*two, next(cards)) if values(*two) in {0, 9} else two
        dealt.append(Place(place, whole, tuple(draw(st.lists(BETS, max_size=3)))))
    return Round(Draw(draw(st.sampled_from(list(Series))), draw(st.integers(1, 8))), tuple(dealt))


@given(rounds())
def test_every_bet_returns_exactly_with_commission_rounded_up(played: Round) -> None:
    settled = settle(played, load_rules("football_poker"))
    for place, result in zip(played.places, settled.places, strict=True):
        assert result.place == place.place
        for bet, one in zip(place.bets, result.bets, strict=True):
            outcome, net, commission = by_the_law(bet.bet, " ".join(place.cards), played.draw.combination)
            assert one.bet is bet
            assert one.outcome == outcome
            assert one.net == floor(bet.stake * Fraction(net, 100))
            assert one.commission == ceil(bet.stake * Fraction(commission, 100))


@given(rounds())
def test_house_pays_what_bettors_win_and_keeps_their_losses(played: Round) -> None:
    settled = settle(played, load_rules("football_poker"))
    bets = [bet for place in settled.places for bet in place.bets]
    taken = sum(bet.bet.stake for bet in bets if bet.outcome == "lose")
    paid = sum(bet.bet.stake * (8 if bet.bet.bet == "post" else 1) for bet in bets if bet.outcome == "win")
    house = taken - paid
    assert house + sum(bet.net for bet in bets) + sum(bet.commission for bet in bets) == 0
    assert all(bet.net >= -bet.bet.stake for bet in bets)
    assert all(bet.commission == 0 or bet.outcome == "win" for bet in bets)


@given(rounds())
def test_order_of_first_cards_and_places_moves_no_money(played: Round) -> None:
    rules = load_rules("football_poker")
    turned = tuple(
        Place(place.place, (place.cards[1], place.cards[0], *place.cards[2:]), place.bets)
        for place in played.places[::-1]
    )
    assert settle(Round(played.draw, turned), rules).places == settle(played, rules).places[::-1]


@pytest.mark.article("football_poker", "1")
@pytest.mark.article("football_poker", "reading 8")
@given(rounds(), st.permutations(range(1, 11)))
def test_which_seat_a_hand_sits_at_moves_no_money(played: Round, seats: list[int]) -> None:
    rules = load_rules("football_poker")
    moved = tuple(
        place if place.place == COMMON else place._replace(place=seats[place.place - 1]) for place in played.places
    )
    assert [(p.total, p.bets) for p in settle(Round(played.draw, moved), rules).places] == [
        (p.total, p.bets) for p in settle(played, rules).places
    ]
