"""An amendment of a full Q Poker round: asked as a dry run, and then made, at a live table with its journal on disk."""

import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from bench.figures import Figure, UnmeasuredError
from tablectl.core.cards import PACK
from tablectl.core.facts import Body, Fact, LogBegan, SessionBegan
from tablectl.core.facts.amendments import Change, RoundAmended
from tablectl.core.facts.game_requests import HandOpened, PackConfirmed
from tablectl.core.facts.reports import CardDrawn, DeviceAttached
from tablectl.core.facts.table_requests import BetOffered, RoundOpened
from tablectl.core.games.q_poker.game import QPokerGame
from tablectl.core.games.q_poker.state import QPoker
from tablectl.core.protocols import Reply, Standing
from tablectl.core.table import Table
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.table import LiveTable
from tablectl.journal.journal import open_journal
from tablectl.rule_tables import load_rules

PLACES: Final = range(1, 8)
TARGET_MS: Final = 20.0
FLOOR: Final = Standing(("dealer", "supervisor"))
_BEFORE: Final[tuple[Body, ...]] = (
    LogBegan("5eed0001", "bench", "table"),
    SessionBegan("s1", "1", "hash", "q_poker", "89/2004"),
    DeviceAttached("shoe"),
    PackConfirmed(),
    RoundOpened(),
)
_FIRST_BET: Final = len(_BEFORE) + 1
_ROUND: Final[tuple[Body, ...]] = (
    *(BetOffered(place, f"bettor {place}", "pair_or_better", 100_00) for place in PLACES),
    *(CardDrawn("shoe", card) for card in PACK[: 3 * (len(PLACES) + 1)]),
    *(HandOpened(place) for place in PLACES),
)
"""Seven bets, 24 cards, seven hands; the dealer's lies face down still."""


def measure(rounds: int) -> list[Figure]:
    """Milliseconds until the first amendment of a round is answered, the dry run before it included."""
    took = list[tuple[float, float]]()
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            took.append(asyncio.run(_answered_ms(Path(folder))))
    wall_ms, processor_ms = (statistics.median(each) for each in zip(*took, strict=True))
    name = "a stake of a full round put right, dry run included"
    return [
        Figure(f"{name}, median", wall_ms, "ms", target=TARGET_MS),
        Figure(f"{name}, median of processor time", processor_ms, "ms"),
    ]


async def _answered_ms(folder: Path) -> tuple[float, float]:
    """Until the answer: by the clock, and of a processor, the writer's thread included."""
    game, journal = QPokerGame(load_rules("q_poker")), open_journal(folder)
    table = LiveTable(game, journal, SystemClock("bench"), ("bench", "table"), Table[QPoker])
    table.recover()
    try:
        async with asyncio.TaskGroup() as group:
            running = group.create_task(table.run())
            for body in (*_BEFORE, *_ROUND):
                _granted(await table.ask(_fact(body)))
            took_ms = await _amended_ms(table)
            running.cancel()
    finally:
        await asyncio.to_thread(table.shut)
    return took_ms


async def _amended_ms(table: LiveTable[Any]) -> tuple[float, float]:
    asked = RoundAmended("the chips were counted again", (Change(_FIRST_BET, json.dumps({"stake": "200"})),))
    round_id = table.game.round_id(table.state.game)
    begun_ns, spent_ns = time.perf_counter_ns(), time.process_time_ns()
    for standing in (Standing(FLOOR.roles, dry=True), FLOOR):
        fact = _fact(asked, by="ana", second="sam", round_id=round_id, seen=table.state.records)
        _granted(await table.ask(fact, standing))
    return (time.perf_counter_ns() - begun_ns) / 1e6, (time.process_time_ns() - spent_ns) / 1e6


def _fact(body: Body, **about: Any) -> Fact:
    return Fact(body, SystemClock("bench").now(), "bench", **about)


def _granted(reply: Reply) -> None:
    if reply.refused is not None:
        raise UnmeasuredError(f"refused: {reply.refused.code}")
