"""Both ends of our link when one falls silent or starts anew."""

import pytest

from drivers.link.frame import FrameType, NakReason
from drivers.link.host import HostSession
from drivers.link.notices import (
    CommandUnanswered,
    DeviceRestarted,
    EventReceived,
    HostStatus,
    IdentityReceived,
    IdentityUnanswered,
    NakReceived,
    Recovered,
    Resume,
    Stale,
)
from tests.drivers.sessionbench import Rig, ready_rig


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


def test_restart_without_identity_is_found_by_its_other_boot_number() -> None:
    rig = ready_rig()
    rig.to_host.cut_off = True
    rig.boot_device()
    rig.to_host.cut_off = False
    rig.run(2)
    assert rig.notices == [DeviceRestarted(1, 2), IdentityReceived(2, b"me")]
    assert rig.host.counters.foreign_boot > 0


def test_command_from_before_a_restart_is_unknown_and_undone() -> None:
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


def test_new_host_session_goes_on_after_the_last_stored_event() -> None:
    rig = ready_rig()
    rig.storing = False
    for number in range(4):
        rig.event(bytes((number,)))
    rig.run(0.1)
    events = [notice for notice in rig.notices if isinstance(notice, EventReceived)]
    rig.host.stored(events[1], rig.now_s)  # this acknowledgement never leaves the host
    rig.host, rig.storing = HostSession(resume=Resume(events[1].boot, events[1].seq)), True
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
