from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.cards import PACK, parse_cards
from tablectl.core.games.q_poker.hands import Cards, Combination, combination, qualifies, rank_hand
from tablectl.core.games.q_poker.rules import QPokerRules
from tablectl.core.games.q_poker.settlement import Bet, BetName, Decision, Place, Round, SettledBet, Settlement, settle
from tablectl.core.money import Outcome
from tablectl.rule_tables import load_rules

DEALER_BELOW = "Jh 9d 2c"
DEALER_QUEEN_HIGH = "Qh 9d 2c"
DEALER_PAIR_OF_ACES = "Ah Ad Kc"

STRAIGHT_FLUSH, TRIPS, STRAIGHT, FLUSH = "6s 5s 4s", "7s 7h 7d", "6s 5h 4s", "As Js 4s"
PAIR, ACE_HIGH, TEN_HIGH = "8s 8h 3s", "As Jd 4s", "Ts 8d 4s"


@pytest.fixture(name="rules", scope="module")
def _rules() -> QPokerRules:
    return load_rules("q_poker")


def hand(text: str) -> Cards:
    return parse_cards(text.split())


def one_bet(player: str, dealer: str, bet: Bet) -> Round:
    return Round(hand(dealer), (Place(1, hand(player), (bet,)),))


def only_bet(settled: Settlement) -> SettledBet:
    ((_, _, (bet,)),) = settled.places
    return bet


def brings(player: str, dealer: str, bet: Bet, rules: QPokerRules) -> tuple[Outcome, int]:
    settled = only_bet(settle(one_bet(player, dealer, bet), rules))
    assert settled.commission == 0
    return settled.outcome, settled.net


@pytest.mark.parametrize(
    ("player", "net"),
    [
        pytest.param(STRAIGHT_FLUSH, 4000, marks=pytest.mark.article("q_poker", "10.1")),
        pytest.param(TRIPS, 3000, marks=pytest.mark.article("q_poker", "10.2")),
        pytest.param(STRAIGHT, 600, marks=pytest.mark.article("q_poker", "10.3")),
        pytest.param(FLUSH, 400, marks=pytest.mark.article("q_poker", "10.4")),
        pytest.param(PAIR, 100, marks=pytest.mark.article("q_poker", "10.5")),
        pytest.param(ACE_HIGH, -100, marks=pytest.mark.article("q_poker", "9.1")),
    ],
)
@pytest.mark.parametrize("dealer", [DEALER_BELOW, DEALER_QUEEN_HIGH, "Ac Kd Qc"])
def test_pair_or_better_pays_by_players_hand_whatever_dealers(
    player: str, net: int, dealer: str, rules: QPokerRules
) -> None:
    bet = Bet("a", BetName.PAIR_OR_BETTER, 100)
    assert brings(player, dealer, bet, rules) == (Outcome.WIN if net > 0 else Outcome.LOSE, net)


@pytest.mark.article("q_poker", "reading 7")
@pytest.mark.article("q_poker", "9.7")
@pytest.mark.parametrize(
    ("player", "net"),
    [(STRAIGHT_FLUSH, 300), (TRIPS, 200), (STRAIGHT, 150), (FLUSH, 100), (PAIR, 100), (ACE_HIGH, 100)],
)
@pytest.mark.parametrize("decision", [Decision.PLAY, None])
def test_hand_that_beats_qualified_dealer_is_paid_by_its_combination(
    player: str, net: int, decision: Decision | None, rules: QPokerRules
) -> None:
    bet = Bet("a", BetName.VERSUS_DEALER, 100, decision)
    assert brings(player, DEALER_QUEEN_HIGH, bet, rules) == (Outcome.WIN, net)


@pytest.mark.article("q_poker", "9.6")
@pytest.mark.parametrize("player", [PAIR, "Ks Jd 4s", TEN_HIGH])
def test_a_qualified_dealer_with_the_higher_hand_collects(player: str, rules: QPokerRules) -> None:
    bet = Bet("a", BetName.VERSUS_DEALER, 100)
    assert brings(player, DEALER_PAIR_OF_ACES, bet, rules) == (Outcome.LOSE, -100)


