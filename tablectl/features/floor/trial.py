"""A whole floor on one machine, for trials.

It has brokers, databases, tables that play, recorders and the floor page. Everything that it starts ends with it.
"""

import asyncio
import json
import sys
import tomllib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

from tablectl.edited_files import read_text
from tablectl.features.common.errors import first_of
from tablectl.features.common.language import said
from tablectl.features.demo.console import DemoError
from tablectl.features.demo.devices import bench
from tablectl.features.demo.layout import SUPERVISOR, SURVEILLANCE, Options, demo_folder, stand_of
from tablectl.features.demo.processes import free_port, start
from tablectl.features.demo.runner import own_broker, play_table, running, until_signalled
from tablectl.features.demo.summary import Output, Show
from tablectl.features.floor.backbone import PITS, READERS, SHARDS, STOPS_WITHIN_S, Program, backbone_in
from tablectl.features.floor.database import Pair, programs_of_postgres
from tablectl.features.tail.follower import Follower
from tablectl.journal.files import write_whole
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import GAMES, shipped
from tablectl.words import Language
from tablectl.words.reason import reason

PROGRAM: Final = (sys.executable, "-P", "-m", "tablectl")
STARTS_BETWEEN_S: Final = 0.5
"""Tables begin one after the other, so that the machine isn't held up by all of them at once."""

SITE: Final = "demo"

MAY: Final = (
    ("subscribers.recorder.may", ("replay",)),
    ("subscribers.recorder.reads", ("round", "bet", "card", "draw", "wheel", "dice", "fault", "fairness", "audit")),
    ("subscribers.floor.may", ("status", "bookmark", "acknowledge")),
    ("subscribers.floor.role", "supervisor"),
)
"""What recorder and floor page may ask of a table, as its configuration says it."""


@dataclass(frozen=True, slots=True)
class Trial:
    """How big the floor is, and how it plays.

    Args:
        tables: how many; the games come in turn.
        speed: 1 is human, 0 as fast as possible.
        keep: where everything is kept; None throws it away at the end.
        small: whether one broker, one recorder and an SQLite file do, as for one room.
    """

    tables: int
    speed: float
    language: Language
    keep: Path | None = None
    small: bool = False

    def names(self) -> list[tuple[str, str]]:
        """The name and the game of each table."""
        games = islice(cycle(GAMES), self.tables)
        return [(f"{game[0]}{nth}", game.replace("_", "-")) for nth, game in enumerate(games, 1)]

    def pits(self) -> Mapping[str, Sequence[str]]:
        """The places of the tables in each pit."""
        places = [f"{SITE}/{name}" for name, _ in self.names()]
        half = (len(places) + 1) // 2
        return dict(zip(PITS, (places[:half], places[half:]), strict=True))


@dataclass(frozen=True, slots=True)
class Ground:
    """Brokers and databases of a floor, before its tables are there.

    Args:
        brokers: the address of each pit's broker.
        sections: of whoever reads, by their name at the brokers: the sections of their configuration.
        recorders: how many there are, which share the tables.
    """

    brokers: Mapping[str, str]
    sections: Mapping[str, Mapping[str, Any]]
    recorders: int = 1


Play = Callable[[Trial, Path, Ground, Callable[[str], None]], Awaitable[None]]
"""Plays at the tables of a floor, in its folder, for ever."""


async def play_at_all(trial: Trial, folder: Path, ground: Ground, tell: Callable[[str], None]) -> None:
    """Play at a whole table each, with its daemon and simulated devices."""
    pit_of = {place: pit for pit, places in trial.pits().items() for place in places}
    async with asyncio.TaskGroup() as tables:
        for nth, (name, game) in enumerate(trial.names()):
            broker = ground.brokers[pit_of[f"{SITE}/{name}"]]
            tables.create_task(_table(trial, nth, name, game, folder / name, broker, tell))
            await asyncio.sleep(STARTS_BETWEEN_S)


def floor_up(trial: Trial, tell: Callable[[str], None], play: Play = play_at_all) -> None:
    """Run the floor until a signal ends it.

    Args:
        tell: takes a line for people.
        play: what its tables are.

    Raises:
        DemoError: in an exception group: brokers, database or floor page can't be had.
    """
    with demo_folder(trial.keep) as folder:
        asyncio.run(until_signalled(_floor(trial, folder, tell, play)))


