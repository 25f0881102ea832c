"""What a buzzer's messages mean to the table, and what it is asked."""

from collections import OrderedDict, deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from drivers.buzzer.codec import RESULT_SIZE, decode_command, decode_event, encode_command, fault_name
from drivers.buzzer.messages import AskStatus, BuzzerFault, NotSounded, Pattern, Sound, Sounded
from drivers.duty import NOTHING, DeviceFaults, Outcome, momentary
from drivers.identity import Kind
from drivers.messages import FaultCleared, FaultRaised, NotUnderstood, Refused, Reply, decode_reply
from drivers.operations import Begin, Done, Failed, Next, Operations
from tablectl.core.effects import Command, Signal, SoundSignal
from tablectl.core.facts import Body, DeviceNoted, SignalFailed, SignalSounded
from tablectl.core.faults import Code

FAULTS: Mapping[int, Code] = MappingProxyType(
    {
        BuzzerFault.NO_CURRENT: Code.BUZZER_NO_CURRENT,
        BuzzerFault.STUCK_ON: Code.BUZZER_STUCK_ON,
        BuzzerFault.MUTED: Code.BUZZER_MUTED,
        BuzzerFault.UNVERIFIED: Code.BUZZER_UNVERIFIED,
    }
)
_PATTERNS: Mapping[Signal, Pattern] = MappingProxyType(
    {Signal.TIME_IS_UP: Pattern.TIME_IS_UP, Signal.NO_MORE_BETS: Pattern.NO_MORE_BETS}
)
KNOWN_SIGNALS = 64


class BuzzerDuty:
    """A buzzer's part on the link; see `Duty`. Signals sound one after the other, in the order they were asked for.

    Args:
        timeout_s: how long a signal may take.
        fresh_s: how late one may begin.
    """

    def __init__(self, name: str, timeout_s: float, fresh_s: float) -> None:
        self.kind: Final = Kind.BUZZER
        self._name = name
        self._faults = DeviceFaults(name, FAULTS, Code.UNKNOWN_MESSAGE)
        self._operations = Operations("signal", fault_name, timeout_s, fresh_s=fresh_s)
        self._patterns: OrderedDict[int, Pattern] = OrderedDict()  # of all that were asked for lately
        self._told: deque[int] = deque(maxlen=KNOWN_SIGNALS)
        self._waiting: deque[tuple[int, float]] = deque()

    def commanded(self, command: Command, now_s: float) -> bool:
        """A signal that is asked for with a new number."""
        if not isinstance(command, SoundSignal) or command.operation in self._patterns:
            return False
        self._patterns[command.operation] = _PATTERNS[command.signal]
        if len(self._patterns) > KNOWN_SIGNALS:
            self._patterns.popitem(last=False)
        self._waiting.append((command.operation, now_s))
        self._go_on()
        return True

    def attached(self, boot: int, now_s: float, *, restarted: bool) -> Outcome:
        """It may have forgotten a signal."""
        self._operations.attached(boot, now_s)
        return Outcome(self._faults.restarted()) if restarted else NOTHING

    def question(self) -> bytes | None:
        """What became of the signal?"""
        asked = self._operations.ask()
        return None if asked is None else encode_command(AskStatus(asked.op))

    def heard(self, payload: bytes, now_s: float) -> Outcome:  # noqa: ARG002 -- a sound is as good as its record
        """Its event, as facts."""
        event = decode_event(payload)
        match event:
            case Sounded(op=op, verified=verified):
                return Outcome(self._sounded(op, verified=verified) or self._repeated(op), ask=True)
            case NotSounded(op=op, number=number):
                return Outcome(self._failed(op, fault_name(number)) or self._repeated(op), ask=True)
            case FaultRaised() | FaultCleared():
                return Outcome(self._faults.told(event), ask=True)  # it may have ended the signal
            case NotUnderstood(kind=kind):
                return Outcome((DeviceNoted(self._name, "not_understood", str(kind)),), unknown=f"event {kind}")

    def replied(self, asked: bytes, reply: bytes, now_s: float) -> Outcome:
        """What became of the signal."""
        return self._settled(asked, decode_reply(reply, result_size=RESULT_SIZE), now_s)

    def not_taken(self, asked: bytes, now_s: float) -> Outcome:
        """It doesn't sound."""
        return self._settled(asked, Refused(BuzzerFault.UNRECOGNISED), now_s)

    def woken(self, now_s: float) -> Outcome:
        """A signal that takes too long has failed: whoever waits for it must know now."""
        op = self._operations.outstanding
        if op is None or not self._operations.late(now_s):
            return NOTHING
        return Outcome(self._failed(op, "not over in time"), ask=True)

    def next_deadline(self) -> float | None:
        """When the signal is late."""
        return self._operations.next_deadline()

    def _settled(self, asked: bytes, reply: Reply, now_s: float) -> Outcome:
        unknown = f"reply {reply.kind}" if isinstance(reply, NotUnderstood) else ""
        command = decode_command(asked)
        match command:
            case AskStatus(op=op) | Sound(op=op) if self._operations.is_outstanding(op):
                begun = isinstance(command, Sound)
                return self._follow(self._operations.replied(op, reply, now_s, to_begin=begun), unknown)
            case _:
                return Outcome(ask=True, unknown=unknown)

    def _follow(self, next_: Next | None, unknown: str) -> Outcome:
        match next_:
            case None:
                return Outcome(unknown=unknown)
            case Begin(op=op):
                return Outcome(send=encode_command(Sound(op, self._patterns[op])), unknown=unknown)
            case Done(op=op, result=result):
                return Outcome(self._sounded(op, verified=result != b"\0"), ask=True, unknown=unknown)
            case Failed(op=op, reason=reason, refused=refused):
                fault = momentary(Code.REFUSED_BY_DEVICE, self._name, reason) if refused else ()
                return Outcome((*self._failed(op, reason), *fault), ask=True, unknown=unknown)

    def _sounded(self, op: int, *, verified: bool) -> tuple[Body, ...]:
        """A signal sounded: a fact once. One that nobody could hear for certain is a fault as well."""
        if not self._first(op):
            return ()
        unsure = () if verified else momentary(Code.BUZZER_UNVERIFIED, self._name)
        return (*unsure, SignalSounded(self._name, op, verified))

    def _failed(self, op: int, reason: str) -> tuple[Body, ...]:
        return (SignalFailed(self._name, op, reason),) if self._first(op) else ()

    def _first(self, op: int) -> bool:
        """Notes that the outcome of `op` is told; False where it was before."""
        self._operations.ended(op)
        self._go_on()
        if op in self._told:
            return False
        self._told.append(op)
        return True

    def _repeated(self, op: int) -> tuple[Body, ...]:
        return (DeviceNoted(self._name, "signal_said_again", str(op)),)

    def _go_on(self) -> None:
        if self._operations.outstanding is None and self._waiting:
            op, wanted_s = self._waiting.popleft()
            self._operations.want(op, wanted_s)
