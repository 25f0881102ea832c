"""The daemon as a process of a simulated machine: it begins, it works, it is killed, and the next one begins.

The whole daemon is the real one. In place of what it has of its machine stands what is simulated: the clock, the
threads, the ports, the connection to the broker, the console's socket and the chance of the system.
"""

import asyncio
import random
import secrets
from asyncio import events
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, Final, cast

import apsw
import structlog
from starlette.applications import Starlette

import drivers.transport.loop
import tablectl.console.routes
import tablectl.daemon.daemon
import tablectl.daemon.requests.service
import tablectl.daemon.run
import tablectl.daemon.table
import tablectl.daemon.table_fold
import tablectl.journal.live_journal
import tablectl.mqtt.kept_checkpoint
import tablectl.mqtt.publisher
from drivers.transport.serial_tcp import Address
from tablectl.config.models import Config
from tablectl.core.facts import ClockState, Stamp
from tablectl.daemon.asyncapi import document
from tablectl.daemon.daemon import Daemon
from tablectl.daemon.room_settings import StartError, broker_of
from tablectl.daemon.table import LiveTable
from tablectl.journal.live_journal import Worker, outcome
from tablectl.mqtt.message import Will
from tablectl.mqtt.settings import BrokerSettings
from tests.simulation.broker import Broker, SimulatedConnection
from tests.simulation.disk import Disk, SimulatedVfs, close_quietly, exclusively
from tests.simulation.history import History
from tests.simulation.image import copied
from tests.simulation.virtual import Universe, VirtualLoop, about
from tests.simulation.wires import SimulatedLink, Wire, open_wire

BEGAN_US: Final = 1_735_689_600_000_000
"""The wall clock at the beginning: 2025-01-01."""

DISK_S: Final = 0.002
"""How long a write takes at the mean."""


@dataclass(slots=True)
class Machine:
    """What outlives a process: the clock, the disk, the network and the cables.

    Attributes:
        wall_s: how far the wall clock was set from what it was.
        booted_s: when the machine was switched on.
        boots: how often.
        disk_s: how long a write takes at the mean.
        slot: where the broker has its connection.
        life: the number of the process that runs, from 1.
    """

    universe: Universe
    world: VirtualLoop
    chance: random.Random
    disk: Disk
    broker: Broker
    wires: dict[str, Wire]
    history: History
    folder: Path
    wall_s: float = 0.0
    booted_s: float = 0.0
    boots: int = 1
    disk_s: float = DISK_S
    lives: int = 0
    slot: str = "connection"
    touched: Callable[[str], None] = lambda _: None

    def stamp(self) -> Stamp:
        """The present instant, as the machine's clocks have it."""
        now_s = self.universe.now_s
        utc_us = BEGAN_US + round((now_s + self.wall_s) * 1e6)
        monotonic_ns = round((now_s - self.booted_s + 100.0) * 1e9)
        return Stamp(utc_us, monotonic_ns, f"boot-{self.boots}", ClockState.SYNCED, 500)


@dataclass(frozen=True, slots=True)
class MachineClock:
    """The clock of a machine (`core.protocols.Clock`)."""

    machine: Machine

    def now(self) -> Stamp:
        """The present instant."""
        return self.machine.stamp()

    def monotonic_s(self) -> float:
        """Seconds since the machine was switched on."""
        return self.machine.universe.now_s - self.machine.booted_s + 100.0


