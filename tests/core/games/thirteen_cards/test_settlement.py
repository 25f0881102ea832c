from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.bets.ratios import Ratio
from tablectl.core.cards import PACK, Card, parse_cards
from tablectl.core.games.thirteen_cards.hands import Combination, Natural, Rows, rank_five, rank_three
from tablectl.core.games.thirteen_cards.rules import ThirteenCardsRules
from tablectl.core.games.thirteen_cards.settlement import (
    Bet,
    Place,
    Points,
    Round,
    Setting,
    SettledPlace,
    examine,
    score,
    score_tier,
    settle,
    settle_bet,
)
from tablectl.core.money import Outcome
from tablectl.rule_tables import load_rules

RULES = load_rules("thirteen_cards")


def rows(first: str, second: str, third: str) -> Rows:
    return parse_cards(first.split()), parse_cards(second.split()), parse_cards(third.split())


MIDDLING = rows("Qs 8h 3d", "9s 9h Jd 6c 2s", "Ks Kh 4d 4c 7s")
"""High card, pair, two pairs."""

WEAKER = rows("Jh 8s 3c", "5s 5h Td 6d 2h", "7c 7h 4s 4h 9c")
STRONGER = rows("Ah 8s 3c", "Ts Th Jc 6d 2h", "Ac Ad 5s 5h 7d")
FOUL = rows("Ah Ad 3c", "Ts 8s Jc 6d 2h", "Tc Td 5s 5h 7d")
FOUL_BANKER = rows("Ks Kh 3d", "9s 8h Jd 6c 2s", "Qs Qh 4d 4c 7s")
DRAGON = rows("Ah Kd Qc", "Jh Th 9d 8c 7d", "6h 5h 4s 3c 2h")
PAIRS = rows("Qs Qh 3d", "3s 9s 9h 6c 6s", "Ks Kh 4d 4c 7s")


def against(player: Rows | None, banker: Rows = MIDDLING, stake: int = 300) -> SettledPlace:
    (place,) = settle(Round(banker, (Place(2, player, (Bet("a", stake),)),)), RULES).places
    return place


def outcome_of(place: SettledPlace) -> tuple[Outcome, int, int]:
    ((_, outcome, net, commission),) = place.bets
    return outcome, net, commission


@pytest.mark.article("thirteen_cards", "reading 1")
@pytest.mark.article("thirteen_cards", "11")
def test_a_winner_is_paid_half_the_stake_less_2_percent() -> None:
    place = against(STRONGER)
    assert place.points == Points(3, 0)
    assert outcome_of(place) == (Outcome.WIN, 147, 3)


@pytest.mark.article("thirteen_cards", "11")
def test_a_loser_loses_the_whole_stake() -> None:
    place = against(WEAKER)
    assert place.points == Points(0, 3)
    assert outcome_of(place) == (Outcome.LOSE, -300, 0)


@pytest.mark.article("thirteen_cards", "8")
def test_equal_sums_of_points_tie() -> None:
    """The place's trio in the first tier scores 3, the banker's others 1 and a full house's 2."""
    player = rows("5s 5h 5d", "8s 8h 8d Kc 2s", "9s 9h 9d 3c 2d")
    banker = rows("As Kh Jd", "Ts Th Td Qc Qs", "Jh Jc Js 7h 7d")
    place = against(player, banker)
    assert place.points == Points(3, 3)
    assert outcome_of(place) == (Outcome.PUSH, 0, 0)


@pytest.mark.article("thirteen_cards", "reading 2")
@pytest.mark.article("thirteen_cards", "8")
def test_only_who_wins_tier_scores_it_with_what_wins_it() -> None:
    player = rows("5s 5h 5d", "8s 8h 8d Kc 2s", "9s 9h 9d Kd Ks")
    banker = rows("2h 2c 4d", "7s 7h 7d Qc Qs", "Th Jh Qh Kh Ah")
    assert against(player, banker).points == Points(3, 2 + 5)


@pytest.mark.article("thirteen_cards", "10")
def test_equal_ranks_in_a_tier_are_the_bankers() -> None:
    key = rank_five(parse_cards(["9s", "9h", "Jd", "6c", "2s"]))
    same = rank_five(parse_cards(["9c", "9d", "Jh", "6d", "2h"]))
    assert score_tier(same, key, RULES.tier_points[1]) == Points(0, 1)
    assert score_tier(rank_five(parse_cards(["9c", "9d", "Jh", "6d", "3h"])), key, RULES.tier_points[1]) == Points(1, 0)


