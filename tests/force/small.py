"""A small table: the daemon's own start, journal, fold, keys and end; its devices, broker and console are a few lines.

It starts in a tenth of a second, so that it can be killed at every system call. It plays by itself and writes down
what it told whom, in a file beside its state folder: that file is the memory of everybody outside.
"""

import asyncio
import hashlib
import json
import multiprocessing
import os
import resource
import secrets
import subprocess
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any, Final

from tablectl.config import load
from tablectl.config.checks import state_dir
from tablectl.config.models import Config
from tablectl.core.effects import BlankDisplay, Command, RequestDraw, ShowDraw, ShuffleCards
from tablectl.core.facts import Body, Fact
from tablectl.core.facts.reports import (
    CardDrawn,
    DeviceAttached,
    DrawCommitted,
    DrawShown,
    PacketDelivered,
    ShuffleCompleted,
)
from tablectl.core.game_step import shown_phase, shown_round
from tablectl.core.outcomes import Series
from tablectl.core.protocols import StoredEvent
from tablectl.daemon import run
from tablectl.daemon.room_settings import StartError
from tablectl.daemon.session_start import begin, change_key
from tablectl.daemon.signing.keys import signing_key
from tablectl.daemon.signing.rotation import LogKeys
from tablectl.daemon.table import After, LiveTable
from tablectl.daemon.views.state_topics import About
from tablectl.journal.encoding import plain, read_fact, write_fact
from tablectl.mqtt.settings import BrokerSettings
from tablectl.players.moves import Ask, Deliver, Draw, Move
from tablectl.rule_tables import shipped
from tablectl.testing.scenarios.parser import request_of
from tests.force.players import next_move
from tests.force.seeded import SEEDED

Form = dict[str, Any]

MARK_EVERY: Final = 8
"""Events after which the journal is told what the broker has."""

PERSON: Final = "ana"


class Hold(StrEnum):
    """Where a table waits until somebody watches it."""

    NOWHERE = "nowhere"
    START = "start"
    PLAY = "play"


@dataclass(frozen=True, slots=True)
class Job:
    """What a small table is to do.

    Args:
        game: by the name of its demonstration.
        folder: where its state folder and what it said are.
        seeded: a mistake that is made in it on purpose.
        limit: the most bytes that a file of it may have; 0 is no limit.
    """

    game: str
    folder: Path
    hold: Hold = Hold.NOWHERE
    seeded: str = ""
    limit: int = 0

    @property
    def state(self) -> Path:
        """Where journal and keys are."""
        return self.folder / "state"

    @property
    def said(self) -> Path:
        """Where everything is written that anybody outside was told."""
        return self.folder / "said"

    def config(self) -> Config:
        """The demonstration's, with this folder."""
        return load(shipped(f"tables/{self.game}.demo.toml"), {"paths.state": str(self.state), "log.level": "error"})


@dataclass(slots=True)
class Outside:
    """All that is not the table: what devices did, what the dealer asked for last, what they were answered."""

    handle: int
    done: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    reports: dict[str, str] = field(default_factory=dict[str, str])
    stored: set[str] = field(default_factory=set[str])
    asked: str = ""

    def say(self, kind: str, **form: Any) -> None:
        """Writes down what somebody outside was told or did; it outlives this process."""
        line = json.dumps({"kind": kind, **form}, separators=(",", ":"))
        os.write(self.handle, line.encode() + b"\n")
        self.take({"kind": kind, **form})

    def take(self, form: Form) -> None:
        """Remembers a line."""
        match form["kind"]:
            case "did":
                self.done.setdefault(form["what"], []).append(form["operation"])
            case "reported":
                self.reports[form["delivery"]] = form["fact"]
            case "stored":
                self.stored.add(form["delivery"])
            case "asked":
                self.asked = form["fact"]
            case _:
                pass


