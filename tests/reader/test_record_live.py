"""The recorder against a real broker and real databases."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from tablectl.core.events.round import CutReached
from tablectl.features.recorder.run import recorder_of
from tablectl.mqtt.client import Connection
from tablectl.mqtt.settings import parse_broker_url
from tests.reader.messages import came
from tests.reader.record_postgres import Postgres
from tests.reader.record_rig import Rig
from tests.reader.record_table import Table
from tests.support.broker import Broker
from tests.support.long import by_turn

Kept = Callable[[], list[bytes]]


@pytest.fixture(name="store", params=by_turn(["postgres", "sqlite"]))
def _store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:{tmp_path / 'room' / 'room.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.database()


@pytest.fixture(name="rig")
def _rig(broker: Broker, table: Table, store: str) -> Rig:
    return Rig(broker.url, store, {"macau/q1": (table.fingerprint,)})


@pytest.fixture(name="kept")
def _kept(store: str, request: pytest.FixtureRequest) -> Kept:
    """The payloads in the store, in order."""

    def postgres_rows() -> list[bytes]:
        server: Postgres = request.getfixturevalue("postgres")
        rows = server.ask(store, "SELECT payload FROM tablectl.event ORDER BY log, sequence")
        return [bytes(row[0]) for row in rows]

    def sqlite_rows() -> list[bytes]:
        db = apsw.Connection(store.removeprefix("sqlite:"))
        rows = [row[0] for row in db.execute("SELECT payload FROM event ORDER BY log, sequence")]
        db.close()
        return rows

    return sqlite_rows if store.startswith("sqlite:") else postgres_rows


async def test_what_a_table_publishes_is_kept_to_byte_and_verified(rig: Rig, table: Table, kept: Kept) -> None:
    async with table.online(), rig.recorder():
        await table.live(300)
        log = await rig.becomes_complete(300)
        report = await rig.sees(lambda report: report.complete)
    assert kept() == table.payloads
    assert (report.complete, log.complete, log.first, log.trust) == (True, True, 1, "pinned")
    assert log.since == "2026-11-20T00:00:00.123456Z"


async def test_a_recorder_that_begins_late_asks_for_what_was_before(rig: Rig, table: Table, kept: Kept) -> None:
    async with table.online():
        table.happen(1_000)
        await table.sign()
        async with rig.recorder():
            log = await rig.becomes_complete(1_000)
    assert kept() == table.payloads
    assert log.gaps_filled == 1


async def test_lost_doubled_and_reordered_events_are_all_there_once(rig: Rig, table: Table, kept: Kept) -> None:
    async with table.online(), rig.recorder():
        numbers = table.happen(60)
        shuffled = [*numbers[10:20], *numbers[:5], *numbers[3:8], *numbers[40:50], *reversed(numbers[25:35])]
        await table.tell(shuffled)
        await table.sign()
        await rig.becomes_complete(60)
        report = await rig.report()
    assert kept() == table.payloads
    assert report.tables[0].disputes == 0
    assert all(low > 0 for low, _ in table.asked)


async def test_a_replay_that_is_cut_off_is_resumed(rig: Rig, table: Table, kept: Kept, fast: None) -> None:
    table.most = 40
    async with table.online(), rig.recorder():
        table.happen(100)
        await table.sign()
        await rig.becomes_complete(100)
    assert kept() == table.payloads
    assert [low for low, _ in table.asked] == [1, 41, 81]


async def test_an_altered_event_is_kept_beside_the_first_and_alarmed(rig: Rig, table: Table, kept: Kept) -> None:
    async with table.online(), rig.recorder():
        await table.live(5)
        await rig.becomes_complete(5)
        altered = table.payloads[2].replace(b"r0", b"r9")
        await table.say("event/card", altered)
        await rig.says("DISPUTE")
        report = await rig.report()
    assert rig.lines[-1] == "DISPUTE macau/q1: event 3 came with other bytes than those that are kept"
    assert kept() == table.payloads
    assert (report.complete, report.tables[0].disputes) == (False, 1)


async def test_altered_event_is_found_and_the_rest_verified(rig: Rig, table: Table) -> None:
    async with table.online(), rig.recorder():
        numbers = table.happen(20)
        await table.tell(numbers[:6])
        await table.say("event/card", table.payloads[6].replace(b"r0", b"r9"))
        await table.tell(numbers[7:])
        await table.sign()
        log = await rig.becomes_complete(20)
        await table.live(5)
        await rig.becomes_complete(25)
        report = await rig.report()
    assert [line for line in rig.lines if "DISPUTE" in line] == [
        "DISPUTE macau/q1: the checkpoint of 20 events isn't of the events that are kept",
        "DISPUTE macau/q1: event 7 came with other bytes than those that are kept",
    ]
    assert (log.verified, report.complete, report.tables[0].disputes) == (20, False, 2)


async def test_a_key_that_the_old_one_announced_is_believed(rig: Rig, table: Table, kept: Kept) -> None:
    async with rig.recorder():
        async with table.online():
            await table.live(5)
            await rig.becomes_complete(5)
        table.change_key()
        async with table.online():
            await table.tell([6])
            await table.live(4)
            log = await rig.becomes_complete(10)
    assert (log.complete, log.trust, log.key) == (True, "pinned", table.fingerprint)
    table.change_key()
    table.happen(30)
    async with table.online():
        await table.sign()
        async with rig.recorder():
            log = await rig.becomes_complete(41)
            report = await rig.report()
    assert (log.complete, log.key, report.tables[0].disputes) == (True, table.fingerprint, 0)
    assert kept() == table.payloads


async def test_pinned_first_key_is_enough_where_table_has_its_third(broker: Broker, tmp_path: Path) -> None:
    table = Table(broker.port)
    rig = Rig(broker.url, f"sqlite:{tmp_path}/room.db", {"macau/q1": (table.fingerprint,)})
    table.happen(3)
    table.change_key()
    table.happen(3)
    table.change_key()
    table.happen(3)
    async with table.online():
        await table.sign()
        async with rig.recorder():
            log = await rig.becomes_complete(11)
            report = await rig.sees(lambda report: report.complete)
    assert (log.trust, log.key, report.tables[0].disputes) == ("pinned", table.fingerprint, 0)


async def test_changes_of_keys_that_come_in_wrong_order_are_followed(broker: Broker, tmp_path: Path) -> None:
    table = Table(broker.port, deaf=True)
    rig = Rig(broker.url, f"sqlite:{tmp_path}/room.db", {"macau/q1": (table.fingerprint,)})
    async with table.online(), rig.recorder():
        await table.live(2)
        table.change_key()
        table.change_key()
        await table.introduce()
        await table.tell([4, 3])
        await table.live(1)
        assert (await rig.becomes_complete(5)).key == table.fingerprint


async def test_a_checkpoint_of_another_key_or_another_tree_is_disputed(rig: Rig, table: Table) -> None:
    other = Table(table.port)
    async with table.online(), rig.recorder():
        await table.live(8)
        await rig.becomes_complete(8)
        await table.tell(table.happen(2))
        await table.say("checkpoint", table.checkpoint(10, key=other.key))
        await rig.says("isn't of the log's key")
        await table.say("checkpoint", table.checkpoint(10, leaves=[*table.payloads[:9], b"another"]))
        await rig.says("isn't of the events")
        report = await rig.sees(lambda report: report.tables[0].disputes == 2)
    assert (report.complete, report.tables[0].logs[0].verified) == (False, 8)


async def test_a_log_that_was_rolled_back_is_disputed(rig: Rig, table: Table) -> None:
    async with table.online(), rig.recorder():
        await table.live(30)
        await rig.becomes_complete(30)
        await table.say("checkpoint", table.checkpoint(20, leaves=[b"another"] * 20))
        await rig.says("checkpoint of 20 events isn't")
        await table.say("checkpoint", table.checkpoint(10))
        await table.live(1)
        await rig.becomes_complete(31)


async def test_events_during_a_database_outage_are_kept_afterwards(
    postgres: Postgres, broker: Broker, table: Table
) -> None:
    rig = Rig(broker.url, postgres.database(), {"macau/q1": (table.fingerprint,)})
    async with table.online(), rig.recorder():
        await table.live(10)
        await rig.becomes_complete(10)
        postgres.stop()
        try:
            await table.live(200)
            await rig.says("doesn't answer")
        finally:
            postgres.start()
        await table.live(10)
        await rig.becomes_complete(220)


async def test_events_beyond_the_outage_buffer_are_requested_again(
    postgres: Postgres, broker: Broker, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablectl.features.recorder.ingest.MOST_EVENTS", 50)
    rig = Rig(broker.url, postgres.database(), {"macau/q1": (table.fingerprint,)})
    async with table.online(), rig.recorder() as recorder:
        await table.live(10)
        await rig.becomes_complete(10)
        postgres.stop()
        try:
            await table.live(400)
            await rig.until(lambda: recorder.book.tally.let_go)
        finally:
            postgres.start()
        await rig.becomes_complete(410)
    assert table.asked


async def test_a_broker_that_forgets_everything_loses_nothing(
    rig: Rig, table: Table, broker: Broker, kept: Kept
) -> None:
    async with rig.recorder():
        async with table.online():
            await table.live(10)
            await rig.becomes_complete(10)
        broker.kill()
        await rig.until(lambda: "doesn't answer" in rig.lines[-1])
        table.happen(40)
        broker.start()
        async with table.online():
            await table.sign()
            await rig.becomes_complete(50)
    assert kept() == table.payloads


async def test_recorder_on_an_older_copy_requests_what_it_lacks(broker: Broker, tmp_path: Path) -> None:
    table, file = Table(broker.port), tmp_path / "room.db"
    rig = Rig(broker.url, f"sqlite:{file}", {"macau/q1": (table.fingerprint,)})
    async with table.online():
        async with rig.recorder():
            await table.live(10)
            await rig.becomes_complete(10)
        copy = file.read_bytes()
        async with rig.recorder():
            await table.live(30)
            await rig.becomes_complete(40)
        file.write_bytes(copy)
        async with rig.recorder():
            assert (await rig.becomes_complete(40)).complete
    assert table.asked == [(11, 40)]


async def test_events_lost_by_the_table_are_named_and_requested_once(rig: Rig, table: Table) -> None:
    table.keep_from, table.bridges = 31, False
    async with table.online(), rig.recorder():
        table.happen(60)
        await table.tell([60])
        await table.sign()
        log = (await rig.sees(lambda report: report.tables[0].logs[0].gone == ((1, 30),))).tables[0].logs[0]
    assert (log.gone, log.gaps, log.complete) == (((1, 30),), [], False)
    assert log.wrong == ("not verified: the table no longer has its first events",)
    assert table.asked == [(1, 59)]


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"refuses": "forbidden"}, "the table refuses replays: forbidden"),
        ({"withheld": frozenset({3})}, "the table keeps events from us: see reads under [subscribers]"),
        ({"deaf": True}, "the table leaves requests unanswered: is it there, does it list recorder"),
    ],
)
async def test_why_a_gap_stays_is_said(
    broker: Broker, tmp_path: Path, fast: None, about: dict[str, Any], said: str
) -> None:
    table = Table(broker.port, **about)
    rig = Rig(broker.url, f"sqlite:{tmp_path}/room.db", {"macau/q1": (table.fingerprint,)})
    async with table.online(), rig.recorder():
        table.happen(5)
        await table.tell([1, 2, 4, 5])
        await table.sign()
        report = await rig.sees(lambda report: said in " ".join(report.tables[0].logs[0].wrong))
    (log,) = report.tables[0].logs
    assert (report.complete, log.gaps) == (False, [(3, 3)])


async def test_never_issued_number_is_not_requested_for_ever(broker: Broker, tmp_path: Path) -> None:
    table = Table(broker.port)
    rig = Rig(broker.url, f"sqlite:{tmp_path}/room.db", {"macau/q1": (table.fingerprint,)})
    async with table.online(), rig.recorder():
        await table.live(5)
        stray = came(CutReached("r"), 1_000_000_000_000, origin=table.origin)
        await table.say("event/card", stray.payload)
        report = await rig.sees(lambda report: "isn't known there" in " ".join(report.tables[0].logs[0].wrong))
    assert len(table.asked) == 1
    assert not report.complete


async def test_first_key_is_trusted_only_by_explicit_setting(rig: Rig, table: Table) -> None:
    rig.pins = {}
    async with table.online(), rig.recorder():
        await table.live(3)
        await rig.says("NOT TRUSTED")
        log = (await rig.sees(lambda report: report.tables[0].logs[0].last == 3)).tables[0].logs[0]
    assert (log.complete, log.trust, log.verified) == (False, "none", 0)
    rig.trust = "first_use"
    imposter = Table(table.port, log_id="log8")
    async with rig.recorder():
        async with table.online():
            await rig.says("TRUSTED ON FIRST USE")
            await table.live(2)
            assert (await rig.becomes_complete(5)).trust == "first_use"
        async with imposter.online():
            await imposter.live(2)
            await rig.says("DISPUTE macau/q1: the table names the key")


async def test_another_key_than_the_pinned_one_is_disputed(rig: Rig, table: Table) -> None:
    imposter = Table(table.port, log_id="log9")
    async with imposter.online(), rig.recorder():
        await imposter.live(3)
        await rig.says("DISPUTE macau/q1: the table names the key")
        report = await rig.sees(lambda report: report.tables[0].disputes)
    assert (report.complete, report.tables[0].logs[0].trust) == (False, "none")


async def test_a_table_that_speaks_for_another_is_disputed(rig: Rig, table: Table) -> None:
    other = Table(table.port, name="q2")
    other.happen(1)
    async with table.online(), rig.recorder():
        await table.say("event/card", other.payloads[0])
        await table.say("event/card", b"no event")
        await table.say("event/card", table.payloads[0] if table.payloads else b"{}")
        await rig.until(lambda: sum("DISPUTE" in line for line in rig.lines) == 3)
        tables = [table.place for table in (await rig.report()).tables]
    assert "macau/q2" not in tables


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablectl.features.recorder.replays.PATIENCE_S", 0.4)
    monkeypatch.setattr("tablectl.features.recorder.replays.FIRST_WAIT_S", 0.05)


async def test_request_at_a_lost_connection_doesnt_end_the_recorder(broker: Broker, tmp_path: Path) -> None:
    rig = Rig(broker.url, f"sqlite:{tmp_path / 'room.db'}")
    recorder = await asyncio.to_thread(recorder_of, rig.config, rig.tell)
    for number in (1, 6):
        message = came(CutReached("r"), number)
        recorder.book.take(message.topic, message.payload, "2026-11-20T00:01:00.000000Z", 0.0)
    async with Connection(parse_broker_url(broker.url), "recorder-test") as lost:
        pass
    recorder._connections[""] = lost  # pyright: ignore[reportPrivateUsage]  # it is gone, and nobody has noticed yet
    asking = asyncio.create_task(recorder._ask())  # pyright: ignore[reportPrivateUsage]
    await asyncio.sleep(0)
    assert not list(recorder.book.requests(asyncio.get_running_loop().time())), "nothing was asked for"
    assert not asking.done()
    asking.cancel()
