"""Parts of the plans of all games: people, bets, and mishaps with their moments."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final, TypeVar

from tablectl.core.facts import Place

PEOPLE: Final = ("Amélia", "Bento", "Chan", "Diana", "Fong", "Graça", "Ho", "Ines", "Lei", "Tomás")

E = TypeVar("E", bound=StrEnum)


class Moment(StrEnum):
    """When a bet that has to be refused is tried."""

    IN_TIME = "in_time"
    TOO_LATE = "too_late"


@dataclass(frozen=True, slots=True)
class PlannedBet:
    """A bet that somebody will try to make. `stake` is a decimal string."""

    place: Place
    bettor: str
    bet: str
    stake: str

    def named(self) -> dict[str, object]:
        """The fields of a request that name the bet."""
        return {"place": self.place, "bettor": self.bettor, "bet": self.bet}

    def offered(self) -> dict[str, object]:
        """The fields of a request that offers it."""
        return {**self.named(), "stake": self.stake}


Refusable = tuple[PlannedBet, Moment] | None
"""A bet that the table has to refuse, and when it is tried."""


def numbered(seed: int, irregular: float, kinds: type[E]) -> Iterator[tuple[int, Random, E | None]]:
    """Yield rounds without end: the number from 1, its own chance, and its mishap.

    The first round is regular. Mishaps come in the seed's own order, again and again, so that a short demo shows
    different ones.
    """
    mishaps = _mishaps(seed, kinds)
    number = 1
    while True:
        chance = Random(f"{seed}/{number}")
        yield number, chance, next(mishaps) if chance.random() < irregular and number > 1 else None
        number += 1


def _mishaps(seed: int, kinds: type[E]) -> Iterator[E]:
    order = Random(f"{seed}/mishaps").sample(tuple(kinds), len(kinds))
    while True:
        yield from order
