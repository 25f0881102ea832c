"""Both ends of our link, joined in memory by a line with virtual time."""

import random
from collections import deque
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.device_session import CommandReceived, DeviceOut, DeviceSession
from drivers.frames import Frame, FrameReader, FrameType, NakReason, encode_frame
from drivers.host_session import HostOut, HostSession
from drivers.pending import PendingCommands
from drivers.session import (
    CommandReplied,
    CommandUnanswered,
    DeviceRestarted,
    EventGap,
    EventReceived,
    EventsLost,
    HostNotice,
    HostStatus,
    IdentityReceived,
    IdentityUnanswered,
    NakReceived,
    NotReadyError,
    Recovered,
    Resume,
    Stale,
)

DELAY_S = 0.004


@dataclass
class Line:
    """One direction: keeps the order, and loses, doubles or damages single frames."""

    source: random.Random
    loss: float = 0.0
    double: float = 0.0
    damage: float = 0.0
    cut_off: bool = False
    waiting: deque[tuple[float, bytes]] = field(default_factory=deque)

    def write(self, data: bytes, now_s: float) -> None:
        for piece in data.split(b"\0"):
            if piece and not self.cut_off:
                self._write_frame(b"\0" + piece + b"\0", now_s + DELAY_S)

    def _write_frame(self, frame: bytes, due_s: float) -> None:
        if self.source.random() < self.loss:
            return
        for _ in range(2 if self.source.random() < self.double else 1):
            hurt = bytearray(frame)
            if self.source.random() < self.damage:
                hurt[self.source.randrange(len(hurt))] ^= 1 << self.source.randrange(8)
            self.waiting.append((due_s, bytes(hurt)))


class Rig:
    """A host that accepts and stores at once, a device that obeys at once, and a clock that jumps."""

    def __init__(self, *, seed: int = 0, loss: float = 0, double: float = 0, damage: float = 0) -> None:
        self.source = random.Random(seed)
        self.to_host = Line(self.source, loss, double, damage)
        self.to_device = Line(self.source, loss, double, damage)
        self.now_s = 100.0
        self.notices: list[HostNotice] = []
        self.executed: list[int] = []
        self.boot = 0
        self.storing = True
        self.accepting = True
        self.host = HostSession()
        self.boot_device()
        self.from_host(self.host.start(self.now_s))

    def boot_device(self, *, newest: int = 0) -> None:
        self.boot += 1
        self.device = DeviceSession(boot=self.boot, identity=b"me", started_s=self.now_s, newest=newest)
        self.from_device(self.device.start())

    def from_host(self, out: HostOut) -> None:
        self.to_device.write(out.data, self.now_s)
        for notice in out.notices:
            self.notices.append(notice)
            if isinstance(notice, IdentityReceived) and self.accepting:
                self.from_host(self.host.accept(self.now_s))
            if isinstance(notice, EventReceived) and self.storing:
                self.from_host(self.host.stored(notice, self.now_s))

    def from_device(self, out: DeviceOut) -> None:
        self.to_host.write(out.data, self.now_s)
        for command in out.notices:
            self.executed.append(command.command_id)
            self.from_device(self.device.reply(command.command_id, b"done", self.now_s))

    def event(self, payload: bytes) -> None:
        self.from_device(self.device.event(payload, self.now_s))

    def command(self, command_id: int) -> None:
        self.from_host(self.host.command(command_id, b"do", self.now_s))

    def run(self, seconds: float) -> None:
        until_s = self.now_s + seconds
        while (now_s := self._next()) <= until_s:
            self.now_s = now_s
            self._step()
        self.now_s = until_s

    def _next(self) -> float:
        times = [line.waiting[0][0] for line in (self.to_host, self.to_device) if line.waiting]
        host_s = self.host.next_deadline()
        times += [self.device.next_deadline()] + ([] if host_s is None else [host_s])
        return max(min(times), self.now_s)

    def _step(self) -> None:
        while self.to_host.waiting and self.to_host.waiting[0][0] <= self.now_s:
            self.from_host(self.host.receive(self.to_host.waiting.popleft()[1], self.now_s))
        while self.to_device.waiting and self.to_device.waiting[0][0] <= self.now_s:
            self.from_device(self.device.receive(self.to_device.waiting.popleft()[1], self.now_s))
        self.from_host(self.host.poll(self.now_s))
        self.from_device(self.device.poll(self.now_s))

    def payloads(self) -> list[bytes]:
        return [notice.payload for notice in self.notices if isinstance(notice, EventReceived)]

    def count(self, kind: type[object]) -> int:
        return sum(isinstance(notice, kind) for notice in self.notices)


