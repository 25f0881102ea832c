"""A correction on disk: replayed to the same bytes, part of a snapshot's past, and in the proof of its round."""

import asyncio
import json
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import apsw
import pytest
from pydantic import TypeAdapter

from tablectl.core.facts import SessionBegan
from tablectl.core.facts.game_requests import PackConfirmed
from tablectl.core.facts.table_requests import Correction, RoundCorrected, RoundOpened
from tablectl.core.games.q_poker.state import QPoker
from tablectl.core.protocols import StoredEvent
from tablectl.core.table import Table
from tablectl.daemon.signing.keys import public_key, signing_key
from tablectl.history.explain.money import money_of
from tablectl.history.prove import make_proof
from tablectl.journal.encoding import read_fact
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.records import Record, link_of
from tablectl.proof.chain import seal
from tablectl.proof.judge import judge
from tests.daemon.test_table import BEGUN, DEALT, OPENED, ask, fact, recovered, replay, running
from tests.support.broker import Broker
from tests.support.live_table import daemon_at

ROUND = "0a0b0c0d-000001"
CORRECTED = RoundCorrected(ROUND, "a bet was misread", (Correction("ann", -50_00),))
LOG = "tablectl/macau/q1/0a0b0c0d"


def corrected(folder: Path) -> tuple[list[StoredEvent], Any]:
    """A round, the next one begun, and then a correction of the first."""

    async def play() -> tuple[list[StoredEvent], Any]:
        async with running(folder) as (table, seen):
            await ask(table, *BEGUN, *DEALT, *OPENED, PackConfirmed(), RoundOpened())
            reply = await table.ask(fact(table, CORRECTED, by="max", second="sue", request_id="c1"))
            assert reply.refused is None
            return seen.events, table.state

    return asyncio.run(play())


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    return tmp_path / "a"


def test_a_session_records_how_much_the_house_allows_by_hand(idle_broker: Broker, tmp_path: Path) -> None:
    for limit in ("0", "500"):
        daemon = daemon_at(idle_broker, tmp_path, **{"table.by_hand_limit": limit})
        daemon.start()
        assert daemon.stop() == 0
    with closing(open_reader(tmp_path / "state")) as reader:
        bodies = [read_fact(record.body).body for record in reader.records(0)]
    assert [body.by_hand_limit for body in bodies if isinstance(body, SessionBegan)] == [0, 500_00]


def test_correction_follows_its_round_and_audit_names_its_author(folder: Path) -> None:
    events, _ = corrected(folder)
    said, override = (json.loads(event.payload) for event in events[-2:])
    (settled,) = (form for form in map(json.loads, payloads(events)) if form["type"].endswith("round.settled.v1"))
    assert [event.topic for event in events[-2:]] == ["event/round", "event/audit"]
    assert (said["type"], said["subject"]) == ("mo.tablectl.round.corrected.v1", ROUND)
    assert (override["type"], override["subject"]) == ("mo.tablectl.audit.override.v1", ROUND)
    assert override["causationid"] == said["id"]
    nets = {each.name: Decimal(each.net) for each in money_of(settled["data"]["settlement"]).bettors}
    nets["ann"] -= 50
    same = {"changes": [{"bettor": "ann", "amount": "-50.00"}], "house": "50.00", "reason": "a bet was misread"}
    assert said["data"] == {
        "round_id": ROUND,
        "corrects": settled["id"],
        "by": "max, sue",
        "settlement": {
            "status": "corrected",
            "bettors": [{"bettor": name, "net": f"{net:.2f}"} for name, net in nets.items()],
            "house": f"{-sum(nets.values()):.2f}",
        },
        "by_hand": True,
        **dict.fromkeys(("game", "rules", "rules_version", "round", "result", "void")),
        **same,
    }
    assert override["data"] == {"round_id": ROUND, "by": "max, sue", "what": f"settlement {ROUND}", **same}


def payloads(events: list[StoredEvent]) -> list[bytes]:
    return [event.payload for event in events]


