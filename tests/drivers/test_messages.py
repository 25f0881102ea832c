"""The replies that devices of every kind give, and what follows from them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.messages import (
    Accepted,
    NotUnderstood,
    OperationState,
    OperationStatus,
    Refused,
    Reply,
    decode_reply,
    encode_reply,
)
from drivers.operations import Ask, Begin, Done, Failed, Operations

GOLDEN: list[tuple[str, Accepted | Refused | OperationStatus]] = [
    ("01", Accepted()),
    ("02 0e", Refused(14)),
    ("03 00", OperationStatus(OperationState.UNKNOWN)),
    ("03 01", OperationStatus(OperationState.RUNNING)),
    ("03 02 3400", OperationStatus(OperationState.DONE, b"\x34\x00")),
    ("03 03 08", OperationStatus(OperationState.FAILED, number=8)),
]
UNKNOWN = OperationStatus(OperationState.UNKNOWN)
RUNNING = OperationStatus(OperationState.RUNNING)


@pytest.mark.parametrize(("text", "reply"), GOLDEN)
def test_golden_replies(text: str, reply: Accepted | Refused | OperationStatus) -> None:
    assert encode_reply(reply) == bytes.fromhex(text)
    assert decode_reply(bytes.fromhex(text), result_size=2) == reply


@given(st.binary(max_size=56), st.integers(0, 8))
def test_every_body_is_a_reply(body: bytes, result_size: int) -> None:
    assert isinstance(decode_reply(body, result_size=result_size), Reply)


def test_a_result_of_another_size_is_not_understood() -> None:
    assert decode_reply(b"\x03\x02\x34", result_size=2) == NotUnderstood(3)
    assert decode_reply(b"\x03\x02\x34\x00\x00", result_size=2) == NotUnderstood(3)


def operations(*, remembers: bool = False, fresh_s: float | None = None) -> Operations:
    made = Operations("work", lambda number: f"fault {number}", 10.0, remembers=remembers, fresh_s=fresh_s)
    made.attached(boot=1, now_s=0.0)
    assert made.want(7, now_s=0.0)
    return made


def test_an_operation_is_asked_about_before_it_is_begun() -> None:
    work = operations()
    assert work.ask() == Ask(7)
    assert work.replied(7, UNKNOWN, 0.0) == Begin(7)
    assert work.replied(7, Accepted(), 0.0) is None
    assert work.replied(7, OperationStatus(OperationState.DONE, b"ok"), 0.0) == Done(7, b"ok")
    assert work.ask() is None
    assert not work.want(7, 0.0)


def test_what_was_sent_before_a_restart_may_have_been_done_by_a_device_that_forgets() -> None:
    work = operations()
    assert work.replied(7, UNKNOWN, 0.0) == Begin(7)
    work.attached(boot=2, now_s=0.0)
    assert work.replied(7, UNKNOWN, 0.0) == Failed(7, "restarted and no longer knows the work", forgot=True)


def test_what_was_sent_before_a_restart_was_not_done_if_a_device_that_remembers_does_not_know_it() -> None:
    work = operations(remembers=True)
    assert work.replied(7, UNKNOWN, 0.0) == Begin(7)
    work.attached(boot=2, now_s=0.0)
    assert work.replied(7, UNKNOWN, 0.0) == Begin(7)


@pytest.mark.parametrize("remembers", [False, True])
@pytest.mark.parametrize("said", [Accepted(), RUNNING])
def test_what_was_begun_and_is_forgotten_is_never_begun_again(said: Reply, *, remembers: bool) -> None:
    work = operations(remembers=remembers)
    work.replied(7, said, 0.0)
    assert work.replied(7, UNKNOWN, 0.0) == Failed(7, "restarted and no longer knows the work", forgot=True)
    assert work.ask() is None


def test_an_operation_that_is_no_longer_fresh_is_not_begun() -> None:
    work = operations(fresh_s=3.0)
    assert work.replied(7, UNKNOWN, 2.9) == Begin(7)
    work.want(8, 3.0)
    assert work.replied(8, UNKNOWN, 6.1) == Failed(8, "too late")


def test_an_operation_is_late_once_and_only_after_it_began() -> None:
    work = operations()
    assert work.next_deadline() is None
    work.began(7, 5.0)
    assert work.next_deadline() == 15.0
    assert [work.late(now_s) for now_s in (14.9, 15.0, 99.0)] == [False, True, False]


def test_a_device_that_comes_back_has_a_moment_to_say_what_it_did() -> None:
    work = operations()
    work.began(7, 5.0)
    work.attached(boot=1, now_s=60.0)
    assert not work.late(60.9)
    assert work.late(61.0)


@pytest.mark.parametrize(
    ("reply", "reason", "refused"),
    [
        (OperationStatus(OperationState.FAILED, number=3), "fault 3", False),
        (Refused(4), "refused: fault 4", True),
        (NotUnderstood(9), "answered something unknown (9)", True),
    ],
)
def test_what_failed_says_why(reply: Reply, reason: str, *, refused: bool) -> None:
    assert operations().replied(7, reply, 0.0) == Failed(7, reason, refused=refused)
