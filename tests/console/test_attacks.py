"""Whoever tries what they should not: paths, bodies, sessions, other people's requests, other sites' pages."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from websockets.asyncio.client import connect

from tablectl.console.auth.people import Role
from tablectl.console.openapi import document, example_of
from tablectl.console.pages import FOLDER
from tablectl.console.requests.body import BODY_MAX
from tablectl.console.requests.table import VERBS
from tests.console.rig import PEOPLE, PINS, House, Screen, dealt, error, house, quick
from tests.support.patience import PATIENCE_S

ROLES = {person.name: person.role for person in PEOPLE}
SECRETS = ("def ", "import ", "root:", "pin_hash", "BEGIN")
"""What stands in the files that a path might be made to reach."""


async def raw(here: House, request: bytes) -> bytes:
    """The whole answer to exactly these bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
    writer.write(request)
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await reader.read()
    finally:
        writer.close()


async def status_of(here: House, request: bytes) -> int:
    """The status that exactly these bytes get; 0 where the connection is simply ended."""
    reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
    writer.write(request)
    try:
        async with asyncio.timeout(PATIENCE_S):
            line = await reader.readline()
    except ConnectionError:
        return 0
    finally:
        writer.close()
    return int(line.split()[1]) if line else 0


async def got(here: House, path: str) -> tuple[int, str]:
    """Status and body of a path that no client has tidied up."""
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    status, _, rest = (await raw(here, head.encode("latin-1"))).partition(b"\r\n")
    return int(status.split()[1]), rest.partition(b"\r\n\r\n")[2].decode(errors="replace")


# --- paths


@pytest.mark.parametrize(
    "path",
    [
        "/static",
        "/static/",
        "/static/dealer",
        "/static/dealer/",
        "/dealer/",
        "/dealer/index.html",
        "/static/../pages.py",
        "/static/../../console/pages.py",
        "/static/./index.html",
        "/static//index.html",
        "//static/index.html",
        "/static/vendor/../index.html",
        "/static/%2e%2e/pages.py",
        "/static/%2e%2e%2fpages.py",
        "/static/..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/static/%252e%252e%252fpages.py",
        "/static/%c0%ae%c0%ae/pages.py",
        "/static/..%5cpages.py",
        "/static/..\\pages.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/index.html%00",
        "/static/index.html%00.js",
        "/static/%00/index.html",
        "/static/index.html/",
        "/static/index.html;a",
        "/static/INDEX.HTML",
        "/STATIC/index.html",
        "/static/index.html%20",
        "/static/file:///etc/passwd",
        "/static/~root/.bashrc",
        "/static/" + "../" * 40 + "etc/passwd",
        "/static/" + "a" * 8000,
    ],
)
async def test_no_path_leads_out_of_the_pages(path: str) -> None:
    async with house() as here:
        status, body = await got(here, path)
        assert status in {400, 404}
        assert not any(secret in body for secret in SECRETS)


async def test_the_same_file_is_there_under_its_own_path() -> None:
    async with house() as here:
        assert await got(here, "/static/index.html") == (200, (FOLDER / "index.html").read_text())


async def test_a_path_of_two_megabytes_is_cut_off() -> None:
    async with house() as here:
        long = b"GET /" + b"a" * 2_000_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"
        assert await status_of(here, long) in {0, 400}
        assert (await here.screen().http.get("/v1/health")).status_code == 200


