"""Outputs that nobody drains: nothing stands still for them, and what is left out is told in its place."""

import asyncio
import fcntl
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiomqtt
import pytest

from tablectl.daemon.host.log import configure, left_out
from tablectl.daemon.host.outlet import MOST_WAITING, Outlet, outlets, unhurried
from tablectl.features.demo.processes import free_port
from tablectl.features.recorder.run import load_record_config, recorded
from tablectl.features.recorder.settings import RecordConfig
from tablectl.features.recorder.stores.store import StoreAwayError, StoreUnusableError
from tablectl.features.sim.devices import SOCKET, ask
from tablectl.rule_tables import shipped
from tests.support.broker import private_broker
from tests.support.long import by_turn

PIPE_BYTES = 4096
WITHIN_S = 90.0
LINE = b"%07d" + b"." * 992 + b"\n"


def told(lines: int) -> str:
    return f"missing {lines}\n"


@dataclass(frozen=True, slots=True)
class Pipe:
    """A pipe of a page that nobody reads, until a test does."""

    reading: int
    writing: int

    def read_until(self, enough: Callable[[bytes], bool]) -> bytes:
        """What comes out of it."""
        read = b""
        while not enough(read):
            assert select.select([self.reading], [], [], WITHIN_S)[0], read[-200:]
            read += os.read(self.reading, 1 << 16)
        return read


@pytest.fixture
def pipe() -> Generator[Pipe]:
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    yield Pipe(reading, writing)
    os.close(reading)
    os.close(writing)


