"""Names and addresses that don't answer hold nothing up: neither others' calls nor the end of the process."""

import asyncio
import signal
import socket
import subprocess
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest

from drivers.transport.serial_tcp import TcpAddress, open_link
from tablectl.features.common import api_client
from tablectl.network import connect, in_thread, look_up, run
from tests.support.names import dead_address, name, swallowed
from tests.support.patience import PATIENCE_S

ENDS_WHILE_ONE_HANGS = """
import asyncio, socket, time
def swallow(host, port, *, flags=0, **_):
    if flags:
        raise socket.gaierror(socket.EAI_NONAME, "no number")
    time.sleep(1000)
socket.getaddrinfo = swallow
from tablectl.mqtt.client import BrokerAwayError, Connection
from tablectl.mqtt.settings import BrokerSettings
async def main():
    try:
        async with Connection(BrokerSettings("broker.example", timeout_s=0.1), "c"):
            pass
    except BrokerAwayError as error:
        print(error)
asyncio.run(main())
"""
"""A process whose name server swallows the question; nobody answers it within the time of the test."""


SWALLOWING = """
import socket, sys, time
really = socket.getaddrinfo
def swallow(host, port, *args, **named):
    host = host.decode() if isinstance(host, bytes) else host
    if str(host).endswith(".example"):
        if named.get("flags", 0) & socket.AI_NUMERICHOST:
            raise socket.gaierror(socket.EAI_NONAME, "no number")
        print("asked", host, file=sys.stderr, flush=True)
        time.sleep(1000)
    return really(host, port, *args, **named)
socket.getaddrinfo = swallow
from tablectl.cli import main
main()
"""
"""The command, with a name server that swallows questions about some names."""


async def test_many_questions_about_one_name_are_one_look_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with swallowed(monkeypatch, "device.example") as asked:
        for _ in range(5):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await look_up("device.example", 4001)
        assert asked == ["device.example"]
        async with asyncio.timeout(PATIENCE_S):
            assert await look_up("127.0.0.1", 1)
            assert await asyncio.to_thread(int, "7") == 7
        waiting = asyncio.create_task(look_up("device.example", 4001))
        await asyncio.sleep(0)
    found = await waiting
    assert [each[4] for each in found] == [("127.0.0.1", 4001)]
    assert asked == ["device.example"]


def test_process_ends_while_its_name_server_swallows_a_question() -> None:
    root = Path(__file__).parents[1]
    command = [sys.executable, "-c", ENDS_WHILE_ONE_HANGS]
    ended = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    assert ended.stdout.startswith("the broker at broker.example:1883 doesn't answer (no answer in time)")
    assert ended.stderr == ""


@pytest.mark.parametrize(
    "words",
    [
        ("record", "--broker", "mqtt://127.0.0.1:1", "--store", "postgresql://floor@database.example/floor"),
        ("monitor", "--url", "http://database.example:1", "--person", "rui", "--pin-file", "{pin}"),
    ],
)
def test_command_whose_library_waits_for_a_name_ends_when_told(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "pin").write_text("1111\n")
    given = [word.format(pin=tmp_path / "pin") for word in words]
    command = [sys.executable, "-c", SWALLOWING, *given]
    with subprocess.Popen(command, cwd=Path(__file__).parents[1], stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stderr is not None
            assert "asked database.example\n" in iter(running.stderr.readline, "")
            running.send_signal(signal.SIGINT)
            running.wait(PATIENCE_S)
        finally:
            running.kill()


async def test_look_ups_of_libraries_leave_the_default_threads_free() -> None:
    questions = 60  # more than asyncio has threads

    async def asked(number: int) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await asyncio.get_running_loop().getaddrinfo(f"{number}.example", 1, type=socket.SOCK_STREAM)

    async def all_asked() -> int:
        await asyncio.gather(*map(asked, range(questions)))
        return await asyncio.to_thread(int, "7")

    over = threading.Event()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(socket, "getaddrinfo", lambda *_: over.wait())
        try:
            assert await asyncio.wait_for(in_thread("program", lambda: run(all_asked())), PATIENCE_S) == 7
        finally:
            over.set()


async def test_addresses_of_both_families_come_by_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    name(monkeypatch, "broker.example", "::1", "::2", "127.0.0.1", "127.0.0.2")
    found = await look_up("broker.example", 1883)
    assert [each[4][0] for each in found] == ["::1", "127.0.0.1", "::2", "127.0.0.2"]


async def test_name_that_is_none_is_an_error_of_the_system() -> None:
    with pytest.raises(OSError, match="no name of a machine"):
        await look_up("a" * 70 + ".example", 1)


async def test_dead_first_address_costs_a_quarter_of_a_second_only(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with dead_address(port) as dead:
            name(monkeypatch, "broker.example", dead, "127.0.0.1")
            async with asyncio.timeout(PATIENCE_S):
                connection = await connect("broker.example", port)
            with connection:
                assert connection.getpeername() == ("127.0.0.1", port)


async def test_device_server_is_reached_at_its_second_address(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with dead_address(port) as dead:
            name(monkeypatch, "device.example", dead, "127.0.0.1")
            link = await open_link(TcpAddress("device.example", port), baudrate=9600, base_dir=tmp_path)
            link.close()


async def test_console_is_reached_at_its_second_address(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(asyncio.IncompleteReadError):  # of a client that goes without a word
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    monkeypatch.setattr(api_client, "PATIENCE_S", 1e6)  # who waits for the dead one waits longer than this test
    async with server:
        with dead_address(port) as dead:
            name(monkeypatch, "table.example", dead, "127.0.0.1")
            async with asyncio.timeout(PATIENCE_S):
                answer_text = await asyncio.to_thread(asked_at, f"http://table.example:{port}")
    assert answer_text == "{}"


def asked_at(url: str) -> str:
    """What a console answers to the client of the commands."""
    with api_client._client(api_client.Where(url)) as http:
        return http.get("/").text


async def test_reason_is_that_of_the_last_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    name(monkeypatch, "broker.example", "::1", "127.0.0.1")
    with pytest.raises(ConnectionRefusedError, match="Connection refused"):
        await connect("broker.example", port)


async def test_late_outcome_of_an_abandoned_call_is_tidied_up() -> None:
    go_on, tidied = threading.Event(), threading.Event()
    opening = asyncio.create_task(in_thread("open", go_on.wait, lambda _: tidied.set()))
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    go_on.set()
    assert await asyncio.to_thread(tidied.wait, 20)
