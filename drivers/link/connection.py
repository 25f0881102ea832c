"""One connection to a device on the device link, and the state that outlasts it.

A connection runs from the opened link to its end. Which events were reported, and which are durable, holds over
reconnects and restarts.
"""

import secrets
from collections.abc import Callable
from typing import Any

from drivers.link.frame import NakReason, newer
from drivers.link.handler import DeviceHandler, LinkSettings, Outcome, momentary
from drivers.link.host import HostOut, HostSession
from drivers.link.identity import Identity, decode_identity, mismatch
from drivers.link.notices import (
    CommandReplied,
    CommandUnanswered,
    DeviceRestarted,
    EventGap,
    EventReceived,
    EventsLost,
    HostNotice,
    HostStatus,
    IdentityReceived,
    IdentityUnanswered,
    NakReceived,
    Recovered,
    Resume,
    Stale,
)
from drivers.transport.loop import Conversation, OpenLink
from drivers.transport.serial_tcp import UnansweredError, WrongDeviceError
from tablectl.core import facts
from tablectl.core.facts import Body, Stamp
from tablectl.core.facts.reports import DeviceAttached
from tablectl.core.faults import Code
from tablectl.core.protocols import Clock, DeviceCounters, Teller
from tablectl.lazy_dataclass import dataclass


class Deliveries:
    """Last event of a device that was reported, and last one that the journal holds.

    Args:
        delivered: the last delivery in the journal, as `delivery_name` forms it; empty for none.
    """

    def __init__(self, delivered: str = "") -> None:
        self.stored = _read(delivered)
        self._told = self.stored

    def report(self, event: EventReceived) -> bool:
        """Notes that `event` is reported now; False where it was before."""
        if _reaches(self._told, event):
            return False
        self._told = Resume(event.boot, event.seq)
        return True

    def store(self, event: EventReceived) -> None:
        """Notes that `event` is durable, and with it all before it."""
        if not self.is_stored(event):
            self.stored = Resume(event.boot, event.seq)

    def is_stored(self, event: EventReceived) -> bool:
        """Return True if `event` is durable and may be acknowledged."""
        return _reaches(self.stored, event)


def delivery_name(event: EventReceived) -> str:
    """The event's name in the journal: the device's start and the event's number."""
    return f"{boot_name(event.boot)}:{event.seq}"


def boot_name(boot: int) -> str:
    """A device's start as facts name it."""
    return f"{boot:08x}"


def _read(delivered: str) -> Resume | None:
    boot, _, seq = delivered.partition(":")
    return Resume(int(boot, 16), int(seq)) if delivered else None


def _reaches(point: Resume | None, event: EventReceived) -> bool:
    return point is not None and point.boot == event.boot and not newer(event.seq, point.seq)


BUSY_WAIT_S = 1.0


@dataclass(slots=True)
class Memory:
    """Device state that is kept across reconnects."""

    settings: LinkSettings
    handler: DeviceHandler[Any, Any, Any]
    tell: Teller
    clock: Clock
    deliveries: Deliveries
    connection: "Connection | None" = None
    boot: int | None = None
    unanswered: bool = False
    told: int = 0

    def report(self, at: Stamp, *bodies: Body) -> None:
        """Reports facts that aren't the device's events."""
        self.told += len(bodies)
        for body in bodies:
            self.tell(body, at=at)

    def deliver(self, event: EventReceived, bodies: tuple[Body, ...], at: Stamp) -> None:
        """Reports an event's facts; with the last one's record the event is durable."""
        *first, last = bodies
        self.report(at, *first)
        self.told += 1
        self.tell(last, at=at, stored=lambda: self._stored(event), delivery=delivery_name(event))

    def restarted(self, boot: int) -> bool:
        """Notes the device's start; True where it was known under another one."""
        stored = self.deliveries.stored
        before = stored.boot if self.boot is None and stored is not None else self.boot
        self.boot = boot
        return before not in {None, boot}

    def _stored(self, event: EventReceived) -> None:
        self.deliveries.store(event)
        if (connection := self.connection) is not None:
            connection.within(lambda: connection.acknowledge(event))


