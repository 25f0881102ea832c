"""Bodies that are wrong in every way say where, harm nothing and leave no record."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.console.errors import ApiError
from tablectl.console.requests.body import BODY_MAX, parse_form
from tablectl.console.requests.fields import NAMED_PLACES
from tablectl.console.requests.table import VERBS
from tablectl.console.requests.verb import asked
from tablectl.core.facts.amendments import RoundAmended
from tablectl.core.facts.table_requests import BetOffered
from tests.console.rig import House, error, house, quick
from tests.support.patience import PATIENCE_S

JSON = {"Content-Type": "application/json"}
Bet, OpenHand = VERBS["bet"].form, VERBS["open_hand"].form
BET: dict[str, Any] = {
    "request_id": "r1",
    "round_id": None,
    "seen": 4,
    "place": 1,
    "bettor": "A",
    "bet": "versus_dealer",
    "stake": "100",
}


async def post(here: House, body: bytes, **headers: str) -> httpx.Response:
    screen = await here.signed_on("ana")
    return await screen.http.post("/v1/requests/bet", content=body, headers={**JSON, **headers})


def refused(body: bytes, form: type = Bet) -> ApiError:
    with pytest.raises(ApiError) as caught:
        parse_form(body, form)
    assert caught.value.status == 422
    return caught.value


def test_the_right_body_is_read() -> None:
    form = parse_form(json.dumps(BET).encode(), Bet)
    assert asked(form, BetOffered).body == BetOffered(1, "A", "versus_dealer", 100_00)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (b"", "body line 1 column 1"),
        (b"   ", "body line 1 column 4"),
        (b"bet", "body line 1 column 1"),
        (b'{"place": 1,}', "body line 1 column 13"),
        (b'{\n "place": 1\n "bet": 2}', "body line 3 column 2"),
        (b'{"place": 01}', "body line 1 column 12"),
        (b'{"place": 1} {}', "body line 1 column 14"),
        (b'{"bettor": "a\nb"}', "body line 1 column 14"),
        (b"\xef\xbb\xbf{}", "body line 1 column 1"),
        (b'{"bettor": "\xff"}', "body byte 13"),
        (b'{"stake": NaN}', "body"),
        (b'{"stake": -Infinity}', "body"),
        (b"[" * 8000, "body"),
        (b'{"a":' * 3000, "body"),
    ],
)
def test_what_is_not_json_is_refused_by_line_and_column(body: bytes, where: str) -> None:
    no = refused(body)
    assert (no.code, no.where) == ("not_json", where)


@pytest.mark.parametrize("body", [b'{"place": 1, "place": 2}', b'{"x": [{"place": 1, "place": 1}]}'])
def test_a_field_given_twice_is_refused_by_name(body: bytes) -> None:
    no = refused(body)
    assert (no.code, no.problems[0].where) == ("wrong_fields", "place")
    assert "more than once" in no.message


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("place", 0),
        ("place", 100),
        ("place", "1"),
        ("place", 1.0),
        ("place", True),
        ("place", None),
        ("place", 10**17),
        ("seen", -1),
        ("seen", None),
        ("seen", 2**53),
        ("round_id", 7),
        ("round_id", "r" * 65),
        ("request_id", ""),
        ("request_id", "a b"),
        ("request_id", "r" * 65),
        ("request_id", 7),
        ("bettor", ""),
        ("bettor", "a\nb"),
        ("bettor", "x" * 65),
        ("bet", "b" * 33),
        ("stake", 100),
        ("stake", 0.5),
        ("stake", ""),
        ("stake", "-1"),
        ("stake", "1e3"),
        ("stake", "0.005"),
        ("stake", "01"),
        ("stake", " 1"),
        ("stake", "１"),
        ("stake", "1" * 16),
        ("stake", ["1"]),
    ],
)
def test_a_wrong_field_is_named(field: str, value: object) -> None:
    no = refused(json.dumps({**BET, field: value}).encode())
    assert [problem.where for problem in no.problems] == [field]
    assert no.code == "wrong_fields"
    assert field in no.message


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("bettor", "a\nb", "text on one line, not empty, without characters that can't be seen"),
        ("bettor", "", "text on one line, not empty, without characters that can't be seen"),
        ("bettor", "x" * 65, "at most 64 characters"),
        ("request_id", "a b", "not of the form that this field has: see /v1/openapi.json"),
        ("seen", -1, "at least 0"),
        ("seen", "4", "a whole number is expected"),
        ("seen", 2**53, f"less than {2**53}"),
        ("round_id", 7, "text is expected"),
    ],
)
def test_a_wrong_field_is_told_in_plain_words(field: str, value: object, said: str) -> None:
    (problem,) = refused(json.dumps({**BET, field: value}).encode()).problems
    assert problem.message == said


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [("name", "", "not to be left empty"), ("kind", "wheel", "one of 'pack', 'dice' or 'shoe'")],
)
def test_a_material_without_name_or_kind_is_told_plainly(field: str, value: str, said: str) -> None:
    named = {"request_id": "r1", "seen": 4, "round_id": None, "kind": "pack", "name": "P-17", field: value}
    with pytest.raises(ApiError) as no:
        parse_form(json.dumps(named).encode(), VERBS["name_material"].form)
    (problem,) = no.value.problems
    assert (problem.where, problem.message) == (field, said)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("place", "bank"),
        ("place", 0),
        ("place", True),
        ("place", 1.0),
        ("place", None),
        ("cards[1]", ["As", "1s"]),
        ("cards[0]", ["AS", "Kd"]),
        ("cards[2]", ["As", "Kd", 7]),
        ("cards", "As"),
        ("cards", ["As"] * 14),
    ],
)
def test_a_wrong_hand_or_card_is_named(field: str, value: object) -> None:
    right = {"request_id": "r1", "round_id": None, "seen": 4, "place": "dealer", "cards": ["As"]}
    body = json.dumps({**right, field.partition("[")[0]: value}).encode()
    assert [problem.where for problem in refused(body, OpenHand).problems] == [field]


@pytest.mark.parametrize("digits", [400, 5000, 15000])
def test_a_number_of_thousands_of_digits_is_refused(digits: int) -> None:
    refused(json.dumps(BET).replace('"seen": 4', '"seen": ' + "9" * digits).encode())


def test_half_a_surrogate_pair_is_refused() -> None:
    refused(json.dumps({**BET, "bettor": "\ud800"}).encode())


def test_every_wrong_field_is_listed() -> None:
    no = refused(b'{"request_id": "r1", "round_id": null, "seen": 1, "place": 0, "stake": 1, "x y": 1, "bet": "b"}')
    told = {problem.where: problem.message for problem in no.problems}
    assert set(told) == {"place", "stake", "bettor", '["x y"]'}
    assert told["bettor"] == "this field is required"
    assert told['["x y"]'] == "unknown field"
    assert "100" in told["stake"]


def test_thousands_of_unknown_fields_give_a_short_answer() -> None:
    no = refused(json.dumps({f"f{nth}": 1 for nth in range(1500)}).encode())
    assert len(no.problems) == 20


@pytest.mark.parametrize("body", [b"[]", b"1", b'"x"', b"null", b"true"])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    assert refused(body).problems[0].where == "body"


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    refused(body)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_any_json_in_a_field_is_read_or_refused(value: object) -> None:
    body = json.dumps({**BET, "place": value}).encode()
    named = isinstance(value, str) and value in NAMED_PLACES
    if named or (type(value) is int and 1 <= value <= 99):
        assert parse_form(body, Bet).model_dump()["place"] == value
    else:
        refused(body)


async def test_a_wrong_body_is_answered_422_and_leaves_no_record() -> None:
    async with house() as here:
        answer = await post(here, json.dumps({**BET, "stake": 5, "why": "?"}).encode())
        records = here.table.table.records
        assert error(answer) == (422, "wrong_fields", "body")
        assert [problem["where"] for problem in answer.json()["error"]["problems"]] == ["stake", "why"]
        answer = await post(here, b"{")
        assert error(answer) == (422, "not_json", "body line 1 column 2")
        assert here.table.table.records == records + 1  # the second sign-on


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1"]
)
async def test_another_content_type_is_refused(kind: str) -> None:
    async with house() as here:
        answer = await post(here, json.dumps(BET).encode(), **{"Content-Type": kind})
        assert error(answer) == (415, "not_json_type", "header Content-Type")


async def test_no_content_type_is_refused() -> None:
    async with house() as here:
        screen = await here.signed_on("ana")
        answer = await screen.http.post("/v1/requests/bet", content=b"{}")
        assert error(answer)[:2] == (415, "not_json_type")


async def test_a_compressed_body_is_refused() -> None:
    async with house() as here:
        answer = await post(here, b"x", **{"Content-Encoding": "gzip"})
        assert error(answer) == (415, "not_json_type", "header Content-Encoding")


async def test_utf8_may_be_said() -> None:
    async with house() as here:
        answer = await post(here, json.dumps(BET).encode(), **{"Content-Type": 'application/json; charset="UTF-8"'})
        assert answer.status_code == 409  # no round is open


async def test_the_longest_body_is_read_and_a_longer_one_refused() -> None:
    async with house() as here:
        body = json.dumps(BET).encode()
        assert (await post(here, body.ljust(BODY_MAX))).status_code == 409
        assert error(await post(here, body.ljust(BODY_MAX + 1))) == (413, "too_long", "body")


async def test_body_without_an_announced_end_is_refused_at_the_limit() -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(64):
            yield b" " * 4096

    async with house() as here:
        screen = await here.signed_on("ana")
        answer = await screen.http.post("/v1/requests/bet", content=endless(), headers=JSON)
        assert error(answer) == (413, "too_long", "body")


async def test_a_body_that_does_not_arrive_is_given_up() -> None:
    async with house(limits=quick(body_s=0.05)) as here:
        screen = await here.signed_on("ana")
        reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
        head = f"Host: localhost\r\nAuthorization: Bearer {screen.token}\r\nContent-Type: application/json\r\n"
        writer.write(f"POST /v1/requests/bet HTTP/1.1\r\n{head}Content-Length: 100\r\n\r\n{{".encode())
        async with asyncio.timeout(PATIENCE_S):
            assert b" 408 " in await reader.readline()
        writer.close()
        await writer.wait_closed()


async def test_a_client_that_leaves_amid_its_body_is_no_mistake(caplog: pytest.LogCaptureFixture) -> None:
    async with house() as here:
        screen = await here.signed_on("ana")
        _, writer = await asyncio.open_connection("127.0.0.1", here.port)
        head = f"Host: localhost\r\nAuthorization: Bearer {screen.token}\r\nContent-Type: application/json\r\n"
        writer.write(f"POST /v1/requests/bet HTTP/1.1\r\n{head}Content-Length: 100\r\n\r\n{{".encode())
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        assert (await screen.state())["phase"] == "idle"
    assert caplog.records == []


def _lines() -> Iterator[bytes]:
    yield b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"
    yield b"\x00\x01\x02\r\n\r\n"
    yield b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n"


@pytest.mark.parametrize("line", list(_lines()), ids=["two hosts", "bytes", "long"])
async def test_what_is_not_http_is_turned_away(line: bytes) -> None:
    async with house() as here:
        reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
        writer.write(line)
        async with asyncio.timeout(PATIENCE_S):
            assert b" 400 " in await reader.readline()
        writer.close()
        assert (await here.screen().http.get("/v1/health")).status_code == 200


def amendment(changes: list[dict[str, Any]]) -> bytes:
    body = {"request_id": "r1", "round_id": "5eed0001-000001", "seen": 4, "reason": "misread", "changes": changes}
    return json.dumps(body).encode()


def test_an_amendment_of_sixty_four_changes_is_read() -> None:
    whole = {
        "after": 2**31,
        "verb": "declare_spin",
        "fields": {"turns": 3, "section": 52},
        "time": "2026-11-23T20:00:00.000000Z",
    }
    body = amendment([whole] * 64)
    assert len(body) <= BODY_MAX
    read = asked(parse_form(body, VERBS["amend"].form), RoundAmended).body
    assert isinstance(read, RoundAmended)
    assert len(read.changes) == 64
    assert refused(amendment([]), VERBS["amend"].form).problems[0].where == "changes"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"record": 0, "to": None}, "changes[0]"),
        ({"record": 4}, "changes[0]"),
        ({"record": 4, "to": 7}, "changes[0]"),
        ({"after": 4, "fields": {}}, "changes[0]"),
        ({"record": 4, "to": None, "after": 3}, "changes[0]"),
    ],
)
def test_change_of_no_known_form_is_refused_with_its_field(change: dict[str, Any], field: str) -> None:
    assert refused(amendment([change]), VERBS["amend"].form).problems[0].where == field