# Each formation that wins, tier by tier, and what article 9 gives for it.
WORTH = [
    ("9.1", Combination.ROYAL_FLUSH, None, 10, 5),
    ("9.2", Combination.STRAIGHT_FLUSH, None, 10, 5),
    ("9.3", Combination.FOUR_OF_A_KIND, None, 8, 4),
    ("9.4", Combination.FULL_HOUSE, None, 2, 1),
    ("9.5", Combination.FLUSH, None, 1, 1),
    ("9.6", Combination.STRAIGHT, None, 1, 1),
    ("9.7", Combination.THREE_OF_A_KIND, 3, 1, 1),
    ("9.8", Combination.TWO_PAIRS, None, 1, 1),
    ("9.9", Combination.PAIR, 1, 1, 1),
    ("9.10", Combination.HIGH_CARD, 1, 1, 1),
]
EXAMPLES = {
    Combination.ROYAL_FLUSH: "As Ks Qs Js Ts",
    Combination.STRAIGHT_FLUSH: "9s 8s 7s 6s 5s",
    Combination.FOUR_OF_A_KIND: "9s 9h 9c 9d 5s",
    Combination.FULL_HOUSE: "9s 9h 9c 5d 5s",
    Combination.FLUSH: "9s 8s 7s 6s 4s",
    Combination.STRAIGHT: "9s 8s 7s 6s 5h",
    Combination.THREE_OF_A_KIND: "9s 9h 9c 5d 4s",
    Combination.TWO_PAIRS: "9s 9h 5c 5d 4s",
    Combination.PAIR: "9s 9h 5c 4d 3s",
    Combination.HIGH_CARD: "Js 9h 5c 4d 3s",
}


@pytest.mark.parametrize(
    ("made", "tiers"),
    [
        pytest.param(made, tiers, marks=pytest.mark.article("thirteen_cards", article))
        for article, made, *tiers in WORTH
    ],
)
def test_a_formation_scores_in_each_tier_what_the_law_gives(made: Combination, tiers: list[int | None]) -> None:
    five = rank_five(parse_cards(EXAMPLES[made].split()))
    lowest_five = rank_five(parse_cards(["7s", "5h", "4c", "3d", "2s"]))
    for worth, tier in zip(RULES.tier_points[1:], tiers[1:], strict=True):
        assert score_tier(five, lowest_five, worth) == Points(tier or 0, 0)
        assert score_tier(lowest_five, five, worth) == Points(0, tier or 0)
    if tiers[0] is not None:
        three = rank_three(parse_cards(EXAMPLES[made].split()[:3]))
        lowest_three = rank_three(parse_cards(["4s", "3h", "2c"]))
        assert score_tier(three, lowest_three, RULES.tier_points[0]) == Points(tiers[0], 0)


@pytest.mark.article("thirteen_cards", "reading 10")
@pytest.mark.article("thirteen_cards", "9.I")
def test_natural_beats_an_ordinary_hand_by_3_to_0() -> None:
    place = against(DRAGON)
    assert (place.points, outcome_of(place)) == (Points(3, 0), (Outcome.WIN, 147, 3))
    place = against(STRONGER, PAIRS)
    assert (place.points, outcome_of(place)) == (Points(0, 3), (Outcome.LOSE, -300, 0))


@pytest.mark.article("thirteen_cards", "9.I")
def test_two_naturals_tie_whatever_they_are() -> None:
    place = against(DRAGON, PAIRS)
    assert (place.points, outcome_of(place)) == (Points(3, 3), (Outcome.PUSH, 0, 0))


@pytest.mark.article("thirteen_cards", "reading 5")
@pytest.mark.article("thirteen_cards", "7")
def test_a_natural_is_never_foul_but_its_tiers_are_named() -> None:
    setting = examine(rows("As Ah Ac", "Ad 3s 3h 3c 3d", "5s 5h 6s 6h 7s"))
    assert (setting.natural, setting.foul) == (Natural.SIX_AND_A_HALF_PAIRS, False)
    assert setting.formations == ("three_of_a_kind", "four_of_a_kind", "two_pairs")


