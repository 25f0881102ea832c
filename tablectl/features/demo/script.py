"""Script of any game's demonstration: people, bets, mishaps and their moments."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import field
from enum import StrEnum
from random import Random
from typing import Generic, Protocol, TypeVar

from tablectl.features.demo.console import DemoError, Person, Screen, View
from tablectl.features.demo.devices import Bench
from tablectl.lazy_dataclass import dataclass
from tablectl.players.moves import PlannedBet

SHOE = "shoe"
SHUFFLER = "shuffler"
WHEEL = "wheel"
DICE = "dice"
DRAW = "draw"
DISPLAY = "display"
BUZZER = "buzzer"
"""The devices by the names that the demo's tables give them."""

E = TypeVar("E", bound=StrEnum)


class Moment(StrEnum):
    """When a bet that has to be refused is tried."""

    IN_TIME = "in_time"
    TOO_LATE = "too_late"


Refusable = tuple[PlannedBet, Moment] | None
"""A bet that the table has to refuse, and when it is tried."""


def numbered(seed: int, irregular: float, kinds: Sequence[E]) -> Iterator[tuple[int, Random, E | None]]:
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


def _mishaps(seed: int, kinds: Sequence[E]) -> Iterator[E]:
    order = Random(f"{seed}/mishaps").sample(kinds, len(kinds))
    while True:
        yield from order


@dataclass(slots=True)
class Pace:
    """Time that people take.

    `speed` 1 is a person's own, 0 takes no time at all.
    """

    speed: float
    _mood: Random = field(default_factory=Random)

    async def take(self, usual_s: float) -> None:
        """Takes about this time."""
        if self.speed > 0:
            await asyncio.sleep(usual_s * self._mood.uniform(0.7, 1.3) / self.speed)


class Planned(Protocol):
    """A round to come."""

    @property
    def number(self) -> int:
        """Its number, from 1."""
        ...

    @property
    def mishap(self) -> str | None:
        """Intended mishap of the round.

        It is a key below `demo.staged` in the catalogues of words.
        """
        ...


P = TypeVar("P", bound=Planned)


@dataclass(frozen=True, slots=True)
class Staff:
    """People on duty."""

    dealer: Person
    supervisor: Person

    def for_fault(self, clears: str) -> Person | None:
        """Return the person who may acknowledge a fault, by its line of the catalogue.

        No technician is on duty.
        """
        return {"dealer": self.dealer, "supervisor": self.supervisor}.get(clears)


@dataclass(frozen=True, slots=True)
class Company:
    """The people, their table and their devices."""

    seed: int
    staff: Staff
    screen: Screen
    devices: Bench
    pace: Pace

    async def bet(self, bet: PlannedBet) -> None:
        """Makes a bet that has to be taken."""
        await self.staff.dealer.do("bet", **bet.offered())

    async def try_in_vain(self, refused: Refusable, moment: Moment) -> None:
        """Try a bet that has to be refused.

        One that isn't ends the demo, because the table is then wrong.

        Raises:
            DemoError: the table took it.
        """
        if refused is None or refused[1] is not moment:
            return
        bet = refused[0]
        await self.pace.take(0.7)
        if (await self.staff.dealer.ask("bet", **bet.offered())).accepted:
            raise DemoError(f"the table took a bet that it has to refuse: {bet}")

    async def look(self) -> View:
        """The table as the screen shows it now."""
        return await self.screen.until("a look", lambda _: True)

    async def unplug(self, name: str) -> None:
        """Pull a device's cable, and wait until the table knows."""
        await self.devices.unplug(name)
        await self.screen.until(f"{name} is gone", lambda now: name not in now.attached)

    async def plug_in(self, name: str) -> None:
        """Put a device's cable back, and wait until the table has it."""
        await self.devices.plug_in(name)
        await self.screen.until(f"{name} is back", lambda now: name in now.attached)

    async def sign(self) -> None:
        """Acknowledge every fault whose cause is gone and that waits for a person."""
        for fault in (await self.look()).faults:
            person = self.staff.for_fault(fault.clears) if fault.waits_for_person else None
            if person is not None:
                await person.do("acknowledge_fault", code=fault.code, device=fault.device)


@dataclass(frozen=True, slots=True)
class Act(Generic[P]):
    """How one game is demonstrated.

    Args:
        config: the shipped configuration of its table.
        name: of the game, a key of the catalogues of words.
        plans: the rounds of a seed, without end, with this share of irregular ones; the first one is regular.
        play: plays one of them to its end.
        rules_at: the rule table at a speed other than a person's own, where a time of the law should pass as fast.
    """

    config: str
    name: str
    plans: Callable[[int, float], Iterator[P]]
    play: Callable[[Company, P], Awaitable[None]]
    rules_at: Callable[[float], str] | None = None
