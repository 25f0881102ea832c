"""Settlement of Q Poker: from cards, stakes and decisions to each bet's result.

The values of which a round has many are named tuples, not frozen dataclasses: an archive has millions, and they are
made in half the time.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from tablectl.core.games.q_poker.hands import Cards, Combination, combination_of, key_of_high_card, rank_hand
from tablectl.core.games.q_poker.rules import QPokerRules
from tablectl.core.json_form import choices_of
from tablectl.core.money import Outcome, floor_share
from tablectl.lazy_dataclass import dataclass

PLACE_MAX: Final = 16
"""One pack deals 17 hands of three, one of them the dealer's. Rule: 89/2004 art. 1(1); reading 17."""


class BetName(StrEnum):
    """Kind of bet.

    Rule: 89/2004 art. 2.2 (a space of the layout for each), 5.1, 5.2 (alone or both).
    """

    PAIR_OR_BETTER = "pair_or_better"
    VERSUS_DEALER = "versus_dealer"


BET_NAMES: Final = choices_of(BetName)
"""The kinds of bet by the names that requests and forms give them."""


class Decision(StrEnum):
    """Bettor's decision about a bet against the dealer.

    Rule: 89/2004 art. 9(2).
    """

    PLAY = "play"
    WITHDRAW = "withdraw"


class Bet(NamedTuple):
    """One stake of one bettor.

    Args:
        stake: hundredths, above 0.
        decision: None stands for play; always None on `pair_or_better`.
    """

    bettor: str
    bet: BetName
    stake: int
    decision: Decision | None = None


class Place(NamedTuple):
    """A place with its cards.

    Args:
        place: 1 to 16.
        cards: three; 1 to 3 where they were dealt by mistake to a place without a bet.
    """

    place: int
    cards: Cards
    bets: tuple[Bet, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """Input of the settlement: the dealer's three cards and the places in any order."""

    dealer: Cards
    places: tuple[Place, ...]


class SettledBet(NamedTuple):
    """Settled bet and its result, in hundredths.

    `net` is signed and after `commission`.
    """

    bet: Bet
    outcome: Outcome
    net: int
    commission: int


class SettledPlace(NamedTuple):
    """A place's hand and bets; the hand is None where cards were dealt by mistake."""

    place: int
    hand: Combination | None
    bets: tuple[SettledBet, ...]


@dataclass(frozen=True, slots=True)
class Settlement:
    """Settled round: the dealer's hand, its qualification, and the places as given."""

    dealer_hand: Combination
    qualifies: bool
    places: tuple[SettledPlace, ...]


Share = tuple[Outcome, int, int]
"""An outcome and the signed share of the stake that it brings, as numerator and denominator."""

# An enum's member costs a call to look up; these are looked up for every bet of an archive.
_PAIR_OR_BETTER: Final = BetName.PAIR_OR_BETTER
_WITHDRAW: Final = Decision.WITHDRAW
_WIN: Final = Outcome.WIN

_LOSE: Final[Share] = (Outcome.LOSE, -1, 1)
_PUSH: Final[Share] = (Outcome.PUSH, 0, 1)


def settle(played: Round, rules: QPokerRules) -> Settlement:
    """Settle every bet of the round.

    Rule: 89/2004 art. 9 and 10.

    Examples:
        >>> from tablectl.rule_tables import load_rules
        >>> pair = Place(1, ("8s", "8h", "3s"), (Bet("a", BetName.VERSUS_DEALER, 10_000),))
        >>> [bet.net for bet in settle(Round(("Qh", "9d", "2c"), (pair,)), load_rules("q_poker")).places[0].bets]
        [10000]
        >>> [bet.net for bet in settle(Round(("Jh", "9d", "2c"), (pair,)), load_rules("q_poker")).places[0].bets]
        [5000]
    """
    dealer = rank_hand(played.dealer)
    plays = dealer >= key_of_high_card(rules.dealer_plays_from)
    places = tuple([_settle_place(place, dealer if plays else None, rules) for place in played.places])
    return Settlement(combination_of(dealer), plays, places)


def settle_pairs(places: tuple[Place, ...], rules: QPokerRules) -> tuple[SettledPlace, ...]:
    """Settle the bets on a pair and winning combinations.

    No other bet and no dealer's hand counts for them.

    Rule: 89/2004 art. 9(1), 10(1) to 10(5); reading 21.
    """
    pairs = (place._replace(bets=tuple(bet for bet in place.bets if bet.bet is _PAIR_OR_BETTER)) for place in places)
    return tuple(_settle_place(place, None, rules) for place in pairs if place.bets)


def _settle_place(place: Place, dealer: int | None, rules: QPokerRules) -> SettledPlace:
    """One place against the dealer's key, None if the dealer may not play.

    Rule: 89/2004 art. 11(4) for a place without bets: its hand is void; reading 16 (rounded down).
    """
    if not place.bets:
        return SettledPlace(place.place, None, ())
    key = rank_hand(place.cards)
    hand = combination_of(key)
    combined, against = pair_or_better(hand, rules), versus_dealer(key, dealer, rules)
    bets: list[SettledBet] = []
    for bet in place.bets:
        if bet.bet is _PAIR_OR_BETTER:
            outcome, numerator, denominator = combined
        elif bet.decision is _WITHDRAW:
            outcome, numerator, denominator = withdrawn(rules)
        else:
            outcome, numerator, denominator = against
        bets.append(SettledBet(bet, outcome, floor_share(bet.stake, numerator, denominator), 0))
    return SettledPlace(place.place, hand, tuple(bets))


def pair_or_better(hand: Combination, rules: QPokerRules) -> Share:
    """Return the share of a bet on a pair and winning combinations for this hand.

    Rule: 89/2004 art. 9(1), 10(1) to 10(5); reading 7.
    """
    pays = rules.pair_or_better.get(hand)
    return (_WIN, pays.numerator, pays.denominator) if pays else _LOSE


def withdrawn(rules: QPokerRules) -> Share:
    """Return the share of a withdrawn bet.

    Rule: 89/2004 art. 9(3).
    """
    return Outcome.HALF_LOST, -rules.withdrawal_costs.numerator, rules.withdrawal_costs.denominator


def versus_dealer(key: int, dealer: int | None, rules: QPokerRules) -> Share:
    """Return the share of a bet that stayed in against the dealer.

    Rule: 89/2004 art. 9(5), 9(6) and 9(7); readings 2, 6 and 7. One pack has no equal hands; they would push.

    Args:
        key: of the bettor's hand.
        dealer: the dealer's key, None if the dealer may not play.
        rules: the rule table.
    """
    if dealer is None:
        return _WIN, rules.dealer_below_pays.numerator, rules.dealer_below_pays.denominator
    if key == dealer:
        return _PUSH
    if key < dealer:
        return _LOSE
    pays = rules.versus_dealer[combination_of(key)]
    return _WIN, pays.numerator, pays.denominator
