"""A simulated buzzer on the device's end of our link; it forgets its signals when it loses power."""

import asyncio

from drivers.buzzer.codec import decode_command, encode_event
from drivers.buzzer.messages import AskStatus, BuzzerFault, Command, NotSounded, Pattern, Sound, Sounded
from drivers.identity import Identity, Kind
from drivers.messages import (
    Accepted,
    FaultCleared,
    FaultRaised,
    NotUnderstood,
    OperationState,
    OperationStatus,
    Refused,
    encode_reply,
)
from drivers.sim.ends import FarEnd
from drivers.sim.linked import LinkEnd, simulated

SIMULATED_BUZZER = simulated(Kind.BUZZER)


class SimulatedBuzzer:
    """A buzzer on a port, running until `close`.

    Args:
        sound_s: how long a signal lasts, in seconds.
    """

    def __init__(
        self, port: FarEnd, *, identity: Identity = SIMULATED_BUZZER, sound_s: float = 0.0, seed: int = 1
    ) -> None:
        self.port = port
        self.sound_s = sound_s
        self.sounds: list[tuple[int, Pattern]] = []  # every signal, once for each time that it could be heard
        self.verifies = True  # its own ear works
        self.standing: set[int] = set()
        self._loop = asyncio.get_running_loop()
        self._operations: dict[int, OperationStatus] = {}
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self.line = LinkEnd(port, identity, self._obey, seed=seed)

    def close(self) -> None:
        """Falls silent; the port stays as it is."""
        self.line.close()
        self._stop()

    def raise_fault(self, number: int) -> None:
        """A fault begins: it can't sound, except with `UNVERIFIED`."""
        self.standing.add(number)
        self.line.tell(encode_event(FaultRaised(number)))

    def clear_fault(self, number: int) -> None:
        """A fault's cause is gone."""
        self.standing.discard(number)
        self.line.tell(encode_event(FaultCleared(number)))

    def cut_power(self) -> None:
        """Loses power for a moment: its memory and a running signal are gone."""
        self._stop()
        self._operations.clear()
        self.standing.clear()
        self.line.reboot()

    def _stop(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _obey(self, body: bytes) -> bytes:
        return encode_reply(self._carried_out(decode_command(body)))

    def _carried_out(self, command: Command | NotUnderstood) -> Accepted | Refused | OperationStatus:
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
            self.line.tell(encode_event(NotSounded(op, silenced)))
            return
        verified = self.verifies and BuzzerFault.UNVERIFIED not in self.standing
        self._operations[op] = OperationStatus(OperationState.DONE, bytes((verified,)))
        self.line.tell(encode_event(Sounded(op, verified)))
