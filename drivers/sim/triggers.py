"""How each fault of the catalogue is brought about: what a simulated device or its cable has to do for it.

A fault that no simulator can bring about has its reason beside the table; a test sees to it that every device fault
of the catalogue is in one of the two.
"""

import asyncio
import fcntl
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeVar

from drivers.buzzer.messages import BuzzerFault
from drivers.dice.messages import DiceFault
from drivers.display.messages import DisplayFault, Seen
from drivers.draw.codec import encode_event as encode_draw_event
from drivers.draw.messages import Committed, DrawFault, Drawn
from drivers.identity import Identity, Kind
from drivers.messages import Refused, encode_reply
from drivers.shoe.angel_eye import ENQ
from drivers.shoe.reports import CardDrawn, ErrorCancelled, ErrorRaised, ShoeError, Target
from drivers.shuffler.messages import FaultCode
from drivers.sim.buzzer import SimulatedBuzzer
from drivers.sim.dice import SimulatedDice
from drivers.sim.display import SimulatedDisplay
from drivers.sim.draw import SimulatedDraw
from drivers.sim.linked import LinkEnd
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedShoe, encode_report, frame_report
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.wheel import SimulatedWheel
from tablectl.core.faults import Code

T = TypeVar("T")

Linked = SimulatedShuffler | SimulatedDice | SimulatedDraw | SimulatedDisplay | SimulatedBuzzer
Simulator = Linked | SimulatedShoe | SimulatedWheel

LINKED: Final = frozenset({"shuffler", "dice", "draw", "display", "buzzer"})
ANY: Final = LINKED | {"shoe", "wheel"}
UNKNOWN_NUMBER = 42
EVENTS_KEPT = 64
SPOILED_FRAMES = 5
NEVER_S = 3600.0
UNKNOWN_KIND = 0x63
FOREIGN_ID = 0xF0E1_D2C3_B4A5_9687


class CannotTriggerError(Exception):
    """This fault can't be brought about at this device: why."""


@dataclass(slots=True)
class Stand:
    """One simulated device at its port, and what was done to it.

    Args:
        held: descriptors that keep the port busy.
    """

    simulator: Simulator
    port: PtyEnd
    held: int | None = None

    def be(self, kind: type[T]) -> T:
        """The simulator as one of this kind.

        Raises:
            CannotTriggerError: it is none.
        """
        if not isinstance(self.simulator, kind):
            msg = f"this fault belongs to a {kind.__name__.removeprefix('Simulated').lower()}"
            raise CannotTriggerError(msg)
        return self.simulator

    @property
    def line(self) -> LinkEnd:
        """Its end of our link.

        Raises:
            CannotTriggerError: it isn't on our link.
        """
        if isinstance(self.simulator, SimulatedShoe | SimulatedWheel):
            raise CannotTriggerError("this fault belongs to a device on our link")
        return self.simulator.line


