"""Plan of the demo's rounds at the wheel.

It follows from the seed and the round's number, never from time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final

from tablectl.features.demo.staging.plans import PEOPLE, Moment, PlannedBet, Refusable, numbered

PLACES: Final = 12
SYMBOLS: Final = 7
CHIPS: Final = ("10", "20", "20", "50", "100", "200")


class Mishap(StrEnum):
    """Intended mishaps of a round."""

    TOO_FEW_TURNS = "too_few_turns"
    ON_PEG = "on_peg"
    WHEEL_TOUCHED = "wheel_touched"
    HAND_SEEN = "hand_seen"
    SPUN_EARLY = "spun_early"
    MOVED_AFTER_STOP = "moved_after_stop"
    WHEEL_UNPLUGGED = "wheel_unplugged"
    SUPERVISOR_VOID = "supervisor_void"


@dataclass(frozen=True, slots=True)
class Plan:
    """One round to come.

    Args:
        number: from 1.
        bets: in the order made.
        refused: a bet that the table has to refuse, and when it is tried.
        turns: how far the dealer means to spin.
        reason: what the supervisor says of a round that they void, 0 to 2.
    """

    number: int
    bets: tuple[PlannedBet, ...]
    refused: Refusable
    turns: float
    mishap: Mishap | None
    reason: int


def plans(seed: int, irregular: float) -> Iterator[Plan]:
    """The rounds of this seed, without end.

    Args:
        irregular: share of the rounds in which something goes wrong, 0 to 1. The first one is always regular.
    """
    for number, chance, mishap in numbered(seed, irregular, Mishap):
        bets = _bets(chance)
        refused = _refused(chance, bets) if chance.random() < 0.3 else None
        yield Plan(number, bets, refused, chance.uniform(3.6, 6.5), mishap, chance.randrange(3))


def _bets(chance: Random) -> tuple[PlannedBet, ...]:
    """Choose the bets of three to six people, each on one to three symbols.

    The frequent symbols are the favourites.
    """
    people = chance.sample(PEOPLE, chance.randint(3, 6))
    places = chance.sample(range(1, PLACES + 1), len(people))
    bets = [bet for person, place in zip(people, places, strict=True) for bet in _symbols(chance, person, place)]
    return tuple(chance.sample(bets, len(bets)))


def _symbols(chance: Random, person: str, place: int) -> list[PlannedBet]:
    liked = chance.choices(range(1, SYMBOLS + 1), (8, 6, 5, 4, 3, 1, 1), k=chance.randint(1, 3))
    return [PlannedBet(place, person, f"symbol_{symbol}", chance.choice(CHIPS)) for symbol in sorted(set(liked))]


def _refused(chance: Random, bets: tuple[PlannedBet, ...]) -> tuple[PlannedBet, Moment]:
    person, place = chance.choice(PEOPLE), chance.choice(bets).place
    return chance.choice(
        (
            (PlannedBet(place, person, "symbol_1", "20"), Moment.TOO_LATE),
            (PlannedBet(place, person, "symbol_8", "20"), Moment.IN_TIME),
            (PlannedBet(place, person, "symbol_2", "15"), Moment.IN_TIME),
        )
    )
