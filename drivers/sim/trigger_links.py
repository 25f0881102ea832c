"""How faults of cables and links are brought about."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from drivers.identity import Identity, Kind
from drivers.messages import Refused, encode_reply
from drivers.shoe.angel_eye import ENQ
from drivers.sim.buzzer import SimulatedBuzzer
from drivers.sim.dice import SimulatedDice
from drivers.sim.display import SimulatedDisplay
from drivers.sim.draw import SimulatedDraw
from drivers.sim.led import SimulatedLed
from drivers.sim.shoe import SimulatedShoe, frame_report
from drivers.sim.shoe_link import SimulatedLinkedShoe
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.stand import LED_BOARD, LINKED_SHOE, CannotTriggerError, Stand, Trigger, plug, unplug
from drivers.sim.wheel import SimulatedWheel
from tablectl.core.faults import Code

LINKED: Final = frozenset({"shuffler", "dice", "draw", "display", "buzzer", LINKED_SHOE})
ANY: Final = LINKED | {"shoe", "wheel"}
CABLED: Final = ANY | {LED_BOARD}
EVENTS_KEPT = 64
SPOILED_FRAMES = 5
UNRECOGNISED: Final = 255
"""The number of a reason that is in no list of a device."""

UNKNOWN_KIND = 0x63
COMMANDED = "a command to the device"


async def _occupy(stand: Stand) -> None:
    """Another program gets hold of the port before the table does."""
    stand.port.free()
    while not stand.port.occupy():
        await unplug(stand)
        await plug(stand)


async def _free(stand: Stand) -> None:
    stand.port.free()


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
        SimulatedLinkedShoe: Kind.SHOE,
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


async def _say_unknown(stand: Stand) -> None:
    if isinstance(stand.simulator, SimulatedShoe):
        await stand.simulator.send([frame_report("7", b"Z")] * 3)
    else:
        stand.line.tell(bytes((UNKNOWN_KIND,)))


async def restart(stand: Stand) -> None:
    """Takes a device's power away for a moment."""
    match stand.simulator:
        case SimulatedShuffler() as shuffler:
            shuffler.reboot()
        case (
            SimulatedDice() | SimulatedDraw() | SimulatedDisplay() | SimulatedBuzzer() | SimulatedLinkedShoe()
        ) as device:
            device.cut_power()
        case SimulatedShoe() | SimulatedLed() | SimulatedWheel():
            raise CannotTriggerError("this device doesn't tell one start from another")


LINKS: Final[Mapping[Code, Trigger]] = MappingProxyType(
    {
        Code.LINK_LOST: Trigger(CABLED, unplug, plug),
        Code.PORT_MISSING: Trigger(CABLED, unplug, plug),
        Code.PORT_BUSY: Trigger(CABLED, _occupy, _free),
        Code.SILENT: Trigger(LINKED | {"wheel"}, _fall_silent, _speak_again),
        Code.WRONG_DEVICE: Trigger(LINKED, _pose, _be_itself),
        Code.CORRUPT_FRAMES: Trigger(ANY - {"display"}, _spoil),
        Code.EVENT_GAP: Trigger(LINKED, _lose_events),
        Code.BACKLOG_BURST: Trigger(frozenset({"shoe"}), _burst),
        Code.UNANSWERED: Trigger(LINKED - {LINKED_SHOE}, _go_deaf, _hear_again, needs=COMMANDED),
        Code.REFUSED_BY_DEVICE: Trigger(LINKED - {"dice", LINKED_SHOE}, _refuse, _obey, needs=COMMANDED),
        Code.UNKNOWN_MESSAGE: Trigger(LINKED | {"shoe"}, _say_unknown),
        Code.RESTARTED: Trigger(LINKED, restart),
    }
)
