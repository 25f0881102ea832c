"""The proof of a round that a table really played, made while the table is at work."""

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablectl.core.cards import Card
from tablectl.core.facts import Fact, LogBegan, SessionBegan
from tablectl.core.facts.game_requests import HandOpened, PackConfirmed
from tablectl.core.facts.reports import CardDrawn, DeviceAttached
from tablectl.core.facts.table_requests import BetOffered, RoundOpened
from tablectl.core.games.q_poker.game import QPokerGame
from tablectl.core.games.q_poker.state import QPoker
from tablectl.core.table import Table
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.signing.keys import public_key, signing_key
from tablectl.daemon.table import LiveTable
from tablectl.features.journal.cli import journal
from tablectl.features.rounds.prove import prove
from tablectl.features.rounds.verify import verify
from tablectl.journal.journal import Journal, open_journal
from tablectl.proof.note import Signer
from tablectl.rule_tables import load_rules

GAME = QPokerGame(load_rules("q_poker"))
CARDS = ("As", "Ks", "Qs", "2d", "3d", "4d", "9h", "8h", "7h")
FACTS = (
    LogBegan("0a0b0c0d", "macau", "q1"),
    SessionBegan("s1", "1.0", "hash", "q_poker", "89/2004"),
    DeviceAttached("shoe"),
    PackConfirmed(),
    RoundOpened(),
    BetOffered(1, "ann", "pair_or_better", 10_000),
    BetOffered(3, "bob", "pair_or_better", 5_000),
    *(CardDrawn("shoe", Card(card)) for card in CARDS),
)
OPENED = (HandOpened(1), HandOpened(3), HandOpened("dealer"))


def look(folder: Path, round_id: str, kept: Path) -> list[str]:
    """What a person with the proof and a kept checkpoint reads."""
    proof = folder.parent / "proof.json"
    proof.unlink(missing_ok=True)
    made = CliRunner().invoke(
        prove, [round_id, "--journal", str(folder), "--to", str(proof), "--checkpoint", str(kept)]
    )
    assert made.exit_code == 0, made.output
    key = public_key(folder).fingerprint
    seen = CliRunner().invoke(verify, [str(proof), "--key", key, "--checkpoint", str(kept)])
    assert seen.exit_code == 0, seen.output
    whole = CliRunner().invoke(journal, ["verify", str(folder), "--checkpoint", str(kept), "--key", key])
    assert whole.exit_code == 0, whole.output
    return seen.stdout.splitlines()


def table_in(folder: Path) -> tuple[LiveTable[QPoker], Journal, Signer]:
    opened = open_journal(folder)
    table = LiveTable[QPoker](GAME, opened, SystemClock("boot"), ("macau", "q1"), Table[QPoker])
    table.recover()
    public_key(folder)
    return table, opened, signing_key(folder)


@pytest.mark.parametrize("over", [False, True])
async def test_round_at_a_table_at_work_is_proved_to_byte(tmp_path: Path, *, over: bool) -> None:
    folder, kept = tmp_path / "state", tmp_path / "kept.txt"
    table, opened, key = await asyncio.to_thread(table_in, folder)
    try:
        async with asyncio.TaskGroup() as group:
            writer = group.create_task(table.run())
            for body in (*FACTS, *(OPENED if over else ())):
                reply = await table.ask(Fact(body, SystemClock("boot").now(), "test"))
                assert reply.refused is None
                if isinstance(body, PackConfirmed):
                    note = await asyncio.to_thread(opened.signed_checkpoint, "tablectl/macau/q1/0a0b0c0d", key)
                    await asyncio.to_thread(kept.write_text, note, "utf-8")
            payload = (await table.journal.events_after(0, 1000))[-1].payload
            round_id = json.loads(payload)["correlationid"]
            lines = await asyncio.to_thread(look, folder, round_id, kept)
            writer.cancel()
    finally:
        await asyncio.to_thread(table.shut)
    state = "over" if over else "not over yet"
    assert any(line.startswith(f"  round       {round_id}, {state}: events ") for line in lines)
    assert any("continues the kept checkpoint" in line for line in lines)
