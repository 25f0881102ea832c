"""Plan of the demo's rounds at the bowl of dice.

It follows from the seed and the round's number, never from time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final

from tablectl.features.demo.staging.plans import PEOPLE, numbered

PLACES: Final = 8
SEATED: Final = PEOPLE[:PLACES]
"""Who sits at the places, from the first one on."""

CHIPS: Final = ("50", "100", "100", "200", "300", "500")
CAPITALS: Final = ("1000", "1500", "2000")


class Mishap(StrEnum):
    """Intended mishaps of a round."""

    COCKED_DIE = "cocked_die"
    DIE_OUTSIDE = "die_outside"
    DICE_HELD_AWAY = "dice_held_away"
    THROWN_OUT_OF_TURN = "thrown_out_of_turn"
    BANK_DECLINED = "bank_declined"
    LATE_BET = "late_bet"
    READER_UNPLUGGED = "reader_unplugged"
    SUPERVISOR_VOID = "supervisor_void"


@dataclass(frozen=True, slots=True)
class PlannedStake:
    """Chips at the place so many steps to the right of the banker's.

    Args:
        steps: 1 to 7.
        bettor: whose chips; empty for who sits there.
        stake: a decimal string.
    """

    steps: int
    bettor: str
    stake: str


@dataclass(frozen=True, slots=True)
class Plan:
    """One round to come.

    Args:
        number: from 1.
        capital: what a new banker puts on the table.
        stakes: in the order laid.
        partner: the stake of who bets with the bank, and the steps to where they sit; None where nobody does.
        casino: the casino's share; empty where it doesn't join.
        dealer_closes: whether the dealer calls no more bets; otherwise the banker's throw ends the betting.
        throw: the throw, counted from 1, at which the mishap strikes.
        reason: what the supervisor says of a round that they void, 0 to 2.
    """

    number: int
    capital: str
    stakes: tuple[PlannedStake, ...]
    partner: tuple[int, str] | None
    casino: str
    dealer_closes: bool
    mishap: Mishap | None
    throw: int
    reason: int


def plans(seed: int, irregular: float) -> Iterator[Plan]:
    """The rounds of this seed, without end.

    Args:
        irregular: share of the rounds in which something goes wrong, 0 to 1. The first one is always regular.
    """
    for number, chance, mishap in numbered(seed, irregular, Mishap):
        yield Plan(
            number=number,
            capital=chance.choice(CAPITALS),
            stakes=_stakes(chance),
            partner=(chance.randint(1, 7), chance.choice(CHIPS)) if chance.random() < 0.25 else None,
            casino=chance.choice(("500", "1000")) if chance.random() < 0.2 else "",
            dealer_closes=chance.random() < 0.5,
            mishap=mishap,
            throw=1 if mishap is Mishap.LATE_BET else chance.randint(1, 2),
            reason=chance.randrange(3),
        )


def dice_of(seed: int, number: int) -> Iterator[tuple[int, int, int]]:
    """The throws of a round, without end."""
    chance = Random(f"{seed}/{number}/dice")
    while True:
        yield (chance.randint(1, 6), chance.randint(1, 6), chance.randint(1, 6))


def _stakes(chance: Random) -> tuple[PlannedStake, ...]:
    """Bets at two to five places, now and then two at one."""
    steps = chance.sample(range(1, PLACES), chance.randint(2, 5))
    own = [PlannedStake(step, "", chance.choice(CHIPS)) for step in steps]
    beside = [PlannedStake(step, chance.choice(PEOPLE[PLACES:]), "100") for step in steps if chance.random() < 0.3]
    return (*own, *beside)
