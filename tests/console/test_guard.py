"""Who may knock: names of this machine only, no foreign page, not too many at once."""

import asyncio
from contextlib import AsyncExitStack

import httpx
import pytest
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tablectl.console.http.middleware import EACH, KEPT, REQUESTS_MAX, Guard, _name_in
from tests.console.rig import Screen, error, house
from tests.support.patience import PATIENCE_S


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:8080", "[::1]:8080", "table-7.floor:1"])
async def test_the_controllers_own_names_are_let_in(host: str) -> None:
    async with house(hosts=("table-7.floor",)) as here:
        assert (await here.screen(Host=host).http.get("/v1/health")).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil@",
        "[::1",
        "",
        "table-7.floor",
    ],
)
async def test_another_name_is_turned_away(host: str) -> None:
    async with house() as here:
        answer = await here.screen(Host=host).http.get("/v1/health")
        assert error(answer) == (403, "foreign_host", "header Host")


async def test_a_page_of_the_controllers_own_may_ask() -> None:
    async with house() as here:
        screen = here.screen(Origin=here.url)
        assert (await screen.sign_on("ana")).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost", "https://127.0.0.1:{port}", ""])
async def test_a_page_of_another_origin_may_not(origin: str) -> None:
    async with house() as here:
        screen = here.screen(Origin=origin.format(port=here.port))
        assert error(await screen.sign_on("ana")) == (403, "foreign_origin", "header Origin")
        assert len(here.table.facts) == 3  # nobody has signed on


async def test_too_many_requests_at_once_wait_and_others_are_answered() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        here.table.hold()
        asking = [asyncio.create_task(_confirm(dealer, f"r{nth}")) for nth in range(REQUESTS_MAX)]
        async with asyncio.timeout(PATIENCE_S):
            while (full := await here.screen().http.get("/v1/health")).status_code != 503:
                pass
        assert error(full) == (503, "overloaded", "server")
        assert full.headers["Retry-After"] == "1"
        assert here.table.held is not None
        here.table.held.set()
        assert {answer.status_code for answer in await asyncio.gather(*asking)} == {200}


async def test_slow_requests_elsewhere_leave_room_for_the_tables_own_screens() -> None:
    doors, inside = asyncio.Event(), asyncio.Semaphore(0)

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        inside.release()
        await doors.wait()
        await Response()(scope, receive, send)

    guard = Guard(slow)
    async with AsyncExitStack() as open_, _asking(guard, "127.0.0.1") as near, asyncio.TaskGroup() as tasks:
        addresses = [f"192.0.2.{nth}" for nth in range((REQUESTS_MAX - KEPT) // EACH + 1)]
        far = [await open_.enter_async_context(_asking(guard, address)) for address in addresses]
        begun = list[asyncio.Task[httpx.Response]]()
        for machine in far[:-1]:
            begun += [tasks.create_task(machine.get("/v1/health")) for _ in range(EACH)]
            for _ in range(EACH):
                await inside.acquire()
            assert error(await machine.get("/v1/health")) == (503, "overloaded", "server")
        assert error(await far[-1].get("/v1/health")) == (503, "overloaded", "server")
        own = tasks.create_task(near.get("/v1/health"))
        await inside.acquire()
        doors.set()
    assert {each.result().status_code for each in (*begun, own)} == {200}


def _asking(guard: Guard, address: str) -> httpx.AsyncClient:
    """Who asks from this address."""
    return httpx.AsyncClient(transport=httpx.ASGITransport(guard, client=(address, 1)), base_url="http://localhost")


async def _confirm(screen: Screen, name: str) -> httpx.Response:
    shown = {"request_id": name, "round_id": None, "seen": 4}
    return await screen.http.post("/v1/requests/confirm_pack", json=shown)


@pytest.mark.parametrize(
    "host",
    ["evil@localhost", "localhost/x", "localhost?x", "localhost#x", "localhost:", "localhost:99999", "localhost:+80",
     "localhost.", " localhost", "local\\host", "[::1", "::1", "localhost, evil", "localhost\xad"],
)  # fmt: skip
def test_host_in_another_form_than_name_and_port_is_refused(host: str) -> None:
    assert _name_in(host) not in {"localhost", "::1", "127.0.0.1"}


@pytest.mark.parametrize("name", ["Authorization", "Content-Type", "Origin", "Content-Encoding"])
async def test_a_header_that_is_acted_on_comes_once(name: str) -> None:
    async with house() as here:
        headers = [("Host", "localhost"), (name, "application/json"), (name, "application/json")]
        answer = await here.screen().http.get("/v1/health", headers=headers)
        assert answer.status_code == 400


async def test_only_browsers_of_other_machines_are_told_to_keep_tls() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await Response()(scope, receive, send)

    told = list[str | None]()
    for host in ("https://table.example", "https://localhost", "http://table.example"):
        guard = Guard(app, ["table.example"])
        async with httpx.AsyncClient(transport=httpx.ASGITransport(guard), base_url=host) as browser:
            told.append((await browser.get("/")).headers.get("strict-transport-security"))
    assert told == ["max-age=31536000", None, None]
