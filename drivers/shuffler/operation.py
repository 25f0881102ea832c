"""The shuffle that the table asked for, without input or output: what to ask the device, and what came of it.

The device is always asked first what it knows of the operation, because an answer that got lost says nothing
about whether the cards moved.
"""

from dataclasses import dataclass

from drivers.shuffler.messages import (
    Accepted,
    AskStatus,
    FaultCode,
    NotUnderstood,
    OperationState,
    OperationStatus,
    Refused,
    Reply,
    Shuffle,
)


@dataclass(frozen=True, slots=True)
class Completed:
    """The shuffle is done; `count` cards went through."""

    op: int
    count: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The shuffle didn't come to its end; `refused` where the device didn't begin it."""

    op: int
    reason: str
    refused: bool = False


Next = AskStatus | Shuffle | Completed | Failed


class Operations:
    """The operation that is outstanding, one at a time, and the last one settled.

    Args:
        timeout_s: how long a shuffle may take.
    """

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._op: int | None = None
        self._last_op: int | None = None
        self._begun = False
        self._sent_boot: int | None = None
        self._late_s: float | None = None

    def want(self, op: int) -> bool:
        """The table asks for `op`; False where it has done so before."""
        if op == self._last_op:
            return False
        self._op = self._last_op = op
        self._begun, self._sent_boot, self._late_s = False, None, None
        return True

    def is_outstanding(self, op: int) -> bool:
        """Whether `op` is what the table waits for."""
        return op == self._op

    def ask(self) -> AskStatus | None:
        """The question that is safe to repeat, while an operation is outstanding."""
        return None if self._op is None else AskStatus(self._op)

    def replied(self, asked: AskStatus | Shuffle, reply: Reply, boot: int, now_s: float) -> Next | None:
        """What follows from the device's reply, at its start `boot`, about the outstanding operation.

        Returns:
            None for waiting.
        """
        match reply:
            case Accepted() | OperationStatus(state=OperationState.RUNNING):
                self.began(asked.op, now_s)
                return None
            case OperationStatus(state=OperationState.UNKNOWN):
                return self._unknown(asked.op, boot)
            case OperationStatus() | Refused() | NotUnderstood():
                self.ended(asked.op)
                return _outcome(asked.op, reply)

    def began(self, op: int, now_s: float) -> None:
        """The device said that it does `op`."""
        if op == self._op and not self._begun:
            self._begun, self._late_s = True, now_s + self._timeout_s

    def ended(self, op: int) -> None:
        """The device said what became of `op`."""
        if op == self._op:
            self._op = self._late_s = None

    def late(self, now_s: float) -> bool:
        """Whether the shuffle takes too long; true once."""
        if self._late_s is None or now_s < self._late_s:
            return False
        self._late_s = None
        return True

    def next_deadline(self) -> float | None:
        """When the shuffle is late."""
        return self._late_s

    def _unknown(self, op: int, boot: int) -> Shuffle | Failed:
        """The device never heard of it; or it forgot, and then the cards may have moved."""
        if self._begun or self._sent_boot not in {None, boot}:
            self.ended(op)
            return Failed(op, "restarted and no longer knows the shuffle")
        self._sent_boot = boot
        return Shuffle(op)


def _outcome(op: int, reply: OperationStatus | Refused | NotUnderstood) -> Completed | Failed:
    match reply:
        case OperationStatus(state=OperationState.DONE, count=count):
            return Completed(op, count or 0)
        case OperationStatus(code=code):
            return Failed(op, _name(code))
        case Refused(code=code):
            return Failed(op, f"refused: {_name(code)}", refused=True)
        case NotUnderstood(kind=kind):
            return Failed(op, f"answered something unknown ({kind})", refused=True)


def _name(code: FaultCode | None) -> str:
    return "unrecognised" if code is None else code.name.lower()
