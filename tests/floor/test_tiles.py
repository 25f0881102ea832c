"""Tiles are folded from whatever comes over the broker, by whoever wrote it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.money import utc_instant
from tablectl.features.floor.tiles import HOUR_US, KEPT_MOST, TABLES_MOST, Floor, devices_of
from tablectl.features.recorder.status import LogReport, TableReport
from tablectl.words.reason import everywhere

PLACE = "macau/q1"
AT = "2026-11-20T04:04:06.000007Z"
FAULT = {"code": 101, "device": "shoe", "severity": "error", "text": {"en": "The link is lost"}, "by": "table"}
NAMES = (
    *("identity", "serial", "name", "state", "session", "since", "streams", "alarmed", "last", "settled", "result"),
    *("code", "device", "until", "file", "round_id", "reason", "game", "waiting", "rules_hash"),
)
ANSWER: Any = {"status": {"state": "ready", "session": "5e"}, "round": {"phase": "dealing", "round_id": "a-1"}}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=8,
)
RESTS = (
    "status", "meta/info", "round/phase", "board", "fairness", "device/shoe/status", "event/round", "event/fault",
    "event/audit", "device", "answer/floor/x", "event",
)  # fmt: skip


def state(floor: Floor, rest: str, data: Any, place: str = PLACE, **more: Any) -> None:
    floor.take(f"tablectl/v1/{place}/{rest}", json.dumps({"data": data, "time": AT, **more}).encode())


def event(floor: Floor, kind: str, data: Any, at: str = AT) -> None:
    family = kind.partition(".")[0]
    payload = {"type": f"mo.tablectl.{kind}", "time": at, "data": data}
    floor.take(f"tablectl/v1/{PLACE}/event/{family}", json.dumps(payload).encode())


@pytest.fixture(name="floor")
def _floor() -> Floor:
    return Floor({PLACE: "north"}, {"q_poker": 40})


def test_states_make_a_tile(floor: Floor) -> None:
    state(floor, "status", {"state": "ready", "session": "5e551011", "since": AT})
    state(floor, "meta/info", {"game": "q_poker", "version": "0.1.0"}, simulated=True)
    state(floor, "round/phase", {"round_id": "1c0ffee1-000012", "phase": "deciding", "waiting": {"en": "x"}})
    state(floor, "board", {"last": [{"round_id": "a-1", "settled": AT, "result": "pair"}]})
    form = floor.tiles[PLACE].form()
    assert (form["pit"], form["status"], form["game"], form["pace_goal"]) == ("north", "ready", "q_poker", 40)
    assert (form["phase"], form["simulated"], form["last"]["result"]) == ("deciding", True, "pair")
    assert list(floor.unasked) == [PLACE]


def test_fault_stands_from_its_event_until_the_table_says_otherwise(floor: Floor) -> None:
    event(floor, "fault.raised.v1", FAULT)
    (alarm,) = floor.tiles[PLACE].form()["alarms"]
    assert (alarm["clears"], alarm["since"], alarm["acknowledged_by"]) == ("auto", AT, None)
    event(floor, "fault.acknowledged.v1", {**FAULT, "by": "ana"})
    assert floor.tiles[PLACE].form()["alarms"][0]["acknowledged_by"] == "ana"
    floor.answered(PLACE, {**ANSWER, "faults": [{**FAULT, "present": False, "acknowledged_by": None}]})
    (alarm,) = floor.tiles[PLACE].form()["alarms"]
    assert (alarm["present"], alarm["since"]) == (False, AT)
    event(floor, "fault.cleared.v1", FAULT)
    assert floor.tiles[PLACE].form()["alarms"] == []
    assert list(floor.unasked) == [PLACE]


def test_an_answer_mends_what_the_broker_dropped(floor: Floor) -> None:
    state(floor, "status", {"state": "degraded", "session": "5e"})
    floor.answered(PLACE, {**ANSWER, "faults": []})
    form = floor.tiles[PLACE].form()
    assert (form["status"], form["phase"], form["round_id"]) == ("ready", "dealing", "a-1")
    floor.answered("macau/unknown", {})
    assert list(floor.tiles) == [PLACE]


def test_pace_counts_the_last_hour_once_each(floor: Floor) -> None:
    at_us = utc_instant(AT) or 0
    event(floor, "round.settled.v1", {"round_id": "a-2"})
    event(floor, "round.settled.v1", {"round_id": "a-2"})
    floor.ended(PLACE, at_us - 5)
    event(floor, "round.void.v1", {"round_id": "a-3", "reason": "misdeal"}, "2026-11-20T04:05:06.000007Z")
    form = floor.tiles[PLACE].form()
    assert (form["pace"], form["last"]["end"], form["last"]["result"]) == (3, "void", "misdeal")
    floor.pass_time(at_us + HOUR_US)
    assert floor.tiles[PLACE].form()["pace"] == 2


def test_an_older_board_does_not_stand_above_a_void_round(floor: Floor) -> None:
    event(floor, "round.void.v1", {"round_id": "a-3", "reason": "misdeal"}, "2026-11-20T04:05:06.000007Z")
    state(floor, "board", {"last": [{"round_id": "a-1", "settled": AT, "result": "pair"}]})
    assert floor.tiles[PLACE].form()["last"]["round_id"] == "a-3"


def test_only_what_changed_is_told(floor: Floor) -> None:
    told: list[int] = []
    end = floor.subscribe(lambda: told.append(floor.revision))
    state(floor, "status", {"state": "ready"}, "macau/a")
    state(floor, "status", {"state": "ready"}, "macau/b")
    floor.tell()
    floor.tell()
    assert len(told) == 1
    seen = floor.revision
    state(floor, "status", {"state": "lost"}, "macau/b")
    assert [tile.place for tile in floor.since(seen)] == ["macau/b"]
    end()
    floor.tell()
    assert len(told) == 1


def test_record_says_why_it_is_incomplete(floor: Floor) -> None:
    log = LogReport(
        "/tablectl/macau/q1/1c", False, None, 1, 9, 2, 0, None, None, None, "", "none", (), (), 0, ("missing: 3",), ""
    )
    floor.record([TableReport(PLACE, complete=False, disputes=1, logs=(log,)), TableReport("macau/x", False, 0, ())])
    wrong = [everywhere("DISPUTED: 1"), everywhere("missing: 3")]
    assert floor.tiles[PLACE].form()["recorded"] == {"complete": False, "wrong": wrong}
    assert floor.tiles["macau/x"].form()["recorded"]["wrong"] == [everywhere("nothing was ever heard of it")]
    seen = floor.revision
    floor.record([TableReport(PLACE, complete=False, disputes=1, logs=(log,))])
    assert floor.since(seen) == []


def test_devices_are_found_by_serial_at_every_table(floor: Floor) -> None:
    for place, serial in (("macau/a", "AE-7"), ("macau/b", "AE-8"), ("macau/c", "XX")):
        identity = {"serial": serial, "maker": "Angel Eye", "model": ""}
        state(floor, "device/shoe/status", {"name": "shoe", "state": "ready", "identity": identity}, place)
    assert [each["place"] for each in devices_of(floor, "ae-8")] == ["macau/b"]
    assert [each["place"] for each in devices_of(floor)] == ["macau/a", "macau/b", "macau/c"]


@pytest.mark.parametrize("place", ["Macau/q1", "macau/q_1", "macau/" + "q" * 33, "<b>/q1"])
def test_a_place_that_is_no_tables_name_is_ignored(floor: Floor, place: str) -> None:
    state(floor, "status", {"state": "ready"}, place)
    assert floor.tiles == {}


def test_tables_that_somebody_invents_are_bounded(floor: Floor) -> None:
    for number in range(TABLES_MOST + 5):
        state(floor, "status", {"state": "ready"}, f"macau/t{number}")
    assert len(floor.tiles) == TABLES_MOST


def test_whatever_a_table_invents_is_bounded(floor: Floor) -> None:
    for number in range(KEPT_MOST + 5):
        state(floor, f"device/d{number}/status", {"state": "ready", "identity": {}})
        event(floor, "fault.raised.v1", {**FAULT, "device": f"d{number}"})
        event(floor, "audit.certificate_expiring.v1", {"file": f"f{number}"})
    state(floor, "fairness", {"streams": [{"alarmed": True}] * (KEPT_MOST + 5)})
    tile = floor.tiles[PLACE]
    kept = (tile.devices, tile.faults, tile.certificates, tile.streams)
    assert [len(each) for each in kept] == [KEPT_MOST] * 4
    floor.answered(PLACE, {**ANSWER, "faults": [{**FAULT, "device": f"e{number}"} for number in range(KEPT_MOST + 5)]})
    assert len(tile.faults) == KEPT_MOST


WRONG: Any = (
    *(None, 5, "x", [], {}, [5], {"x": 5}, [None], "9" * 5000, -1.5, True),
    *(float("inf"), float("nan"), "\ud800", {"en": "\ud800"}, [float("inf")]),
)
WHOLE: dict[str, Any] = {
    "status": {"state": "ready", "session": "5e551011", "since": AT},
    "meta/info": {"game": "q_poker", "version": "0.1.0", "rules_hash": "07"},
    "round/phase": {"round_id": "a-1", "phase": "deciding", "since": AT, "waiting": {"en": "x"}},
    "board": {"last": [{"round_id": "a-1", "settled": AT, "result": "pair"}]},
    "fairness": {"streams": [{"stream": "hands", "subject": "dealer", "alarmed": False}]},
    "device/shoe/status": {"state": "ready", "identity": {"serial": "1", "maker": "", "model": ""}},
}
EVENTS: dict[str, Any] = {
    "round.void.v1": {"round_id": "a-1", "reason": "misdeal"},
    "fault.raised.v1": FAULT,
    "fault.acknowledged.v1": FAULT,
    "audit.program_verified.v1": {"result": "ok", "version": "0.1.0"},
    "audit.certificate_expiring.v1": {"file": "mqtt.cert_file", "until": AT},
}


def spoilt(form: dict[str, Any]) -> list[Any]:
    """The form with something else in each of its fields, or in its place."""
    return [*WRONG, *({**form, name: wrong} for name in form for wrong in WRONG)]


def is_drawable(floor: Floor) -> None:
    """Every text that the page cuts or compares is a text."""
    for tile in floor.since(-1):
        form = tile.form()
        assert isinstance(form["pace"], int)
        assert all(isinstance(value, str) for value in {**form["waiting"], **(form["last"] or {})}.values())
        for alarm in form["alarms"]:
            assert isinstance(alarm["code"], int)
            assert all(isinstance(alarm[name], str) for name in ("device", "since", "severity", "clears"))
            assert all(isinstance(each, str) for each in alarm["text"].values())
        build = tile.build_form()
        assert all(isinstance(each["until"], str) for each in build["certificates"])
        assert all(isinstance(build[name], str) for name in ("version", "rules_hash", "config_hash", "fingerprint"))
        json.dumps([form, build], ensure_ascii=False, allow_nan=False).encode()
    devices_of(floor, "x")


def test_a_field_that_is_something_else_harms_nothing() -> None:
    for rest, form in WHOLE.items():
        for wrong in spoilt(form):
            floor = Floor({}, {"q_poker": 40})
            state(floor, rest, form)
            state(floor, rest, wrong)
            is_drawable(floor)
    for kind, form in EVENTS.items():
        for wrong in spoilt(form):
            floor = Floor({}, {})
            event(floor, kind, wrong)
            event(floor, kind, form, "x")
            floor.take(
                f"tablectl/v1/{PLACE}/event/any", json.dumps({"type": wrong, "time": wrong, "data": form}).encode()
            )
            is_drawable(floor)


@given(st.sampled_from(RESTS), JSON, st.sampled_from(["round.settled.v1", "fault.raised.v1", "audit.x.v1", ""]))
def test_no_message_ends_the_fold_or_a_page(rest: str, content: Any, kind: str) -> None:
    floor = Floor({}, {})
    for payload in (
        content,
        {"data": content, "type": f"mo.tablectl.{kind}", "time": AT},
        {"data": {**FAULT, "x": content}},
    ):
        floor.take(f"tablectl/v1/{PLACE}/{rest}", json.dumps(payload).encode())
    is_drawable(floor)