@pytest.mark.article("q_poker", "reading 6")
@pytest.mark.article("q_poker", "9.5")
@pytest.mark.parametrize("player", [STRAIGHT_FLUSH, TRIPS, STRAIGHT, FLUSH, PAIR, ACE_HIGH, TEN_HIGH])
def test_dealer_below_queen_pays_half_the_stake(player: str, rules: QPokerRules) -> None:
    bet = Bet("a", BetName.VERSUS_DEALER, 100)
    assert brings(player, DEALER_BELOW, bet, rules) == (Outcome.WIN, 50)


@pytest.mark.article("q_poker", "9.3")
@pytest.mark.parametrize("player", [STRAIGHT_FLUSH, ACE_HIGH, TEN_HIGH])
@pytest.mark.parametrize("dealer", [DEALER_BELOW, DEALER_QUEEN_HIGH, "Ac Ad Kc"])
def test_withdrawing_costs_half_the_stake_whatever_the_hands(player: str, dealer: str, rules: QPokerRules) -> None:
    bet = Bet("a", BetName.VERSUS_DEALER, 100, Decision.WITHDRAW)
    assert brings(player, dealer, bet, rules) == (Outcome.HALF_LOST, -50)


@pytest.mark.article("q_poker", "reading 10")
@pytest.mark.article("q_poker", "9.2")
def test_two_bettors_on_one_hand_decide_separately(rules: QPokerRules) -> None:
    bets = (
        Bet("a", BetName.VERSUS_DEALER, 100, Decision.PLAY),
        Bet("b", BetName.VERSUS_DEALER, 100, Decision.WITHDRAW),
    )
    settled = settle(Round(hand(DEALER_QUEEN_HIGH), (Place(3, hand(PAIR), bets),)), rules)
    assert [bet.net for bet in settled.places[0].bets] == [100, -50]


@pytest.mark.article("q_poker", "5.2")
def test_both_bets_of_a_place_settle_apart_in_order(rules: QPokerRules) -> None:
    bets = (Bet("a", BetName.VERSUS_DEALER, 100), Bet("a", BetName.PAIR_OR_BETTER, 100))
    settled = settle(Round(hand(DEALER_PAIR_OF_ACES), (Place(1, hand(PAIR), bets),)), rules)
    assert settled.places[0].bets == (
        SettledBet(bets[0], Outcome.LOSE, -100, 0),
        SettledBet(bets[1], Outcome.WIN, 100, 0),
    )


@pytest.mark.article("q_poker", "11.4")
@pytest.mark.parametrize("cards", ["As", "As Kd", "As Ah Ad"])
def test_cards_dealt_to_place_without_bet_are_no_hand(cards: str, rules: QPokerRules) -> None:
    settled = settle(Round(hand(DEALER_QUEEN_HIGH), (Place(5, hand(cards), ()),)), rules)
    assert settled.places[0].hand is None
    assert settled.places[0].bets == ()


@pytest.mark.article("q_poker", "reading 16")
@pytest.mark.parametrize(
    ("player", "dealer", "bet", "net"),
    [
        pytest.param(PAIR, DEALER_BELOW, Bet("a", BetName.VERSUS_DEALER, 1), 0, id="half of 0.01 won is 0.00"),
        pytest.param(PAIR, DEALER_BELOW, Bet("a", BetName.VERSUS_DEALER, 25), 12, id="half of 0.25 won is 0.12"),
        pytest.param(STRAIGHT, DEALER_QUEEN_HIGH, Bet("a", BetName.VERSUS_DEALER, 33), 49, id="3:2 of 0.33 is 0.49"),
        pytest.param(
            PAIR,
            DEALER_BELOW,
            Bet("a", BetName.VERSUS_DEALER, 1, Decision.WITHDRAW),
            -1,
            id="half of 0.01 lost is 0.01",
        ),
        pytest.param(
            PAIR,
            DEALER_BELOW,
            Bet("a", BetName.VERSUS_DEALER, 25, Decision.WITHDRAW),
            -13,
            id="half of 0.25 lost is 0.13",
        ),
    ],
)
def test_an_odd_stake_is_settled_exactly_and_rounded_down(
    player: str, dealer: str, bet: Bet, net: int, rules: QPokerRules
) -> None:
    assert brings(player, dealer, bet, rules)[1] == net


