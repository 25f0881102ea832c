"""Operations that the table wants of a device: the next command, and the outcome.

The device is always asked first what it knows of the operation, because an answer that got lost says nothing
about whether something was done. No input or output is done here.
"""

from abc import abstractmethod
from collections.abc import Callable

from drivers.link.handler import NOTHING, DeviceFaults, DeviceHandler, Outcome, momentary
from drivers.link.messages import (
    Accepted,
    Answer,
    Codec,
    CommandT,
    EventT,
    Fault,
    OperationState,
    OperationStatus,
    Refused,
    Reply,
    ReplyKind,
    ReportT,
)
from drivers.link.table import NotUnderstood
from tablectl.core.facts import Body
from tablectl.core.faults import Code
from tablectl.lazy_dataclass import dataclass

GRACE_S = 1.0


@dataclass(frozen=True, slots=True)
class Begin:
    """The device doesn't know `op`: it is to do it."""

    op: int


@dataclass(frozen=True, slots=True)
class Done:
    """`op` is done, with this result."""

    op: int
    result: bytes


@dataclass(frozen=True, slots=True)
class Failed:
    """`op` didn't come to its end.

    Args:
        refused: the device didn't begin it.
        forgot: the device had begun it and no longer knows it.
    """

    op: int
    reason: str
    refused: bool = False
    forgot: bool = False


Next = Begin | Done | Failed


class Operations:
    """The operation that is outstanding, one at a time, and the last one settled.

    Args:
        what: the operation's name for people.
        fault_name: the name of the device's fault by its number.
        timeout_s: how long one may take.
        remembers: whether the device keeps what it began over a loss of power; then one that it doesn't know
            was never begun.
        fresh_s: how long after it was asked for an operation may still be begun; None for ever.
    """

    def __init__(
        self,
        what: str,
        fault_name: Callable[[int], str],
        timeout_s: float,
        *,
        remembers: bool = False,
        fresh_s: float | None = None,
    ) -> None:
        self._what = what
        self._fault_name = fault_name
        self._timeout_s = timeout_s
        self._remembers = remembers
        self._fresh_s = fresh_s
        self._op: int | None = None
        self._last_op: int | None = None
        self._begun = False
        self._boot = 0
        self._sent_boot: int | None = None
        self._wanted_s = 0.0
        self._late_s: float | None = None

    @property
    def outstanding(self) -> int | None:
        """The operation that the table waits for."""
        return self._op

    def attached(self, boot: int, now_s: float) -> None:
        """Note that the device is attached, with the boot number of its current start.

        It has a moment to report what it did meanwhile.
        """
        self._boot = boot
        if self._late_s is not None:
            self._late_s = max(self._late_s, now_s + GRACE_S)

    def want(self, op: int, now_s: float) -> bool:
        """The table asks for `op`; False where it has done so before."""
        if op == self._last_op:
            return False
        self._op = self._last_op = op
        self._begun, self._sent_boot, self._late_s, self._wanted_s = False, None, None, now_s
        return True

    def replied(self, op: int, reply: Reply, now_s: float, *, to_begin: bool = False) -> Next | None:
        """The next step after the device's reply about the outstanding operation.

        Args:
            to_begin: it is the reply to having it begun, and not to the question.

        Returns:
            None for waiting.
        """
        match reply:
            case OperationStatus(state=OperationState.UNKNOWN) if to_begin:
                # It can't be both told to begin and unknown; trying again might never end.
                return self.replied(op, NotUnderstood(ReplyKind.STATUS), now_s)
            case Accepted() | OperationStatus(state=OperationState.RUNNING):
                self.began(op, now_s)
                return None
            case OperationStatus(state=OperationState.UNKNOWN):
                return self._unknown(op, now_s)
            case OperationStatus() | Refused() | NotUnderstood():
                self.ended(op)
                return self._outcome(op, reply)

    def began(self, op: int, now_s: float) -> None:
        """The device reports that it does `op`."""
        if op == self._op and not self._begun:
            self._begun, self._late_s = True, now_s + self._timeout_s

    def ended(self, op: int) -> None:
        """The device reported the outcome of `op`."""
        if op == self._op:
            self._op = self._late_s = None

    def late(self, now_s: float) -> bool:
        """Return True, once, if the operation takes too long."""
        if self._late_s is None or now_s < self._late_s:
            return False
        self._late_s = None
        return True

    def next_timeout(self) -> float | None:
        """When the operation is late."""
        return self._late_s

    def _unknown(self, op: int, now_s: float) -> Begin | Failed:
        """Handle a status of unknown: begin the operation, or fail it.

        Either the device never received it, or it forgot it, and then something may have been done.
        """
        forgot = self._begun or (not self._remembers and self._sent_boot not in {None, self._boot})
        if forgot:
            self.ended(op)
            return Failed(op, f"restarted and no longer knows the {self._what}", forgot=True)
        if self._fresh_s is not None and now_s > self._wanted_s + self._fresh_s:
            self.ended(op)
            return Failed(op, "too late")
        self._sent_boot = self._boot
        return Begin(op)

    def _outcome(self, op: int, reply: OperationStatus | Refused | NotUnderstood) -> Done | Failed:
        match reply:
            case OperationStatus(state=OperationState.DONE, result=result):
                return Done(op, result)
            case OperationStatus(number=number):
                return Failed(op, self._fault_name(number))
            case Refused(number=number):
                return Failed(op, f"refused: {self._fault_name(number)}", refused=True)
            case NotUnderstood(kind=kind):
                return Failed(op, f"answered something unknown ({kind})", refused=True)


