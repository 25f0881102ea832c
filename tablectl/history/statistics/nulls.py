"""Null hypothesis of each stream, and the alternatives against it.

The chances are exact, from the code that settles.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import product
from types import MappingProxyType
from typing import Any, Final

from tablectl.core.outcomes import COMBINATIONS, FACES, Series
from tablectl.history.statistics.cases import CaseEvidence, Cases, shares, shuffles
from tablectl.history.statistics.evidence import Alternative, Evidence, Null, raised, shifted, tilted
from tablectl.history.statistics.expected import Chances, hands, naturals
from tablectl.rule_tables import load_rules

OTHER: Final = "other"
"""The outcomes together that have no chance of their own."""

PHASES: Final = 12
"""Phases of a tilt, and places where a sector of the wheel begins."""

_SECTORS: Final = {"third": Fraction(1, 3), "quarter": Fraction(1, 4)}
_OPPOSITE: Final = 7


def null_of(family: str, subject: str = "") -> Null:
    """The null hypothesis of a stream.

    Args:
        family: of streams, such as `sections` or `faces`.
        subject: ends with the bet in families of returns; is how many dice in `sums`; matters nowhere else.

    Raises:
        LookupError: there is none.
    """
    match family:
        case "returns" | "dealer_returns" | "wheel_returns":
            return _returns(subject.rpartition(" ")[2])
        case "sums":
            return _sums(int(subject))
        case _:
            return _NULLS[family]()


def evidence_of(family: str, subject: str, kept: Mapping[str, Any] | None = None) -> Evidence | CaseEvidence:
    """The evidence of a stream: none yet, or what was kept of it.

    Raises:
        LookupError: there is no such stream.
        ValueError: what was kept is of another null hypothesis.
    """
    if family in _CASES:
        cases = _CASES[family]()
        return CaseEvidence(cases) if kept is None else CaseEvidence.resumed(cases, kept)
    null = null_of(family, subject)
    return Evidence(null) if kept is None else Evidence.resumed(null, kept)


def prepare(game: str) -> None:
    """Work out the null hypotheses of a game's streams; some take a tenth of a second."""
    for family, subjects in _STREAMS.get(game, {}).items():
        for subject in subjects:
            null_of(family, subject)


