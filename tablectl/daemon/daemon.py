"""The daemon: all rooms of one table, joined and kept alive."""

import asyncio
import errno
import gc
import secrets
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from functools import partial
from typing import Any, TypeVar

import tablectl
from tablectl.config.checks import copies_dir, state_dir
from tablectl.config.models import Config
from tablectl.console.http.server import Listener, serve
from tablectl.console.websocket import Feed
from tablectl.core.effects import Command, StartTimer, StopTimer
from tablectl.core.protocols import StoredEvent, TableStoppedError
from tablectl.daemon.console_server import Seen, console_of, limits_of, listener_of, say_renewed, window_of
from tablectl.daemon.devices.drivers import capture_of
from tablectl.daemon.devices.manager import Devices
from tablectl.daemon.event_log import StatusDiff, log_events
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.host.journal_care import JournalCare, StorageWatch
from tablectl.daemon.host.log import LEVEL_SIGNAL, LevelSwitch, logger
from tablectl.daemon.host.program import installed_root
from tablectl.daemon.host.systemd import Watchdog, notify, report_ready
from tablectl.daemon.lifecycle import CertificateWatch, ClockWatch, ProgramWatch
from tablectl.daemon.publishing import asyncapi_document, make_publisher, take_over
from tablectl.daemon.session_start import begin, change_key
from tablectl.daemon.signing.checkpoints import Checkpoints, usable_key
from tablectl.daemon.signing.witnesses import Witnesses
from tablectl.daemon.table import After, LiveTable
from tablectl.daemon.timers import Timers
from tablectl.daemon.views.display import Showcase
from tablectl.daemon.views.fairness import FairnessWatch
from tablectl.daemon.views.metrics import TableMetrics
from tablectl.daemon.views.state_topics import (
    ASYNCAPI,
    BOARD,
    CHECKPOINT,
    HEALTH,
    PHASE,
    ROUND,
    STATUS,
    About,
    StateTopics,
    device_topic,
)
from tablectl.history.board import Board
from tablectl.history.statistics.evidence_account import FAIRNESS
from tablectl.history.statistics.expected import chances_of
from tablectl.history.statistics.fairness_monitor import Budget
from tablectl.journal.journal import JournalFailedError
from tablectl.mqtt.settings import BrokerSettings
from tablectl.proof.key_line import KeyChange

READY_AFTER_S = 3.0
"""How long the start waits for devices before it says that the table is up without some."""

HEALTH_EVERY_S = 30.0

GOODBYE_S = 1.0
"""How long the final status may take."""

OBSERVE_AFTER_S = 0.001
"""Log lines, board, pages and states follow this long after the messages: a woken broker shares our processor."""

SHORT_AGAIN_S = 1.0
"""How long late work waits where the system is short of what it needs."""

SHORTAGES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN})
"""Open files, memory, processes."""

TAKE_OVER = signal.SIGUSR1
"""Has the daemon ask another controller of its table to stop speaking; `tablectl take-over` sends it."""

T = TypeVar("T")


