"""Counts, inside of a daemon that is watched, what can't be seen from outside: Python finds this file by PYTHONPATH.

Every second a line goes to the file in SOAK_COUNTS: asyncio's tasks, and the blocks of memory that Python's values
lie in (the collector's own list would show values that are still being made). What fills up once is filled before, and
what only waits for the collector is collected. A leak named in SOAK_LEAK, with how many a second where that is asked
for, is planted.
"""

import asyncio
import gc
import json
import os
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any

EVERY_S = 1.0
KNOWN: "weakref.WeakSet[asyncio.Task[Any]]" = vars(asyncio.tasks)["_all_tasks"]
"""Every loop's tasks: `all_tasks` wants the loop, which another thread hasn't."""


def count_on(path: Path, leak: str, a_second: float) -> None:
    """Counts for ever."""
    from bench.soak_leaks import BY_THE_SECOND  # noqa: PLC0415  # only in a daemon that is watched

    held: list[Any] = []
    due = 0.0
    while True:
        time.sleep(EVERY_S)
        tasks = _tasks()
        if leak in BY_THE_SECOND:
            due += a_second or BY_THE_SECOND[leak][0]
            while due >= 1:
                due -= 1
                BY_THE_SECOND[leak][1](held, tasks[0].get_loop() if tasks else None)
        gc.collect()
        new = path.with_suffix(".new")
        new.write_text(json.dumps({"tasks": len(tasks), "blocks": sys.getallocatedblocks()}), "ascii")
        new.replace(path)


def _tasks() -> "list[asyncio.Task[Any]]":
    """The tasks that aren't done, of the daemon's loop; its set may change while it is looked at."""
    for _ in range(10):
        try:
            return [task for task in list(KNOWN) if not task.done()]
        except RuntimeError:
            continue
    return []


def begin(counts: str, leak: str, a_second: float) -> None:
    """Fills what fills up, plants the leak and counts from now on."""
    from bench.soak_filled import fill  # noqa: PLC0415
    from bench.soak_leaks import INSTEAD  # noqa: PLC0415

    fill()
    if leak in INSTEAD:
        INSTEAD[leak]()
    given = Path(counts), leak, a_second
    threading.Thread(target=count_on, args=given, name="soak", daemon=True).start()


if "SOAK_COUNTS" in os.environ and "run" in sys.orig_argv:
    begin(os.environ["SOAK_COUNTS"], os.environ.get("SOAK_LEAK", ""), float(os.environ.get("SOAK_A_SECOND") or 0))
