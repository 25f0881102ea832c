"""Both ends of our link over lines on which anything may happen to single frames."""

from contextlib import suppress

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from drivers.link.frame import NakReason
from drivers.link.notices import (
    CommandReplied,
    CommandUnanswered,
    EventReceived,
    EventsLost,
    HostStatus,
    NakReceived,
    NotReadyError,
)
from tests.drivers.sessionbench import Line, Rig

LINES = st.sampled_from(("to_host", "to_device"))


class LinkMachine(RuleBasedStateMachine):
    """A device that reports and obeys, a host that stores and commands; at the end the lines are whole again."""

    def __init__(self) -> None:
        super().__init__()
        self.rig = Rig()
        self.sent: list[tuple[int, int]] = []
        self.commanded: list[int] = []

    @rule()
    def report(self) -> None:
        number = len(self.sent)
        self.sent.append((self.rig.boot, number))
        self.rig.event(number.to_bytes(2))

    @precondition(lambda self: self.rig.host.status is HostStatus.READY)
    @rule()
    def command(self) -> None:
        number = len(self.commanded)
        with suppress(NotReadyError):  # eight wait
            self.rig.command(number)
            self.commanded.append(number)

    @rule(seconds=st.sampled_from((0.001, 0.005, 0.1, 0.5, 2.0, 12.0)))
    def run(self, seconds: float) -> None:
        self.rig.run(seconds)

    @rule(name=LINES)
    def lose_a_frame(self, name: str) -> None:
        if waiting := self.line(name).waiting:
            waiting.popleft()

    @rule(name=LINES)
    def double_a_frame(self, name: str) -> None:
        if waiting := self.line(name).waiting:
            waiting.appendleft(waiting[0])

    @rule(name=LINES, place=st.integers(0, 1023))
    def damage_a_frame(self, name: str, place: int) -> None:
        if waiting := self.line(name).waiting:
            due_s, frame = waiting.popleft()
            hurt = bytearray(frame)
            hurt[place // 8 % len(hurt)] ^= 1 << place % 8
            waiting.appendleft((due_s, bytes(hurt)))

    @rule(name=LINES)
    def pull_or_plug(self, name: str) -> None:
        self.line(name).cut_off ^= True

    @rule()
    def restart_the_device(self) -> None:
        self.rig.boot_device()

    def teardown(self) -> None:
        """Every event of the device's last start came once and in order; every command has one outcome."""
        self.rig.to_host.cut_off = self.rig.to_device.cut_off = False
        self.rig.run(60)
        notices = self.rig.notices
        got = [(each.boot, int.from_bytes(each.payload)) for each in notices if isinstance(each, EventReceived)]
        assert got == sorted(set(got))
        assert set(got) <= set(self.sent)
        assert [each for each in got if each[0] == self.rig.boot] == [
            each for each in self.sent if each[0] == self.rig.boot
        ]
        assert self.rig.count(EventsLost) == 0
        assert self.rig.device.unacked == 0
        assert len(self.rig.executed) == len(set(self.rig.executed))
        replied = [each.command_id for each in notices if isinstance(each, CommandReplied)]
        unanswered = [each.command_id for each in notices if isinstance(each, CommandUnanswered)]
        refused = [number for each in notices if isinstance(each, NakReceived) for number in _settled(each)]
        assert sorted((*replied, *unanswered, *refused)) == self.commanded
        assert set(replied) <= set(self.rig.executed)

    def line(self, name: str) -> Line:
        return self.rig.to_host if name == "to_host" else self.rig.to_device


def _settled(nak: NakReceived) -> list[int]:
    """The command that has its outcome by this refusal."""
    return [] if nak.command_id is None or nak.reason == NakReason.WRONG_BOOT else [nak.command_id]


TestLink = LinkMachine.TestCase
TestLink.settings = settings(max_examples=4 * settings().max_examples)