def ready_rig() -> Rig:
    rig = Rig()
    rig.run(0.1)
    assert rig.host.status is HostStatus.READY
    rig.notices.clear()
    return rig


# -- a clean line


def test_nothing_counts_before_the_identity_is_accepted() -> None:
    rig = Rig()
    rig.accepting = False
    rig.event(b"early")
    rig.run(3)
    assert rig.notices == [IdentityReceived(1, b"me")]
    assert rig.device.unacked == 1
    with pytest.raises(NotReadyError):
        rig.command(1)
    rig.from_host(rig.host.accept(rig.now_s))
    rig.run(1)
    assert rig.payloads() == [b"early"]
    assert rig.device.unacked == 0
    assert rig.count(EventGap) == 0


def test_an_event_arrives_with_the_line_delay_and_is_acked_only_when_stored() -> None:
    rig = ready_rig()
    rig.storing = False
    sent_s = rig.now_s
    rig.event(b"one")
    rig.run(DELAY_S)
    assert rig.payloads() == [b"one"]
    assert rig.now_s == pytest.approx(sent_s + DELAY_S)
    rig.run(5)
    assert rig.payloads() == [b"one"]
    assert rig.host.counters.duplicate_events > 0
    assert rig.device.unacked == 1
    (event,) = [notice for notice in rig.notices if isinstance(notice, EventReceived)]
    rig.from_host(rig.host.stored(event, rig.now_s))
    rig.run(0.1)
    assert rig.device.unacked == 0


def test_an_event_carries_the_time_of_its_first_sending() -> None:
    rig = ready_rig()
    rig.to_host.cut_off = True
    rig.run(0.9)
    rig.event(b"one")
    rig.run(1)
    rig.to_host.cut_off = False
    rig.run(5)
    (event,) = [notice for notice in rig.notices if isinstance(notice, EventReceived)]
    assert event.t_us == pytest.approx(1_000_000, abs=2)


def test_storing_what_was_not_delivered_is_an_error() -> None:
    rig = ready_rig()
    with pytest.raises(ValueError, match="not delivered"):
        rig.host.stored(EventReceived(1, 5, 0, b""), rig.now_s)


def test_a_command_is_done_once_and_answered_once() -> None:
    rig = ready_rig()
    rig.command(77)
    rig.run(5)
    assert rig.executed == [77]
    assert rig.notices == [CommandReplied(77, b"done")]


def test_a_command_id_is_not_used_twice() -> None:
    rig = ready_rig()
    rig.command(77)
    with pytest.raises(ValueError, match="used already"):
        rig.command(77)
    rig.run(1)
    with pytest.raises(ValueError, match="used already"):
        rig.command(77)


def test_no_more_than_eight_commands_wait() -> None:
    rig = ready_rig()
    for command_id in range(8):
        rig.command(command_id)
    with pytest.raises(NotReadyError):
        rig.command(8)
    rig.run(1)
    rig.command(8)


def test_the_time_out_adapts_to_a_fast_line_and_stays_above_its_floor() -> None:
    rig = ready_rig()
    for command_id in range(40):
        rig.command(command_id)
        rig.run(0.1)
    assert rig.host._pending.rto_s == 0.2


# -- loss


def test_a_lost_reply_is_repeated_without_doing_the_command_again() -> None:
    rig = ready_rig()
    rig.to_host.cut_off = True
    rig.command(77)
    rig.run(0.5)
    rig.to_host.cut_off = False
    rig.run(2)
    assert rig.executed == [77]
    assert rig.device.counters.duplicate_commands > 0
    assert rig.count(CommandReplied) == 1