def test_replaying_a_journal_with_a_correction_gives_the_stored_bytes(folder: Path, tmp_path: Path) -> None:
    events, _ = corrected(folder)
    assert replay(folder, tmp_path / "b") == events


@pytest.mark.parametrize("snapshots", [True, False])
def test_table_killed_after_any_record_resumes_to_equal_bytes(folder: Path, tmp_path: Path, *, snapshots: bool) -> None:
    events, final = corrected(folder)
    with closing(open_journal(folder)) as journal:
        records = list(journal.replay(0))
    for died_after in range(len(records) - 12, len(records)):
        elsewhere = tmp_path / str(died_after)
        kept = [died_after - 5] if snapshots else []
        write(elsewhere, records[:died_after], kept, tmp_path / f"blank {died_after}")
        table, _ = recovered(elsewhere)
        rest = [event for record in records[died_after:] for event in table.folding.replayed(record)]
        assert rest == events[len(events) - len(rest) :]
        assert json.loads(table.folding.take_snapshot().state) == TypeAdapter(Table[QPoker]).dump_python(
            final, mode="json"
        )
        table.shut()


def write(folder: Path, records: list[Record], snapshots_after: list[int], blank: Path) -> None:
    """A journal of these records, with snapshots of the state after some of them."""
    other, _ = recovered(blank)
    with closing(open_journal(folder)) as journal:
        for record in records:
            other.folding.replayed(record)
            journal.append([record], other.folding.take_snapshot() if record.number in snapshots_after else None)
    other.shut()


def test_snapshot_in_older_form_is_passed_over_for_records_themselves(folder: Path) -> None:
    _, before = corrected(folder)
    older(folder)
    table, _ = recovered(folder)
    assert table.state == before
    assert table.state.endings[-1].event == table.journal.last_sequence() - 1
    table.shut()


def older(folder: Path) -> None:
    """Puts the newest snapshot into the form that knew of no endings."""
    with closing(apsw.Connection(str(folder / "journal.db"))) as connection:
        ((record, sequence, state),) = connection.execute("SELECT record, sequence, state FROM snapshot")
        form = {name: value for name, value in json.loads(state).items() if name not in {"announced", "endings"}}
        link = link_of(connection, record)
        kept = json.dumps(form).encode()
        values = "table/1", kept, seal(link, sequence, "table/1", kept)
        connection.execute("UPDATE snapshot SET version = ?, state = ?, seal = ?", values)


def test_events_keep_numbers_of_an_older_builds_facts(folder: Path, tmp_path: Path) -> None:
    corrected(folder)
    with closing(open_journal(folder)) as journal:
        records = list(journal.replay(0))
    override = replace(records[-1].events[1], sequence=records[-1].events[0].sequence)
    alone = [*records[:-1], replace(records[-1], events=(override,))]
    write(tmp_path / "b", alone, [], tmp_path / "blank")
    table, _ = recovered(tmp_path / "b")
    assert table.state.announced == table.journal.last_sequence() == override.sequence
    table.shut()

    async def again() -> StoredEvent:
        async with running(tmp_path / "b") as (table, seen):
            asked = replace(CORRECTED, reason="once more")
            assert (await table.ask(fact(table, asked, by="max", second="sue", request_id="c2"))).refused is None
            return seen.events[0]

    said = asyncio.run(again())
    assert said.sequence == override.sequence + 1
    assert json.loads(said.payload)["data"]["corrects"] == f"0a0b0c0d-{override.sequence:016d}"


def test_restart_after_correction_finds_same_state_and_answers_it_again(folder: Path) -> None:
    _, before = corrected(folder)
    table, _ = recovered(folder)
    assert table.state == before
    assert table.state.answers[-1].request_id == "c1"
    table.shut()


def test_the_proof_of_a_round_has_its_correction(folder: Path) -> None:
    corrected(folder)
    public_key(folder)
    with closing(open_journal(folder)) as journal:
        journal.signed_checkpoint(LOG, signing_key(folder))
    with closing(open_reader(folder)) as reader:
        proof = make_proof(reader, ROUND, None)
    shown = judge(proof, proof.public, None)
    assert (shown.ended, shown.corrections) == (True, 2)