class Connection:
    """One link to the device, until it ends."""

    def __init__(self, memory: Memory, link: OpenLink, up: Callable[[], None]) -> None:
        self._memory = memory
        self._handler = memory.handler
        self._name = memory.settings.name
        self._link = link
        self._up = up
        self._session = HostSession(resume=memory.deliveries.stored)
        self._conversation = Conversation(link, self, memory.clock)
        self._arrived: EventReceived | None = None
        self._asked: dict[int, bytes] = {}
        self._ask_again_s: float | None = None
        self._unknown_told = False
        self._frame_s: float | None = None

    async def run(self) -> None:
        """Talks until the link ends, which raises."""
        await self._conversation.run(lambda: self._take(self._session.start(self._now_s()), self._memory.clock.now()))

    def within(self, act: Callable[[], None]) -> None:
        """Does something for the table; an error ends this connection and not the table."""
        self._conversation.do(act)

    def counted(self, before: DeviceCounters) -> DeviceCounters:
        """Return the counters of this connection added to those of `before`."""
        reader = self._session.reader.counters
        return DeviceCounters(
            before.bytes + self._link.bytes_in,
            before.frames + reader.frames,
            before.rejected + reader.rejected,
            silent_s=None if self._frame_s is None else self._now_s() - self._frame_s,
        )

    def received(self, data: bytes, at: Stamp) -> None:
        """Takes bytes that were read `at`."""
        frames = self._session.reader.counters.frames
        self._take(self._session.receive(data, self._now_s()), at)
        if self._session.reader.counters.frames > frames:
            self._frame_s = self._now_s()

    def woken(self, at: Stamp) -> None:
        """Does what is due."""
        now_s = self._now_s()
        self._take(self._session.poll(now_s), at)
        if self._ask_again_s is not None and self._ask_again_s <= now_s:
            self._ask_again_s = None
            self.ask()
        if self._session.status is HostStatus.READY:
            self._follow(self._handler.on_timer(now_s), at)

    def next_deadline(self) -> float | None:
        """When `woken` must be called at the latest."""
        ready = self._session.status is HostStatus.READY
        due_s = self._handler.next_timeout() if ready else None
        times = (self._session.next_deadline(), self._ask_again_s, due_s)
        return min((time for time in times if time is not None), default=None)

    def acknowledge(self, event: EventReceived) -> None:
        """Acknowledge `event` to the device, because it is durable.

        An event that hasn't arrived over this link yet is acknowledged when it arrives.
        """
        came = self._arrived
        here = came is not None and came.boot == event.boot and not newer(event.seq, came.seq)
        if here and self._memory.deliveries.is_stored(event):
            self._take(self._session.stored(event, self._now_s()), self._memory.clock.now())

    def ask(self) -> None:
        """Asks what the handler wants to know, unless something is being asked."""
        query = self._handler.query()
        if query is not None and not self._asked and self._session.status is HostStatus.READY:
            self._send(query)

    def _now_s(self) -> float:
        return self._memory.clock.monotonic_s()

    def _take(self, out: HostOut, at: Stamp) -> None:
        if out.data:
            self._link.write(out.data)
        for notice in out.notices:
            self._heed(notice, at)

    def _heed(self, notice: HostNotice, at: Stamp) -> None:
        match notice:
            case EventReceived():
                self._event(notice, at)
            case CommandReplied(command_id=number, body=body):
                self._replied(number, body, at)
            case IdentityReceived():
                self._identified(notice, at)
            case CommandUnanswered(command_id=number):
                self._unanswered(number, at)
            case NakReceived(reason=reason, command_id=number) if number is not None:
                self._not_taken(number, reason, at)
            case EventsLost(first=first, last=last):
                self._report(at, *momentary(Code.EVENT_GAP, self._name, f"events {first} to {last}"))
                self.ask()
            case Stale(silent_s=silent_s):
                raise UnansweredError(f"{self._name} has said nothing for {silent_s:.1f} s")
            case IdentityUnanswered():
                raise UnansweredError(f"{self._name} doesn't say who it is: check power, port and baud rate")
            case NakReceived() | EventGap() | DeviceRestarted() | Recovered():
                pass  # the session counts them and does what is needed

    def _identified(self, seen: IdentityReceived, at: Stamp) -> None:
        settings, identity = self._memory.settings, decode_identity(seen.payload)
        wrong = mismatch(identity, settings.expect, simulated=settings.simulated, kind=self._handler.kind)
        wrong = wrong or _otherwise_named(self._link.serial, identity)
        if wrong or identity is None:
            raise WrongDeviceError(f"{self._name} isn't the approved device: {wrong}")
        self._report(at, _attached(self._name, identity, seen.boot, simulated=settings.simulated))
        self._answered(at)
        outcome = self._handler.on_attached(seen.boot, self._now_s(), restarted=self._memory.restarted(seen.boot))
        self._up()
        self._report(at, *outcome.bodies)
        self._take(self._session.accept(self._now_s()), at)
        self.ask()

    def _event(self, event: EventReceived, at: Stamp) -> None:
        self._arrived = event
        if not self._memory.deliveries.report(event):
            self.acknowledge(event)
            return
        outcome = self._handler.on_event(event.payload, self._now_s())
        self._unknown(outcome.unknown, at)
        self._memory.deliver(event, outcome.bodies, at)
        self._go_on(outcome)

    def _send(self, body: bytes) -> None:
        number = secrets.randbits(64)  # not `random`: a machine brought back from an image would repeat it
        self._asked[number] = body
        self._take(self._session.command(number, body, self._now_s()), self._memory.clock.now())

    def _replied(self, number: int, body: bytes, at: Stamp) -> None:
        self._answered(at)
        asked = self._asked.pop(number, None)
        if asked is not None:
            self._follow(self._handler.on_reply(asked, body, self._now_s()), at)

    def _not_taken(self, number: int, reason: int, at: Stamp) -> None:
        """Handle a NAK to a command: the device restarted, is busy, or doesn't know it."""
        if reason == NakReason.WRONG_BOOT:
            return  # with its new identity the command is given up
        asked = self._asked.pop(number, None)
        if reason == NakReason.BUSY:
            self._ask_again_s = self._now_s() + BUSY_WAIT_S
        elif asked is not None:
            self._follow(self._handler.on_nak(asked, self._now_s()), at)

    def _unanswered(self, number: int, at: Stamp) -> None:
        """Handle a command without a reply: query its outcome, never repeat it.

        It is unknown whether the command was carried out.
        """
        self._asked.pop(number, None)
        if self._session.status is HostStatus.READY:
            if not self._memory.unanswered:
                self._memory.unanswered = True
                self._report(at, facts.FaultRaised(Code.UNANSWERED, self._name))
            self.ask()

    def _answered(self, at: Stamp) -> None:
        if self._memory.unanswered:
            self._memory.unanswered = False
            self._report(at, facts.FaultCleared(Code.UNANSWERED, self._name))

    def _follow(self, outcome: Outcome, at: Stamp) -> None:
        self._unknown(outcome.unknown, at)
        self._report(at, *outcome.bodies)
        self._go_on(outcome)

    def _go_on(self, outcome: Outcome) -> None:
        if outcome.send is not None:
            # With its reply the device's new identity may have come: then its query is asked anew.
            if self._session.status is HostStatus.READY:
                self._send(outcome.send)
        elif outcome.ask:
            self.ask()

    def _unknown(self, what: str, at: Stamp) -> None:
        """Report, once per connection, a message that this program doesn't know."""
        if what and not self._unknown_told:
            self._unknown_told = True
            self._report(at, *momentary(Code.UNKNOWN_MESSAGE, self._name, what))

    def _report(self, at: Stamp, *bodies: Body) -> None:
        self._memory.report(at, *bodies)


def _otherwise_named(serial: str, identity: Identity | None) -> str:
    """Return how the serial number of USB differs from the identity's, or nothing."""
    if identity is None or serial in {"", identity.serial}:
        return ""
    return f"USB names it {serial!r}, and it calls itself {identity.serial!r}"


def _attached(name: str, identity: Identity, boot: int, *, simulated: bool) -> DeviceAttached:
    """The fact that this device counts from now on."""
    who = (identity.maker, identity.model, identity.serial, identity.firmware)
    return DeviceAttached(name, *who, boot=boot_name(boot), simulated=simulated or identity.simulated)
