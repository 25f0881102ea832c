"""Fault table of the simulators: how each fault is brought about and ended.

The faults that a device on the device link reports by number come from its record. A fault that no simulator can bring
about has its reason beside the table; a test ensures that every device fault of the catalogue is in one of the two.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from drivers.devices import linked, records
from drivers.display.codec import Seen
from drivers.draw.codec import Committed, DrawFault, Drawn
from drivers.shoe.angel_eye import ENQ
from drivers.shoe.link import ShoeFault
from drivers.shoe.reports import CardDrawn, ErrorCancelled, ErrorRaised, ShoeError, Target
from drivers.sim import line
from drivers.sim.dice import SimulatedDice
from drivers.sim.display import SimulatedDisplay
from drivers.sim.draw import SimulatedDraw
from drivers.sim.shoe import SimulatedLinkedShoe, SimulatedShoe, encode_report, frame_report
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.stand import LED_BOARD, LINKED_SHOE, Act, CannotTriggerError, Stand, Trigger, plug, unplug
from drivers.sim.wheel import SimulatedWheel
from tablectl.core.faults import Code

SPOILED_FRAMES: Final = 5
UNKNOWN_NUMBER: Final = 42
NEVER_S: Final = 3600.0
FOREIGN_ID: Final = 0xF0E1_D2C3_B4A5_9687
SPIN_TURNS: Final = 5.0
MID_SPIN_S: Final = 4.0
COMMANDED: Final = "a command to the device"

_ALL: Final = frozenset(device.name for device in records())
_LINKED: Final = frozenset(device.name for device in linked())
_COMMANDED: Final = frozenset(device.name for device in linked() if device.commands)
_ANGEL_EYE: Final = frozenset({"shoe"})
_SHOES: Final = frozenset({"shoe", LINKED_SHOE})
_SHUFFLER: Final = frozenset({"shuffler"})
_DRAW: Final = frozenset({"draw"})
_DISPLAY: Final = frozenset({"display"})
_WHEEL: Final = frozenset({"wheel"})
_DICE: Final = frozenset({"dice"})


def _reported(name: str, number: int) -> Trigger:
    """A fault that a device on our link reports by this number."""

    async def begin(stand: Stand) -> None:
        stand.linked.raise_fault(number)

    async def end(stand: Stand) -> None:
        stand.linked.clear_fault(number)

    return Trigger(frozenset({name}), begin, end)


# --- what comes over the line -----------------------------------------------------------------------------------------


async def _spoil(stand: Stand) -> None:
    """The line damages a few frames."""
    match stand.simulator:
        case SimulatedShoe():
            stand.port.inject(bytes((ENQ,)).join([b"", *[b"1D\x81\xb8\x0300"] * SPOILED_FRAMES]))
        case SimulatedWheel():
            stand.port.inject(b"s 0E ????\r\n" * SPOILED_FRAMES)
        case _:
            stand.port.inject(b"\0" + b"\x07spoiled\0" * SPOILED_FRAMES)


async def _burst(stand: Stand) -> None:
    """The adapter hangs while cards are drawn, and gives them all at once."""
    stand.port.stall()
    for card in ("2c", "3c", "4c"):
        await stand.be(SimulatedShoe).draw(card)
    stand.port.resume()


async def _say_unknown(stand: Stand) -> None:
    if isinstance(stand.simulator, SimulatedShoe):
        await stand.simulator.send([frame_report("7", b"Z")] * 3)
    else:
        stand.line.send_event(bytes((line.UNKNOWN_KIND,)))


# --- shoes ------------------------------------------------------------------------------------------------------------


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


async def _leak_order(stand: Stand) -> None:
    stand.be(SimulatedShuffler).leak_card_order()


# --- draw systems and displays ----------------------------------------------------------------------------------------


async def _stick(stand: Stand) -> None:
    draw = stand.be(SimulatedDraw)
    draw.stuck = 1
    draw.cycle(line.EVENTS_KEPT)


async def _bias(stand: Stand) -> None:
    draw = stand.be(SimulatedDraw)
    draw.biased = True
    draw.cycle(1 << 16)


async def _start_stuck(stand: Stand) -> None:
    draw = stand.be(SimulatedDraw)
    draw.stuck = 1
    draw.cut_power()


def _mend(*numbers: int) -> Act:
    """The source is repaired, and a supervised self-test says so."""

    async def mend(stand: Stand) -> None:
        draw = stand.be(SimulatedDraw)
        draw.stuck, draw.biased = None, False
        draw.watch.restart()
        for number in numbers:
            draw.clear_fault(number)
        draw.cycle(1024)

    return mend


async def _draw_nonsense(stand: Stand) -> None:
    stand.be(SimulatedDraw).wanted.append(Drawn(7, 12))


async def _change_mind(stand: Stand) -> None:
    """The device tells another result for the last draw."""
    draw = stand.be(SimulatedDraw)
    if not draw.draws:
        raise CannotTriggerError("nothing was drawn yet")
    last = draw.draws[-1]
    for other in (Drawn(0, 1), Drawn(1, 2)):  # at least one of them differs
        draw.falsify(last, other)
        draw.send(Committed(last, other))


async def _draw_unasked(stand: Stand) -> None:
    draw = stand.be(SimulatedDraw)
    draw.send(Committed(FOREIGN_ID, Drawn(0, 1)))


async def _draw_for_ever(stand: Stand) -> None:
    stand.be(SimulatedDraw).draw_s = NEVER_S


async def _draw_again(stand: Stand) -> None:
    """It loses its power, which ends the draw that hung."""
    draw = stand.be(SimulatedDraw)
    draw.draw_s = 0.0
    draw.cut_power()


async def _show_wrongly(stand: Stand) -> None:
    stand.be(SimulatedDisplay).broken = Seen.TEST_PATTERN


async def _show_rightly(stand: Stand) -> None:
    stand.be(SimulatedDisplay).broken = None


# --- wheels and dice --------------------------------------------------------------------------------------------------


async def _forget_position(stand: Stand) -> None:
    await unplug(stand)
    await plug(stand)


async def _spin(stand: Stand) -> None:
    await stand.be(SimulatedWheel).spin(SPIN_TURNS)


async def _lose_mark(stand: Stand) -> None:
    stand.be(SimulatedWheel).lose_mark()
    await _spin(stand)


async def _find_mark(stand: Stand) -> None:
    stand.be(SimulatedWheel).lose_mark(lost=False)
    await _spin(stand)


async def _mark_falsely(stand: Stand) -> None:
    stand.be(SimulatedWheel).mark_falsely()
    await _spin(stand)


def _slip(counts: int) -> Act:
    async def slip(stand: Stand) -> None:
        stand.be(SimulatedWheel).slip(counts, after_s=MID_SPIN_S)
        await _spin(stand)

    return slip


async def _jump(stand: Stand) -> None:
    stand.be(SimulatedWheel).slip(3000)


async def _skip(stand: Stand) -> None:
    wheel = stand.be(SimulatedWheel)
    wheel.skip(0.5, after_s=MID_SPIN_S)
    await _spin(stand)


async def _turn_for_ever(stand: Stand) -> None:
    await stand.be(SimulatedWheel).keep_turning(90.0)


async def _move(stand: Stand) -> None:
    await stand.be(SimulatedWheel).move(7.0)


async def _throw(stand: Stand) -> None:
    stand.be(SimulatedDice).throw()


_OWN: Final[Mapping[Code, Trigger]] = MappingProxyType(
    {
        Code.LINK_LOST: Trigger(_ALL, unplug, plug),
        Code.PORT_MISSING: Trigger(_ALL, unplug, plug),
        Code.PORT_BUSY: Trigger(_ALL, line.occupy, line.free),
        Code.SILENT: Trigger(_LINKED | {"wheel"}, line.fall_silent, line.speak_again),
        Code.WRONG_DEVICE: Trigger(_LINKED, line.pose, line.be_itself),
        Code.CORRUPT_FRAMES: Trigger(_ALL - {LED_BOARD, "display"}, _spoil),
        Code.EVENT_GAP: Trigger(_LINKED, line.lose_events),
        Code.BACKLOG_BURST: Trigger(frozenset({"shoe"}), _burst),
        Code.UNANSWERED: Trigger(_LINKED - {LINKED_SHOE}, line.go_deaf, line.hear_again, needs=COMMANDED),
        Code.REFUSED_BY_DEVICE: Trigger(_COMMANDED, line.refuse, line.obey, needs=COMMANDED),
        Code.UNKNOWN_MESSAGE: Trigger(_LINKED | {"shoe"}, _say_unknown),
        Code.RESTARTED: Trigger(_LINKED, line.restart),
        Code.PORT_CHANGED: Trigger(_ALL, line.disturb),
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
        Code.SHUFFLER_ORDER_RECEIVED: Trigger(_SHUFFLER, _leak_order),
        Code.SHUFFLER_FAILED_DEALING: Trigger(_SHUFFLER, line.restart, needs="a round that it deals"),
        Code.DRAW_RNG_REPETITION: Trigger(_DRAW, _stick, _mend(DrawFault.RNG_REPETITION)),
        Code.DRAW_RNG_PROPORTION: Trigger(_DRAW, _bias, _mend(DrawFault.RNG_PROPORTION)),
        Code.DRAW_RNG_STARTUP: Trigger(_DRAW, _start_stuck, _mend(*DrawFault)),
        Code.DRAW_VALUES_OUT_OF_RANGE: Trigger(_DRAW, _draw_nonsense, needs="the next draw"),
        Code.DRAW_ID_CONFLICT: Trigger(_DRAW, _change_mind, needs="a draw before it"),
        Code.DRAW_OUT_OF_TURN: Trigger(_DRAW, _draw_unasked),
        Code.DRAW_TIMEOUT: Trigger(_DRAW, _draw_for_ever, _draw_again, needs="the next draw"),
        Code.DRAW_UNKNOWN_ERROR: _reported("draw", UNKNOWN_NUMBER),
        Code.DISPLAY_MISMATCH: Trigger(_DISPLAY, _show_wrongly, _show_rightly, needs="the next picture"),
        Code.WHEEL_POSITION_UNKNOWN: Trigger(_WHEEL, _forget_position, _spin),
        Code.WHEEL_INDEX_MISSING: Trigger(_WHEEL, _lose_mark, _find_mark),
        Code.WHEEL_INDEX_EXTRA: Trigger(_WHEEL, _mark_falsely, _spin),
        Code.WHEEL_DRIFT: Trigger(_WHEEL, _slip(6), _spin),
        Code.WHEEL_DRIFT_BLOCKS: Trigger(_WHEEL, _slip(60), _spin),
        Code.WHEEL_SAMPLE_GAP: Trigger(_WHEEL, _skip, _spin),
        Code.WHEEL_IMPOSSIBLE_SPEED: Trigger(_WHEEL, _jump, _spin),
        Code.WHEEL_SPIN_TIMEOUT: Trigger(_WHEEL, _turn_for_ever),
        Code.WHEEL_SPIN_OUT_OF_TURN: Trigger(_WHEEL, _spin, needs="a wheel that isn't to be spun"),
        Code.WHEEL_UNEXPECTED_MOTION: Trigger(_WHEEL, _move, needs="a wheel at rest, and no result shown"),
        Code.WHEEL_MOVED_AFTER_STOP: Trigger(_WHEEL, _move, needs="a result that isn't confirmed yet"),
        Code.DICE_OUT_OF_TURN: Trigger(_DICE, _throw, needs="a round in which no throw is due"),
    }
)
TRIGGERS: Final[Mapping[Code, Trigger]] = MappingProxyType(
    {
        **{code: _reported(device.name, number) for device in linked() for number, code in device.faults.items()},
        **_OWN,
    }
)

NOT_HERE: Final[Mapping[Code, str]] = MappingProxyType(
    {
        Code.DEVICE_FLOODS: "it takes more than a thousand reports at once",
        Code.SHOE_CARDS_DISAGREE: "a person at the console names other cards than the shoe read",
        Code.WHEEL_INDICATOR_DIFFERS: "a person at the console states another section than the sensor read",
        Code.WHEEL_QUADRATURE: "a QSB says nothing of it; our USB sensor does, whose bus is simulated inside a test",
        Code.WHEEL_ENCODER_WORD: "a QSB says nothing of it; our USB sensor does, whose bus is simulated inside a test",
        Code.WHEEL_SECOND_SENSOR: "no second sensor is connected, so no driver reports it",
        Code.WHEEL_CALIBRATION: "a table of pegs that can't be used stops the start; no driver reports it",
    }
)
"""The faults that can't come from a simulator at a port, with the reason."""


def trigger_for(code: int, kind: str) -> Trigger:
    """The trigger of the fault of this number at a device of this kind.

    Raises:
        CannotTriggerError: there is no such fault, or it can't be brought about there.
    """
    known = next((item for item in Code if item == code), None)
    if known is None:
        raise CannotTriggerError(f"the catalogue has no fault {code}")
    trigger = TRIGGERS.get(known)
    if trigger is None:
        raise CannotTriggerError(f"fault {code} has no trigger: {NOT_HERE.get(known, 'it is no fault of a device')}")
    if kind not in trigger.kinds:
        raise CannotTriggerError(
            f"fault {code} can't come from a {kind}, only from: {', '.join(sorted(trigger.kinds))}"
        )
    return trigger
