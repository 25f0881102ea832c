"""The device's end of our link at a port: what all simulated devices on it do alike."""

import asyncio
import random
from collections.abc import Callable

from drivers.device_session import DeviceOut, DeviceSession
from drivers.identity import Identity, Kind, encode_identity
from drivers.sim.ends import FarEnd


def simulated(kind: Kind, *, capabilities: int = 0) -> Identity:
    """Who a simulated device of this kind says it is."""
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

    def tell(self, payload: bytes) -> None:
        """Sends an event of any content."""
        self.send(self.session.event(payload, self._loop.time()))

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
        self.send(self.session.receive(data, self._loop.time()))

    def send(self, out: DeviceOut) -> None:
        """Does what the session asks for."""
        session = self.session
        if out.data:
            self.port.write(out.data)
        for command in out.notices:
            reply = (self.answer or self._obey)(command.body)
            if reply is not None and session is self.session:  # it may have lost power meanwhile
                self.send(session.reply(command.command_id, reply, self._loop.time()))
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
        self.send(self.session.poll(self._loop.time()))
