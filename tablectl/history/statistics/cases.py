"""Evidence from outcomes each of which has chances of its own.

They are a dealer's rounds among those of others, and the order of a pack.

An alternative multiplies the evidence by its chance of an outcome / the chance by the null hypothesis, given all that
came before; the evidence is the average of these products by fixed weights, as in `evidence`.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import pairwise
from math import comb, exp, factorial, fsum, log, prod
from operator import gt, lt
from typing import Any, Final

from tablectl.history.statistics.evidence import COVERAGE, LN10, UNIT
from tablectl.lazy_dataclass import dataclass

FACTORS: Final = tuple(2 ** (nth / 4) for nth in range(-12, 13) if nth)
"""By how much a dealer's odds of such a round may differ from the others': an eighth to eight times."""

SHELVES: Final = (5, 10)
RIFFLES: Final = (1, 3, 5)
CLINGING: Final = (2, 8)
"""How much likelier than any other card the next one is a neighbour of the pack before."""

_NONE: Final = Fraction(0)

STRAYING: Final = 0.1
"""The share of packs that an alternative to a good shuffle leaves to a good one; so none is ever ruled out."""


@dataclass(frozen=True, slots=True)
class Case:
    """Figures that an outcome adds.

    Args:
        observed: of how many rounds or packs it tells.
        seen: how many of them were such.
        expected: how many by the null hypothesis.
        ratios: of each alternative, its chance by the null hypothesis' own.
    """

    observed: int
    seen: int
    expected: Fraction
    ratios: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Cases:
    """A null hypothesis, and the mixture of alternatives that stands against it.

    Args:
        name: of the alternatives' family where they are factors of one share, else empty.
        weights: of the alternatives; they sum to 1.
        read: reads an outcome. Raises ValueError where it is none.
    """

    name: str
    weights: tuple[float, ...]
    read: Callable[[str], Case]


class CaseEvidence:
    """Evidence of one stream of such outcomes."""

    __slots__ = ("_sums", "cases", "expected", "seen", "total")

    def __init__(self, cases: Cases) -> None:
        self.cases = cases
        self.total = self.seen = 0
        self.expected = Fraction(0)
        self._sums = [0] * len(cases.weights)

    def weigh(self, outcome: str, times: int = 1) -> bool:
        """Count an outcome, or strike it where `times` is negative.

        Returns:
            False where it is none.
        """
        try:
            case = self.cases.read(outcome)
        except (ValueError, ArithmeticError):
            return False
        self.total += times * case.observed
        self.seen += times * case.seen
        if case.expected:
            self.expected += times * case.expected
        self._sums = [
            each + times * round(log(ratio) * UNIT) for each, ratio in zip(self._sums, case.ratios, strict=True)
        ]
        return True

    def at_most(self) -> float:
        """Return an upper bound of `log10`, the greatest of the averaged terms."""
        return max(self._sums) / UNIT / LN10

    def may_reach(self, due: float) -> bool:
        """Return False where `log10` is surely less than `due`."""
        return self.at_most() >= due

    def log10(self) -> float:
        """The logarithm of the evidence to base 10."""
        terms = [log(weight) + step / UNIT for weight, step in zip(self.cases.weights, self._sums, strict=True)]
        greatest = max(terms)
        return (greatest + log(fsum(exp(term - greatest) for term in terms))) / LN10

    def judged(self) -> tuple[float, dict[str, Any] | None]:
        """`log10`, and the most unusual share, as JSON with floating-point numbers.

        It is None where no share is in question.
        """
        evidence, low, high = self.drawn()
        if not self.cases.name or not self.total or not self.expected:
            return evidence, None
        chance = float(self.expected / self.total)
        return evidence, {
            "alternative": self.cases.name,
            "at": "more" if self.seen > self.expected else "fewer",
            "outcomes": [self.cases.name],
            "seen": self.seen,
            "chance": chance,
            "low": low * chance,
            "high": high * chance,
        }

    def drawn(self) -> tuple[float, float, float]:
        """`log10`, and the least and the greatest factor that the evidence doesn't reject.

        The latter are 1 where no share is in question.
        """
        evidence = self.log10()
        if not self.cases.name:
            return evidence, 1.0, 1.0
        bound = evidence * LN10 + log(1 - COVERAGE)
        kept = [factor for factor, step in zip(FACTORS, self._sums, strict=True) if step / UNIT > bound]
        if bound < 0:
            kept.append(1.0)
        return evidence, min(kept, default=1.0), max(kept, default=1.0)

    def noted(self) -> list[float]:
        """The number of outcomes, and all that `drawn` needs."""
        return [self.total, *self._sums]

    def drawn_then(self, noted: Sequence[float]) -> tuple[float, float, float]:
        """`drawn`, as it was when this was noted."""
        evidence = CaseEvidence(self.cases)
        evidence._sums = [*map(int, noted[1:])]
        return evidence.drawn()

    def kept(self) -> dict[str, Any]:
        """The part that outlives a restart."""
        expected = [self.expected.numerator, self.expected.denominator]
        return {"sums": self._sums, "total": self.total, "seen": self.seen, "expected": expected}

    @classmethod
    def resumed(cls, cases: Cases, kept: Mapping[str, Any]) -> "CaseEvidence":
        """Return the evidence that was kept.

        Raises:
            ValueError: it is of other alternatives.
        """
        evidence = cls(cases)
        if len(kept["sums"]) != len(evidence._sums):
            raise ValueError("sums of other alternatives")
        evidence._sums, evidence.total, evidence.seen = [*kept["sums"]], kept["total"], kept["seen"]
        evidence.expected = Fraction(*kept["expected"])
        return evidence


@cache
def shares(name: str) -> Cases:
    """The null hypothesis that rounds of a kind come to all dealers alike.

    An outcome is a block of rounds: how many there are, how many of them are of the kind, how many the dealer dealt,
    and how many of these are of the kind. If it doesn't matter who deals, every choice of the kind's rounds in the
    block is as likely: the last number is hypergeometric. A factor of the odds makes it Fisher's noncentral one.
    """
    count = len(FACTORS)
    return Cases(name, (1 / count,) * count, _block)


def _block(outcome: str) -> Case:
    rounds, of_kind, dealt, seen = map(int, outcome.split())
    ways = {n: comb(dealt, n) * comb(rounds - dealt, of_kind - n) for n in range(min(dealt, of_kind) + 1)}
    every = comb(rounds, of_kind)
    if not ways.get(seen):
        raise ValueError(outcome)
    ratios = tuple(factor**seen * every / fsum(n * factor**came for came, n in ways.items()) for factor in FACTORS)
    return Case(dealt, seen, Fraction(of_kind * dealt, rounds), ratios)


@cache
def shuffles() -> Cases:
    """The null hypothesis that a pack's order doesn't depend on the one before.

    An outcome has the known cards in the order of the pack, each by where it was among them before the shuffle, from 0.
    After a good shuffle each order is as likely.
    """
    families = ((0.5, 2 * len(SHELVES)), (0.25, len(RIFFLES)), (0.25, len(CLINGING)))
    return Cases("", tuple(share / count for share, count in families for _ in range(count)), _pack)


def _pack(outcome: str) -> Case:
    order = [*map(int, outcome.split())]
    if sorted(order) != [*range(len(order))]:
        raise ValueError(outcome)
    return Case(1, 0, _NONE, tuple([STRAYING + (1 - STRAYING) * ratio for ratio in _orders(order)]))


def _orders(order: Sequence[int]) -> tuple[float, ...]:
    cards = len(order)
    shelved = _shelf_ratios(cards, peaks(order), peaks([cards - 1 - place for place in order]))
    return *shelved, *_riffle_ratios(cards, rising_sequences(order)), *_clinging_ratios(order)


@lru_cache(maxsize=1024)
def _shelf_ratios(cards: int, *of_both: int) -> tuple[float, ...]:
    every = factorial(cards)
    return tuple(shelf_ways(cards, each, most) * every / (2 * most) ** cards for most in SHELVES for each in of_both)


@lru_cache(maxsize=512)
def _riffle_ratios(cards: int, sequences: int) -> tuple[float, ...]:
    every = factorial(cards)
    return tuple(comb(2**times + cards - sequences, cards) * every / 2 ** (times * cards) for times in RIFFLES)


def shelf_ways(cards: int, peaks: int, shelves: int) -> int:
    """The number of ways in which cards on shelves come to lie with so many peaks.

    Each goes on top of or below one of the shelves. The pack is then cut into 2 x shelves parts, some of them empty,
    that fall and rise in turn (Diaconis, Fulman and Holmes, "Analysis of casino shelf shuffling machines", 2013).
    """
    rest = cards - 1 - 2 * peaks
    ways = (comb(cards + shelves - nth - 1, cards) * comb(rest, nth - peaks) for nth in range(peaks, shelves))
    return sum(ways) << 2 * peaks + 1


def peaks(order: Sequence[int]) -> int:
    """The number of places, all different, that lie between two lesser ones."""
    rises = [*map(lt, order, order[1:])]
    return sum(map(gt, rises, rises[1:]))


def rising_sequences(order: Sequence[int]) -> int:
    """The number of rising sequences.

    A card begins another one where its predecessor lies further down.
    """
    at = sorted(range(len(order)), key=order.__getitem__)
    return 1 + int(sum(map(gt, at, at[1:])))


def _clinging_ratios(order: Sequence[int]) -> tuple[float, ...]:
    """Return the ratios of the alternatives by which neighbours stay together.

    A card is followed by those next to it before more often by a factor.
    """
    is_left = [0, *[1] * len(order), 0]  # one place on, so that the first and last have two neighbours
    steps: list[tuple[int, int, bool]] = []
    for left, (before, now) in zip(range(len(order) - 1, 0, -1), pairwise(order), strict=True):
        is_left[before + 1] = 0
        if near := is_left[before] + is_left[before + 2]:
            steps.append((left, near, -1 <= now - before <= 1))
    return tuple(
        [
            prod([left * (factor if is_next else 1) / (left + (factor - 1) * near) for left, near, is_next in steps])
            for factor in CLINGING
        ]
    )
