"""The console of one table: what its pages and its API see, and where it listens."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette

from tablectl import words
from tablectl.app.archive import JournalArchive
from tablectl.app.parts import StartError, called_as, people_of, tls_of
from tablectl.console.api import Limits, Options, make_app
from tablectl.console.feed import Feed
from tablectl.console.history import routes as history_routes
from tablectl.console.server import serve
from tablectl.core.ports import Clock
from tablectl.shell.config import Config, console_address
from tablectl.shell.showcase import Showcase
from tablectl.shell.table import LiveTable
from tablectl.shell.topics import StateTopics
from tablectl.shell.window import TableWindow


@dataclass(frozen=True, slots=True)
class Seen:
    """What the console shows of a table.

    Args:
        feed: its events, for screens that watch the whole table.
    """

    table: LiveTable[Any]
    window: TableWindow[Any]
    topics: StateTopics[Any]
    showcase: Showcase[Any]
    feed: Feed


def console_of(config: Config, seen: Seen, clock: Clock) -> Starlette:
    """The console's application. Reads files, so not inside the loop."""
    topics, showcase = seen.topics, seen.showcase
    options = Options(
        limits=Limits(idle_s=config.console.sign_on_timeout_s),
        hosts=called_as(config),
        listed=config.console.list_people,
        status=lambda: _word(topics.status()),
        health=lambda: topics.now()["health"],
        display=showcase.form,
        result=showcase.result,
        feed=seen.feed,
        more=lambda desk: history_routes(desk, JournalArchive(config)),
    )
    return make_app(seen.table, seen.window, clock, people_of(config), words.say, options)


async def listen(config: Config, app: Starlette, listening: Callable[[int], None]) -> None:
    """Serves the console until cancelled.

    Args:
        listening: called with the port, once it is had.

    Raises:
        StartError: the port can't be had.
    """
    host, port = console_address(config)
    try:
        await serve(app, host, port, tls=tls_of(config), listening=listening)
    except OSError as error:
        message = f"the console can't listen on {host}:{port}: {error.strerror or error}"
        raise StartError(message, os.EX_UNAVAILABLE) from None


def limits_of(window: TableWindow[Any]) -> Mapping[str, Any]:
    """What the house takes as one bet, by bet."""
    names = ("minimum", "maximum", "step")
    bets = window.layout().get("bets", ())
    return {bet["name"]: {name: bet[name] for name in names} for bet in bets}


def _word(status: str) -> str:
    return "ok" if status == "ready" else status
