"""A table of any game that is killed while it plays: its simulated devices live on, and all that it said is kept.

The devices are the demonstration's, on real ptys, in a loop of their own; what they really did is theirs to tell. At
every kill it is noted what the table had shown and what it came back with; `Verdict` holds both against the journal.
"""

import asyncio
import inspect
import multiprocessing
import os
import random
import subprocess
import threading
import time
import tomllib
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any, Final, cast

from drivers.sim.link_device import SimulatedLinkDevice
from tablectl.features.demo.devices import Bench, bench
from tablectl.mqtt.message import Message
from tablectl.players.moves import Ask
from tablectl.rule_tables import shipped
from tests.support.broker import Broker
from tests.support.crash_verdict import Kill
from tests.support.daemon import Daemon, DaemonGoneError, RefusedError
from tests.support.feed import end, listen
from tests.support.patience import PATIENCE_S

Form = dict[str, Any]
Act = Callable[[], None]

PIN: Final = ("ana", "1111")
SUPERVISOR: Final = {"person": "rui", "pin": "2222"}
LONGEST_DELAY_S: Final = 0.005
IN_RECOVERY: Final = 0.2
"""The share of restarts that are killed themselves."""


@dataclass(frozen=True, slots=True)
class Workbench:
    """Simulated devices in a thread of their own: they live on while the daemon dies."""

    loop: asyncio.AbstractEventLoop
    devices: Bench
    over: asyncio.Event

    def do(self, act: Callable[[Bench], Any]) -> Any:
        """What comes of doing something to the devices, once it is done."""
        return self.begin(act).result(PATIENCE_S)

    def begin(self, act: Callable[[Bench], Any]) -> "Future[Any]":
        """Begins to do something to the devices."""
        return asyncio.run_coroutine_threadsafe(self._done(act), self.loop)

    def untold(self) -> int:
        """How many reports wait for the daemon's word that they are stored."""
        return int(self.do(lambda now: sum(one.line.unacked for one in _linked(now))))

    async def _done(self, act: Callable[[Bench], Any]) -> Any:
        made = act(self.devices)
        return await made if inspect.isawaitable(made) else made


def _linked(devices: Bench) -> list[SimulatedLinkDevice[Any, Any, Any]]:
    return [one for one in devices.simulators.values() if isinstance(one, SimulatedLinkDevice)]


@contextmanager
def workbench(devices: Mapping[str, Mapping[str, Any]], folder: Path, speed: float) -> Generator[Workbench]:
    """The simulators of a configuration's devices, at work until the end of the block."""
    ready: Future[Workbench] = Future()

    async def work() -> None:
        async with bench(devices, folder, speed) as made:
            over = asyncio.Event()
            ready.set_result(Workbench(asyncio.get_running_loop(), made, over))
            await over.wait()

    thread = threading.Thread(target=asyncio.run, args=(work(),))
    thread.start()
    made = ready.result(PATIENCE_S)
    try:
        yield made
    finally:
        made.loop.call_soon_threadsafe(made.over.set)
        thread.join(PATIENCE_S)


@contextmanager
def at_table(game: str, broker: Broker, folder: Path, seed: str, speed: float = 1.0) -> "Generator[Rig]":
    """A table of the demonstration, its devices and whoever plays at it; the daemon isn't started."""
    (folder / "run").mkdir(parents=True)
    config, forks = shipped(f"tables/{game}.demo.toml"), Forks()
    settings = {"table.name": game, "mqtt.url": broker.url}
    settings |= {"paths.state": str(folder / "state"), "paths.runtime": str(folder / "run")}
    with workbench(tomllib.loads(config.read_text("utf-8"))["devices"], folder / "run", speed) as made:
        daemon = Daemon(forks.context(), config, folder, settings)
        try:
            yield Rig(daemon, made, forks, random.Random(seed))
        finally:
            daemon.kill()


