"""The monitor from its first sign-on to its last word."""

import asyncio
import re
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from html import unescape
from typing import Any, Final, cast

from tablectl.daemon.host.outlet import unhurried
from tablectl.features.common.api_client import RequestFailedError
from tablectl.features.monitor.link import TableLink
from tablectl.features.monitor.screen import MonitorApp
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
        app = MonitorApp(link, rendering, language, now)
        with _ended_by_signals(app), _drawn_beside(app):
            await app.run_async()
    finally:
        await link.close()


@contextmanager
def _ended_by_signals(app: MonitorApp) -> Generator[None]:
    """Have signals leave the monitor as its key does.

    The terminal is then as it was before.
    """
    loop, numbers = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in numbers:
        loop.add_signal_handler(number, app.exit)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


@contextmanager
def _drawn_beside(app: MonitorApp) -> Generator[None]:
    """Have a thread draw the screen.

    So a terminal that takes nothing holds up neither the monitor nor its end. Where some of it was left out, the whole
    screen is drawn again.
    """
    loop = asyncio.get_running_loop()

    def drawn_again(_lines: int) -> str:
        with suppress(RuntimeError):  # the monitor has ended
            loop.call_soon_threadsafe(app.refresh)
        return ""

    there = cast("Any", sys)  # textual draws on this and on nothing else
    before = there.__stderr__
    with unhurried(drawn_again):
        there.__stderr__ = sys.stderr
        try:
            yield
        finally:
            there.__stderr__ = before


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
