"""The daemon: all rooms of one table, joined and kept alive."""

import asyncio
import gc
import secrets
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import tablectl
from tablectl.app.beginning import begin, change_key
from tablectl.app.devices import capture_of
from tablectl.app.diary import log_events
from tablectl.app.fleet import Fleet
from tablectl.app.lamps import Lamps
from tablectl.app.offering import window_of
from tablectl.app.publishing import Publishing
from tablectl.app.pulse import Pulse
from tablectl.app.schema import document
from tablectl.app.serving import Seen, console_of, limits_of, listen
from tablectl.app.signing import Signing
from tablectl.bus.settings import BrokerSettings
from tablectl.console.feed import Feed
from tablectl.core.effects import (
    Command,
    StartTimer,
    StopTimer,
)
from tablectl.core.ports import StoredEvent, TableStoppedError
from tablectl.proof.key_line import KeyChange
from tablectl.shell.board import Board
from tablectl.shell.clock import SystemClock
from tablectl.shell.config import Config, state_dir
from tablectl.shell.journal import JournalFailedError
from tablectl.shell.log import logger
from tablectl.shell.log_switch import SIGNAL as TURN_LOG
from tablectl.shell.log_switch import LevelSwitch
from tablectl.shell.notify import notify
from tablectl.shell.showcase import Showcase
from tablectl.shell.table import LiveTable
from tablectl.shell.timers import Timers
from tablectl.shell.topics import ASYNCAPI, BOARD, CHECKPOINT, HEALTH, ROUND, STATUS, About, StateTopics, device_topic
from tablectl.tools.recall_expected import chances_of

READY_AFTER_S = 3.0
"""How long the start waits for devices before it says that the table is up without some."""

HEALTH_EVERY_S = 30.0

TAKE_OVER = signal.SIGUSR1
"""Has the daemon ask another controller of its table to stop speaking; `tablectl take-over` sends it."""


