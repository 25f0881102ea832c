"""Simulated shuffler on the device link; it counts cards and knows none."""

import asyncio
from collections.abc import Mapping
from typing import Any, Never, Self

from drivers.link.identity import Identity, Kind
from drivers.link.messages import Accepted, Answer, OperationState, OperationStatus, Refused
from drivers.link.table import NotUnderstood
from drivers.shuffler.codec import (
    CODEC,
    Abort,
    AskStatus,
    Capability,
    Command,
    Event,
    EventKind,
    FaultCode,
    LidClosed,
    LidOpened,
    PacketDelivered,
    Shuffle,
    ShuffleCompleted,
    ShuffleStarted,
)
from drivers.sim.link_device import SimulatedLinkDevice, simulated
from drivers.sim.pty import FarEnd

SIMULATED_SHUFFLER = simulated(
    Kind.SHUFFLER,
    capabilities=Capability.SHUFFLE | Capability.STATUS | Capability.ABORT | Capability.DELIVERS_PACKETS,
)

SHUFFLE_S = 4.0


class SimulatedShuffler(SimulatedLinkDevice[Event, Command, Never]):
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
        self.shuffle_s = shuffle_s
        self.count = count
        self.shuffles: list[int] = []  # every operation begun, once for each time that the cards really moved
        self._loop = asyncio.get_running_loop()
        self._operations: dict[int, OperationStatus] = {}
        self._running: tuple[int, asyncio.TimerHandle] | None = None
        self._packets = 0
        super().__init__(port, identity, CODEC, seed=seed)

    @classmethod
    def at(cls, port: FarEnd, settings: Mapping[str, Any], *, seed: int, speed: float) -> Self:
        """The simulator of a configured device."""
        del settings
        return cls(port, shuffle_s=SHUFFLE_S / speed if speed else 0.0, seed=seed)

    def close(self) -> None:
        """Falls silent; the port stays as it is."""
        super().close()
        self._stop_running()

    # -- what a shuffler does

    def deliver_packet(self, count: int) -> None:
        """Puts a packet of `count` cards at the exit."""
        self._packets += 1
        self.send(PacketDelivered(self._packets, count))

    def open_lid(self) -> None:
        """Somebody opens the lid."""
        self.send(LidOpened())

    def close_lid(self) -> None:
        """Somebody closes the lid."""
        self.send(LidClosed())

    # -- accidents

    def raise_fault(self, number: int) -> None:
        """A fault begins; a running shuffle ends in it."""
        self._fail_running(number)
        super().raise_fault(number)

    def jam(self) -> None:
        """Cards are stuck."""
        self.raise_fault(FaultCode.JAM)

    def unjam(self) -> None:
        """The stuck cards are out."""
        self.clear_fault(FaultCode.JAM)

    def leak_card_order(self, order: bytes = bytes(range(52))) -> None:
        """Does what no shuffler may: tells the order of the cards."""
        self.line.send_event(bytes((EventKind.CARD_ORDER,)) + order)

    def cut_power(self) -> None:
        """Loses power for a moment: memory, running shuffle and untold events are gone."""
        self._stop_running()
        self._operations.clear()
        self._packets = 0
        super().cut_power()

    # -- inside

    def obey(self, command: Command | NotUnderstood) -> Answer:
        """Shuffles, or reports the outcome of a shuffle."""
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
        self.send(ShuffleStarted(op))
        return Accepted()

    def _complete(self, op: int) -> None:
        self._running = None
        self._operations[op] = OperationStatus(OperationState.DONE, self.count.to_bytes(2, "little"))
        self.send(ShuffleCompleted(op, self.count))

    def _fail_running(self, number: int) -> None:
        if self._running is not None:
            self._operations[self._running[0]] = OperationStatus(OperationState.FAILED, number=number)
        self._stop_running()

    def _stop_running(self) -> None:
        if self._running is not None:
            self._running[1].cancel()
            self._running = None
