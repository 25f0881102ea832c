"""The table at work: durable before visible, one writer, the same again after a restart."""

import asyncio
import gc
import json
import re
import socket
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import pytest

from tablectl.core.cards import Card
from tablectl.core.effects import Command
from tablectl.core.facts import Body, Bookmarked, Fact, LogBegan, SessionBegan, SessionEnded
from tablectl.core.facts.amendments import Change, RoundAmended
from tablectl.core.facts.game_requests import Dealing, HandOpened, PackConfirmed
from tablectl.core.facts.reports import CardDrawn, DeviceAttached, DeviceNoted
from tablectl.core.facts.table_requests import BetOffered, RoundOpened, RoundVoided
from tablectl.core.faults import Code
from tablectl.core.games.q_poker.game import QPokerGame
from tablectl.core.games.q_poker.state import QPoker
from tablectl.core.protocols import Standing, StoredEvent, TableStoppedError
from tablectl.core.table import Table, fault
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.host.journal_care import StorageWatch
from tablectl.daemon.host.systemd import report_progress
from tablectl.daemon.publishing import fault_reporter
from tablectl.daemon.table import MOST_IN_A_BATCH, After, LiveTable
from tablectl.daemon.table_fold import LONG_ROUND
from tablectl.journal.encoding import read_fact
from tablectl.journal.journal import Journal, JournalFailedError, open_journal
from tablectl.journal.records import Record, Snapshot
from tablectl.rule_tables import load_rules
from tests.support.patience import PATIENCE_S

SITE, NAME = "macau", "q1"
GAME = QPokerGame(load_rules("q_poker"))
CARDS = ("As", "Ks", "Qs", "2d", "3d", "4d", "9h", "8h", "7h")


@dataclass(slots=True)
class Seen:
    """What the rest of the daemon was told, in order."""

    journal: Journal
    order: list[str] = field(default_factory=list)
    events: list[StoredEvent] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    durable: list[int] = field(default_factory=list)

    @property
    def after(self) -> After:
        return After(self.offer, self.command, self.changed)

    def offer(self, events: Sequence[StoredEvent]) -> None:
        self.order.append("events")
        self.events += events
        self.durable.append(self.journal.last_sequence)

    def command(self, command: Command) -> None:
        self.order.append("command")
        self.commands.append(command)

    def changed(self) -> None:
        self.order.append("changed")


def recovered(folder: Path) -> tuple[LiveTable[QPoker], Seen]:
    journal = open_journal(folder)
    table = LiveTable(GAME, journal, SystemClock("boot"), (SITE, NAME), Table[QPoker])
    table.recover()
    seen = Seen(journal)
    table.after = seen.after
    return table, seen


@asynccontextmanager
async def running(folder: Path) -> AsyncGenerator[tuple[LiveTable[QPoker], Seen]]:
    table, seen = await asyncio.to_thread(recovered, folder)
    try:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(table.run())
            yield table, seen
            task.cancel()
    finally:
        await asyncio.to_thread(table.shut)


def fact(table: LiveTable[QPoker], body: Body, **more: Any) -> Fact:
    return Fact(body, SystemClock("boot").now(), "test", **more)


async def ask(table: LiveTable[QPoker], *bodies: Body) -> None:
    for body in bodies:
        reply = await table.ask(fact(table, body))
        assert reply.refused is None, reply


BEGUN = (
    LogBegan("0a0b0c0d", SITE, NAME),
    SessionBegan("s1", "1.0", "hash", "q_poker", "89/2004"),
    DeviceAttached("shoe"),
    PackConfirmed(),
    RoundOpened(),
    BetOffered(1, "ann", "pair_or_better", 10_000),
    BetOffered(3, "bob", "pair_or_better", 5_000),
)
DEALT = tuple(CardDrawn("shoe", Card(card)) for card in CARDS)
OPENED = (HandOpened(1), HandOpened(3), HandOpened("dealer"))


