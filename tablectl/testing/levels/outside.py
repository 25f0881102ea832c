# ruff: noqa: D102  # what each of a rig's doings is, `Rig` says
"""Rig around a table that runs by itself.

All that is known of the table comes from its people, its subscribers and its wires.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from drivers.sim.faults import trigger_for
from drivers.sim.stand import plug, unplug
from drivers.sim.wheel import SimulatedWheel
from tablectl.core.faults import Code
from tablectl.mqtt.client import BrokerError
from tablectl.mqtt.reconnect import subscribe
from tablectl.mqtt.settings import parse_broker_url
from tablectl.testing.blocking import own_folder
from tablectl.testing.console import Console, Health, SilentError, client
from tablectl.testing.scenarios.amending import Amended, Amending
from tablectl.testing.scenarios.device_steps import ON, facts_of, steady_wheel
from tablectl.testing.scenarios.journal_check import facts_onto, unpack_journal
from tablectl.testing.scenarios.parser import kind_at
from tablectl.testing.scenarios.runner import Holds, kind_of
from tablectl.testing.scenarios.scenario import Form, NotPlayableError, NotSoError
from tablectl.testing.table_under_test import Doing, TableUnderTest
from tablectl.testing.timeline import Lane, Timeline
from tablectl.testing.wires import Wires

CLOCK_S: Final = 330.0
"""The longest clock of any game, and some."""

READY_WITHIN_S: Final = 60.0
LOOK_EVERY_S: Final = 0.02
QUIET: Final = 1 / 60
"""For this share of the patience nothing is reported of bytes that may have been lost: then nothing will be."""

LOG_LINES: Final = 3
UP: Final = frozenset({"ok", "degraded"})


class OutsideRig:
    """A table as it looks from its wires, its console and its broker."""

    def __init__(self, table: TableUnderTest, console: Console, timeline: Timeline, tasks: asyncio.TaskGroup) -> None:
        self.table = table
        self.console = console
        self.published: list[Form] = []
        self.news = asyncio.Event()
        self.already = 0  # the last event from before the subscription
        self._timeline = timeline
        self._tasks = tasks
        self._steady()
        self._wires = Wires(table.config, table.stands, timeline)
        self._arrivals: list[tuple[float, Form]] = []
        self._going: asyncio.Task[None] | None = None
        self._last: Health | None = None

    # --- what is seen

    @property
    def phase(self) -> str:
        return str(self.console.state["phase"])

    @property
    def waiting(self) -> str:
        return str(self.console.state["waiting"]["en"])

    def public(self) -> Mapping[str, Any]:
        shown: Mapping[str, Any] = self.console.state["round"]
        return shown

    def standing(self) -> set[int]:
        return {int(item["code"]) for item in self.console.state["faults"]}

    def attached(self, device: str) -> bool:
        """Return True if the table has this device."""
        return any(item["name"] == device and item["attached"] for item in self.console.state.get("devices", ()))

    # --- what is done

    async def ask(self, verb: str, fields: Form, by: str) -> str:
        try:
            return await self.console.ask(verb, fields, by)
        except SilentError as error:
            raise NotSoError(f"{error}{await self._log()}") from None

    async def records(self, round_id: str) -> Sequence[Form]:
        return await self.console.records(round_id)

    async def amend(self, asked: Amending) -> Amended:
        return await self.console.amend(asked)

    async def act(self, device: str, act: str, rest: Form) -> None:
        stand, kind = self.table.stands[device], kind_at(self.table.config, device)
        before, sent = await self.console.health(), self._wires.sent[device]
        doing = self._at(lambda: self.table.act(stand, kind, act, rest))
        if act == ON:
            self._going = self._tasks.create_task(doing)
        else:
            await doing
        await self._taken_in(device, before, sent, facts_of(act, rest), steady=act != ON)

    async def unplug(self, device: str) -> None:
        await self._at(lambda: unplug(self.table.stands[device]))
        await self.table.pulled(device)
        await self.until(f"the table misses the {device}", lambda: not self.attached(device))

    async def plug(self, device: str) -> None:
        await self.table.put_back(device)
        await self._at(lambda: plug(self.table.stands[device]))
        await self.table.joined(device)
        await self.until(f"the table has the {device}", lambda: self.attached(device))

    async def fault(self, code: Code, device: str) -> None:
        trigger = trigger_for(code, kind_at(self.table.config, device))
        await self._at(lambda: trigger.begin(self.table.stands[device]))
        if not trigger.needs:
            await self.until(f"fault {code}", lambda: int(code) in self.standing() or self._raised(code))

    async def clear(self, code: Code, device: str) -> None:
        """End the cause of a fault.

        Raises:
            NotSoError: the cause is over at once, so that it has no end.
        """
        trigger = trigger_for(code, kind_at(self.table.config, device))
        if trigger.end is None:
            raise NotSoError(f"fault {code} has no end: its cause is over at once")
        end, stand = trigger.end, self.table.stands[device]
        await self._at(lambda: end(stand))

    async def time_is_up(self) -> None:
        """Wait until the clock ends the phase.

        Raises:
            NotPlayableError: a clock of minutes isn't waited for at this level.
        """
        if not self.table.waits_out_clocks:
            raise NotPlayableError("a clock of minutes isn't waited for here: --wait-out-clocks does")
        phase = self.phase
        async with asyncio.timeout(CLOCK_S):
            while self.phase == phase:
                await self._news()

    async def restart(self, after_s: int) -> None:
        """Refuse: who looks at a table from outside doesn't kill it.

        Raises:
            NotPlayableError: always.
        """
        raise NotPlayableError(f"a table that runs by itself isn't killed here, for {after_s} s or at all")

    async def caught_up(self) -> None:
        """Waits until everything that is stored has been published."""
        last = (await self.console.health()).sequence
        await self.until(f"event {last} from the broker", lambda: self._newest() >= last)

    async def look_back(self) -> None:
        if self.table.state is not None:
            await asyncio.to_thread(facts_onto, self._timeline, self.table.state)
        elif self.table.journal is not None:
            try:
                archive = await self.table.journal()
                await asyncio.to_thread(self._facts_of, archive)
            except OSError as error:
                self._timeline.note(Lane.FACT, "", f"the journal can't be had: {error}")

    def _facts_of(self, archive: bytes) -> None:
        with own_folder() as folder:
            unpack_journal(archive, folder)
            facts_onto(self._timeline, folder, self._arrivals)

    async def until(self, what: str, holds: Holds) -> None:
        try:
            async with asyncio.timeout(self.table.patience_s):
                while not holds():
                    await self._news()
        except TimeoutError:
            raise NotSoError(f"waited {self.table.patience_s:.0f} s for: {what}{await self._log()}") from None

    def stop(self) -> None:
        """Ends what still goes on at the devices."""
        if self._going is not None:
            self._going.cancel()

    def heard(self, payload: bytes) -> None:
        """An event came from the broker."""
        event = json.loads(payload)
        self.published.append(event)
        self._arrivals.append((self._timeline.now_s(), event))
        said = json.dumps(event["data"], ensure_ascii=False)
        self._timeline.note(Lane.MESSAGE, "", f"{kind_of(event)} {said}")
        self.news.set()

    # --- inside

    async def _at(self, doing: Doing) -> None:
        await self.table.at_devices(doing)

    def _steady(self) -> None:
        for stand in self.table.stands.values():
            if isinstance(stand.simulator, SimulatedWheel):
                stand.simulator = steady_wheel(stand.simulator)

    async def _news(self) -> None:
        self.news.clear()
        await self.news.wait()

    def _newest(self) -> int:
        return max((int(event["sequence"]) for event in self.published), default=self.already)

    def _raised(self, code: Code) -> bool:
        return any(event["data"].get("code") == int(code) for event in self.published if "fault." in event["type"])

    async def _taken_in(self, device: str, before: Health, sent: int, facts: int, *, steady: bool) -> None:
        """Wait until the table has stored a device's reports, by its own counters."""
        wanted = self._wires.sent[device] - sent
        try:
            async with asyncio.timeout(self.table.patience_s):
                health = await self._counted(device, before, wanted, facts, steady=steady)
        except TimeoutError:
            awaited = f"waited {self.table.patience_s:.0f} s for: {facts} facts of the {device}"
            ladder = self._ladder(device, before, wanted)
            raise NotSoError(f"{awaited}; {ladder}{await self._log()}") from None
        await self.until("the newest state", lambda: self.console.state["seen"] >= health.records)

    async def _counted(self, device: str, before: Health, wanted: int, facts: int, *, steady: bool) -> Health:
        loop = asyncio.get_running_loop()
        past, since_s = before, loop.time()
        while True:
            now = self._last = await self.console.health()
            if now.records != past.records:
                past, since_s = now, loop.time()
            came, was = now.devices[device], before.devices[device]
            stored = now.records - before.records >= facts and now.queue == 0
            told = came["facts"] - was["facts"] >= facts and stored
            arrived = came["bytes"] - was["bytes"] >= wanted and now is not past
            if told and (arrived or not steady or loop.time() - since_s > self.table.patience_s * QUIET):
                return now
            await asyncio.sleep(LOOK_EVERY_S)

    def _ladder(self, device: str, before: Health, sent: int) -> str:
        """How far what was sent came: each step clears one suspect."""
        now = self._last or before
        came, was = now.devices[device], before.devices[device]
        steps = ", ".join(f"{name} {came[name] - was[name]}" for name in ("bytes", "frames", "rejected", "facts"))
        return f"the device sent {sent} bytes, the table had: {steps}"

    async def _log(self) -> str:
        return await _end_of_log(self.table)


