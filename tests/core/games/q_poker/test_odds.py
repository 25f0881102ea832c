from fractions import Fraction
from itertools import combinations

import pytest

from tablectl.core.bets.ratios import Odds
from tablectl.core.cards import PACK, rank_of
from tablectl.core.games.q_poker.hands import Cards, combination, combination_of, lowest_key, qualifies, rank_hand
from tablectl.core.games.q_poker.hands import Combination as Hand
from tablectl.core.games.q_poker.odds import DEALER_HANDS, Facing, face_all, q_poker_odds
from tablectl.core.games.q_poker.settlement import Bet, BetName, Decision, Place, Round, settle
from tablectl.rule_tables import load_rules

HANDS = list(combinations(PACK, 3))
QUEEN_HIGH = lowest_key(Hand.HIGH_CARD, 12)


@pytest.fixture(name="odds", scope="module")
def _odds() -> Odds:
    return q_poker_odds(load_rules("q_poker"))


@pytest.fixture(name="facings", scope="module")
def _facings() -> tuple[Facing, ...]:
    return face_all(QUEEN_HIGH)


def test_every_one_of_the_407170400_deals_is_counted(facings: tuple[Facing, ...]) -> None:
    assert len(facings) == len(HANDS) == 22_100
    assert len(HANDS) * DEALER_HANDS == 407_170_400
    assert all(facing.below >= 0 and 0 <= facing.lower <= DEALER_HANDS - facing.below for facing in facings)


def test_what_one_side_wins_the_other_loses(facings: tuple[Facing, ...]) -> None:
    """Of two hands that both may play one is lower, and each is as often the bettor's as the dealer's."""
    both_may_play = [facing for facing in facings if facing.key >= QUEEN_HIGH]
    assert sum(facing.lower for facing in both_may_play) * 2 == sum(
        DEALER_HANDS - facing.below for facing in both_may_play
    )


@pytest.mark.parametrize("start", range(0, 22_100, 1_473))
def test_a_counted_hand_is_as_good_as_one_walked_through(start: int, facings: tuple[Facing, ...]) -> None:
    hand = sorted(HANDS, key=lambda cards: (rank_hand(cards), cards))[start]
    dealers = [dealer for dealer in HANDS if not set(dealer) & set(hand)]
    assert len(dealers) == DEALER_HANDS
    lower = sum(qualifies(dealer) and rank_hand(dealer) < rank_hand(hand) for dealer in dealers)
    below = sum(not qualifies(dealer) for dealer in dealers)
    assert facings[start] == Facing(rank_hand(hand), below, lower)


@pytest.mark.article("q_poker", "10.1 to 10.5")
def test_pair_or_better_returns_minus_128_in_5525(odds: Odds) -> None:
    counted = 48 * 40 + 52 * 30 + 720 * 6 + 1096 * 4 + 3744 - 16440
    assert odds.bets["pair_or_better"].expectation() == Fraction(counted, 22_100) == Fraction(-128, 5525)


def test_pair_or_better_is_the_mean_of_its_settlements(odds: Odds) -> None:
    rules = load_rules("q_poker")
    bets = (Bet("a", BetName.PAIR_OR_BETTER, 100),)
    nets = [
        settle(Round((PACK[0], PACK[1], PACK[2]), (Place(1, hand, bets),)), rules).places[0].bets[0].net
        for hand in HANDS
    ]
    assert odds.bets["pair_or_better"].expectation() == Fraction(sum(nets), 100 * len(HANDS))


def test_hand_against_all_dealers_sums_its_settlements(
    facings: tuple[Facing, ...],
) -> None:
    rules = load_rules("q_poker")
    hand = (PACK[2], PACK[16], PACK[50])
    bet = (Bet("a", BetName.VERSUS_DEALER, 100, Decision.PLAY),)
    dealers = [dealer for dealer in HANDS if not set(dealer) & set(hand)]
    net = sum(settle(Round(dealer, (Place(1, hand, bet),)), rules).places[0].bets[0].net for dealer in dealers)
    facing = next(one for one in facings if one.key == rank_hand(hand))
    higher = DEALER_HANDS - facing.below - facing.lower
    assert Fraction(net, 100) == Fraction(facing.below, 2) + facing.lower - higher


@pytest.mark.article("q_poker", "9.3")
def test_never_playing_loses_half_and_always_playing_sums_all_hands(odds: Odds, facings: tuple[Facing, ...]) -> None:
    pays = {
        Hand.STRAIGHT_FLUSH: Fraction(3),
        Hand.THREE_OF_A_KIND: Fraction(2),
        Hand.STRAIGHT: Fraction(3, 2),
    }
    total = Fraction()
    for facing in facings:
        higher = DEALER_HANDS - facing.below - facing.lower
        total += Fraction(facing.below, 2) + facing.lower * pays.get(combination_of(facing.key), Fraction(1)) - higher
    assert odds.extra["thresholds"]["always"] == total / 407_170_400
    assert odds.extra["thresholds"]["never"] == Fraction(-1, 2)


def test_best_decision_beats_every_threshold_by_little(
    odds: Odds,
) -> None:
    thresholds = odds.extra["thresholds"]
    best = odds.bets["versus_dealer"].expectation()
    assert max(thresholds, key=lambda name: thresholds[name]) == "Q-6-4"
    assert 0 <= best - thresholds["Q-6-4"] < Fraction(1, 100_000)


def test_the_thresholds_come_in_the_order_of_the_hands(odds: Odds) -> None:
    assert list(odds.extra["thresholds"]) == [
        *(
            "always",
            "J-high",
            "Q-high",
            "Q-6-2",
            "Q-6-3",
            "Q-6-4",
            "Q-6-5",
            "K-high",
            "A-high",
            "pair",
            "never",
        ),
    ]


HANDS_LOW_FIRST = sorted(HANDS, key=rank_hand)
LOWEST_PLAYED = {"J-high": "J", "Q-high": "Q", "K-high": "K", "A-high": "A"} | {
    named: named.replace("-", "") for named in ("Q-6-2", "Q-6-3", "Q-6-4", "Q-6-5")
}


@pytest.mark.parametrize("named", [*LOWEST_PLAYED, "pair"])
def test_a_threshold_plays_exactly_the_hands_that_are_no_lower(
    named: str, odds: Odds, facings: tuple[Facing, ...]
) -> None:
    def plays(hand: Cards) -> bool:
        ranks = sorted((rank_of(card) for card in hand), reverse=True)
        lowest = ["23456789TJQKA".index(rank) + 2 for rank in LOWEST_PLAYED.get(named, "")]
        return combination(hand) is not Hand.HIGH_CARD or (bool(lowest) and ranks >= lowest)

    halves = {Hand.STRAIGHT_FLUSH: 6, Hand.THREE_OF_A_KIND: 4, Hand.STRAIGHT: 3}
    total = 0
    for hand, facing in zip(HANDS_LOW_FIRST, facings, strict=True):
        higher = DEALER_HANDS - facing.below - facing.lower
        played = facing.below + facing.lower * halves.get(combination(hand), 2) - 2 * higher
        total += played if plays(hand) else -DEALER_HANDS
    assert odds.extra["thresholds"][named] == Fraction(total, 2 * 407_170_400)


def test_the_chances_of_a_bet_sum_to_one(odds: Odds) -> None:
    for bet in odds.bets.values():
        assert sum(bet.chances()) == sum(bet.returns.values()) == 1
