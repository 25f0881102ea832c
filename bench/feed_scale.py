"""Many tables into one broker, one plain subscriber and one recorder: what each costs, and whether anything was lost.

The subscriber is mosquitto's own client, which writes down when each message came. A message's delay counts from the
moment that stands in it as its time; both are this machine's clock.
"""

import http.client
import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.dealer import PERSON, PIN
from bench.feed_machine import private_mib, spent, until
from bench.feed_recorder import Base, Record, Recorder, recorder
from bench.figures import UnmeasuredError
from bench.stage import DISK, Child, mosquitto, start
from tablectl.features.demo.processes import free_port
from tests.support.broker import Broker, private_broker
from tests.support.whole import Message, flaws, stored

CATCH_UP_S = 60.0
SITE = "bench"
PIN_HASH = "$argon2id$v=19$m=19456,t=2,p=1$hFZycK2PudxsMdicH1HW2A$RJ+b8wfApdTtO0/u+tw5DrDNo4dmU7ws5x6AZcj7LRE"
"""Of the demonstration's dealer."""

TABLE = """
[table]
site = "{site}"
name = "{name}"
game = "wheel_of_fortune"
[paths]
state = "{state}"
runtime = "{state}"
[mqtt]
url = "mqtt://127.0.0.1:{broker}"
[console]
listen = "127.0.0.1:{console}"
[people.{person}]
role = "dealer"
pin_hash = "{pin_hash}"
[subscribers.recorder]
may = ["replay"]
reads = ["round", "bet", "card", "draw", "wheel", "dice", "fault", "fairness", "audit"]
"""


@dataclass(frozen=True, slots=True)
class Step:
    """So many tables at work for a while.

    Args:
        what: what the tables are: daemons, or tables in one process.
        events: that every journal together holds.
        flaws: what the subscriber's record lacks, or has otherwise.
        processor_share: of one core, all tables together; `broker_share` the broker's.
        memory_mib: private, all tables together.
        record: what the recorder kept of it, and took for it.
    """

    what: str
    tables: int
    events: int
    flaws: int
    delays_ms: Sequence[float]
    processor_share: float
    broker_share: float
    memory_mib: float
    record: Record


def measure_daemons(count: int, lasts_s: float, pace: float, base: Base) -> Step:
    """So many real daemons, each with its process, journal, console and connection.

    Args:
        pace: facts of a table in a second.
        base: what is recorded into.
    """
    with _house(count, base) as house, ExitStack() as stack:
        dealers = [stack.enter_context(_daemon(house, f"t{number}")) for number in range(count)]
        for dealer in dealers:
            dealer.begin()
        pids = [dealer.pid for dealer in dealers]
        return house.observe("daemons", count, pids, lambda: _play(dealers, lasts_s, pace))


def measure_tables(count: int, lasts_s: float, pace: float, base: Base) -> Step:
    """So many tables in one process, each with its own journal, writer, key and connection."""
    with _house(count, base) as house:
        command = ["bench.feed_tables", str(house.folder), str(house.broker.port), str(pace), "1", SITE, *_names(count)]
        child = start(command, house.folder / "tables.log")
        try:
            until((house.folder / "ready").exists, child)
            pids, end = [child.process.pid], lambda: _end(house.folder, child)
            return house.observe("tables in one process", count, pids, lambda: time.sleep(lasts_s), end)
        finally:
            child.stop()


def _end(folder: Path, child: Child) -> None:
    """Lets the tables in one process come to their end, so that their journals grow no more."""
    (folder / "stop").touch()
    until(lambda: child.process.poll() is not None)
    if child.process.returncode:
        raise UnmeasuredError(f"the tables ended badly:\n{child.last_words()}")


@dataclass(slots=True)
class House:
    """A broker, and a subscriber and a recorder of all of its tables."""

    folder: Path
    broker: Broker
    ear: Path
    recorder: Recorder

    def observe(
        self,
        what: str,
        count: int,
        pids: Sequence[int],
        play: Callable[[], None],
        end: Callable[[], None] = lambda: None,
    ) -> Step:
        """Looks on while the tables play, then until subscriber and recorder have what their journals hold at the end.

        Args:
            play: returns when the measured time is over; `end` when no journal grows any more.
        """
        from_us = time.time_ns() // 1000
        tables, broker, record = spent(pids), spent([self.broker.pid]), self.recorder.spent()
        play()
        shares, usage = (tables.share_since(), broker.share_since()), self.recorder.usage(record)
        memory = sum(private_mib(pid) for pid in pids)
        end()
        events, wrong, came = self._compared(count)
        delays = [delay for at_us, delay in came if at_us >= from_us]
        journals = {name: self.folder / name / "journal.db" for name in _names(count)}
        return Step(what, count, events, wrong, delays, *shares, memory, self.recorder.record(journals, from_us, usage))

    def _compared(self, count: int) -> tuple[int, int, list[tuple[int, float]]]:
        """Events stored, flaws in what came, and each event's time with its delay in milliseconds."""
        journals = [self.folder / f"t{number}" / "journal.db" for number in range(count)]
        deadline_s = time.monotonic() + CATCH_UP_S
        while True:
            came = _heard(self.ear)
            held = [stored(journal) for journal in journals]
            by_table = {name: [one for one, _, _ in came if f"/{name}/" in one.topic] for name in _names(count)}
            wrong = sum(len(flaws(by_table[f"t{number}"], held[number])) for number in range(count))
            if not wrong or time.monotonic() > deadline_s:
                return sum(map(len, held)), wrong, [(at_us, delay_ms) for _, at_us, delay_ms in came]
            time.sleep(1.0)


