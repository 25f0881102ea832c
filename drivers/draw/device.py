"""A draw system on our device link: each draw is made once and reported once."""

from collections import OrderedDict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from drivers.draw.codec import (
    CODEC,
    MAX_ROUND_NAME,
    RESULT,
    Command,
    Committed,
    DrawFault,
    Drawn,
    Event,
    GetDraw,
    GetRngStatus,
    MakeDraw,
    NotDrawn,
    RngStatus,
    RunSelfTest,
    SelfTestEnded,
)
from drivers.link.handler import NOTHING, DeviceFaults, Outcome, momentary
from drivers.link.identity import Kind
from drivers.link.messages import Accepted, Answer, ReplyKind
from drivers.link.operations import Failed, OperationHandler, Operations
from drivers.link.table import NotUnderstood
from tablectl.core import effects
from tablectl.core.effects import RequestDraw
from tablectl.core.facts import Body
from tablectl.core.facts.reports import DeviceNoted, DrawCommitted, DrawFailed
from tablectl.core.faults import Code
from tablectl.core.outcomes import COMBINATIONS, Series

FAULTS: Mapping[int, Code] = MappingProxyType(
    {
        DrawFault.RNG_REPETITION: Code.DRAW_RNG_REPETITION,
        DrawFault.RNG_PROPORTION: Code.DRAW_RNG_PROPORTION,
        DrawFault.RNG_STARTUP: Code.DRAW_RNG_STARTUP,
        DrawFault.ENTROPY_SLOW: Code.DRAW_ENTROPY_SLOW,
        DrawFault.STORAGE: Code.DRAW_STORAGE,
    }
)
SERIES: Final = (Series.UPPER, Series.LOWER)
"""By their number on the wire."""
DRAW_TIMEOUT_S: Final = 5.0
KNOWN_DRAWS: Final = 256
ASK_AGAIN_S: Final = 2.0


