"""What the recorder makes of messages that nobody should have sent, and of pins that were changed."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tablectl.core.events.round import CutReached
from tablectl.features.recorder.ingest import OVERTAKEN_S, Book
from tablectl.features.recorder.keys import Pins
from tablectl.features.recorder.status import report, report_lines
from tablectl.features.recorder.stores.columns import state_columns
from tablectl.features.recorder.stores.records import Batch, Heartbeat, Held, LogState, Trust, Wrong
from tests.proof.keys import signer
from tests.reader.messages import ORIGIN, came
from tests.reader.record_table import Table

NOW = "2026-11-20T00:01:00.000000Z"
PREFIX = "tablectl/v1/macau/q1"
SOURCE = "/tablectl/macau/q1/log7"


@pytest.fixture(name="book")
def _book() -> Book:
    return Book("recorder", "5e55", Pins({}))


def take(book: Book, topic: str, payload: bytes) -> Batch:
    book.take(f"{PREFIX}/{topic}", payload, NOW, 0.0)
    return book.batch(NOW)


def envelope(**changes: Any) -> bytes:
    form = json.loads(came(CutReached("r"), 1, origin=ORIGIN).payload)
    return json.dumps({**form, **changes}).encode()


@pytest.mark.parametrize(
    ("payload", "wrong"),
    [
        (b"", Wrong.UNREADABLE),
        (b"[" * 100_000, Wrong.UNREADABLE),
        (b"\xff", Wrong.UNREADABLE),
        (envelope(sequence="1"), Wrong.UNREADABLE),
        (envelope(sequence="0000000000000000"), Wrong.ELSEWHERE),
        (envelope(source="/tablectl/macau/q2/log7"), Wrong.ELSEWHERE),
        (envelope(source="/tablectl/macau/q1/log\0"), Wrong.ELSEWHERE),
        (envelope(source=None), Wrong.ELSEWHERE),
    ],
)
def test_what_is_no_event_of_table_is_kept_as_dispute(book: Book, payload: bytes, wrong: Wrong) -> None:
    batch = take(book, "event/card", payload)
    assert not batch.events
    (dispute,) = batch.disputes
    assert (dispute.wrong, dispute.place, dispute.payload) == (wrong, "macau/q1", payload)


def test_unstorable_text_is_escaped_in_columns_and_kept_in_payload(book: Book) -> None:
    payload = envelope(id="a\0b", correlationid="\0", time="2026-99-20T00:00:00Z")
    (event,) = take(book, "event/card", payload).events
    assert (event.id, event.round_id, event.time, event.payload) == ("a\ufffdb", "\ufffd", None, payload)


@pytest.mark.parametrize("payload", [b"", b"null", b"{}", b'{"data": 5}', b"\xff", b'{"data": {"public_key": "AA"}}'])
@pytest.mark.parametrize("topic", ["status", "meta/info", "answer/recorder/x", "replay/recorder/x/y", "unheard/of"])
def test_a_state_that_says_nothing_changes_nothing(book: Book, topic: str, payload: bytes) -> None:
    assert not take(book, topic, payload)


def test_no_checkpoint_is_no_dispute_and_a_spoilt_one_is(book: Book) -> None:
    assert not take(book, "checkpoint", b"")
    (dispute,) = take(book, "checkpoint", b"no note").disputes
    assert dispute.wrong is Wrong.UNREADABLE


def test_gaps_are_noticed_once_and_filled_once(book: Book) -> None:
    payloads = [came(CutReached("r"), number, origin=ORIGIN).payload for number in range(1, 8)]
    assert not take(book, "event/card", payloads[0]).gaps
    (gap,) = take(book, "event/card", payloads[5]).gaps
    assert (gap.low, gap.high, gap.filled) == (2, 5, None)
    assert not take(book, "event/card", payloads[2]).gaps
    assert not take(book, "event/card", payloads[3]).gaps
    assert not take(book, "event/card", payloads[1]).gaps
    (gap,) = take(book, "event/card", payloads[4]).gaps
    assert (gap.low, gap.high, gap.filled) == (2, 5, NOW)


@pytest.mark.parametrize(("came_too", "at_once"), [((), []), ((5,), [(2, 4)])])
def test_missing_end_is_awaited_for_a_moment(came_too: tuple[int, ...], at_once: list[tuple[int, int]]) -> None:
    table = Table(0)
    table.happen(9)
    book = Book("recorder", "5e55", Pins({"macau/q1": frozenset({table.fingerprint})}))
    for number in (1, *came_too):
        take(book, "event/card", table.payloads[number - 1])
    take(book, "meta/info", table.info())
    take(book, "checkpoint", table.checkpoint().encode())
    assert ranges_asked(book, 0.0) == at_once
    assert ranges_asked(book, OVERTAKEN_S) == ([] if at_once else [(2, 9)])


def ranges_asked(book: Book, now_s: float) -> list[tuple[int, int]]:
    bodies = [json.loads(ask.payload) for ask in book.requests(now_s)]
    return [(int(body["from"]), int(body["to"])) for body in bodies]


@pytest.mark.parametrize(
    ("pins", "trust", "expected"),
    [
        ("own", Trust.PINNED, Trust.PINNED),
        ("own", Trust.FIRST_USE, Trust.PINNED),
        ("other", Trust.PINNED, Trust.NONE),
        ("other", Trust.FIRST_USE, Trust.NONE),
        ("none", Trust.PINNED, Trust.NONE),
        ("none", Trust.FIRST_USE, Trust.NONE),
        ("first", Trust.FIRST_USE, Trust.FIRST_USE),
        ("first", Trust.PINNED, Trust.NONE),
    ],
)
def test_keys_are_believed_by_the_pins_of_now(pins: str, trust: Trust, expected: Trust) -> None:
    table, other = Table(0), Table(0)
    given = {
        "own": Pins({"macau/q1": frozenset({table.fingerprint})}),
        "other": Pins({"macau/q1": frozenset({other.fingerprint})}),
        "none": Pins({}),
        "first": Pins({}, first_use=True),
    }
    book = Book("recorder", "5e55", given[pins])
    book.begin([LogState(SOURCE, keys=(table.key.public,), trust=trust)], [])
    assert book.accounts[SOURCE].state.trust is expected


def test_key_pinned_later_in_line_is_trusted_from_there() -> None:
    keys = [signer().public for _ in range(3)]
    table = Table(0, key=signer())
    keys[1] = table.key.public
    book = Book("recorder", "5e55", Pins({"macau/q1": frozenset({table.fingerprint})}))
    book.begin([LogState(SOURCE, keys=tuple(keys), trust=Trust.PINNED)], [])
    assert book.accounts[SOURCE].state.keys == tuple(keys[1:])


def held(**changes: Any) -> Held:
    given: dict[str, Any] = {
        "ranges": ((1, 10),),
        "head": 10,
        "verified": 10,
        "verified_at": NOW,
        "keys": (bytes(32),),
        "trust": Trust.PINNED,
        "last_at": "2026-11-20T00:00:00.000000Z",
        **changes,
    }
    return Held(LogState(SOURCE, **given), "2026-11-19T00:00:00.000000Z", 0, 0)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        ({"ranges": ((1, 4), (7, 10))}, "missing: 5–6"),
        ({"head": 12}, "missing: 11–12"),
        ({"trust": Trust.NONE, "verified": 0}, "no key is trusted: pin the table's fingerprint"),
        ({"verified": 0}, "nothing is verified yet"),
        (
            {"ranges": ((4, 10),), "gone": ((1, 3),), "verified": 0},
            "not verified: the table no longer has its first events",
        ),
        ({"verified": 9, "last_at": "2026-11-19T00:00:00.000000Z"}, "events 10 to 10 came without a checkpoint"),
        ({"verified": 9, "last_at": NOW}, ""),
        ({"trouble": "the table refuses replays: forbidden"}, "the table refuses replays: forbidden"),
    ],
)
def test_a_log_is_complete_when_nothing_speaks_against_it(changes: dict[str, Any], said: str) -> None:
    given = report([held(**changes)], Heartbeat(NOW, "s", connected=True), NOW)
    assert given.complete == (not said)
    assert said in "\n".join(report_lines(given))


@pytest.mark.parametrize(
    ("heartbeat", "said"),
    [
        (None, "the recorder was never at work"),
        (Heartbeat("2026-11-20T00:00:20.000000Z", "s", connected=True), "the recorder isn't at work"),
        (Heartbeat(NOW, "s", connected=False), "the recorder has no broker"),
        (Heartbeat(NOW, "", connected=False), f"the recorder isn't at work: it was stopped at {NOW}"),
    ],
)
def test_without_a_recorder_at_work_nothing_is_complete(heartbeat: Heartbeat | None, said: str) -> None:
    given = report([held()], heartbeat, NOW)
    assert (given.complete, given.tables[0].complete) == (False, True)
    assert said in next(report_lines(given))


def test_log_that_a_person_retired_does_not_count_any_more() -> None:
    old = replace(held(ranges=((1, 4), (7, 10))), retired="ana: the controller burnt")
    given = report([old], Heartbeat(NOW, "s", connected=True), NOW)
    assert given.complete
    assert "    retired: ana: the controller burnt" in list(report_lines(given))


def test_a_table_that_was_never_heard_of_is_not_complete() -> None:
    given = report([held()], Heartbeat(NOW, "s", connected=True), NOW, ("macau/q1", "macau/q2", "macau/+"))
    assert not given.complete
    assert "  nothing was ever heard of it" in list(report_lines(given))
    assert report([], Heartbeat(NOW, "s", connected=True), NOW).complete is False


def test_a_state_has_a_column_for_each_of_its_parts() -> None:
    assert len(state_columns(held().state)) == 14
