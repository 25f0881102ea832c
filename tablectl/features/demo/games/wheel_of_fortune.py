"""Demo's rounds at the wheel, from the first bet to the section at the indicator.

A plan follows from the seed and the round's number, never from time.
"""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final, Protocol

from tablectl import words
from tablectl.core.faults import Code
from tablectl.features.demo.console import IDLE, Person, View
from tablectl.features.demo.script import PEOPLE, WHEEL, Company, Moment, PlannedBet, Refusable, numbered

PLACES: Final = 12
SYMBOLS: Final = 7
CHIPS: Final = ("10", "20", "20", "50", "100", "200")


class Rested(Protocol):
    """The wheel at rest after a spin, as everybody at the table sees it."""

    @property
    def turns_milli(self) -> int:
        """Thousandths of a turn."""
        ...

    @property
    def section(self) -> int:
        """The section at the indicator, from 1."""
        ...

    @property
    def on_peg(self) -> bool:
        """True if the indicator rests on a peg."""
        ...


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


STOPPED = "stopped"
A_SECTION_DEG = 7.0


async def play(company: Company, plan: Plan) -> None:
    """Plays one round to its end, whatever that is.

    Raises:
        DemoError: the table did something that the rules don't explain.
    """
    await _Play(company, plan).round()


@dataclass(frozen=True, slots=True)
class _Play:
    """One round at the wheel."""

    company: Company
    plan: Plan

    @property
    def dealer(self) -> Person:
        return self.company.staff.dealer

    async def round(self) -> None:
        """From the first bet to the signatures after the result."""
        await self.company.screen.until("the wheel is there", lambda now: WHEEL in now.attached and now.phase == IDLE)
        await self.dealer.do("open_round")
        await self._take_bets()
        if self.plan.mishap is Mishap.SUPERVISOR_VOID:
            reason = words.text(f"demo.reason.{self.plan.reason}", self.dealer.language)
            await self.company.staff.supervisor.do("void_round", reason=reason)
        else:
            await self._spin_until_valid()
            await self.dealer.do("confirm_spin")
        await self.company.tidy()
        await self.company.pace.take(3.0)

    async def _take_bets(self) -> None:
        plan, pace = self.plan, self.company.pace
        for bet in plan.bets:
            await pace.take(0.5)
            await self.company.bet(bet)
        await self.company.try_in_vain(plan.refused, Moment.IN_TIME)
        if plan.mishap is Mishap.SPUN_EARLY:
            await self.company.devices.wheel.spin(plan.turns)
            await self._until("the early spin is noted", _has(Code.WHEEL_SPIN_OUT_OF_TURN))
        await pace.take(1.0)
        await self.dealer.do("close_betting")
        await self.company.try_in_vain(plan.refused, Moment.TOO_LATE)

    async def _spin_until_valid(self) -> None:
        """Rule: 42/2003 art. 4(3), 4(4)."""
        await self._mishap()
        while (await self._now()).phase != STOPPED:
            await self.company.pace.take(1.5)
            await self._judged(self.company.devices.wheel.spin(self.plan.turns))
        if self.plan.mishap is Mishap.MOVED_AFTER_STOP:
            await self.company.devices.wheel.move(A_SECTION_DEG)
            await self._until("the movement is noted", _has(Code.WHEEL_MOVED_AFTER_STOP))

    async def _mishap(self) -> None:
        """The spin that comes to nothing, where one is planned."""
        wheel = self.company.devices.wheel
        match self.plan.mishap:
            case Mishap.TOO_FEW_TURNS:
                await self._judged(wheel.spin_short())
            case Mishap.ON_PEG:
                await self._judged(wheel.rest_on_peg())
            case Mishap.WHEEL_TOUCHED:
                wheel.touch()
                await self._judged(wheel.spin(self.plan.turns))
            case Mishap.HAND_SEEN:
                if (await self._judged(wheel.spin(self.plan.turns))).phase == STOPPED:
                    await self.company.staff.supervisor.do("invalidate_spin", reason="interference")
            case Mishap.WHEEL_UNPLUGGED:
                await self._unplugged()
            case _:
                pass

    async def _judged(self, spin: Awaitable[Rested]) -> View:
        """Return the table's view after it has judged a spin.

        It has a result to confirm, or one more invalid rotation. Where the sensor is in doubt, a supervisor states
        what the wheel did.
        """
        before = _invalid_rotations(await self._now())
        rested = await spin
        view = await self._until("a word on the spin", lambda now: _is_doubted(now) or _is_judged(now, before))
        if not _is_doubted(view):
            return view
        await self._state(min(rested.turns_milli // 1000, 3), None if rested.on_peg else rested.section)
        return await self._until("a word on what was stated", lambda now: _is_judged(now, before))

    async def _state(self, turns: int, section: int | None) -> None:
        """Rule: 42/2003 art. 5; reading 11."""
        await self.company.staff.supervisor.do("declare_spin", turns=turns, section=section)

    async def _unplugged(self) -> None:
        """Unplug the sensor's cable, and plug it in after one spin.

        A supervisor states that spin, which is a short one.
        """
        await self.company.devices.unplug(WHEEL)
        await self._until("the wheel's sensor is gone", lambda now: WHEEL not in now.attached)
        await self.company.pace.take(2.0)
        await self._state(2, 5)
        await self.company.devices.wheel.plug()
        await self._until("the wheel's sensor is back", lambda now: WHEEL in now.attached)

    async def _now(self) -> View:
        return await self._until("a look", lambda _: True)

    async def _until(self, what: str, holds: Callable[[View], bool]) -> View:
        return await self.company.screen.until(what, holds)


def _invalid_rotations(view: View) -> int:
    return int(view.round["wheel"]["invalid_rotations"])


def _is_doubted(view: View) -> bool:
    return view.round["wheel"]["doubt"] is not None


def _is_judged(view: View, before: int) -> bool:
    return view.phase == STOPPED or _invalid_rotations(view) > before


def _has(code: Code) -> Callable[[View], bool]:
    """Return a check that a view shows this fault."""
    return lambda view: any(fault.code == code for fault in view.faults)