@pytest.mark.article("thirteen_cards", "7")
def test_a_foul_place_loses_and_scores_nothing() -> None:
    place = against(FOUL)
    assert place.setting is not None
    assert place.setting.foul
    assert place.setting.formations == ("pair", "high_card", "two_pairs")
    assert (place.points, outcome_of(place)) == (None, (Outcome.LOSE, -300, 0))


@pytest.mark.article("thirteen_cards", "reading 10")
@pytest.mark.article("thirteen_cards", "7")
@pytest.mark.parametrize("player", [WEAKER, DRAGON])
def test_a_foul_banker_loses_to_every_place_that_isnt(player: Rows) -> None:
    place = against(player, FOUL_BANKER)
    assert (place.points, outcome_of(place)) == (None, (Outcome.WIN, 147, 3))


@pytest.mark.article("thirteen_cards", "reading 11")
@pytest.mark.article("thirteen_cards", "7")
def test_where_both_are_foul_the_place_loses() -> None:
    assert outcome_of(against(FOUL, FOUL_BANKER)) == (Outcome.LOSE, -300, 0)


@pytest.mark.article("thirteen_cards", "7")
def test_a_foul_place_loses_to_a_natural_without_points() -> None:
    place = against(FOUL, PAIRS)
    assert (place.points, outcome_of(place)) == (None, (Outcome.LOSE, -300, 0))


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.parametrize("banker", [MIDDLING, FOUL_BANKER, PAIRS])
def test_place_that_wasnt_in_time_loses_whatever_the_banker_has(banker: Rows) -> None:
    place = against(None, banker)
    assert (place.setting, place.points) == (None, None)
    assert outcome_of(place) == (Outcome.LOSE, -300, 0)


@pytest.mark.article("thirteen_cards", "5")
def test_all_bets_on_a_place_follow_its_cards() -> None:
    bets = (Bet("a", 100), Bet("b", 200), Bet("a", 300))
    (place,) = settle(Round(MIDDLING, (Place(4, STRONGER, bets),)), RULES).places
    assert [(bet.bet, bet.net) for bet in place.bets] == list(zip(bets, (49, 98, 147), strict=True))


@pytest.mark.article("thirteen_cards", "11")
@pytest.mark.parametrize(
    ("stake", "net", "commission"), [(1, 0, 1), (2, 0, 1), (3, 1, 1), (100, 49, 1), (101, 49, 2), (199, 97, 2)]
)
def test_a_winners_net_is_rounded_down_and_the_commission_up(stake: int, net: int, commission: int) -> None:
    settled = settle_bet(Bet("a", stake), Outcome.WIN, RULES)
    assert (settled.net, settled.commission) == (net, commission)


@pytest.mark.article("thirteen_cards", "11")
def test_another_payment_is_another_rule_table() -> None:
    even = replace(RULES, prize=Ratio(1, 1), commission=Ratio(5, 100))
    settled = settle_bet(Bet("a", 1000), Outcome.WIN, even)
    assert (settled.net, settled.commission) == (950, 50)


@st.composite
def settings(draw: st.DrawFn, cards: list[Card]) -> Rows:
    """Thirteen cards, half the time with what repeats most behind, so that they are seldom foul."""
    if draw(st.booleans()):
        ranks = [card[0] for card in cards]
        cards = sorted(cards, key=lambda card: (ranks.count(card[0]), card[0]))
    return tuple(cards[:3]), tuple(cards[3:8]), tuple(cards[8:13])


BETS = st.lists(st.builds(Bet, st.sampled_from("abc"), st.integers(1, 10**9)), min_size=1, max_size=3)


@st.composite
def rounds(draw: st.DrawFn) -> Round:
    """Rounds from whole packs, or from ones in such an order that naturals come often."""
    if draw(st.booleans()):
        cards = list(draw(st.permutations(PACK)))
    else:
        cards = [card for start in draw(st.permutations(range(4))) for card in PACK[13 * start : 13 * start + 13]]
        for _ in range(draw(st.integers(0, 3))):
            one, other = draw(st.integers(0, 51)), draw(st.integers(0, 51))
            cards[one], cards[other] = cards[other], cards[one]
    numbers = draw(st.permutations([2, 3, 4]))[: draw(st.integers(0, 3))]
    places = [
        Place(
            number,
            None if draw(st.integers(0, 5)) == 0 else draw(settings(cards[13 * index : 13 * index + 13])),
            tuple(draw(BETS)),
        )
        for index, number in enumerate(numbers, 1)
    ]
    return Round(draw(settings(cards[:13])), tuple(places))


