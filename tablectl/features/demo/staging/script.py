"""Script of the demonstration of any game: its parts."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Generic, Protocol, TypeVar

from tablectl.features.demo.staging.console import DemoError, Person, Screen
from tablectl.features.demo.staging.device_actions import Devices
from tablectl.features.demo.staging.plans import Moment, PlannedBet, Refusable
from tablectl.features.demo.staging.view import OVER, PAYING


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
    devices: Devices
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

    async def plug_in(self, name: str) -> None:
        """Put a device's cable back, and wait until the table has it."""
        await self.devices.plug_in(name)
        await self.screen.until(f"{name} is back", lambda now: name in now.attached)

    async def tidy(self) -> None:
        """Tidy up between rounds: bets are paid and collected, faults acknowledged.

        Every fault whose cause is gone gets its signature.
        """
        view = await self.screen.until("the end of the round", lambda now: now.phase in OVER)
        if view.phase == PAYING:
            await self.staff.dealer.do("pay_place")
        await self.sign()

    async def sign(self) -> None:
        """Acknowledges what waits for a person."""
        view = await self.screen.until("a look", lambda _: True)
        for fault in view.faults:
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
    """

    config: str
    name: str
    plans: Callable[[int, float], Iterator[P]]
    play: Callable[[Company, P], Awaitable[None]]
