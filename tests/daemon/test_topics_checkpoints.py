"""The signed head of the log: after every round, regularly, and never ahead of what the broker has."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from tablectl.core.protocols import StoredEvent, TableStoppedError
from tablectl.daemon.signing.checkpoints import Checkpoints
from tablectl.proof.checkpoint import Checkpoint, open_checkpoint, sign_checkpoint
from tablectl.proof.note import Signer
from tests.proof.keys import signer
from tests.support.witness import Board

SIGNER = signer()
ORIGIN = "tablectl/site/t1/log"


@dataclass(slots=True)
class Log:
    """A log that only counts."""

    board: Board
    events: int = 0
    acknowledged: int = 0
    signed: int = 0
    failed: bool = False
    looks: int = 0

    def last_sequence(self) -> int:
        self.looks += 1
        self.board.changed()
        return self.events

    def published(self) -> int:
        return self.acknowledged

    async def signed_checkpoint(self, origin: str, signer: Signer) -> str:
        await asyncio.sleep(0)
        if self.failed:
            raise TableStoppedError("the journal failed")
        self.signed += 1
        self.board.changed()
        return sign_checkpoint(Checkpoint(origin, self.events, bytes(32)), signer)


@dataclass(slots=True)
class Rig:
    log: Log
    board: Board
    shown: list[int] = field(default_factory=list[int])
    checkpoints: Checkpoints = field(init=False)

    def __post_init__(self) -> None:
        self.checkpoints = Checkpoints(cast("Any", self.log), lambda: ORIGIN, self.show)

    def show(self, note: str) -> None:
        self.shown.append(open_checkpoint(note, SIGNER.public).size)
        self.board.changed()

    def add(self, *kinds: str) -> None:
        """Stores events and offers them."""
        new = list[StoredEvent]()
        for kind in kinds:
            self.log.events += 1
            payload = f'{{"type":"mo.tablectl.{kind}.v1"}}'.encode()
            new.append(StoredEvent(self.log.events, f"event/{kind.partition('.')[0]}", payload))
        self.checkpoints.offer(new)


@asynccontextmanager
async def signing(every_s: float = 60, events: int = 0, acknowledged: int = 0) -> AsyncGenerator[Rig]:
    board = Board()
    log = Log(board, events, acknowledged)
    rig = Rig(log, board)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(rig.checkpoints.run(SIGNER, every_s))
        await asyncio.sleep(0)
        yield rig
        running.cancel()


@pytest.mark.parametrize("kind", ["round.settled", "round.void"])
async def test_every_round_end_is_signed_and_shown_once_delivered(kind: str) -> None:
    async with signing() as rig:
        rig.add("round.opened", kind)
        await rig.board.until(lambda: rig.log.signed == 1)
        assert rig.shown == []
        rig.checkpoints.accepted(1)
        assert rig.shown == []
        rig.checkpoints.accepted(2)
        assert rig.shown == [2]


async def test_what_ends_no_round_is_signed_with_the_time() -> None:
    async with signing(every_s=0.05) as rig:
        rig.add("bet.placed")
        rig.checkpoints.accepted(1)
        assert rig.log.signed == 0
        await rig.board.until(lambda: rig.shown == [1])


async def test_nothing_new_is_signed_without_events() -> None:
    async with signing(every_s=0.01) as rig:
        rig.add("round.settled")
        rig.checkpoints.accepted(1)
        await rig.board.until(lambda: rig.shown == [1])
        before = rig.log.looks
        await rig.board.until(lambda: rig.log.looks >= before + 5)
        assert rig.log.signed == 1


async def test_next_checkpoint_follows_when_the_broker_caught_up() -> None:
    async with signing() as rig:
        rig.add("round.settled")
        await rig.board.until(lambda: rig.log.signed == 1)
        rig.add(*["round.settled"] * 50)
        for acknowledged in (1, 20, 51):
            rig.checkpoints.accepted(acknowledged)
            for _ in range(10):  # turns of the loop, in which another could be signed
                await asyncio.sleep(0)
        await rig.board.until(lambda: rig.shown == [1, 51])
        assert rig.log.signed == 2


async def test_session_that_finds_all_acknowledged_shows_one_at_once() -> None:
    async with signing(events=7, acknowledged=7) as rig:
        await rig.board.until(lambda: rig.shown == [7])


async def test_session_with_waiting_events_shows_no_checkpoint() -> None:
    async with signing(events=7, acknowledged=5) as rig:
        await rig.board.until(lambda: rig.log.signed == 1)
        assert rig.shown == []
        rig.checkpoints.accepted(7)
        assert rig.shown == [7]


async def test_final_checkpoint_covers_everything_held() -> None:
    async with signing() as rig:
        rig.add("round.settled")
        await rig.board.until(lambda: rig.log.signed == 1)
        rig.add("audit.signed_on")
        await rig.checkpoints.finish()
        rig.checkpoints.accepted(1)
        assert rig.shown == []
        rig.checkpoints.accepted(2)
        assert rig.shown == [2]


async def test_journal_that_fails_ends_the_signing_and_nothing_else() -> None:
    async with signing() as rig:
        rig.log.failed = True
        rig.add("round.settled")
        await rig.checkpoints.finish()
        assert rig.shown == []
