"""A recorder and a log that was pruned: what is there is verified by the hashes of what isn't there any more."""

from pathlib import Path
from typing import Any

import pytest

from tablectl.features.recorder.status import Report, report_lines
from tests.reader.record_rig import Rig
from tests.reader.record_table import Table
from tests.support.broker import Broker


@pytest.fixture(name="rig")
def _rig(broker: Broker, table: Table, tmp_path: Path) -> Rig:
    return Rig(broker.url, f"sqlite:{tmp_path}/room.db", {"macau/q1": (table.fingerprint,)})


def verified(size: int) -> Any:
    return lambda report: bool(report.tables) and report.tables[0].logs[0].verified == size


def disputed(report: Report) -> bool:
    return bool(report.tables) and report.tables[0].disputes > 0


@pytest.mark.parametrize("keep_from", [2, 31, 58, 60])
async def test_recorder_that_begins_at_pruned_log_verifies_what_is_there(
    rig: Rig, table: Table, keep_from: int
) -> None:
    table.keep_from = keep_from
    async with table.online(), rig.recorder():
        table.happen(60)
        await table.tell([60])
        await table.sign()
        report = await rig.sees(verified(60))
        log = report.tables[0].logs[0]
        await table.live(5)
        await rig.sees(verified(65))
    assert (report.complete, log.first, log.last) == (True, keep_from, 60)
    assert (log.gone, log.gaps, log.wrong) == (((1, keep_from - 1),), [], ())
    assert table.asked == [(1, 59)]
    stretch = f"1–{keep_from - 1}" if keep_from > 2 else "1"
    said = f"    the table no longer has: {stretch}; the tree goes on over their hashes"
    assert said in list(report_lines(report))


async def test_log_of_hashes_alone_is_verified_from_its_next_event(rig: Rig, table: Table) -> None:
    table.happen(40)
    table.keep_from = 41
    async with table.online(), rig.recorder():
        await table.sign()
        await rig.sees(lambda report: bool(report.tables) and report.tables[0].logs[0].gone == ((1, 40),))
        await table.live(3)
        log = (await rig.sees(verified(43))).tables[0].logs[0]
    assert (log.first, log.last, log.complete) == (41, 43, True)


async def test_table_pruned_during_absence_must_continue_the_record(rig: Rig, table: Table) -> None:
    async with table.online():
        async with rig.recorder():
            await table.live(20)
            await rig.becomes_complete(20)
        table.happen(40)
        table.keep_from = 41
        await table.sign()
        async with rig.recorder():
            log = (await rig.sees(verified(60))).tables[0].logs[0]
    assert (log.complete, log.first, log.gone) == (True, 41, ((21, 40),))


async def test_log_that_was_rewritten_before_it_was_pruned_is_disputed(rig: Rig, table: Table) -> None:
    async with table.online():
        async with rig.recorder():
            await table.live(20)
            await rig.becomes_complete(20)
        table.payloads[4] = table.payloads[4].replace(b'"round_id":"r0"', b'"round_id":"r9"')
        table.happen(40)
        table.keep_from = 41
        await table.sign()
        async with rig.recorder():
            report = await rig.sees(disputed)
    assert not report.complete
    assert report.tables[0].logs[0].verified == 20
    assert any("don't continue what is kept" in line for line in rig.lines if line.startswith("DISPUTE"))


async def test_foreign_hashes_are_exposed_by_the_checkpoint(
    rig: Rig, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = table.tree
    monkeypatch.setattr(table, "tree", lambda old, size: {**true(old, size), "peaks": true(old, 2 * size)["peaks"]})
    table.keep_from = 31
    async with table.online(), rig.recorder():
        table.happen(60)
        await table.tell([60])
        await table.sign()
        report = await rig.sees(disputed)
    assert (report.complete, report.tables[0].logs[0].verified) == (False, 0)


@pytest.mark.parametrize(
    "tree", [None, 5, {}, {"size": "0000000000000030", "peaks": ["x"], "old": "0000000000000000", "proof": []}]
)
async def test_hashes_of_no_form_are_none(
    rig: Rig, table: Table, monkeypatch: pytest.MonkeyPatch, tree: object
) -> None:
    monkeypatch.setattr(table, "tree", lambda _old, _size: tree)
    table.keep_from = 31
    async with table.online(), rig.recorder():
        table.happen(60)
        await table.tell([60])
        await table.sign()
        log = (await rig.sees(lambda report: report.tables[0].logs[0].gone == ((1, 30),))).tables[0].logs[0]
    assert log.wrong == ("not verified: the table no longer has its first events",)
    assert table.asked == [(1, 59)]


async def test_table_newly_able_to_give_hashes_is_asked_next_run(rig: Rig, table: Table) -> None:
    table.keep_from, table.bridges = 31, False
    async with table.online():
        async with rig.recorder():
            table.happen(60)
            await table.tell([60])
            await table.sign()
            await rig.sees(lambda report: report.tables[0].logs[0].gone == ((1, 30),))
        table.bridges = True
        async with rig.recorder():
            log = (await rig.sees(verified(60))).tables[0].logs[0]
    assert (log.complete, table.asked) == (True, [(1, 59), (1, 30)])
