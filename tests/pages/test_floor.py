"""The floor page in a real browser: a daemon, a recorder, and a table that only says it is there."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, ViewportSize, expect

from tablectl.mqtt.client import Connection
from tablectl.mqtt.settings import parse_broker_url
from tests.floor.house import PageProcess, recorder_and_page
from tests.pages.support import PINS, Screens, Table, at_table, barriers, sign_on
from tests.support.broker import private_broker
from tests.support.long import by_turn
from tests.support.proxy import Proxy

SIZES: dict[str, ViewportSize] = {"1440": {"width": 1440, "height": 900}, "390": {"width": 390, "height": 844}}
PLACE = "demo/q-demo"
FAR = "macau/q9"
IMAGE = "<img src=x onerror=pwned=1>"
AT = "2026-11-20T04:04:06.000007Z"
FAULT = {"code": 801, "device": "", "severity": "warning", "text": {"en": "Time"}, "by": "table"}
VIEWS = ("tables", "alarms", "devices", "builds", "money", f"table/{PLACE}")


@dataclass
class House:
    """What the tests look at.

    Args:
        broker: its address.
    """

    table: Table
    page: PageProcess
    broker: str

    @property
    def url(self) -> str:
        """Where the floor page is."""
        return self.page.url

    async def play(self, meanwhile: Callable[[], Awaitable[None]] | None = None) -> None:
        """A round that is opened and made void."""
        state = await self.table.until("both devices", lambda now: all(each["attached"] for each in now["devices"]))
        if state["round"]["pack"] != "ready":
            await self.table.ask("confirm_pack")
        await self.table.ask("open_round")
        if meanwhile is not None:
            await meanwhile()
        await self.table.ask("void_round", reason="the fire alarm rang", second={"person": "rui", "pin": PINS["rui"]})

    async def publish(self, rest: str, data: object, kind: str = "") -> None:
        """A message of a table that is nothing else."""
        form = {"type": f"mo.tablectl.{kind}", "time": AT, "simulated": True, "data": data}
        async with Connection(parse_broker_url(self.broker), f"far-{rest.replace('/', '-')}") as connection:
            answered = asyncio.Event()
            connection.answered = lambda _mid, _code: answered.set()
            connection.publish(f"tablectl/v1/{FAR}/{rest}", json.dumps(form).encode(), retain=not kind)
            await answered.wait()


@pytest_asyncio.fixture(name="house", scope="module", loop_scope="session")
async def _house(
    forks: ForkServerContext, mosquitto: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[House]:
    folder = tmp_path_factory.mktemp("floor")
    (folder / "broker").mkdir()
    async with AsyncExitStack() as stack:
        broker = stack.enter_context(private_broker(mosquitto, folder / "broker"))
        await asyncio.to_thread(broker.start)
        both = recorder_and_page(folder, broker.url)
        page = await asyncio.to_thread(both.__enter__)
        stack.push_async_callback(asyncio.to_thread, both.__exit__, None, None, None)
        asks = {
            "subscribers.floor.may": '["status", "bookmark", "acknowledge"]',
            "subscribers.floor.role": "supervisor",
        }
        settings = {"mqtt.url": broker.url, **asks}
        table = await stack.enter_async_context(at_table(forks, folder / "table", "q-poker", settings))
        table.wire = Proxy(table.daemon.port, table.daemon.port)  # straight, so that no task outlives its test
        house = House(table, page, broker.url)
        await house.play()
        yield house


async def shown(
    house: House, screens: Screens, where: str = "tables", lang: str = "en", size: str = "1440", person: str = "rui"
) -> Page:
    page = await screens.open(viewport=SIZES[size], has_touch=False)
    await sign_on(page, house.url, person)
    await page.goto(f"{house.url}/?lang={lang}#{where}")
    await expect(page.locator(".floor")).to_be_visible()
    return page


def tile(page: Page, place: str = PLACE) -> Locator:
    return page.locator(f'.tile[data-place="{place}"]')


async def test_a_table_is_seen_a_second_after_its_event(house: House, screens: Screens) -> None:
    page = await shown(house, screens)
    await expect(tile(page)).to_contain_text("ready · between rounds")
    await expect(page.locator('.pit[aria-label="north"]')).to_contain_text(PLACE)
    before = len(await house.table.events("round.void"))
    await house.play(lambda: expect(tile(page)).to_contain_text("ready · betting"))
    await expect(tile(page)).to_contain_text(f"{before + 1} of 40 rounds an hour")
    await expect(tile(page)).to_contain_text("the fire alarm rang")
    await tile(page).get_by_role("button").click()
    await expect(page.locator(".work")).to_contain_text("Record complete")
    await page.locator(".rows tbody .link").first.click()
    await expect(page.locator(".opened")).to_contain_text("opened: Q Poker")
    assert "rui looked at" in await asyncio.to_thread(house.page.heard, "looked at")


async def test_an_alarm_is_acknowledged_at_its_table_by_name(house: House, screens: Screens) -> None:
    page = await shown(house, screens, person="mei")
    path = f"/v1/tables/{PLACE}/acknowledge"
    status, answer = await asyncio.to_thread(house.page.ask, path, "mei", {"code": 102, "device": "<b>shoe"})
    assert (status, answer["error"]["code"]) == (409, "not_standing")
    await house.table.bench.unplug("shuffler")
    try:
        await expect(tile(page)).to_contain_text("fault: 102 The device's port is not there")
        await page.get_by_role("link", name="Faults").click()
        alarm = page.locator(".alarm", has_text="102")
        await alarm.get_by_role("button", name="Acknowledge").click()
        await expect(alarm).to_have_count(0)
        await page.get_by_label("Show acknowledged faults too").check()
        await expect(alarm).to_contain_text("Acknowledged by floor")
    finally:
        await house.table.bench.plug_in("shuffler")
    await expect(alarm).to_have_count(0)
    await page.get_by_role("link", name="Tables").click()
    await expect(tile(page)).to_contain_text("ready")
    notes = [event["data"]["note"] for event in await house.table.events("audit.bookmark")]
    assert notes == ["mei (surveillance) acknowledges fault 102 of shuffler from the floor page"]
    acknowledged = await house.table.events("fault.acknowledged")
    assert [(event["data"]["code"], event["data"]["by"]) for event in acknowledged] == [(102, "floor")]


async def test_a_table_that_does_not_answer_says_where_to_go(house: House, screens: Screens) -> None:
    page = await shown(house, screens, "alarms")
    await house.publish("status", {"state": "ready", "session": "1", "since": AT})
    await house.publish("event/fault", {**FAULT, "text": {"en": IMAGE}}, kind="fault.raised.v1")
    alarm = page.locator(".alarm", has_text=FAR)
    await expect(alarm).to_contain_text(IMAGE)
    await alarm.get_by_role("button", name="Acknowledge").click()
    await expect(alarm.get_by_role("alert")).to_contain_text("Acknowledge at the table.")
    assert await page.evaluate("typeof pwned") == "undefined"
    await house.publish("event/fault", FAULT, kind="fault.cleared.v1")
    await expect(alarm).to_have_count(0)


async def test_tables_are_filtered_and_lost_ones_come_first(house: House, screens: Screens) -> None:
    await house.publish("status", {"state": "lost", "session": "1", "since": AT})
    await house.publish("meta/info", {"game": "chinese_dice", "version": IMAGE})
    page = await shown(house, screens)
    await expect(tile(page, FAR)).to_contain_text("no connection")
    await page.get_by_label("Game").select_option("chinese_dice")
    await expect(page.locator(".tile")).to_have_count(1)
    await page.get_by_label("Game").select_option("")
    await page.get_by_label("Search").fill("Q-DEMO")
    await expect(page.locator(".tile .tile-name")).to_have_text([PLACE])
    await page.get_by_label("Show only").select_option("incomplete")
    await expect(page.locator(".floor-view")).to_contain_text("No table fits.")
    await page.get_by_label("Search").fill("")
    await page.get_by_label("Show only").select_option("wrong")
    await expect(page.locator(".tile .tile-name").first).to_have_text(FAR)


async def test_devices_software_and_money_are_listed(house: House, screens: Screens) -> None:
    await house.publish("meta/info", {"game": "chinese_dice", "version": IMAGE})
    page = await shown(house, screens, "devices")
    await page.get_by_label("Search").fill("shuff")
    await expect(page.locator(".rows tbody tr")).to_have_count(0)
    await page.get_by_label("Search").fill("sim-")
    await expect(page.locator(".rows tbody tr").first).to_contain_text(PLACE)
    await page.locator(".rows tbody tr .number button").first.click()
    await expect(page.locator("section .rows tbody tr")).to_contain_text(PLACE)
    await page.get_by_label("Search").fill("AE-81")
    await expect(page.locator(".floor-view")).to_contain_text("has seen no device with this serial number")
    await page.get_by_role("link", name="Software").click()
    await expect(page.locator(".rows tbody tr", has_text=FAR)).to_contain_text(IMAGE)
    await page.get_by_role("link", name="Money").click()
    await expect(page.locator("tfoot")).to_contain_text("All")
    await expect(page.locator("tfoot")).not_to_contain_text(".00")
    await page.get_by_label("For each").select_option("game")
    await expect(page.locator(".rows tbody tr")).to_contain_text("Q Poker")
    await page.get_by_label("Period").select_option("own")
    await page.get_by_label("From (UTC)").fill("2026-11-21T00:00")
    await page.get_by_label("To (UTC)").fill("2026-11-20T00:00")
    await expect(page.get_by_role("alert")).to_contain_text("This period can't be shown: ")


@pytest.mark.parametrize("size", by_turn(SIZES))
@pytest.mark.parametrize("lang", by_turn(["en", "pt", "zh-Hant"]))
async def test_floor_bars_nobody_and_overflows_nowhere(house: House, screens: Screens, lang: str, size: str) -> None:
    page = await shown(house, screens, "tables", lang, size)
    for where in VIEWS:
        await page.evaluate(f"location.hash = '{where}'")
        await expect(page.locator(".tile, .alarm-list, .rows, .work").first).to_be_attached()
        assert not [text for text in ("page.", "cli.", "undefined") if text in await page.inner_text("body")]
        assert await barriers(page) == []
        assert not await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")


async def test_a_dealer_is_not_let_in_and_a_session_ends(house: House, screens: Screens) -> None:
    status, answer = await asyncio.to_thread(house.page.ask, "/v1/sign-on", "", {"person": "ana", "pin": "1111"})
    assert (status, answer["error"]["code"]) == (401, "wrong_pin")
    listed = ("tiles", "money", "devices", "devices/history", "builds", f"tables/{PLACE}/rounds")
    for path in (f"/v1/{each}" for each in listed):
        assert (await asyncio.to_thread(house.page.ask, path, ""))[0] == 401
    status, text = await asyncio.to_thread(house.page.ask, "/metrics", "")
    assert status == 200
    assert 'tablectl_floor_ready{site="demo",table="q-demo"} 1' in text
    page = await shown(house, screens)
    await page.get_by_role("button", name="Sign off").click()
    await expect(page.locator(".door")).to_contain_text("Floor")
    await expect(page.locator(".door")).not_to_contain_text("ana")
