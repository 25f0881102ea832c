"""A stranger computes the figures from the events and docs/fairness.md alone, with code of their own."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise, product
from random import Random
from typing import Any

import pytest

from tablectl.history.statistics.fairness_monitor import Budget, Monitor
from tests.fairness.spoken import Event, amended, event, spin, throw
from tests.fairness.test_monitor import evening, poker

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
        if each["type"].endswith(("wheel.stopped.v1", "dice.thrown.v1", "draw.committed.v1")):
            found[each["id"]] = each
    return list(found.values())


def devices(events: Iterable[Event]) -> dict[str, str]:
    """The wheel or the draw system of each event by its id, as the page defines it."""
    found, drew, by_id, struck = dict[str, str](), dict[str, str](), dict[str, Event](), list[str]()
    seen, table, system = dict[str, tuple[str, str]](), ("wheel", "wheel"), ""
    for each in events:
        by_id[each["id"]] = each
        struck += each["data"].get("amends", ())
        kind, data = each["type"].removeprefix("mo.tablectl."), each["data"]
        round_id, serial, calibration = data.get("round_id"), data.get("serial"), data.get("calibration")
        if kind == "draw.committed.v1":
            system = serial or system
            drew[round_id] = serial or drew.get(round_id) or system
            found[each["id"]] = drew[round_id] or "draw"
        elif kind == "wheel.stopped.v1":
            if serial:
                table = wheel = (serial, calibration or "wheel")
            elif round_id in seen and calibration in ("", seen[round_id][1]):
                wheel = seen[round_id]
            elif calibration in ("", table[1]):
                wheel = table
            else:
                table = wheel = (calibration, calibration)
            seen[round_id] = wheel
            found[each["id"]] = wheel[0]
        same = (
            name for name in struck if name in found and {**by_id[name]["data"], "serial": 0} == {**data, "serial": 0}
        )
        if each["id"] in found and (again := next(same, None)):
            found[each["id"]] = found[again]
    return found


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
    assert float(form["threshold"]) == pytest.approx(math.log10(20 * 40 * 12 * 1 * 2), abs=1e-9)


def moving(random: Random, table: int) -> list[Event]:
    """Rounds of a table at which wheels and draw systems come and go, and persons put right what they did."""
    found: list[Event] = []
    for nth in range(120):
        name = f"t{table}-{nth}"
        serial, calibration = random.choice(
            [("W-1", "c1"), ("W-1", "c2"), ("W-2", "c2"), ("", "c3"), ("", "c1"), ("", "")]
        )
        about = {"calibration": calibration} | ({"serial": serial} if serial else {})
        first = spin(random.randint(1, 52), round_id=name, **about)
        system: dict[str, Any] = random.choice([{}, {"serial": "D-1"}, {"serial": "D-2"}])
        drawn = event("draw.committed.v1", name, series="upper", combination=random.randint(1, 8), **system)
        found += [first, drawn]
        if random.random() < 1 / 3 and nth > 20:
            late = random.choice(
                [each for each in found[:-12] if "series" in each["data"] or "section" in each["data"]]
            )
            data = {
                key: value for key, value in late["data"].items() if key not in ("serial", "combination", "section")
            }
            data = data | {"calibration": ""} if "direction" in data and random.random() < 1 / 2 else data
            number = random.randint(1, 8)
            stated: dict[str, Any] = {"combination": number} if "series" in data else {"section": number}
            kind = late["type"].removeprefix("mo.tablectl.")
            found += [amended(late, round_id=data["round_id"]), event(kind, **data, **stated)]
    return [{**each, "source": f"/tablectl/macau/t{table}/5eed"} for each in found]


def draws(counts: Counter[int]) -> float:
    """Of the upper series 1 to 8, of the lower 9 to 16."""
    chances = dict.fromkeys(range(1, 17), 1 / 16)
    single = [raised([k], 3 / 2, chances) for k in chances]
    series = [raised(half, 11 / 10, chances) for half in (range(1, 9), range(9, 17))]
    both = [raised([k, k + 8], 5 / 4, chances) for k in range(1, 9)]
    return evidence(counts, chances, [(0.3, single), (0.3, series), (0.3, both)], 0.1, 160)


@pytest.mark.parametrize("seed", range(4))
def test_a_stranger_tells_devices_of_tables_apart(seed: int) -> None:
    random, shared = Random(seed), Monitor().devices
    monitors, own = [Monitor(devices=shared) for _ in range(2)], dict[tuple[str, str, int], Counter[int]]()
    for table, monitor in enumerate(monitors):
        events = moving(random, table)
        for each in events:
            monitor.take(each)
        named = devices(events)
        for each in standing(events):
            family, outcome = ("draws", "combination") if "series" in each["data"] else ("sections", "section")
            subject = named[each["id"]]
            at = -1 if subject.startswith(("W-", "D-")) else table  # with a serial number: at all tables
            own.setdefault((family, subject, at), Counter())[each["data"][outcome]] += 1
    assert {("sections", "W-1", -1), ("draws", "D-2", -1), ("sections", "c1", 0), ("sections", "c1", 1)} <= own.keys()
    for (family, subject, at), counts in own.items():
        for monitor in monitors if at == -1 else [monitors[at]]:
            form = of_stream(monitor, family, subject)
            assert form["observed"] == counts.total()
            assert float(form["log10_e"]) == pytest.approx((draws if family == "draws" else wheel)(counts), abs=1e-9)
    seen = {key for each in monitors for key, stream in each.streams.items() if stream.evidence.total}
    assert {key for key in seen if key[0] in {"sections", "draws"}} == {each[:2] for each in own}


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


def test_a_stranger_comes_to_the_figures_of_returns() -> None:
    random, monitor, counts = Random(9), Monitor(), Counter[int]()
    events = [event("audit.signed_on.v1", by="mei", role="dealer")]
    for nth in range(400):
        net = random.choices((3, -1), (14, 40))[0]
        counts[net] += 1
        bets = [{"bet": "symbol_2", "stake": "50.00", "net": f"{50 * net}.00"}]
        settled: dict[str, Any] = {"game": "wheel_of_fortune", "rules": {}, "settlement": {"bets": bets}}
        events += [spin(random.randint(1, 52), round_id=f"r{nth}"), event("round.settled.v1", f"r{nth}", **settled)]
    for each in events:
        monitor.take(each)
    chances = {3: 12 / 52, -1: 40 / 52}
    means = [mean(sign * strength, chances) for strength in (1 / 16, 1 / 4, 3 / 4) for sign in (1, -1)]
    expected = evidence(counts, chances, [(1.0, means)], 1e-300, 1)  # no Dirichlet mixture
    for key in (
        ("returns", "symbol_2"),
        ("dealer_returns", "mei symbol_2"),
        ("wheel_returns", "2027-01 5eed symbol_2"),
    ):
        form = of_stream(monitor, *key)
        assert form["observed"] == 400
        assert float(form["log10_e"]) == pytest.approx(expected, abs=1e-9)


def test_a_stranger_comes_to_the_figures_of_the_dealers_hands() -> None:
    ways = {
        "straight_flush": 48,
        "three_of_a_kind": 52,
        "straight": 720,
        "flush": 1096,
        "pair": 3744,
        "high_card": 16440,
    }
    chances = {nth: number / 22_100 for nth, number in enumerate(ways.values())}
    random, monitor = Random(9), Monitor()
    came = random.choices(range(6), [*chances.values()], k=500)
    for nth, hand in enumerate(came):
        settlement = {"status": "settled", "dealer": {"hand": [*ways][hand]}, "places": []}
        settled: dict[str, Any] = {"game": "q_poker", "rules": {}, "settlement": settlement}
        monitor.take(event("round.settled.v1", f"r{nth}", **settled))
    single = [raised([k], 5 / 4, chances) for k, chance in chances.items() if chance < 1 / 2]
    expected = evidence(Counter(came), chances, [(0.8, single)], 0.2, 600)
    assert float(of_stream(monitor, "hands", "dealer")["log10_e"]) == pytest.approx(expected, abs=1e-9)


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


def test_a_stranger_comes_to_the_figures_of_dealers_void_rounds() -> None:
    events = evening(720)
    monitor = Monitor()
    for each in events:
        monitor.take(each)
    dealer, rounds = "", list[tuple[str, str]]()
    for each in events:
        kind = each["type"].removeprefix("mo.tablectl.")
        if kind == "audit.signed_on.v1":
            dealer = each["data"]["by"]
        if kind in {"round.settled.v1", "round.void.v1"}:
            rounds.append((dealer, kind))
    sums = [0.0] * 24
    factors = [2 ** (nth / 4) for nth in [*range(-12, 0), *range(1, 13)]]
    for first in range(0, len(rounds) - 300 - 99, 100):
        block = rounds[first : first + 100]
        voids, dealt = sum(kind == "round.void.v1" for _, kind in block), sum(name == "mei" for name, _ in block)
        seen = block.count(("mei", "round.void.v1"))
        fair = [
            math.comb(dealt, n) * math.comb(100 - dealt, voids - n) / math.comb(100, voids) for n in range(voids + 1)
        ]
        for nth, factor in enumerate(factors):
            sums[nth] += math.log(factor**seen / sum(chance * factor**n for n, chance in enumerate(fair)))
    mixed = math.log10(sum(math.exp(each) for each in sums) / 24)
    form = monitor.streams["voids", "mei"].form()
    assert form["observed"] == 200
    assert float(form["log10_e"]) == pytest.approx(mixed, abs=1e-9)
    kept = [factor for factor, each in zip(factors, sums, strict=True) if each > mixed * math.log(10) + math.log(0.05)]
    assert float(form["leading"]["low"]) == pytest.approx(min(kept) * float(form["leading"]["chance"]), abs=1e-9)


def shelf(order: list[int], shelves: int) -> float:
    """The chance of an order by a shelf shuffler, by the number of cuts into parts that fall and rise in turn."""

    @cache
    def ways(nth: int, part: int) -> int:
        if nth == len(order):
            return 1
        falls = nth > 0 and order[nth] < order[nth - 1]
        stays = ways(nth + 1, part) if nth == 0 or falls == (part % 2 == 0) else 0
        return stays + sum(ways(nth + 1, later) for later in range(part + 1, 2 * shelves))

    return ways(0, 0) / float(2 * shelves) ** len(order)


def riffles(order: list[int], packets: int) -> float:
    rises = 1 + sum(order.index(k + 1) < order.index(k) for k in range(len(order) - 1))
    return math.comb(packets + len(order) - rises, len(order)) / float(packets) ** len(order)


def neighbours(order: list[int], factor: int) -> float:
    chance = 1 / len(order)
    for nth in range(1, len(order)):
        weights = [factor if abs(other - order[nth - 1]) == 1 else 1 for other in order[nth:]]
        chance *= weights[0] / sum(weights)
    return chance


def test_a_stranger_comes_to_the_figures_of_shuffles() -> None:
    cards, random, monitor = [rank + suit for rank in "A23456789TJQK" for suit in "shdc"], Random(5), Monitor()
    drawn = [random.sample(cards, 24) for _ in range(6)]
    for nth, pack in enumerate(drawn):
        for each in poker(f"p{nth}", *pack):
            monitor.take(each)
    for nth in range(400):
        monitor.take(event("round.opened.v1", f"x{nth}"))
    terms = [0.0] * 9
    for before, now in pairwise(drawn):
        dealt = [now[3 * hand + nth] for nth in range(3) for hand in range(8)]
        places = [before.index(card) for card in dealt if card in before]
        order = [sorted(places).index(place) for place in places]
        turned = [len(order) - 1 - place for place in order]
        chances = [shelf(way, shelves) for shelves in (5, 10) for way in (order, turned)]
        chances += [riffles(order, 2**times) for times in (1, 3, 5)] + [neighbours(order, factor) for factor in (2, 8)]
        for nth, chance in enumerate(chances):
            terms[nth] += math.log(0.1 + 0.9 * chance * math.factorial(len(order)))
    weights = [1 / 8] * 4 + [1 / 12] * 3 + [1 / 8] * 2
    mixed = math.log10(sum(weight * math.exp(terms[nth]) for nth, weight in enumerate(weights)))
    form = monitor.streams["shuffles", "pack"].form()
    assert (form["observed"], form["leading"]) == (5, None)
    assert float(form["log10_e"]) == pytest.approx(mixed, abs=1e-9)
