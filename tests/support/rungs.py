"""Every scenario on every rung, and where the rungs publish otherwise: `python -m tests.support.rungs [NAME…]`."""

import asyncio
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tablectl.shell.log import configure
from tests.support.broker import private_broker
from tests.support.rig_core import CoreRig
from tests.support.rig_daemon import at_daemon, recovered, stored_events, whole_config
from tests.support.rig_devices import at_table, demo_config, journalled
from tests.support.scenario import Form, Scenario, kind_of, play, read_scenario

FOLDER = Path(__file__).parents[1] / "scenarios"
RUNGS = ("core", "devices", "daemon")
ONLY_THERE = ("audit.log_began", "audit.signed_on")
"""What only a rung with a journal, or with people at a console, has to publish."""

AT_ONCE = 4
"""Most of a scenario is waiting for cables, so more are played at once than there are processors."""


@dataclass(frozen=True, slots=True)
class Played:
    """What came of one scenario.

    Args:
        wrong: what went otherwise than written, by rung.
        published: how often each kind of event came, by rung; a fault or an irregularity with its code.
    """

    name: str
    wrong: dict[str, str] = field(default_factory=dict[str, str])
    published: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])

    def differences(self) -> list[str]:
        """Each kind of event that didn't come equally often on all rungs that went as written."""
        rungs = [rung for rung in RUNGS if rung in self.published]
        kinds = sorted({kind for rung in rungs for kind in self.published[rung]} - {*ONLY_THERE})
        counts = {kind: [self.published[rung][kind] for rung in rungs] for kind in kinds}
        return [
            f"{kind} {' '.join(f'{rung} {count}' for rung, count in zip(rungs, each, strict=True))}"
            for kind, each in counts.items()
            if len(set(each)) > 1
        ]


def in_core(scenario: Scenario, folder: Path) -> Sequence[Form]:
    """What the fold alone publishes of it.

    Raises:
        AssertionError: it goes otherwise than written.
    """
    rig = CoreRig(demo_config(scenario, folder))
    asyncio.run(play(scenario, rig))
    return rig.published


def with_devices(scenario: Scenario, folder: Path) -> Sequence[Form]:
    """What the live table with its drivers publishes of it; see `in_core`."""
    config = demo_config(scenario, folder)

    async def played() -> Sequence[Form]:
        async with at_table(config, table, folder / "run") as rig:
            await play(scenario, rig)
            return rig.published

    with journalled(config, folder / "state") as table:
        return asyncio.run(played())


def with_daemon(scenario: Scenario, folder: Path, port: int) -> Sequence[Form]:
    """What a plain subscriber to the whole daemon is given of it; see `in_core`.

    Raises:
        AssertionError: it goes otherwise than written, or the subscriber was given something else than was stored.
    """
    config = whole_config(scenario, folder, port)

    async def played() -> Sequence[Form]:
        async with at_daemon(found, folder / "run", port) as rig:
            await play(scenario, rig)
        return rig.published

    with recovered(config) as found:
        published = asyncio.run(played())
    stored = stored_events(config)
    assert list(published) == stored[: len(published)], "the subscriber was given something else than the journal holds"
    return published


def _play(path: Path, port: int) -> Played:
    configure("error", "text")
    scenario, played = read_scenario(path), Played(path.stem)
    on: dict[str, Callable[[Scenario, Path], Sequence[Form]]] = {
        "core": in_core,
        "devices": with_devices,
        "daemon": partial(with_daemon, port=port),
    }
    for rung, way in on.items():
        with tempfile.TemporaryDirectory() as name:
            for folder in ("state", "run"):
                (Path(name) / folder).mkdir()
            try:
                played.published[rung] = Counter(map(essence, way(scenario, Path(name))))
            except* AssertionError as group:
                played.wrong[rung] = _first(group)
    return played


def _first(group: BaseExceptionGroup[BaseException]) -> str:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error)


def essence(event: Form) -> str:
    """An event's kind, with its code where it has one."""
    code = event["data"].get("code")
    return f"{kind_of(event)} {code}" if code else kind_of(event)


def main(names: Sequence[str]) -> int:
    """Plays the scenarios and prints how they went; returns 1 where one went otherwise than written."""
    paths = [path for path in sorted(FOLDER.glob("*.toml")) if not names or path.stem in names]
    program = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin")
    if program is None or not paths:
        sys.stderr.write("there is no such scenario\n" if program else "mosquitto isn't installed\n")
        return 2
    wrong = differing = 0
    with tempfile.TemporaryDirectory() as folder, private_broker(Path(program), Path(folder)) as broker:
        broker.start()
        with ProcessPoolExecutor(AT_ONCE) as pool:
            for played in pool.map(_play, paths, [broker.port] * len(paths)):
                wrong += bool(played.wrong)
                differing += bool(played.differences())
                _print(played)
    sys.stdout.write(f"{len(paths)} scenarios on {len(RUNGS)} rungs: {wrong} went wrong, {differing} differ\n")
    return 1 if wrong else 0


def _print(played: Played) -> None:
    for rung, why in played.wrong.items():
        sys.stdout.write(f"{played.name}: WRONG on {rung}: {why}\n")
    for line in played.differences():
        sys.stdout.write(f"{played.name}: {line}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
