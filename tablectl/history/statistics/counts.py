"""Counts beside expectation, judged so that a fair table is rarely suspected.

Somebody who looks at sixty counts finds some that are odd. So the counts of one board share one chance of a false
alarm, and a count of which too few are expected isn't judged.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import erfc, exp, lgamma, log, sqrt
from typing import Any, Final

from tablectl.history.statistics.binomial import usual_range
from tablectl.history.statistics.expected import Chances, Kind


def chance_of_more(squared: float, degrees: int) -> float:
    """The upper tail of the chi-squared distribution.

    It is the chance of at least this much with so many degrees of freedom. For whole degrees it is a finite sum
    (Abramowitz and Stegun, 26.4.4 and 26.4.5). Its terms are taken as logarithms: their factors may be too large and
    too small for a floating-point number.

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


LEAST_EXPECTED: Final = 5
"""Below it neither a range nor chi-squared means much (Cochran, 1954)."""


def counts_form(kinds: Sequence[Kind], counts: Mapping[str, Counter[str]]) -> list[dict[str, Any]]:
    """The counts, a form for each kind, with a range wherever enough are expected."""
    judged = sum(len(_judged(kind.chances, counts[kind.name].total())) for kind in kinds)
    return [_count(kind, counts[kind.name], judged) for kind in kinds]


def _judged(chances: Chances, trials: int) -> Chances:
    """Those of which enough are expected."""
    return {name: chance for name, chance in chances.items() if chance * trials >= LEAST_EXPECTED}


def _count(kind: Kind, counts: Counter[str], judged: int) -> dict[str, Any]:
    trials = counts.total()
    return {
        "kind": kind.name,
        "family": kind.family,
        "rounds": trials,
        "judged": judged,
        "fit": _fit(kind.chances, counts),
        "rows": list(_rows(kind.chances, counts, judged)),
    }


def _rows(chances: Chances, counts: Counter[str], judged: int) -> Iterator[dict[str, Any]]:
    trials = counts.total()
    ranged = _judged(chances, trials)
    for name in _in_order([*chances, *counts]):
        row: dict[str, Any] = {"name": name, "observed": counts[name]}
        if (chance := chances.get(name)) is not None:
            row |= {"chance": str(chance), "expected": round(float(chance * trials), 3)}
        if name in ranged:
            row["low"], row["high"] = usual_range(trials, chances[name], judged)
        yield row


def _fit(chances: Chances, counts: Counter[str]) -> dict[str, Any] | None:
    """Goodness of fit of all counts together, by chi-squared.

    None where too few are expected of all but one. Results of which too few are expected are taken together, as one,
    where that is enough, else with the rarest other.
    """
    trials = counts.total()
    cells = sorted((chance, counts[name]) for name, chance in _judged(chances, trials).items())
    rest = 1 - sum((chance for chance, _ in cells), Fraction(0))
    left = rest, trials - sum(seen for _, seen in cells)
    if rest * trials >= LEAST_EXPECTED or not cells:
        cells.append(left)
    elif rest:
        cells[0] = cells[0][0] + left[0], cells[0][1] + left[1]
    degrees = len(cells) - 1
    if degrees < 1:
        return None
    squared = float(sum((seen - chance * trials) ** 2 / (chance * trials) for chance, seen in cells))
    return {"chi_squared": round(squared, 2), "degrees": degrees, "p": round(chance_of_more(squared, degrees), 5)}


def _in_order(names: Iterable[str]) -> list[str]:
    """Each name once; numbers by their size, others as they come."""
    once = list(dict.fromkeys(names))
    return sorted(once, key=int) if all(name.isdecimal() for name in once) else once
