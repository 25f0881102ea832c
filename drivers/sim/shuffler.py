"""A simulated shuffler on the device's end of our link; it counts cards and knows none."""

import asyncio

from drivers.identity import Identity, Kind
from drivers.messages import Accepted, NotUnderstood, OperationState, OperationStatus, Refused, encode_reply
from drivers.shuffler.codec import decode_command, encode_event
from drivers.shuffler.messages import (
    Abort,
    AskStatus,
    Capability,
    Command,
    Event,
    EventKind,
    FaultCleared,
    FaultCode,
    FaultRaised,
    LidClosed,
    LidOpened,
    PacketDelivered,
    Shuffle,
    ShuffleCompleted,
    ShuffleStarted,
)
from drivers.sim.ends import FarEnd
from drivers.sim.linked import LinkEnd, simulated

SIMULATED_SHUFFLER = simulated(
    Kind.SHUFFLER,
    capabilities=Capability.SHUFFLE | Capability.STATUS | Capability.ABORT | Capability.DELIVERS_PACKETS,
)


class SimulatedShuffler:
    """A shuffler on a port, running until `close`.

    Args:
        shuffle_s: how long a shuffle takes, in seconds.
        count: how many cards go through.
    """

    def __init__(
        self,
        port: FarEnd,
        *,
        identity: Identity = SIMULATED_SHUFFLER,
        shuffle_s: float = 0.05,
        count: int = 52,
        seed: int = 1,
    ) -> None:
        self.port = port
        self.shuffle_s = shuffle_s
        self.count = count
        self.shuffles: list[int] = []  # every operation begun, once for each time that the cards really moved
        self._loop = asyncio.get_running_loop()
        self._operations: dict[int, OperationStatus] = {}
        self._running: tuple[int, asyncio.TimerHandle] | None = None
        self._packets = 0
        self.line = LinkEnd(port, identity, self._obey, seed=seed)

    @property
    def boot(self) -> int:
        """The number of this start."""
        return self.line.boot

    @property
    def unacked(self) -> int:
        """How many events the host has not stored yet."""
        return self.line.unacked

    def close(self) -> None:
        """Falls silent; the port stays as it is."""
        self.line.close()
        self._stop_running()

    # -- what a shuffler does

    def deliver_packet(self, count: int) -> None:
        """Puts a packet of `count` cards at the exit."""
        self._packets += 1
        self.tell(PacketDelivered(self._packets, count))

    def open_lid(self) -> None:
        """Somebody opens the lid."""
        self.tell(LidOpened())

    def close_lid(self) -> None:
        """Somebody closes the lid."""
        self.tell(LidClosed())

    def tell(self, event: Event) -> None:
        """Sends any event."""
        self.line.tell(encode_event(event))

    # -- accidents

    def raise_fault(self, code: FaultCode) -> None:
        """A fault begins; a running shuffle ends in it."""
        self._fail_running(code)
        self.tell(FaultRaised(code, code.value))

    def clear_fault(self, code: FaultCode) -> None:
        """A fault's cause is gone."""
        self.tell(FaultCleared(code, code.value))

    def jam(self) -> None:
        """Cards are stuck."""
        self.raise_fault(FaultCode.JAM)

    def unjam(self) -> None:
        """The stuck cards are out."""
        self.clear_fault(FaultCode.JAM)

    def leak_card_order(self, order: bytes = bytes(range(52))) -> None:
        """Does what no shuffler may: tells the order of the cards."""
        self.line.tell(bytes((EventKind.CARD_ORDER,)) + order)

    def send_payload(self, payload: bytes) -> None:
        """Sends an event of any content."""
        self.line.tell(payload)

    def mute_heartbeat(self, *, muted: bool = True) -> None:
        """Stops or restarts the heartbeat."""
        self.line.mute_heartbeat(muted=muted)

    def reboot(self) -> None:
        """Loses power for a moment: memory, running shuffle and untold events are gone."""
        self._stop_running()
        self._operations.clear()
        self._packets = 0
        self.line.reboot()

    # -- inside

    def _obey(self, body: bytes) -> bytes:
        return encode_reply(self._carried_out(decode_command(body)))

    def _carried_out(self, command: Command | NotUnderstood) -> Accepted | Refused | OperationStatus:
        match command:
            case Shuffle(op=op):
                return self._shuffle(op)
            case AskStatus(op=op):
                return self._operations.get(op, OperationStatus(OperationState.UNKNOWN))
            case Abort():
                self._fail_running(FaultCode.UNRECOGNISED)
                return Accepted()
            case NotUnderstood():
                return Refused(FaultCode.UNRECOGNISED)

    def _shuffle(self, op: int) -> Accepted | Refused:
        if op in self._operations:
            return Accepted()
        if self._running is not None:
            return Refused(FaultCode.FEED_FAIL)
        self._operations[op] = OperationStatus(OperationState.RUNNING)
        self.shuffles.append(op)
        self._packets = 0
        self._running = op, self._loop.call_later(self.shuffle_s, self._complete, op)
        self.tell(ShuffleStarted(op))
        return Accepted()

    def _complete(self, op: int) -> None:
        self._running = None
        self._operations[op] = OperationStatus(OperationState.DONE, self.count.to_bytes(2, "little"))
        self.tell(ShuffleCompleted(op, self.count))

    def _fail_running(self, code: FaultCode) -> None:
        if self._running is not None:
            self._operations[self._running[0]] = OperationStatus(OperationState.FAILED, number=code)
        self._stop_running()

    def _stop_running(self) -> None:
        if self._running is not None:
            self._running[1].cancel()
            self._running = None
