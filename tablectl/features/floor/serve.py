"""The floor page at work: broker, recorder's database, and server."""

import asyncio
import secrets
import signal
from collections.abc import Callable

from tablectl import network
from tablectl.config import console_address
from tablectl.console.auth.people import Role
from tablectl.console.history_routes import BusyError
from tablectl.console.http.middleware import Limits
from tablectl.console.http.server import serve as serve_at
from tablectl.console.pages import read_pages
from tablectl.console.public_routes import all_words
from tablectl.console.routes import Options, desk_of
from tablectl.core.facts import Bookmarked, Fact, Recalled
from tablectl.core.facts.table_requests import PersonSignedOn, SignOnFailed
from tablectl.core.money import utc_instant, utc_text
from tablectl.core.protocols import JUDGED, Reply, Standing
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.host.systemd import notify
from tablectl.daemon.room_settings import StartError, called_as, listener_at, people_of
from tablectl.features.floor.archive import Looker
from tablectl.features.floor.link import Link
from tablectl.features.floor.page import FRONT, FloorPage, floor_app
from tablectl.features.floor.settings import FloorConfig
from tablectl.features.floor.tiles import HOUR_US, Floor
from tablectl.features.recorder.brokers import routes_of
from tablectl.features.recorder.run import reading_of
from tablectl.features.recorder.shards import prefix_of_all
from tablectl.features.recorder.status import Report, report
from tablectl.features.recorder.stores.store import StoreAwayError, StoreUnusableError
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.client import BrokerRefusedError

TELL_S = 0.2
"""Changes of this time are sent to the screens together."""

RECORD_S = 10.0
"""How often it is asked how complete the record is."""

ENDED = ("round.settled.v1", "round.void.v1")
ENDED_MOST = 500_000


@dataclass(frozen=True, slots=True)
class Diary:
    """Takes what people do at the floor page into the log of this program."""

    write: Callable[[str], None]

    def tell(self, fact: Fact, stored: Callable[[], None] | None = None) -> None:
        """Write a line for the fact."""
        match fact.body:
            case PersonSignedOn(person, role, means):
                self.write(f"{person} ({role}) signed on by {means}")
            case SignOnFailed(person, tries, locked):
                self.write(f"wrong PIN for {person or 'a name that nobody has'}, {tries} in a row{', locked' * locked}")
            case Recalled(rounds):
                self.write(f"{fact.by} looked at {', '.join(rounds) or 'events outside of rounds'}")
            case Bookmarked(note=note):
                self.write(f"{fact.by}: {note}")
            case body:
                self.write(f"{fact.by}: {body}")
        if stored is not None:
            stored()

    async def ask(self, fact: Fact, standing: Standing = JUDGED) -> Reply:  # noqa: ARG002  # the protocol's
        """Write a line for the fact."""
        self.tell(fact)
        return Reply(0)


def serve(config: FloorConfig, tell: Callable[[str], None]) -> None:
    """Serve the floor page until SIGINT or SIGTERM.

    Raises:
        BrokerRefusedError: the broker doesn't let us in.
        StartError: the page's port can't be had.
        OSError: the password's file can't be read, or certificate and key can't be used.
    """
    network.run_bare(_serve(config, tell), BrokerRefusedError, StartError)


async def _serve(config: FloorConfig, tell: Callable[[str], None]) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    listener = await listener_at(config, "the floor page")
    page = await asyncio.to_thread(_page_of, config, tell)
    pages = await asyncio.to_thread(read_pages, lasting=all_words(), front=FRONT)
    app = floor_app(page, pages, called_as(config), metrics=config.console.metrics)
    host, _ = console_address(config)

    def listening(port: int) -> None:
        tell(f"the floor page is at {'https' if listener.tls else 'http'}://{host}:{port}/")
        notify("READY=1")

    async with asyncio.TaskGroup() as group:
        works = (page.link.run(), _tell(page.floor), _read(page, config), serve_at(app, listener, listening=listening))
        tasks = [group.create_task(each) for each in works]
        await stop.wait()
        for each in tasks:
            each.cancel()


def _page_of(config: FloorConfig, tell: Callable[[str], None]) -> FloorPage:
    clock = SystemClock()
    pits = {place: pit for pit, places in config.pits.items() for place in places}
    floor = Floor(pits, config.tables.pace)
    link = Link(
        floor,
        config.broker.user,
        routes_of(config.broker, config.pit_brokers, config.tables.listen, f"tablectl-floor-{secrets.token_hex(4)}"),
        tell,
        config.broker.timeout_s,
        prefix_of_all(config.broker.shards),
    )
    options = Options(limits=Limits(idle_s=config.console.sign_on_timeout_s), listed=config.console.list_people)
    people = [each for each in people_of(config) if each.role is not Role.DEALER]
    desk = desk_of(Diary(tell), clock, people, options)
    return FloorPage(floor, link, Looker(config.store.url), desk, tell)


async def _tell(floor: Floor) -> None:
    while True:
        floor.tell()
        await asyncio.sleep(TELL_S)


async def _read(page: FloorPage, config: FloorConfig) -> None:
    """Keep up with what only the recorder's database says.

    It has how complete each record is, and the last hour's rounds, of which the broker may have dropped some.
    """
    floor, clock, read_at_us = page.floor, SystemClock(), 0
    while True:
        now_us = clock.now().utc_us
        floor.pass_time(now_us)
        before = page.why_unread
        try:
            if now_us > read_at_us + HOUR_US // 6:
                await _read_hour(page, utc_text(now_us - HOUR_US))
                read_at_us = now_us
            given = await _reported(config, utc_text(now_us))
            page.why_unread = given.recorder
            floor.record(given.tables)
        except (BusyError, StoreAwayError, StoreUnusableError) as error:
            page.why_unread = str(error)
        if page.why_unread != before:
            page.tell(page.why_unread or "the recorder is at work")
            floor.changed()
        await asyncio.sleep(RECORD_S)


async def _read_hour(page: FloorPage, since: str) -> None:
    for place, time in await page.looker.look(lambda kept: list(kept.times(since, ENDED, ENDED_MOST))):
        page.floor.ended(place, utc_instant(time))


async def _reported(config: FloorConfig, now: str) -> Report:
    reading = reading_of(config.store.url, config.broker.shards)
    try:
        return report(await reading.held(), await reading.heartbeat(), now, config.tables.listen)
    finally:
        await reading.close()