def test_a_command_without_reply_is_sent_five_times_and_then_unknown() -> None:
    rig = ready_rig()
    sent: list[float] = []
    rig.to_device.cut_off = True
    rig.command(77)
    start_s = rig.now_s
    while not rig.count(CommandUnanswered):
        deadline_s = rig.host.next_deadline()
        assert deadline_s is not None
        rig.now_s = deadline_s
        out = rig.host.poll(deadline_s)
        sent += [deadline_s - start_s for f in FrameReader().feed(out.data) if f.kind == FrameType.COMMAND]
        rig.notices += out.notices
        rig.host._heard_s = deadline_s  # the heartbeat goes on
    assert sent == pytest.approx([0.4, 1.2, 2.8, 6.0])
    assert rig.now_s - start_s == pytest.approx(9.2)
    assert rig.notices[-1] == CommandUnanswered(77)
    assert rig.executed == []


def test_a_reply_after_the_command_was_given_up_is_counted_only() -> None:
    rig = ready_rig()
    rig.command(77)
    rig.to_device.waiting.clear()
    rig.to_device.cut_off = True
    rig.run(10)
    assert CommandUnanswered(77) in rig.notices
    frame = Frame(FrameType.REPLY, boot=rig.boot, payload=(77).to_bytes(8, "little") + b"late")
    rig.from_host(rig.host.receive(encode_frame(frame), rig.now_s))
    assert rig.count(CommandReplied) == 0
    assert rig.host.counters.duplicate_replies == 1


def test_a_gap_is_told_once_and_filled() -> None:
    rig = ready_rig()
    rig.to_host.cut_off = True
    rig.event(b"1")
    rig.event(b"2")
    rig.to_host.cut_off = False
    rig.event(b"3")
    rig.run(0.1)
    assert rig.notices[0] == EventGap(1, 3)
    assert rig.payloads() == [b"1", b"2", b"3"]
    assert rig.count(EventGap) == 1


def test_the_heartbeat_shows_that_the_last_event_is_missing() -> None:
    rig = ready_rig()
    rig.to_host.cut_off = True
    rig.event(b"1")
    rig.to_host.cut_off = False
    rig.device._resend_s = rig.now_s + 60  # a device that does not send again by itself
    rig.run(1.1)
    assert rig.notices[0] == EventGap(1, 1)
    assert rig.payloads() == [b"1"]


def test_events_that_the_device_no_longer_has_are_named() -> None:
    rig = Rig()
    rig.to_host.cut_off = True
    for number in range(100):
        rig.event(bytes((number,)))
    assert rig.device.unacked == 64
    rig.to_host.cut_off = False
    rig.run(20)
    assert rig.payloads() == [bytes((number,)) for number in range(36, 100)]
    assert [notice for notice in rig.notices if isinstance(notice, EventsLost)] == [EventsLost(1, 36)]
    assert rig.device.counters.lost_events == 36
    assert rig.device.unacked == 0


def test_a_device_left_alone_for_long_still_reports_its_loss() -> None:
    rig = Rig()
    rig.to_host.cut_off = True
    for number in range(40_000):
        rig.device.event(number.to_bytes(4), rig.now_s)
    rig.to_host.cut_off = False
    rig.run(20)
    assert rig.payloads() == [number.to_bytes(4) for number in range(40_000 - 64, 40_000)]
    lost = [notice for notice in rig.notices if isinstance(notice, EventsLost)]
    assert [notice.first for notice in lost] == [1, *(notice.last + 1 for notice in lost[:-1])]
    assert lost[-1].last == 40_000 - 64


def test_event_numbers_wrap_without_a_gap() -> None:
    rig = Rig()
    rig.boot_device(newest=65_500)
    for number in range(100):
        rig.event(bytes((number,)))
        rig.run(0.05)
    assert rig.payloads() == [bytes((number,)) for number in range(100)]
    assert rig.count(EventGap) + rig.count(EventsLost) == 0
    assert rig.device.unacked == 0


# -- silence and restarts


