"""Both ends of our link over a clean line, and what neither understands."""

import pytest

from drivers.link.commands import PendingCommands
from drivers.link.device import CommandReceived, DeviceSession
from drivers.link.frame import Frame, FrameReader, FrameType, NakReason, encode_frame
from drivers.link.notices import (
    CommandReplied,
    CommandUnanswered,
    EventGap,
    EventReceived,
    IdentityReceived,
    NakReceived,
    NotReadyError,
)
from tests.drivers.sessionbench import DELAY_S, Rig, ready_rig

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


def test_event_arrives_with_line_delay_and_is_acknowledged_when_stored() -> None:
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


def test_time_out_adapts_to_the_line_above_its_floor() -> None:
    rig = ready_rig()
    for command_id in range(40):
        rig.command(command_id)
        rig.run(0.1)
    assert rig.host._pending.rto_s == 0.2


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


def test_command_refused_for_its_boot_stays_open_until_unknown() -> None:
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


def test_no_more_than_the_device_keeps_waits_to_be_stored() -> None:
    rig = ready_rig()
    rig.storing = False
    for number in range(200):  # It goes on without a word from the host, which is against the protocol.
        rig.event(b"%d" % number)
        rig.run(0.01)
    assert rig.payloads() == [b"%d" % number for number in range(64)]


def test_a_device_that_is_made_to_wait_loses_no_event() -> None:
    rig = ready_rig()
    rig.storing = False
    for number in range(64 + 40):
        rig.event(b"%d" % number)
        rig.run(0.01)
        if number == 63:
            rig.storing = True
            for notice in [each for each in rig.notices if isinstance(each, EventReceived)]:
                rig.from_host(rig.host.stored(notice, rig.now_s))
    rig.run(5.0)
    assert rig.payloads() == [b"%d" % number for number in range(104)]