async def test_consequences_come_after_the_commit_and_events_first(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN, *DEALT, *OPENED)
    assert seen.order[:2] == ["events", "changed"]
    assert [event.sequence for event in seen.events] == list(range(1, len(seen.events) + 1))
    # What is offered is on disk already: the last durable number is never behind the last offered one.
    assert seen.durable[-1] == seen.events[-1].sequence


def played(folder: Path, *bodies: Body) -> tuple[Table[QPoker], Seen]:
    """The state and what was seen after these facts, the table shut again."""

    async def play() -> tuple[Table[QPoker], Seen]:
        async with running(folder) as (table, seen):
            await ask(table, *bodies)
            return table.state, seen

    return asyncio.run(play())


def state_on_disk(folder: Path) -> Table[QPoker]:
    table, _ = recovered(folder)
    table.shut()
    return table.state


def test_a_restart_finds_the_same_state_and_goes_on_numbering(tmp_path: Path) -> None:
    before, seen = played(tmp_path, *BEGUN, *DEALT[:5])
    again, _ = recovered(tmp_path)
    assert again.state == before
    assert again.journal.last_sequence() == seen.events[-1].sequence
    again.shut()


def test_a_snapshot_gives_the_same_state_as_the_whole_journal(tmp_path: Path) -> None:
    before, _ = played(tmp_path, *BEGUN, *DEALT, *OPENED, PackConfirmed(), RoundOpened())
    table, _ = recovered(tmp_path)
    assert 0 < table.recover() < before.records
    table.shut()
    assert state_on_disk(tmp_path) == before
    tamper(tmp_path, "DELETE FROM snapshot")
    assert state_on_disk(tmp_path) == before


def test_a_snapshot_of_another_build_is_passed_over(tmp_path: Path) -> None:
    before, _ = played(tmp_path, *BEGUN, *DEALT, *OPENED)
    tamper(tmp_path, "UPDATE snapshot SET state = CAST('{\"game\": 7}' AS BLOB)")
    assert state_on_disk(tmp_path) == before


def noted(folder: Path, *bodies: Body, count: int) -> Table[QPoker]:
    """The state after these facts and so many more that end no round, the table shut again."""

    async def note() -> Table[QPoker]:
        async with running(folder) as (table, _):
            await ask(table, *bodies)
            for _ in range(count - 1):
                table.tell(fact(table, Bookmarked("the door is open")))
            await ask(table, Bookmarked("the last one"))
            return table.state

    return asyncio.run(note())


def snapshots(folder: Path) -> list[int]:
    """The records of the snapshots that are kept."""
    connection = apsw.Connection(str(folder / "journal.db"))
    kept = [record for (record,) in connection.execute("SELECT record FROM snapshot ORDER BY record")]
    connection.close()
    return kept


def started(folder: Path) -> tuple[int, Table[QPoker]]:
    """How many records a start folds, and to what state."""
    table = LiveTable(GAME, open_journal(folder), SystemClock("boot"), (SITE, NAME), Table[QPoker])
    folded = table.recover()
    table.shut()
    return folded, table.state


@pytest.mark.parametrize("bodies", [BEGUN[:4], (*BEGUN, *DEALT[:5])], ids=["between rounds", "in a round"])
def test_however_long_no_round_ends_a_start_folds_little(tmp_path: Path, bodies: tuple[Body, ...]) -> None:
    before = noted(tmp_path, *bodies, count=4 * LONG_ROUND)
    most = LONG_ROUND + MOST_IN_A_BATCH
    folded, state = started(tmp_path)
    assert folded < most
    assert state == before
    tamper(tmp_path, "UPDATE snapshot SET state = x'' WHERE record = (SELECT max(record) FROM snapshot)")
    folded, state = started(tmp_path)  # The one before serves, and what it took is kept.
    assert LONG_ROUND <= folded < 2 * most
    assert state == before
    assert started(tmp_path) == (0, before)