def test_three_missing_heartbeats_are_stale_and_the_next_frame_recovers() -> None:
    rig = ready_rig()
    rig.run(2)
    assert rig.notices == []
    rig.device.heartbeats = False
    last_s = rig.host._heard_s
    rig.to_device.cut_off = True
    rig.run(3.4 - (rig.now_s - last_s))
    assert rig.notices == []
    rig.run(0.2)
    (stale,) = rig.notices
    assert isinstance(stale, Stale)
    assert stale.silent_s == pytest.approx(3.5)
    rig.run(10)
    assert rig.count(Stale) == 1
    rig.device.heartbeats = True
    rig.run(1.1)
    assert rig.notices[1:] == [Recovered()]


def test_a_stale_device_that_answers_hello_recovers() -> None:
    rig = ready_rig()
    rig.device.heartbeats = False
    rig.run(5)
    assert [type(notice) for notice in rig.notices] == [Stale, Recovered]


def test_five_unanswered_hellos_are_told_once_and_asking_goes_on() -> None:
    rig = Rig()
    rig.to_host.waiting.clear()
    rig.to_host.cut_off = True
    rig.run(60)
    assert rig.notices == [IdentityUnanswered(5)]
    rig.to_host.cut_off = False
    rig.run(4)
    assert rig.host.status is HostStatus.READY


def test_a_restart_is_told_and_waits_for_acceptance_again() -> None:
    rig = ready_rig()
    rig.event(b"before")
    rig.run(0.1)
    rig.accepting = False
    rig.boot_device()
    rig.event(b"after")
    rig.run(2)
    assert rig.notices[1:] == [DeviceRestarted(1, 2), IdentityReceived(2, b"me")]
    rig.from_host(rig.host.accept(rig.now_s))
    rig.run(2)
    assert rig.payloads() == [b"before", b"after"]


def test_a_restart_without_identity_is_found_by_its_other_boot_number() -> None:
    rig = ready_rig()
    rig.to_host.cut_off = True
    rig.boot_device()
    rig.to_host.cut_off = False
    rig.run(2)
    assert rig.notices == [DeviceRestarted(1, 2), IdentityReceived(2, b"me")]
    assert rig.host.counters.foreign_boot > 0


def test_a_command_for_the_device_before_its_restart_is_not_done_and_is_unknown() -> None:
    rig = ready_rig()
    rig.command(77)
    rig.to_host.cut_off = True
    rig.boot_device()
    rig.to_host.cut_off = False
    rig.run(5)
    assert rig.executed == []
    assert rig.count(CommandUnanswered) == 1
    assert NakReceived(NakReason.WRONG_BOOT, FrameType.COMMAND, 77) not in rig.notices


def test_an_old_event_is_not_acked_after_a_restart() -> None:
    rig = ready_rig()
    rig.storing = False
    rig.event(b"before")
    rig.run(0.1)
    (event,) = [notice for notice in rig.notices if isinstance(notice, EventReceived)]
    rig.boot_device()
    rig.event(b"after")
    rig.run(0.1)
    assert rig.host.stored(event, rig.now_s).data == b""
    assert rig.device.unacked == 1


def test_a_changed_identity_waits_for_acceptance_again() -> None:
    rig = ready_rig()
    rig.accepting = False
    rig.device._identity = b"somebody else"
    rig.from_device(rig.device.start())
    rig.run(0.1)
    assert rig.notices == [IdentityReceived(1, b"somebody else")]
    assert rig.host.status is HostStatus.IDENTIFIED


def test_a_new_host_session_goes_on_after_the_last_stored_event() -> None:
    rig = ready_rig()
    rig.storing = False
    for number in range(4):
        rig.event(bytes((number,)))
    rig.run(0.1)
    events = [notice for notice in rig.notices if isinstance(notice, EventReceived)]
    rig.host.stored(events[1], rig.now_s)  # this acknowledgement never leaves the host
    assert rig.host.resume_point == Resume(1, 2)
    rig.host, rig.storing = HostSession(resume=rig.host.resume_point), True
    rig.notices.clear()
    rig.from_host(rig.host.start(rig.now_s))
    rig.run(1)
    assert rig.payloads() == [b"\x02", b"\x03"]
    assert rig.device.unacked == 0