BETS = st.builds(
    Bet,
    bettor=st.sampled_from("abc"),
    bet=st.just(BetName.VERSUS_DEALER),
    stake=st.integers(1, 10**9),
    decision=st.sampled_from([None, *Decision]),
) | st.builds(Bet, st.sampled_from("abc"), st.just(BetName.PAIR_OR_BETTER), st.integers(1, 10**9), st.none())


@st.composite
def rounds(draw: st.DrawFn) -> Round:
    numbers = draw(st.lists(st.integers(1, 16), unique=True, max_size=16))
    cards = draw(st.permutations(PACK))
    hands = [tuple(cards[start : start + 3]) for start in range(0, 3 + 3 * len(numbers), 3)]
    bets = [tuple(draw(st.lists(BETS, max_size=3))) for _ in numbers]
    return Round(hands[0], tuple(map(Place, numbers, hands[1:], bets)))


RATES = {"straight_flush": 40, "three_of_a_kind": 30, "straight": 6, "flush": 4, "pair": 1, "high_card": -1}
PREMIUMS = {"straight_flush": Fraction(3), "three_of_a_kind": Fraction(2), "straight": Fraction(3, 2)}


def exact_return(bet: Bet, player: Cards, dealer: Cards) -> Fraction:
    """The settlement table of the regulation, read a second time."""
    if bet.bet == "pair_or_better":
        return Fraction(RATES[combination(player)])
    if bet.decision == "withdraw":
        return Fraction(-1, 2)
    if not qualifies(dealer):
        return Fraction(1, 2)
    if rank_hand(player) < rank_hand(dealer):
        return Fraction(-1)
    return PREMIUMS.get(combination(player), Fraction(1))


@given(rounds())
def test_every_bet_brings_its_exact_return_rounded_down(played: Round) -> None:
    settled = settle(played, load_rules("q_poker"))
    for place, outcome in zip(played.places, settled.places, strict=True):
        assert outcome.place == place.place
        for bet, result in zip(place.bets, outcome.bets, strict=True):
            assert result.bet is bet
            assert result.net == floor(bet.stake * exact_return(bet, place.cards, played.dealer))


@given(rounds())
def test_nets_sum_to_zero_and_no_loss_exceeds_its_stake(
    played: Round,
) -> None:
    settled = settle(played, load_rules("q_poker"))
    bets = [bet for place in settled.places for bet in place.bets]
    taken = sum(bet.bet.stake for bet in bets if bet.outcome == "lose")
    halves = sum(-(-bet.bet.stake // 2) for bet in bets if bet.outcome == "half_lost")
    paid = sum(bet.net for bet in bets if bet.outcome == "win")
    house = taken + halves - paid
    assert house + sum(bet.net for bet in bets) + sum(bet.commission for bet in bets) == 0
    assert all(bet.net >= -bet.bet.stake for bet in bets)
    assert all((bet.net >= 0) == (bet.outcome in {"win", "push"}) for bet in bets)


@given(rounds())
def test_order_of_cards_and_places_moves_no_money(played: Round) -> None:
    rules = load_rules("q_poker")
    turned = Round(
        played.dealer[::-1],
        tuple(Place(place.place, place.cards[1:] + place.cards[:1], place.bets) for place in played.places[::-1]),
    )
    assert settle(turned, rules).places == settle(played, rules).places[::-1]


@pytest.mark.article("q_poker", "reading 2")
def test_a_hand_equal_to_the_dealers_pushes(rules: QPokerRules) -> None:
    """One pack has no two equal hands; with another rule it would be a push."""
    bet = Bet("a", BetName.VERSUS_DEALER, 100)
    assert brings(DEALER_QUEEN_HIGH, DEALER_QUEEN_HIGH, bet, rules) == (Outcome.PUSH, 0)


def test_settlement_says_what_the_dealer_holds_and_whether_it_plays(rules: QPokerRules) -> None:
    below = settle(Round(hand(DEALER_BELOW), ()), rules)
    assert (below.dealer_hand, below.qualifies) == (Combination.HIGH_CARD, False)
    pair = settle(Round(hand("2s 2h 3d"), ()), rules)
    assert (pair.dealer_hand, pair.qualifies) == (Combination.PAIR, True)
