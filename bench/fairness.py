"""How soon unfair wheels and dice are found, and how seldom fair ones are suspected; by drawing outcomes.

`python -m bench.fairness [--runs N] [--tables N] [--rounds N] [--seed N]`. Each line says what was promised; the exit
code is 1 where a promise wasn't kept.

The best possible test of a loaded die: the readers don't tell three dice apart, and nobody knows which face is loaded.
Of a throw that shows the face c times the loaded die makes 0.96 + 0.08 x c of what fair dice make it (the mean over
which of the three it is). Wald and Wolfowitz: no test of a given face that errs as seldom is faster than the product
of these over all throws; over six faces, all alike, the mean of the six products.
"""

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median

from tablectl.history.statistics.evidence import Evidence
from tablectl.history.statistics.nulls import null_of

LEVEL = 3.0
"""log10 of 1 / the level of one stream: 1/1000."""

SECTIONS = 52


@dataclass(frozen=True, slots=True)
class Detected:
    """What runs of one unfair device came to.

    Args:
        median: outcomes until the level was reached.
        most: what is promised of it.
    """

    name: str
    median: float
    most: float
    runs: int

    def __str__(self) -> str:
        kept = "kept" if self.median <= self.most else "NOT KEPT"
        return f"{self.name}: a median of {self.median:,.0f} of {self.runs} runs, promised {self.most:,.0f}: {kept}"


def tilted(strength: float = 0.2) -> list[float]:
    """The chances of a wheel that leans towards section 10."""
    return [1 + strength * math.cos(2 * math.pi * (nth - 9) / SECTIONS) for nth in range(SECTIONS)]


def doubled() -> list[float]:
    """The chances of a wheel one section of which is twice as likely as fair."""
    return [2 if nth == 17 else (SECTIONS - 2) / (SECTIONS - 1) for nth in range(SECTIONS)]


def aimed() -> list[float]:
    """The chances of a dealer who hits 17 sections in 40 of 100 spins."""
    return [0.4 / 17 if 7 <= nth < 24 else 0.6 / 35 for nth in range(SECTIONS)]


def until(random: Random, chances: Sequence[float], most: int) -> int:
    """Spins until the evidence reaches the level."""
    evidence = Evidence(null_of("sections"))
    for nth, outcome in enumerate(random.choices(range(SECTIONS), chances, k=most), 1):
        evidence.count(outcome)
        if evidence.at_most() >= LEVEL and evidence.log10() >= LEVEL:
            return nth
    return most + 1


def wheel(name: str, chances: Sequence[float], most: int, runs: int, random: Random) -> Detected:
    """How soon a wheel is found."""
    return Detected(name, median(until(random, chances, 4 * most) for _ in range(runs)), most, runs)


def throws(random: Random) -> Iterator[tuple[int, int, int]]:
    """Three dice for ever, the first of which shows a six in a fifth of throws."""
    while True:
        first = 6 if random.random() < 1 / 5 else random.randrange(1, 6)
        yield first, random.randrange(1, 7), random.randrange(1, 7)


def die(runs: int, random: Random) -> Detected:
    """How soon a loaded die is found, beside the best possible test on the same throws."""
    found = [_die(random) for _ in range(runs)]
    best = median(best for best, _ in found)
    return Detected(
        f"a loaded die (best test: {best:,.0f} throws)", median(ours for _, ours in found), 1.1 * best, runs
    )


def _die(random: Random) -> tuple[int, int]:
    evidence, products = Evidence(null_of("faces")), [0.0] * 6
    steps = [math.log(0.96 + 0.08 * times) for times in range(4)]
    best = 0
    for nth, dice in enumerate(throws(random), 1):
        for face in dice:
            evidence.count(face - 1)
        products = [each + steps[dice.count(face)] for face, each in enumerate(products, 1)]
        top = max(products)
        if not best and top >= LEVEL * math.log(10):
            mean = top + math.log(sum(math.exp(each - top) for each in products) / 6)
            best = nth if mean >= LEVEL * math.log(10) else 0
        if evidence.at_most() >= LEVEL and evidence.log10() >= LEVEL and best:
            return best, nth
    raise AssertionError


def alarms(tables: int, rounds: int, alpha: float, random: Random) -> int:
    """At how many of so many fair wheels the evidence ever reaches 1 / alpha."""
    level, null = math.log10(1 / alpha), null_of("sections")
    return sum(_rises(Evidence(null), level, rounds, random) for _ in range(tables))


def _rises(evidence: Evidence, level: float, rounds: int, random: Random) -> bool:
    for outcome in random.choices(range(SECTIONS), k=rounds):
        evidence.count(outcome)
        if evidence.at_most() >= level and evidence.log10() >= level:
            return True
    return False


def main() -> int:
    """Print what each promise came to."""
    parser = argparse.ArgumentParser(prog="python -m bench.fairness", description=__doc__)
    parser.add_argument("--runs", type=int, default=400, help="of each unfair device")
    parser.add_argument("--tables", type=int, default=10_000, help="with fair wheels")
    parser.add_argument("--rounds", type=int, default=500, help="of each fair table")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    random = Random(asked.seed)
    print(f"seed {asked.seed}")
    found = []
    for name, chances, most in (
        ("a wheel tilted by 20 %", tilted(), 1000),
        ("a section twice as likely", doubled(), 1600),
        ("a dealer who hits a third in 40 of 100", aimed(), 1600),
    ):
        found.append(wheel(name, chances, most, asked.runs, random))
        print(found[-1], flush=True)
    found.append(die(asked.runs, random))
    print(found[-1], flush=True)
    seldom = [(alpha, alarms(asked.tables, asked.rounds, alpha, random)) for alpha in (1 / 20, 1 / (20 * 2000 * 4 * 2))]
    for alpha, times in seldom:
        print(
            f"{asked.tables:,} fair wheels, {asked.rounds:,} spins each, alpha {alpha:.2g}: {times} alarms", flush=True
        )
    kept = all(each.median <= each.most for each in found)
    kept &= all(times <= alpha * asked.tables for alpha, times in seldom)
    if kept:
        print(f"proved: {asked.runs * len(found):,} runs and {asked.tables * len(seldom):,} fair wheels")
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