LAW_POINTS: dict[str, tuple[int, int, int]] = {
    "royal_flush": (0, 10, 5),
    "straight_flush": (0, 10, 5),
    "four_of_a_kind": (0, 8, 4),
    "full_house": (0, 2, 1),
    "three_of_a_kind": (3, 1, 1),
}


def expected(player: Setting | None, banker: Setting) -> tuple[Fraction, tuple[int, int] | None]:
    """What a unit staked brings before commission, and the points: the digest's order of questions."""
    if player is None or player.foul:
        return Fraction(-1), None
    if banker.foul:
        return Fraction(1, 2), None
    if player.natural or banker.natural:
        scored = (3 if player.natural else 0, 3 if banker.natural else 0)
    else:
        mine = theirs = 0
        for tier in range(3):
            won = player.keys[tier] > banker.keys[tier]
            winner = player if won else banker
            points = LAW_POINTS.get(winner.formations[tier], (1, 1, 1))[tier]
            mine, theirs = (mine + points, theirs) if won else (mine, theirs + points)
        scored = (mine, theirs)
    if scored[0] == scored[1]:
        return Fraction(0), scored
    return (Fraction(1, 2) if scored[0] > scored[1] else Fraction(-1)), scored


@given(rounds())
def test_every_bet_brings_what_a_second_reading_gives_rounded_down(played: Round) -> None:
    settled = settle(played, RULES)
    assert settled.banker == examine(played.banker)
    for place, result in zip(played.places, settled.places, strict=True):
        share, points = expected(result.setting, settled.banker)
        assert (result.place, result.points) == (place.place, points)
        assert (result.setting is None) == (place.rows is None)
        for bet, (given_bet, outcome, net, commission) in zip(place.bets, result.bets, strict=True):
            kept = Fraction(2, 100) * max(share, Fraction(0)) * bet.stake
            assert (given_bet, net, commission) == (bet, floor(share * bet.stake - kept), ceil(kept))
            assert outcome == ("win" if share > 0 else "lose" if share < 0 else "push")


@given(rounds())
def test_nets_and_commission_sum_to_zero_within_a_hundredth(played: Round) -> None:
    """The house pays the prize and keeps the commission; rounding moves less than 0.01 between its two purses."""
    for place in settle(played, RULES).places:
        for bet, outcome, net, commission in place.bets:
            house_pays = net + commission
            exact = {"win": Fraction(bet.stake, 2), "lose": Fraction(-bet.stake), "push": Fraction(0)}[outcome]
            assert abs(house_pays - exact) < 1
            assert net >= -bet.stake
            assert 0 <= commission <= ceil(Fraction(bet.stake, 100))


@given(rounds())
def test_order_in_tiers_and_of_places_moves_no_money(played: Round) -> None:
    def turned(set_rows: Rows) -> Rows:
        first, second, third = set_rows
        return first[::-1], second[::-1], third[::-1]

    places = tuple(
        place._replace(rows=turned(place.rows) if place.rows is not None else None) for place in reversed(played.places)
    )
    assert settle(Round(turned(played.banker), places), RULES).places == settle(played, RULES).places[::-1]


@given(rounds())
def test_place_of_a_suit_in_the_pack_moves_no_money(played: Round) -> None:
    def recoloured(set_rows: Rows) -> Rows:
        first, second, third = (
            tuple(Card(card[0] + "hcds"["shcd".index(card[1])]) for card in row) for row in set_rows
        )
        return first, second, third

    places = tuple(
        place._replace(rows=recoloured(place.rows) if place.rows is not None else None) for place in played.places
    )
    assert settle(Round(recoloured(played.banker), places), RULES) == settle(played, RULES)


def test_the_rules_decide_what_a_natural_scores() -> None:
    five = replace(RULES, natural_points=5)
    assert isinstance(five, ThirteenCardsRules)
    assert score(examine(DRAGON), examine(MIDDLING), five) == Points(5, 0)
