"""How often something happens by chance alone: the range that 95 of 100 such counts keep to."""

from fractions import Fraction
from math import floor
from typing import Final

OUTSIDE: Final = 0.025
"""The chance below the range, and above it, at most."""

NEGLIGIBLE: Final = 1e-18


def usual_range(trials: int, chance: Fraction) -> tuple[int, int]:
    """The least and the greatest count of a central 95 % of the binomial distribution.

    The distribution itself, no approximation by another one; its terms are floating-point numbers.

    Args:
        trials: from 0.
        chance: of one trial, 0 to 1.
    """
    if trials == 0 or chance <= 0:
        return 0, 0
    if chance >= 1:
        return trials, trials
    terms, least = _terms(trials, float(chance), floor((trials + 1) * chance))
    total = sum(terms)
    low = _until(terms, OUTSIDE * total)
    high = _until(terms[::-1], OUTSIDE * total)
    return least + low, least + len(terms) - 1 - high


def _terms(trials: int, chance: float, mode: int) -> tuple[list[float], int]:
    """The terms around the likeliest count, as multiples of its own, and the count of the first of them."""
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