class DrawHandler(OperationHandler[Event, Command, RngStatus]):
    """A draw system's messages as facts.

    Args:
        timeout_s: how long a draw may take.
    """

    def __init__(self, name: str, *, timeout_s: float = DRAW_TIMEOUT_S) -> None:
        faults = DeviceFaults(name, FAULTS, Code.DRAW_UNKNOWN_ERROR, (Code.DRAW_TIMEOUT,))
        operations = Operations("draw", CODEC.fault_name, timeout_s, remembers=True)
        super().__init__(Kind.DRAW, name, CODEC, faults, operations)
        self._round_name = ""
        self._known: OrderedDict[int, Drawn | None] = OrderedDict()  # None for one that was never made
        self._self_test_wanted = False
        self._status_wanted = False
        self._ask_again_s: float | None = None

    def on_command(self, command: effects.Command, now_s: float) -> bool:
        """Take a draw whose outcome isn't reported yet, or a self-test."""
        if isinstance(command, effects.RunSelfTest):
            self._self_test_wanted = True
            return True
        if not isinstance(command, RequestDraw) or command.draw_id in self._known:
            return False
        if not self.operations.want(command.draw_id, now_s):
            return False
        self._round_name = command.round_id[:MAX_ROUND_NAME]
        return True

    def on_attached(self, boot: int, now_s: float, *, restarted: bool) -> Outcome:
        """It keeps its draws, and reports again what is wrong."""
        self._status_wanted = True
        return super().on_attached(boot, now_s, restarted=restarted)

    def query(self) -> bytes | None:
        """Return the next query: the draw's outcome, a wanted self-test, or the source.

        The state of the random source is asked for once.
        """
        if (asked := super().query()) is not None:
            return asked
        if self._self_test_wanted:
            return CODEC.commands.encode(RunSelfTest())
        return CODEC.commands.encode(GetRngStatus()) if self._status_wanted else None

    def on_message(self, event: Event, now_s: float) -> Outcome:  # noqa: ARG002 -- a draw is as good as its record
        """The outcome of a draw or of a self-test, as facts."""
        match event:
            case Committed(draw_id=draw_id, drawn=drawn):
                return Outcome(self._committed(draw_id, drawn) or self._repeated(draw_id), ask=True)
            case NotDrawn(draw_id=draw_id, number=number):
                return Outcome(self.failed(draw_id, CODEC.fault_name(number)) or self._repeated(draw_id), ask=True)
            case SelfTestEnded(number=number):
                found = CODEC.fault_name(number) if number else "passed"
                return Outcome((DeviceNoted(self.name, "self_test", found),))

    def on_answer(
        self, command: Command | NotUnderstood, reply: RngStatus | Answer | NotUnderstood, now_s: float
    ) -> Outcome:
        """Handle a reply: a draw, the beginning of a self-test, or the source's state."""
        match command, reply:
            case GetRngStatus(), RngStatus(state=state, samples=samples):
                self._status_wanted = False
                note = DeviceNoted(self.name, "rng_status", f"{state.name.lower()} {samples}")
                return Outcome((note,), ask=True)
            case RunSelfTest() | GetRngStatus(), RngStatus():
                return self.answered(command, NotUnderstood(ReplyKind.REPORT), now_s)
            case RunSelfTest(), _:
                self._self_test_wanted = False
                outcome = "begun" if isinstance(reply, Accepted) else "refused"
                return Outcome((DeviceNoted(self.name, "self_test", outcome),), ask=True)
            case GetRngStatus(), _:
                self._status_wanted = False
                return Outcome(ask=True)
            case _:
                return super().on_answer(command, reply, now_s)

    def on_timer(self, now_s: float) -> Outcome:
        """A draw may take too long; then it is asked about until it is made or has failed."""
        late = self.operations.late(now_s)
        again = self._ask_again_s is not None and now_s >= self._ask_again_s
        if not (late or again):
            return NOTHING
        self._ask_again_s = None if self.operations.outstanding is None else now_s + ASK_AGAIN_S
        return Outcome(self.faults.find(Code.DRAW_TIMEOUT) if late else (), ask=True)

    def next_timeout(self) -> float | None:
        """When the draw is late, or is asked about again."""
        times = (self.operations.next_timeout(), self._ask_again_s)
        return min((time for time in times if time is not None), default=None)

    def begin(self, op: int) -> Command:
        """Draw."""
        return MakeDraw(op, self._round_name)

    def status(self, op: int) -> Command:
        """Ask for the draw."""
        return GetDraw(op)

    def done(self, op: int, result: bytes) -> tuple[Body, ...]:
        """A draw that was made."""
        return self._committed(op, RESULT.read(result))

    def given_up(self, failed: Failed) -> tuple[Body, ...]:
        """A draw that isn't made; a device that forgot one has lost its storage."""
        broken = momentary(Code.DRAW_STORAGE, self.name, failed.reason) if failed.forgot else ()
        return (*broken, *super().given_up(failed))

    def _committed(self, draw_id: int, drawn: Drawn) -> tuple[Body, ...]:
        """Report a draw that was made, once.

        Values that are impossible, or other than before, are never reported as drawn.
        """
        if draw_id in self._known:
            before = self._known[draw_id]
            return () if drawn == before else self._conflict(draw_id, before, drawn)
        over = self._end(draw_id, drawn)
        if drawn.series >= len(SERIES) or not 1 <= drawn.combination <= COMBINATIONS:
            values = f"series {drawn.series}, combination {drawn.combination}"
            fault = momentary(Code.DRAW_VALUES_OUT_OF_RANGE, self.name, values)
            return (*over, *fault, DrawFailed(self.name, draw_id, "values out of range"))
        return (*over, DrawCommitted(self.name, draw_id, SERIES[drawn.series], drawn.combination))

    def failed(self, op: int, reason: str) -> tuple[Body, ...]:
        """A draw was not made and never will be: a fact once."""
        if op in self._known:
            before = self._known[op]
            return () if before is None else self._conflict(op, before, None)
        return (*self._end(op, None), DrawFailed(self.name, op, reason))

    def _end(self, draw_id: int, drawn: Drawn | None) -> tuple[Body, ...]:
        self.operations.ended(draw_id)
        self._known[draw_id] = drawn
        if len(self._known) > KNOWN_DRAWS:
            self._known.popitem(last=False)
        if self.operations.outstanding is not None:
            return ()
        self._ask_again_s = None
        return self.faults.end(Code.DRAW_TIMEOUT)

    def _conflict(self, draw_id: int, before: Drawn | None, now: Drawn | None) -> tuple[Body, ...]:
        said = " then ".join("nothing" if each is None else RESULT.write(each).hex(" ") for each in (before, now))
        return momentary(Code.DRAW_ID_CONFLICT, self.name, f"draw {draw_id}: {said}")

    def _repeated(self, draw_id: int) -> tuple[Body, ...]:
        return (DeviceNoted(self.name, "draw_said_again", str(draw_id)),)
