"""The recorder put together: broker, store, clock, supervisor."""

import asyncio
import os
import secrets
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware

import tablectl
from tablectl import network
from tablectl.config.errors import Complaint, render, worded
from tablectl.config.files import endings
from tablectl.config.mounts import mount_remark
from tablectl.config.values import split_address
from tablectl.console.http.middleware import Guard
from tablectl.console.http.server import listen_at, serve
from tablectl.console.openmetrics import Family, metrics_route
from tablectl.core.money import utc_text
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.host.systemd import notify
from tablectl.daemon.lifecycle import CERTIFICATES_EVERY_S, THRESHOLDS_DAYS
from tablectl.daemon.room_settings import StartError
from tablectl.features.common.settings_file import load_form
from tablectl.features.recorder.brokers import broker_complaints, routes_of
from tablectl.features.recorder.ingest import Book, Tally
from tablectl.features.recorder.keys import are_enough
from tablectl.features.recorder.recorder import BEAT_S, Recorder, Surroundings
from tablectl.features.recorder.settings import RecordConfig, pins_of
from tablectl.features.recorder.shards import Shard
from tablectl.features.recorder.sharing import SHARD_BEAT_S, Sharing
from tablectl.features.recorder.status import Report, families, report
from tablectl.features.recorder.stores.store import Reading, Store, StoreUnusableError
from tablectl.journal.reading.trusted_keys import read_policy_file
from tablectl.mqtt.client import BrokerRefusedError
from tablectl.proof.cosignature import Policy

AT_ONCE = 20
MOST_LOOKED_AT = 1_000
"""Checkpoints of a log that are looked through for cosignatures, the newest first."""


def load_record_config(path: Path, overrides: Mapping[str, str]) -> RecordConfig:
    """The configuration in a file, and what is set over it.

    Raises:
        OSError: the file can't be read.
        ConfigError: with every problem at once.
    """
    return load_form(RecordConfig, path, overrides, _complaints)


def _complaints(config: RecordConfig) -> Iterator[Complaint]:
    yield from broker_complaints(config.broker, config.pit_brokers)
    if config.broker.shards and config.store.url.startswith("sqlite:"):
        yield Complaint(("store", "url"), worded("shards_store"))


def record(config: RecordConfig, tell: Callable[[str], None]) -> None:
    """Records until SIGINT or SIGTERM.

    Raises:
        BrokerRefusedError: the broker doesn't let us in.
        StoreUnusableError: the database can't be used as it is.
        StartError: the port for metrics can't be had.
        UnreadableError: the policy can't be used.
        OSError: the password's file can't be read, or certificate and key can't be used.
    """
    for remark in _disk_remarks(config):
        tell(remark)
    recorder = _sharing_of(config, tell) if config.broker.shards else recorder_of(config, tell)
    network.run_bare(_record(recorder, config, tell), BrokerRefusedError, StoreUnusableError, StartError)


def recorded(config: RecordConfig) -> Report:
    """Report what a recorder with this configuration has written.

    Raises:
        StoreAwayError: the database doesn't answer.
        StoreUnusableError: it can't be used, or there is nothing yet.
        UnreadableError: the policy can't be used.
    """
    given = network.run(_recorded(config, SystemClock(), policy_of(config)))
    return replace(given, remarks=[*_disk_remarks(config), *_certificate_remarks(config).values()])


def policy_of(config: RecordConfig) -> Policy | None:
    """Return which witnesses have to cosign; None where nobody has to.

    Raises:
        UnreadableError: the file can't be read, or isn't a policy.
    """
    return read_policy_file(Path(config.tables.policy)) if config.tables.policy else None


def store_of(url: str, shard: Shard | None = None) -> Store:
    """The store at an address.

    Args:
        shard: of whose tables it is, in PostgreSQL; None for all.

    Raises:
        StoreUnusableError: what it needs isn't installed.
    """
    if url.startswith("sqlite:"):
        from tablectl.features.recorder.stores.sqlite import SqliteStore  # one of the two is loaded

        return SqliteStore(Path(url.removeprefix("sqlite:")))
    check_psycopg()
    from tablectl.features.recorder.stores.postgres import PostgresStore  # an optional extra

    return PostgresStore(url, shard=shard)


def reading_of(url: str, shards: int = 0) -> Reading:
    """Return a reader of the store at an address, beside a recorder that writes it.

    Args:
        shards: how many of them recorders share; 0 where one writes all.

    Raises:
        StoreUnusableError: what it needs isn't installed.
    """
    if url.startswith("sqlite:"):
        from tablectl.features.recorder.stores.sqlite import SqliteReading  # one of the two is loaded

        return SqliteReading(Path(url.removeprefix("sqlite:")))
    check_psycopg()
    from tablectl.features.recorder.stores.postgres import PostgresReading  # an optional extra

    return PostgresReading(url, shards)


def check_psycopg() -> None:
    """Says what to install, where the extra isn't.

    Raises:
        StoreUnusableError: it isn't.
    """
    if find_spec("psycopg") is None:
        raise StoreUnusableError(
            "for PostgreSQL, psycopg is needed: in the clone, .venv/bin/pip install -e '.[record]';"
            " the Debian package has it"
        )


