"""Sessions that a browser keeps: its cookie, and what a page of another site can't do with it."""

import json
from http.cookies import SimpleCookie
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.console.rig import PINS, House, Screen, error, house, quick


async def by_cookie(here: House, person: str, **headers: str) -> Screen:
    """A browser at the controller's own page, on which the person is signed on."""
    screen = here.screen(Origin=here.url, **headers)
    answer = await screen.http.post("/v1/sign-on", json={"person": person, "pin": PINS[person], "cookie": True})
    assert answer.status_code == 200, answer.text
    return screen


def crumbs(screen: Screen) -> str:
    """The browser's cookie, as it sends it."""
    return "; ".join(f"{name}={value}" for name, value in screen.http.cookies.items())


async def test_token_comes_in_a_cookie_that_no_script_can_read() -> None:
    async with house() as here:
        answer = await here.screen().http.post(
            "/v1/sign-on", json={"person": "ana", "pin": PINS["ana"], "cookie": True}
        )
        assert answer.json() == {"person": "ana", "role": "dealer", "expires_s": 8 * 3600}
        (cookie,) = SimpleCookie(answer.headers["Set-Cookie"]).values()
        assert cookie.key == f"tablectl-{here.port}"
        assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "strict", "/v1")
        assert (cookie["domain"], cookie["max-age"], cookie["expires"], cookie["secure"]) == ("", "", "", "")
        assert len(cookie.value) == 43


async def test_with_the_cookie_a_person_looks_and_acts() -> None:
    async with house() as here:
        dealer = await by_cookie(here, "ana")
        assert (await dealer.state())["phase"] == "idle"
        await dealer.done("confirm_pack")
        assert here.table.facts[-1].by == "ana"


async def test_asking_who_is_signed_on_prolongs_no_session() -> None:
    async with house(limits=quick(idle_s=100)) as here:
        dealer = await by_cookie(here, "ana")
        here.clock.at_s += 60
        answer = await dealer.http.get("/v1/session")
        assert answer.json() == {"person": "ana", "role": "dealer", "expires_s": 40}
        here.clock.at_s += 41
        assert error(await dealer.http.get("/v1/session"))[:2] == (401, "not_signed_on")


async def test_signing_off_clears_the_cookie_and_ends_the_session() -> None:
    async with house() as here:
        dealer = await by_cookie(here, "ana")
        kept = crumbs(dealer)
        answer = await dealer.http.post("/v1/sign-off")
        (cookie,) = SimpleCookie(answer.headers["Set-Cookie"]).values()
        assert (cookie.value, cookie["max-age"]) == ("", "0")
        assert crumbs(dealer) == ""
        stale = here.screen(Origin=here.url, Cookie=kept)
        assert error(await stale.http.get("/v1/state"))[:2] == (401, "not_signed_on")


async def test_next_person_at_a_browser_ends_session_of_one_before() -> None:
    async with house() as here:
        screen = await by_cookie(here, "ana")
        first = crumbs(screen)
        await screen.http.post("/v1/sign-on", json={"person": "sam", "pin": PINS["sam"], "cookie": True})
        assert (await screen.http.get("/v1/session")).json()["person"] == "sam"
        stale = here.screen(Origin=here.url, Cookie=first)
        assert error(await stale.http.get("/v1/session"))[:2] == (401, "not_signed_on")


@pytest.mark.parametrize("headers", [{}, {"Origin": ""}, {"Origin": "http://localhost:1"}, {"Origin": "null"}])
async def test_a_cookie_without_the_controllers_own_origin_changes_nothing(headers: dict[str, str]) -> None:
    async with house() as here:
        kept = crumbs(await by_cookie(here, "ana"))
        before = here.table.table.records
        forged = here.screen(Cookie=kept, **headers)
        body = {"request_id": "x", "round_id": None, "seen": before}
        answer = await forged.http.post("/v1/requests/confirm_pack", json=body)
        assert error(answer) == (403, "foreign_origin", "header Origin")
        assert error(await forged.http.post("/v1/sign-off"))[:2] == (403, "foreign_origin")
        assert here.table.table.records == before


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_another_sites_page_cannot_even_look_with_the_cookie(site: str) -> None:
    async with house() as here:
        kept = crumbs(await by_cookie(here, "ana"))
        forged = here.screen(Cookie=kept, **{"Sec-Fetch-Site": site})
        answer = await forged.http.get("/v1/state")
        assert error(answer) == (403, "foreign_origin", "header Sec-Fetch-Site")


async def test_a_link_from_another_site_may_lead_to_a_page() -> None:
    async with house() as here:
        answer = await here.screen(**{"Sec-Fetch-Site": "cross-site"}).http.get("/dealer")
        assert answer.status_code == 200


async def test_a_header_counts_before_the_cookie() -> None:
    async with house() as here:
        kept = crumbs(await by_cookie(here, "ana"))
        both = here.screen(Cookie=kept, Authorization="Bearer nonsense")
        assert error(await both.http.get("/v1/session"))[:2] == (401, "not_signed_on")


async def test_a_screen_follows_the_table_with_its_cookie() -> None:
    async with house() as here:
        kept = crumbs(await by_cookie(here, "ana"))
        async with _live(here, {"Cookie": kept}, origin=here.url) as screen:
            message = json.loads(await screen.recv())
        assert message["type"] == "state"
        assert message["actions"][0]["for"] == "dealer"


async def test_surveillance_sees_the_state_without_what_could_be_asked() -> None:
    async with house() as here:
        kept = crumbs(await by_cookie(here, "eve"))
        async with _live(here, {"Cookie": kept}, origin=here.url) as screen:
            assert set(json.loads(await screen.recv())) == {"type", "state", "build"}


async def test_websocket_with_the_cookie_but_without_an_origin_is_refused() -> None:
    async with house() as here:
        kept = crumbs(await by_cookie(here, "ana"))
        with pytest.raises(InvalidStatus) as refused:
            async with _live(here, {"Cookie": kept}):
                pass
        assert refused.value.response.status_code == 403


async def test_screen_with_an_ended_cookie_is_told_in_its_script() -> None:
    async with house() as here:
        stale = {"Cookie": f"tablectl-{here.port}=ended"}
        async with _live(here, stale, origin=here.url) as screen:
            await screen.wait_closed()
        assert screen.close_code == 4401


async def test_the_tables_of_one_machine_keep_their_cookies_apart() -> None:
    async with house() as one, house() as other:
        screen = await by_cookie(one, "ana")
        elsewhere = other.screen(Origin=other.url, Cookie=crumbs(screen))
        assert error(await elsewhere.http.get("/v1/state"))[:2] == (401, "not_signed_on")


async def test_a_cookie_survives_a_table_beside_it() -> None:
    async with house() as one, house() as other:
        first, second = await by_cookie(one, "ana"), await by_cookie(other, "sam")
        both = f"{crumbs(first)}; {crumbs(second)}"
        answers: list[httpx.Response] = [
            await here.screen(Cookie=both).http.get("/v1/session") for here in (one, other)
        ]
        assert [answer.json()["person"] for answer in answers] == ["ana", "sam"]


def _live(here: House, headers: dict[str, str], **more: Any) -> connect:
    return connect(f"ws://127.0.0.1:{here.port}/v1/live", proxy=None, additional_headers=headers, **more)