def said(path: Path) -> list[Form]:
    """Every line of what was said; half a line was said to nobody."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


@dataclass(slots=True)
class SmallTable:
    """The rooms around a table, and whoever plays at it."""

    config: Config
    table: LiveTable[Any]
    outside: Outside
    name: str
    moved: asyncio.Event = field(default_factory=asyncio.Event)
    offered: int = 0

    # --- what follows a stored step

    def offer(self, events: Sequence[StoredEvent]) -> None:
        """Gives events to the broker."""
        digests = [[event.sequence, hashlib.sha256(event.payload).hexdigest()] for event in events]
        self.outside.say("sent", events=digests)
        self.offered = events[-1].sequence

    def command(self, command: Command) -> None:
        """Has a device do something, once; asked again it knows that it is done."""
        match command:
            case RequestDraw(number):
                self._do("draw", number, DrawCommitted("draw", number, Series.UPPER, 3))
            case ShuffleCards(number):
                self._do("shuffle", number, ShuffleCompleted("shuffler", number, 52))
            case ShowDraw(number, series, combination):
                self._do("show", number, DrawShown("display", number, series, combination))
            case BlankDisplay(number):
                self.outside.say("blanked", operation=number)
            case _:
                raise AssertionError(command)

    def changed(self) -> None:
        """Has the player look again."""
        self.moved.set()

    def _do(self, what: str, operation: int, outcome: Body) -> None:
        if operation not in self.outside.done.get(what, []):
            self.outside.say("did", what=what, operation=operation)
            self.report(outcome)

    # --- what comes in

    def report(self, body: Body) -> None:
        """A device reports, and keeps what it reported until the table has it."""
        source = str(getattr(body, "device", ""))
        number = 1 + sum(name.startswith(f"{source}.") for name in self.outside.reports)
        delivery = f"{source}.1:{number}"
        fact = Fact(body, self.table.note(body).at, source, delivery=delivery)
        self.outside.say("reported", delivery=delivery, fact=write_fact(fact).decode())
        self._tell(fact)

    def _tell(self, fact: Fact) -> None:
        self.table.tell(fact, lambda: self.outside.say("stored", delivery=fact.delivery))

    async def ask(self, body: Body) -> None:
        """The dealer makes a request."""
        state = self.table.state
        fact = Fact(
            body,
            self.table.note(body).at,
            "console",
            by=PERSON,
            request_id=secrets.token_hex(8),
            round_id=self.table.game.round_id(state.game),
            seen=state.records,
        )
        self.outside.say("asked", fact=write_fact(fact).decode())
        await self._send(fact, again=False)

    async def _send(self, fact: Fact, *, again: bool) -> None:
        reply = await self.table.ask(fact)
        refused = reply.refused.code if reply.refused else ""
        self.outside.say("answered", name=fact.request_id, record=reply.record, refused=refused, again=again)
        if refused and not again:
            raise AssertionError(f"the dealer did what the table asked for, and was refused: {refused}")

    # --- its life

    async def play(self) -> None:
        """Comes back, goes on with what was under way, and plays the script to its end."""
        await self._attach()
        await self._send_what_was_sent_before()
        self._tell_again()
        for command in self.table.game.outstanding(self.table.state.game):
            self.command(command)
        if self.outside.asked:
            await self._send(read_fact(self.outside.asked.encode()), again=True)
        self.show(came_back=True)
        while (move := next_move(self.name, self.view())) is not None:
            await self._step(move)

    def view(self) -> Form:
        """What a person at the table sees."""
        game, state = self.table.game, self.table.state.game
        devices = [{"name": name, "attached": True} for name in self.config.devices]
        form = {"phase": shown_phase(game, self.table.state), "round_id": game.round_id(state), "devices": devices}
        return form | {"round": json.loads(json.dumps(plain(game.public(state))))}

    def show(self, *, came_back: bool = False) -> None:
        """Shows the table to whoever looks."""
        game, state = self.table.game, self.table.state
        form = {"phase": shown_phase(game, state), "round": self.view()["round"], "seen": state.records}
        self.outside.say("shown", round_id=shown_round(game, state), came_back=came_back, **form)

    async def _step(self, move: Move) -> None:
        self.moved.clear()
        before = self.table.state.records
        match move:
            case Ask(verb, fields):
                await self.ask(request_of(verb, dict(fields)))
            case Draw(card):
                self.report(CardDrawn("shoe", card))
                await self._until_moved(before)
            case Deliver(cards):
                self.report(PacketDelivered("shuffler", len(cards)))
                await self._until_moved(before)
            case _:
                await self._until_moved(before)
        self.show()
        await self._mark()

    async def _until_moved(self, before: int) -> None:
        while self.table.state.records == before:
            await self.moved.wait()
            self.moved.clear()

    async def _mark(self) -> None:
        if self.offered - self.table.journal.published() >= MARK_EVERY:
            await self.table.journal.mark_published(self.offered)
            await self.table.journal.signed_checkpoint(self.table.origin.log, signing_key(state_dir(self.config)))

    async def _attach(self) -> None:
        for name in sorted(self.config.devices):
            await self.table.ask(self.table.note(DeviceAttached(name, boot="1")))

    async def _send_what_was_sent_before(self) -> None:
        """What the journal doesn't know to be with the broker goes there, in order, before anything new."""
        waiting = await self.table.journal.events_after(self.table.journal.published(), 100_000)
        if waiting:
            self.offer(waiting)
        self.table.after = After(self.offer, self.command, self.changed)

    def _tell_again(self) -> None:
        for delivery, fact in list(self.outside.reports.items()):
            if delivery not in self.outside.stored:
                self._tell(read_fact(fact.encode()))


