"""The rig with wires and no daemon: the live table and its journal, the supervisor and the real drivers."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from drivers.devices import commanded, fault_of
from tablectl.config import load
from tablectl.config.checks import device_of
from tablectl.config.game_setup import game_of
from tablectl.config.models import Config
from tablectl.console.requests.routes import SECOND_NEEDED as REFUSED_ALONE
from tablectl.core.effects import Command, StartTimer, StopTimer
from tablectl.core.facts import Body, Fact, LogBegan, SessionBegan, Stamp, TimerElapsed
from tablectl.core.protocols import Commanded, Driver, Standing, StoredEvent, Teller
from tablectl.daemon.devices.drivers import driver_of
from tablectl.daemon.devices.presence import Presence
from tablectl.daemon.devices.supervisor import Pace, Supervised, Tolerance
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.table import After, LiveTable
from tablectl.features.demo.devices import bench
from tablectl.journal.journal import open_journal
from tablectl.testing.scenarios.amending import SECOND_NEEDED, Amended, Amending
from tablectl.testing.scenarios.parser import demo_table, request_of
from tablectl.testing.scenarios.runner import refusal
from tablectl.testing.scenarios.scenario import Form, Scenario
from tests.support.rig_wired import WiredRig, same_wheel

CALM = Tolerance(clean_s=0.3, look_s=0.05)
QUICK = Pace(first_s=0.02, longest_s=0.1, steady_s=0.5)


class Bare:
    """The seat at the table itself: requests go straight to it, and what follows a step is done here."""

    def __init__(self, rig: WiredRig) -> None:
        self.published: list[Form] = []
        self.drivers: list[Driver] = []
        self.presences: dict[str, Presence] = {}
        self._rig = rig
        self._clock = SystemClock("boot")
        self._timer: StartTimer | None = None

    def make_drivers(self) -> None:
        """Makes the drivers; it reads rule tables, so not inside the loop."""
        config = self._rig.config
        self.drivers = [driver_of(config, name, self.presences[name], self._clock, "") for name in config.devices]

    async def ask(self, verb: str, fields: Form, by: str) -> str:
        fact = Fact(request_of(verb, fields), self._clock.now(), "console", by=by)
        refused = (await self._rig.table.ask(fact, Standing((by,)))).refused
        return SECOND_NEEDED if refused is not None and refused.code in REFUSED_ALONE else refusal(refused)

    async def amend(self, asked: Amending) -> Amended:
        table = self._rig.table
        body = request_of("amend", asked.fields)
        fact = Fact(body, self._clock.now(), "console", by=asked.by, second=asked.second or None)
        fact = replace(fact, round_id=asked.round_id, seen=table.state.records)
        reply = await table.ask(fact, Standing(asked.roles, asked.dry_run))
        if reply.refused is not None and reply.refused.code in REFUSED_ALONE:
            return Amended(SECOND_NEEDED, {})
        return Amended(refusal(reply.refused), reply.outcome or {})

    def time_is_up(self) -> bool:
        if self._timer is None:
            return False
        self._rig.table.tell(self._rig.table.note(TimerElapsed(self._timer.operation)))
        return True

    # --- what follows a stored step

    def offer(self, events: Sequence[StoredEvent]) -> None:
        self.published += [json.loads(event.payload) for event in events]

    def command(self, command: Command) -> None:
        if isinstance(command, StartTimer | StopTimer):
            self._timer = command if isinstance(command, StartTimer) else self._timer
            return
        name = device_of(self._rig.config, commanded(type(command), ()))
        for driver in self.drivers:
            if driver.name == name and isinstance(driver, Commanded):
                driver.command(command)

    def changed(self) -> None:
        self._rig.changed()

    def teller(self, name: str) -> Teller:
        def tell(
            body: Body, *, at: Stamp | None = None, stored: Callable[[], None] | None = None, delivery: str = ""
        ) -> None:
            def kept() -> None:
                self._rig.took(name, body)
                if stored is not None:
                    stored()

            fact = Fact(body, at or self._clock.now(), name, simulated=True, delivery=delivery)
            self._rig.table.tell(fact, kept)

        return tell


def demo_config(scenario: Scenario, folder: Path) -> Config:
    """The demonstration's table with the scenario's settings."""
    paths = {"paths.state": str(folder / "state"), "paths.runtime": str(folder / "run")}
    return load(demo_table(scenario.game), {**paths, **scenario.settings})


@contextmanager
def journalled(config: Config, folder: Path) -> Generator[LiveTable[Any]]:
    """The configuration's table with its journal in this folder; made and shut outside the loop, for both block."""
    played = game_of(config)
    journal = open_journal(folder)
    table: LiveTable[Any] = LiveTable(played.make(config), journal, SystemClock(), ("site", "table"), played.table)
    table.recover()
    try:
        yield table
    finally:
        table.shut()


@asynccontextmanager
async def at_table(config: Config, table: LiveTable[Any], folder: Path) -> AsyncGenerator[WiredRig]:
    """The table at work with all its devices attached, until the end of the block."""
    devices = {name: section.model_dump() for name, section in config.devices.items()}
    async with bench(devices, folder, 0) as stands, asyncio.TaskGroup() as tasks:
        rig = WiredRig(config, table, same_wheel(stands))
        seat = rig.seat = Bare(rig)
        seat.presences = {name: Presence(name, seat.teller(name)) for name in config.devices}
        await asyncio.to_thread(seat.make_drivers)
        table.after = After(seat.offer, seat.command, seat.changed)
        writer = tasks.create_task(table.run())
        await table.ask(table.note(LogBegan("5eed0001", "site", "table", session="s1"), simulated=True))
        began = SessionBegan("s1", "1", "hash", table.game.name, table.game.rules_version, simulated=True)
        await table.ask(table.note(began))
        running = [
            tasks.create_task(
                Supervised(driver, seat.presences[driver.name], fault_of, pace=QUICK, tolerance=CALM).run()
            )
            for driver in seat.drivers
        ]
        try:
            await rig.until("all devices", rig.attached)
            yield rig
        finally:
            rig.stop()
            for task in running:
                task.cancel()
            await asyncio.wait(running)
            writer.cancel()
