"""Simulated buzzer on the device link; it forgets its signals when it loses power."""

import asyncio
from typing import Never

from drivers.buzzer.codec import (
    CODEC,
    AskStatus,
    BuzzerFault,
    Command,
    Event,
    NotSounded,
    Pattern,
    Sound,
    Sounded,
)
from drivers.link.identity import Identity, Kind
from drivers.link.messages import Accepted, Answer, OperationState, OperationStatus, Refused
from drivers.link.table import NotUnderstood
from drivers.sim.link_device import SimulatedLinkDevice, simulated
from drivers.sim.pty import FarEnd

SIMULATED_BUZZER = simulated(Kind.BUZZER)


class SimulatedBuzzer(SimulatedLinkDevice[Event, Command, Never]):
    """A buzzer on a port, running until `close`.

    Args:
        sound_s: how long a signal lasts, in seconds.
    """

    def __init__(
        self, port: FarEnd, *, identity: Identity = SIMULATED_BUZZER, sound_s: float = 0.0, seed: int = 1
    ) -> None:
        self.sound_s = sound_s
        self.sounds: list[tuple[int, Pattern]] = []  # every signal, once for each time that it could be heard
        self.verifies = True  # its own ear works
        self.standing: set[int] = set()
        self._loop = asyncio.get_running_loop()
        self._operations: dict[int, OperationStatus] = {}
        self._timers: dict[int, asyncio.TimerHandle] = {}
        super().__init__(port, identity, CODEC, seed=seed)

    def close(self) -> None:
        """Falls silent; the port stays as it is."""
        super().close()
        self._stop()

    def raise_fault(self, number: int) -> None:
        """A fault begins: it can't sound, except with `UNVERIFIED`."""
        self.standing.add(number)
        super().raise_fault(number)

    def clear_fault(self, number: int) -> None:
        """A fault's cause is gone."""
        self.standing.discard(number)
        super().clear_fault(number)

    def cut_power(self) -> None:
        """Loses power for a moment: its memory and a running signal are gone."""
        self._stop()
        self._operations.clear()
        self.standing.clear()
        super().cut_power()

    def _stop(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def obey(self, command: Command | NotUnderstood) -> Answer:
        """Sounds, or reports the outcome of a signal."""
        match command:
            case Sound(op=op, pattern=pattern):
                return self._sound(op, pattern)
            case AskStatus(op=op):
                return self._operations.get(op, OperationStatus(OperationState.UNKNOWN))
            case NotUnderstood():
                return Refused(BuzzerFault.UNRECOGNISED)

    def _sound(self, op: int, pattern: Pattern) -> Accepted | Refused:
        if op in self._operations:
            return Accepted()
        silenced = min(self.standing - {BuzzerFault.UNVERIFIED}, default=None)
        if silenced == BuzzerFault.MUTED:
            return Refused(silenced)
        self._operations[op] = OperationStatus(OperationState.RUNNING)
        if silenced is None:
            self.sounds.append((op, pattern))
        self._timers[op] = self._loop.call_later(self.sound_s, self._over, op, silenced)
        return Accepted()

    def _over(self, op: int, silenced: int | None) -> None:
        del self._timers[op]
        if silenced is not None:
            self._operations[op] = OperationStatus(OperationState.FAILED, number=silenced)
            self.send(NotSounded(op, silenced))
            return
        verified = self.verifies and BuzzerFault.UNVERIFIED not in self.standing
        self._operations[op] = OperationStatus(OperationState.DONE, bytes((verified,)))
        self.send(Sounded(op, verified))
