"""Whatever is lost, repeated or restarted: a draw is made once and told once, a signal sounds once."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from drivers.buzzer import codec as buzzer
from drivers.buzzer.codec import AskStatus, Sound, Sounded
from drivers.buzzer.device import BuzzerHandler
from drivers.draw import codec as draw
from drivers.draw.codec import Committed, DrawFault, Drawn, GetDraw, MakeDraw
from drivers.draw.device import DrawHandler
from drivers.link.handler import DeviceHandler, Outcome
from drivers.link.messages import Accepted, Codec, OperationState, OperationStatus
from tablectl.core.effects import Command, RequestDraw, Signal, SoundSignal
from tablectl.core.facts import Body
from tablectl.core.facts.reports import DrawCommitted, DrawFailed, SignalFailed, SignalSounded
from tablectl.core.outcomes import Series

AnyHandler = DeviceHandler[Any, Any, Any]
NAME, OP = "device", 42
UNKNOWN, RUNNING = OperationStatus(OperationState.UNKNOWN), OperationStatus(OperationState.RUNNING)


class Step(Enum):
    """What happens next on the line or at either end."""

    EXCHANGE = "a command and its reply arrive"
    LOSE_COMMAND = "a command is lost"
    LOSE_REPLY = "a reply is lost"
    FINISH = "the device does what it has begun"
    DELIVER = "the device's oldest event arrives"
    REPEAT = "the last event arrives again under a new number"
    RECONNECT = "the line was away for a moment"
    CUT_POWER = "the device loses its power"
    RESTART_HOST = "the driver is made anew, and the table asks again"


@dataclass(slots=True)
class Far:
    """A device in a few lines, independent of the simulators: one operation, done as its kind does it."""

    keeps: bool
    beginning: type[Any]
    asking: type[Any]
    codec: Codec[Any, Any, Any]
    result: bytes
    event: bytes
    known: OperationStatus = UNKNOWN
    begun: int = 0
    done: int = 0
    events: list[bytes] = field(default_factory=list[bytes])

    def obey(self, body: bytes) -> bytes | None:
        command = self.codec.commands.decode(body)
        if isinstance(command, self.asking):
            return self.codec.replies.encode(self.known)
        if isinstance(command, self.beginning):
            if self.known == UNKNOWN:
                self.begun += 1
                self.known = RUNNING
            return self.codec.replies.encode(Accepted())
        return None

    def finish(self) -> None:
        if self.known == RUNNING:
            self.done += 1
            self.known = OperationStatus(OperationState.DONE, self.result)
            self.events.append(self.event)

    def cut_power(self) -> None:
        self.events.clear()
        if not self.keeps:
            self.known = UNKNOWN
        elif self.known == RUNNING:
            self.known = OperationStatus(OperationState.FAILED, number=DrawFault.POWER_LOST)


@dataclass(slots=True)
class Line:
    """A handler and the device at the far end, with every accident between them."""

    make: Callable[[], AnyHandler]
    command: Command
    far: Far
    handler: AnyHandler = field(init=False)
    told: list[Body] = field(default_factory=list[Body])
    to_send: bytes | None = None
    boot: int = 1

    def __post_init__(self) -> None:
        self.restart_host()

    def follow(self, outcome: Outcome) -> None:
        self.told += outcome.bodies
        self.to_send = outcome.send

    def exchange(self, *, command: bool = True, reply: bool = True) -> None:
        """Sends what follows from the last reply, or else the question."""
        body, self.to_send = self.to_send or self.handler.query(), None
        answer = None if body is None or not command else self.far.obey(body)
        if body is not None and answer is not None and reply:
            self.follow(self.handler.on_reply(body, answer, 0.0))

    def deliver(self) -> None:
        if self.far.events:
            self.follow(self.handler.on_event(self.far.events.pop(0), 0.0))

    def reconnect(self, *, restarted: bool = False) -> None:
        self.to_send = None
        self.told += self.handler.on_attached(self.boot, 0.0, restarted=restarted).bodies

    def restart_host(self) -> None:
        self.handler = self.make()
        self.handler.on_command(self.command, 0.0)
        self.reconnect()

    def cut_power(self) -> None:
        self.far.cut_power()
        self.boot += 1
        self.reconnect(restarted=True)

    def take(self, step: Step) -> None:
        match step:
            case Step.EXCHANGE:
                self.exchange()
            case Step.LOSE_COMMAND:
                self.exchange(command=False)
            case Step.LOSE_REPLY:
                self.exchange(reply=False)
            case Step.FINISH:
                self.far.finish()
            case Step.DELIVER:
                self.deliver()
            case Step.REPEAT:
                if self.far.done and self.far.known != UNKNOWN:
                    self.follow(self.handler.on_event(self.far.event, 0.0))
            case Step.RECONNECT:
                self.reconnect()
            case Step.CUT_POWER:
                self.cut_power()
            case Step.RESTART_HOST:
                self.restart_host()

    def come_to_an_end(self) -> None:
        """From here on nothing is lost."""
        for _ in range(8):
            self.exchange()
            self.far.finish()
            self.deliver()


def drawing() -> Line:
    committed = draw.EVENTS.encode(Committed(OP, Drawn(1, 3)))
    far = Far(True, MakeDraw, GetDraw, draw.CODEC, draw.RESULT.write(Drawn(1, 3)), committed)
    return Line(lambda: DrawHandler(NAME, timeout_s=5.0), RequestDraw(OP, "t-7"), far)


def sounding() -> Line:
    sounded = buzzer.EVENTS.encode(Sounded(OP, verified=True))
    far = Far(False, Sound, AskStatus, buzzer.CODEC, b"\1", sounded)
    return Line(lambda: BuzzerHandler(NAME, timeout_s=5.0, fresh_s=3.0), SoundSignal(OP, Signal.TIME_IS_UP), far)


def outcomes(line: Line) -> list[Body]:
    return [body for body in line.told if isinstance(body, DrawCommitted | DrawFailed | SignalSounded | SignalFailed)]


STEPS = st.lists(st.sampled_from(Step), max_size=25)


@given(STEPS)
@example([Step.EXCHANGE, Step.LOSE_REPLY, Step.CUT_POWER])
@example([Step.EXCHANGE, Step.LOSE_REPLY, Step.FINISH, Step.CUT_POWER])
def test_draw_is_made_once_and_its_outcome_known(steps: list[Step]) -> None:
    line = drawing()
    for step in steps:
        line.take(step)
    line.come_to_an_end()
    assert line.far.done <= line.far.begun <= 1
    told = outcomes(line)
    if line.far.done:
        assert set(told) == {DrawCommitted(NAME, OP, Series.LOWER, 3)}
    else:
        assert set(told) == {DrawFailed(NAME, OP, "power_lost")}
    assert len(told) <= 1 + steps.count(Step.RESTART_HOST)


@given(st.lists(st.sampled_from([step for step in Step if step is not Step.RESTART_HOST]), max_size=25))
@example([Step.EXCHANGE, Step.EXCHANGE, Step.CUT_POWER])
@example([Step.EXCHANGE, Step.LOSE_REPLY, Step.CUT_POWER])
def test_signal_sounds_once_and_table_learns_what_became_of_it(steps: list[Step]) -> None:
    line = sounding()
    for step in steps:
        line.take(step)
    line.come_to_an_end()
    assert line.far.done <= line.far.begun <= 1
    (told,) = outcomes(line)
    assert isinstance(told, SignalFailed) or line.far.done == 1
    assert isinstance(told, SignalSounded) or Step.CUT_POWER in steps


@given(st.lists(st.sampled_from([step for step in Step if step is not Step.CUT_POWER]), max_size=25))
@example([Step.EXCHANGE, Step.LOSE_REPLY, Step.RESTART_HOST, Step.EXCHANGE])
def test_a_restarted_driver_has_no_signal_sound_again(steps: list[Step]) -> None:
    line = sounding()
    for step in steps:
        line.take(step)
    line.come_to_an_end()
    assert line.far.done == line.far.begun == 1
    assert set(outcomes(line)) == {SignalSounded(NAME, OP)}