class Process(VirtualLoop):
    """One life of the daemon: its loop, and what it has of the machine."""

    def __init__(self, machine: Machine) -> None:
        machine.lives += 1
        self.machine = machine
        self.number = machine.lives
        self.app: Starlette | None = None
        self.table: LiveTable[Any] | None = None
        self.pending: list[asyncio.Future[Any]] = []
        self.on_end: Callable[[str], None] = lambda _: None
        self.daemon: Daemon | None = None
        super().__init__(machine.universe, machine.chance, lambda text: machine.history.error(f"daemon: {text}"))

    def start(self, config: Config) -> None:
        """Reads what is on disk and begins."""
        events._set_running_loop(self)
        try:
            recovered = tablectl.daemon.run.recovered(config)
        except StartError as error:
            self._over(f"can't start: {error}")
            return
        finally:
            events._set_running_loop(None)
        table, about, keys = recovered
        self.table = table
        self.create_task(self._live(config, table, about, keys)).add_done_callback(self._ended)

    async def _live(self, config: Config, table: LiveTable[Any], about: Any, keys: Any) -> None:
        self.daemon = Daemon(config, broker_of(config), table, about, keys.change)
        await self.daemon.run()

    def _ended(self, task: "asyncio.Task[None]") -> None:
        error = None if task.cancelled() else task.exception()
        self.create_task(self._wind_up("" if error is None else _text(error)))

    async def _wind_up(self, why: str) -> None:
        """What `asyncio.run` does at the end: whatever runs still is cancelled, and may say so to whoever waits."""
        rest = sorted(asyncio.all_tasks(self) - {asyncio.current_task(self)}, key=hash)
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        self.call_soon(self._over, why)

    def _over(self, why: str) -> None:
        """The process ends by itself."""
        self.bury()
        self.on_end(why)

    def strike(self) -> None:
        """SIGKILL, or the end of the current: it says nothing any more, of nothing."""
        self.is_silent = True
        self.bury()

    def bury(self) -> None:
        """Takes the process off the machine; what it waited for never comes."""
        self.kill()
        self.app = None
        if self.table is not None:
            journal = cast("Any", self.table)._journal
            close_quietly(journal._connection)
            journal._lock.close()
        for wire in self.machine.wires.values():
            if wire.link is not None and wire.link.loop is self:
                wire.link = None
        for task in asyncio.all_tasks(self):
            cast("Any", task)._log_destroy_pending = False
        for future in self.pending:
            if not future.done():
                future.set_exception(ConnectionResetError("the daemon is gone"))
        self.pending.clear()


def _text(error: BaseException) -> str:
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(sorted({_text(each) for each in error.exceptions}))
    return f"{type(error).__name__}: {error}"


def _process() -> Process:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Process)
    return loop


# --- what stands in the place of the machine ---------------------------------------------------------------------


class NoJournalCare:
    """No second connection to the journal's file, which the simulated disk doesn't know."""

    def __init__(self, *_: object) -> None:
        """Takes what the care would."""

    def measures(self) -> dict[str, int]:
        """Never read through."""
        return {"journal_checks": 0}

    async def run(self) -> None:
        """Nothing, until the daemon ends."""
        await asyncio.get_running_loop().create_future()


class SimulatedWorker(Worker):
    """The thread that writes, without a thread: one call after the other, each after its time."""

    def __init__(self, _name: str) -> None:
        self._loop = _process()
        self._due: deque[tuple[Callable[[], Any], Callable[[Any], None], Callable[[BaseException], None]]] = deque()
        self._busy = False

    def post(
        self, call: Callable[[], Any], done: Callable[[Any], None], failed: Callable[[BaseException], None]
    ) -> None:
        """Takes a call; what it comes to is told in the loop."""
        self._due.append((call, done, failed))
        if not self._busy:
            self._next()

    def end(self) -> None:
        """Ends it."""

    def _next(self) -> None:
        self._busy = bool(self._due)
        if self._busy:
            machine = self._loop.machine
            self._loop.call_later(about(machine.chance, machine.disk_s), self._carry_out)

    def _carry_out(self) -> None:
        call, done, failed = self._due.popleft()
        machine = self._loop.machine
        machine.touched("write")
        answer = outcome(call, done, failed)
        machine.touched("written")
        self._loop.call_later(about(machine.chance, 0.0001), answer)
        self._next()


async def _open_link(address: Address, *, baudrate: int, base_dir: Path) -> SimulatedLink:
    process = _process()
    return await open_wire(process.machine.wires, process, address)


def _connection(
    settings: BrokerSettings, client_id: str, *, will: Will | None = None, largest: int | None = None
) -> SimulatedConnection:
    process = _process()
    machine = process.machine
    return SimulatedConnection(machine.broker, process.number, process, settings.timeout_s, will, machine.slot)


async def _listener(_config: Config, _stop: asyncio.Event) -> BytesIO:
    """What the process closes at its end."""
    return BytesIO()


async def _serve(
    app: Starlette, _listener: BytesIO, *, listening: Callable[[int], None] | None = None, **_more: object
) -> None:
    process = _process()
    process.app = app
    if listening is not None:
        listening(8000)
    try:
        await process.create_future()
    finally:
        process.app = None


def _clock() -> MachineClock:
    return MachineClock(_process().machine)


