"""The daemon: all rooms of one table, joined and kept alive."""

import asyncio
import gc
import os
import secrets
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import tablectl
from drivers.capture import tapped
from drivers.faults import fault_of
from tablectl import words
from tablectl.app.archive import JournalArchive
from tablectl.app.asking import clerk_of
from tablectl.app.devices import capture_of, driver_of, tap_of
from tablectl.app.diary import log_devices, log_events
from tablectl.app.offering import window_of
from tablectl.app.parts import (
    StartError,
    called_as,
    forget_beginning,
    log_id_of,
    people_of,
    predecessor_of,
    tls_of,
)
from tablectl.app.schema import document
from tablectl.bus.delivery import Contents
from tablectl.bus.outbox import Outbox
from tablectl.bus.settings import BrokerSettings
from tablectl.console.api import Limits, Options, make_app
from tablectl.console.feed import Feed
from tablectl.console.history import routes as history_routes
from tablectl.console.server import serve
from tablectl.core.effects import (
    BlankDisplay,
    Command,
    RequestDraw,
    RunSelfTest,
    ShowDraw,
    ShowTestPattern,
    ShuffleCards,
    SoundSignal,
    StartTimer,
    StopTimer,
)
from tablectl.core.facts import (
    Body,
    Fact,
    FaultCleared,
    FaultRaised,
    FloorHandedOver,
    HandOver,
    KeyChanged,
    LogBegan,
    SessionBegan,
    Stamp,
)
from tablectl.core.faults import Code
from tablectl.core.ports import Commanded, DeviceCounters, Driver, StoredEvent, TableStoppedError, Teller
from tablectl.core.table import Device, Fault, device, entry, fault
from tablectl.proof.key_line import KeyChange
from tablectl.shell.board import Board
from tablectl.shell.checkpoints import Checkpoints
from tablectl.shell.clock import SystemClock
from tablectl.shell.config import Config, console_address, device_of, state_dir
from tablectl.shell.config_checks import is_simulated
from tablectl.shell.journal import JournalFailedError
from tablectl.shell.key_change import carry_out
from tablectl.shell.keys import PublicKey, signing_key
from tablectl.shell.log import logger
from tablectl.shell.log_switch import SIGNAL as TURN_LOG
from tablectl.shell.log_switch import LevelSwitch
from tablectl.shell.notify import notify, watchdog_interval_s
from tablectl.shell.showcase import Showcase
from tablectl.shell.supervisor import Supervised
from tablectl.shell.table import LiveTable
from tablectl.shell.timers import Timers
from tablectl.shell.topics import ASYNCAPI, BOARD, CHECKPOINT, HEALTH, ROUND, STATUS, About, StateTopics, device_topic
from tablectl.tools.recall_expected import chances_of

READY_AFTER_S = 3.0
"""How long the start waits for devices before it says that the table is up without some."""

HEALTH_EVERY_S = 30.0
GOODBYE_S = 1.0

TAKE_OVER = signal.SIGUSR1
"""Has the daemon ask another controller of its table to stop speaking; `tablectl take-over` sends it."""

