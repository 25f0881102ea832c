"""Mishaps of the cable and the link of any simulated device."""

from typing import Final

from drivers.link.identity import Kind
from drivers.link.messages import REPLIES, UNRECOGNISED, Refused
from drivers.sim.link_device import simulated
from drivers.sim.pty import PtyEnd
from drivers.sim.stand import CannotTriggerError, Stand, plug, unplug

EVENTS_KEPT: Final = 64
UNKNOWN_KIND: Final = 0x63


async def occupy(stand: Stand) -> None:
    """Another program gets hold of the port before the table does."""
    stand.port.free()
    while not stand.port.occupy():
        await unplug(stand)
        await plug(stand)


async def free(stand: Stand) -> None:
    """The other program lets go of it."""
    stand.port.free()


async def disturb(stand: Stand) -> None:
    """Another program changes the port's settings.

    Raises:
        CannotTriggerError: it has none.
    """
    if not isinstance(stand.port, PtyEnd):
        raise CannotTriggerError("this port has no settings that another program could change")
    stand.port.disturb()


async def fall_silent(stand: Stand) -> None:
    """Nothing comes out any more."""
    stand.port.stall()


async def speak_again(stand: Stand) -> None:
    """It speaks again, beginning with what was held back."""
    stand.port.resume()


async def pose(stand: Stand) -> None:
    """Another device stands there."""
    own = stand.linked.identity.kind
    stand.line.pose_as(simulated(Kind.BUZZER if own == Kind.DICE else Kind.DICE))


async def be_itself(stand: Stand) -> None:
    """The table's own device stands there again."""
    stand.line.pose_as(stand.linked.identity)


async def lose_events(stand: Stand) -> None:
    """The cable is out while more events happen than the device can keep."""
    await stand.port.unplug()
    for _ in range(EVENTS_KEPT + 1):
        stand.line.send_event(bytes((UNKNOWN_KIND,)))
    await stand.port.plug()


async def go_deaf(stand: Stand) -> None:
    """It tells what it tells, and hears no command."""
    stand.line.port.on_bytes = None


async def hear_again(stand: Stand) -> None:
    """It hears commands again."""
    stand.line.port.on_bytes = stand.line.hear


async def refuse(stand: Stand) -> None:
    """It refuses every command."""
    stand.line.answer = lambda _body: REPLIES.encode(Refused(UNRECOGNISED))


async def obey(stand: Stand) -> None:
    """It obeys again."""
    stand.line.answer = None


async def restart(stand: Stand) -> None:
    """The device's power is away for a moment."""
    stand.linked.cut_power()
