"""The evidence is an e-process: by exact enumeration of short sequences, never by sampling."""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product
from random import Random

import pytest

from tablectl.history.statistics.cases import FACTORS, CaseEvidence, peaks, shares, shelf_ways, shuffles
from tablectl.history.statistics.evidence import Evidence, Null, confidence, raised, shifted
from tablectl.history.statistics.nulls import null_of

CHANCES = {"1": Fraction(1, 2), "2": Fraction(1, 3), "3": Fraction(1, 6)}
SMALL = Null(
    CHANCES,
    (
        *raised("single", list(CHANCES.values()), {"3": (2,), "1": (0,)}, ("3/2", "5/4"), 0.5),
        *shifted(list(CHANCES.values()), [Fraction(name) for name in CHANCES], ("1/2",), 0.3),
    ),
    spread=0.2,
    firmness=6,
)
NULLS = {
    **{family: null_of(family) for family in ("sections", "faces", "draws", "hands", "naturals")},
    "sums of 3": null_of("sums", "3"),
    "sums of 4": null_of("sums", "4"),
    **{bet: null_of("returns", bet) for bet in ("symbol_1", "symbol_7", "pair_or_better")},
}

Grown = Callable[[Sequence[int]], float]


def grown(null: Null, outcomes: Sequence[int]) -> float:
    evidence = Evidence(null)
    for outcome in outcomes:
        evidence.count(outcome)
    return 10 ** evidence.log10()


def mean(null: Null, length: int, value: Grown) -> float:
    """The expectation under the exact chances, over all sequences of this length."""
    exact = list(null.chances.values())
    every = product(range(len(exact)), repeat=length)
    return math.fsum(float(math.prod(exact[nth] for nth in seen)) * value(seen) for seen in every)


def never_more_than_one(null: Null, value: Grown) -> bool:
    return all(mean(null, length, value) <= 1 + 1e-9 for length in range(5))


