"""strace beside a running process: what it does to files, and an end, an error or a delay at one exact system call."""

import re
import subprocess
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support.patience import PATIENCE_S

CHANGING: Final = (
    *("write", "pwrite64", "fsync", "fdatasync", "ftruncate", "fallocate", "openat"),
    *("unlink", "unlinkat", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "chmod", "fchmod", "fchown", "link"),
)
"""Every way to change a file that the daemon has. Opening counts where it makes one."""

FILES: Final = (
    *("journal.db", "journal.db-journal", "journal.db-wal", "journal.db-shm"),
    *("lock", "holder", "reserve", "log.id", "predecessor"),
    *("log.key", "log.key.new", "log.pub", "log.pub.new", "log.key.next", "log.change"),
)
"""What a state folder may hold."""

_LINE: Final = re.compile(r"^(?:\d+ +)?(?P<call>\w+)\((?P<rest>.*)$")
_HANDLE: Final = re.compile(r"^\d+<(?:[^>]*/)?(?P<name>[^>/]+)>")
_PATH: Final = re.compile(r'"[^"]*/(?P<name>[^/"]+)"')


@dataclass(frozen=True, slots=True)
class Call:
    """One call that changes a file: the `nth` of its kind in its thread, from 1.

    Args:
        aside: it is made by a thread that does little else, and is the `nth` of its kind on this file.
    """

    name: str
    nth: int
    file: str
    aside: bool = False

    def __str__(self) -> str:
        return f"{self.name} #{self.nth} on {self.file}"


def watched_set() -> str:
    """The calls, as strace takes them; an architecture need not have them all."""
    return ",".join(f"?{name}" for name in CHANGING)


def paths(state: Path, only: str = "") -> list[str]:
    """What of a table is watched: its state folder and all that may be in it, or one file of it."""
    watched = (state / only,) if only else (state, *(state / name for name in FILES))
    return [word for path in watched for word in ("-P", str(path))]


@contextmanager
def attached(strace: Path, thread: int, state: Path, output: Path, *options: str, only: str = "") -> Generator[None]:
    """strace at one thread (at all of the process with `-f`), until that thread's process ends."""
    command = [str(strace), "-y", "-p", str(thread), "-o", str(output), "-e", f"trace={watched_set()}"]
    with watching([*command, *paths(state, only), *options]) as tracer:
        yield
        tracer.wait(PATIENCE_S)


@contextmanager
def watching(command: Sequence[str]) -> Generator["subprocess.Popen[str]"]:
    """strace that is at its process, which it lets go unhurt in the end."""
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert tracer.stderr is not None
    said = tracer.stderr.readline()
    try:
        assert "attached" in said, said
        yield tracer
    finally:
        tracer.terminate()
        tracer.wait(PATIENCE_S)
        tracer.stderr.close()


def calls(trace: Iterable[str]) -> list[Call]:
    """The calls in a trace of one thread that change a file, in order."""
    seen: dict[str, int] = {}
    found: list[Call] = []
    for line in trace:
        match = _LINE.match(line)
        if match is None or match["call"] not in CHANGING:
            continue
        name = match["call"]
        seen[name] = seen.get(name, 0) + 1
        if name != "openat" or "O_CREAT" in line:
            found.append(Call(name, seen[name], _file(match["rest"])))
    return found


def beside(trace: Iterable[str], known: Iterable[Call]) -> list[Call]:
    """The calls in a trace of all threads that those which are watched one by one don't make."""
    others, seen = {(call.name, call.file) for call in known}, Counter[tuple[str, str]]()
    found: list[Call] = []
    for call in calls(trace):
        if (what := (call.name, call.file)) not in others:
            seen[what] += 1
            found.append(Call(call.name, seen[what], call.file, aside=True))
    return found


def _file(arguments: str) -> str:
    """The file that a call changes: its descriptor's, else the last that it names."""
    handle = _HANDLE.match(arguments)
    return handle["name"] if handle else _PATH.findall(arguments)[-1]


def killing(call: Call) -> Sequence[str]:
    """Ends the process as it is about to make this call."""
    return ("-e", f"inject={call.name}:signal=KILL:when={call.nth}")


def failing(call: Call, error: str, *, for_good: bool) -> Sequence[str]:
    """Has this call fail; `for_good`: and all of its kind after it."""
    return ("-e", f"inject={call.name}:error={error}:when={call.nth}{'+' if for_good else ''}")


def writing_nothing(call: Call) -> Sequence[str]:
    """Has this call write not one byte, and say so."""
    return ("-e", f"inject={call.name}:retval=0:when={call.nth}")


def slow(call: Call, lasts_us: int) -> Sequence[str]:
    """Has this call take its time."""
    return ("-e", f"inject={call.name}:delay_enter={lasts_us}:when={call.nth}")


def was_struck(trace: Path) -> bool:
    """Whether it came to the call that was meant."""
    text = trace.read_text("utf-8", "replace")
    return any(word in text for word in ("(INJECTED)", "(DELAYED)", "killed by SIGKILL"))
