"""The monitor's way to a console: over TLS, through refusals, to whatever answers there."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from tablectl.console.http.tls import Tls
from tablectl.core.facts import Bookmarked, FaultRaised
from tablectl.core.faults import Code
from tablectl.features.common.api_client import RefusedError, RequestFailedError, Who
from tablectl.features.common.table_requests import trusting
from tablectl.features.monitor.link import Connected, Lost, News, Shown, TableAwayError, TableLink
from tests.console.rig import PINS, house
from tests.support.authority import Authority
from tests.support.patience import PATIENCE_S


async def followed(link: TableLink, enough: type[News]) -> list[News]:
    """What is told up to the first news of this kind."""
    heard: list[News] = []
    came = asyncio.Event()

    def tell(news: News) -> None:
        heard.append(news)
        if isinstance(news, enough):
            came.set()

    task = asyncio.create_task(link.follow(tell))
    try:
        async with asyncio.timeout(PATIENCE_S):
            await came.wait()
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    return heard


async def test_table_is_followed_over_tls_by_an_authority_of_house(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    own = authority.sign("table-7")
    async with house(tls=Tls(own.cert, own.key)) as here:
        link = TableLink(here.url, Who("ana", PINS["ana"]), trusting(Path(authority.file)))
        first, second, *_ = await followed(link, Shown)
        await link.close()
    assert isinstance(first, Connected)
    assert (first.role, first.rounds) == ("dealer", ())
    assert isinstance(second, Shown)
    assert second.state["phase"]


async def test_certificate_that_nobody_vouches_for_is_not_taken(tmp_path: Path) -> None:
    own = Authority(tmp_path).sign("table-7")
    async with house(tls=Tls(own.cert, own.key)) as here:
        link = TableLink(here.url, Who("ana", PINS["ana"]))
        with pytest.raises(TableAwayError, match="CERTIFICATE_VERIFY_FAILED"):
            await link.sign_on()
        await link.close()


async def test_refusal_has_its_article_and_text_in_the_asked_language() -> None:
    async with house() as here:
        link = TableLink(here.url, Who("sam", PINS["sam"]))
        await link.sign_on()
        shown = {"round_id": None, "seen": here.table.table.records}
        with pytest.raises(RefusedError) as refused:
            await link.ask("acknowledge_fault", shown, {"code": 801, "device": ""}, "pt")
        await link.close()
    assert (refused.value.article, refused.value.text[:3]) == ("table", "pt:")


async def test_request_that_role_may_not_make_is_error_in_words() -> None:
    async with house() as here:
        here.table.report(FaultRaised(Code.EVENT_GAP, "shoe"))
        link = TableLink(here.url, Who("ana", PINS["ana"]))
        await link.sign_on()
        shown = {"round_id": None, "seen": here.table.table.records}
        with pytest.raises(RequestFailedError, match="supervisor"):
            await link.ask("acknowledge_fault", shown, {"code": int(Code.EVENT_GAP), "device": "shoe"}, "en")
        assert await link.ask("bookmark", shown, {"note": "here"}, "en") == here.table.table.records
        await link.close()
        assert Bookmarked("here") in [fact.body for fact in here.table.facts]


async def test_nobody_there_is_told_and_tried_again() -> None:
    link = TableLink("http://127.0.0.1:9", Who("ana", "1111"))
    heard = await followed(link, Lost)
    await link.close()
    assert "http://127.0.0.1:9" in str(heard[0])