@dataclass(slots=True)
class Doors:
    """What was put in the place of the machine in this Python process, once; `machine` is whose turn it is."""

    vfs: SimulatedVfs = field(default_factory=SimulatedVfs)
    system: random.Random = field(default_factory=random.Random)
    sink: Callable[[str], None] = lambda _: None
    is_new: bool = True

    def hang(self) -> "Doors":
        """Puts them in."""
        apsw.connection_hooks.append(exclusively)
        for module, name, stand_in in _STAND_INS:
            setattr(module, name, stand_in)
        for name, stand_in in self._entropy().items():
            setattr(secrets, name, stand_in)
        structlog.configure(processors=[self._log], cache_logger_on_first_use=False)
        return self

    def enter(self, seed: str, disk: Disk, sink: Callable[[str], None]) -> None:
        """Begins a run: everything that is chance follows from the seed."""
        random.seed(seed)
        self.system.seed(seed)
        self.vfs.disk = disk
        self.sink = sink

    def _entropy(self) -> dict[str, Callable[..., Any]]:
        system = self.system
        return {
            "token_bytes": lambda nbytes=32: system.randbytes(nbytes),
            "token_hex": lambda nbytes=32: system.randbytes(nbytes).hex(),
            "token_urlsafe": lambda nbytes=32: system.randbytes(nbytes).hex(),
            "randbits": system.getrandbits,
        }

    def _log(self, _logger: Any, method: str, event: Any) -> Any:
        self.sink(f"{method} {sorted(event.items(), key=lambda item: item[0])}")
        raise structlog.DropEvent


def _proof_of(folder: Path, round_id: str) -> Any:
    """The proof, read from a copy: simulated files share no index of the log with who reads beside the daemon."""
    vfs = doors().vfs
    assert vfs.disk is not None
    with copied(vfs, vfs.disk):
        return _PROOF_OF(folder, round_id)


async def _asyncapi_document(version: str) -> bytes:
    made: bytes = _document(version)
    return made


def _once(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, asked once for each of what it is asked: what it gives never changes."""
    return cache(function)


def _chances(game: Any) -> Any:
    known = _CHANCES.get(game.name)
    if known is None:
        known = _CHANCES[game.name] = _CHANCES_OF(game)
    return known


_CHANCES: dict[str, Any] = {}
_DAEMON: Any = tablectl.daemon.daemon
_document: Any = cache(document)
_PROOF_OF: Final = tablectl.daemon.requests.service.proof_of
_API: Any = tablectl.console.routes
_CHANCES_OF: Final = _DAEMON.chances_of

_STAND_INS: Final[tuple[tuple[Any, str, Any], ...]] = (
    (drivers.transport.loop, "open_link", _open_link),
    (tablectl.mqtt.publisher, "Connection", _connection),
    (tablectl.mqtt.kept_checkpoint, "Connection", _connection),
    (tablectl.daemon.daemon, "listener_of", _listener),
    (tablectl.daemon.daemon, "serve", _serve),
    (tablectl.daemon.daemon, "SystemClock", _clock),
    (tablectl.daemon.run, "SystemClock", _clock),
    (tablectl.journal.live_journal, "Worker", SimulatedWorker),
    (tablectl.daemon.daemon, "JournalCare", NoJournalCare),
    (tablectl.daemon.requests.service, "proof_of", _proof_of),
    # What is the same for every daemon and takes long to make is made once.
    (tablectl.daemon.daemon, "asyncapi_document", _asyncapi_document),
    (tablectl.daemon.daemon, "chances_of", _chances),
    (tablectl.console.routes, "read_pages", _once(_API.read_pages)),
    (_API.Openly, "lasting", lambda openly: openly._layout().encode()),
    (tablectl.daemon.daemon, "_set_the_past_aside", lambda: None),
    # A run is short: with so few records between them, starts go on from snapshots in the middle of rounds as well.
    (tablectl.daemon.table, "LONG_ROUND", 20),
    (tablectl.daemon.table_fold, "LONG_ROUND", 20),
    # A run's folder has another name in every run, and the settings name it.
    (tablectl.daemon.run, "config_hash", lambda config: config.table.game.encode().hex().ljust(64, "0")),
)


@cache
def doors() -> Doors:
    """The doors of this Python process; from the first call on no daemon in it has another machine."""
    return Doors().hang()
