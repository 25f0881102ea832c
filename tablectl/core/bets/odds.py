"""Exact odds of a bet: what it returns and how often, as fractions."""

from collections.abc import Mapping
from fractions import Fraction
from math import sqrt

from tablectl.lazy_dataclass import dataclass

Decks = int | None
"""Packs in play; None for so many that a dealt card changes nothing."""


@dataclass(frozen=True, slots=True)
class BetOdds:
    """Every return of a bet with its probability.

    Args:
        returns: net per unit staked, after commission, to its probability; the probabilities sum to 1.
    """

    returns: Mapping[Fraction, Fraction]

    def expectation(self) -> Fraction:
        """The mean return per unit staked."""
        return sum((net * chance for net, chance in self.returns.items()), Fraction())

    def deviation(self) -> float:
        """The standard deviation of the return per unit staked."""
        mean = self.expectation()
        return sqrt(sum((net - mean) ** 2 * chance for net, chance in self.returns.items()))

    def chances(self) -> tuple[Fraction, Fraction, Fraction]:
        """The probabilities to win, to push and to lose."""
        signs = ((net > 0) - (net < 0) for net in self.returns)
        by_sign = {1: Fraction(), 0: Fraction(), -1: Fraction()}
        for sign, chance in zip(signs, self.returns.values(), strict=True):
            by_sign[sign] += chance
        return by_sign[1], by_sign[0], by_sign[-1]


@dataclass(frozen=True, slots=True)
class Odds:
    """Odds of a game, of each bet by name, and further probabilities of this game."""

    game: str
    decks: Decks
    bets: Mapping[str, BetOdds]
    extra: Mapping[str, Mapping[str, Fraction]]


def from_weights(weights: Mapping[Fraction, int]) -> BetOdds:
    """The odds from how often each return comes, counted over equally likely deals."""
    total = sum(weights.values())
    return BetOdds({net: Fraction(weight, total) for net, weight in weights.items() if weight})


def write_odds(odds: Odds) -> dict[str, object]:
    """The odds as a form."""
    return {
        "game": odds.game,
        "decks": "inf" if odds.decks is None else odds.decks,
        "bets": {name: _write_bet(bet) for name, bet in odds.bets.items()},
        "extra": {name: {key: str(value) for key, value in values.items()} for name, values in odds.extra.items()},
    }


def _write_bet(bet: BetOdds) -> dict[str, object]:
    mean = bet.expectation()
    return {"ev": str(mean), "ev_percent": round(float(100 * mean), 5), "sd": round(bet.deviation(), 3)}
