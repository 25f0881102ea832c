"""Pay ratios, and the exact odds of a bet."""

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import sqrt
from typing import Final

from tablectl.core.json_form import FormError, Json, text_in
from tablectl.lazy_dataclass import dataclass

_FORM: Final = re.compile(r"([1-9][0-9]{0,5}):([1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True)
class Ratio:
    """So much for so much staked; the stake itself comes back beside it."""

    numerator: int
    denominator: int


def highest(ratios: Iterable[Ratio]) -> Ratio:
    """The ratio that pays most."""
    return max(ratios, key=lambda ratio: Fraction(ratio.numerator, ratio.denominator))


def ratio_in(form: Mapping[str, Json], name: str) -> Ratio:
    """The field as a ratio such as `"3:2"`.

    Raises:
        FormError: not two whole numbers from 1 to 999999 around a colon.
    """
    text = text_in(form, name)
    parts = _FORM.fullmatch(text)
    if parts is None:
        raise FormError(name, f'{text!r:.40} isn\'t a ratio such as "3:2"')
    numerator, denominator = map(int, parts.groups())
    return Ratio(numerator, denominator)


def share_in(form: Mapping[str, Json], name: str) -> Ratio:
    """The field as a share of a sum such as `"4:100"`; `"0:1"` is none of it.

    Raises:
        FormError: no ratio, or more than the whole sum.
    """
    if text_in(form, name) == "0:1":
        return Ratio(0, 1)
    share = ratio_in(form, name)
    if share.numerator > share.denominator:
        raise FormError(name, f"{text_in(form, name)} is more than the whole")
    return share


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
