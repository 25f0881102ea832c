"""PostgreSQL with a standby, for a whole floor on one machine.

The standby takes over when the primary ends.
"""

import asyncio
import os
import secrets
import shutil
import signal
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import field
from pathlib import Path
from pwd import getpwnam
from typing import Final

from tablectl.edited_files import read_text
from tablectl.features.common.language import said
from tablectl.features.demo.console import DemoError
from tablectl.features.demo.processes import Child, free_port, start
from tablectl.features.floor.backbone import STOPS_WITHIN_S
from tablectl.journal.files import give_to, write_whole
from tablectl.lazy_dataclass import dataclass
from tablectl.words import Language

ANSWERS_WITHIN_S: Final = 60.0
LOOK_EVERY_S: Final = 0.2
SETTINGS: Final = (
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "shared_buffers=16MB",
    "max_connections=60",
    "wal_keep_size=64MB",
)
USER: Final = "postgres"
"""The system's user as whom PostgreSQL runs where we are root, which it refuses; and the database's."""


@dataclass(slots=True)
class Pair:
    """Two servers; a commit is with both before it is acknowledged.

    While one is away, it is with the other alone.

    Args:
        programs: the folder of PostgreSQL's programs.
        folder: for both servers' data.
        ports: of 127.0.0.1; the first is the primary's to begin with.
        tell: takes a line for people.
    """

    programs: Path
    folder: Path
    log: Path
    language: Language
    tell: Callable[[str], None]
    ports: tuple[int, int] = field(default_factory=lambda: (free_port(), free_port()))
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        """Where the one that takes writes is found, whichever it is."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.ports)
        options = f"target_session_attrs=read-write&connect_timeout=3&passfile={self.folder.parent / 'pgpass'}"
        return f"postgresql://{USER}@{hosts}/floor?{options}"

    async def run(self) -> None:
        """Run both until cancelled.

        When the primary ends, the standby takes over and has a new standby made.

        Raises:
            DemoError: a server can't be made or doesn't answer.
        """
        await asyncio.to_thread(self._prepare)
        primary = await self._made()
        async with AsyncExitStack() as stack:
            servers: dict[int, Child] = {}
            stack.push_async_callback(self._stop, servers)
            servers[primary] = await self._started(primary)
            if not await self._ask(primary, "SELECT 1 FROM pg_database WHERE datname = 'floor'"):
                await self._ask(primary, "CREATE DATABASE floor")
            while True:
                standby = 1 - primary
                await self._copy(primary, standby)
                servers[standby] = await self._started(standby)
                await self._wait_for(standby)
                self.ready.set()
                async with asyncio.TaskGroup() as waiting:
                    waits = [waiting.create_task(child.process.wait()) for child in servers.values()]
                    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                    for wait in waits:
                        wait.cancel()
                if servers[primary].process.returncode is not None:
                    await self._run("pg_ctl", "promote", "-D", str(self._data(standby)))
                    primary = standby
                await self._ask(primary, "ALTER SYSTEM RESET synchronous_standby_names")
                await self._ask(primary, "SELECT pg_reload_conf()")
                self.tell(said("floor.trial_database", self.language, port=self.ports[primary], path=self.log))

    # --- parts

    def _data(self, server: int) -> Path:
        return self.folder / str(server + 1)

    def _prepare(self) -> None:
        """Make the password, and the folder, which PostgreSQL's user has to reach."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        if not (self.folder.parent / "pgpass").exists():
            password = secrets.token_hex(16)
            write_whole(self.folder.parent / "pgpass", f"127.0.0.1:*:*:{USER}:{password}\n".encode(), 0o600)
            write_whole(self.folder / "password", f"{password}\n".encode(), 0o600)
        if os.geteuid() == 0:
            owner = getpwnam(USER)
            for each in (self.folder, self.folder / "password"):
                give_to(owner.pw_uid, owner.pw_gid, each)
            self.folder.parent.chmod(0o711)

    @property
    def _password(self) -> str:
        return read_text(self.folder.parent / "pgpass").rpartition(":")[2].strip()

    async def _made(self) -> int:
        """The server whose data are the newest; a new one where there is none."""
        there = [each for each in (0, 1) if (self._data(each) / "PG_VERSION").exists()]
        for each in there:
            if not (self._data(each) / "standby.signal").exists():
                return each
        await self._run("initdb", "-D", str(self._data(0)), "-U", USER, "-A", "scram-sha-256", "-E", "UTF8", "-N",
                        f"--pwfile={self.folder / 'password'}", "--locale=C.UTF-8")  # fmt: skip
        return 0

    async def _copy(self, primary: int, standby: int) -> None:
        """Make the standby anew from the primary, which goes on."""
        while self._data(standby).exists():  # the last of a killed server's processes may still write there
            await asyncio.to_thread(shutil.rmtree, self._data(standby), ignore_errors=True)
        await self._run("pg_basebackup", "-D", str(self._data(standby)), "-h", "127.0.0.1", "-U", USER, "-R", "-N",
                        "-p", str(self.ports[primary]), "-X", "stream", "--checkpoint=fast")  # fmt: skip

    async def _wait_for(self, standby: int) -> None:
        """Have commits wait for the standby from now on."""
        primary = 1 - standby
        async with asyncio.timeout(ANSWERS_WITHIN_S):
            streaming = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'"
            while not await self._ask(primary, streaming):  # noqa: ASYNC110  # nobody tells us
                await asyncio.sleep(LOOK_EVERY_S)
        await self._ask(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
        await self._ask(primary, "SELECT pg_reload_conf()")

    async def _started(self, server: int) -> Child:
        options = [word for setting in (*SETTINGS, f"port={self.ports[server]}") for word in ("-c", setting)]
        command = self._as_user("postgres", "-D", str(self._data(server)), *options)
        child = await start("PostgreSQL", command, self.log)
        for _ in range(int(ANSWERS_WITHIN_S / LOOK_EVERY_S)):
            if child.process.returncode is not None:
                await child.watch()
            asked = ("pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.ports[server]))
            if await self._run(*asked, may_fail=True) == "0":
                return child
            await asyncio.sleep(LOOK_EVERY_S)
        raise DemoError(f"PostgreSQL doesn't answer: see {self.log}")

    async def _stop(self, servers: dict[int, Child]) -> None:
        for child in servers.values():
            if child.process.returncode is None:
                child.process.send_signal(signal.SIGINT)  # SIGTERM would wait for those who are connected
        for child in servers.values():
            await child.stop(STOPS_WITHIN_S)

    async def _ask(self, server: int, query: str) -> str:
        return await self._run(
            "psql", "-X", "-At", "-h", "127.0.0.1", "-p", str(self.ports[server]), "-U", USER, "-c", query
        )

    async def _run(self, program: str, *arguments: str, may_fail: bool = False) -> str:
        """Run a program of PostgreSQL's.

        Returns what it said, or its exit status where it may fail.
        """
        child = await asyncio.create_subprocess_exec(
            *self._as_user(program, *arguments),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "PGPASSWORD": self._password, "PGDATABASE": USER},
        )
        out, err = await child.communicate()
        if may_fail:
            return str(child.returncode)
        if child.returncode:
            raise DemoError(
                f"{program} ended with exit status {child.returncode}: {err.decode(errors='replace').strip()}"
            )
        return out.decode().strip()

    def _as_user(self, program: str, *arguments: str) -> Sequence[str]:
        command = [str(self.programs / program), *arguments]
        if os.geteuid() != 0:
            return command
        return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups", "--pdeathsig=KILL", *command]


def programs_of_postgres() -> Path:
    """Where Debian keeps the newest server's programs.

    Raises:
        DemoError: it isn't installed.
    """
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not found:
        raise DemoError("PostgreSQL isn't installed: `apt-get install postgresql`, or `--small` does without")
    return found[-1].parent
