"""The monitor from its first sign-on to its last word."""

import asyncio
import re
import sys
from collections.abc import Callable
from html import unescape
from typing import Final

from tablectl.features.monitor.link import TableLink
from tablectl.features.monitor.screen import MonitorApp
from tablectl.features.requests.api_client import RequestFailedError
from tablectl.history.explain.model import Renderers
from tablectl.words import Language
from tablectl.words.terminal import cells

SETTLED_WITHIN_S: Final = 10.0
_WRITTEN: Final = re.compile(r'textLength="([0-9.]+)"([^>]*>)([^<]*)')


class NoTerminalError(Exception):
    """There is nothing to draw on, or nobody to press keys."""


async def run_monitor(link: TableLink, rendering: Renderers, language: Language, now: Callable[[], str]) -> None:
    """Signs on, shows the table until it is left, signs off.

    Args:
        now: the time of day, as it is shown.

    Raises:
        RequestFailedError: nobody answers, or the PIN is wrong.
        NoTerminalError: input or output is a file or a pipe.
    """
    try:
        await link.sign_on()
        if not all(each is not None and each.isatty() for each in (sys.__stdin__, sys.__stdout__, sys.__stderr__)):
            raise NoTerminalError
        await MonitorApp(link, rendering, language, now).run_async()
    finally:
        await link.close()


async def picture(
    link: TableLink, rendering: Renderers, language: Language, now: Callable[[], str], size: tuple[int, int] = (80, 24)
) -> str:
    """The screen of a table at work as an SVG, without a terminal.

    Args:
        size: columns and rows.

    Raises:
        RequestFailedError: nobody answers, or the PIN is wrong, or the table shows nothing in time.
    """
    app = MonitorApp(link, rendering, language, now)
    try:
        await link.sign_on()
        async with app.run_test(size=size) as pilot:
            async with asyncio.timeout(SETTLED_WITHIN_S):
                while not (app.view.state and app.view.health):
                    await pilot.pause()
            await pilot.pause()
            return _WRITTEN.sub(_widened, app.export_screenshot(title="tablectl monitor"))
    except TimeoutError:
        raise RequestFailedError(f"{link.url}: the table shows nothing") from None
    finally:
        await link.close()


def _widened(written: re.Match[str]) -> str:
    """Return a piece of text in the picture as wide as it is on a terminal.

    The picture's writer gives a Chinese character one column.
    """
    width, between, text = written.groups()
    letters = unescape(text)
    return f'textLength="{float(width) * cells(letters) / max(len(letters), 1):g}"{between}{text}'