def test_a_resume_point_beyond_the_device_is_not_believed() -> None:
    rig = Rig()
    rig.host = HostSession(resume=Resume(1, 500))
    rig.from_host(rig.host.start(rig.now_s))
    rig.event(b"first")
    rig.run(1)
    assert rig.payloads() == [b"first"]


# -- what is not understood


def test_an_unknown_type_is_answered_with_nak_by_both_ends() -> None:
    rig = ready_rig()
    rig.from_host(rig.host.receive(encode_frame(Frame(200, boot=rig.boot)), rig.now_s))
    assert rig.host.counters.unknown_type == 1
    rig.run(0.1)
    assert rig.device.counters.naks_received == 1
    out = rig.device.receive(encode_frame(Frame(200, boot=rig.boot)), rig.now_s)
    rig.from_device(out)
    rig.run(0.1)
    assert rig.notices == [NakReceived(NakReason.UNKNOWN_TYPE, 200, None)]
    assert rig.host.counters.naks == 1


def test_a_nak_never_answers_a_nak() -> None:
    rig = ready_rig()
    nak = encode_frame(Frame(FrameType.NAK, boot=999, payload=b"\x01\xc8"))
    assert rig.device.receive(nak, rig.now_s).data == b""


def test_short_payloads_are_counted_or_refused() -> None:
    rig = ready_rig()
    for kind in (FrameType.REPLY, FrameType.NAK):
        rig.from_host(rig.host.receive(encode_frame(Frame(kind, boot=rig.boot)), rig.now_s))
    assert rig.host.counters.malformed == 2
    for kind in (FrameType.COMMAND, FrameType.GET_EVENTS):
        out = rig.device.receive(encode_frame(Frame(kind, boot=rig.boot)), rig.now_s)
        (nak,) = FrameReader().feed(out.data)
        assert nak.payload == bytes((NakReason.MALFORMED, kind))


def test_a_refused_command_waits_no_longer() -> None:
    rig = ready_rig()
    rig.to_device.cut_off = True
    rig.command(77)
    payload = bytes((NakReason.BUSY, FrameType.COMMAND)) + (77).to_bytes(8, "little")
    frame = Frame(FrameType.NAK, boot=rig.boot, payload=payload)
    rig.from_host(rig.host.receive(encode_frame(frame), rig.now_s))
    rig.run(20)
    assert NakReceived(NakReason.BUSY, FrameType.COMMAND, 77) in rig.notices
    assert rig.count(CommandUnanswered) == 0


def test_a_command_nakked_for_its_boot_stays_open_until_its_outcome_is_unknown() -> None:
    rig = ready_rig()
    rig.to_device.cut_off = True
    rig.command(77)
    payload = bytes((NakReason.WRONG_BOOT, FrameType.COMMAND)) + (77).to_bytes(8, "little")
    frame = Frame(FrameType.NAK, boot=rig.boot, payload=payload)
    rig.from_host(rig.host.receive(encode_frame(frame), rig.now_s))
    rig.run(20)
    assert rig.count(CommandUnanswered) == 1


def test_an_ack_of_events_that_never_were_is_not_believed() -> None:
    rig = ready_rig()
    rig.storing = False
    rig.event(b"one")
    rig.device.receive(encode_frame(Frame(FrameType.ACK, ack=9, boot=rig.boot)), rig.now_s)
    assert rig.device.unacked == 1


def test_the_reply_to_a_repeated_command_measures_nothing() -> None:
    pending = PendingCommands()
    pending.sent(1, b"", 0.0)
    pending.due(0.4)
    pending.settle(1, 0.41)
    assert pending.rto_s == pytest.approx(0.8)
    pending.sent(2, b"", 1.0)
    pending.settle(2, 1.1)
    assert pending.rto_s == pytest.approx(0.8 * 7 / 8 + 0.05)


