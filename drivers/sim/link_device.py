"""Simulated devices on the device link: the end at a port, and what all share."""

import asyncio
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic, Self

from drivers.link.device import DeviceOut, DeviceSession
from drivers.link.identity import Identity, encode_identity
from drivers.link.messages import Answer, Codec, CommandT, EventT, Fault, FaultCleared, FaultRaised, ReportT
from drivers.link.table import NotUnderstood
from drivers.sim.pty import FarEnd


def simulated(kind: int, *, capabilities: int = 0) -> Identity:
    """The identity of a simulated device of this kind."""
    return Identity("tablectl", "simulated", "SIM-1", "00" * 8, 1, capabilities, simulated=True, kind=kind)


class LinkEnd:
    """The far end of the link, from its start to `close`.

    Args:
        obey: carries out a command's body and returns the reply's body; called once for each command. None
            for no reply.
        seed: of the numbers of its starts.
    """

    def __init__(
        self, port: FarEnd, identity: Identity, obey: Callable[[bytes], bytes | None], *, seed: int = 1
    ) -> None:
        self.port = port
        self.answer: Callable[[bytes], bytes | None] | None = None  # what it answers instead of obeying
        self._obey = obey
        self._identity = encode_identity(identity)
        self._random = random.Random(seed)
        self._loop = asyncio.get_running_loop()
        self._alarm: asyncio.TimerHandle | None = None
        self._closed = False
        self.session = self._booted()
        port.on_bytes = self.hear

    @property
    def boot(self) -> int:
        """The number of this start."""
        return self.session.boot

    @property
    def unacked(self) -> int:
        """How many events the host has not stored yet."""
        return self.session.unacked

    def close(self) -> None:
        """Falls silent; the port stays as it is."""
        self.port.on_bytes = None
        self._closed = True
        if self._alarm is not None:
            self._alarm.cancel()

    def send_event(self, payload: bytes) -> None:
        """Sends an event of any content."""
        self.do(self.session.event(payload, self._loop.time()))

    def mute_heartbeat(self, *, muted: bool = True) -> None:
        """Stops or restarts the heartbeat."""
        self.session.heartbeats = not muted

    def pose_as(self, identity: Identity) -> None:
        """Another device stands here from now on, freshly started."""
        self._identity = encode_identity(identity)
        self.reboot()

    def reboot(self) -> None:
        """Loses power for a moment: untold events and remembered replies are gone."""
        self.session = self._booted()

    def hear(self, data: bytes) -> None:
        """Takes what the host wrote."""
        self.do(self.session.receive(data, self._loop.time()))

    def do(self, out: DeviceOut) -> None:
        """Does what the session asks for."""
        session = self.session
        if out.data:
            self.port.write(out.data)
        for command in out.notices:
            reply = (self.answer or self._obey)(command.body)
            if reply is not None and session is self.session:  # it may have lost power meanwhile
                self.do(session.reply(command.command_id, reply, self._loop.time()))
        self._set_alarm(self.session)

    def _booted(self) -> DeviceSession:
        boot = self._random.randrange(1, 1 << 32)
        session = DeviceSession(boot=boot, identity=self._identity, started_s=self._loop.time())
        self.port.write(session.start().data)
        self._set_alarm(session)
        return session

    def _set_alarm(self, session: DeviceSession) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        if not self._closed:
            self._alarm = self._loop.call_at(session.next_deadline(), self._ring)

    def _ring(self) -> None:
        self.do(self.session.poll(self._loop.time()))


class SimulatedLinkDevice(ABC, Generic[EventT, CommandT, ReportT]):
    """A device on a port, running until `close`.

    Args:
        codec: its messages.
        seed: of the numbers of its starts.
    """

    def __init__(
        self, port: FarEnd, identity: Identity, codec: Codec[EventT, CommandT, ReportT], *, seed: int = 1
    ) -> None:
        self.port = port
        self.codec = codec
        self.identity = identity
        self.line = LinkEnd(port, identity, self._obey, seed=seed)

    @classmethod
    def at(cls, port: FarEnd, settings: Mapping[str, Any], *, seed: int, speed: float) -> Self:
        """The simulator of a configured device."""
        del settings, speed
        make: Any = cls  # a device takes a port and a seed
        made: Self = make(port, seed=seed)
        return made

    def close(self) -> None:
        """Falls silent; the port stays as it is."""
        self.line.close()

    def send(self, event: EventT | Fault) -> None:
        """Sends any event."""
        self.line.send_event(self.codec.events.encode(event))

    def raise_fault(self, number: int) -> None:
        """A fault begins."""
        self.send(FaultRaised(number))

    def clear_fault(self, number: int) -> None:
        """A fault's cause is gone."""
        self.send(FaultCleared(number))

    def cut_power(self) -> None:
        """Loses power for a moment: what was not sent yet is lost."""
        self.line.reboot()

    @abstractmethod
    def obey(self, command: CommandT | NotUnderstood) -> ReportT | Answer:
        """Carry a command out."""

    def _obey(self, body: bytes) -> bytes:
        return self.codec.replies.encode(self.obey(self.codec.commands.decode(body)))
