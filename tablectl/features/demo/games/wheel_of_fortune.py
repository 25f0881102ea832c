"""Demo's rounds at the wheel, from the first bet to the section at the indicator.

A plan follows from the seed and the round's number, never from time.
"""

from collections.abc import Awaitable, Callable, Iterator
from enum import StrEnum
from random import Random
from typing import Any, Final

from tablectl.core.faults import Code
from tablectl.features.demo.console import View
from tablectl.features.demo.course import play_by
from tablectl.features.demo.customs import EVERYWHERE, Custom
from tablectl.features.demo.playing import Playing
from tablectl.features.demo.script import WHEEL, Company, Moment, Refusable, numbered
from tablectl.lazy_dataclass import dataclass
from tablectl.players.moves import PEOPLE, Ask, Move, PlannedBet, Spin
from tablectl.players.wheel_of_fortune import next_move

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


MISHAPS: Final = (*Mishap, *EVERYWHERE)
"""All that may come up in a round of this game."""


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
    mishap: Mishap | Custom | None
    reason: int


def plans(seed: int, irregular: float) -> Iterator[Plan]:
    """The rounds of this seed, without end.

    Args:
        irregular: share of the rounds in which something goes wrong, 0 to 1. The first one is always regular.
    """
    for number, chance, mishap in numbered(seed, irregular, MISHAPS):
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
    await play_by(next_move, company, plan, _strike, {WHEEL})


async def _strike(playing: Playing, view: View, move: Move) -> bool:
    company = playing.company
    await playing.try_in_vain(view, move)
    match move:
        case Ask("close_betting") if playing.strikes(Mishap.SUPERVISOR_VOID):
            await playing.void()
            return True
        case Ask("close_betting") if playing.strikes(Mishap.SPUN_EARLY):
            await company.devices.wheel.spin(playing.plan.turns)
            await company.screen.until("the early spin is noted", _has(Code.WHEEL_SPIN_OUT_OF_TURN))
        case Ask("confirm_spin") if playing.strikes(Mishap.MOVED_AFTER_STOP):
            await company.devices.wheel.move(A_SECTION_DEG)
            await company.screen.until("the movement is noted", _has(Code.WHEEL_MOVED_AFTER_STOP))
        case Spin(turns):
            await company.pace.take(1.5)
            if not await _spin_amiss(playing, turns):
                await _judged(playing, company.devices.wheel.spin(turns))
            return True
        case _:
            pass
    return False


async def _spin_amiss(playing: Playing, turns: float) -> bool:
    """Make the spin that comes to nothing; return True if one was planned."""
    wheel, mishap = playing.company.devices.wheel, playing.plan.mishap
    if mishap is Mishap.MOVED_AFTER_STOP or not playing.strikes(*Mishap):
        return False
    match mishap:
        case Mishap.TOO_FEW_TURNS:
            await _judged(playing, wheel.spin_short())
        case Mishap.ON_PEG:
            await _judged(playing, wheel.rest_on_peg())
        case Mishap.WHEEL_TOUCHED:
            wheel.touch()
            await _judged(playing, wheel.spin(turns))
        case Mishap.HAND_SEEN:
            if (await _judged(playing, wheel.spin(turns))).phase == STOPPED:
                await playing.company.staff.supervisor.do("invalidate_spin", reason="interference")
        case _:  # it is unplugged
            await _unplugged(playing.company)
    return True


async def _judged(playing: Playing, spin: Awaitable[Any]) -> View:
    """Return the table's view after it has judged a spin, or doubts it.

    It has a result to confirm, or one more invalid rotation. Where the sensor is in doubt, a supervisor states
    what the wheel did.
    """
    before = _invalid_rotations(await playing.company.look())
    playing.rested = await spin
    return await playing.company.screen.until(
        "a word on the spin",
        lambda now: now.round["wheel"]["doubt"] or now.phase == STOPPED or _invalid_rotations(now) > before,
    )


async def _unplugged(company: Company) -> None:
    """Unplug the sensor's cable, and plug it in after one spin.

    A supervisor states that spin, which is a short one.
    """
    await company.unplug(WHEEL)
    await company.pace.take(2.0)
    await company.staff.supervisor.do("declare_spin", turns=2, section=5)
    await company.devices.wheel.plug()
    await company.screen.until("the wheel's sensor is back", lambda now: WHEEL in now.attached)


def _invalid_rotations(view: View) -> int:
    return int(view.round["wheel"]["invalid_rotations"])


def _has(code: Code) -> Callable[[View], bool]:
    """Return a check that a view shows this fault."""
    return lambda view: any(fault.code == code for fault in view.faults)
