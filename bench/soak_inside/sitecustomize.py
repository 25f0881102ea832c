"""Counts, inside of a daemon that is watched, what can't be seen from outside: Python finds this file by PYTHONPATH.

Every second a line goes to the file in SOAK_COUNTS: asyncio's tasks, and the blocks of memory that Python's values
lie in (the collector's own list would show values that are still being made). A leak named in SOAK_LEAK is planted, so
that it can be seen that leaks are found.
"""

import asyncio
import json
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

EVERY_S = 1.0
KNOWN: "weakref.WeakSet[asyncio.Task[Any]]" = vars(asyncio.tasks)["_all_tasks"]
"""Every loop's tasks: `all_tasks` wants the loop, which another thread hasn't."""

FEW_BYTES = 256 * 1024


def count_on(path: Path, leak: str) -> None:
    """Counts for ever."""
    held: list[Any] = []
    while True:
        time.sleep(EVERY_S)
        if leak:
            LEAKS[leak](held)
        new = path.with_suffix(".new")
        new.write_text(json.dumps({"tasks": len(_tasks()), "blocks": sys.getallocatedblocks()}), "ascii")
        new.replace(path)


def _tasks() -> "list[asyncio.Task[Any]]":
    """The tasks that aren't done, of the daemon's loop; its set may change while it is looked at."""
    for _ in range(10):
        try:
            return [task for task in list(KNOWN) if not task.done()]
        except RuntimeError:
            continue
    return []


def _leak_tasks(_held: list[Any]) -> None:
    for task in _tasks()[:1]:  # none before the loop runs
        asyncio.run_coroutine_threadsafe(asyncio.sleep(1e6), task.get_loop())


def _leak_threads(_held: list[Any]) -> None:
    threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()


LEAKS: dict[str, Callable[[list[Any]], None]] = {
    "memory": lambda held: held.append(os.urandom(FEW_BYTES)),
    "descriptors": lambda held: held.append(os.open(os.devnull, os.O_RDONLY)),
    "threads": _leak_threads,
    "tasks": _leak_tasks,
    "blocks": lambda held: held.extend([] for _ in range(1000)),
}

if "SOAK_COUNTS" in os.environ and "run" in sys.orig_argv:
    given = Path(os.environ["SOAK_COUNTS"]), os.environ.get("SOAK_LEAK", "")
    threading.Thread(target=count_on, args=given, name="soak", daemon=True).start()
