"""`tablectl` forked from a process that has imported it, for tests to which a command's start doesn't matter.

`tablectl_path()` is an executable that hands its arguments, folder, environment and descriptors to the server of this
process; the command runs in a fork of it, and signals are passed on. What depends on how a program begins (limits,
terminals, `strace`, another user) uses `python -m tablectl`; `tests/cli/test_starts.py` really starts each command.
"""

import asyncio
import contextlib
import json
import os
import random
import signal
import socket
import sys
import tempfile
import time
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Final, NoReturn

import tablectl.daemon.daemon
from tablectl.cli import COMMANDS, DEVELOPERS, main
from tablectl.daemon.asyncapi import document
from tablectl.features.demo import layout
from tests.support.patience import PATIENCE_S

PASSED_ON: Final = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
CLIENT: Final = """#!/bin/sh
'''exec' "{python}" -IS "$0" "$@"
''' # the interpreter's path may have a blank
import json, os, signal, socket, sys
passed_on = {passed_on}
ignored = [number for number in passed_on if signal.getsignal(number) == signal.SIG_IGN]
door = socket.socket(socket.AF_UNIX)
door.connect({door!r})
asked = json.dumps([sys.argv, os.getcwd(), dict(os.environ), ignored]).encode()
socket.send_fds(door, [len(asked).to_bytes(4, "big")], [0, 1, 2])
door.sendall(asked)
for number in set(passed_on) - set(ignored):
    signal.signal(number, lambda number, _: door.send(bytes([number])))
ended = int.from_bytes(door.recv(4), "big", signed=True)
if ended < 0:
    signal.signal(-ended, signal.SIG_DFL)
    os.kill(os.getpid(), -ended)
sys.exit(ended)
"""


@cache
def tablectl_path() -> str:
    """The path of the executable; its server starts at the first call and ends with this process."""
    folder = Path(tempfile.mkdtemp(prefix="warm-"))
    client, door = folder / "tablectl", str(folder / "door")
    numbers = tuple(int(number) for number in PASSED_ON)
    client.write_text(CLIENT.format(python=sys.executable, door=door, passed_on=numbers), "utf-8")
    client.chmod(0o755)
    # Its standard input stays open as long as this process lives.
    alive, _ = os.pipe()
    command = [sys.executable, "-P", "-m", __name__, door]
    os.posix_spawn(sys.executable, command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, alive, 0)], setsid=True)
    os.close(alive)
    until_s = time.monotonic() + PATIENCE_S
    while not Path(door).exists():
        assert time.monotonic() < until_s, "the server of forked commands did not start"
        time.sleep(0.01)
    return str(client)


def serve(path: str) -> None:
    """Serve clients at this socket until standard input ends."""
    for target in {*COMMANDS.values(), *DEVELOPERS.values()}:
        import_module(target.partition(":")[0])
    import_module("tests.support.preloaded")
    setattr(layout, "DAEMON", (str(Path(path).with_name("tablectl")), "run"))  # noqa: B010  # a demonstration's
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _make_asyncapi_once(Path(path).with_name("asyncapi"))
    door = socket.socket(socket.AF_UNIX)
    door.bind(f"{path}.new")
    door.listen(64)
    Path(f"{path}.new").rename(path)
    if os.fork() == 0:
        while True:
            client, _ = door.accept()
            if os.fork() == 0:
                door.close()
                _run_for(client)
            client.close()
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGKILL)


def _make_asyncapi_once(kept: Path) -> None:
    """Have all daemons publish one document, made meanwhile: to make it takes longer than all else of a start."""
    if os.fork() == 0:
        new = kept.with_name("asyncapi.new")
        new.write_bytes(document(tablectl.__version__))
        new.rename(kept)
        os._exit(0)

    async def made(_: str) -> bytes:
        while not await asyncio.to_thread(kept.exists):  # noqa: ASYNC110  # another process makes it
            await asyncio.sleep(0.05)
        return await asyncio.to_thread(kept.read_bytes)

    setattr(tablectl.daemon.daemon, "asyncapi_document", made)  # noqa: B010  # imported there, not exported


def _run_for(client: socket.socket) -> NoReturn:
    """Run one command in a child, tell the client how it ended, and end with it."""
    head, files, _, _ = socket.recv_fds(client, 4, 3)
    length, content = int.from_bytes(head, "big"), b""
    while len(content) < length:
        content += client.recv(length - len(content))
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    child = os.fork()
    if child == 0:
        client.close()
        arguments, folder, environment, ignored = json.loads(content)
        _become(arguments, folder, environment, ignored, files)
    for file in files:
        os.close(file)
    if os.fork() == 0:
        with contextlib.suppress(ProcessLookupError):
            while number := client.recv(1):
                os.kill(child, number[0])
            os.kill(child, signal.SIGKILL)  # the client is gone
        os._exit(0)
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(BrokenPipeError):
        client.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))
    client.shutdown(socket.SHUT_RDWR)
    os._exit(0)


def _become(
    arguments: list[str], folder: str, environment: dict[str, str], ignored: list[int], files: list[int]
) -> NoReturn:
    """Be the command that the client asked for."""
    for heard in PASSED_ON:
        default = signal.default_int_handler if heard == signal.SIGINT else signal.SIG_DFL
        signal.signal(heard, signal.SIG_IGN if heard in ignored else default)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    random.seed()
    sys.argv = arguments
    sys.modules["__main__"].__package__ = ""  # the name in usage errors is the program's, not this module's
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
        for number, mode, errors in ((0, "r", "strict"), (1, "w", "strict"), (2, "w", "backslashreplace"))
    )
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    finally:
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
            sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


if __name__ == "__main__":
    serve(sys.argv[1])