@cache
def _wheel() -> Null:
    from tablectl.core.games.wheel_of_fortune.sections import SECTIONS

    chances = [Fraction(1, SECTIONS)] * SECTIONS
    single = {str(nth + 1): (nth,) for nth in range(SECTIONS)}
    begins = [phase * SECTIONS // PHASES for phase in range(PHASES)]
    alternatives = [
        *tilted(SECTIONS, PHASES, (0.2,), 0.3),
        *tilted(SECTIONS, PHASES, (0.1, 0.4), 0.1),
        *raised("single", chances, single, ("2",), 0.45),
    ]
    for name, share in _SECTORS.items():
        width = round(SECTIONS * share)
        arcs = {str(first + 1): [(first + nth) % SECTIONS for nth in range(width)] for first in begins}
        alternatives += raised(name, chances, arcs, ("6/5",), 0.05)
    return _null({str(nth + 1): chance for nth, chance in enumerate(chances)}, alternatives, 20)


@cache
def _faces() -> Null:
    chances = [Fraction(1, len(FACES))] * len(FACES)
    single = {str(face): (nth,) for nth, face in enumerate(FACES)}
    opposite = {f"{face}+{_OPPOSITE - face}": (face - 1, 6 - face) for face in (1, 2, 3)}
    alternatives = [
        *raised("single", chances, single, ("16/15",), 0.65),
        *raised("single", chances, single, ("6/5",), 0.2),
        *raised("opposite", chances, opposite, ("21/20", "11/10"), 0.1),
    ]
    return _null({str(face): chance for face, chance in zip(FACES, chances, strict=True)}, alternatives, 20)


@cache
def _sums(dice: int) -> Null:
    ways = Counter(map(sum, product(FACES, repeat=dice)))
    chances = {str(total): Fraction(ways[total], ways.total()) for total in sorted(ways)}
    values = [Fraction(name) for name in chances]
    shifts = list(shifted(list(chances.values()), values, ("1/10", "1/4"), 0.8))
    return _null(chances, shifts, 20)


@cache
def _draws() -> Null:
    names = [f"{series.value}_{number}" for series in Series for number in range(1, COMBINATIONS + 1)]
    chances = [Fraction(1, len(names))] * len(names)
    halves = {
        series.value: [nth for nth, name in enumerate(names) if name.startswith(f"{series.value}_")]
        for series in Series
    }
    numbers = {
        str(number): [nth for nth, name in enumerate(names) if name.endswith(f"_{number}")]
        for number in range(1, COMBINATIONS + 1)
    }
    alternatives = [
        *raised("single", chances, {name: (nth,) for nth, name in enumerate(names)}, ("3/2",), 0.3),
        *raised("series", chances, halves, ("11/10",), 0.3),
        *raised("combination", chances, numbers, ("5/4",), 0.3),
    ]
    return _null(dict(zip(names, chances, strict=True)), alternatives, 10)


@cache
def _hands() -> Null:
    return _by_outcome(hands().chances)


@cache
def _naturals() -> Null:
    return _by_outcome(naturals().chances)


def _by_outcome(known: Chances) -> Null:
    rest = 1 - sum(known.values(), Fraction(0))
    chances = {**known, OTHER: rest} if rest else dict(known)
    rare = {name: (nth,) for nth, (name, chance) in enumerate(chances.items()) if chance < Fraction(1, 2)}
    return _null(chances, raised("single", list(chances.values()), rare, ("5/4",), 0.8), 100)


@cache
def _returns(bet: str) -> Null:
    chances = _odds_of(bet)
    nets = sorted(chances)
    shifts = shifted([chances[net] for net in nets], nets, ("1/16", "1/4", "3/4"), 1)
    return _null({str(net): chances[net] for net in nets}, list(shifts), 1)


def _odds_of(bet: str) -> Mapping[Fraction, Fraction]:
    """The exact returns of a bet by the shipped rule table."""
    if bet == "pair_or_better":
        from tablectl.core.games.q_poker.hands import Combination
        from tablectl.core.games.q_poker.settlement import pair_or_better

        rules, returns = load_rules("q_poker"), defaultdict[Fraction, Fraction](Fraction)
        for hand, chance in hands().chances.items():
            _, net, per = pair_or_better(Combination(hand), rules)
            returns[Fraction(net, per)] += chance
        return returns
    from tablectl.core.games.wheel_of_fortune.odds import wheel_of_fortune_odds

    return wheel_of_fortune_odds(load_rules("wheel_of_fortune")).bets[bet].returns


def _null(chances: Chances, alternatives: Iterable[Alternative], firmness: int) -> Null:
    """Make a null hypothesis; the Dirichlet mixture has the rest of the weight.

    The mixture's prior is worth so many outcomes of each kind.
    """
    every = tuple(alternatives)
    spread = 1 - sum(each.weight for each in every)
    return Null(chances, every, spread if spread > 1e-9 else 0.0, firmness * len(chances))


_NULLS: Final[Mapping[str, Callable[[], Null]]] = MappingProxyType(
    {
        "sections": _wheel,
        "direction": _wheel,
        "dealer": _wheel,
        "speed": _wheel,
        "faces": _faces,
        "draws": _draws,
        "hands": _hands,
        "naturals": _naturals,
    }
)

_CASES: Final[Mapping[str, Callable[[], Cases]]] = MappingProxyType(
    {"voids": partial(shares, "voids"), "amendments": partial(shares, "amendments"), "shuffles": shuffles}
)

_STREAMS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = MappingProxyType(
    {
        "q_poker": {"hands": ("",), "returns": ("pair_or_better",)},
        "football_poker": {"draws": ("",)},
        "wheel_of_fortune": {"sections": ("",), "returns": tuple(f"symbol_{nth}" for nth in range(1, 8))},
        "chinese_dice": {"faces": ("",), "sums": ("3", "4")},
        "thirteen_cards": {"naturals": ("",), "faces": ("",), "sums": ("3", "4")},
    }
)
"""The streams that come of each game, with their subjects where these matter; wheels share one null hypothesis."""
