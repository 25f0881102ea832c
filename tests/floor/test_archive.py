"""What a recorder has kept is looked through as the table's own console looks through its journal."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tablectl.console.history_routes import BusyError, NotThereError
from tablectl.daemon.archive import JournalArchive
from tablectl.features.floor.archive import Looker, RecordArchive
from tests.floor.support import PLACE, published, record, renamed
from tests.reader.record_postgres import Postgres
from tests.support.kept import LOG, config

ROUNDS = 3
WANTED: Mapping[str, Mapping[str, Any]] = {
    "newest": {"limit": 5},
    "older": {"limit": 5, "before": 30},
    "later": {"limit": 5, "after": 12},
    "kind": {"limit": 50, "kind": "bet."},
    "round": {"limit": 50, "round_id": f"{LOG}-000002"},
    "text": {"limit": 50, "text": "BETTOR2"},
}


@pytest.fixture(name="url", params=["sqlite", "postgres"])
def _url(request: pytest.FixtureRequest, tmp_path: Path, postgres: Postgres) -> str:
    return postgres.database() if request.param == "postgres" else f"sqlite:{tmp_path}/room.db"


@pytest.fixture(name="both")
async def _both(url: str, tmp_path: Path) -> tuple[RecordArchive, JournalArchive]:
    """The recorder's archive of a table, between others, and the table's own."""
    payloads = await asyncio.to_thread(published, tmp_path / "state", ROUNDS)
    await record(url, [*renamed(payloads, "a"), *payloads, *renamed(payloads, "z")])
    return RecordArchive(Looker(url), PLACE), JournalArchive(await asyncio.to_thread(config, tmp_path / "state"))


Both = tuple[RecordArchive, JournalArchive]


async def test_rounds_are_those_of_the_tables_own_console(both: Both) -> None:
    for asked in ((None, 2, "", ""), (None, 9, "", "settled"), (21, 9, "", ""), (None, 9, "nobody", "")):
        of_recorder, of_table = [await archive.rounds(*asked) for archive in both]
        assert of_recorder == of_table
    assert len((await both[0].rounds(None, 9, "", ""))["rounds"]) == ROUNDS


@pytest.mark.parametrize("wanted", WANTED)
async def test_events_are_those_of_the_tables_own_console(both: Both, wanted: str) -> None:
    of_recorder, of_table = [await archive.events(WANTED[wanted]) for archive in both]
    assert of_recorder["events"] == of_table["events"] != []
    assert of_recorder["more"] == of_table["more"]


async def test_statistics_are_those_of_the_tables_own_console(both: Both) -> None:
    periods = (("", ""), ("2026-09-21T14:13:50Z", "2026-09-21"))
    for begin, end in periods:
        told = [await archive.statistics(begin, end) for archive in both]
        of_recorder, of_table = [{**each, "first": None, "last": None} for each in told]
        assert of_recorder == of_table
        assert told[0]["rounds"]["settled"] > 0


async def test_a_round_is_explained_by_its_events(both: Both) -> None:
    of_recorder, of_table = [await archive.round(f"{LOG}-000002") for archive in both]
    for same in ("money", "settled", "end", "result", "opened", "ended", "first", "last", "game", "site", "table"):
        assert of_recorder[same] == of_table[same], same
    told = [message for step in of_recorder["steps"] for message in step["messages"]]
    own = [message for step in of_table["steps"] if step["when"] == "round" for message in step["messages"]]
    assert told == own
    assert of_recorder["clock"] == of_table["clock"]
    assert of_recorder["missing"] == ("only_events",)


async def test_taken_events_are_the_published_bytes(both: Both, tmp_path: Path) -> None:
    for form in ("jsonl", "csv"):
        of_recorder, of_table = [await archive.taken("", "", form) for archive in both]
        assert (of_recorder.name, of_recorder.rounds) == (of_table.name, of_table.rounds)
        chunks = [[chunk async for chunk in each.chunks] for each in (of_recorder, of_table)]
        assert b"".join(chunks[0]) == b"".join(chunks[1])


async def test_what_is_not_there_is_said(both: Both, url: str) -> None:
    with pytest.raises(NotThereError, match="no round"):
        await both[0].round("5eed0001-000099")
    with pytest.raises(NotThereError, match="nothing of demo/x9"):
        await RecordArchive(Looker(url), "demo/x9").rounds(None, 9, "", "")
    with pytest.raises(NotThereError, match="own console"):
        await both[0].replay(f"{LOG}-000002")
    with pytest.raises(ValueError, match="ends"):
        await both[0].statistics("2026-09-23", "2026-09-21")


async def test_a_database_that_is_away_is_said(tmp_path: Path) -> None:
    for url in (f"sqlite:{tmp_path}/none.db", f"postgresql://postgres@/floor?host={tmp_path}"):
        with pytest.raises(BusyError):
            await RecordArchive(Looker(url), PLACE).rounds(None, 9, "", "")


async def test_nothing_can_be_written(url: str, tmp_path: Path) -> None:
    await record(url, await asyncio.to_thread(published, tmp_path / "state", 1))
    with pytest.raises(BusyError):
        await Looker(url).look(lambda kept: kept.ask("DELETE FROM {in}event", ()))
    assert (await RecordArchive(Looker(url), PLACE).rounds(None, 9, "", ""))["rounds"]
