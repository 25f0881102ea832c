"""Both ends of our link, joined in memory by a line with virtual time."""

from collections import deque
from dataclasses import dataclass, field

from drivers.link.device import DeviceOut, DeviceSession
from drivers.link.host import HostOut, HostSession
from drivers.link.notices import EventReceived, HostNotice, HostStatus, IdentityReceived

DELAY_S = 0.004


@dataclass
class Line:
    """One direction: keeps the order; a test may lose, double or damage what waits on it."""

    cut_off: bool = False
    waiting: deque[tuple[float, bytes]] = field(default_factory=deque)

    def write(self, data: bytes, now_s: float) -> None:
        for piece in data.split(b"\0"):
            if piece and not self.cut_off:
                self.waiting.append((now_s + DELAY_S, b"\0" + piece + b"\0"))


class Rig:
    """A host that accepts and stores at once, a device that obeys at once, and a clock that jumps."""

    def __init__(self) -> None:
        self.to_host = Line()
        self.to_device = Line()
        self.now_s = 100.0
        self.notices: list[HostNotice] = []
        self.executed: list[int] = []
        self.boot = 0
        self.storing = True
        self.accepting = True
        self.host = HostSession()
        self.boot_device()
        self.from_host(self.host.start(self.now_s))

    def boot_device(self, *, newest: int = 0) -> None:
        self.boot += 1
        self.device = DeviceSession(boot=self.boot, identity=b"me", started_s=self.now_s, newest=newest)
        self.from_device(self.device.start())

    def from_host(self, out: HostOut) -> None:
        self.to_device.write(out.data, self.now_s)
        for notice in out.notices:
            self.notices.append(notice)
            if isinstance(notice, IdentityReceived) and self.accepting:
                self.from_host(self.host.accept(self.now_s))
            if isinstance(notice, EventReceived) and self.storing:
                self.from_host(self.host.stored(notice, self.now_s))

    def from_device(self, out: DeviceOut) -> None:
        self.to_host.write(out.data, self.now_s)
        for command in out.notices:
            self.executed.append(command.command_id)
            self.from_device(self.device.reply(command.command_id, b"done", self.now_s))

    def event(self, payload: bytes) -> None:
        self.from_device(self.device.event(payload, self.now_s))

    def command(self, command_id: int) -> None:
        self.from_host(self.host.command(command_id, b"do", self.now_s))

    def run(self, seconds: float) -> None:
        until_s = self.now_s + seconds
        while (now_s := self._next()) <= until_s:
            self.now_s = now_s
            self._step()
        self.now_s = until_s

    def _next(self) -> float:
        times = [line.waiting[0][0] for line in (self.to_host, self.to_device) if line.waiting]
        host_s = self.host.next_deadline()
        times += [self.device.next_deadline()] + ([] if host_s is None else [host_s])
        return max(min(times), self.now_s)

    def _step(self) -> None:
        while self.to_host.waiting and self.to_host.waiting[0][0] <= self.now_s:
            self.from_host(self.host.receive(self.to_host.waiting.popleft()[1], self.now_s))
        while self.to_device.waiting and self.to_device.waiting[0][0] <= self.now_s:
            self.from_device(self.device.receive(self.to_device.waiting.popleft()[1], self.now_s))
        self.from_host(self.host.poll(self.now_s))
        self.from_device(self.device.poll(self.now_s))

    def payloads(self) -> list[bytes]:
        return [notice.payload for notice in self.notices if isinstance(notice, EventReceived)]

    def count(self, kind: type[object]) -> int:
        return sum(isinstance(notice, kind) for notice in self.notices)


def ready_rig() -> Rig:
    rig = Rig()
    rig.run(0.1)
    assert rig.host.status is HostStatus.READY
    rig.notices.clear()
    return rig