Act = Callable[[Stand], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Trigger:
    """How one fault comes and goes.

    Args:
        kinds: the devices that can have it.
        begin: brings its cause about.
        end: takes the cause away; None where it is over at once.
        needs: what has to happen at the table before the fault is told; empty where nothing has to.
    """

    kinds: frozenset[str]
    begin: Act
    end: Act | None = None
    needs: str = ""


# --- cables and links -------------------------------------------------------------------------------------------------


async def unplug(stand: Stand) -> None:
    """Pulls the cable."""
    if isinstance(stand.simulator, SimulatedWheel):
        await stand.simulator.unplug()
    else:
        await stand.port.unplug()


async def plug(stand: Stand) -> None:
    """Puts the cable back."""
    if stand.held is not None:
        os.close(stand.held)
        stand.held = None
    if isinstance(stand.simulator, SimulatedWheel):
        await stand.simulator.plug()
    else:
        await stand.port.plug()


async def _occupy(stand: Stand) -> None:
    """Another program gets hold of the port before the table does."""
    while stand.held is None:
        await unplug(stand)
        await plug(stand)
        taken = await asyncio.to_thread(os.open, stand.port.path, os.O_RDWR | os.O_NOCTTY)
        try:
            fcntl.flock(taken, fcntl.LOCK_EX | fcntl.LOCK_NB)
            stand.held = taken
        except BlockingIOError:
            os.close(taken)


async def _free(stand: Stand) -> None:
    if stand.held is not None:
        os.close(stand.held)
        stand.held = None


async def _fall_silent(stand: Stand) -> None:
    stand.port.stall()


async def _speak_again(stand: Stand) -> None:
    stand.port.resume()


async def _pose(stand: Stand) -> None:
    kind = Kind.DICE if not isinstance(stand.simulator, SimulatedDice) else Kind.BUZZER
    stand.line.pose_as(_identity(kind))


async def _be_itself(stand: Stand) -> None:
    stand.line.pose_as(_identity(_KINDS[type(stand.simulator)]))


def _identity(kind: Kind) -> Identity:
    return Identity("tablectl", "simulated", "SIM-1", "00" * 8, 1, 0, simulated=True, kind=kind)


_KINDS: Final[Mapping[type, Kind]] = MappingProxyType(
    {
        SimulatedShuffler: Kind.SHUFFLER,
        SimulatedDice: Kind.DICE,
        SimulatedDraw: Kind.DRAW,
        SimulatedDisplay: Kind.DISPLAY,
        SimulatedBuzzer: Kind.BUZZER,
    }
)


async def _spoil(stand: Stand) -> None:
    """The line damages a few frames."""
    match stand.simulator:
        case SimulatedShoe():
            stand.port.inject(bytes((ENQ,)).join([b"", *[b"1D\x81\xb8\x0300"] * SPOILED_FRAMES]))
        case SimulatedWheel():
            stand.port.inject(b"s 0E ????\r\n" * SPOILED_FRAMES)
        case _:
            stand.port.inject(b"\0" + b"\x07spoiled\0" * SPOILED_FRAMES)


async def _lose_events(stand: Stand) -> None:
    """The cable is out while more events happen than the device can keep."""
    await stand.port.unplug()
    for _ in range(EVENTS_KEPT + 1):
        stand.line.tell(bytes((UNKNOWN_KIND,)))
    await stand.port.plug()


async def _burst(stand: Stand) -> None:
    """The adapter hangs while cards are drawn, and gives them all at once."""
    stand.port.stall()
    for card in ("2c", "3c", "4c"):
        await stand.be(SimulatedShoe).draw(card)
    stand.port.resume()


async def _go_deaf(stand: Stand) -> None:
    """It tells what it tells, and hears no command."""
    stand.line.port.on_bytes = None


async def _hear_again(stand: Stand) -> None:
    stand.line.port.on_bytes = stand.line.hear


async def _refuse(stand: Stand) -> None:
    stand.line.answer = lambda _body: encode_reply(Refused(UNRECOGNISED))


async def _obey(stand: Stand) -> None:
    stand.line.answer = None


UNRECOGNISED: Final = 255
"""The number of a reason that is in no list of a device."""


async def _say_unknown(stand: Stand) -> None:
    if isinstance(stand.simulator, SimulatedShoe):
        await stand.simulator.send([frame_report("7", b"Z")] * 3)
    else:
        stand.line.tell(bytes((UNKNOWN_KIND,)))


async def _restart(stand: Stand) -> None:
    match stand.simulator:
        case SimulatedShuffler() as shuffler:
            shuffler.reboot()
        case SimulatedDice() | SimulatedDraw() | SimulatedDisplay() | SimulatedBuzzer() as device:
            device.cut_power()
        case SimulatedShoe() | SimulatedWheel():
            raise CannotTriggerError("this device doesn't tell one start from another")


_LINKS: Final[Mapping[Code, Trigger]] = MappingProxyType(
    {
        Code.LINK_LOST: Trigger(ANY, unplug, plug),
        Code.PORT_MISSING: Trigger(ANY, unplug, plug),
        Code.PORT_BUSY: Trigger(ANY, _occupy, _free),
        Code.SILENT: Trigger(LINKED | {"wheel"}, _fall_silent, _speak_again),
        Code.WRONG_DEVICE: Trigger(LINKED, _pose, _be_itself),
        Code.CORRUPT_FRAMES: Trigger(ANY - {"display"}, _spoil),
        Code.EVENT_GAP: Trigger(LINKED, _lose_events),
        Code.BACKLOG_BURST: Trigger(frozenset({"shoe"}), _burst),
        Code.UNANSWERED: Trigger(LINKED, _go_deaf, _hear_again, needs="a command to the device"),
        Code.REFUSED_BY_DEVICE: Trigger(LINKED - {"dice"}, _refuse, _obey, needs="a command to the device"),
        Code.UNKNOWN_MESSAGE: Trigger(LINKED | {"shoe"}, _say_unknown),
        Code.RESTARTED: Trigger(LINKED, _restart),
    }
)


# --- shoe -------------------------------------------------------------------------------------------------------------


def _shoe_error(error: ShoeError) -> Trigger:
    async def begin(stand: Stand) -> None:
        await stand.be(SimulatedShoe).raise_error(error)

    async def end(stand: Stand) -> None:
        await stand.be(SimulatedShoe).cancel_error(error)

    return Trigger(frozenset({"shoe"}), begin, end)


def _drawn(card: str) -> CardDrawn:
    return CardDrawn(in_game=True, target=Target.PLAYER, index=1, card=card)


async def _unknown_error(stand: Stand) -> None:
    await stand.be(SimulatedShoe).report(ErrorRaised(UNKNOWN_NUMBER, ShoeError.UNRECOGNISED, error_mode=True))


async def _unknown_error_over(stand: Stand) -> None:
    await stand.be(SimulatedShoe).report(ErrorCancelled(UNKNOWN_NUMBER, ShoeError.UNRECOGNISED, error_mode=False))


async def _disagree(stand: Stand) -> None:
    await stand.be(SimulatedShoe).disagree(_drawn("2c"), _drawn("3c"), _drawn("2c"))


async def _say_once(stand: Stand) -> None:
    await stand.be(SimulatedShoe).send([encode_report("8", _drawn("2c"))])


async def _draw_twice(stand: Stand) -> None:
    shoe = stand.be(SimulatedShoe)
    await shoe.draw("2c")
    await shoe.draw("2c")


async def _draw_after_cut(stand: Stand) -> None:
    shoe = stand.be(SimulatedShoe)
    await shoe.reach_cut_card()
    await shoe.draw("2c")


async def _lock(stand: Stand) -> None:
    await stand.be(SimulatedShoe).lock(locked=True)


async def _unlock(stand: Stand) -> None:
    await stand.be(SimulatedShoe).lock(locked=False)


_SHOE_ONLY: Final = frozenset({"shoe"})
_SHOE: Final[Mapping[Code, Trigger]] = MappingProxyType(
    {
        Code.SHOE_CANNOT_READ: _shoe_error(ShoeError.CANNOT_READ),
        Code.SHOE_OVERDRAW: _shoe_error(ShoeError.OVERDRAW),
        Code.SHOE_BUTTON_MISUSE: _shoe_error(ShoeError.BUTTON_MISUSE),
        Code.SHOE_REVERSE_AT_EXIT: _shoe_error(ShoeError.REVERSE_AT_EXIT),
        Code.SHOE_REVERSE_MIDWAY: _shoe_error(ShoeError.REVERSE_MIDWAY),
        Code.SHOE_CARD_CODE: _shoe_error(ShoeError.CARD_CODE_ERROR),
        Code.SHOE_DRAW_TIMEOUT: _shoe_error(ShoeError.DRAW_TIMEOUT),
        Code.SHOE_REPEATS_DISAGREE: Trigger(_SHOE_ONLY, _disagree),
        Code.SHOE_UNCONFIRMED: Trigger(_SHOE_ONLY, _say_once),
        Code.SHOE_IMPOSSIBLE_DUPLICATE: Trigger(_SHOE_ONLY, _draw_twice, needs="a round that is being dealt"),
        Code.SHOE_LOCKED: Trigger(_SHOE_ONLY, _lock, _unlock),
        Code.SHOE_CARD_AFTER_CUT: Trigger(_SHOE_ONLY, _draw_after_cut, needs="the round after the cut card's"),
        Code.SHOE_UNKNOWN_ERROR: Trigger(_SHOE_ONLY, _unknown_error, _unknown_error_over),
    }
)


# --- shuffler ---------------------------------------------------------------------------------------------------------


def _shuffler_fault(fault: FaultCode) -> Trigger:
    async def begin(stand: Stand) -> None:
        stand.be(SimulatedShuffler).raise_fault(fault)

    async def end(stand: Stand) -> None:
        stand.be(SimulatedShuffler).clear_fault(fault)

    return Trigger(frozenset({"shuffler"}), begin, end)


async def _leak_order(stand: Stand) -> None:
    stand.be(SimulatedShuffler).leak_card_order()


_SHUFFLER: Final[Mapping[Code, Trigger]] = MappingProxyType(
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
        Code.SHUFFLER_FAILED_DEALING: Trigger(frozenset({"shuffler"}), _restart, needs="a round that it deals"),
    }
)


