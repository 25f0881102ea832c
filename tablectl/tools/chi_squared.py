"""The chi-squared distribution: how often chance alone departs as far from the expectation, or further."""

from math import erfc, exp, lgamma, log, sqrt


def chance_of_more(squared: float, degrees: int) -> float:
    """The upper tail: the chance of at least this much with so many degrees of freedom.

    For whole degrees it is a finite sum (Abramowitz and Stegun, 26.4.4 and 26.4.5). Its terms are taken as logarithms:
    their factors may be too large and too small for a floating-point number.

    Args:
        squared: from 0.
        degrees: from 1.
    """
    half = squared / 2
    if half <= 0:
        return 1.0
    odd = degrees % 2
    first = 0.5 if odd else 0.0
    powers = (first + nth for nth in range((degrees - odd) // 2))
    terms = sum(exp(power * log(half) - half - lgamma(power + 1)) for power in powers)
    return min(1.0, (erfc(sqrt(half)) if odd else 0.0) + terms)
