"""How soon unfair wheels and dice are found, and how seldom fair ones are suspected; by drawing outcomes.

`python -m bench.fairness [--runs N] [--tables N] [--rounds N] [--floor N] [--long N] [--evening N]
[--seed N]`. Each line says what
was promised; the exit code is 1 where a promise wasn't kept.

The best possible test of a loaded die: the readers don't tell three dice apart, and nobody knows which face is loaded.
Of a throw that shows the face c times the loaded die makes 0.96 + 0.08 x c of what fair dice make it (the mean over
which of the three it is). Wald and Wolfowitz: no test of a given face that errs as seldom is faster than the product
of these over all throws; over six faces, all alike, the mean of the six products.
"""

import argparse
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import mul
from random import Random
from statistics import median

from bench.fairness_cost import SECTIONS, logs, told_cost
from tablectl.history.statistics.cases import CaseEvidence, shuffles
from tablectl.history.statistics.evidence import UNIT, Evidence, Null
from tablectl.history.statistics.fairness_monitor import Budget, Monitor
from tablectl.history.statistics.nulls import null_of
from tests.fairness.spoken import event, spin

LEVEL = 3.0
"""log10 of 1 / the level of one stream: 1/1000."""

MOST_REAL = 3_000


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


Device = Callable[[Random], Iterator[int]]
"""The outcomes of a device, for ever, by their positions."""


def tilted(random: Random) -> Iterator[int]:
    """Where a wheel comes to rest of which weight on one side takes up to a fifth of what friction takes.

    A release of the speed v goes on until what both have taken, angle + sin(angle) / 5, comes to v squared.
    """
    angle = 0.0
    while True:
        taken = angle + math.sin(angle) / 5 + random.uniform(5.0, 7.5) ** 2
        for _ in range(8):
            angle -= (angle + math.sin(angle) / 5 - taken) / (1 + math.cos(angle) / 5)
        angle %= math.tau
        yield int(angle * SECTIONS / math.tau)


def drawn(chances: Sequence[float]) -> Device:
    """A device that gives each outcome with its chance."""

    def outcomes(random: Random) -> Iterator[int]:
        while True:
            yield from random.choices(range(SECTIONS), chances, k=1000)

    return outcomes


def doubled() -> list[float]:
    """The chances of a wheel one section of which is twice as likely as fair."""
    return [2 if nth == 17 else (SECTIONS - 2) / (SECTIONS - 1) for nth in range(SECTIONS)]


def aimed() -> list[float]:
    """The chances of a dealer who hits 17 sections in 40 of 100 spins."""
    return [0.4 / 17 if 7 <= nth < 24 else 0.6 / 35 for nth in range(SECTIONS)]


def until(outcomes: Iterator[int], most: int) -> int:
    """Spins until the evidence reaches the level."""
    evidence = Evidence(null_of("sections"))
    for nth, outcome in enumerate(islice(outcomes, most), 1):
        evidence.count(outcome)
        if evidence.may_reach(LEVEL) and evidence.log10() >= LEVEL:
            return nth
    return most + 1


def wheel(name: str, device: Device, most: int, runs: int, random: Random) -> Detected:
    """How soon a wheel is found."""
    return Detected(name, median(until(device(random), 4 * most) for _ in range(runs)), most, runs)


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
        if evidence.may_reach(LEVEL) and evidence.log10() >= LEVEL and best:
            return best, nth
    raise AssertionError


def alarms(tables: int, rounds: int, alpha: float, random: Random) -> int:
    """At how many of so many fair wheels the evidence ever reaches 1 / alpha."""
    level, null = math.log10(1 / alpha), null_of("sections")
    return sum(rises(Evidence(null), level, rounds, random) for _ in range(tables))


def rises(evidence: Evidence, level: float, rounds: int, random: Random) -> bool:
    """Whether fair outcomes raise the evidence to a level, worked out after each of them."""
    for outcome in random.choices(range(SECTIONS), k=rounds):
        evidence.count(outcome)
        if evidence.may_reach(level) and evidence.log10() >= level:
            return True
    return False


def rises_ever(null: Null, level: float, rounds: int, random: Random) -> bool:
    """Whether fair outcomes ever raise the evidence to a level, looked at after each of them.

    Evidence is at most its greatest term. So long as no term can have reached the level within the next outcomes,
    however they fall, they are drawn together and nothing is worked out between them.
    """
    rows = [[round(math.log(ratio) * UNIT) / UNIT for ratio in each.ratios] for each in null.alternatives]
    rise, due = [max(row) for row in rows], level * math.log(10)
    counts, seen = [0] * len(null.shares), 0
    while seen < rounds:
        sums = [sum(map(mul, counts, row)) for row in rows]
        spread = _spread(null, counts)
        ahead = min(math.floor((due - each) / most) for each, most in zip(sums, rise, strict=True))
        likeliest = max(null.firmness + count / share for count, share in zip(counts, null.shares, strict=True))
        while (
            ahead > 1
            and spread + ahead * math.log((likeliest + ahead / min(null.shares)) / (null.firmness + seen)) >= due
        ):
            ahead //= 2
        if ahead < 1:
            terms = [
                *(weight + each for weight, each in zip(null.weights, sums, strict=True)),
                math.log(null.spread) + spread,
            ]
            if math.log(math.fsum(map(math.exp, terms))) >= due:
                return True
        ahead = min(max(1, ahead), rounds - seen)
        for outcome in random.choices(range(len(counts)), null.shares, k=ahead):
            counts[outcome] += 1
        seen += ahead
    return False


