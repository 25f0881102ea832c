"""How right the clock is, asked of chrony and systemd-timesyncd as they really answer."""

import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tablectl.core.facts import ClockState
from tablectl.daemon.host import clock as clocks
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.host.ntp import STALE_S, Timekeepers, decode_answer, encode_question, timesync_quality
from tests.support.patience import PATIENCE_S

NUMBER = 0x1234

# chronyd 4.3 (Debian 12) as the client of another one; its chronyc said at that moment: system time 0.000001073 s
# fast, root delay 0.000005243 s, root dispersion 0.000001904 s.
TRACKING = bytes.fromhex(
    "060200000021000500000000000000000000123400000000000000007f0000017f000001000000000000000000000000000100000004000000"
    "0000006b009c63024d0a0bdd6ff471cef47a15dae642f4f2f81388e8cc364bfca141ace0afed07dcfe05c60486e29b"
)
# The same chronyd half a second after its start: leap status 3, not synchronised.
NOT_YET = bytes.fromhex(
    "06020000002100050000000000000000000012340000000000000000000000000000000000000000000000000000000000000000"
    "00000003000000000000000000000000000000000000000000000000000000000000000000000000048000000480000000000000"
)


def test_the_bound_is_that_of_chronyc() -> None:
    assert decode_answer(TRACKING, NUMBER) == (ClockState.SYNCED, round(1.073 + 1.893 + 5.243 / 2))


def test_a_chrony_that_is_not_synchronised_says_so() -> None:
    assert decode_answer(NOT_YET, NUMBER) == (ClockState.UNSYNCED, None)


def test_the_question_is_as_long_as_its_answer() -> None:
    assert len(encode_question(1)) == len(TRACKING)


@pytest.mark.parametrize(
    "data",
    [b"", TRACKING[:-1], TRACKING + b"\0", b"\7" + TRACKING[1:], TRACKING[:8] + b"\0\1" + TRACKING[10:]],
    ids=["empty", "short", "long", "another version", "refused"],
)
def test_anything_else_is_no_answer(data: bytes) -> None:
    assert decode_answer(data, NUMBER) is None


def test_an_answer_to_another_question_does_not_count() -> None:
    assert decode_answer(TRACKING, NUMBER + 1) is None


def test_any_bytes_of_the_right_length_are_taken_or_left() -> None:
    for value in range(256):
        decode_answer(bytes([value]) * len(TRACKING), NUMBER)


@contextmanager
def chrony() -> Generator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        door.bind(("127.0.0.1", 0))
        door.settimeout(PATIENCE_S)
        yield door


def answer(door: socket.socket) -> None:
    """Answers one question as the chronyd above would."""
    question, asker = door.recvfrom(1024)
    number = question[8:12]
    door.sendto(TRACKING[:16] + number + TRACKING[20:], asker)


def test_answer_counts_from_next_look_on_and_not_for_ever(tmp_path: Path) -> None:
    with chrony() as door:
        keepers = Timekeepers(door.getsockname(), tmp_path / "none")
        assert keepers.look(0.0, 1.0) == (ClockState.UNSYNCED, None)
        answer(door)
        assert keepers.look(0.0, 2.0)[0] is ClockState.SYNCED
        assert keepers.look(0.0, 5.0)[0] is ClockState.SYNCED
        assert keepers.look(0.0, 13.0)[0] is ClockState.UNSYNCED
        keepers.close()


def test_a_chrony_that_comes_later_is_found(tmp_path: Path) -> None:
    with chrony() as door:
        address = door.getsockname()
    keepers = Timekeepers(address, tmp_path / "none")
    for second in range(3):  # nobody is there: each question is refused
        assert keepers.look(0.0, float(second))[0] is ClockState.UNSYNCED
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        door.bind(address)
        door.settimeout(PATIENCE_S)
        keepers.look(0.0, 3.0)
        answer(door)
        assert keepers.look(0.0, 4.0)[0] is ClockState.SYNCED
    keepers.close()


def test_timesyncd_is_believed_for_two_hours(tmp_path: Path) -> None:
    file = tmp_path / "synchronized"
    assert timesync_quality(file, 0.0) is None
    file.touch()
    os.utime(file, (1000.0, 1000.0))
    assert timesync_quality(file, 1000.0 + STALE_S - 1) == (ClockState.SYNCED, None)
    assert timesync_quality(file, 1000.0 + STALE_S) == (ClockState.HOLDOVER, None)


def test_the_keepers_are_asked_where_the_kernel_may_not_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(clocks, "kernel_quality", lambda: None)
    (tmp_path / "synchronized").touch()
    with chrony() as door:
        keepers = Timekeepers(door.getsockname(), tmp_path / "synchronized")
        stamp = SystemClock("boot", keepers).now()
        keepers.close()
    assert (stamp.clock, stamp.error_us) == (ClockState.SYNCED, None)