def recorder_of(
    config: RecordConfig, tell: Callable[[str], None], shard: Shard | None = None, tally: Tally | None = None
) -> Recorder:
    """The recorder of this configuration, not at work yet.

    Args:
        shard: whose tables it keeps, among several recorders; None for all.
        tally: where it counts; None for one of its own.

    Raises:
        StoreUnusableError: what the store needs isn't installed.
        UnreadableError: the policy can't be used.
        OSError: the password's file can't be read, or certificate and key can't be used.
    """
    clock, session = SystemClock(), secrets.token_hex(4)
    around = Surroundings(
        routes=routes_of(config.broker, config.pit_brokers, config.tables.listen, f"tablectl-record-{session}"),
        now=lambda: utc_text(clock.now().utc_us),
        tell=tell if shard is None else lambda line: tell(f"shard {shard.number}: {line}"),
        ready=lambda: notify("READY=1"),
        beat_s=BEAT_S if shard is None else SHARD_BEAT_S,
    )
    book = Book(config.broker.user, session, pins_of(config), policy_of(config), shard, tally or Tally())
    return Recorder(book, store_of(config.store.url, shard), around)


def _sharing_of(config: RecordConfig, tell: Callable[[str], None]) -> Sharing:
    """The keeper of a part of the shards, not at work yet.

    Raises:
        StoreUnusableError: what the store needs isn't installed.
    """
    check_psycopg()
    from tablectl.features.recorder.stores.postgres_shards import PostgresShards  # an optional extra

    count, tally = config.broker.shards, Tally()
    shards = PostgresShards(config.store.url, count)
    return Sharing(
        count, shards, lambda shard: recorder_of(config, tell, shard, tally), tell, lambda: notify("READY=1"), tally
    )


async def _record(recorder: Recorder | Sharing, config: RecordConfig, tell: Callable[[str], None]) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    metrics = config.metrics.listen
    address = split_address(metrics) if metrics else None
    async with asyncio.TaskGroup() as group:
        beside = [group.create_task(watch_certificates(config, tell))]
        if address:
            beside.append(group.create_task(_serve_metrics(recorder, *address, tell)))
        await recorder.run(stop)
        for each in beside:
            each.cancel()


async def _serve_metrics(recorder: Recorder | Sharing, host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serves the recorder's figures until cancelled.

    Raises:
        StartError: the port can't be had.
    """

    def figures() -> Iterator[Family]:
        if isinstance(recorder, Sharing):
            return families(recorder.recorders.values(), recorder.tally, tablectl.__version__)
        return families([recorder], recorder.book.tally, tablectl.__version__)

    route = metrics_route(figures)
    app = Starlette(routes=[route], middleware=[Middleware(Guard, hosts=(host,))])
    try:
        listener = await listen_at(host, port)
    except OSError as error:
        message = f"the metrics can't listen on {host}:{port}: {error.strerror or error}"
        raise StartError(message, os.EX_UNAVAILABLE) from None
    await serve(app, listener, listening=lambda port: tell(f"metrics on {host}:{port}"))


async def _recorded(config: RecordConfig, clock: SystemClock, policy: Policy | None) -> Report:
    reading = reading_of(config.store.url, config.broker.shards)
    cosigned: dict[str, int] = {}
    try:
        held, heartbeat = await reading.held(), await reading.heartbeat()
        if policy is not None:
            cosigned = {each.state.source: await _cosigned(reading, each.state.source, policy) for each in held}
    finally:
        await reading.close()
    return report(held, heartbeat, utc_text(clock.now().utc_us), config.tables.listen, cosigned)


async def _cosigned(reading: Reading, source: str, policy: Policy) -> int:
    """How many events of a log lie under a checkpoint that enough have cosigned.

    It is the newest such checkpoint that counts; 0 where there is none among those looked at.
    """
    for skipped in range(0, MOST_LOOKED_AT, AT_ONCE):
        notes = await reading.notes(source, skipped, AT_ONCE)
        for size, note in notes:
            if are_enough(policy, note):
                return size
        if len(notes) < AT_ONCE:
            break
    return 0


def _disk_remarks(config: RecordConfig) -> list[str]:
    """Remarks on the disk on which a file of SQLite lies."""
    if not config.store.url.startswith("sqlite:"):
        return []
    remark = mount_remark(Path(config.store.url.removeprefix("sqlite:")).parent, "store.url")
    return [render(remark)] if remark else []


def _certificate_remarks(config: RecordConfig) -> dict[tuple[str, str, int], str]:
    """Remarks on certificates that expire.

    Returns:
        by its key in the configuration, its fingerprint, and the days that were reached.
    """
    now = datetime.fromtimestamp(SystemClock().now().utc_us / 1_000_000, UTC)
    remarks: dict[tuple[str, str, int], str] = {}
    for each in endings("broker", config.broker):
        left, date = each.until - now, each.until.date()
        ends = worded("remark.cert_ends", date=date, days=left.days)
        text = render(ends if left > timedelta(0) else worded("remark.cert_expired", date=date))
        if passed := sum(left <= timedelta(days) for days in (*THRESHOLDS_DAYS, 0)):
            remarks[each.file, each.fingerprint, passed] = f"certificate {each.file}: {text}"
    return remarks


async def watch_certificates(
    config: RecordConfig, tell: Callable[[str], None], every_s: float = CERTIFICATES_EVERY_S
) -> None:
    """Warn of each certificate that expires.

    It does so 30, 7 and 1 days before, and once the certificate has expired.
    """
    said: set[tuple[str, str, int]] = set()
    while True:
        remarks = await asyncio.to_thread(_certificate_remarks, config)
        for passed in remarks.keys() - said:
            tell(remarks[passed])
        said |= remarks.keys()
        await asyncio.sleep(every_s)
