"""What the daemon takes of its machine: time to start, memory, and processor time while nothing happens."""

import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.dealer import Dealer
from bench.ends import Subscriber
from bench.figures import Figure
from bench.installed import install
from bench.stage import RunningDaemon, Stage, stage

IMPORTS = "import asyncio, pydantic, aiomqtt, apsw, uvicorn, starlette, structlog"
ALL_IMPORTS = f"""
import sys
sys.modules["rich"] = None  # only developers have it; structlog would import it
{IMPORTS}
import argon2, ctypes, serial
import cryptography.hazmat.primitives.asymmetric.ed25519, cryptography.hazmat.primitives.serialization
import starlette.applications, starlette.routing, starlette.websockets
import uvicorn.lifespan.off, uvicorn.protocols.http.h11_impl, uvicorn.protocols.websockets.websockets_sansio_impl
import pydantic.dataclasses, pydantic.json_schema
class Model(pydantic.BaseModel): pass
"""
"""What a daemon has of its libraries: `IMPORTS` alone leaves pydantic's greater part and cryptography out."""

TABLE = "footprint"
PLACES = (2, 5)
CALM_S = 2.0
"""After the start, before the idle time is measured."""

START_TARGET_S, VERIFIED_TARGET_S, IDLE_TARGET_PERCENT = 0.6, 1.0, 0.5
RESIDENT_TARGET, PRIVATE_TARGET = 1.4, 1.6
"""Times what a process takes that has only imported the libraries."""

CARD_TOPIC = "/event/card"


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done for the figures."""

    starts: int = 7
    idle_s: float = 20.0
    rounds: int = 1000
    sign_ons: int = 100


def measure(effort: Effort) -> list[Figure]:
    """The figures of one table with all its devices."""
    with stage() as place:
        figures = _starts(place, effort.starts)
        with place.daemon(TABLE) as daemon:
            time.sleep(CALM_S)
            figures.append(_idle(daemon.pid, effort.idle_s))
            fresh = _memory_mib(daemon.pid)
            _play(place, daemon, effort)
            with _libraries(IMPORTS) as floor_pid, _libraries(ALL_IMPORTS) as whole_pid:
                played, floor, whole = (_memory_mib(pid) for pid in (daemon.pid, floor_pid, whole_pid))
                return [*figures, *_memory(fresh, played, floor, effort), *_beside_all(played, whole)]


@contextmanager
def _libraries(imports: str) -> Generator[int]:
    """A process that has imported the libraries and waits; it shares their files with the daemon beside it."""
    command = [sys.executable, "-c", f"{imports}\nprint(flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.communicate(b"\n")


def _starts(place: Stage, count: int) -> list[Figure]:
    """How long a start takes. A table's first, which makes its log, stands apart: it happens once."""
    with place.daemon(TABLE) as daemon:
        first_s = daemon.start_s
    took_s: list[float] = []
    floor_s: list[float] = []
    for _ in range(count):
        floor_s.append(_taken_s(lambda: subprocess.run([sys.executable, "-c", IMPORTS], check=True)))
        with place.daemon(TABLE) as daemon:
            took_s.append(daemon.start_s)
    python = install(place.folder)
    verified_s: list[float] = []
    for _ in range(count + 1):  # the first reads from a disk that nothing has warmed
        with place.daemon(TABLE, python=(python, "-I")) as daemon:
            verified_s.append(daemon.start_s)
    return [
        Figure(f"start to ready, median of {count}", median(took_s), "s", median(floor_s), START_TARGET_S),
        Figure(
            f"installed and verified, median of {count}",
            median(verified_s[1:]),
            "s",
            median(floor_s),
            VERIFIED_TARGET_S,
        ),
        Figure("a table's very first start", first_s, "s"),
    ]


def _taken_s(what: Callable[[], object]) -> float:
    begun_s = time.monotonic()
    what()
    return time.monotonic() - begun_s


def _idle(pid: int, idle_s: float) -> Figure:
    """The share of one core that all threads together use."""
    before_s, begun_s = _processor_s(pid), time.monotonic()
    time.sleep(idle_s)
    share = (_processor_s(pid) - before_s) / (time.monotonic() - begun_s)
    return Figure(f"idle for {idle_s:g} s, of a core", 100 * share, "%", target=IDLE_TARGET_PERCENT)


def _processor_s(pid: int) -> float:
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text("ascii").split()[0]) for thread in threads) / 1e9


def _play(place: Stage, daemon: RunningDaemon, effort: Effort) -> None:
    subscriber = Subscriber(place.broker.port, ("tablectl/#",))
    subscriber.connect()
    dealer = Dealer(daemon.port, PLACES)

    def deal(card: str) -> None:
        place.shoe.draw(card)
        # By the topic: the AsyncAPI document has every message's type in its payload.
        subscriber.until(lambda topic, _: topic.endswith(CARD_TOPIC))

    with closing(subscriber), closing(dealer):
        for _ in range(effort.sign_ons):
            dealer.close()
            dealer.sign_on()
        for _ in range(effort.rounds):
            dealer.play(deal)


def _memory(fresh: dict[str, float], played: dict[str, float], floor: dict[str, float], effort: Effort) -> list[Figure]:
    after = f"after {effort.rounds:,} rounds and {effort.sign_ons} sign-ons"
    return [
        Figure("resident, fresh", fresh["Rss"], "MiB", floor["Rss"], digits=1),
        Figure(f"resident, {after}", played["Rss"], "MiB", floor["Rss"], RESIDENT_TARGET, as_ratio=True, digits=1),
        Figure(f"proportional share, {after}", played["Pss"], "MiB", floor["Pss"], digits=1),
        Figure(f"private, {after}", _private(played), "MiB", _private(floor), PRIVATE_TARGET, as_ratio=True, digits=1),
    ]


def _beside_all(played: dict[str, float], whole: dict[str, float]) -> list[Figure]:
    return [
        Figure("resident, beside all of its libraries", played["Rss"], "MiB", whole["Rss"], digits=1),
        Figure("private, beside all of its libraries", _private(played), "MiB", _private(whole), digits=1),
    ]


def _private(memory: dict[str, float]) -> float:
    return memory["Private_Dirty"] + memory["Private_Clean"]


def _memory_mib(pid: int) -> dict[str, float]:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()[1:]
    return {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines}