async def _floor(trial: Trial, folder: Path, tell: Callable[[str], None], play: Play) -> None:
    page = f"http://127.0.0.1:{free_port()}"
    async with AsyncExitStack() as stack:
        kept = await stack.enter_async_context(asyncio.TaskGroup())
        if trial.small:
            ground = _small(folder, await stack.enter_async_context(own_broker(folder)))
        else:
            ground = await _whole(trial, folder, kept, tell)
        await asyncio.to_thread(_configure, trial, folder, ground, page)
        called = {name: (*PROGRAM, *of, "--config", str(folder / f"{name}.toml"), "--lang", trial.language)
                  for name, of in {"record": ("record",), "floor": ("floor", "serve")}.items()}  # fmt: skip
        for nth in range(1, ground.recorders + 1):
            recorder = Program(f"tablectl record {nth}", called["record"], folder / f"record{nth}.log")
            kept.create_task(recorder.run(trial.language, tell))
        child = await start("tablectl floor serve", called["floor"], folder / "floor.log")
        await stack.enter_async_context(running(child, STOPS_WITHIN_S))
        people = ", ".join("/".join(person) for person in (SUPERVISOR, SURVEILLANCE))
        tell(said("floor.trial_page", trial.language, url=page, people=people))
        for pit, url in ground.brokers.items():
            tell(said("floor.trial_broker", trial.language, pit=pit, url=url))
        tell(said("floor.trial_record", trial.language, path=folder / "record.toml"))
        tell(said("floor.trial_folder", trial.language, path=folder))
        await play(trial, folder, ground, tell)


def _small(folder: Path, broker: str) -> Ground:
    """One broker and an SQLite file, of which one recorder is enough."""
    store = {"url": f"sqlite:{folder}/floor.db"}
    sections = {user: {"broker": {"url": broker, "user": user}, "store": store} for user in READERS}
    return Ground(dict.fromkeys(PITS, broker), sections)


async def _whole(trial: Trial, folder: Path, kept: asyncio.TaskGroup, tell: Callable[[str], None]) -> Ground:
    """Two pits bridged to three nodes, PostgreSQL with a standby, two recorders."""
    backbone = await asyncio.to_thread(backbone_in, folder)
    programs = await asyncio.to_thread(programs_of_postgres)
    database = Pair(programs, folder / "postgres", folder / "postgres.log", trial.language, tell)
    for program in backbone.programs:
        kept.create_task(program.run(trial.language, tell))
    kept.create_task(database.run())
    url, *others = backbone.nodes
    at_nodes = {"url": url, "others": others, "protocol": "3.1.1", "shards": SHARDS}
    in_pits = {
        f"pit_brokers.{pit}": {"url": backbone.pits[pit], "tables": places}
        for pit, places in trial.pits().items()
        if places
    }
    sections = {
        user: {
            "broker": {**at_nodes, "user": user, "password_file": str(backbone.passwords[user])},
            **in_pits,
            "store": {"url": database.url},
        }
        for user in READERS
    }
    await database.ready.wait()
    return Ground(backbone.pits, sections, recorders=2)


async def _table(  # what a table is
    trial: Trial, nth: int, name: str, game: str, folder: Path, broker: str, tell: Callable[[str], None]
) -> None:
    """Play at one table for ever; where it breaks the others play on."""
    options = Options(
        seed=nth + 1, game=game, speed=trial.speed, broker=broker, language=trial.language, table=name, own=MAY
    )
    await asyncio.to_thread(folder.mkdir, mode=0o700, exist_ok=True)
    stand = await asyncio.to_thread(stand_of, options, folder, broker)
    show = Show(Follower(trial.language), trial.language, Output(lambda _: None, terminal=False), colour=False)
    place = f"{SITE}/{name}"

    def ready() -> None:
        tell(said("floor.trial_table", trial.language, place=place, game=game, url=stand.api))

    try:
        await play_table(options, stand, show, bench, ready)
    except* DemoError as broken:
        why = reason(first_of(broken), trial.language)
        tell(said("floor.trial_table_ended", trial.language, place=place, why=why, path=stand.log))


def _configure(trial: Trial, folder: Path, ground: Ground, page: str) -> None:
    """Write the configurations of recorder and floor page."""
    places = [f"{SITE}/{name}" for name, _ in trial.names()]
    record = {**ground.sections["recorder"], "tables": {"listen": places, "trust": "first_use"}}
    people = tomllib.loads(read_text(shipped("tables/q-poker.demo.toml")))["people"]
    floor: dict[str, Any] = {
        **ground.sections["floor"],
        "console": {"listen": page.removeprefix("http://")},
        "pits": trial.pits(),
        **{f"people.{name}": person for name, person in people.items()},
    }
    for name, sections in {"record": record, "floor": floor}.items():
        text = "\n".join(map(_section, sections.items()))
        write_whole(folder / f"{name}.toml", text.encode(), 0o600)


def _section(named: tuple[str, Mapping[str, Any]]) -> str:
    name, values = named
    return "".join([f"[{name}]\n", *(f"{key} = {json.dumps(value)}\n" for key, value in values.items())])
