"""Steps of a scenario that simulated devices carry out."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Final

from drivers.draw.codec import Drawn
from drivers.shoe import reports
from drivers.shoe.reports import StandBy, Started
from drivers.sim.dice import SimulatedDice
from drivers.sim.draw import SimulatedDraw
from drivers.sim.faults import trigger_for
from drivers.sim.shoe import SimulatedLinkedShoe, SimulatedShoe, encode_report
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.stand import Stand
from drivers.sim.wheel import SimulatedWheel
from tablectl.core.faults import Code
from tablectl.testing.scenarios.scenario import Form
from tablectl.testing.scenarios.vocabulary import DICE_FLAWS

SERIES: Final = ("upper", "lower")
WHEEL_SEED: Final = 11
ON: Final = "spin_on"
"""The one act that goes on when it is done: whoever asks for it ends it."""


Acting = Callable[[Stand, str, str, Form], Awaitable[None]]
"""How a device does an act: as `act_at`."""


async def act_at(stand: Stand, kind: str, act: str, rest: Form) -> None:
    """Have a device, or somebody with it, do something.

    It is over when the device's bytes are on the wire.

    Args:
        kind: of the device, as triggers of faults name it.
        rest: the fields of the act.
    """
    match stand.simulator:
        case SimulatedShoe() as shoe:
            await _at_shoe(shoe, act, rest)
        case SimulatedLinkedShoe() as shoe:
            await _at_linked_shoe(shoe, act, rest)
        case SimulatedDraw() as draw if act == "will_be":
            draw.wanted.append(Drawn(SERIES.index(rest["series"]), rest["combination"]))
        case SimulatedShuffler() as shuffler if act == "deliver":
            for _ in range(rest.get("times", 1)):
                shuffler.deliver_packet(rest["count"])
        case SimulatedDice() as dice if act == "throw":
            dice.throw(rest["faces"], DICE_FLAWS.get(rest.get("flaw", ""), 0))
        case SimulatedWheel() as wheel:
            await WHEEL[act](wheel)
        case _:
            await trigger_for(Code.RESTARTED, kind).begin(stand)


def facts_of(act: str, rest: Form) -> int:
    """How many facts a device's driver reports of an act, at least."""
    if act == "draw":
        return len(str(rest["cards"]).split())
    if act == "deliver":
        return int(rest.get("times", 1))
    return FACTS.get(act, 1)


HAND_S: Final = 0.01
"""A hand is no burst."""

FACTS: Final[Mapping[str, int]] = MappingProxyType(
    {"will_be": 0, "start": 2, ON: 2, "spin": 5, "rest_on_peg": 5, "spin_short": 2}
)
"""Of a spin: its start, each turn, its end."""


def steady_wheel(wheel: SimulatedWheel) -> SimulatedWheel:
    """A wheel in this one's place that is spun the same in every run."""
    again = SimulatedWheel(wheel.port, seed=WHEEL_SEED, speed=0)
    again._encoder._chance = random.Random(WHEEL_SEED)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    return again


async def _at_shoe(shoe: SimulatedShoe, act: str, rest: Form) -> None:
    match act:
        case "draw":
            for card in rest["cards"].split():
                await shoe.draw(card)
                await asyncio.sleep(HAND_S)
        case "draw_unread":
            drawn = reports.CardDrawn(in_game=True, target=reports.Target.PLAYER, index=1, card="2c")
            await shoe.send([encode_report(next(shoe._seqs), drawn)])  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        case "cut":
            await shoe.reach_cut_card()
        case _:
            await shoe.report(Started())
            await shoe.report(StandBy())


async def _at_linked_shoe(shoe: SimulatedLinkedShoe, act: str, rest: Form) -> None:
    match act:
        case "draw":
            for card in rest["cards"].split():
                await shoe.draw(card)
        case "draw_unread":
            await shoe.draw_unreadable()
        case "cut":
            await shoe.reach_cut_card()
        case _:
            shoe.cut_power()


async def _move(wheel: SimulatedWheel) -> None:
    await wheel.move(7.0)


async def _spin_gap(wheel: SimulatedWheel) -> None:
    wheel.skip(0.5, after_s=4.0)
    await wheel.spin(5.0)


async def _spin_slipped(wheel: SimulatedWheel) -> None:
    wheel.slip(60, after_s=4.0)
    await wheel.spin(5.0)


async def _spin_markless(wheel: SimulatedWheel) -> None:
    wheel.lose_mark()
    await wheel.spin(5.0)
    wheel.lose_mark(lost=False)


async def _spin_on(wheel: SimulatedWheel) -> None:
    wheel._speed = 1.0  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    await wheel.spin(6.0)


WHEEL: Final[Mapping[str, Callable[[SimulatedWheel], Awaitable[object]]]] = MappingProxyType(
    {
        "spin": SimulatedWheel.spin,
        "spin_short": SimulatedWheel.spin_short,
        "rest_on_peg": SimulatedWheel.rest_on_peg,
        "move": _move,
        "spin_gap": _spin_gap,
        "spin_back": SimulatedWheel.spin_and_turn_back,
        "spin_slipped": _spin_slipped,
        "spin_markless": _spin_markless,
        ON: _spin_on,
    }
)
"""What a hand does with the wheel."""
