"""The money of the 13-card game: from the cards as set to what every bet brings."""

from itertools import starmap
from typing import Final, NamedTuple

from tablectl.core.games.thirteen_cards.hands import (
    Combination,
    Keys,
    Natural,
    Rows,
    ascends,
    combination_of,
    natural,
    rank_rows,
)
from tablectl.core.games.thirteen_cards.rules import ThirteenCardsRules, TierPoints
from tablectl.core.money import Outcome, ceil_share, floor_share
from tablectl.lazy_dataclass import dataclass

PLACE_MIN: Final = 2
"""Place 1 is the banker's."""

PLACE_MAX: Final = 4
"""Rule: 51/89/M art. 3."""


class Bet(NamedTuple):
    """One stake of one bettor, in hundredths."""

    bettor: str
    stake: int


class Place(NamedTuple):
    """Place with bets, 2 to 4, and its cards as set.

    The cards are None where they weren't set in time.
    """

    place: int
    rows: Rows | None
    bets: tuple[Bet, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """Input of the settlement: the banker's cards as set and the places in any order."""

    banker: Rows
    places: tuple[Place, ...]


class Setting(NamedTuple):
    """Evaluation of thirteen cards as they are set."""

    keys: Keys
    natural: Natural | None
    foul: bool

    @property
    def formations(self) -> tuple[Combination, ...]:
        """Combination of each tier."""
        return tuple(map(combination_of, self.keys))


class Points(NamedTuple):
    """Points that a place and the banker score against each other."""

    player: int
    banker: int


class SettledBet(NamedTuple):
    """Settled bet and its result, in hundredths.

    `net` is signed and after `commission`.
    """

    bet: Bet
    outcome: Outcome
    net: int
    commission: int


class SettledPlace(NamedTuple):
    """Cards, points and bets of a settled place.

    A late place has no setting. There are no points for it, nor where either side is foul.
    """

    place: int
    setting: Setting | None
    points: Points | None
    bets: tuple[SettledBet, ...]


@dataclass(frozen=True, slots=True)
class Settlement:
    """A settled round: what the banker's cards make, and the places as they came."""

    banker: Setting
    places: tuple[SettledPlace, ...]


def settle(played: Round, rules: ThirteenCardsRules) -> Settlement:
    """Settle every bet of the round.

    Rule: 51/89/M art. 7 to 11.

    Examples:
        >>> from tablectl.rule_tables import load_rules
        >>> banker = tuple(tuple(tier.split()) for tier in ("Qs 8h 3d", "9s 9h Jd 6c 2s", "Ks Kh 4d 4c 7s"))
        >>> better = tuple(tuple(tier.split()) for tier in ("Ah 8s 3c", "Ts Th Jc 6d 2h", "Ac Ad 5s 5h 7d"))
        >>> places = (Place(2, better, (Bet("a", 10_000),)), Place(3, None, (Bet("b", 10_000),)))
        >>> settled = settle(Round(banker, places), load_rules("thirteen_cards"))
        >>> settled.places[0].points, settled.places[0].bets[0].net
        (Points(player=3, banker=0), 4900)
        >>> settled.places[1].bets[0].net  # not set in time
        -10000
    """
    banker = examine(played.banker)
    return Settlement(banker, tuple([_settle_place(place, banker, rules) for place in played.places]))


def examine(rows: Rows) -> Setting:
    """Evaluate thirteen cards as set; a natural is never foul.

    Rule: 51/89/M art. 7 and 9; reading 5.
    """
    keys = rank_rows(rows)
    found = natural(rows)
    return Setting(keys, found, foul=found is None and not ascends(keys))


def _settle_place(place: Place, banker: Setting, rules: ThirteenCardsRules) -> SettledPlace:
    """One place against the banker.

    Rule: 51/89/M art. 8 and 11; reading 15.
    """
    setting = examine(place.rows) if place.rows is not None else None
    points = score(setting, banker, rules) if setting is not None else None
    outcome = place_outcome(setting, banker, points)
    bets = tuple([settle_bet(bet, outcome, rules) for bet in place.bets])
    return SettledPlace(place.place, setting, points, bets)


def score(player: Setting, banker: Setting, rules: ThirteenCardsRules) -> Points | None:
    """Return the points of a place and the banker.

    They are None where either side is foul, as there is nothing to compare.

    Rule: 51/89/M art. 8 and 9.
    """
    if player.foul or banker.foul:
        return None
    if player.natural or banker.natural:
        worth = rules.natural_points
        return Points(worth if player.natural else 0, worth if banker.natural else 0)
    tiers = list(starmap(score_tier, zip(player.keys, banker.keys, rules.tier_points, strict=True)))
    return Points(sum(tier.player for tier in tiers), sum(tier.banker for tier in tiers))


def score_tier(player: int, banker: int, worth: TierPoints) -> Points:
    """Return the points of one tier.

    The holder of the higher combination scores its worth; equal ranks are the banker's.

    Rule: 51/89/M art. 8, 9(1) to 9(10), and 10; reading 2.

    Args:
        player: key of the place's cards.
        banker: key of the banker's.
        worth: of each combination in this tier.
    """
    if player > banker:
        return Points(worth[combination_of(player)], 0)
    return Points(0, worth[combination_of(banker)])


def place_outcome(player: Setting | None, banker: Setting, points: Points | None) -> Outcome:
    """Return the outcome of a place's bets.

    Rule: 51/89/M art. 2(d), 7 and 8; readings 10 and 11. Where both sides are foul the place loses, as with
    equal cards (art. 10).

    Args:
        player: the place's setting; None when late.
        banker: the banker's.
        points: of both, if there is something to compare.
    """
    if player is None or player.foul:
        return Outcome.LOSE
    if banker.foul or points is None:
        return Outcome.WIN
    if points.player == points.banker:
        return Outcome.PUSH
    return Outcome.WIN if points.player > points.banker else Outcome.LOSE


def settle_bet(bet: Bet, outcome: Outcome, rules: ThirteenCardsRules) -> SettledBet:
    """Settle a bet: the prize less its commission, nothing, or the loss of the stake.

    The house pays prize and keeps commission, so whatever the rounding, its two purses sum to the bettor's net.

    Rule: 51/89/M art. 11; reading 1.
    """
    if outcome is Outcome.PUSH:
        return SettledBet(bet, outcome, 0, 0)
    if outcome is not Outcome.WIN:
        return SettledBet(bet, outcome, -bet.stake, 0)
    prize, part = rules.prize, rules.commission
    per = prize.denominator * part.denominator
    net = floor_share(bet.stake, prize.numerator * (part.denominator - part.numerator), per)
    return SettledBet(bet, outcome, net, ceil_share(bet.stake, prize.numerator * part.numerator, per))