def test_snapshots_of_a_long_round_are_what_a_replay_makes(tmp_path: Path) -> None:
    noted(tmp_path / "a", *BEGUN, *DEALT[:5], count=3 * LONG_ROUND)
    journal = open_journal(tmp_path / "a")
    kept = {snapshot.record: snapshot for snapshot in journal.snapshots()}
    blank, _ = recovered(tmp_path / "b")
    made = list[Snapshot]()
    for record in journal.replay(0):
        blank.folding.replayed(record)
        if record.number in kept:
            made.append(blank.folding.take_snapshot())
    journal.close()
    blank.shut()
    assert made == list(reversed(kept.values()))
    assert len(made) == 2


def test_no_more_snapshots_stay_than_starts_and_amendments_need(tmp_path: Path) -> None:
    noted(tmp_path, *BEGUN, count=4 * LONG_ROUND)
    in_the_round = snapshots(tmp_path)
    assert len(in_the_round) == 2
    noted(tmp_path, RoundVoided("a fire"), count=4 * LONG_ROUND)
    ended = noted(tmp_path, PackConfirmed(), RoundOpened(), RoundVoided("a fire"), count=1)
    before_the_second = max(record for record in snapshots(tmp_path) if record < ended.round_since)
    assert ended.round_since - before_the_second < LONG_ROUND + MOST_IN_A_BATCH
    third = noted(tmp_path, PackConfirmed(), RoundOpened(), RoundVoided("a fire"), count=1)
    kept = snapshots(tmp_path)
    assert kept[0] == before_the_second
    assert len(kept) == 3
    assert third.round_since < kept[-1]


class Pieces(Journal):
    """A journal that counts the most records that were read at once."""

    most = 0

    def stretch(self, first: int, last: int) -> list[Record]:
        records = super().stretch(first, last)
        self.most = max(self.most, len(records))
        return records


async def test_a_long_round_is_read_in_pieces_for_its_amendment(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, seen):
        seen.journal.__class__ = Pieces
        await ask(table, *BEGUN)
        for _ in range(1000):
            table.tell(fact(table, Bookmarked("the door is open")))
        amended = RoundAmended("it was counted again", (Change(6, json.dumps({"stake": "50"})),))
        reply = await table.ask(fact(table, amended, round_id="0a0b0c0d-000001"), Standing(("supervisor",)))
        assert reply.refused is None
        assert table.state.game.bets[0].stake == 5_000
        assert isinstance(seen.journal, Pieces)
        assert seen.journal.most <= 256


def test_start_without_snapshot_holds_one_record_and_extends_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = noted(tmp_path, *BEGUN, count=2 * LONG_ROUND)
    tamper(tmp_path, "DELETE FROM snapshot")
    held: list[int] = []
    gc.collect()
    others = records_in_memory()  # of tests that ran before in this process

    def look(record: int) -> None:
        if record % 500 == 0:
            held.append(records_in_memory() - others)
        report_progress(record)

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(10)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        table = LiveTable(GAME, open_journal(tmp_path), SystemClock("boot"), (SITE, NAME), Table[QPoker])
        assert table.recover(look) == before.records
        table.shut()
        heard = [systemd.recv(4096).decode() for _ in range(before.records // 1000)]
    assert len(held) == before.records // 500
    assert max(held) <= 2
    assert heard[0] == "EXTEND_TIMEOUT_USEC=60000000\nSTATUS=reading the journal, record 1000"


def records_in_memory() -> int:
    return sum(type(each) is Record for each in gc.get_objects())


def tamper(folder: Path, statement: str) -> None:
    connection = apsw.Connection(str(folder / "journal.db"))
    connection.execute(statement)
    connection.close()


async def test_facts_that_wait_together_share_one_commit(tmp_path: Path, mocker: Any) -> None:
    async with running(tmp_path) as (table, _):
        commits = mocker.spy(Journal, "append")
        async with asyncio.TaskGroup() as group:
            bodies: tuple[Body, ...] = (*BEGUN, *DEALT)
            for body in bodies:
                group.create_task(table.ask(fact(table, body)))
        assert table.state.records == len(BEGUN) + len(DEALT)
    assert commits.call_count <= 2


async def test_facts_beyond_a_batch_are_all_recorded_in_order(tmp_path: Path) -> None:
    notes = [DeviceNoted("shoe", "stand_by", str(number)) for number in range(700)]
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN)
        for note in notes:
            table.tell(fact(table, note))
        await ask(table, DEALT[0])
        records = await asyncio.to_thread(lambda: list(seen.journal.replay(len(BEGUN))))
    assert [read_fact(record.body).body for record in records] == [*notes, DEALT[0]]


async def test_closing_records_first_what_waits(tmp_path: Path) -> None:
    notes = [DeviceNoted("shoe", "stand_by", str(number)) for number in range(700)]
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN)
        for note in notes:
            table.tell(fact(table, note))
        await table.close()
        records = await asyncio.to_thread(lambda: list(seen.journal.replay(len(BEGUN))))
    assert [read_fact(record.body).body for record in records] == [*notes, SessionEnded("s1", "stopped")]


