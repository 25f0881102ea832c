"""Both ends of our link over lines that lose frames, and under hostile bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.link.frame import Frame, FrameReader, FrameType, encode_frame
from drivers.link.notices import CommandReplied, CommandUnanswered, EventGap, EventsLost
from tests.drivers.sessionbench import Rig, ready_rig

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


def test_command_without_reply_is_sent_five_times_and_then_unknown() -> None:
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


def test_reply_after_the_command_was_given_up_is_counted_only() -> None:
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


# -- hostile bytes; `test_sessions_stateful` has all else that may happen on a line


@given(st.lists(st.binary(max_size=120), max_size=30))
def test_noise_never_breaks_either_end(noise: list[bytes]) -> None:
    rig = Rig()
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
def test_valid_frames_of_any_content_break_neither_end(
    hostile: list[tuple[int, int, bytes]],
) -> None:
    rig = Rig()
    for kind, boot, payload in hostile:
        data = encode_frame(Frame(kind % 12, seq=boot * 9, ack=kind, boot=boot, payload=payload))
        rig.from_host(rig.host.receive(data, rig.now_s))
        rig.from_device(rig.device.receive(data, rig.now_s))
        rig.run(0.01)
    assert len(rig.to_host.waiting) + len(rig.to_device.waiting) < 200
