"""How often something happens by chance alone: the range that it keeps to."""

from fractions import Fraction
from math import floor
from typing import Final

OUTSIDE: Final = 0.05
"""The chance outside of the range at most, half of it below and half above."""

NEGLIGIBLE: Final = 1e-18


def usual_range(trials: int, chance: Fraction, looked_at: int = 1) -> tuple[int, int]:
    """The bounds of a central interval of the binomial distribution.

    It has 95 % of the probability, where one count is looked at. Of several counts all keep to their intervals together
    in at least 95 of 100 cases, however they depend on each other (Bonferroni): each has its share of the chance
    outside.

    The distribution itself, no approximation by another one; its terms are floating-point numbers.

    Args:
        trials: from 0.
        chance: of one trial, 0 to 1.
        looked_at: counts that are judged together, from 1.

    Returns:
        The least and the greatest count of the interval.
    """
    if trials == 0 or chance <= 0:
        return 0, 0
    if chance >= 1:
        return trials, trials
    terms, least = _terms(trials, float(chance), floor((trials + 1) * chance))
    total = sum(terms)
    share = OUTSIDE / 2 / looked_at * total
    low = _until(terms, share)
    high = _until(terms[::-1], share)
    return least + low, least + len(terms) - 1 - high


def _terms(trials: int, chance: float, mode: int) -> tuple[list[float], int]:
    """The terms around the mode, as multiples of its own, and the count of the first."""
    mode = min(mode, trials)
    odds = chance / (1 - chance)
    up = [1.0]
    for count in range(mode, trials):
        up.append(up[-1] * (trials - count) / (count + 1) * odds)
        if up[-1] < NEGLIGIBLE:
            break
    down: list[float] = []
    term = 1.0
    for count in range(mode, 0, -1):
        term *= count / (trials - count + 1) / odds
        down.append(term)
        if term < NEGLIGIBLE:
            break
    return [*down[::-1], *up], mode - len(down)


def _until(terms: list[float], outside: float) -> int:
    """How many terms from the beginning have together no more than this."""
    passed = 0.0
    for nth, term in enumerate(terms):
        passed += term
        if passed > outside:
            return nth
    return len(terms) - 1
