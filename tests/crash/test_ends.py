"""The judge of how sessions ended finds what is missing, doubled or wrong."""

import json

import pytest

from tablectl.core.facts import Body, Fact, LogBegan, SessionBegan, SessionEnded, Stamp
from tests.support.crash_verdict import wrong_ends


def began(session: str) -> SessionBegan:
    return SessionBegan(session, "1", "c", "q_poker", "89/2004")


def facts(*bodies: tuple[Body, str]) -> list[Fact]:
    return [Fact(body, Stamp(number, number, boot), "table") for number, (body, boot) in enumerate(bodies)]


JOURNAL = facts(
    (LogBegan("log", "site", "table", session="s1"), "boot1"),
    (began("s1"), "boot1"),
    (began("s2"), "boot1"),
    (SessionEnded("s2", "stopped"), "boot1"),
    (began("s3"), "boot2"),
    (began("s4"), "boot3"),
)
TOLD = [("s1", "unknown"), ("s2", "killed"), ("s3", "stopped"), ("s4", "power_lost")]


def events(told: list[tuple[str, str]]) -> list[bytes]:
    kind = "mo.tablectl.audit.session_began.v1"
    forms = [{"type": kind, "session": session, "data": {"previous": previous}} for session, previous in told]
    return [json.dumps(form).encode() for form in forms]


def test_each_end_told_once_and_as_it_was_is_right() -> None:
    assert list(wrong_ends(JOURNAL, events(TOLD))) == []


@pytest.mark.parametrize(
    "told",
    [
        TOLD[:-1],
        [*TOLD, TOLD[1]],
        [*TOLD[:1], ("s2", "stopped"), *TOLD[2:]],
        [*TOLD[:3], ("s4", "killed")],
        [("s1", "killed"), *TOLD[1:]],
    ],
    ids=["missing", "doubled", "stopped for killed", "killed for power lost", "killed for unknown"],
)
def test_an_end_that_is_missing_doubled_or_wrong_is_found(told: list[tuple[str, str]]) -> None:
    assert len(list(wrong_ends(JOURNAL, events(told)))) == 1