@asynccontextmanager
async def around(table: TableUnderTest, timeline: Timeline) -> AsyncGenerator[OutsideRig]:
    """A rig around a table that is at work, once it is up and has all its devices."""
    timeline.now_s()
    async with client(table.console, table.patience_s) as http, asyncio.TaskGroup() as tasks:
        console = Console(http, table.people, lambda: rig.news.set())  # noqa: PLW0108  # there is no rig yet
        rig = OutsideRig(table, console, timeline, tasks)
        there = asyncio.Event()
        running = [tasks.create_task(_listen(table, rig, there))]
        try:
            rig.already = await _up(table, console, there)
            running.append(tasks.create_task(console.watch()))
            await rig.until("the table has all its devices", lambda: all(map(rig.attached, table.config.devices)))
            yield rig
        finally:
            rig.stop()
            for task in running:
                task.cancel()


async def _listen(table: TableUnderTest, rig: OutsideRig, there: asyncio.Event) -> None:
    settings = parse_broker_url(table.broker)
    client_id = f"tablectl-rig-{id(rig):x}"

    def on_connection(error: BrokerError | None) -> None:
        if error is None:
            there.set()

    async for message in subscribe(settings, (table.events,), client_id, on_connection):
        rig.heard(message.payload)


async def _up(table: TableUnderTest, console: Console, there: asyncio.Event) -> int:
    """Wait until the daemon reports that it is up, and has a subscriber.

    Returns:
        The number of its last event.
    """
    word, within_s = "no answer", max(READY_WITHIN_S, table.patience_s)
    try:
        async with asyncio.timeout(within_s):
            await there.wait()
            while word not in UP:
                word = await _word(console)
                if word not in UP:
                    await asyncio.sleep(LOOK_EVERY_S)
            await console.look()
            return (await console.health()).sequence
    except TimeoutError:
        where = f"the broker at {table.broker}" if not there.is_set() else f"the table at {table.console}"
        raise NotSoError(f"{where} isn't up after {within_s:.0f} s ({word}){await _end_of_log(table)}") from None


async def _end_of_log(table: TableUnderTest) -> str:
    lines = await asyncio.to_thread(table.said)
    return "".join(f"\n  log: {line}" for line in lines[-LOG_LINES:])


async def _word(console: Console) -> str:
    try:
        return (await console.health()).word
    except SilentError:
        return "no answer"


def since(published: Sequence[Form]) -> list[Form]:
    """The events in the order of their numbers, each once."""
    by_number = {int(event["sequence"]): event for event in published}
    return [by_number[number] for number in sorted(by_number)]