# --- draw system and display ------------------------------------------------------------------------------------------

_DRAW_ONLY: Final = frozenset({"draw"})
_DISPLAY_ONLY: Final = frozenset({"display"})


def _draw_fault(number: int) -> Trigger:
    async def begin(stand: Stand) -> None:
        stand.be(SimulatedDraw).raise_fault(number)

    async def end(stand: Stand) -> None:
        stand.be(SimulatedDraw).clear_fault(number)

    return Trigger(_DRAW_ONLY, begin, end)


def _display_fault(number: int) -> Trigger:
    async def begin(stand: Stand) -> None:
        stand.be(SimulatedDisplay).raise_fault(number)

    async def end(stand: Stand) -> None:
        stand.be(SimulatedDisplay).clear_fault(number)

    return Trigger(_DISPLAY_ONLY, begin, end)


async def _stick(stand: Stand) -> None:
    draw = stand.be(SimulatedDraw)
    draw.stuck = 1
    draw.cycle(EVENTS_KEPT)


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
        draw.line.tell(encode_draw_event(Committed(last, other)))


async def _draw_unasked(stand: Stand) -> None:
    draw = stand.be(SimulatedDraw)
    draw.line.tell(encode_draw_event(Committed(FOREIGN_ID, Drawn(0, 1))))


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


