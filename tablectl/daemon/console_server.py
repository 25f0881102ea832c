"""The console of one table: what its pages and its API see, and where it listens."""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from starlette.applications import Starlette

from tablectl import words
from tablectl.config.checks import runtime_dir, state_dir
from tablectl.config.models import Config
from tablectl.console.auth.people import FLOOR, WATCHERS
from tablectl.console.history_routes import routes as history_routes
from tablectl.console.http.middleware import Limits
from tablectl.console.http.server import Listener
from tablectl.console.practice_routes import routes as practice_routes
from tablectl.console.requests.table import VERBS
from tablectl.console.routes import Options, make_app
from tablectl.console.websocket import Feed
from tablectl.console.workshop_routes import routes as workshop_routes
from tablectl.core.protocols import Clock, DeviceCounters
from tablectl.daemon.archive import JournalArchive
from tablectl.daemon.host.log import logger
from tablectl.daemon.room_settings import called_as, listener_at, people_of
from tablectl.daemon.table import LiveTable
from tablectl.daemon.views.actions import DeviceLine
from tablectl.daemon.views.console import TableWindow
from tablectl.daemon.views.display import Showcase
from tablectl.daemon.views.metrics import TableMetrics
from tablectl.daemon.views.state_topics import StateTopics
from tablectl.daemon.workshop import TableWorkshop
from tablectl.journal.files import write_whole
from tablectl.lazy_dataclass import dataclass

SIGN_ONS: Final = "sign-ons.json"
"""The file in the state folder with the wrong PINs in a row, by name and origin."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The parts of a table that the console shows.

    Args:
        feed: its events, for screens that watch the whole table.
        metrics: its figures for Prometheus.
        fairness: the evidence of its streams, with their courses.
        counters: those of each device's driver.
    """

    table: LiveTable[Any]
    window: TableWindow[Any]
    topics: StateTopics[Any]
    showcase: Showcase[Any]
    feed: Feed
    metrics: TableMetrics
    fairness: Callable[[], Mapping[str, Any]]
    counters: Callable[[], Mapping[str, DeviceCounters]]


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
        watchers=WATCHERS | FLOOR if _is_practice(config) else WATCHERS,
        recorded=seen.table.records,
        metrics=seen.metrics.families if config.console.metrics else None,
        more=lambda desk: (
            *history_routes(desk, JournalArchive(config), seen.fairness),
            *workshop_routes(desk, TableWorkshop(config, seen.counters, clock), config.table.name),
            *(practice_routes(desk, runtime_dir(config)) if _is_practice(config) else ()),
        ),
        failures=_failures(state_dir(config) / SIGN_ONS),
        keep_failures=lambda kept: _keep(state_dir(config) / SIGN_ONS, kept),
    )
    return make_app(seen.table, seen.window, clock, people_of(config), words.say, options)


async def listener_of(config: Config, stop: asyncio.Event) -> Listener | None:
    """Listen where the configuration says.

    Returns:
        None where a stop comes first, for a name's look-up may hang.

    Raises:
        StartError: in an exception group; the port can't be had.
    """
    async with asyncio.TaskGroup() as group:
        listening, stopped = group.create_task(listener_at(config, "the console")), group.create_task(stop.wait())
        await asyncio.wait((listening, stopped), return_when=asyncio.FIRST_COMPLETED)
        listening.cancel()
        stopped.cancel()
    return None if listening.cancelled() else listening.result()


def say_renewed(why: str) -> None:
    """Say in the log that the certificate's files were read again."""
    if why:
        logger("console").warning("the renewed certificate can't be used", why=why)
    else:
        logger("console").info("certificate read again")


def limits_of(window: TableWindow[Any]) -> Mapping[str, Any]:
    """The casino's limits of one bet, by bet."""
    names = ("minimum", "maximum", "step")
    bets = window.layout().get("bets", ())
    return {bet["name"]: {name: bet[name] for name in names} for bet in bets}


def _is_practice(config: Config) -> bool:
    """Return True if people may practise at the table: every device is simulated."""
    return bool(config.devices) and all(device.simulated for device in config.devices.values())


def _failures(path: Path) -> Mapping[str, Any]:
    """Wrong PINs that an earlier run kept.

    None where they can't be read: a table starts without them.
    """
    try:
        form = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", form) if isinstance(form, dict) else {}


def _keep(path: Path, kept: Mapping[str, Any]) -> None:
    try:
        write_whole(path, json.dumps(kept).encode(), 0o600)
    except OSError as error:
        logger("console").warning("the wrong PINs can't be kept", path=str(path), why=error.strerror)


def _word(status: str) -> str:
    return "ok" if status == "ready" else status


S = TypeVar("S")


def verbs_for(role: str) -> Mapping[type, str]:
    """The verb of every request that a role may make.

    Of all requests, where no role is named.
    """
    return {verb.asks: name for name, verb in VERBS.items() if not role or role in verb.roles}


def window_of(config: Config, table: LiveTable[S], clock: Clock) -> TableWindow[S]:
    """The table as persons and pages see it."""
    devices = tuple(DeviceLine(name, device.kind, device.simulated) for name, device in config.devices.items())
    return TableWindow(table, config.table.site, config.table.name, clock, verbs_for, devices)