async def test_stored_is_called_once_the_fact_is_on_disk(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN)
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        table.tell(fact(table, DEALT[0]), lambda: done.set_result(seen.journal.last_record))
        async with asyncio.timeout(PATIENCE_S):
            assert await done == len(BEGUN) + 1


async def test_a_request_asked_twice_is_done_once(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN)
        bet = BetOffered(2, "cy", "versus_dealer", 500)
        first = await table.ask(fact(table, bet, request_id="r1", by="ana"))
        again = await table.ask(fact(table, bet, request_id="r1", by="ana"))
        assert (first.refused, again.refused) == (None, None)
        assert sum(b.stake for b in table.state.game.bets if b.bettor == "cy") == 500
    async with running(tmp_path) as (table, seen):
        await table.ask(fact(table, bet, request_id="r1", by="ana"))
        assert sum(b.stake for b in table.state.game.bets if b.bettor == "cy") == 500
        assert seen.events == []


class Failing(Journal):
    """A journal on a disk that is gone from the third append on."""

    appended = 0

    def append(self, *args: Any, **more: Any) -> None:
        self.appended += 1
        if self.appended > 2:
            raise JournalFailedError("the journal can't be written: disk I/O error")
        super().append(*args, **more)


async def test_a_request_asked_twice_is_done_once_over_a_snapshot(tmp_path: Path) -> None:
    note = Bookmarked("look here")
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN)
        first = await table.ask(fact(table, note, request_id="r1", by="ana"))
        await ask(table, *DEALT, *OPENED)
        await table.close()
    async with running(tmp_path) as (table, seen):
        again = await table.ask(fact(table, note, request_id="r1", by="ana"))
        assert (again.record, seen.events) == (first.record, [])


async def test_nothing_is_acknowledged_or_done_once_the_disk_failed(tmp_path: Path) -> None:
    journal = await asyncio.to_thread(open_journal, tmp_path)
    journal.__class__ = Failing
    table = LiveTable(GAME, journal, SystemClock("b"), (SITE, NAME), Table[QPoker])
    seen = Seen(journal)
    table.after = seen.after
    acknowledged: list[int] = []
    writer = asyncio.create_task(table.run())
    await ask(table, *BEGUN[:2])
    before, events = table.state, len(seen.events)
    table.tell(fact(table, DEALT[0]), lambda: acknowledged.append(1))
    with pytest.raises(TableStoppedError, match="disk I/O error"):
        await table.ask(fact(table, PackConfirmed()))
    with pytest.raises(JournalFailedError):
        await writer
    assert (acknowledged, len(seen.events), table.state) == ([], events, before)
    with pytest.raises(TableStoppedError):
        await table.ask(fact(table, PackConfirmed()))
    await asyncio.to_thread(table.shut)


