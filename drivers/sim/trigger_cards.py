"""How faults of shoes and shufflers are brought about."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from drivers.shoe.link_messages import ShoeFault
from drivers.shoe.reports import CardDrawn, ErrorCancelled, ErrorRaised, ShoeError, Target
from drivers.shuffler.messages import FaultCode
from drivers.sim.shoe import SimulatedShoe, encode_report
from drivers.sim.shoe_link import SimulatedLinkedShoe
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.stand import LINKED_SHOE, Stand, Trigger
from drivers.sim.trigger_links import restart
from tablectl.core.faults import Code

UNKNOWN_NUMBER = 42


_ANGEL_EYE: Final = frozenset({"shoe"})
_SHOES: Final = frozenset({"shoe", LINKED_SHOE})


def _shoe_error(error: ShoeError, fault: ShoeFault) -> Trigger:
    """A complaint that both kinds of shoes have, each in its own words."""

    async def begin(stand: Stand) -> None:
        if isinstance(stand.simulator, SimulatedLinkedShoe):
            stand.simulator.raise_fault(fault)
        else:
            await stand.be(SimulatedShoe).raise_error(error)

    async def end(stand: Stand) -> None:
        if isinstance(stand.simulator, SimulatedLinkedShoe):
            stand.simulator.clear_fault(fault)
        else:
            await stand.be(SimulatedShoe).cancel_error(error)

    return Trigger(_SHOES, begin, end)


def _drawn(card: str) -> CardDrawn:
    return CardDrawn(in_game=True, target=Target.PLAYER, index=1, card=card)


async def _unknown_error(stand: Stand) -> None:
    if isinstance(stand.simulator, SimulatedLinkedShoe):
        stand.simulator.raise_fault(UNKNOWN_NUMBER)
    else:
        report = ErrorRaised(UNKNOWN_NUMBER, ShoeError.UNRECOGNISED, error_mode=True)
        await stand.be(SimulatedShoe).report(report)


async def _unknown_error_over(stand: Stand) -> None:
    if isinstance(stand.simulator, SimulatedLinkedShoe):
        stand.simulator.clear_fault(UNKNOWN_NUMBER)
    else:
        report = ErrorCancelled(UNKNOWN_NUMBER, ShoeError.UNRECOGNISED, error_mode=False)
        await stand.be(SimulatedShoe).report(report)


async def _disagree(stand: Stand) -> None:
    await stand.be(SimulatedShoe).disagree(_drawn("2c"), _drawn("3c"), _drawn("2c"))


async def _say_once(stand: Stand) -> None:
    await stand.be(SimulatedShoe).send([encode_report("8", _drawn("2c"))])


def _any_shoe(stand: Stand) -> SimulatedShoe | SimulatedLinkedShoe:
    if isinstance(stand.simulator, SimulatedLinkedShoe):
        return stand.simulator
    return stand.be(SimulatedShoe)


async def _draw_twice(stand: Stand) -> None:
    shoe = _any_shoe(stand)
    await shoe.draw("2c")
    await shoe.draw("2c")


async def _draw_after_cut(stand: Stand) -> None:
    shoe = _any_shoe(stand)
    await shoe.reach_cut_card()
    await shoe.draw("2c")


async def _lock(stand: Stand) -> None:
    await _any_shoe(stand).lock(locked=True)


async def _unlock(stand: Stand) -> None:
    await _any_shoe(stand).lock(locked=False)


SHOE: Final[Mapping[Code, Trigger]] = MappingProxyType(
    {
        Code.SHOE_CANNOT_READ: _shoe_error(ShoeError.CANNOT_READ, ShoeFault.CANNOT_READ),
        Code.SHOE_OVERDRAW: _shoe_error(ShoeError.OVERDRAW, ShoeFault.OVERDRAW),
        Code.SHOE_BUTTON_MISUSE: _shoe_error(ShoeError.BUTTON_MISUSE, ShoeFault.BUTTON_MISUSE),
        Code.SHOE_REVERSE_AT_EXIT: _shoe_error(ShoeError.REVERSE_AT_EXIT, ShoeFault.REVERSE_AT_EXIT),
        Code.SHOE_REVERSE_MIDWAY: _shoe_error(ShoeError.REVERSE_MIDWAY, ShoeFault.REVERSE_MIDWAY),
        Code.SHOE_CARD_CODE: _shoe_error(ShoeError.CARD_CODE_ERROR, ShoeFault.CARD_CODE),
        Code.SHOE_DRAW_TIMEOUT: _shoe_error(ShoeError.DRAW_TIMEOUT, ShoeFault.DRAW_TIMEOUT),
        Code.SHOE_REPEATS_DISAGREE: Trigger(_ANGEL_EYE, _disagree),
        Code.SHOE_UNCONFIRMED: Trigger(_ANGEL_EYE, _say_once),
        Code.SHOE_IMPOSSIBLE_DUPLICATE: Trigger(_SHOES, _draw_twice, needs="a round that is being dealt"),
        Code.SHOE_LOCKED: Trigger(_SHOES, _lock, _unlock),
        Code.SHOE_CARD_AFTER_CUT: Trigger(_SHOES, _draw_after_cut, needs="the round after the cut card's"),
        Code.SHOE_UNKNOWN_ERROR: Trigger(_SHOES, _unknown_error, _unknown_error_over),
    }
)


def _shuffler_fault(fault: FaultCode) -> Trigger:
    async def begin(stand: Stand) -> None:
        stand.be(SimulatedShuffler).raise_fault(fault)

    async def end(stand: Stand) -> None:
        stand.be(SimulatedShuffler).clear_fault(fault)

    return Trigger(frozenset({"shuffler"}), begin, end)


async def _leak_order(stand: Stand) -> None:
    stand.be(SimulatedShuffler).leak_card_order()


SHUFFLER: Final[Mapping[Code, Trigger]] = MappingProxyType(
    {
        Code.SHUFFLER_COUNT_SHORT: _shuffler_fault(FaultCode.COUNT_SHORT),
        Code.SHUFFLER_COUNT_OVER: _shuffler_fault(FaultCode.COUNT_OVER),
        Code.SHUFFLER_MISSING_CARD: _shuffler_fault(FaultCode.MISSING_CARD),
        Code.SHUFFLER_DUPLICATE_CARD: _shuffler_fault(FaultCode.DUPLICATE_CARD),
        Code.SHUFFLER_FOREIGN_CARD: _shuffler_fault(FaultCode.FOREIGN_CARD),
        Code.SHUFFLER_CARD_FACE_UP: _shuffler_fault(FaultCode.CARD_FACE_UP),
        Code.SHUFFLER_UNREADABLE_CARD: _shuffler_fault(FaultCode.UNREADABLE_CARD),
        Code.SHUFFLER_JAM: _shuffler_fault(FaultCode.JAM),
        Code.SHUFFLER_FEED_FAIL: _shuffler_fault(FaultCode.FEED_FAIL),
        Code.SHUFFLER_EXIT_BLOCKED: _shuffler_fault(FaultCode.EXIT_BLOCKED),
        Code.SHUFFLER_TIMEOUT: _shuffler_fault(FaultCode.SHUFFLE_TIMEOUT),
        Code.SHUFFLER_RNG: _shuffler_fault(FaultCode.RNG_FAULT),
        Code.SHUFFLER_CAMERA: _shuffler_fault(FaultCode.CAMERA_FAULT),
        Code.SHUFFLER_LID_OPEN: _shuffler_fault(FaultCode.LID_OPEN),
        Code.SHUFFLER_DECK_CHANGED: _shuffler_fault(FaultCode.DECK_CHANGED_MID_SHUFFLE),
        Code.SHUFFLER_UNKNOWN_ERROR: _shuffler_fault(FaultCode.UNRECOGNISED),
        Code.SHUFFLER_ORDER_RECEIVED: Trigger(frozenset({"shuffler"}), _leak_order),
        Code.SHUFFLER_FAILED_DEALING: Trigger(frozenset({"shuffler"}), restart, needs="a round that it deals"),
    }
)
