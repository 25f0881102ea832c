# ruff: noqa: T201  # a command that says what it does
"""A floor of light tables, many in a process: `python -m tests.floor.light --tables N --speed RATE --keep FOLDER`.

Its ground is that of `tablectl floor up`. Each table makes RATE events a second (`bench.feed_tables`), five of them at
once, as a round does; those of a process have their journals below FOLDER/light.
"""

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tablectl.features.demo.processes import start
from tablectl.features.floor.backbone import STOPS_WITHIN_S
from tablectl.features.floor.trial import SITE, Ground, Trial, floor_up

PROCESSES: Final = 2
"""Of each pit's tables."""

BURST: Final = 5


async def play(trial: Trial, folder: Path, ground: Ground, tell: Callable[[str], None]) -> None:
    """Have them play until FOLDER/light/PROCESS/stop is there; the ground stays."""
    async with asyncio.TaskGroup() as group:
        for pit, places in trial.pits().items():
            for nth in range(PROCESSES):
                names = [place.removeprefix(f"{SITE}/") for place in places[nth::PROCESSES]]
                home = folder / "light" / f"{pit}{nth}"
                await asyncio.to_thread(home.mkdir, parents=True)
                port = str(urlsplit(ground.brokers[pit]).port)
                group.create_task(_play_at(names, home, port, str(trial.speed), tell))
    await asyncio.Event().wait()


async def _play_at(names: Sequence[str], home: Path, port: str, rate: str, tell: Callable[[str], None]) -> None:
    command = (sys.executable, "-m", "bench.feed_tables", str(home), port, rate, str(BURST), SITE, *names)
    child = await start("bench.feed_tables", command, home / "log")
    try:
        while child.process.returncode is None and not (home / "ready").exists():  # noqa: ASYNC110  # nobody tells us
            await asyncio.sleep(0.2)
        for name in names:
            tell(f"{SITE}/{name} plays bookmarks")
        if await child.process.wait():
            await child.watch()
    finally:
        await child.stop(STOPS_WITHIN_S)


def main() -> None:
    """Run the floor until a signal ends it."""
    parser = argparse.ArgumentParser(prog="python -m tests.floor.light", description=__doc__)
    parser.add_argument("--tables", type=int, required=True)
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--keep", type=Path, required=True)
    chosen = parser.parse_args()
    floor_up(Trial(chosen.tables, chosen.speed, "en", chosen.keep), lambda line: print(line, flush=True), play)


if __name__ == "__main__":
    main()