async def test_low_disk_refuses_rounds_and_clears_by_itself(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN[:4])
        watch = StorageWatch(table, 1 << 60)
        await watch.look()
        reply = await table.ask(fact(table, RoundOpened()))
        assert reply.refused is not None
        assert reply.refused.code == "fault_stands"
        await watch.look()
        assert (standing := fault(table.state, Code.STORAGE_LOW, "")) is not None
        assert standing.times == 1
        watch.low_water_bytes = 0
        await watch.look()
        await ask(table, RoundOpened())


async def test_the_reserve_is_laid_aside_again_once_there_is_room(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN[:4])
        watch = StorageWatch(table, 1 << 60)
        await watch.look()
        await ask(table, DeviceNoted("shoe", "stand_by"))
        (tmp_path / "reserve").unlink()
        await watch.look()
        assert not (tmp_path / "reserve").exists()
        watch.low_water_bytes = 0
        await watch.look()
        assert (tmp_path / "reserve").stat().st_size == 1 << 20


async def test_a_disk_that_swings_around_the_limit_is_told_rarely(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN)
        watch, before, swings = StorageWatch(table, 0), table.state.records, 100
        for _ in range(swings):
            for watch.low_water_bytes in (1 << 60, 0):
                await watch.look()
                await ask(table, DeviceNoted("display", "swing"))  # what was told before it is folded
        assert 0 < table.state.records - before - 2 * swings <= 12
        standing = fault(table.state, Code.STORAGE_LOW, "")
        assert standing is not None
        assert re.fullmatch(r"\d+ MiB left \(came and went 64 times\)", standing.detail)
        reply = await table.ask(fact(table, RoundOpened()))
        assert reply.refused is not None


async def test_broker_that_keeps_hanging_up_is_reported_rarely(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN)
        report, before, swings = fault_reporter(table), table.state.records, 100
        for _ in range(swings):
            report(Code.BROKER_AWAY, present=True, detail="the broker hung up")
            await ask(table, DeviceNoted("display", "swing"))  # what was told before it is folded
            report(Code.BROKER_AWAY, present=False, detail="")
            await ask(table, DeviceNoted("display", "swing"))
        assert 0 < table.state.records - before - 2 * swings <= 12
        standing = fault(table.state, Code.BROKER_AWAY, "")
        assert standing is not None
        assert standing.detail == "the broker hung up (came and went 64 times)"


async def test_broker_back_before_its_absence_is_stored_is_no_fault(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN)
        report = fault_reporter(table)
        table.tell(table.note(DeviceNoted("display", "is being stored")))
        report(Code.BROKER_AWAY, present=True, detail="the broker hung up")
        assert table.standing(Code.BROKER_AWAY) == "the broker hung up"
        report(Code.BROKER_AWAY, present=False, detail="")
        assert table.standing(Code.BROKER_AWAY) is None
        await ask(table, DeviceNoted("display", "stored"))
        assert fault(table.state, Code.BROKER_AWAY, "") is None


async def test_commands_follow_their_step(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN[:2], DeviceAttached("shuffler"), RoundOpened(Dealing.SHUFFLER))
        assert len(seen.commands) == 1
        assert table.game.outstanding(table.state.game) == tuple(seen.commands)


def test_replaying_the_journal_gives_the_stored_bytes(tmp_path: Path) -> None:
    """The same facts through the same fold make the very bytes that were published."""
    _, seen = played(tmp_path / "a", *BEGUN, *DEALT, *OPENED)
    replayed = replay(tmp_path / "a", tmp_path / "b")
    assert replayed == seen.events
    settled = json.loads(replayed[-1].payload)
    assert settled["type"] == "mo.tablectl.round.settled.v1"
    assert settled["id"] == f"0a0b0c0d-{settled['sequence']}"


def replay(folder: Path, elsewhere: Path) -> list[StoredEvent]:
    journal = open_journal(folder)
    blank, _ = recovered(elsewhere)
    events = [event for record in journal.replay(0) for event in blank.folding.replayed(record)]
    journal.close()
    blank.shut()
    return events