_DRAW: Final[Mapping[Code, Trigger]] = MappingProxyType(
    {
        Code.DRAW_RNG_REPETITION: Trigger(_DRAW_ONLY, _stick, _mend(DrawFault.RNG_REPETITION)),
        Code.DRAW_RNG_PROPORTION: Trigger(_DRAW_ONLY, _bias, _mend(DrawFault.RNG_PROPORTION)),
        Code.DRAW_RNG_STARTUP: Trigger(_DRAW_ONLY, _start_stuck, _mend(*DrawFault)),
        Code.DRAW_ENTROPY_SLOW: _draw_fault(DrawFault.ENTROPY_SLOW),
        Code.DRAW_VALUES_OUT_OF_RANGE: Trigger(_DRAW_ONLY, _draw_nonsense, needs="the next draw"),
        Code.DRAW_ID_CONFLICT: Trigger(_DRAW_ONLY, _change_mind, needs="a draw before it"),
        Code.DRAW_OUT_OF_TURN: Trigger(_DRAW_ONLY, _draw_unasked),
        Code.DRAW_TIMEOUT: Trigger(_DRAW_ONLY, _draw_for_ever, _draw_again, needs="the next draw"),
        Code.DRAW_STORAGE: _draw_fault(DrawFault.STORAGE),
        Code.DRAW_UNKNOWN_ERROR: _draw_fault(UNKNOWN_NUMBER),
        Code.DISPLAY_MISMATCH: Trigger(_DISPLAY_ONLY, _show_wrongly, _show_rightly, needs="the next picture"),
        Code.DISPLAY_SEGMENT: _display_fault(DisplayFault.SEGMENT),
        Code.DISPLAY_STALE: _display_fault(DisplayFault.STALE),
    }
)


# --- wheel ------------------------------------------------------------------------------------------------------------

_WHEEL_ONLY: Final = frozenset({"wheel"})
SPIN_TURNS = 5.0


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
        stand.be(SimulatedWheel).slip(counts)
        await _spin(stand)

    return slip


async def _jump(stand: Stand) -> None:
    stand.be(SimulatedWheel).slip(3000)


async def _skip(stand: Stand) -> None:
    wheel = stand.be(SimulatedWheel)
    wheel.skip(0.5, after_s=2.5)
    await _spin(stand)


async def _turn_for_ever(stand: Stand) -> None:
    await stand.be(SimulatedWheel).keep_turning(90.0)


async def _move(stand: Stand) -> None:
    await stand.be(SimulatedWheel).move(7.0)


_WHEEL: Final[Mapping[Code, Trigger]] = MappingProxyType(
    {
        Code.WHEEL_POSITION_UNKNOWN: Trigger(_WHEEL_ONLY, _forget_position, _spin),
        Code.WHEEL_INDEX_MISSING: Trigger(_WHEEL_ONLY, _lose_mark, _find_mark),
        Code.WHEEL_INDEX_EXTRA: Trigger(_WHEEL_ONLY, _mark_falsely, _spin),
        Code.WHEEL_DRIFT: Trigger(_WHEEL_ONLY, _slip(5), _spin),
        Code.WHEEL_DRIFT_BLOCKS: Trigger(_WHEEL_ONLY, _slip(60), _spin),
        Code.WHEEL_SAMPLE_GAP: Trigger(_WHEEL_ONLY, _skip, _spin),
        Code.WHEEL_IMPOSSIBLE_SPEED: Trigger(_WHEEL_ONLY, _jump, _spin),
        Code.WHEEL_SPIN_TIMEOUT: Trigger(_WHEEL_ONLY, _turn_for_ever),
        Code.WHEEL_SPIN_OUT_OF_TURN: Trigger(_WHEEL_ONLY, _spin, needs="a wheel that isn't to be spun"),
        Code.WHEEL_UNEXPECTED_MOTION: Trigger(_WHEEL_ONLY, _move, needs="a wheel at rest, and no result shown"),
        Code.WHEEL_MOVED_AFTER_STOP: Trigger(_WHEEL_ONLY, _move, needs="a result that isn't confirmed yet"),
    }
)