def _names(count: int) -> list[str]:
    return [f"t{number}" for number in range(count)]


@contextmanager
def _house(count: int, base: Base) -> Generator[House]:
    with tempfile.TemporaryDirectory(prefix="tablectl-bench-", dir=DISK) as name, ExitStack() as stack:
        folder = Path(name)
        broker = stack.enter_context(private_broker(mosquitto(), folder))
        broker.start()
        ear = folder / "ear"
        with ear.open("wb") as file:
            command = (
                f"stdbuf -oL mosquitto_sub -V mqttv5 -q 1 -d -p {broker.port} -t tablectl/v1/+/+/event/+ -F".split()
            )
            process = subprocess.Popen([*command, "%U %t %r %p"], stdout=file, stderr=subprocess.STDOUT)
        stack.callback(process.wait)
        stack.callback(process.kill)
        until(lambda: b"Subscribed (mid:" in ear.read_bytes())
        yield House(folder, broker, ear, stack.enter_context(recorder(folder, broker.url, SITE, _names(count), base)))


def _heard(ear: Path) -> list[tuple[Message, int, float]]:
    """What came: the message, its own time (UTC, microseconds), and its delay in milliseconds."""
    came: list[tuple[Message, int, float]] = []
    for line in ear.read_bytes().splitlines():
        parts = line.split(b" ", 3)
        if len(parts) == 4 and parts[1].startswith(b"tablectl/"):
            at_us = int(datetime.fromisoformat(json.loads(parts[3])["time"]).timestamp() * 1e6)
            message = Message(parts[1].decode(), parts[3], parts[2] == b"1")
            came.append((message, at_us, float(parts[0]) * 1000 - at_us / 1000))
    return came


# --- real daemons


class _Dealer:
    """A dealer who keeps one round open and lays one bet after the other."""

    def __init__(self, pid: int, port: int) -> None:
        self.pid = pid
        self._port = port
        self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        self._headers = {"Content-Type": "application/json"}
        self._round: str | None = None
        self._asked = self._seen = 0

    def answers(self) -> bool:
        try:
            self._call("GET", "/v1/health")
        except OSError:
            self._http.close()
            return False
        return True

    def begin(self) -> None:
        """Signs on and opens a round."""
        token = self._call("POST", "/v1/sign-on", {"person": PERSON, "pin": PIN})["token"]
        self._headers["Authorization"] = f"Bearer {token}"
        self._look()
        self._ask("open_round")
        self._look()

    def bet(self) -> None:
        """One fact, one event."""
        self._ask(
            "bet", place=1 + self._asked % 12, bettor=f"b{self._asked}", bet=f"symbol_{1 + self._asked % 7}", stake="50"
        )

    def close(self) -> None:
        self._http.close()

    def _look(self) -> None:
        state = self._call("GET", "/v1/state")
        self._round, self._seen = state["round_id"], int(state["seen"])

    def _ask(self, verb: str, **fields: object) -> None:
        self._asked += 1
        body = {"request_id": f"r{self._asked}", "round_id": self._round, "seen": self._seen, **fields}
        answer = self._call("POST", f"/v1/requests/{verb}", body)
        if not answer.get("accepted"):
            raise UnmeasuredError(f"the table refuses {verb}: {answer}")
        self._seen = int(answer["record"])

    def _call(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        try:
            return self._called(method, path, body)
        except (ConnectionError, http.client.HTTPException):
            self._http.close()  # A console hangs up on who says nothing for a while.
            return self._called(method, path, body)

    def _called(self, method: str, path: str, body: object) -> dict[str, Any]:
        self._http.request(method, path, json.dumps(body) if body is not None else None, self._headers)
        answer: dict[str, Any] = json.loads(self._http.getresponse().read())
        return answer


@contextmanager
def _daemon(house: House, name: str) -> Generator[_Dealer]:
    state, port = house.folder / name, free_port()
    config = house.folder / f"{name}.toml"
    values = {"site": SITE, "name": name, "state": state, "broker": house.broker.port, "console": port}
    config.write_text(TABLE.format(**values, person=PERSON, pin_hash=PIN_HASH), "utf-8")
    child = start(["tablectl", "run", "--config", str(config)], house.folder / f"{name}.log")
    dealer = _Dealer(child.process.pid, port)
    try:
        until(dealer.answers, child)
        yield dealer
    finally:
        dealer.close()
        child.stop()


def _play(dealers: Sequence[_Dealer], lasts_s: float, pace: float) -> None:
    """One bet after the other, round the tables, at their pace together; a late one doesn't put the others off."""
    begun_s, every_s = time.monotonic(), 1 / (pace * len(dealers))
    for number in range(int(lasts_s / every_s)):
        time.sleep(max(0.0, begun_s + number * every_s - time.monotonic()))
        dealers[number % len(dealers)].bet()