def until(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def test_lines_that_nobody_takes_are_told_where_they_are_missing(pipe: Pipe) -> None:
    written = 3 * MOST_WAITING // 1000
    with closing(Outlet(pipe.writing, told, forgiving=True)) as outlet:
        for number in range(written):
            outlet.write(LINE % number)
        assert outlet.lost > written // 2
        lines = pipe.read_until(lambda read: b"missing" in read).splitlines()
        assert outlet.wait_until_taken(WITHIN_S)
        outlet.write(LINE % written)
        lines += pipe.read_until(lambda read: read.endswith(LINE % written)).splitlines()
    assert lines == [
        *((LINE % number).strip() for number in range(written - outlet.lost)),
        b"missing %d" % outlet.lost,
        (LINE % written).strip(),
    ]


def test_each_gap_is_told_once_while_a_slow_reader_lags(pipe: Pipe) -> None:
    seen, written = b"", 0
    with closing(Outlet(pipe.writing, told, forgiving=True)) as outlet:
        while seen.count(b"missing") < 2:
            for _ in range(MOST_WAITING // 1000):
                written += 1
                outlet.write(LINE % written)
            seen += os.read(pipe.reading, PIPE_BYTES)
        seen += pipe.read_until(lambda read: read.endswith(b"\n") and accounted(seen + read) == written)
    assert seen.count(b"missing") <= 1 + len(seen) // (MOST_WAITING // 2)


def accounted(seen: bytes) -> int:
    """The number of the last line that is there, or is told to be missing; each comes in its turn."""
    number = 0
    for line in seen.splitlines():
        gap = re.fullmatch(rb"missing (\d+)", line)
        number += int(gap[1]) if gap else 1
        assert gap or line == (LINE % number).strip()
    return number


def test_a_closed_pipe_fails_output_but_not_the_log(pipe: Pipe) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with (
        closing(Outlet(writing, told, forgiving=False)) as output,
        closing(Outlet(writing, told, forgiving=True)) as log,
    ):
        output.write(b"a\n")
        log.write(b"a\nb\n")
        until(lambda: (output.lost, log.lost) == (1, 2), "both were told that the pipe is closed")
        assert log.write(b"c\n") == 2
        with pytest.raises(BrokenPipeError):
            output.write(b"b\n")
        assert log.wait_until_taken(WITHIN_S)
    os.close(writing)


def test_an_output_that_another_program_made_nonblocking_gets_every_line(pipe: Pipe) -> None:
    os.set_blocking(pipe.writing, False)
    with closing(Outlet(pipe.writing, told, forgiving=True)) as outlet:
        for number in range(100):
            outlet.write(LINE % number)
        read = pipe.read_until(lambda read: len(read) == 100_000)
    assert (read[-1000:], outlet.lost) == (LINE % 99, 0)


def test_lines_left_out_of_log_are_a_line_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    configure("error", "json")
    assert re.fullmatch(
        r'\{"area": "log", "event": "lines were left out: nobody took them", "lines": 7, "level": "error",'
        r' "timestamp": "[^"]+"\}\n',
        left_out(7),
    )


def test_streams_are_as_before_once_all_was_taken(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    with open(pipe.writing, "w", closefd=False) as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        reader = threading.Thread(target=pipe.read_until, args=[lambda read: len(read) >= 100_000])
        with unhurried(told):
            (outlet,) = [each for each in outlets() if each.fileno() == pipe.writing]
            reader.start()
            for _ in range(100):
                sys.stderr.write(f"{'.' * 999}\n")
        reader.join(WITHIN_S)
        assert (sys.stderr, outlet.lost) == (stream, 0)


# --- whole commands

COMMAND = (sys.executable, "-P", "-m", "tablectl")
TABLE = str(shipped("tables/q-poker.demo.toml"))


@contextmanager
def full_pipe() -> Generator[int]:
    """A pipe in which there is no room for a byte."""
    reading, writing = os.pipe()
    os.write(writing, bytes(fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)))
    yield writing
    os.close(reading)
    os.close(writing)


@contextmanager
def stopped_terminal() -> Generator[int]:
    """A terminal at which somebody pressed Ctrl-S."""
    master, slave = pty.openpty()
    termios.tcflow(slave, termios.TCOOFF)
    yield slave
    os.close(slave)
    os.close(master)


@contextmanager
def stalled(output: int, *words: str) -> "Generator[subprocess.Popen[bytes]]":
    """A command whose outputs nobody takes; told to end, it ends well."""
    with subprocess.Popen([*COMMAND, *words], stdin=subprocess.DEVNULL, stdout=output, stderr=output) as process:
        try:
            yield process
            process.send_signal(signal.SIGTERM)
            assert process.wait(WITHIN_S) == 0
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("output", by_turn([full_pipe, stopped_terminal]))
def test_daemon_whose_log_nobody_takes_serves_and_ends(
    output: Callable[[], AbstractContextManager[int]], tmp_path: Path
) -> None:
    port = free_port()
    settings = {
        "console.listen": f"127.0.0.1:{port}",
        "console.metrics": "true",
        "log.level": "trace",
        "mqtt.url": "mqtt://127.0.0.1:1",
        "paths.state": tmp_path / "state",
        "paths.runtime": tmp_path,
    }
    changes = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    with output() as nowhere, stalled(nowhere, "run", "--config", TABLE, *changes):
        until(lambda: "tablectl_state" in metrics(port), "the daemon answers")
        # A fault that a line was logged for: the loop has gone on behind it.
        until(lambda: 'code="102"' in metrics(port), "the daemon says that the devices are missing")


def metrics(port: int) -> str:
    """The figures of a daemon; none while it can't be asked."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=WITHIN_S) as answer:
            text: str = answer.read().decode()
    except (ConnectionError, urllib.error.URLError):
        return ""
    return text


@pytest.mark.slow
def test_recorder_whose_words_nobody_takes_records_and_ends(mosquitto: Path, tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'record.db'}"
    with private_broker(mosquitto, tmp_path) as broker, full_pipe() as nowhere:
        broker.start()
        words = ("--broker", broker.url, "--store", store, "--listen", "macau/t1")
        config = load_record_config(Path(os.devnull), {"broker.url": f'"{broker.url}"', "store.url": f'"{store}"'})
        with stalled(nowhere, "record", *words):
            until(lambda: (tmp_path / "record.db").exists() and is_at_work(config), "the recorder is at work")


def is_at_work(config: RecordConfig) -> bool:
    try:
        return not recorded(config).recorder
    except (StoreAwayError, StoreUnusableError):
        return False


@pytest.mark.slow
@pytest.mark.parametrize("output", by_turn([full_pipe, stopped_terminal]))
def test_tail_whose_lines_nobody_takes_goes_on_and_ends(output: Callable[[], AbstractContextManager[int]]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as broker, output() as nowhere:
        broker.settimeout(WITHIN_S)
        with stalled(nowhere, "tail", "--broker", f"mqtt://127.0.0.1:{broker.getsockname()[1]}"):
            for _ in range(2):  # after the first, it says that the broker is away
                broker.accept()[0].close()


@pytest.mark.slow
def test_lines_that_tail_left_out_are_an_incomplete_feed(mosquitto: Path, tmp_path: Path) -> None:
    with private_broker(mosquitto, tmp_path) as broker, full_pipe() as nowhere:
        broker.start()
        words = (*COMMAND, "tail", "--broker", broker.url, "--json", "--lang", "en")
        with subprocess.Popen(words, stdout=nowhere, stderr=subprocess.PIPE) as tail:
            try:
                assert tail.stderr is not None
                assert b"connected" in tail.stderr.readline()
                asyncio.run(published(broker.port, 3 * MOST_WAITING // 1000))
                broker.stop()
                assert tail.stderr.readline()  # that it is away: all that it had has come
                tail.send_signal(signal.SIGTERM)
                said = tail.stderr.read().decode()
            finally:
                tail.kill()
        assert tail.wait() == 1
        assert re.search(r"^\d+ lines were left out: nobody took them$", said, re.MULTILINE)


async def published(port: int, lines: int) -> None:
    async with aiomqtt.Client("127.0.0.1", port) as client:
        for number in range(lines):
            await client.publish("tablectl/v1/macau/q1/event/round", LINE % number, qos=1)


@pytest.mark.slow
def test_simulation_whose_words_nobody_takes_obeys_and_ends(tmp_path: Path) -> None:
    with full_pipe() as nowhere, stalled(nowhere, "sim", "run", "--config", TABLE, "--folder", str(tmp_path)):
        until(lambda: listens(tmp_path / SOCKET), "the simulation is up")
        assert ask(tmp_path, {"do": "fault", "code": 308}) == "shuffler: fault 308 (shuffler_jam)"


def listens(path: Path) -> bool:
    """Whether somebody takes connections; a socket stands in its folder a moment before."""
    with socket.socket(socket.AF_UNIX) as probe:
        return path.exists() and probe.connect_ex(str(path)) == 0


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
def test_demo_whose_words_nobody_takes_starts_its_daemon_and_ends(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    with full_pipe() as nowhere, stalled(nowhere, "demo", "--seed", "7", "--keep", str(folder)):
        until(lambda: "opened" in text_of(folder / "daemon.log"), "a round is played")


def text_of(file: Path) -> str:
    return file.read_text("utf-8") if file.exists() else ""


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
def test_whoever_reads_a_demo_slowly_gets_it_whole(pipe: Pipe, tmp_path: Path) -> None:
    words = ("demo", "--seed", "7", "--speed", "0", "--rounds", "3", "--keep", str(tmp_path / "demo"))
    with subprocess.Popen([*COMMAND, *words], stdout=pipe.writing) as demo:
        until(lambda: "stopping" in text_of(tmp_path / "demo" / "daemon.log"), "all was played")
        said = pipe.read_until(lambda read: b"messages  " in read and read.endswith(b"\n"))
    assert demo.returncode == 0
    assert [f"round {number}" in said.decode() for number in (1, 2, 3)]