COMMANDED: Mapping[type, str] = {
    ShuffleCards: "shuffler",
    RequestDraw: "draw",
    ShowDraw: "display",
    BlankDisplay: "display",
    SoundSignal: "buzzer",
    RunSelfTest: "draw",
    ShowTestPattern: "display",
}
"""The kind of device that carries a command out."""


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
        self.drivers = tuple(self._driver(name) for name in config.devices)
        self.board = Board(table.game.name)
        self.showcase = Showcase(table, self.window, self.board.form, self._limits, self.timers.soonest_s)
        self._capture = capture_of(config, self.clock)
        self.topics = StateTopics(
            table, self.window, self.clock, about, self._measures, self._counters, self.board.form
        )
        self._checkpoints: Checkpoints | None = None
        self.console_port = 0
        self._about = about
        self._key_change = key_change
        self._lag_s = 0.0
        self._log_switch = LevelSwitch(state_dir(config))
        self._stop = asyncio.Event()
        self._ready = asyncio.Event()
        self._shown: tuple[tuple[Device, ...], tuple[Fault, ...]] = ((), ())
        self._broker = broker
        self._outbox: Outbox | None = None

    async def run(self) -> None:
        """Lives until told to stop, or until the journal can't be written.

        Raises:
            JournalFailedError: in an exception group; the supervisor starts a new process, which reads what is on disk.
            StartError: in an exception group; the console's port can't be had.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._stop.set)
        loop.add_signal_handler(TAKE_OVER, self._take_over)
        loop.add_signal_handler(TURN_LOG, self._log_switch.signal)
        async with asyncio.TaskGroup() as group:
            writer = group.create_task(self._write())
            await self._begin()
            outside = self._begin_outside(group)
            await self._stop.wait()
            await self._end(outside)
            writer.cancel()

    # --- what follows a stored step (After)

    def offer(self, events: Sequence[StoredEvent]) -> None:
        """Publishes events, and what follows from them."""
        log_events(events)
        if self._outbox:
            self._outbox.offer(events)
            self.showcase.take(events)
            if self.board.take(events):
                self._outbox.touch(BOARD)
        if self._checkpoints:
            self._checkpoints.offer(events)

    def command(self, command: Command) -> None:
        """Asks the device that can do it."""
        if isinstance(command, StartTimer | StopTimer):
            self.timers.command(command)
            return
        name = device_of(self.config, COMMANDED[type(command)])
        for driver in self.drivers:
            if driver.name == name and isinstance(driver, Commanded):
                driver.command(command)

    def changed(self) -> None:
        """Shows the new state on the state topics that it touches, and to the console."""
        if self._outbox:
            self._outbox.touch(ROUND)
            self._touch_devices(self._outbox)
        self.window.tell_watchers()

    def _touch_devices(self, outbox: Outbox) -> None:
        state = self.table.state
        if self._shown == (state.devices, state.faults):
            return
        log_devices(self._shown[0], state.devices)
        _log_faults(self._shown[1], state.faults)
        self._shown = (state.devices, state.faults)
        for topic in (STATUS, *(device_topic(name) for name in self.config.devices)):
            outbox.touch(topic)

    # --- its life

    async def _write(self) -> None:
        """Stores facts. When that fails nothing was acknowledged: a last word goes out, and the daemon ends."""
        try:
            await self.table.run()
        except JournalFailedError as error:
            logger("journal").error("the journal can't be written; stopping", error=str(error))
            notify(f"STATUS={error}")
            self.topics.failed = True
            if self._outbox:
                await self._outbox.close(GOODBYE_S)
            raise

    async def _begin(self) -> None:
        """The first facts of a log and of a session; nothing is said outside before they are stored."""
        if not self.table.state.log_id:
            place = self.config.table
            name, predecessor = await asyncio.to_thread(_beginning, state_dir(self.config))
            log = LogBegan(name, place.site, place.name, predecessor, self.session, self._about.key.text)
            await self.table.ask(self.table.note(log, simulated=is_simulated(self.config)))
        await asyncio.to_thread(forget_beginning, state_dir(self.config))
        began = SessionBegan(
            self.session,
            tablectl.__version__,
            self._about.config_hash,
            self.table.game.name,
            self.table.game.rules_version,
            simulated=is_simulated(self.config),
        )
        await self.table.ask(self.table.note(began))
        if self._key_change is not None:
            await self._change_key(self._key_change)

    async def _change_key(self, change: KeyChange) -> None:
        """Records the new key, then takes it into use: it signs only what follows."""
        old, new = PublicKey(change.previous), PublicKey(change.new)
        fact = KeyChanged(old.text, new.text, old.fingerprint, new.fingerprint, change.note)
        await self.table.ask(self.table.note(fact))
        try:
            await asyncio.to_thread(carry_out, state_dir(self.config), change)
        except OSError as error:
            raise StartError(f"the log's new key can't be taken into use: {error}", os.EX_CANTCREAT) from None
        logger("table").info("key changed", fingerprint=new.fingerprint, before=old.fingerprint)

    def _begin_outside(self, group: asyncio.TaskGroup) -> list[asyncio.Task[None]]:
        client_id = f"tablectl-{self.config.table.site}-{self.config.table.name}-{self.session}"
        self._outbox = Outbox(self._broker, client_id, self.table.origin.prefix, self._contents())
        self.table.after = self
        self.table.cards_read = self._outbox.restrict if self.config.mqtt.restricted_cards else None
        group.create_task(self._outbox.run())
        for command in self.table.game.outstanding(self.table.state.game):
            self.command(command)
        if self._capture:
            self._capture.start()
        supervised = [
            tapped(tap_of(self.config, self._capture, driver.name), self._supervised(driver).run())
            for driver in self.drivers
        ]
        low_water = self.config.storage.low_water_mib << 20
        rest = [
            self._serve(),
            self.timers.run(),
            self.table.tidy(),
            self.table.watch_storage(low_water),
            self._tell_health(),
            self._sign_checkpoints(),
            self._fill_board(),
            self._describe(),
            self._log_switch.run(),
        ]
        return [group.create_task(each) for each in (*supervised, *rest, self._become_ready(), self._watch())]

    async def _end(self, outside: list[asyncio.Task[None]]) -> None:
        notify("STOPPING=1")
        for task in outside:
            task.cancel()
        await asyncio.wait(outside)
        if self._capture:
            await asyncio.to_thread(self._capture.close)
        await self.table.close()
        if self._checkpoints:
            await self._checkpoints.finish()
        self.topics.stopped = True
        if self._outbox:
            await self._outbox.close(GOODBYE_S)

    async def _sign_checkpoints(self) -> None:
        """Publishes the signed head of the log, whenever the broker has what it covers."""
        await self._ready.wait()
        folder = state_dir(self.config)
        try:
            signer = await asyncio.to_thread(signing_key, folder)
        except (OSError, ValueError) as error:
            raise StartError(f"the log's key in {folder} can't be used: {error}", os.EX_CANTCREAT) from None
        self._checkpoints = Checkpoints(self.table, signer, self._show_checkpoint)
        await self._checkpoints.run()

    def _show_checkpoint(self) -> None:
        if self._checkpoints and self._outbox:
            self.topics.raw[CHECKPOINT] = self._checkpoints.note.encode()
            self._outbox.touch(CHECKPOINT)

    def _accepted(self, sequence: int) -> None:
        if self._checkpoints:
            self._checkpoints.accepted(sequence)

    async def _fill_board(self) -> None:
        self.board.expect(await asyncio.to_thread(chances_of, self.table.game))
        with suppress(TableStoppedError):
            await self.board.look_back(self.table)
            await self.showcase.look_back(self.table)
            if self._outbox:
                self._outbox.touch(BOARD)

    async def _describe(self) -> None:
        """Publishes what subscribers may rely on. It takes a while to write, and nobody waits for it."""
        await self._ready.wait()
        self.topics.raw[ASYNCAPI] = await asyncio.to_thread(document, tablectl.__version__)
        if self._outbox:
            self._outbox.touch(ASYNCAPI)

    async def _serve(self) -> None:
        host, port = console_address(self.config)
        options = Options(
            limits=Limits(idle_s=self.config.console.sign_on_timeout_s),
            hosts=called_as(self.config),
            listed=self.config.console.list_people,
            status=self._health_word,
            health=lambda: self.topics.now()["health"],
            display=self.showcase.form,
            result=self.showcase.result,
            feed=self._feed(),
            more=lambda desk: history_routes(desk, JournalArchive(self.config)),
        )
        people = people_of(self.config)
        app = await asyncio.to_thread(make_app, self.table, self.window, self.clock, people, words.say, options)
        try:
            await serve(app, host, port, tls=tls_of(self.config), listening=self._listening)
        except OSError as error:
            message = f"the console can't listen on {host}:{port}: {error.strerror or error}"
            raise StartError(message, os.EX_UNAVAILABLE) from None

    def _listening(self, port: int) -> None:
        self.console_port = port
        self.window.tell_watchers()
        logger("console").info("listening", port=port)

    async def _become_ready(self) -> None:
        """Says that the table is up, once its devices are there or have had their time."""
        changed = asyncio.Event()
        forget = self.window.subscribe(changed.set)
        try:
            async with asyncio.timeout(READY_AFTER_S):
                while not self._all_attached() or not self.console_port:
                    await changed.wait()
                    changed.clear()
        except TimeoutError:
            logger("table").warning("up without all devices", missing=self._missing())
        finally:
            forget()
        self.topics.began = True
        self._ready.set()
        if self._outbox:
            self._outbox.touch(STATUS)
        notify(f"READY=1\nSTATUS={self.topics.status()}")
        logger("table").info("ready", status=self.topics.status(), session=self.session, log=self.table.state.log_id)
        _set_the_past_aside()

    def _all_attached(self) -> bool:
        return not self._missing()

    def _missing(self) -> list[str]:
        return [name for name in self.config.devices if not device(self.table.state, name).attached]

    async def _tell_health(self) -> None:
        while True:
            if self._outbox:
                self._outbox.touch(HEALTH)
            await asyncio.sleep(HEALTH_EVERY_S)

    async def _watch(self) -> None:
        """Measures the loop's lateness, and tells the supervisor that the loop turns."""
        interval_s = watchdog_interval_s() or 1.0
        while True:
            due_s = self.clock.monotonic_s() + interval_s
            await asyncio.sleep(interval_s)
            self._lag_s = max(0.0, self.clock.monotonic_s() - due_s)
            notify("WATCHDOG=1")

    # --- what the rooms ask of each other

    def _driver(self, name: str) -> Driver:
        delivered = device(self.table.state, name).delivered
        return driver_of(self.config, name, self._teller(name), self.clock, delivered)

    def _supervised(self, driver: Driver) -> Supervised:
        faults = self.table.state.faults
        standing = {item.code: item.detail for item in faults if item.device == driver.name and item.present}
        return Supervised(driver, self._teller(driver.name), fault_of, standing=standing)

    def _teller(self, name: str) -> Teller:
        section = self.config.devices[name]

        def tell(
            body: Body, *, at: Stamp | None = None, stored: Callable[[], None] | None = None, delivery: str = ""
        ) -> None:
            when = at or self.clock.now()
            self.table.tell(Fact(body, when, name, simulated=section.simulated, delivery=delivery), stored)

        return tell

    def _contents(self) -> Contents:
        return Contents(
            self.table,
            self.topics.names,
            self.topics.render,
            self.topics.will,
            self._tell_fault,
            passive=self.topics.passive,
            relieving=self.topics.relieving,
            relieved=self._relieved,
            clerk=clerk_of(self.config, self.table, self.topics),
            accepted=self._accepted,
        )

    def _tell_fault(self, code: Code, *, present: bool, detail: str) -> None:
        if not present and fault(self.table.state, code, "") is None:
            return  # The outbox says at its start that all is well; only what stands is worth a record.
        body = FaultRaised(code, "", detail) if present else FaultCleared(code)
        self.table.tell(self.table.note(body))

    def _take_over(self) -> None:
        """Asks the other controller to stop, because somebody at this machine wants it so."""
        other = self._outbox.rival() if self._outbox else ""
        if not self._outbox or not other:
            logger("table").warning("nothing to take over: no other controller speaks for this table")
            return
        asked = FloorHandedOver(HandOver.ASKED, other, self.session)
        self.table.tell(self.table.note(asked), self._outbox.take_over)

    def _relieved(self, session: str) -> bool:
        """Whether the table is given to that session: not while a round is open here, which only this log can end."""
        if self._outbox is None or self.table.game.round_id(self.table.state.game) is not None:
            logger("table").warning("asked to hand over, but a round is open: finish or void it", session=session)
            return False
        self.table.tell(self.table.note(FloorHandedOver(HandOver.GIVEN, self.session, session)), self._outbox.give_way)
        return True

    def _measures(self) -> Mapping[str, Any]:
        outbox = asdict(self._outbox.health()) if self._outbox else {}
        return {"loop_lag_s": round(self._lag_s, 6), "queue": self.table.waiting, "outbox": outbox}

    def _counters(self) -> Mapping[str, DeviceCounters]:
        return {driver.name: driver.counters() for driver in self.drivers}

    def _feed(self) -> Feed:
        """The events for screens that watch the whole table, and how far they have come."""
        return Feed(
            self.table,
            published=lambda: self._outbox.health().acknowledged if self._outbox else 0,
            connected=lambda: self._outbox is not None and self._outbox.health().connected_s is not None,
            checkpoint=lambda: self._checkpoints.size if self._checkpoints else 0,
        )

    def _limits(self) -> Mapping[str, Any]:
        """What the house takes as one bet, by bet."""
        names = ("minimum", "maximum", "step")
        bets = self.window.layout().get("bets", ())
        return {bet["name"]: {name: bet[name] for name in names} for bet in bets}

    def _health_word(self) -> str:
        word = self.topics.status()
        return "ok" if word == "ready" else word


def _beginning(folder: Path) -> tuple[str, str | None]:
    """The id of a new log and its predecessor's last checkpoint, as `tablectl init` was told."""
    return log_id_of(folder) or secrets.token_hex(4), predecessor_of(folder)


def _log_faults(before: tuple[Fault, ...], now: tuple[Fault, ...]) -> None:
    """One line for each fault that came, changed its reason or went: what is wrong, and what to do about it."""
    old, new = ({(item.code, item.device): item for item in faults if item.present} for faults in (before, now))
    for key in sorted(key for key in new if key not in old or new[key].detail != old[key].detail):
        text = f"fault.{entry(key[0]).key}"
        todo = words.text(f"{text}.technician", "en")
        logger("fault").warning(
            words.text(f"{text}.text", "en"), code=int(key[0]), device=key[1], detail=new[key].detail, todo=todo
        )
    for key in old.keys() - new.keys():
        logger("fault").info("over", code=int(key[0]), device=key[1])


def _set_the_past_aside() -> None:
    """Leaves what the start has made out of all later collections: walking through it would hold a card up."""
    gc.collect()
    gc.freeze()
