"""E-processes and confidence sequences: evidence against exact chances.

The evidence may be looked at after every round. Each alternative multiplies its chance of an outcome by 1 / the chance
by the null hypothesis. The evidence is the average of these products by fixed weights. It exceeds 1 / alpha at any time
with a chance of alpha at most (Ville). Logarithms are added as integers: the sums depend neither on the order of
outcomes nor on those struck again. Those of all alternatives lie side by side in one large integer, in lanes of
`_LANE` bits: a single addition takes an outcome into all of them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from math import cos, exp, fsum, inf, lgamma, log, log1p, pi, sqrt
from operator import mul
from struct import unpack
from typing import Any, Final

from tablectl.lazy_dataclass import dataclass

UNIT: Final = 1 << 60
"""The integer that stands for a natural logarithm of 1."""

_UNIT: Final = float(UNIT)

COVERAGE: Final = 0.95
"""The chance with which all confidence sequences of a stream hold their probabilities, for ever."""

LN10: Final = log(10)

_LANE: Final = 88
_TOP: Final = 1 << (_LANE - 1)
"""The highest bit of a lane: added to each, it keeps all of them above 0."""

_DROPPED: Final = 20
"""The lowest bits of a lane, which say nothing at nine decimal places; the next 64 are its number."""

_STEP: Final = (1 << _DROPPED) / UNIT
"""The natural logarithm that these count in."""

_MOST_KNOWN: Final = 1024
"""Outcomes of a null hypothesis that are read once; four dice fall in 126 ways."""

_CLOSE: Final = 1e-9
"""A natural logarithm by which a ceiling is too low, whatever floating-point numbers lost in it."""

_LAST: Final = 1e-7
"""A step of Newton's method, as a share, after which floating-point numbers hold nothing more."""

