"""What a draw system's messages mean to the table, and what it is asked."""

from collections import OrderedDict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from drivers.draw.codec import (
    decode_command,
    decode_draw_reply,
    decode_event,
    decode_result,
    encode_command,
    encode_result,
    fault_name,
)
from drivers.draw.messages import (
    Committed,
    DrawFault,
    Drawn,
    GetDraw,
    GetRngStatus,
    MakeDraw,
    NotDrawn,
    RngStatus,
    RunSelfTest,
    SelfTestEnded,
)
from drivers.duty import NOTHING, DeviceFaults, Outcome, momentary
from drivers.identity import Kind
from drivers.messages import Accepted, FaultCleared, FaultRaised, NotUnderstood, Refused, Reply, ReplyKind
from drivers.operations import Begin, Done, Failed, Next, Operations
from tablectl.core import effects
from tablectl.core.draw import COMBINATIONS, Series
from tablectl.core.effects import Command, RequestDraw
from tablectl.core.facts import Body, DeviceNoted, DrawCommitted, DrawFailed
from tablectl.core.faults import Code

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
KNOWN_DRAWS = 256
ASK_AGAIN_S = 2.0


class DrawDuty:
    """A draw system's part on the link; see `Duty`.

    Args:
        timeout_s: how long a draw may take.
    """

    def __init__(self, name: str, timeout_s: float) -> None:
        self.kind: Final = Kind.DRAW
        self._name = name
        self._faults = DeviceFaults(name, FAULTS, Code.DRAW_UNKNOWN_ERROR, (Code.DRAW_TIMEOUT,))
        self._operations = Operations("draw", fault_name, timeout_s, remembers=True)
        self._round_name = ""
        self._known: OrderedDict[int, Drawn | None] = OrderedDict()  # None for one that was never made
        self._self_test_wanted = False
        self._status_wanted = False
        self._ask_again_s: float | None = None

    def commanded(self, command: Command, now_s: float) -> bool:
        """A draw that is asked for and whose outcome isn't told yet; or a self-test."""
        if isinstance(command, effects.RunSelfTest):
            self._self_test_wanted = True
            return True
        if not isinstance(command, RequestDraw) or command.draw_id in self._known:
            return False
        if not self._operations.want(command.draw_id, now_s):
            return False
        self._round_name = command.round_id
        return True

    def attached(self, boot: int, now_s: float, *, restarted: bool) -> Outcome:
        """It keeps its draws, and says again what is wrong."""
        self._operations.attached(boot, now_s)
        self._status_wanted = True
        return Outcome(self._faults.restarted()) if restarted else NOTHING

    def question(self) -> bytes | None:
        """What became of the draw? Or else the self-test that is wanted, and once how the random source is."""
        asked = self._operations.ask()
        if asked is not None:
            return encode_command(GetDraw(asked.op))
        if self._self_test_wanted:
            return encode_command(RunSelfTest())
        return encode_command(GetRngStatus()) if self._status_wanted else None

    def heard(self, payload: bytes, now_s: float) -> Outcome:  # noqa: ARG002 -- a draw is as good as its record
        """Its event, as facts."""
        event = decode_event(payload)
        match event:
            case Committed(draw_id=draw_id, drawn=drawn):
                return Outcome(self._committed(draw_id, drawn) or self._repeated(draw_id), ask=True)
            case NotDrawn(draw_id=draw_id, number=number):
                return Outcome(self._failed(draw_id, fault_name(number)) or self._repeated(draw_id), ask=True)
            case SelfTestEnded(number=number):
                return Outcome((DeviceNoted(self._name, "self_test", fault_name(number) if number else "passed"),))
            case FaultRaised() | FaultCleared():
                return Outcome(self._faults.told(event), ask=True)  # it may have ended the draw
            case NotUnderstood(kind=kind):
                return Outcome((DeviceNoted(self._name, "not_understood", str(kind)),), unknown=f"event {kind}")

    def replied(self, asked: bytes, reply: bytes, now_s: float) -> Outcome:
        """What became of the draw, or how the random source is."""
        decoded = decode_draw_reply(reply)
        if not isinstance(decoded, RngStatus):
            return self._settled(asked, decoded, now_s)
        if decode_command(asked) != GetRngStatus():
            return self._settled(asked, NotUnderstood(ReplyKind.REPORT), now_s)
        self._status_wanted = False
        rng = f"{decoded.state.name.lower()} {decoded.samples}"
        return Outcome((DeviceNoted(self._name, "rng_status", rng),), ask=True)

    def not_taken(self, asked: bytes, now_s: float) -> Outcome:
        """Nothing is drawn."""
        return self._settled(asked, Refused(DrawFault.UNRECOGNISED), now_s)

    def woken(self, now_s: float) -> Outcome:
        """A draw may take too long; then it is asked about until it is made or has failed."""
        late = self._operations.late(now_s)
        again = self._ask_again_s is not None and now_s >= self._ask_again_s
        if not (late or again):
            return NOTHING
        self._ask_again_s = None if self._operations.outstanding is None else now_s + ASK_AGAIN_S
        return Outcome(self._faults.find(Code.DRAW_TIMEOUT) if late else (), ask=True)

    def next_deadline(self) -> float | None:
        """When the draw is late."""
        times = (self._operations.next_deadline(), self._ask_again_s)
        return min((time for time in times if time is not None), default=None)

    def _settled(self, asked: bytes, reply: Reply, now_s: float) -> Outcome:
        unknown = f"reply {reply.kind}" if isinstance(reply, NotUnderstood) else ""
        command = decode_command(asked)
        match command:
            case GetDraw(draw_id=op) | MakeDraw(draw_id=op) if self._operations.is_outstanding(op):
                begun = isinstance(command, MakeDraw)
                return self._follow(self._operations.replied(op, reply, now_s, to_begin=begun), unknown)
            case RunSelfTest():
                self._self_test_wanted = False
                said = "begun" if isinstance(reply, Accepted) else "refused"
                return Outcome((DeviceNoted(self._name, "self_test", said),), ask=True, unknown=unknown)
            case GetRngStatus():
                self._status_wanted = False
                return Outcome(ask=True, unknown=unknown)
            case _:
                return Outcome(ask=True, unknown=unknown)  # the table wants another one by now, or none

    def _follow(self, next_: Next | None, unknown: str) -> Outcome:
        match next_:
            case None:
                return Outcome(unknown=unknown)
            case Begin(op=op):
                return Outcome(send=encode_command(MakeDraw(op, self._round_name)), unknown=unknown)
            case Done(op=op, result=result):
                return Outcome(self._committed(op, decode_result(result)), ask=True, unknown=unknown)
            case Failed(op=op, reason=reason, refused=refused, forgot=forgot):
                broken = momentary(Code.DRAW_STORAGE, self._name, reason) if forgot else ()
                refusal = momentary(Code.REFUSED_BY_DEVICE, self._name, reason) if refused else ()
                return Outcome((*broken, *self._failed(op, reason), *refusal), ask=True, unknown=unknown)

    def _committed(self, draw_id: int, drawn: Drawn) -> tuple[Body, ...]:
        """A draw was made: a fact once, and never with values that are impossible or others than before."""
        if draw_id in self._known:
            before = self._known[draw_id]
            return () if drawn == before else self._conflict(draw_id, before, drawn)
        over = self._end(draw_id, drawn)
        if drawn.series >= len(SERIES) or not 1 <= drawn.combination <= COMBINATIONS:
            values = f"series {drawn.series}, combination {drawn.combination}"
            fault = momentary(Code.DRAW_VALUES_OUT_OF_RANGE, self._name, values)
            return (*over, *fault, DrawFailed(self._name, draw_id, "values out of range"))
        return (*over, DrawCommitted(self._name, draw_id, SERIES[drawn.series], drawn.combination))

    def _failed(self, draw_id: int, reason: str) -> tuple[Body, ...]:
        """A draw was not made and never will be: a fact once."""
        if draw_id in self._known:
            before = self._known[draw_id]
            return () if before is None else self._conflict(draw_id, before, None)
        return (*self._end(draw_id, None), DrawFailed(self._name, draw_id, reason))

    def _end(self, draw_id: int, drawn: Drawn | None) -> tuple[Body, ...]:
        self._operations.ended(draw_id)
        self._known[draw_id] = drawn
        if len(self._known) > KNOWN_DRAWS:
            self._known.popitem(last=False)
        if self._operations.outstanding is not None:
            return ()
        self._ask_again_s = None
        return self._faults.end(Code.DRAW_TIMEOUT)

    def _conflict(self, draw_id: int, before: Drawn | None, now: Drawn | None) -> tuple[Body, ...]:
        said = " then ".join("nothing" if each is None else encode_result(each).hex(" ") for each in (before, now))
        return momentary(Code.DRAW_ID_CONFLICT, self._name, f"draw {draw_id}: {said}")

    def _repeated(self, draw_id: int) -> tuple[Body, ...]:
        return (DeviceNoted(self._name, "draw_said_again", str(draw_id)),)
