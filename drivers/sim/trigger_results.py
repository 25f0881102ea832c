"""How faults of draw systems, displays, wheels, dice readers and buzzers are brought about."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from drivers.buzzer.messages import BuzzerFault
from drivers.dice.messages import DiceFault
from drivers.display.messages import DisplayFault, Seen
from drivers.draw.codec import encode_event as encode_draw_event
from drivers.draw.messages import Committed, DrawFault, Drawn
from drivers.sim.buzzer import SimulatedBuzzer
from drivers.sim.dice import SimulatedDice
from drivers.sim.display import SimulatedDisplay
from drivers.sim.draw import SimulatedDraw
from drivers.sim.stand import Act, CannotTriggerError, Stand, Trigger, plug, unplug
from drivers.sim.wheel import SimulatedWheel
from tablectl.core.faults import Code

UNKNOWN_NUMBER = 42
EVENTS_KEPT = 64
NEVER_S = 3600.0
FOREIGN_ID = 0xF0E1_D2C3_B4A5_9687

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


DRAW: Final[Mapping[Code, Trigger]] = MappingProxyType(
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


_WHEEL_ONLY: Final = frozenset({"wheel"})
SPIN_TURNS = 5.0
MID_SPIN_S = 4.0


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


WHEEL: Final[Mapping[Code, Trigger]] = MappingProxyType(
    {
        Code.WHEEL_POSITION_UNKNOWN: Trigger(_WHEEL_ONLY, _forget_position, _spin),
        Code.WHEEL_INDEX_MISSING: Trigger(_WHEEL_ONLY, _lose_mark, _find_mark),
        Code.WHEEL_INDEX_EXTRA: Trigger(_WHEEL_ONLY, _mark_falsely, _spin),
        Code.WHEEL_DRIFT: Trigger(_WHEEL_ONLY, _slip(6), _spin),
        Code.WHEEL_DRIFT_BLOCKS: Trigger(_WHEEL_ONLY, _slip(60), _spin),
        Code.WHEEL_SAMPLE_GAP: Trigger(_WHEEL_ONLY, _skip, _spin),
        Code.WHEEL_IMPOSSIBLE_SPEED: Trigger(_WHEEL_ONLY, _jump, _spin),
        Code.WHEEL_SPIN_TIMEOUT: Trigger(_WHEEL_ONLY, _turn_for_ever),
        Code.WHEEL_SPIN_OUT_OF_TURN: Trigger(_WHEEL_ONLY, _spin, needs="a wheel that isn't to be spun"),
        Code.WHEEL_UNEXPECTED_MOTION: Trigger(_WHEEL_ONLY, _move, needs="a wheel at rest, and no result shown"),
        Code.WHEEL_MOVED_AFTER_STOP: Trigger(_WHEEL_ONLY, _move, needs="a result that isn't confirmed yet"),
    }
)


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


DICE_AND_BUZZER: Final[Mapping[Code, Trigger]] = MappingProxyType(
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
