"""Operations of devices: what follows from each reply."""

import pytest

from drivers.link.messages import Accepted, OperationState, OperationStatus, Refused, Reply
from drivers.link.operations import Begin, Done, Failed, Operations
from drivers.link.table import NotUnderstood

UNKNOWN = OperationStatus(OperationState.UNKNOWN)
RUNNING = OperationStatus(OperationState.RUNNING)


def operations(*, remembers: bool = False, fresh_s: float | None = None) -> Operations:
    made = Operations("work", lambda number: f"fault {number}", 10.0, remembers=remembers, fresh_s=fresh_s)
    made.attached(boot=1, now_s=0.0)
    assert made.want(7, now_s=0.0)
    return made


def test_an_operation_is_asked_about_before_it_is_begun() -> None:
    work = operations()
    assert work.outstanding == 7
    assert work.replied(7, UNKNOWN, 0.0) == Begin(7)
    assert work.replied(7, Accepted(), 0.0) is None
    assert work.replied(7, OperationStatus(OperationState.DONE, b"ok"), 0.0) == Done(7, b"ok")
    assert work.outstanding is None
    assert not work.want(7, 0.0)


def test_forgetful_device_may_have_done_what_was_sent() -> None:
    work = operations()
    assert work.replied(7, UNKNOWN, 0.0) == Begin(7)
    work.attached(boot=2, now_s=0.0)
    assert work.replied(7, UNKNOWN, 0.0) == Failed(7, "restarted and no longer knows the work", forgot=True)


def test_device_that_remembers_did_not_do_an_unknown_command() -> None:
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
    assert work.outstanding is None


def test_an_operation_that_is_no_longer_fresh_is_not_begun() -> None:
    work = operations(fresh_s=3.0)
    assert work.replied(7, UNKNOWN, 2.9) == Begin(7)
    work.want(8, 3.0)
    assert work.replied(8, UNKNOWN, 6.1) == Failed(8, "too late")


def test_an_operation_is_late_once_and_only_after_it_began() -> None:
    work = operations()
    assert work.next_timeout() is None
    work.began(7, 5.0)
    assert work.next_timeout() == 15.0
    assert [work.late(now_s) for now_s in (14.9, 15.0, 99.0)] == [False, True, False]


def test_returning_device_has_a_moment_to_report() -> None:
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
