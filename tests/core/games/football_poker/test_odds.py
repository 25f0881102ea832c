from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product

import pytest

from tablectl.core.bets.ratios import Decks, Odds
from tablectl.core.cards import PACK, Card
from tablectl.core.games.football_poker.odds import count_totals, football_poker_odds
from tablectl.core.games.football_poker.rules import BetName
from tablectl.core.games.football_poker.settlement import Bet, Place, Round, settle
from tablectl.core.outcomes import Draw, Series
from tablectl.rule_tables import load_rules

POST = frozenset({0, 9})
LAW_VALUES = dict(zip("AKQJT98765432", [1, 0, 0, 0, 0, 9, 8, 7, 6, 5, 4, 3, 2], strict=True))
DECKS: list[Decks] = [*range(1, 9), None]


def odds(decks: Decks = 1) -> Odds:
    return football_poker_odds(load_rules("football_poker"), decks)


def hand(dealt: tuple[Card, ...]) -> tuple[Card, ...]:
    """What a place gets of three cards: the third where the first two total 0 or 9."""
    return dealt if sum(LAW_VALUES[card[0]] for card in dealt[:2]) % 10 in POST else dealt[:2]


@pytest.mark.article("football_poker", "10.1")
def test_one_combination_is_the_mean_of_all_132600_deals() -> None:
    rules = load_rules("football_poker")
    bets = tuple(Bet("a", bet, 100) for bet in BetName)
    hands = Counter(map(hand, permutations(PACK, 3)))
    nets: Counter[str] = Counter()
    squares: Counter[str] = Counter()
    for cards, times in hands.items():
        ((_, _, settled),) = settle(Round(Draw(Series.UPPER, 6), (Place(1, cards, bets),)), rules).places
        for one in settled:
            nets[one.bet.bet] += one.net * times
            squares[one.bet.bet] += one.net**2 * times
    assert sum(hands.values()) == 52 * 51 * 50
    for bet in BetName:
        found = odds().bets[f"{bet}[6]" if bet in {"upper_range", "lower_range"} else bet]
        mean = Fraction(nets[bet], 100 * 132_600)
        assert found.expectation() == mean
        assert found.deviation() == pytest.approx(float(Fraction(squares[bet], 10_000 * 132_600) - mean**2) ** 0.5)


def of_a_small_shoe(decks: Decks) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Every deal by rank, with its number of ways counted card by card."""
    for ranks in product(LAW_VALUES, repeat=3):
        ways, dealt = 1, Counter[str]()
        for rank in ranks:
            ways *= 4 if decks is None else 4 * decks - dealt[rank]
            dealt[rank] += 1
        yield ways, ranks


@pytest.mark.parametrize("decks", DECKS)
def test_totals_of_any_packs_match_counting_by_rank(decks: Decks) -> None:
    counted: Counter[int] = Counter()
    for ways, (first, second, third) in of_a_small_shoe(decks):
        total = (LAW_VALUES[first] + LAW_VALUES[second]) % 10
        counted[(total + LAW_VALUES[third]) % 10 if total in POST else total] += ways
    totals: Counter[int] = Counter()
    for (total, _), ways in count_totals(decks, load_rules("football_poker")).items():
        totals[total] += ways
    assert totals == counted
    cards = 0 if decks is None else 52 * decks
    assert counted.total() == (cards * (cards - 1) * (cards - 2) if cards else 52**3)


def test_bets_come_by_range_and_combination_and_then_the_others() -> None:
    assert list(odds().bets) == [
        *(f"upper_range[{k}]" for k in range(1, 9)),
        *(f"lower_range[{k}]" for k in range(1, 9)),
        *("even", "odd", "post"),
    ]
    assert odds().extra == {}
    assert odds().game == "football_poker"


@pytest.mark.parametrize("decks", DECKS)
def test_the_odds_say_for_how_many_packs_they_are(decks: Decks) -> None:
    assert odds(decks).decks == decks


@pytest.mark.parametrize("decks", DECKS)
@pytest.mark.parametrize("k", range(1, 9))
def test_upper_range_equals_the_lower_one_four_on(k: int, decks: Decks) -> None:
    bets = odds(decks).bets
    assert bets[f"upper_range[{k}]"] == bets[f"lower_range[{(k + 3) % 8 + 1}]"]


@pytest.mark.parametrize("decks", DECKS)
@pytest.mark.parametrize("k", range(1, 9))
def test_one_range_wins_or_both_return_with_the_post(k: int, decks: Decks) -> None:
    bets = odds(decks).bets
    upper, lower, post = (bets[name].chances() for name in (f"upper_range[{k}]", f"lower_range[{k}]", "post"))
    assert upper[0] + lower[0] + post[0] == 1
    assert upper[1] == lower[1] == post[0]
    assert bets["even"].chances()[0] + bets["odd"].chances()[0] + post[0] == 1


@pytest.mark.article("football_poker", "12")
def test_without_end_of_packs_every_range_costs_the_same() -> None:
    """Every total but 0 and 9 is as likely as any other, so a range loses the half of the commission."""
    bets = odds(None).bets
    assert {bets[f"{series}_range[{k}]"].expectation() for series in ("upper", "lower") for k in range(1, 9)} == {
        Fraction(-5, 200) * (1 - bets["post"].chances()[0])
    }
    assert bets["even"].expectation() == bets["odd"].expectation() == -bets["post"].chances()[0]


@pytest.mark.article("football_poker", "11.1 to 11.2")
@pytest.mark.parametrize("decks", DECKS)
def test_the_chances_of_a_bet_sum_to_one(decks: Decks) -> None:
    for bet in odds(decks).bets.values():
        assert sum(bet.chances()) == sum(bet.returns.values()) == 1
