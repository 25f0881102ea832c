"""A correction on disk: replayed to the same bytes, part of a snapshot's past, and in the proof of its round."""

import asyncio
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tablectl.core.facts import Correction, PackConfirmed, RoundCorrected, RoundOpened
from tablectl.core.ports import StoredEvent
from tablectl.proof.judge import judge
from tablectl.shell.journal import open_journal
from tablectl.shell.keys import public_key, signing_key
from tablectl.tools.journal_reader import open_reader
from tablectl.tools.prove import make_proof
from tests.shell.test_table import BEGUN, DEALT, OPENED, ask, fact, recovered, replay, running

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


def test_replaying_a_journal_with_a_correction_gives_the_stored_bytes(folder: Path, tmp_path: Path) -> None:
    events, _ = corrected(folder)
    assert replay(folder, tmp_path / "b") == events
    last = json.loads(events[-1].payload)
    assert (last["type"], last["subject"]) == ("mo.tablectl.audit.override.v1", ROUND)
    assert last["data"] == {
        "round_id": ROUND,
        "by": "max, sue",
        "what": f"settlement {ROUND}",
        "reason": "a bet was misread",
        "changes": [{"bettor": "ann", "amount": "-50.00"}],
        "house": "50.00",
    }


def test_a_restart_after_a_correction_finds_the_same_state_and_answers_it_again(folder: Path) -> None:
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
    assert (shown.ended, shown.corrections) == (True, 1)