class Daemon:
    """One table's rooms, joined. Facts come in, are stored, and what follows goes out; made and run inside the loop."""

    def __init__(
        self,
        config: Config,
        broker: BrokerSettings,
        table: LiveTable[Any],
        about: About,
        key_change: KeyChange | None = None,
    ) -> None:
        self.config = config
        self.table = table
        self.clock = SystemClock()
        self.session = secrets.token_hex(4)
        self.window = window_of(config, table, self.clock)
        self.timers = Timers(self.clock, lambda body: table.tell(table.note(body)))
        self.fleet = Fleet(config, table, self.clock)
        self.board = Board(table.game.name)
        self.showcase = Showcase(
            table, self.window, self.board.form, lambda: limits_of(self.window), self.timers.soonest_s
        )
        self._capture = capture_of(config, self.clock)
        self.topics = StateTopics(
            table, self.window, self.clock, about, self._measures, self.fleet.counters, self.board.form
        )
        self._publishing = Publishing(config, broker, table, self.topics, self.session)
        self._signing = Signing(state_dir(config), table, self._show_checkpoint)
        self._pulse = Pulse(self.clock)
        self.console_port = 0
        self._about = about
        self._key_change = key_change
        self._log_switch = LevelSwitch(state_dir(config))
        self._stop = asyncio.Event()
        self._ready = asyncio.Event()
        self._lamps = Lamps()

    async def run(self) -> None:
        """Lives until told to stop, or until the journal can't be written.

        Raises:
            JournalFailedError: in an exception group; the supervisor starts a new process, which reads what is on disk.
            StartError: in an exception group; the console's port can't be had.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._stop.set)
        loop.add_signal_handler(TAKE_OVER, self._publishing.take_over)
        loop.add_signal_handler(TURN_LOG, self._log_switch.signal)
        async with asyncio.TaskGroup() as group:
            writer = group.create_task(self._write())
            await begin(self.config, self.table, self._about, self.session)
            if self._key_change is not None:
                await change_key(state_dir(self.config), self.table, self._key_change)
            outside = self._begin_outside(group)
            await self._stop.wait()
            await self._end(outside)
            writer.cancel()

    # --- what follows a stored step (After)

    def offer(self, events: Sequence[StoredEvent]) -> None:
        """Publishes events, and what follows from them."""
        log_events(events)
        self._publishing.offer(events)
        self.showcase.take(events)
        if self.board.take(events):
            self._publishing.touch(BOARD)
        self._signing.offer(events)

    def command(self, command: Command) -> None:
        """Asks the device that can do it."""
        if isinstance(command, StartTimer | StopTimer):
            self.timers.command(command)
        else:
            self.fleet.command(command)

    def changed(self) -> None:
        """Shows the new state on the state topics that it touches, and to the console."""
        self._publishing.touch(ROUND)
        self._touch_devices()
        self.window.tell_watchers()

    def _touch_devices(self) -> None:
        state = self.table.state
        turned = self._lamps.turned(state.devices, state.faults)
        self._publishing.touch(*(device_topic(name) for name in turned if name in self.config.devices))
        if self._lamps.reworded(self.topics.status()):
            self._publishing.touch(STATUS)

    # --- its life

    async def _write(self) -> None:
        """Stores facts. When that fails nothing was acknowledged: a last word goes out, and the daemon ends."""
        try:
            await self.table.run()
        except JournalFailedError as error:
            logger("journal").error("the journal can't be written; stopping", error=str(error))
            notify(f"STATUS={error}")
            self.topics.failed = True
            await self._publishing.close()
            raise

    def _begin_outside(self, group: asyncio.TaskGroup) -> list[asyncio.Task[None]]:
        outbox = self._publishing.open(self._signing.accepted)
        self.table.after = self
        self.table.cards_read = outbox.restrict if self.config.mqtt.restricted_cards else None
        group.create_task(outbox.run())
        for command in self.table.game.outstanding(self.table.state.game):
            self.command(command)
        if self._capture:
            self._capture.start()
        low_water = self.config.storage.low_water_mib << 20
        rest = [
            self._serve(),
            self.timers.run(),
            self.table.tidy(),
            self.table.watch_storage(low_water),
            self._tell_health(),
            self._sign(),
            self._fill_board(),
            self._describe(),
            self._log_switch.run(),
            self._become_ready(),
            self._pulse.run(),
        ]
        return [group.create_task(each) for each in (*self.fleet.jobs(self._capture), *rest)]

    async def _end(self, outside: list[asyncio.Task[None]]) -> None:
        notify("STOPPING=1")
        open_round = self.table.game.round_id(self.table.state.game)
        logger("table").info("stopping", session=self.session, **({"round": open_round} if open_round else {}))
        for task in outside:
            task.cancel()
        await asyncio.wait(outside)
        if self._capture:
            await asyncio.to_thread(self._capture.close)
        await self.table.close()
        await self._signing.finish()
        self.topics.stopped = True
        await self._publishing.close()

    async def _sign(self) -> None:
        await self._ready.wait()
        await self._signing.run()

    def _show_checkpoint(self, note: str) -> None:
        self.topics.raw[CHECKPOINT] = note.encode()
        self._publishing.touch(CHECKPOINT)

    async def _fill_board(self) -> None:
        self.board.expect(await asyncio.to_thread(chances_of, self.table.game))
        with suppress(TableStoppedError):
            await self.board.look_back(self.table)
            await self.showcase.look_back(self.table)
            self._publishing.touch(BOARD)

    async def _describe(self) -> None:
        """Publishes what subscribers may rely on. It takes a while to write, and nobody waits for it."""
        await self._ready.wait()
        self.topics.raw[ASYNCAPI] = await asyncio.to_thread(document, tablectl.__version__)
        self._publishing.touch(ASYNCAPI)

    async def _serve(self) -> None:
        said = self._publishing
        feed = Feed(self.table, said.acknowledged, said.is_connected, lambda: self._signing.size)
        seen = Seen(self.table, self.window, self.topics, self.showcase, feed)
        app = await asyncio.to_thread(console_of, self.config, seen, self.clock)
        await listen(self.config, app, self._listening)

    def _listening(self, port: int) -> None:
        self.console_port = port
        self.window.tell_watchers()
        logger("console").info("listening", port=port)

    async def _become_ready(self) -> None:
        """Says that the table is up, once its console listens and its devices are there or have had their time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(READY_AFTER_S):
                await self._until(lambda: not self.fleet.missing())
        # Devices may stay away, but nobody could work without the console.
        await self._until(lambda: self.console_port > 0)
        if missing := self.fleet.missing():
            logger("table").warning("up without all devices", missing=missing)
        self.topics.began = True
        self._ready.set()
        self._publishing.touch(STATUS)
        notify(f"READY=1\nSTATUS={self.topics.status()}")
        logger("table").info("ready", status=self.topics.status(), session=self.session, log=self.table.state.log_id)
        _set_the_past_aside()

    async def _until(self, is_so: Callable[[], bool]) -> None:
        """Waits for what changes with the table."""
        changed = asyncio.Event()
        forget = self.window.subscribe(changed.set)
        try:
            while not is_so():
                await changed.wait()
                changed.clear()
        finally:
            forget()

    async def _tell_health(self) -> None:
        while True:
            self._publishing.touch(HEALTH)
            await asyncio.sleep(HEALTH_EVERY_S)

    def _measures(self) -> Mapping[str, Any]:
        lag_s = round(self._pulse.lag_s, 6)
        return {"loop_lag_s": lag_s, "queue": self.table.waiting, "outbox": self._publishing.figures()}


def _set_the_past_aside() -> None:
    """Leaves what the start has made out of all later collections: walking through it would hold a card up."""
    gc.collect()
    gc.freeze()