def test_a_coin_weighed_by_hand() -> None:
    halves = {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    coin = Null(halves, tuple(raised("single", list(halves.values()), {"a": (0,)}, ("3/2",), 0.5)), 0.5, firmness=2)
    assert grown(coin, [0, 0]) == pytest.approx((9 / 4 + 4 / 3) / 2)
    assert grown(coin, [0, 1]) == pytest.approx((3 / 4 + 2 / 3) / 2)


def test_fair_outcomes_leave_the_evidence_at_one_on_average() -> None:
    for length in range(7):
        assert mean(SMALL, length, lambda seen: grown(SMALL, seen)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("name", NULLS)
def test_every_alternative_of_every_stream_is_a_distribution(name: str) -> None:
    null = NULLS[name]
    assert sum(null.chances.values()) == 1
    assert math.fsum([null.spread, *(each.weight for each in null.alternatives)]) == pytest.approx(1, abs=1e-12)
    for each in null.alternatives:
        assert math.fsum(map(math.prod, zip(null.shares, each.ratios, strict=True))) == pytest.approx(1, abs=1e-12)
        assert min(each.ratios) > 0
    assert mean(null, 1, lambda seen: grown(null, seen)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("alpha", [1 / 2, 3 / 4, 1 / 4])
def test_a_threshold_is_ever_reached_no_oftener_than_promised(alpha: float) -> None:
    def ever(seen: Sequence[int]) -> float:
        return float(any(grown(SMALL, seen[:nth]) >= 1 / alpha for nth in range(len(seen) + 1)))

    assert 0 <= mean(SMALL, 6, ever) <= alpha


def test_a_biased_null_is_caught() -> None:
    biased = Null({"1": Fraction(1, 2), "2": Fraction(1, 4), "3": Fraction(1, 4)}, SMALL.alternatives, 0.2, 6)
    assert never_more_than_one(SMALL, lambda seen: grown(SMALL, seen))
    assert not never_more_than_one(SMALL, lambda seen: grown(biased, seen))


def test_an_alternative_that_looks_ahead_is_caught() -> None:
    def best(seen: Sequence[int]) -> float:
        return max(math.prod(each.ratios[outcome] for outcome in seen) for each in SMALL.alternatives)

    assert not never_more_than_one(SMALL, best)


def test_evidence_that_forgets_to_begin_anew_is_caught() -> None:
    worn = Evidence(SMALL)
    for outcome in (2, 2, 2):
        worn.count(outcome)
    start = 10 ** worn.log10()
    assert start > 1
    assert not never_more_than_one(SMALL, lambda seen: grown(SMALL, [2, 2, 2, *seen]))


def test_evidence_picked_from_the_past_is_caught() -> None:
    """Evidence that keeps its best instead of what it is now."""
    assert not never_more_than_one(SMALL, lambda seen: max(grown(SMALL, seen[:nth]) for nth in range(len(seen) + 1)))


@pytest.mark.parametrize("name", NULLS)
def test_what_is_struck_was_never_there_to_the_last_digit(name: str) -> None:
    random, null = Random(7), NULLS[name]
    seen = [random.randrange(len(null.names)) for _ in range(60)]
    one, other = Evidence(null), Evidence(null)
    for outcome in seen:
        one.count(outcome)
        one.count(0)
    for outcome in random.sample(seen, len(seen)):
        other.count(outcome)
    for _ in seen:
        one.strike(0)
    assert one.counts == other.counts
    assert one.log10() == other.log10()


def sequences(length: int) -> Iterator[tuple[int, ...]]:
    return product((0, 1), repeat=length)


@pytest.mark.parametrize("chance", [0.05, 0.3, 0.5])
def test_a_confidence_sequence_misses_no_oftener_than_promised(chance: float) -> None:
    missed = 0.0
    bounds = {(seen, total): confidence(seen, total, math.log(5)) for total in range(13) for seen in range(total + 1)}
    for came in sequences(12):
        inside = [bounds[sum(came[:nth]), nth] for nth in range(13)]
        if any(not low <= chance <= high for low, high in inside):
            missed += chance ** sum(came) * (1 - chance) ** (12 - sum(came))
    assert missed <= 1 / 5


def test_the_confidence_sequence_closes_in_on_what_is_seen() -> None:
    widths = [high - low for low, high in (confidence(nth // 4, nth, math.log(100)) for nth in (0, 40, 400, 4000))]
    assert widths[0] == 1
    assert widths == sorted(widths, reverse=True)
    low, high = confidence(1000, 4000, math.log(100))
    assert 0.2 < low < 0.25 < high < 0.3


@pytest.mark.parametrize(
    ("seen", "total"), [(0, 9), (1, 9), (9, 9), (1, 1_000_000), (19_231, 1_000_000), (5, 7), (999_999, 1_000_000)]
)
def test_edges_of_confidence_sequences_are_where_it_rejects(seen: int, total: int) -> None:
    def rejection(chance: float) -> float:
        beta = math.lgamma(seen + 0.5) + math.lgamma(total - seen + 0.5) - math.lgamma(total + 1) - math.log(math.pi)
        return beta - seen * math.log(chance) - (total - seen) * math.log1p(-chance)

    low, high = confidence(seen, total, math.log(360))
    assert low <= seen / total <= high
    for edge in {low, high} - {0.0, 1.0}:
        assert rejection(edge) == pytest.approx(math.log(360), abs=1e-5)
    assert len({low, high} - {0.0, 1.0}) == 1 + (0 < seen < total)


BLOCKS = [(20, 4, 7), (100, 3, 30), (100, 1, 99)]


@pytest.mark.parametrize(("rounds", "of_kind", "dealt"), BLOCKS)
def test_fair_blocks_leave_each_factor_at_one_on_average(rounds: int, of_kind: int, dealt: int) -> None:
    means = [0.0] * len(FACTORS)
    for seen in range(max(0, of_kind + dealt - rounds), min(of_kind, dealt) + 1):
        chance = math.comb(dealt, seen) * math.comb(rounds - dealt, of_kind - seen) / math.comb(rounds, of_kind)
        ratios = shares("voids").read(f"{rounds} {of_kind} {dealt} {seen}").ratios
        means = [mean + chance * ratio for mean, ratio in zip(means, ratios, strict=True)]
    assert means == pytest.approx([1] * len(FACTORS), abs=1e-12)


@pytest.mark.parametrize("cards", [1, 2, 4, 6])
def test_good_shuffles_leave_each_alternative_at_one_on_average(cards: int) -> None:
    ratios = [shuffles().read(" ".join(map(str, order))).ratios for order in permutations(range(cards))]
    means = [math.fsum(each) / len(ratios) for each in zip(*ratios, strict=True)]
    assert means == pytest.approx([1] * len(means), abs=1e-12)


def cut_into_parts(order: Sequence[int], parts: int) -> int:
    """In how many ways an order falls into parts, perhaps empty, that fall and rise in turn; each tried by itself."""
    ends = (ends for ends in product(range(len(order) + 1), repeat=parts - 1) if list(ends) == sorted(ends))
    cuts = ([order[a:b] for a, b in pairwise((0, *each, len(order)))] for each in ends)
    return sum(all(list(part) == sorted(part, reverse=nth % 2 == 0) for nth, part in enumerate(cut)) for cut in cuts)


@pytest.mark.parametrize(("cards", "shelves"), [(3, 1), (3, 2), (5, 1), (5, 2), (4, 3)])
def test_ways_of_shelves_follow_from_peaks_alone(cards: int, shelves: int) -> None:
    for order in permutations(range(cards)):
        assert shelf_ways(cards, peaks(order), shelves) == cut_into_parts(order, 2 * shelves), order


def test_what_is_no_block_and_no_pack_is_not_counted() -> None:
    for cases, outcome in (
        (shares("voids"), "100 3 30 4"),
        (shares("voids"), "x"),
        (shuffles(), "0 2"),
        (shuffles(), "a"),
    ):
        evidence = CaseEvidence(cases)
        assert not evidence.weigh(outcome)
        assert evidence.total == 0
        assert evidence.log10() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", ["sections", "faces"])
def test_what_is_surely_below_a_level_never_reaches_it(name: str) -> None:
    random, evidence, reached = Random(2), Evidence(NULLS[name]), 0.0
    outcomes = range(len(evidence.null.names))
    for nth in range(3000):
        evidence.count(random.choice([2] * 9 + [*outcomes]))
        if nth % 40 == 0:
            evidence.strike(2)
        reached = evidence.log10()
        assert evidence.may_reach(reached)
        assert reached > 300 or not evidence.may_reach(reached + 1e-6)
    assert reached > 1


def test_evidence_beyond_all_floats_still_reaches_its_level() -> None:
    evidence = Evidence(NULLS["sections"])
    for _ in range(2000):
        evidence.count(3)
    assert evidence.log10() > 400
    assert evidence.may_reach(300)
    assert evidence.may_reach(evidence.log10())


@pytest.mark.parametrize("name", NULLS)
@pytest.mark.parametrize("unfair", [0.0, 0.02, 1.0])
def test_a_drawn_point_is_the_exact_one_to_six_places(name: str, unfair: float) -> None:
    evidence, draw = Evidence(NULLS[name]), Random(25)
    for nth in range(2_000):
        came = evidence.null.names[0 if draw.random() < unfair else draw.randrange(len(evidence.null.names))]
        evidence.weigh(came)
        if nth % 97 == 0:
            evidence.weigh(came, -1)
        if nth % 23 == 0:
            assert evidence.drawn()[0] == pytest.approx(evidence.log10(), rel=0, abs=1e-6)
