"""Takes the pictures of the pages for README and docs, in Chromium.

Every page, game and language in mid-round, and every stage of a round in English.

`make screenshots` runs it; by hand: `python -m scripts.screenshots [FOLDER]`.
"""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.async_api import Page, async_playwright

from tests.pages.conftest import QUIET
from tests.pages.support import GAMES, Screens, Table, at_table
from tests.pages.support_play import in_mid_round
from tests.pages.support_stages import stages
from tests.support.daemon import fork_server

FOLDER: Final = Path(__file__).parent.parent / "docs" / "screenshots"
QUALITY: Final = 80
"""Of a JPEG, in percent: a third of the bytes that the same picture takes without loss."""

LANGUAGES: Final = ("en", "pt", "zh-Hant")


@dataclass(frozen=True, slots=True)
class Shot:
    """A page to be taken.

    Args:
        person: who is signed on to it; None where nobody has to be.
        ready: what has to be on it before it is taken.
    """

    page: str
    person: str | None
    ready: str
    width: int
    height: int


SHOTS: Final = (
    Shot("dealer", "ana", ".desk", 1280, 800),
    Shot("display", None, "main", 1920, 1080),
    Shot("surveillance", "mei", "main", 1440, 900),
)


async def take(folder: Path) -> None:
    """Takes all of them."""
    forks = fork_server()
    chromium = shutil.which("chromium") or sys.exit("chromium is not installed: `apt-get install chromium`")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=list(QUIET))
        for game in GAMES:
            with tempfile.TemporaryDirectory() as state:
                async with at_table(forks, Path(state) / "table", game) as table:
                    await in_mid_round(table)
                    await _of_table(Screens(browser), table, folder, LANGUAGES)
                async with at_table(forks, Path(state) / "stages", game) as table:
                    async for stage in stages(table):
                        await _of_table(Screens(browser), table, folder, LANGUAGES[:1], f"{stage}-")
        await browser.close()


async def _of_table(screens: Screens, table: Table, folder: Path, languages: Sequence[str], stage: str = "") -> None:
    for shot in SHOTS:
        view = {"width": shot.width, "height": shot.height}
        for language in languages:
            page = await screens.show(table, f"/{shot.page}?lang={language}", shot.person, viewport=view)
            await page.wait_for_selector(shot.ready)
            await _prepared(page, shot)
            name = f"{shot.page}-{table.game}-{stage}{language}.jpg"
            await page.screenshot(path=folder / name, type="jpeg", quality=QUALITY)
    await screens.close()


async def _prepared(page: Page, shot: Shot) -> None:
    """The page when all that it asks for has come, at a place of the layout."""
    await page.wait_for_load_state("networkidle")
    if shot.page == "dealer":
        await page.locator(".place-name").nth(1).tap()


def main() -> int:
    """The command line."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(take(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
