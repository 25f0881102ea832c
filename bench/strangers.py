"""Strangers at the console under TLS who ask for much and never read: memory of the daemon, waiting at the table.

    python -m bench.strangers [COUNT]

A part of `make proof`. It prints a line of figures; the exit code is 1 where a bound is missed three times: others on
the machine delay the table as well. The server runs in a process of its own; the strangers come from addresses of
127.0.1.0/24, which count as other machines.
"""

import asyncio
import multiprocessing
import socket
import ssl
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from tablectl.console.http.tls import Tls
from tests.console.rig import house
from tests.support.authority import Authority

STRANGERS: Final = 1000
LARGE: Final = b"GET /v1/words HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 20
CHOICES: Final = 17
"""Small answers that nobody else asked for come before: more than a cache of the last few choices would hold."""
LOOKS: Final = 200

MOST_MIB: Final = 32.0
MOST_MS: Final = 100.0
"""By how much the server may grow, and how long a look at the table may take meanwhile."""


def _resident_kib(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def _serve(tls: Tls, said: Connection) -> None:
    async def served() -> None:
        async with house(tls=tls, loitering_s=60.0) as here:
            said.send(here.port)
            await asyncio.Event().wait()

    asyncio.run(served())


async def _stranger(port: int, nth: int, trusting: ssl.SSLContext, held: list[asyncio.StreamWriter]) -> None:
    door = socket.socket()
    door.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    door.settimeout(0)
    door.bind((f"127.0.1.{nth % 250 + 1}", 0))
    with suppress(OSError):
        await asyncio.get_running_loop().sock_connect(door, ("127.0.0.1", port))
        reader, writer = await asyncio.open_connection(sock=door, ssl=trusting, server_hostname="127.0.0.1", limit=1)
        held.append(writer)
        for each in range(CHOICES):
            writer.write(f"GET /v1/words?prefix={nth}.{each} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        writer.write(LARGE)
        del reader


async def _looks(port: int, pid: int, trusting: ssl.SSLContext, waits_ms: list[float], looks: int) -> int:
    """Look at the table again and again, as its own screen does; the largest memory of the server meanwhile, in KiB."""
    largest = 0
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusting)
    for _ in range(looks):
        began = time.perf_counter()
        writer.write(b"GET /v1/display HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if b"content-length" in line)
        await reader.readexactly(length)
        waits_ms.append((time.perf_counter() - began) * 1000)
        largest = max(largest, _resident_kib(pid))
        await asyncio.sleep(0.05)
    writer.close()
    await writer.wait_closed()
    return largest


def _attack(port: int, count: int, authority: str) -> None:
    async def attacking() -> None:
        held: list[asyncio.StreamWriter] = []
        trusting = ssl.create_default_context(cafile=authority)
        async with asyncio.TaskGroup() as group:
            for nth in range(count):
                group.create_task(_stranger(port, nth, trusting, held))
        await asyncio.Event().wait()

    asyncio.run(attacking())


def measure(count: int, looks: int = LOOKS) -> dict[str, float]:
    """The server's growth in MiB, and the longest and the usual wait at the table in ms."""
    with tempfile.TemporaryDirectory() as folder:
        authority = Authority(Path(folder))
        own = authority.sign("table")
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        server = context.Process(target=_serve, args=(Tls(own.cert, own.key), there))
        server.start()
        port, pid = here.recv(), server.pid or 0
        waits_ms: list[float] = []
        trusting = ssl.create_default_context(cafile=authority.file)
        asyncio.run(_looks(port, pid, trusting, waits_ms, looks))  # warm: every answer was given once
        before, alone_ms = _resident_kib(pid), max(waits_ms)
        waits_ms.clear()
        attackers = context.Process(target=_attack, args=(port, count, authority.file))
        attackers.start()
        try:
            grown = (asyncio.run(_looks(port, pid, trusting, waits_ms, looks)) - before) / 1024
        finally:
            for process in (attackers, server):
                process.kill()
                process.join()
    return {
        "strangers": count,
        "grown_mib": round(grown, 1),
        "longest_ms": round(max(waits_ms), 1),
        "usual_ms": round(sorted(waits_ms)[len(waits_ms) // 2], 1),
        "longest_alone_ms": round(alone_ms, 1),
    }


def verdict(found: Mapping[str, float]) -> str:
    """The figures in one line, and whether they keep within the bounds."""
    kept = found["grown_mib"] <= MOST_MIB and found["longest_ms"] <= MOST_MS
    rest = ", ".join(f"{name} {figure}" for name, figure in found.items() if name != "strangers")
    return f"{'proved' if kept else 'FAILED'}: {found['strangers']:,} strangers who never read: {rest}"


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else STRANGERS
    for _ in range(3):
        said = verdict(measure(asked))
        sys.stdout.write(f"{said}\n")
        if said.startswith("proved"):
            raise SystemExit(0)
    raise SystemExit(1)