@dataclass(slots=True)
class Forks:
    """A fork server whose children may find the monotonic clock ahead: five minutes can't be waited for."""

    ahead_s: float = 0.0

    def Process(self, *, target: Callable[..., None], args: tuple[Any, ...], daemon: bool) -> Any:  # noqa: N802  # as multiprocessing names it
        """A process that isn't started yet."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tests.support.preloaded", "tests.support.daemon", "tests.support.crash_games"])
        return context.Process(target=_ahead, args=(self.ahead_s, target, args), daemon=daemon)

    def context(self) -> ForkServerContext:
        """What a `Daemon` takes: it uses no more of a context than this."""
        return cast("ForkServerContext", self)


def _ahead(ahead_s: float, target: Callable[..., None], args: tuple[Any, ...]) -> None:
    if ahead_s:
        seconds, nanoseconds = time.monotonic, time.monotonic_ns
        time.monotonic = lambda: seconds() + ahead_s
        time.monotonic_ns = lambda: nanoseconds() + round(ahead_s * 1e9)
    target(*args)


@dataclass(slots=True)
class Subscriber:
    """A plain subscriber, mosquitto's own, that writes every message down as it comes, in hexadecimal."""

    broker: Broker
    output: Path
    _process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Subscribes, and returns once the broker has the subscription."""
        self._process = listen(self.broker, self.output, "%t %x")

    def stop(self) -> None:
        """Hangs up."""
        if self._process is not None:
            end(self._process)

    def messages(self) -> list[Message]:
        """Everything that came whole, in that order; the last line may still be under way."""
        whole = self.output.read_text("utf-8").rpartition("\n")[0]
        lines = [line.split() for line in whole.splitlines() if line.startswith("tablectl/")]
        return [Message(line[0], bytes.fromhex(line[1])) for line in lines if len(line) == 2]

    def events(self) -> list[bytes]:
        """The events among it."""
        return [message.payload for message in self.messages() if "/event/" in message.topic]


def until(true: Callable[[], bool], what: str) -> None:
    """Looks until it is so."""
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, f"it never came to this: {what}"
        time.sleep(0.001)


@dataclass(slots=True)
class Requests:
    """The requests of whoever deals at a table that dies, each under a name that no other has.

    Args:
        records: of every request that was answered, as the answer named it.
        last: the last request, and with which code it was `refused`.
    """

    records: dict[str, int] = field(default_factory=dict[str, int])
    last: Ask | None = None
    refused: str = ""
    _made: int = 0
    _open: tuple[str, str, Form] | None = None
    _answered: tuple[str, str, Form] | None = None

    def make(self, ask: Callable[..., int], sight: Form, move: Ask) -> None:
        """Makes a request; it may be refused for want of the cards' names."""
        self._made += 1
        self.last, self.refused = move, ""
        body = {"round_id": sight["round_id"], "seen": sight["seen"], **move.fields}
        self._open = move.verb, f"{self._made}:{move.verb}", body
        self._send(ask)

    def make_again(self, ask: Callable[..., int]) -> None:
        """Makes the last one once more, word for word: what was answered is granted again and changes nothing.

        What was not answered is done now, if it wasn't before; or refused because the table went on.
        """
        if self._open is not None:
            try:
                self._send(ask)
            except RefusedError as no:
                if no.code != "stale_screen":
                    raise
                self._open = None
        elif self._answered is not None and not self.refused:
            verb, name, body = self._answered
            ask(verb, name, **body)

    def _send(self, ask: Callable[..., int]) -> None:
        assert self._open is not None
        verb, name, body = self._open
        try:
            self.records[name] = ask(verb, name, **body)
        except RefusedError as no:
            self.refused = no.code
            if no.code != "cards_unknown":
                raise
        self._open, self._answered = None, self._open


@dataclass(slots=True)
class Rig:
    """A daemon, its devices, whoever plays at it, and death."""

    daemon: Daemon
    bench: Workbench
    forks: Forks
    chance: random.Random
    requests: Requests = field(default_factory=Requests)
    kills: list[Kill] = field(default_factory=list[Kill])
    shown: list[Form] = field(default_factory=list[Form])
    came_back_s: float = 0.0

    # --- what a player does

    def ask(self, move: Ask) -> None:
        """Makes a request."""
        self.requests.make(self.daemon.ask, self.shown[-1], move)

    def device(self, what: str, act: Callable[[Bench], Any], seen: Callable[[Form], bool]) -> None:
        """Does something to a device, and waits until the table has taken it in."""
        self.bench.do(act)
        self.wait(what, seen)

    def wait(self, what: str, seen: Callable[[Form], bool]) -> None:
        """Waits until the table shows this."""
        until(lambda: seen(self.daemon.state()), what)

    # --- life and death

    def begin(self) -> Form:
        """Starts the daemon and waits for its devices and all that they have to tell."""
        began_s = time.monotonic()
        self.daemon.start()
        self.daemon.sign_on(*PIN)
        names = set(self.bench.devices.simulators)
        attached = lambda now: names <= {one["name"] for one in now["devices"] if one["attached"]}  # noqa: E731
        self.wait("all devices are there", attached)
        self.came_back_s = time.monotonic() - began_s
        self.requests.make_again(self.daemon.ask)
        return self.look()

    def look(self) -> Form:
        """What the table shows once no report is on its way."""
        until(lambda: not self.bench.untold(), "every report is stored")
        self.shown.append(self.daemon.state())
        return self.shown[-1]

    def step(self, act: Act, fate: str) -> None:
        """Does something; by `fate` the daemon dies while it is on its way, after it was answered, or not at all."""
        if fate == "during":
            delay_s = self.chance.uniform(0, LONGEST_DELAY_S)
            with self._dying(delay_s), suppress(DaemonGoneError):
                act()
            self._restart(f"{delay_s * 1000:.2f} ms into a step", self.shown[-1])
            return
        act()
        if fate == "after":
            self._restart("after an answer", self.daemon.state())

    def restart(self, how: str) -> None:
        """Kills the daemon now, and lets it come back."""
        self._restart(how, self.daemon.state())

    def sleep(self, lasts_s: float) -> None:
        """Kills the daemon and starts it on a machine that was asleep for so long meanwhile."""
        before = self.daemon.state()
        self.daemon.kill()
        self.forks.ahead_s += lasts_s
        self.kills.append(Kill("before a sleep", before, self.begin()))

    def _restart(self, how: str, before: Form) -> None:
        self.daemon.kill()
        self.shown.append(before)
        if self.chance.random() < IN_RECOVERY:
            how += self._die_in_recovery()
        self.kills.append(Kill(how, before, self.begin()))

    def _die_in_recovery(self) -> str:
        """Starts the daemon and kills it before or soon after it is up."""
        delay_s = self.chance.uniform(0, 0.4)
        with self._dying(delay_s), suppress(DaemonGoneError, AssertionError):
            self.daemon.start()
        self.daemon.kill()
        return f", again {delay_s * 1000:.0f} ms into its start"

    @contextmanager
    def _dying(self, delay_s: float) -> Generator[None]:
        killer = threading.Thread(target=self._kill, args=(delay_s,))
        killer.start()
        try:
            yield
        finally:
            killer.join()

    def _kill(self, delay_s: float) -> None:
        time.sleep(delay_s)
        until(lambda: self.daemon.process is not None and self.daemon.process.pid is not None, "a process to kill")
        assert self.daemon.process is not None
        os.kill(self.daemon.process.pid or 0, 9)
