"""A game that no page knows is played at the dealer's page, and shown to the players."""

import asyncio
import re
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.pages.support import PINS, Screens
from tests.support.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
PLAY = ("-m", "tests.extension.run_with_higher_card", "demo", "--game", "higher-card", "--play", "--speed", "0")


@asynccontextmanager
async def demonstration() -> AsyncGenerator[str]:
    """A table of high card that waits for a person; the address of its pages."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *PLAY, cwd=ROOT, stdout=asyncio.subprocess.PIPE, start_new_session=True
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield await _address(process)
    finally:
        process.send_signal(signal.SIGINT)
        await process.communicate()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    async for line in process.stdout:
        if found := re.search(r"(http://\S+)/dealer", line.decode()):
            return found[1]
    raise AssertionError("the demonstration ended before it named its pages")


@pytest.mark.usefixtures("mosquitto")
async def test_a_game_without_a_felt_is_played_at_the_page(screens: Screens) -> None:
    async with demonstration() as url:
        page, players = await screens.open(), await screens.open()
        await page.goto(f"{url}/dealer?lang=en")
        await page.locator(".pin .name:has-text('ana')").tap()
        for digit in PINS["ana"]:
            await page.locator(f".pin .digits [data-key='{digit}']").tap()
        await page.locator(".pin [type=submit]").tap()
        await players.goto(f"{url}/display?lang=en")
        await page.locator("[data-spot='1/high']").tap()
        await expect(page.locator("[data-spot='1/high'] .stake")).to_be_visible()
        await page.locator(".next [data-verb=close_betting]").tap()
        for cards in (1, 2):
            await page.locator(".next [data-practice=deal]").tap()
            await expect(page.locator(".felt [data-card]")).to_have_count(cards)
        await expect(page.locator(".result .payment")).to_have_count(1)
        await expect(players.locator("[data-card]")).to_have_count(2)
