"""When a table is asked for what is missing, and when it is left alone."""

import json
from itertools import pairwise

import pytest

from tablectl.features.recorder import replays as replaying
from tablectl.features.recorder.replays import (
    AT_ONCE,
    CHUNK,
    MOST_ASKED,
    MOST_WAIT_S,
    PATIENCE_S,
    REFUSED_WAIT_S,
    Ask,
    Replays,
)

PLACE = "macau/q1"


@pytest.fixture
def replays() -> Replays:
    return Replays("recorder", "5e55")


def due(replays: Replays, now_s: float, low: int = 1, high: int = 9) -> list[Ask]:
    return list(replays.due({PLACE: (low, high)}, now_s))


def transaction(ask: Ask) -> str:
    return str(json.loads(ask.payload)["transaction"])


def test_a_request_has_the_form_of_the_contract(replays: Replays) -> None:
    (ask,) = due(replays, 0.0, 7, 9)
    assert ask.topic == "tablectl/v1/macau/q1/req/recorder/replay"
    assert json.loads(ask.payload) == {"from": "0000000000000007", "to": "0000000000000009", "transaction": "5e55-1"}


def test_a_long_gap_is_asked_for_in_pieces(replays: Replays) -> None:
    (ask,) = due(replays, 0.0, 10, 100_000)
    assert json.loads(ask.payload)["to"] == f"{9 + CHUNK:016d}"


def test_table_is_asked_singly_and_after_silence_ever_later(replays: Replays) -> None:
    now_s, waits = 0.0, list[float]()
    for _ in range(9):
        asked = due(replays, now_s)
        while not asked:
            now_s += 0.25
            asked = due(replays, now_s)
        waits.append(now_s)
    gaps = [after - before for before, after in pairwise(waits)]
    assert gaps[0] == pytest.approx(PATIENCE_S + 1, abs=0.5)
    assert gaps == sorted(gaps)
    assert gaps[-1] == pytest.approx(PATIENCE_S + MOST_WAIT_S, abs=0.5)


def test_events_that_come_keep_a_request_alive(replays: Replays) -> None:
    (ask,) = due(replays, 0.0)
    for second in range(100):
        replays.came(PLACE, transaction(ask), float(second))
        assert not due(replays, float(second))
    assert replays.ended(PLACE, transaction(ask), 100.0, short=False) == (1, 9)
    assert not due(replays, 100.0 + replaying.PAUSE_S / 2)
    assert due(replays, 100.0 + replaying.PAUSE_S)


def test_what_was_not_asked_for_ends_nothing(replays: Replays) -> None:
    assert replays.ended(PLACE, "x", 0.0, short=False) is None
    due(replays, 0.0)
    assert replays.ended(PLACE, "x", 0.0, short=False) is None
    assert not replays.refused(PLACE, "x", "forbidden", 0.0)
    assert replays.asked(PLACE, "x") is None


def test_refusing_table_is_asked_much_later_or_on_return(replays: Replays) -> None:
    (ask,) = due(replays, 0.0)
    assert replays.refused(PLACE, transaction(ask), "forbidden", 0.0)
    assert not due(replays, REFUSED_WAIT_S - 1)
    replays.back(PLACE)
    assert due(replays, 1.0)


def test_a_busy_table_is_asked_again_soon_without_a_word(replays: Replays) -> None:
    (ask,) = due(replays, 0.0)
    assert not replays.refused(PLACE, transaction(ask), "busy", 0.0)
    assert due(replays, 1.5)


def test_a_cut_connection_begins_anew_at_once(replays: Replays) -> None:
    due(replays, 0.0)
    replays.cut_off()
    assert due(replays, 0.0)


def test_fewer_tables_are_asked_at_once_for_many_events(replays: Replays) -> None:
    wants = {f"macau/q{number}": (1, 2 * CHUNK) for number in range(50)}
    first = list(replays.due(wants, 0.0))
    assert len(first) == MOST_ASKED // CHUNK
    assert not list(replays.due(wants, 0.1))
    replays.ended("macau/q0", transaction(first[0]), 0.2, short=False)
    assert len(list(replays.due(wants, 0.2))) == 1


def test_only_some_tables_are_asked_at_once(replays: Replays) -> None:
    wants = {f"macau/q{number}": (1, 5) for number in range(2 * AT_ONCE)}
    first = list(replays.due(wants, 0.0))
    assert len(first) == AT_ONCE
    assert not list(replays.due(wants, 0.1))
    replays.ended("macau/q0", transaction(first[0]), 0.2, short=False)
    assert len(list(replays.due(wants, 0.2))) == 1


def test_table_with_another_log_is_asked_anew(replays: Replays) -> None:
    (ask,) = due(replays, 0.0)
    replays.forget(PLACE)
    assert replays.asked(PLACE, transaction(ask)) is None
    assert due(replays, 0.0)
