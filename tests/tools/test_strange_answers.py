"""Answers of whatever stands where a table's console, simulation or journal should: one line in words, no traceback."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from tablectl.config import load
from tablectl.core.protocols import StoredEvent
from tablectl.features.common.api_client import ANSWER_MOST, RequestFailedError, Where, Who, send_request
from tablectl.features.demo.summary import Output, Show
from tablectl.features.doctor.daemon import ask_daemon
from tablectl.features.journal import prune, restore, upgrade_check
from tablectl.features.monitor.link import Shown, TableLink
from tablectl.features.monitor.screen import MonitorApp
from tablectl.features.sim.devices import SOCKET, ask
from tablectl.features.sim.hands import SimError
from tablectl.features.tail.follower import Follower
from tablectl.history.explanation import make_renderers
from tablectl.journal.reading.rows import SnapshotRow
from tablectl.journal.reading.verify import BrokenError
from tablectl.mqtt.message import Message
from tablectl.rule_tables import shipped

DEEP: Final = b"[" * 100_000
WHO: Final = Who("ana", "1111")
CONFIG: Final = load(shipped("tables/q-poker.demo.toml"), {})
ANSWERS: Final = {
    "text": b"hello",
    "bytes": b"\xff\xfe",
    "deep": DEEP,
    "huge": b'{"token": "' + b"a" * ANSWER_MOST + b'", "role": "dealer", "expires_s": 60}',
    "list": b"[]",
    "number": b"7",
    "empty": b"{}",
    "other token": b'{"token": 7, "role": "dealer", "expires_s": 60}',
    "no header's token": '{"token": "\u00e9\\n", "role": "dealer", "expires_s": 60}'.encode(),
    "other health": b'{"status": "ok", "health": [1]}',
    "other devices": b'{"status": "ok", "health": {"devices": 7}}',
    "other lag": b'{"status": "ok", "health": {"loop_lag_s": []}}',
}


@asynccontextmanager
async def answering(body: bytes, status: int = 200) -> AsyncGenerator[int]:
    """A server that answers everything with this; its port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):  # they only tried the port, or had enough
            head = await reader.readuntil(b"\r\n\r\n")
            given = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            await reader.readexactly(int(given[0].partition(b":")[2]) if given else 0)
            writer.write(b"HTTP/1.1 %d X\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % (status, len(body)))
            writer.write(body)
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


@pytest.mark.parametrize("kind", ANSWERS)
async def test_strange_answer_to_monitor_is_no_tables_console(kind: str) -> None:
    async with answering(ANSWERS[kind]) as port:
        link = TableLink(f"http://127.0.0.1:{port}", WHO)
        with pytest.raises(RequestFailedError, match="no table's console answers"):
            await link.sign_on()
        await link.close()


@pytest.mark.parametrize("kind", ANSWERS)
async def test_strange_answer_to_a_command_is_no_tables_console(kind: str) -> None:
    async with answering(ANSWERS[kind]) as port:
        where = Where(f"http://127.0.0.1:{port}")
        with pytest.raises(RequestFailedError, match="no table's console answers"):
            await asyncio.to_thread(send_request, where, WHO, "bookmark", {"note": "x"}, "en")


@pytest.mark.parametrize("error", [7, [1], {"message": "m" * 10_000}])
async def test_strange_error_of_a_server_is_one_short_line(error: object) -> None:
    async with answering(json.dumps({"error": error}).encode(), 400) as port:
        link = TableLink(f"http://127.0.0.1:{port}", WHO)
        with pytest.raises(RequestFailedError) as failed:
            await link.sign_on()
        await link.close()
    assert len(str(failed.value)) < 1000


@pytest.mark.parametrize("kind", ANSWERS)
async def test_strange_answer_to_doctor_is_no_daemon(kind: str) -> None:
    async with answering(ANSWERS[kind]) as port:
        console = CONFIG.console.model_copy(update={"listen": f"127.0.0.1:{port}"})
        assert await ask_daemon(CONFIG.model_copy(update={"console": console})) is None


@pytest.mark.parametrize("state", [{}, {"devices": [7]}, {"devices": [{"name": 1, "attached": []}], "phase": 7}])
async def test_table_shown_in_another_shape_is_told_in_monitor(state: dict[str, Any]) -> None:
    app = MonitorApp(TableLink("http://127.0.0.1:9", WHO), make_renderers(76), "en", lambda: "12:00:00 UTC")
    async with app.run_test() as pilot:
        app._hear(Shown({"game": "q_poker", **state}))
        assert "no table's console answers" in app.trouble.reason if app.trouble else False
        await pilot.pause()


@pytest.mark.parametrize("answer", [DEEP[:60_000], b"7", b"[]", b"x"])
async def test_strange_answer_of_simulation_is_said_in_words(tmp_path: Path, answer: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(answer + b"\n")
        await writer.drain()
        writer.close()

    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / SOCKET))
    async with await asyncio.start_unix_server(serve, sock=listening):
        with pytest.raises(SimError, match="no simulation answers"):
            await asyncio.to_thread(ask, tmp_path, {"do": "dance"})


@pytest.mark.parametrize("payload", [DEEP, b"7", b"{}", b'{"type": "mo.tablectl.card.dealt.v1", "data": 7}'])
async def test_strange_message_ends_no_demonstration(payload: bytes) -> None:
    lines: list[str] = []
    show = Show(Follower(), "en", Output(lines.append, terminal=False), colour=False)

    async def feed() -> AsyncGenerator[Message]:
        yield Message("tablectl/v1/demo/q-demo/event/card", payload)

    await show.follow(feed())
    assert show.tally.ended == 0


@pytest.mark.parametrize("payload", [DEEP + b"round.reopened.v1", b'["mo.tablectl.round.reopened.v1"]'])
def test_an_event_that_is_none_is_named_and_passed_over(payload: bytes) -> None:
    row: Any = SimpleNamespace(sequence=7, topic="event/round", payload=payload)
    reader: Any = SimpleNamespace(timed_events=lambda: [row], events=lambda: [row])
    assert list(prune._taken_back(reader)) == []
    with pytest.raises(BrokenError, match="event 7"):
        restore._open_round(reader)


@pytest.mark.parametrize("written", [DEEP, b"x", b"\xff", b"7"])
def test_damaged_state_and_event_differ_from_what_is_made(written: bytes) -> None:
    replayer: Any = SimpleNamespace(state=lambda: ("1", b'{"phase": "idle"}'))
    row = SnapshotRow(3, 3, "1", written, b"")
    found = upgrade_check._compare_state(row, replayer, upgrade_check.Checked())
    assert found is not None
    assert found.record == 3
    form = upgrade_check._form(StoredEvent(1, "event/round", written))
    assert form["topic"] == "event/round"