_NOTHING: Final = 50.0
"""A term by so much below the greatest, as natural logarithm, adds nothing that a float could hold."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """Other chances of the same outcomes.

    Args:
        name: its family, as `tilt`.
        at: where it stands in its family, as a section or a face.
        weight: its share of the mixture.
        favoured: the positions of the outcomes that it makes more frequent.
        ratios: its chance of each outcome, divided by that of the null hypothesis.
    """

    name: str
    at: str
    weight: float
    favoured: tuple[int, ...]
    ratios: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Null:
    """Exact chances, and the mixture of alternatives that stands against them.

    Args:
        chances: of each outcome by name; they sum to 1.
        alternatives: with fixed weights.
        spread: the weight of the Dirichlet mixture around the chances; all weights sum to 1.
        firmness: how many outcomes the Dirichlet mixture's belief in the chances is worth.
    """

    chances: Mapping[str, Fraction]
    alternatives: tuple[Alternative, ...]
    spread: float
    firmness: int
    names: tuple[str, ...] = field(init=False)
    positions: Mapping[str, int] = field(init=False)
    lanes: tuple[int, ...] = field(init=False)
    known: dict[str, tuple[tuple[int, ...], int]] = field(init=False)
    tops: int = field(init=False)
    weights: tuple[float, ...] = field(init=False)
    shares: tuple[float, ...] = field(init=False)
    priors: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        each = self.alternatives
        steps = ([round(log(one.ratios[nth]) * UNIT) for one in each] for nth in range(len(self.chances)))
        object.__setattr__(self, "names", tuple(self.chances))
        object.__setattr__(self, "positions", {name: nth for nth, name in enumerate(self.chances)})
        object.__setattr__(self, "shares", tuple(map(float, self.chances.values())))
        object.__setattr__(self, "priors", tuple(self.firmness * share for share in self.shares))
        object.__setattr__(self, "tops", _side_by_side(_TOP for _ in each))
        object.__setattr__(
            self, "lanes", tuple(_side_by_side(_TOP + step for step in one) - self.tops for one in steps)
        )
        object.__setattr__(self, "weights", tuple(log(one.weight) for one in each))
        object.__setattr__(self, "known", {name: ((nth,), self.lanes[nth]) for name, nth in self.positions.items()})

    def read(self, outcome: str) -> tuple[tuple[int, ...], int]:
        """Return an outcome's positions and the sum of their lanes; none if unknown.

        The names of several that came at once stand with blanks between them.
        """
        several = tuple(self.positions.get(each, -1) for each in outcome.split())
        if min(several, default=-1) < 0:
            return (), 0
        read = several, sum(self.lanes[nth] for nth in several)
        if len(self.known) < _MOST_KNOWN:
            self.known[outcome] = read
        return read


class Evidence:
    """Evidence of one stream of outcomes against its null hypothesis.

    Each alternative's logarithm and the Dirichlet mixture's have a ceiling. Below all of them the evidence is below the
    level for which they were worked out; so few outcomes need more than a comparison.
    """

    __slots__ = ("_ceilings", "_due", "_raised", "_spread", "_spread_ceiling", "counts", "null", "total")

    def __init__(self, null: Null) -> None:
        self.null = null
        self.counts = [0] * len(null.names)
        self.total = self._raised = self._spread = 0  # The alternatives' logarithms lie raised by their ceilings.
        self._due, self._ceilings, self._spread_ceiling = inf, 0, 0

    def count(self, outcome: int) -> None:
        """Count one outcome more, by its position."""
        self._move((outcome,), self.null.lanes[outcome], 1)

    def strike(self, outcome: int) -> None:
        """Count one outcome less: it wasn't so."""
        self._move((outcome,), self.null.lanes[outcome], -1)

    def _move(self, outcomes: Sequence[int], lanes: int, times: int) -> None:
        """Count outcomes by their positions; strike them where `times` is -1.

        Each adds two integers to the Dirichlet mixture, one of how many of it came before and one of how many of all:
        their sums don't depend on the order either.
        """
        null, counts, is_new = self.null, self.counts, times > 0
        before = null.firmness + self.total
        self.total += times * len(outcomes)
        self._raised += lanes if is_new else -lanes
        if not null.spread:
            for nth in outcomes:
                counts[nth] += times
            return
        spread, priors, shares = 0, null.priors, null.shares
        for of_all, nth in enumerate(outcomes, min(before, null.firmness + self.total)):
            seen = counts[nth] if is_new else counts[nth] - 1
            counts[nth] = seen + 1 if is_new else seen  # Floats as large as these logarithms are whole numbers.
            spread += int(log((priors[nth] + seen) / shares[nth]) * _UNIT) - int(log(of_all) * _UNIT)
        self._spread += times * spread

    def kept(self) -> dict[str, Any]:
        """The part that outlives a restart.

        Without `spread` it would take as long as counting all again.
        """
        return {"counts": self.counts, "spread": self._spread}

    @classmethod
    def resumed(cls, null: Null, kept: Mapping[str, Any]) -> "Evidence":
        """Return the evidence that was kept.

        Raises:
            ValueError: there aren't as many counts as outcomes.
        """
        evidence = cls(null)
        counts: list[int] = kept["counts"]
        if len(counts) != len(null.names):
            raise ValueError(f"{len(counts)} counts of {len(null.names)} outcomes")
        evidence.counts, evidence.total, evidence._spread = [*counts], sum(counts), kept["spread"]
        evidence._raised = sum(map(mul, counts, null.lanes))
        return evidence

    def weigh(self, outcome: str, times: int = 1) -> bool:
        """Count an outcome by its name, or strike it where `times` is -1.

        Returns:
            False where it is none.
        """
        outcomes, lanes = self.null.known.get(outcome) or self.null.read(outcome)
        self._move(outcomes, lanes, times)
        return bool(outcomes)

    def may_reach(self, due: float) -> bool:
        """Return False where `log10` is surely less than `due`: this takes less work."""
        if due >= self._due and self._spread < self._spread_ceiling and not self._raised & self.null.tops:
            return False
        terms = self._terms()
        if _log10(terms) >= due:
            return True
        self._put_ceilings(due, terms)
        return False

    def _put_ceilings(self, due: float, terms: Sequence[float]) -> None:
        """Share what is left up to a level among the terms.

        Half of it goes evenly, half by what each of them has.
        """
        level = due * LN10
        parts = [exp(term - level) for term in terms]
        whole = fsum(parts)
        half = max(1 - whole, 1e-12) / 2
        even, more = half / len(parts), 1 + half / (whole or 1)
        most = [log(part * more + even) + level - _CLOSE for part in parts]
        self._due, self._spread_ceiling = due, 1
        if self.null.spread:
            self._spread_ceiling = int((most.pop() - log(self.null.spread)) * UNIT)
        steps = (int((each - weight) * UNIT) for each, weight in zip(most, self.null.weights, strict=True))
        before, self._ceilings = self._ceilings, _side_by_side(_TOP - step for step in steps)
        self._raised += self._ceilings - before

    def noted(self) -> list[float]:
        """The number of outcomes, and all that `drawn` needs.

        It takes less work, which can wait until somebody looks.
        """
        return [self.total, self._spread, *self.counts]

    def drawn_then(self, noted: Sequence[float]) -> tuple[float, float, float]:
        """`drawn`, as it was when this was noted."""
        _, spread, *counts = map(int, noted)
        return Evidence.resumed(self.null, {"counts": counts, "spread": spread}).drawn()

    def drawn(self) -> tuple[float, float, float]:
        """`log10` and the confidence sequence, in multiples of the fair chance.

        The latter are 1 where the Dirichlet mixture leads.
        """
        terms = self._terms()
        evidence, low, high = (round(each, 6) for each in (_log10(terms), *self._band(terms.index(max(terms)))))
        return evidence, low, high

    def log10(self) -> float:
        """The logarithm of the evidence to base 10."""
        return _log10(self._terms())

    def judged(self) -> tuple[float, dict[str, Any] | None]:
        """`log10`, and the alternative that contributes most, as JSON.

        It is None for the Dirichlet mixture, which names no outcome.
        """
        terms = self._terms()
        leads = terms.index(max(terms))
        return _log10(terms), self._leading(leads) if self.total else None

    def _leading(self, leads: int) -> dict[str, Any] | None:
        if leads == len(self.null.alternatives):
            return None
        leading = self.null.alternatives[leads]
        low, high = self.interval(leading.favoured)
        return {
            "alternative": leading.name,
            "at": leading.at,
            "outcomes": [self.null.names[nth] for nth in leading.favoured],
            "seen": sum(self.counts[nth] for nth in leading.favoured),
            "chance": float(sum(self.null.chances[self.null.names[nth]] for nth in leading.favoured)),
            "low": low,
            "high": high,
        }

    def _band(self, leads: int) -> tuple[float, float]:
        if leads == len(self.null.alternatives):
            return 1.0, 1.0
        leading = self.null.alternatives[leads]
        chance = sum(self.null.shares[nth] for nth in leading.favoured)
        low, high = self.interval(leading.favoured)
        return low / chance, high / chance

    def interval(self, favoured: Sequence[int]) -> tuple[float, float]:
        """The confidence sequence of the chance of these outcomes together, as it is now.

        The set of chances that a Beta(1/2, 1/2) mixture doesn't reject. The level is shared by all alternatives, so
        that the one to be looked at may be chosen by what was seen.
        """
        bound = log(max(1, len(self.null.alternatives)) / (1 - COVERAGE))
        return confidence(sum(self.counts[nth] for nth in favoured), self.total, bound)

    def _terms(self) -> list[float]:
        """Each alternative's weighted logarithm, then the Dirichlet mixture's, if any."""
        null, count = self.null, len(self.null.alternatives)
        lanes = ((self._raised - self._ceilings + null.tops) >> _DROPPED).to_bytes(count * _LANE // 8, "little")
        logs = unpack("<" + "q3x" * count, lanes)
        terms = [weight + each * _STEP for weight, each in zip(null.weights, logs, strict=True)]
        if null.spread:
            terms.append(log(null.spread) + self._spread / UNIT)
        return terms


def _log10(terms: Sequence[float]) -> float:
    greatest = max(terms)
    least = greatest - _NOTHING
    return (greatest + log(fsum([exp(term - greatest) for term in terms if term > least]))) / LN10


def _side_by_side(lanes: Iterable[int]) -> int:
    """Put non-negative integers into the lanes of one."""
    return int.from_bytes(b"".join(lane.to_bytes(_LANE // 8, "little") for lane in lanes), "little")


def confidence(seen: int, total: int, bound: float) -> tuple[float, float]:
    """The chances that a Beta(1/2, 1/2) mixture doesn't reject after so many of all.

    Args:
        bound: the natural logarithm of 1 / the chance that the true one is ever missed.
    """
    rest = total - seen
    most = bound + log(pi) + lgamma(total + 1) - lgamma(seen + 0.5) - lgamma(rest + 0.5)
    return _edge(seen, rest, most), 1 - _edge(rest, seen, most)


def _edge(seen: int, rest: int, most: float) -> float:
    """The least chance c that the counts leave possible.

    For it -seen x log(c) - rest x log(1 - c) isn't more than `most`. By Newton's method: from a chance that is too
    small, each step along a convex curve is too short. Such chances are what `seen` alone says, and that of a parabola
    with the greatest variance up to the share that was seen.
    """
    if not seen:
        return 0.0
    share, least = seen / (seen + rest), exp(-most / seen)
    if not rest:
        return least
    above, widest = most + seen * log(share) + rest * log1p(-share), min(share, 0.5)
    chance = max(least, share - sqrt(2 * above * widest * (1 - widest) / (seen + rest)))
    step = 1.0
    while step > _LAST * chance * (1 - chance):
        step = (-seen * log(chance) - rest * log1p(-chance) - most) / (seen / chance - rest / (1 - chance))
        chance += step
    return chance


# --- alternatives


def raised(
    name: str, chances: Sequence[Fraction], groups: Mapping[str, Sequence[int]], factors: Sequence[str], weight: float
) -> Iterator[Alternative]:
    """Return alternatives in which a group of outcomes is more frequent by a factor.

    The others are evenly less frequent; each group and factor weighs the same.
    """
    for at, group in groups.items():
        share = sum((chances[nth] for nth in group), Fraction(0))
        for factor in map(Fraction, factors):
            more, fewer = float(factor), float((1 - factor * share) / (1 - share))
            ratios = tuple(more if nth in group else fewer for nth in range(len(chances)))
            favoured = tuple(nth for nth, ratio in enumerate(ratios) if ratio > 1)
            yield Alternative(name, at, weight / len(groups) / len(factors), favoured, ratios)


def tilted(count: int, phases: int, strengths: Sequence[float], weight: float) -> Iterator[Alternative]:
    """Return alternatives to equal chances around a circle, with a first harmonic.

    It is 1 + strength x cos(angle - phase).
    """
    for phase in range(phases):
        for strength in strengths:
            angles = (2 * pi * (nth / count - phase / phases) for nth in range(count))
            ratios = tuple(1 + strength * cos(angle) for angle in angles)
            at = str(round(phase * count / phases) % count + 1)
            favoured = tuple(nth for nth, ratio in enumerate(ratios) if ratio > 1)
            yield Alternative("tilt", at, weight / phases / len(strengths), favoured, ratios)


def shifted(
    chances: Sequence[Fraction], values: Sequence[Fraction], strengths: Sequence[str], weight: float
) -> Iterator[Alternative]:
    """Return alternatives in which greater or lesser values are more frequent.

    The ratio is 1 + strength x (value - mean) / the greatest such difference. It is a bet on the mean alone, so that it
    stays one whatever the distribution of the values.
    """
    mean = sum((chance * value for chance, value in zip(chances, values, strict=True)), Fraction(0))
    greatest = max(abs(value - mean) for value in values)
    for at, sign in (("greater", 1), ("lesser", -1)):
        for strength in map(Fraction, strengths):
            ratios = tuple(float(1 + sign * strength * (value - mean) / greatest) for value in values)
            favoured = tuple(nth for nth, ratio in enumerate(ratios) if ratio > 1)
            yield Alternative("mean", at, weight / 2 / len(strengths), favoured, ratios)
