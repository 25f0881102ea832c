"""A buzzer on our device link: each signal sounds once, in time or not at all."""

from collections import OrderedDict, deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Never

from drivers.buzzer.codec import CODEC, AskStatus, BuzzerFault, Command, Event, NotSounded, Pattern, Sound, Sounded
from drivers.link.handler import NOTHING, DeviceFaults, Outcome, momentary
from drivers.link.identity import Kind
from drivers.link.operations import OperationHandler, Operations
from tablectl.core import effects
from tablectl.core.effects import Signal, SoundSignal
from tablectl.core.facts import Body
from tablectl.core.facts.reports import DeviceNoted, SignalFailed, SignalSounded
from tablectl.core.faults import Code

SOUND_TIMEOUT_S: Final = 5.0
FRESH_S: Final = 3.0
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
KNOWN_SIGNALS: Final = 64


class BuzzerHandler(OperationHandler[Event, Command, Never]):
    """Device handler of a buzzer: its messages as facts.

    Signals sound one after the other, in the order of the commands.

    Args:
        timeout_s: how long a signal may take.
        fresh_s: how late one may begin; later it would mean something else.
    """

    def __init__(self, name: str, *, timeout_s: float = SOUND_TIMEOUT_S, fresh_s: float = FRESH_S) -> None:
        operations = Operations("signal", CODEC.fault_name, timeout_s, fresh_s=fresh_s)
        super().__init__(Kind.BUZZER, name, CODEC, DeviceFaults(name, FAULTS, Code.UNKNOWN_MESSAGE), operations)
        self._patterns: OrderedDict[int, Pattern] = OrderedDict()  # of all that were wanted lately
        self._reported: deque[int] = deque(maxlen=KNOWN_SIGNALS)
        self._waiting: deque[tuple[int, float]] = deque()

    def on_command(self, command: effects.Command, now_s: float) -> bool:
        """Take a signal that is wanted with a new number."""
        if not isinstance(command, SoundSignal) or command.operation in self._patterns:
            return False
        self._patterns[command.operation] = _PATTERNS[command.signal]
        if len(self._patterns) > KNOWN_SIGNALS:
            self._patterns.popitem(last=False)
        self._waiting.append((command.operation, now_s))
        self._go_on()
        return True

    def on_message(self, event: Event, now_s: float) -> Outcome:  # noqa: ARG002 -- a sound is as good as its record
        """The end of a signal, as facts."""
        match event:
            case Sounded(op=op, verified=verified):
                return Outcome(self._sounded(op, verified=verified) or self._repeated(op), ask=True)
            case NotSounded(op=op, number=number):
                return Outcome(self.failed(op, CODEC.fault_name(number)) or self._repeated(op), ask=True)

    def on_timer(self, now_s: float) -> Outcome:
        """A signal that takes too long has failed: whoever waits for it must know now."""
        op = self.operations.outstanding
        if op is None or not self.operations.late(now_s):
            return NOTHING
        return Outcome(self.failed(op, "not over in time"), ask=True)

    def begin(self, op: int) -> Command:
        """Sound it."""
        return Sound(op, self._patterns[op])

    def status(self, op: int) -> Command:
        """Ask for its outcome."""
        return AskStatus(op)

    def done(self, op: int, result: bytes) -> tuple[Body, ...]:
        """A signal that sounded; the result says whether it was verified."""
        return self._sounded(op, verified=result != b"\0")

    def failed(self, op: int, reason: str) -> tuple[Body, ...]:
        """A signal that didn't sound: a fact once."""
        return (SignalFailed(self.name, op, reason),) if self._first(op) else ()

    def _sounded(self, op: int, *, verified: bool) -> tuple[Body, ...]:
        """Report a signal that sounded, once; one that wasn't verified is a fault as well."""
        if not self._first(op):
            return ()
        unsure = () if verified else momentary(Code.BUZZER_UNVERIFIED, self.name)
        return (*unsure, SignalSounded(self.name, op, verified))

    def _first(self, op: int) -> bool:
        """Note that the outcome of `op` is reported; False where it was before."""
        self.operations.ended(op)
        self._go_on()
        if op in self._reported:
            return False
        self._reported.append(op)
        return True

    def _repeated(self, op: int) -> tuple[Body, ...]:
        return (DeviceNoted(self.name, "signal_said_again", str(op)),)

    def _go_on(self) -> None:
        if self.operations.outstanding is None and self._waiting:
            op, wanted_s = self._waiting.popleft()
            self.operations.want(op, wanted_s)
