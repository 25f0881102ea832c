"""`tablectl tail`: a feed on the terminal until somebody ends it."""

import asyncio
import signal
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, contextmanager
from functools import partial
from typing import Final

from tablectl.daemon.host.outlet import outlets
from tablectl.features.tail.follower import Follower, filters_for
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.message import Message
from tablectl.network import in_thread
from tablectl.words import Language

COMPLETE: Final = 0
INCOMPLETE: Final = 1

Subscribe = Callable[[tuple[str, ...], Callable[[Exception | None], None]], AsyncGenerator[Message]]
"""Messages on topic filters, for ever; tells when the broker is away, and with None that it is there."""


@dataclass(frozen=True, slots=True)
class TailOptions:
    """Options of `tablectl tail`: the feed to follow, and its form.

    Args:
        broker: its address, `mqtt://[user@]host[:port]` or `mqtts://…`.
        password: to the user's name.
        ca: file of the authority that signed the broker's certificate.
        cert: file of our own certificate, where the broker asks for one.
        key: file of the key to it.
        site: one site, or `+` for all.
        table: one table, or `+` for all.
        raw: whether payloads come out as they are, one in a line.
        count: ends after so many events; None goes on.
    """

    broker: str
    password: str | None = None
    ca: str | None = None
    cert: str | None = None
    key: str | None = None
    site: str = "+"
    table: str = "+"
    raw: bool = False
    language: Language = "en"
    colour: bool = False
    count: int | None = None


async def follow(
    options: TailOptions, subscribe: Subscribe, out: Callable[[str], None], note: Callable[[str], None]
) -> int:
    """Shows what comes until SIGINT, SIGTERM or `options.count` events.

    Args:
        out: prints a line of the feed.
        note: prints a line about the feed: the broker's absence, and at the end what is missing.

    Returns:
        The exit status: 0 where nothing is missing between the first and the last event seen, else 1.
    """
    follower = Follower(options.language, colour=options.colour)
    limit = asyncio.timeout(None)
    with _ended_by_signals(limit):
        try:
            async with limit:
                await _show(options, follower, subscribe, out, note)
                for outlet in outlets():  # whoever reads slowly, as in a pager, gets it whole
                    await in_thread("last lines", outlet.wait_until_taken)
        except TimeoutError:
            if not limit.expired():
                raise
            for outlet in outlets():
                outlet.write(b"")  # fails where nobody reads on
        note(follower.completeness())
    return COMPLETE if follower.flawless else INCOMPLETE


async def _show(
    options: TailOptions,
    follower: Follower,
    subscribe: Subscribe,
    out: Callable[[str], None],
    note: Callable[[str], None],
) -> None:
    said = _Connectedness(follower, note)
    async with aclosing(subscribe(filters_for(options.site, options.table), said.tell)) as messages:
        async for message in messages:
            lines = follower.tell(message)
            for line in [message.payload.decode(errors="replace")] if options.raw else lines:
                out(line)
            if options.count is not None and follower.events >= options.count:
                return


class _Connectedness:
    """Says once that the broker is away, and once that it is there again."""

    def __init__(self, follower: Follower, note: Callable[[str], None]) -> None:
        self._follower = follower
        self._note = note
        self._last = ""

    def tell(self, error: Exception | None) -> None:
        """The broker is away, or with None there."""
        said = self._follower.connection(error)
        if said != self._last:
            self._last = said
            self._note(said)


@contextmanager
def _ended_by_signals(limit: asyncio.Timeout) -> Generator[None]:
    """End the block on a signal or a closed pipe, as a timeout does.

    So the final line can still be written.
    """
    loop = asyncio.get_running_loop()

    def end() -> None:
        if limit.when() is None:  # an impatient second Ctrl-C changes nothing
            limit.reschedule(loop.time())

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)
    before = [(outlet, outlet.failed) for outlet in outlets()]
    for outlet, _ in before:
        outlet.failed = partial(loop.call_soon_threadsafe, end)
    try:
        yield
    finally:
        for outlet, failed in before:
            outlet.failed = failed
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
