"""Settlement of Football Poker: from draw, cards and stakes to each bet's result.

The values of which a round has many are named tuples, not frozen dataclasses: an archive has millions, and they are
made in half the time.
"""

from typing import Final, Literal, NamedTuple

from tablectl.core.games.football_poker.hands import FIRST_CARDS, Cards
from tablectl.core.games.football_poker.rules import BetName, FootballPokerRules, Missed, Numbers
from tablectl.core.money import Outcome, ceil_share, floor_share
from tablectl.core.outcomes import Draw
from tablectl.lazy_dataclass import dataclass

PLACE_MAX: Final = 10
"""Seated places, numbered from 1. Rule: 41/2003 art. 5(1)."""

COMMON: Final = "common"
"""The place on which everyone may bet. Rule: 41/2003 art. 5(2)."""

PlaceName = int | Literal["common"]
"""1 to 10, or the common place."""

EVEN_NUMBERS: Final = frozenset((2, 4, 6, 8))
"""The totals that win the bet on even. Rule: 41/2003 art. 4(3)."""

ODD_NUMBERS: Final = frozenset((1, 3, 5, 7))
"""The totals that win the bet on odd. Rule: 41/2003 art. 4(4)."""


class Bet(NamedTuple):
    """One stake of one bettor; `stake` is in hundredths, above 0."""

    bettor: str
    bet: BetName
    stake: int


class Place(NamedTuple):
    """A place with its cards.

    Args:
        place: 1 to 10, or the common place.
        cards: in the order dealt: two, and a third where the two total a Post number.
    """

    place: PlaceName
    cards: Cards
    bets: tuple[Bet, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """Input of the settlement: the draw and the places in any order."""

    draw: Draw
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
    """A place's total, 0 to 9, and its bets."""

    place: PlaceName
    total: int
    bets: tuple[SettledBet, ...]


@dataclass(frozen=True, slots=True)
class Settlement:
    """A settled round: the numbers drawn for each range, and the places as they came."""

    numbers: Numbers
    places: tuple[SettledPlace, ...]


class Share(NamedTuple):
    """Result of a bet for each `per` staked.

    It consists of the outcome, the signed net after commission, and the commission.
    """

    outcome: Outcome
    net: int
    commission: int
    per: int


_LOSE: Final = Share(Outcome.LOSE, -1, 0, 1)
_RETURNED: Final = Share(Outcome.PUSH, 0, 0, 1)


def settle(played: Round, rules: FootballPokerRules) -> Settlement:
    """Settle every bet of the round, on its bettor's own place or another.

    Rule: 41/2003 art. 1, 4 and 10 to 12; readings 5 and 8.

    Raises:
        ValueError: a hand without its two cards, or with a third other than the law says.

    Examples:
        >>> from tablectl.rule_tables import load_rules
        >>> from tablectl.core.outcomes import Series
        >>> place = Place(1, ("9s", "5h"), (Bet("a", BetName.UPPER_RANGE, 10_000), Bet("b", BetName.ODD, 10_000)))
        >>> settled = settle(Round(Draw(Series.UPPER, 1), (place,)), load_rules("football_poker"))
        >>> settled.numbers
        Numbers(upper=(1, 2, 3, 4), lower=(5, 6, 7, 8))
        >>> [(bet.net, bet.commission) for bet in settled.places[0].bets]
        [(9500, 500), (-10000, 0)]
    """
    numbers = rules.numbers_of(played.draw.combination)
    return Settlement(numbers, tuple([_settle_place(place, numbers, rules) for place in played.places]))


def _settle_place(place: Place, numbers: Numbers, rules: FootballPokerRules) -> SettledPlace:
    if not rules.is_complete(place.cards):
        raise ValueError(f"{', '.join(place.cards)} at place {place.place} isn't a complete hand")
    total = rules.total_of(place.cards)
    missed = Missed.THREE_CARDS if len(place.cards) > FIRST_CARDS else Missed.TWO_CARDS
    bets: list[SettledBet] = []
    for bet in place.bets:
        outcome, net, commission, per = share_of(bet.bet, total, numbers, rules, missed)
        bets.append(SettledBet(bet, outcome, floor_share(bet.stake, net, per), ceil_share(bet.stake, commission, per)))
    return SettledPlace(place.place, total, tuple(bets))


def share_of(bet: BetName, total: int, numbers: Numbers, rules: FootballPokerRules, missed: Missed) -> Share:
    """Return the share of a bet on a complete hand.

    Rule: 41/2003 art. 4 and 10(2); reading 4. A complete hand that totals a Post number has three cards.

    Args:
        bet: kind of the bet.
        total: of the hand, 0 to 9.
        numbers: drawn for each range.
        rules: the rule table: what wins and what it pays.
        missed: with how many cards the hand misses the Post, where its total is no Post number.
    """
    if total not in rules.post_numbers:
        if bet is BetName.POST and missed not in rules.post_loses_on:
            return _RETURNED
        return winnings(bet, rules) if total in winning_numbers(bet, numbers) else _LOSE
    if bet is BetName.POST:
        return winnings(bet, rules)
    return _RETURNED if bet in rules.returned_on_post else _LOSE


def winning_numbers(bet: BetName, numbers: Numbers) -> tuple[int, ...] | frozenset[int]:
    """The totals that win the bet where they are no Post numbers.

    Rule: 41/2003 art. 4(1) to 4(5); reading 3.
    """
    match bet:
        case BetName.UPPER_RANGE:
            return numbers.upper
        case BetName.LOWER_RANGE:
            return numbers.lower
        case BetName.EVEN:
            return EVEN_NUMBERS
        case BetName.ODD:
            return ODD_NUMBERS
        case BetName.POST:
            return ()


def winnings(bet: BetName, rules: FootballPokerRules) -> Share:
    """Return the share of a bet that wins.

    Rule: 41/2003 art. 11(1), 11(2) and 12; reading 6: the commission is taken from the winnings.
    """
    pays, commission = rules.pays[bet], rules.commission.get(bet)
    if commission is None:
        return Share(Outcome.WIN, pays.numerator, 0, pays.denominator)
    kept = pays.numerator * commission.numerator
    won = pays.numerator * commission.denominator
    return Share(Outcome.WIN, won - kept, kept, pays.denominator * commission.denominator)