def test_the_device_refuses_what_it_could_not_remember() -> None:
    device = DeviceSession(boot=1, identity=b"", started_s=0.0)
    commands = [
        encode_frame(Frame(FrameType.COMMAND, boot=1, payload=command_id.to_bytes(8, "little")))
        for command_id in range(33)
    ]
    outs = [device.receive(command, 0.0) for command in commands]
    assert outs[31].notices == (CommandReceived(31, b""),)
    assert outs[32].notices == ()
    (nak,) = FrameReader().feed(outs[32].data)
    assert nak.payload[:2] == bytes((NakReason.BUSY, FrameType.COMMAND))
    device.reply(5, b"done", 0.0)
    assert device.receive(commands[32], 0.0).notices == (CommandReceived(32, b""),)


# -- the whole, over bad lines


@given(
    st.integers(0, 2**32),
    st.sampled_from([0.0, 0.1, 0.3]),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from([0.0, 0.1, 0.3]),
)
def test_over_any_bad_line_events_come_once_in_order_and_commands_run_at_most_once(
    seed: int, loss: float, double: float, damage: float
) -> None:
    rig = Rig(seed=seed, loss=loss, double=double, damage=damage)
    rig.run(30)
    given_ids = []
    for number in range(60):
        rig.event(number.to_bytes(2))
        if rig.host.status is HostStatus.READY and number % 5 == 0:
            given_ids.append(number)
            rig.command(number)
        rig.run(rig.source.random() * 2)
    for line in (rig.to_host, rig.to_device):
        line.loss = line.damage = 0
    rig.run(60)
    assert rig.payloads() == [number.to_bytes(2) for number in range(60)]
    assert rig.device.unacked == 0
    assert rig.count(EventsLost) == 0
    assert len(rig.executed) == len(set(rig.executed))
    replied = [notice.command_id for notice in rig.notices if isinstance(notice, CommandReplied)]
    unanswered = [notice.command_id for notice in rig.notices if isinstance(notice, CommandUnanswered)]
    assert sorted(replied + unanswered) == given_ids
    assert set(replied) <= set(rig.executed)


@given(st.integers(0, 2**32))
def test_over_bad_lines_with_restarts_no_event_comes_twice_or_out_of_order(seed: int) -> None:
    rig = Rig(seed=seed, loss=0.2, double=0.2, damage=0.2)
    sent: list[tuple[int, int]] = []
    for number in range(40):
        if rig.source.random() < 0.1:
            rig.boot_device()
        sent.append((rig.boot, number))
        rig.event(number.to_bytes(2))
        rig.run(rig.source.random() * 3)
    rig.to_host.loss = rig.to_host.damage = rig.to_device.loss = rig.to_device.damage = 0
    rig.run(60)
    got = [(n.boot, int.from_bytes(n.payload)) for n in rig.notices if isinstance(n, EventReceived)]
    assert got == sorted(set(got))
    assert set(got) <= set(sent)
    assert [pair for pair in got if pair[0] == rig.boot] == [pair for pair in sent if pair[0] == rig.boot]


@given(st.lists(st.binary(max_size=120), max_size=30), st.integers(0, 2**32))
def test_noise_never_breaks_either_end(noise: list[bytes], seed: int) -> None:
    rig = Rig(seed=seed)
    for data in noise:
        rig.from_host(rig.host.receive(data, rig.now_s))
        rig.from_device(rig.device.receive(data, rig.now_s))
        rig.run(0.1)
    rig.from_host(rig.host.receive(b"\0", rig.now_s))
    rig.from_device(rig.device.receive(b"\0", rig.now_s))
    rig.event(b"still here")
    rig.run(5)
    assert rig.payloads() == [b"still here"]


@given(st.lists(st.tuples(st.integers(0, 255), st.integers(0, 3), st.binary(max_size=64)), max_size=40))
def test_valid_frames_of_any_kind_and_content_never_break_either_end(
    hostile: list[tuple[int, int, bytes]],
) -> None:
    rig = Rig()
    for kind, boot, payload in hostile:
        data = encode_frame(Frame(kind % 12, seq=boot * 9, ack=kind, boot=boot, payload=payload))
        rig.from_host(rig.host.receive(data, rig.now_s))
        rig.from_device(rig.device.receive(data, rig.now_s))
        rig.run(0.01)
    assert len(rig.to_host.waiting) + len(rig.to_device.waiting) < 200