class OperationHandler(DeviceHandler[EventT, CommandT, ReportT]):
    """A device that carries operations out, one at a time, each once.

    Args:
        operations: the one that is outstanding.
    """

    def __init__(
        self,
        kind: int,
        name: str,
        codec: Codec[EventT, CommandT, ReportT],
        faults: DeviceFaults,
        operations: Operations,
    ) -> None:
        super().__init__(kind, name, codec, faults)
        self.operations = operations

    @abstractmethod
    def begin(self, op: int) -> CommandT:
        """Return the command that begins an operation."""

    @abstractmethod
    def status(self, op: int) -> CommandT:
        """Return the command that asks for an operation's outcome."""

    @abstractmethod
    def done(self, op: int, result: bytes) -> tuple[Body, ...]:
        """Translate an operation that was carried out to facts."""

    @abstractmethod
    def failed(self, op: int, reason: str) -> tuple[Body, ...]:
        """Translate an operation that wasn't carried out to facts."""

    def on_attached(self, boot: int, now_s: float, *, restarted: bool) -> Outcome:
        """It may have forgotten an operation."""
        self.operations.attached(boot, now_s)
        return super().on_attached(boot, now_s, restarted=restarted)

    def query(self) -> bytes | None:
        """The outcome of the outstanding operation."""
        op = self.operations.outstanding
        return None if op is None else self.codec.commands.encode(self.status(op))

    def on_fault(self, event: Fault) -> Outcome:
        """A fault, which may have ended the operation."""
        return Outcome(self.faults.reported(event), ask=True)

    def on_answer(
        self, command: CommandT | NotUnderstood, reply: ReportT | Answer | NotUnderstood, now_s: float
    ) -> Outcome:
        """The next step of the outstanding operation; another one's answer is old."""
        op = self.operations.outstanding
        if op is None or command not in (self.begin(op), self.status(op)):
            return Outcome(ask=True)
        if not isinstance(reply, Reply):
            return self.answered(command, NotUnderstood(ReplyKind.REPORT), now_s)
        next_ = self.operations.replied(op, reply, now_s, to_begin=command == self.begin(op))
        match next_:
            case None:
                return NOTHING
            case Begin():
                return Outcome(send=self.codec.commands.encode(self.begin(op)))
            case Done(result=result):
                return Outcome(self.done(op, result), ask=True)
            case Failed():
                return Outcome(self.given_up(next_), ask=True)

    def given_up(self, failed: Failed) -> tuple[Body, ...]:
        """An operation that failed, and the fault that a refusal is."""
        refusal = momentary(Code.REFUSED_BY_DEVICE, self.name, failed.reason) if failed.refused else ()
        return (*self.failed(failed.op, failed.reason), *refusal)

    def next_timeout(self) -> float | None:
        """When the operation is late."""
        return self.operations.next_timeout()