def _spread(null: Null, counts: Sequence[int]) -> float:
    """The logarithm of the Dirichlet mixture."""
    mixed = math.lgamma(null.firmness) - math.lgamma(null.firmness + sum(counts))
    for count, share in zip(counts, null.shares, strict=True):
        mixed += (
            math.lgamma(null.firmness * share + count) - math.lgamma(null.firmness * share) - count * math.log(share)
        )
    return mixed


def shelved(random: Random, pack: Sequence[int], shelves: int = 10) -> list[int]:
    """A pack after one pass through a shuffler that puts each card on top of or below one of its shelves."""
    piles = [deque[int]() for _ in range(shelves)]
    for card in pack:
        pile = random.choice(piles)
        (pile.appendleft if random.random() < 1 / 2 else pile.append)(card)
    return [card for pile in piles for card in pile]


def packs(random: Random, hands: int | None, most: int) -> int:
    """Packs until the shelf shuffler is found.

    Args:
        hands: of three cards, dealt around the table and gathered upon the rest; None where all cards become known.
    """
    evidence, pack = CaseEvidence(shuffles()), random.sample(range(52), 52)
    for nth in range(1, most + 1):
        dealt = pack if hands is None else pack[: 3 * hands]
        gathered = dealt if hands is None else [card for hand in range(hands) for card in dealt[hand::hands]]
        pack = shelved(random, [*gathered, *pack[len(dealt) :]])
        drawn = [card for card in pack[: len(dealt)] if card in gathered]
        ranks = {card: rank for rank, card in enumerate(card for card in gathered if card in drawn)}
        evidence.weigh(" ".join(str(ranks[card]) for card in drawn))
        if evidence.log10() >= LEVEL:
            return nth
    return most + 1


def blamed(random: Random) -> tuple[str, str]:
    """The stream that first gives an alarm at a wheel of three dealers, one of whom aims."""
    monitor = Monitor(Budget(20, 40))
    for turn in range(300):
        dealer = ("ana", "mei", "rui")[turn % 3]
        monitor.take(event("audit.signed_on.v1", by=dealer, role="dealer"))
        for section in random.choices(range(1, SECTIONS + 1), aimed() if dealer == "mei" else None, k=40):
            for found in monitor.take(spin(section, round_id=f"r{turn}")):
                if found.alarm:
                    return found.stream.family, found.stream.subject
    return "", ""


def main() -> int:
    """Print what each promise came to."""
    parser = argparse.ArgumentParser(prog="python -m bench.fairness", description=__doc__)
    parser.add_argument("--runs", type=int, default=400, help="of each unfair device")
    parser.add_argument("--tables", type=int, default=10_000, help="with fair wheels")
    parser.add_argument("--rounds", type=int, default=500, help="of each fair table")
    parser.add_argument("--floor", type=int, default=2_000, help="tables of a floor that is fair for long")
    parser.add_argument("--long", type=int, default=365_000, help="rounds of each of them")
    parser.add_argument("--evening", type=int, default=1_000, help="rounds of each game whose cost is measured")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    random = Random(asked.seed)
    print(f"seed {asked.seed}")
    kept = [_told(each) for each in _found(asked.runs, random)]
    kept += _suspected(asked, random)
    kept += [told_cost(name, rounds) for name, rounds in logs(asked.evening, random)]
    if all(kept):
        print(f"proved: {6 * asked.runs:,} runs and {asked.tables + asked.floor:,} fair wheels")
    return 0 if all(kept) else 1


def _found(runs: int, random: Random) -> Iterator[Detected]:
    yield wheel("a wheel tilted by 20 %", tilted, 1000, runs, random)
    yield wheel("a section twice as likely", drawn(doubled()), 1600, runs, random)
    yield wheel("a dealer who hits a third in 40 of 100", drawn(aimed()), 1600, runs, random)
    yield die(runs, random)
    known = [packs(random, None, 200) for _ in range(runs)]
    yield Detected("packs of a shelf shuffler, all cards known", median(known), 45, runs)
    right = sum(blamed(random) == ("dealer", "mei") for _ in range(runs))
    yield Detected("a dealer who aims, of whom another stream alarms first", runs - right, runs / 10, runs)
    real = [packs(random, 8, MOST_REAL) for _ in range(min(runs, 5))]
    print(f"a shelf shuffler in rounds of 8 hands, reported: a median of {median(real):,} packs ({MOST_REAL:,} tried)")


def _told(found: Detected) -> bool:
    print(found, flush=True)
    return found.median <= found.most


def _suspected(asked: argparse.Namespace, random: Random) -> Iterator[bool]:
    times = alarms(asked.tables, asked.rounds, 1 / 20, random)
    print(f"{asked.tables:,} fair wheels, {asked.rounds:,} spins each, alpha 1/20: {times} alarms", flush=True)
    yield times <= asked.tables / 20
    level = Budget(20, 2000).threshold(1)
    times = sum(rises_ever(null_of("sections"), level, asked.long, random) for _ in range(asked.floor))
    print(f"{asked.floor:,} fair wheels, {asked.long:,} spins each, one alarm in 20 years for all: {times} alarms")
    yield times == 0


if __name__ == "__main__":
    raise SystemExit(main())