@pytest.mark.parametrize(
    "head",
    [
        "POST /v1/sign-on HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 20\r\n\r\n{}",
        "POST /v1/sign-on HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: x\r\n\r\n{}",
        "POST /v1/sign-on HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /v1/sign-on HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "POST /v1/sign-on HTTP/1.1\r\nHost: localhost\r\nContent-Length: +2\r\n\r\n{}",
        "POST /v1/sign-on HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n{}",
        "GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX: a\rGET / HTTP/1.1\r\n\r\n",
        "GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
        "GET /v1/health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        "GET /v1/health HTTP/1.1\r\n\r\n",
        "GET http://evil.example/v1/health HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET /v1/health HTTP/1.1\r\nHost: localhost\r\nBad header\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
async def test_a_head_with_two_meanings_gets_no_good_answer(head: str) -> None:
    async with house() as here:
        assert await status_of(here, head.encode("latin-1")) in {400, 403, 501}
        assert (await here.screen().http.get("/v1/health")).status_code == 200


# --- bodies


async def test_body_one_byte_too_long_is_refused() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        body = b'"' + b"x" * (BODY_MAX - 1) + b'"'
        kind = {"Content-Type": "application/json"}
        known = await dealer.http.post("/v1/requests/bet", content=body, headers=kind)
        assert error(known)[:2] == (413, "too_long")

        async def pieces() -> AsyncIterator[bytes]:
            for start in range(0, len(body), 1000):
                yield body[start : start + 1000]

        chunked = await dealer.http.post("/v1/requests/bet", content=pieces(), headers=kind)
        assert error(chunked)[:2] == (413, "too_long")


async def test_an_endless_body_is_cut_off() -> None:
    async with house(loitering_s=0.3) as here:
        head = (
            b"POST /v1/sign-on HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 1000000000\r\n\r\n"
        )
        reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
        writer.write(head + b" " * (BODY_MAX + 1))
        async with asyncio.timeout(PATIENCE_S):
            answer = await reader.read()
        assert b"413" in answer.partition(b"\r\n")[0]
        writer.close()


async def test_a_sign_on_that_trickles_in_keeps_nobody_else_waiting() -> None:
    async with house(limits=quick(body_s=0.2)) as here:
        head = (
            b"POST /v1/sign-on HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b'Content-Length: 40\r\n\r\n{"per'
        )
        slow = asyncio.create_task(status_of(here, head))
        assert (await here.screen().sign_on("ana")).status_code == 200
        assert await slow == 408


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
async def test_a_form_of_another_sites_page_is_no_request(kind: str) -> None:
    async with house() as here:
        screen = await _cookie(here, "ana")
        body = json.dumps({"request_id": "x", "round_id": None, "seen": 4}).encode()
        answer = await screen.http.post("/v1/requests/confirm_pack", content=body, headers={"Content-Type": kind})
        assert error(answer)[:2] == (415, "not_json_type")
        assert here.table.table.records == 4


# --- sessions


async def test_cookie_planted_before_sign_on_is_worthless_after_it() -> None:
    async with house() as here:
        planted = "x" * 43
        screen = here.screen(Origin=here.url, Cookie=f"tablectl-{here.port}={planted}")
        answer = await screen.http.post("/v1/sign-on", json={"person": "ana", "pin": PINS["ana"], "cookie": True})
        assert planted not in answer.headers["Set-Cookie"]
        with_it = here.screen(Authorization=f"Bearer {planted}")
        assert error(await with_it.http.get("/v1/state"))[:2] == (401, "not_signed_on")


async def test_every_sign_on_has_a_token_of_its_own() -> None:
    async with house() as here:
        tokens = {(await here.signed_on("ana")).token for _ in range(5)}
        assert len(tokens) == 5


async def test_a_stale_session_does_nothing_more_wherever_it_asks() -> None:
    async with house(limits=quick(idle_s=100)) as here:
        dealer = await here.signed_on("ana")
        shown = await dealer.state()
        here.clock.at_s += 101
        before = here.table.table.records
        told = {"request_id": "late", "round_id": None, "seen": shown["seen"]}
        answers = [
            await dealer.http.post("/v1/requests/confirm_pack", json=told),
            *[await dealer.http.get(f"/v1/{path}") for path in ("state", "actions", "session")],
            await dealer.http.post("/v1/sign-off"),
        ]
        assert {error(answer)[:2] for answer in answers} == {(401, "not_signed_on")}
        assert here.table.table.records == before


async def test_a_session_that_is_watched_only_ends_all_the_same() -> None:
    async with house(limits=quick(idle_s=100, heartbeat_s=0.02)) as here:
        screen = await _cookie(here, "eve")
        cookie = "; ".join(f"{name}={value}" for name, value in screen.http.cookies.items())
        url = f"ws://127.0.0.1:{here.port}/v1/live"
        headers = {"Cookie": cookie, "Origin": here.url}
        async with connect(url, proxy=None, additional_headers=headers) as live:
            for _ in range(4):
                here.clock.at_s += 30
                await screen.http.get("/v1/session")  # what a page asks of itself is no sign of a person
            await live.wait_closed()
        assert live.close_code == 4401


# --- requests


async def test_overheard_request_sent_again_does_nothing_more() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        await dealer.done("confirm_pack")
        await dealer.done("open_round")
        shown = await dealer.state()
        bet = {"place": 1, "bettor": "A", "bet": "versus_dealer", "stake": "100"}
        body = {"request_id": "b1", "round_id": shown["round_id"], "seen": shown["seen"], **bet}
        for _ in range(3):
            assert (await dealer.http.post("/v1/requests/bet", json=body)).status_code == 200
        assert [item["stake"] for item in (await dealer.state())["round"]["bets"]] == ["100.00"]


async def test_an_overheard_request_is_stale_once_its_round_is_over() -> None:
    async with house() as here:
        dealer, supervisor = await dealt(here), await here.signed_on("sam")
        shown = await dealer.state()
        body = {"request_id": "v1", "round_id": shown["round_id"], "seen": shown["seen"], "reason": "knocked over"}
        assert (await supervisor.http.post("/v1/requests/void_round", json=body)).status_code == 200
        await dealer.done("confirm_pack")
        await dealer.done("open_round", request_id="o9")
        again = await supervisor.http.post("/v1/requests/void_round", json={**body, "request_id": "v2"})
        assert again.json()["refused"]["code"] == "stale_screen"


async def test_another_persons_request_is_not_answered_to_whoever_repeats_it() -> None:
    async with house() as here:
        dealer, supervisor = await here.signed_on("ana"), await here.signed_on("sam")
        body = {"request_id": "p1", "round_id": None, "seen": here.table.table.records}
        first = await dealer.http.post("/v1/requests/confirm_pack", json=body)
        other = await supervisor.http.post("/v1/requests/confirm_pack", json=body)
        assert first.json()["record"] != other.json()["record"]
        assert [fact.by for fact in here.table.facts[-2:]] == ["ana", "sam"]


async def test_nobody_signs_a_request_with_anothers_name() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        for field in ("by", "person", "source", "simulated", "at"):
            answer = await dealer.ask("confirm_pack", **{field: "sam"})
            assert error(answer)[:2] == (422, "wrong_fields")


MAY = {(person, name) for person, role in ROLES.items() for name, verb in VERBS.items() if role in verb.roles}


@pytest.mark.parametrize("person", ROLES)
async def test_each_role_may_ask_exactly_the_verbs_of_the_table(person: str) -> None:
    async with house() as here:
        screen = await here.signed_on(person)
        for name, verb in VERBS.items():
            before = here.table.table.records
            body = {**example_of(verb), "request_id": name, "seen": before, "round_id": None}
            if name == "acknowledge_fault":
                continue  # by the fault: see test_requests
            answer = await screen.http.post(f"/v1/requests/{name}", json=body)
            if (person, name) in MAY:
                assert answer.status_code in {200, 409} or error(answer)[1] == "second_needed"
            else:
                assert error(answer) == (403, "role_may_not", "header Authorization")
                assert here.table.table.records == before


def test_surveillance_may_mark_and_acknowledge_and_do_nothing_else() -> None:
    (watcher,) = (name for name, role in ROLES.items() if role is Role.SURVEILLANCE)
    assert {name for who, name in MAY if who == watcher} == {"bookmark", "acknowledge_fault"}


async def test_whoever_has_not_signed_on_gets_nothing_that_needs_it() -> None:
    async with house() as here:
        http = here.screen().http
        for path, methods in document()["paths"].items():
            for method, operation in methods.items():
                if operation.get("security") == [] or path == "/v1/live":
                    continue
                answer = await http.request(method, path.replace("{round_id}", "a-000001"))
                assert error(answer)[:2] == (401, "not_signed_on"), path


# --- many at once


async def test_eight_screens_at_once_all_see_the_current_table() -> None:
    async with house() as here:
        screens = [await _cookie(here, person) for person in ("ana", "sam") for _ in range(4)]
        await screens[0].done("confirm_pack")
        await screens[0].done("open_round")
        opened = (await screens[0].state())["seen"]
        last = opened + 8 * 5
        seen = await asyncio.gather(*(_plays(here, screen, nth, last) for nth, screen in enumerate(screens)))
        assert set(seen) == {last}
        assert len((await screens[0].state())["round"]["bets"]) == 8


async def _plays(here: House, screen: Screen, nth: int, last: int) -> int:
    """Loads the page, bets five times and follows the table until it has seen this many facts; how many it has."""
    assert (await screen.http.get("/dealer")).status_code == 200
    cookie = "; ".join(f"{name}={value}" for name, value in screen.http.cookies.items())
    headers = {"Cookie": cookie, "Origin": here.url}
    async with connect(f"ws://127.0.0.1:{here.port}/v1/live", proxy=None, additional_headers=headers) as live:
        first = json.loads(await live.recv())["state"]
        for time in range(5):
            bet = {"place": nth % 7 + 1, "bettor": f"B{nth}", "bet": "versus_dealer", "stake": "10"}
            told = {"request_id": f"s{nth}-{time}", "round_id": first["round_id"], "seen": first["seen"]}
            assert (await screen.http.post("/v1/requests/bet", json={**told, **bet})).status_code == 200
        shown: int = first["seen"]
        async with asyncio.timeout(PATIENCE_S):
            while shown < last:
                shown = json.loads(await live.recv())["state"]["seen"]
    return shown


async def _cookie(here: House, person: str) -> Screen:
    screen = here.screen(Origin=here.url)
    answer = await screen.http.post("/v1/sign-on", json={"person": person, "pin": PINS[person], "cookie": True})
    assert answer.status_code == 200
    return screen