# --- dice and buzzer --------------------------------------------------------------------------------------------------

_DICE_ONLY: Final = frozenset({"dice"})


def _dice_fault(fault: DiceFault) -> Trigger:
    async def begin(stand: Stand) -> None:
        stand.be(SimulatedDice).raise_fault(fault)

    async def end(stand: Stand) -> None:
        stand.be(SimulatedDice).clear_fault(fault)

    return Trigger(_DICE_ONLY, begin, end)


def _buzzer_fault(fault: BuzzerFault) -> Trigger:
    async def begin(stand: Stand) -> None:
        stand.be(SimulatedBuzzer).raise_fault(fault)

    async def end(stand: Stand) -> None:
        stand.be(SimulatedBuzzer).clear_fault(fault)

    return Trigger(frozenset({"buzzer"}), begin, end)


async def _throw(stand: Stand) -> None:
    stand.be(SimulatedDice).throw()


_DICE_AND_BUZZER: Final[Mapping[Code, Trigger]] = MappingProxyType(
    {
        Code.DICE_MOTION: _dice_fault(DiceFault.MOTION),
        Code.DICE_NO_ACK: _dice_fault(DiceFault.NO_ACK),
        Code.DICE_SHAKE_TIMEOUT: _dice_fault(DiceFault.SHAKE_TIMEOUT),
        Code.DICE_SHAKE_WEAK: _dice_fault(DiceFault.SHAKE_WEAK),
        Code.DICE_COVER_OPEN: _dice_fault(DiceFault.COVER_OPEN),
        Code.DICE_COUNT: _dice_fault(DiceFault.COUNT),
        Code.DICE_LOW_CONFIDENCE: _dice_fault(DiceFault.LOW_CONFIDENCE),
        Code.DICE_READERS_DISAGREE: _dice_fault(DiceFault.READERS_DISAGREE),
        Code.DICE_MOVED: _dice_fault(DiceFault.MOVED),
        Code.DICE_READ_TIMEOUT: _dice_fault(DiceFault.READ_TIMEOUT),
        Code.DICE_OUT_OF_TURN: Trigger(_DICE_ONLY, _throw, needs="a round in which no throw is due"),
        Code.BUZZER_NO_CURRENT: _buzzer_fault(BuzzerFault.NO_CURRENT),
        Code.BUZZER_STUCK_ON: _buzzer_fault(BuzzerFault.STUCK_ON),
        Code.BUZZER_MUTED: _buzzer_fault(BuzzerFault.MUTED),
        Code.BUZZER_UNVERIFIED: _buzzer_fault(BuzzerFault.UNVERIFIED),
    }
)

TRIGGERS: Final[Mapping[Code, Trigger]] = MappingProxyType(
    {**_LINKS, **_SHOE, **_SHUFFLER, **_DRAW, **_WHEEL, **_DICE_AND_BUZZER}
)

NOT_HERE: Final[Mapping[Code, str]] = MappingProxyType(
    {
        Code.SHOE_CARDS_DISAGREE: "a person at the console names other cards than the shoe read",
        Code.WHEEL_QUADRATURE: "a QSB says nothing of it; our USB sensor does, whose bus is simulated inside a test",
        Code.WHEEL_ENCODER_WORD: "a QSB says nothing of it; our USB sensor does, whose bus is simulated inside a test",
        Code.WHEEL_SECOND_SENSOR: "no second sensor is connected, so no driver reports it",
        Code.WHEEL_CALIBRATION: "a table of pegs that can't be used stops the start; no driver reports it",
    }
)
"""Why a fault can't come from a simulator at a port."""


def trigger_for(code: int, kind: str) -> Trigger:
    """How the fault of this number is brought about at a device of this kind.

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