class Daemon:
    """The daemon of one table: facts come in, are stored, and their effects go out.

    It is made and run inside the event loop.
    """

    def __init__(
        self,
        config: Config,
        broker: BrokerSettings,
        table: LiveTable[Any],
        about: About,
        key_change: KeyChange | None = None,
    ) -> None:
        self.config, self.table, self.clock = config, table, SystemClock()
        self.session = secrets.token_hex(4)
        self.window = window_of(config, table, self.clock)
        self.timers = Timers(self.clock, lambda body: table.tell(table.note(body)))
        self.devices = Devices(config, table, self.clock)
        counters = self.devices.counters
        self.board = Board(table.game.name)
        self.showcase = Showcase(
            table, self.window, self.board.form, lambda: limits_of(self.window), self.timers.soonest_s
        )
        self.fairness = FairnessWatch(table, Budget(config.fairness.years, config.fairness.tables))
        self._capture = capture_of(config, self.clock)
        self.topics = StateTopics(
            table, self.window, self.clock, about, self._measures, counters, self.board.form, self.fairness.form
        )
        self.program = ProgramWatch(table, installed_root())
        self._checkpoints = Checkpoints(table.journal, lambda: table.origin.log, self._show_checkpoint)
        self._witnesses = Witnesses(config.witnesses, table.journal, self._show_note)
        self._publisher = make_publisher(
            config, broker, table, self.topics, self.session, about.holder, self._checkpoints.accepted, self.program
        )
        self._watchdog = Watchdog(self.clock)
        self.metrics = TableMetrics(
            config, table, about, self.topics.status, counters, self._publisher.health, lambda: self._watchdog.lag_s
        )
        self._unobserved, self.console_port = list[StoredEvent](), 0
        self._observation: asyncio.TimerHandle | None = None
        self._about, self._key_change = about, key_change
        self._care = JournalCare(table, state_dir(config), copies_dir(config), about.rebuilt, self.clock.monotonic_s)
        self._log_switch = LevelSwitch(state_dir(config))
        self._stop, self._ready = asyncio.Event(), asyncio.Event()
        self._status_diff = StatusDiff()

    def handlers(self) -> Mapping[int, Callable[[], None]]:
        """The daemon's handlers of signals."""
        stops: dict[int, Callable[[], None]] = dict.fromkeys(
            (signal.SIGTERM, signal.SIGINT, signal.SIGHUP), self._stop.set
        )
        hand_over = partial(take_over, self.table, self._publisher, self.session)
        return {**stops, TAKE_OVER: hand_over, LEVEL_SIGNAL: self._log_switch.signal}

    async def run(self, *, hears_signals: bool = True, up: Callable[[str], None] = report_ready) -> None:
        """Lives until told to stop, or until the journal can't be written.

        Args:
            hears_signals: False where others share the process, and somebody else calls the handlers of each.
            up: takes the table's status once it is up.

        Raises:
            JournalFailedError: in an exception group; the supervisor starts a new process, which reads what is on disk.
            StartError: in an exception group; the console's port can't be had.
        """
        for number, handler in self.handlers().items() if hears_signals else ():
            asyncio.get_running_loop().add_signal_handler(number, handler)
        # Before anything is written: a start that can't serve is tried again every second, for as long as it takes.
        listener = await listener_of(self.config, self._stop)
        if listener is not None:
            with closing(listener):
                await self._live(listener, up)

    async def _live(self, listener: Listener, up: Callable[[str], None]) -> None:
        async with asyncio.TaskGroup() as group:
            writer = group.create_task(self._write())
            await begin(self.config, self.table, self._about, self.session)
            if self._key_change is not None:
                await change_key(state_dir(self.config), self.table, self._key_change)
            outside = [*self._begin_outside(group, listener), group.create_task(self._become_ready(up))]
            await self._stop.wait()
            await self._end(outside)
            writer.cancel()

    # --- what follows a stored step

    def offer(self, events: Sequence[StoredEvent]) -> None:
        """Publish events; `changed` follows."""
        self._publisher.offer(events)
        self._unobserved.extend(events)

    def command(self, command: Command) -> None:
        """Asks the device that can do it."""
        if isinstance(command, StartTimer | StopTimer):
            self.timers.command(command)
        else:
            self.devices.command(command)

    def changed(self) -> None:
        """Show the new state soon, to everybody who doesn't wait for it."""
        if self._observation is None:
            self._observation = asyncio.get_running_loop().call_later(OBSERVE_AFTER_S, self._observe)

    def _observe(self) -> None:
        """Show the new state in the log, on its state topics, and on the console."""
        self._observation = None
        events, self._unobserved = self._unobserved, []
        log_events(events)
        self.metrics.take(events)
        self.showcase.take(events)
        self._checkpoints.offer(events)
        touched = [ROUND, *([PHASE] if self.topics.is_new_phase() else [])]
        touched += [BOARD] if self.board.take(events) else []
        touched += [FAIRNESS] if self.fairness.take(events) else []
        state = self.table.state
        changed = self._status_diff.changed_devices(state.devices, state.faults)
        touched += [device_topic(name) for name in changed if name in self.config.devices]
        if self._status_diff.is_new_status(self.topics.status()):
            touched.append(STATUS)
        self._publisher.touch(*touched)
        self.window.tell_watchers()

    # --- its life

    async def _write(self) -> None:
        """Store facts.

        When that fails nothing was acknowledged: the final status goes out, and the daemon ends.
        """
        try:
            await self.table.run()
        except JournalFailedError as error:
            logger("journal").error("the journal can't be written; stopping", error=str(error))
            notify(f"STATUS={error}")
            self.topics.failed = True
            await self._publisher.close(GOODBYE_S)
            raise

    def _begin_outside(self, group: asyncio.TaskGroup, listener: Listener) -> list[asyncio.Task[None]]:
        self.table.after = After(self.offer, self.command, self.changed, self._publisher.prepare)
        self.table.cards_read = self._publisher.send_hole_cards if self.config.mqtt.restricted_cards else None
        group.create_task(self._publisher.run())
        for command in self.table.game.outstanding(self.table.state.game):
            self.command(command)
        if self._capture:
            self._capture.start()
        rest = [
            self._serve(listener),
            self.timers.run(),
            self.table.tidy(),
            self.table.watch_files(),
            self._care.run(),
            StorageWatch(self.table, self.config.storage.low_water_mib << 20).run(),
            self._tell_health(),
            self._sign(),
            self._witnesses.run(),
            self._fill_board(),
            self._weigh(),
            self._describe(),
            self._log_switch.run(),
            self.program.run(),
            ClockWatch(self.table, self.clock).run(),
            CertificateWatch(self.table, self.clock, {"mqtt": self.config.mqtt, "console": self.config.console}).run(),
            self._watchdog.run(),
        ]
        return [group.create_task(each) for each in (*self.devices.jobs(self._capture), *rest)]

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
        self._observe()
        await self.fairness.keep()
        self._publisher.touch(FAIRNESS)
        await self._checkpoints.finish()
        self.topics.stopped = True
        await self._publisher.close(GOODBYE_S)

    async def _sign(self) -> None:
        await self._ready.wait()
        folder = state_dir(self.config)
        await self._checkpoints.run(await keep_trying(lambda: asyncio.to_thread(usable_key, folder)))

    def _show_checkpoint(self, note: str) -> None:
        self._show_note(note)
        self._witnesses.ask(note)

    def _show_note(self, note: str) -> None:
        self.topics.raw[CHECKPOINT] = note.encode()
        self._publisher.touch(CHECKPOINT)

    async def _fill_board(self) -> None:
        """Find the last round and the history in the journal, and show them.

        Screens may be open by then, and nothing else may change for a long time.
        """
        with suppress(TableStoppedError):
            await self.showcase.look_back(self.table.journal)
            self.window.tell_watchers()
            await self.board.look_back(self.table.journal)
            self.window.tell_watchers()
            self._publisher.touch(BOARD)

    async def _weigh(self) -> None:
        """Work out the chances, and weigh the past by them.

        It takes a while, and nothing waits for it.
        """
        await self._ready.wait()
        self.board.expect(await keep_trying(lambda: asyncio.to_thread(chances_of, self.table.game)))
        self._publisher.touch(BOARD)
        await keep_trying(self.fairness.run)

    async def _describe(self) -> None:
        """Publish the AsyncAPI document.

        It takes a while to make, and nothing waits for it.
        """
        await self._ready.wait()
        self.topics.raw[ASYNCAPI] = await keep_trying(lambda: asyncapi_document(tablectl.__version__))
        self._publisher.touch(ASYNCAPI)

    async def _serve(self, listener: Listener) -> None:
        publisher, checkpoints = self._publisher, self._checkpoints
        feed = Feed(self.table.journal, publisher.acknowledged, publisher.is_connected, lambda: checkpoints.size)
        seen = Seen(
            self.table,
            self.window,
            self.topics,
            self.showcase,
            feed,
            self.metrics,
            self.fairness.courses,
            self.devices.counters,
        )
        app = await asyncio.to_thread(console_of, self.config, seen, self.clock)
        await serve(app, listener, listening=self._listening, renewed=say_renewed)

    def _listening(self, port: int) -> None:
        self.console_port = port
        self.window.tell_watchers()
        logger("console").info("listening", port=port)

    async def _become_ready(self, up: Callable[[str], None]) -> None:
        """Report readiness.

        The table is ready once its console listens, and its devices are there or have had their time.
        """
        await self.program.start()
        with suppress(TimeoutError):
            async with asyncio.timeout(READY_AFTER_S):
                await self._until(lambda: not self.devices.missing())
        # Devices may stay away, but nobody could work without the console.
        await self._until(lambda: self.console_port > 0)
        if missing := self.devices.missing():
            logger("table").warning("up without all devices", missing=missing)
        self.topics.began = True
        self._ready.set()
        self._publisher.touch(STATUS)
        up(self.topics.status())
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
            weighed = [FAIRNESS] if self.fairness.has_changed() else []
            self._publisher.touch(HEALTH, *weighed, *self.topics.aged())
            await asyncio.sleep(HEALTH_EVERY_S)

    def _measures(self) -> Mapping[str, Any]:
        lag_s = round(self._watchdog.lag_s, 6)
        outbox = asdict(self._publisher.health())
        return {"loop_lag_s": lag_s, "queue": self.table.waiting, "outbox": outbox, **self._care.measures()}


async def keep_trying(work: Callable[[], Awaitable[T]]) -> T:
    """Do late work, and try again while files, memory or processes are short.

    Nothing waits for such work, so that ends no table. Any other error is passed on.
    """
    while True:
        try:
            return await work()
        except Exception as error:
            reason = error.__context__ or error  # what a StartError or a RulesError was made of
            if not isinstance(reason, OSError) or reason.errno not in SHORTAGES:
                raise
            logger("table").warning("the system is short of something; trying again", why=reason.strerror)
            await asyncio.sleep(SHORT_AGAIN_S)


def _set_the_past_aside() -> None:
    """Freeze the objects made at the start, so that no later collection visits them.

    Walking through them would delay a card.
    """
    gc.collect()
    gc.freeze()