def context() -> ForkServerContext:
    """Forks small tables from a process that has imported everything already."""
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload(["tests.support.preloaded", "tests.force.small"])
    return made


def main(job: Job, gate: Connection) -> None:
    """Runs a small table in a process of its own; its exit code is the daemon's."""
    heard = os.open(job.said, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    words = os.open(job.folder / "words", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with _kept_short(job.limit, words, heard) as (words, heard):
        os.dup2(words, 1)
        os.dup2(words, 2)
        outside = Outside(heard)
        for form in said(job.said):
            outside.take(form)
        if job.seeded:
            SEEDED[job.seeded]()
        _wait(gate, threading.get_native_id(), here=job.hold is Hold.START)
        code = _run(job, outside, gate)
        sys.stderr.flush()
    os._exit(code)


@contextmanager
def _kept_short(limit: int, *handles: int) -> Generator[tuple[int, ...]]:
    """Lets no file of this process become longer than so; what goes to these files goes through others, who may."""
    if not limit:
        yield handles
        return
    writers = [subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=handle) for handle in handles]
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    yield tuple(writer.stdin.fileno() for writer in writers if writer.stdin is not None)
    os.closerange(1, 3)  # they were made copies of what goes through the writers
    for writer in writers:
        writer.communicate()


def _run(job: Job, outside: Outside, gate: Connection) -> int:
    async def live(config: Config, _broker: BrokerSettings, table: LiveTable[Any], about: About, keys: LogKeys) -> None:
        await _live(SmallTable(config, table, outside, job.game), about, keys, job, gate)

    setattr(run, "_live", live)  # noqa: B010  # the daemon with all around it is what this stands for
    try:
        return run._run(job.config())
    except StartError as error:
        outside.say("ended", why=str(error))
        sys.stderr.write(f"{error}\n")
        return error.exit_code


async def _live(small: SmallTable, about: About, keys: LogKeys, job: Job, gate: Connection) -> None:
    _wait(gate, small.table.journal._worker._thread.native_id or 0, here=job.hold is Hold.PLAY)
    async with asyncio.TaskGroup() as group:
        writer = group.create_task(small.table.run())
        await begin(small.config, small.table, about, secrets.token_hex(4))
        if keys.change is not None:
            await change_key(state_dir(small.config), small.table, keys.change)
        await small.play()
        await small.table.close()
        await small._mark()
        writer.cancel()


def _wait(gate: Connection, thread: int, *, here: bool) -> None:
    """Says which thread is to be watched from here on, and waits until it is."""
    if here:
        gate.send(thread)
        gate.recv()
