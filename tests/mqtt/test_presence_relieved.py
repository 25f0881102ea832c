"""A session that waits asks the one at work to stop: whose word counts, and what comes after it."""

import json

import pytest

from tablectl.mqtt.leader import Election, Instance, read_instance

SINCE = "2026-11-20T10:00:00.000000Z"


def status(session: str, state: str, **more: object) -> bytes:
    return json.dumps({"data": {"state": state, "session": session, "since": SINCE, **more}}).encode()


def presence() -> Election:
    return Election(Instance(SINCE, "own", ""))


def test_who_waits_may_ask_the_session_at_work_to_stop() -> None:
    asks = presence().relieved_by(status("other", "passive", relieves="own"))
    assert asks is not None
    assert asks.session == "other"


@pytest.mark.parametrize(
    "payload",
    [
        status("other", "passive"),
        status("other", "passive", relieves="third"),
        status("other", "passive", relieves=["own"]),
        status("own", "passive", relieves="own"),
        status("other", "ready", relieves="own"),
        b"[]",
        b"",
    ],
    ids=["only waits", "a third one", "no text", "ourselves", "at work itself", "no status", "empty"],
)
def test_nothing_else_makes_it_stop(payload: bytes) -> None:
    assert presence().relieved_by(payload) is None


def test_nobody_is_relieved_where_no_session_is_told() -> None:
    assert Election(None).relieved_by(status("other", "passive", relieves="own")) is None


def given_away() -> Election:
    own = presence()
    heir = own.relieved_by(status("other", "passive", relieves="own"))
    assert heir is not None
    own.give_way(heir)
    return own


def test_the_heir_counts_as_the_one_who_speaks() -> None:
    own = given_away()
    assert own.rival == read_instance(status("other", "passive"))


def test_early_words_of_the_successor_change_nothing() -> None:
    own = given_away()
    own.heard(status("other", "passive", relieves="own"), retained=False, speaking=False)
    assert own.rival is not None
    own.heard(status("other", "ready"), retained=False, speaking=False)
    own.judge()
    assert own.taken_by is not None
    assert own.taken_by.session == "other"


def test_an_heir_who_never_speaks_gives_the_table_back() -> None:
    own = given_away()
    own.judge()
    assert own.rival is None
    assert own.taken_by is None


def test_an_heir_who_waits_again_later_gives_the_table_back() -> None:
    own = given_away()
    own.heard(status("other", "ready"), retained=False, speaking=False)
    own.judge()
    own.heard(status("other", "passive"), retained=False, speaking=False)
    assert own.rival is None
