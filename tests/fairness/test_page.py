"""A stranger computes the figures from the events and docs/fairness.md alone, with code of their own."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from random import Random
from typing import Any

import pytest

from tablectl.history.statistics.fairness_monitor import Budget, Monitor
from tests.fairness.spoken import Event, amended, spin, throw

Ratio = Callable[[int], float]


def evidence(
    counts: Counter[int], chances: dict[int, float], families: list[tuple[float, list[Ratio]]], rest: float, firm: float
) -> float:
    """log10_e as the page defines it, in factors of floating-point numbers."""
    total = sum(counts.values())
    terms = [
        math.log(weight / len(family)) + sum(counts[k] * math.log(ratio(k)) for k in chances)
        for weight, family in families
        for ratio in family
    ]
    mixed = math.lgamma(firm) - math.lgamma(firm + total)
    for k, chance in chances.items():
        mixed += math.lgamma(firm * chance + counts[k]) - math.lgamma(firm * chance) - counts[k] * math.log(chance)
    terms.append(math.log(rest) + mixed)
    top = max(terms)
    return (top + math.log(sum(math.exp(term - top) for term in terms))) / math.log(10)


def raised(group: Sequence[int], factor: float, chances: dict[int, float]) -> Ratio:
    share = sum(chances[k] for k in group)
    return lambda k: factor if k in group else (1 - factor * share) / (1 - share)


def tilt(strength: float, phase: int) -> Ratio:
    return lambda k: 1 + strength * math.cos(2 * math.pi * ((k - 1) / 52 - phase / 12))


def mean(strength: float, chances: dict[int, float]) -> Ratio:
    middle = sum(k * chance for k, chance in chances.items())
    far = max(abs(k - middle) for k in chances)
    return lambda k: 1 + strength * (k - middle) / far


def wheel(counts: Counter[int]) -> float:
    chances = dict.fromkeys(range(1, 53), 1 / 52)

    def arcs(width: int) -> list[Ratio]:
        begins = [52 * phase // 12 for phase in range(12)]
        return [raised([(first + nth) % 52 + 1 for nth in range(width)], 6 / 5, chances) for first in begins]

    tilts = [tilt(0.2, phase) for phase in range(12)]
    other_tilts = [tilt(strength, phase) for strength in (0.1, 0.4) for phase in range(12)]
    singles = [raised([k], 2, chances) for k in chances]
    return evidence(
        counts,
        chances,
        [(0.3, tilts), (0.1, other_tilts), (0.45, singles), (0.05, arcs(17)), (0.05, arcs(13))],
        0.05,
        1040,
    )


def faces(counts: Counter[int]) -> float:
    chances = dict.fromkeys(range(1, 7), 1 / 6)
    one, all_ = ([raised([k], factor, chances) for k in chances] for factor in (16 / 15, 6 / 5))
    pairs = [raised([k, 7 - k], factor, chances) for k in (1, 2, 3) for factor in (21 / 20, 11 / 10)]
    return evidence(counts, chances, [(0.65, one), (0.2, all_), (0.1, pairs)], 0.05, 120)


def sums(counts: Counter[int], dice: int) -> float:
    ways = Counter(map(sum, product(range(1, 7), repeat=dice)))
    chances = {k: ways[k] / 6**dice for k in sorted(ways)}
    means = [mean(strength, chances) for strength in (0.1, -0.1, 0.25, -0.25)]
    return evidence(counts, chances, [(0.8, means)], 0.2, 20 * len(chances))


def standing(events: Iterable[Event]) -> list[Event]:
    """What counts, as a reader has it who strikes what amendments list."""
    found: dict[str, Event] = {}
    for each in events:
        for struck in each["data"].get("amends", ()):
            found.pop(struck, None)
        if each["type"].endswith(("wheel.stopped.v1", "dice.thrown.v1")):
            found[each["id"]] = each
    return list(found.values())


def of_stream(monitor: Monitor, *key: str) -> dict[str, Any]:
    form = monitor.streams[key[0], key[1]].form()
    return {name: form[name] for name in ("log10_e", "observed", "threshold")}


@pytest.mark.parametrize("number", [1, 12, 700])
def test_a_stranger_comes_to_the_wheels_figures(number: int) -> None:
    random, monitor = Random(number), Monitor(Budget(20, 40))
    events = [spin(random.choice([7, random.randint(1, 52), random.randint(20, 40)])) for _ in range(number)]
    events += [amended(events[0]), spin(52)]
    for each in events:
        monitor.take(each)
    counts = Counter(each["data"]["section"] for each in standing(events))
    form = of_stream(monitor, "sections", "2027-01 5eed")
    assert float(form["log10_e"]) == pytest.approx(wheel(counts), abs=1e-9)
    assert form["observed"] == number
    assert float(form["threshold"]) == pytest.approx(math.log10(20 * 40 * 4 * 1 * 2), abs=1e-9)


@pytest.mark.parametrize("dice", [3, 4])
def test_a_stranger_comes_to_the_figures_of_dice(dice: int) -> None:
    random, monitor = Random(dice), Monitor()
    events = [throw(*(min(6, random.randint(1, 7)) for _ in range(dice))) for _ in range(600)]
    events += [amended(events[-1]), throw(*([3] * dice))]
    for each in events:
        monitor.take(each)
    thrown = [each["data"]["dice"] for each in standing(events)]
    seen = Counter(face for each in thrown for face in each)
    assert float(of_stream(monitor, "faces", "dice")["log10_e"]) == pytest.approx(faces(seen), abs=1e-9)
    totals = sums(Counter(map(sum, thrown)), dice)
    assert float(of_stream(monitor, "sums", str(dice))["log10_e"]) == pytest.approx(totals, abs=1e-9)
    assert of_stream(monitor, "faces", "dice")["observed"] == 600 * dice


def test_a_stranger_comes_to_the_confidence_sequence() -> None:
    monitor, random = Monitor(), Random(3)
    for _ in range(300):
        monitor.take(throw(*(random.choice([1, 2, 3, 4, 5, 6] * 4 + [6]) for _ in range(3))))
    leading = monitor.streams["faces", "dice"].form()["leading"]
    assert (leading["outcomes"], leading["chance"]) == (["6"], "0.166666667")
    seen, total, alternatives = leading["seen"], 900, 6 + 6 + 6
    for edge in (float(leading["low"]), float(leading["high"])):
        beta = math.lgamma(seen + 0.5) + math.lgamma(total - seen + 0.5) - math.lgamma(total + 1)
        odds = beta - math.log(math.pi) - seen * math.log(edge) - (total - seen) * math.log(1 - edge)
        assert odds == pytest.approx(math.log(alternatives / 0.05), abs=1e-5)
