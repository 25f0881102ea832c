"""Every scenario on every level, and where the levels publish something else: `python -m tests.support.levels [NAME…]`.

Between the pure core and the daemon as a process there is one more level here, which is no outsider's business: the
live table with its drivers inside this process, where what a device said is known to be stored.
"""

import asyncio
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tablectl.daemon.host.log import configure
from tablectl.features.common.errors import first_of
from tablectl.testing.levels.levels import CoreLevel
from tablectl.testing.levels.pty import PtyLevel
from tablectl.testing.scenarios.parser import read_scenario
from tablectl.testing.scenarios.runner import play
from tablectl.testing.scenarios.scenario import Form, NotPlayableError, Scenario
from tablectl.testing.scenarios.suite import Outcome, Verdict, differences, essence, played
from tablectl.testing.timeline import Timeline
from tests.support.broker import private_broker
from tests.support.rig_devices import at_table, demo_config, journalled

FOLDER = Path(__file__).parents[1] / "scenarios"
LEVELS = ("core", "devices", "pty")
AT_ONCE = 4
"""Most of a scenario is waiting for cables, so more are played at once than there are processors."""


def with_devices(scenario: Scenario, folder: Path) -> Sequence[Form]:
    """What the live table with its drivers publishes of a scenario.

    Raises:
        AssertionError: it fails.
    """
    config = demo_config(scenario, folder)

    async def published() -> Sequence[Form]:
        async with at_table(config, table, folder / "run") as rig:
            await play(scenario, rig)
            return rig.published

    for name in ("state", "run"):
        (folder / name).mkdir(exist_ok=True)
    with journalled(config, folder / "state") as table:
        return asyncio.run(published())


def _with_devices(scenario: Scenario) -> Outcome:
    began_s, events, verdict, why = time.monotonic(), list[Form](), Verdict.PASSED, ""
    with tempfile.TemporaryDirectory() as name:
        try:
            events = list(with_devices(scenario, Path(name)))
        except* NotPlayableError as group:
            verdict, why = Verdict.SKIPPED, str(first_of(group))
        except* AssertionError as group:
            verdict, why = Verdict.FAILED, str(first_of(group))
    took_s = time.monotonic() - began_s
    return Outcome(scenario, "devices", verdict, why, took_s, Timeline(), Counter(map(essence, events)))


def _play(path: Path, broker: str) -> list[Outcome]:
    configure("error", "text")
    scenario = read_scenario(path)
    in_core = asyncio.run(played(scenario, CoreLevel()))
    return [in_core, _with_devices(scenario), asyncio.run(played(scenario, PtyLevel(broker)))]


def main(names: Sequence[str]) -> int:
    """Plays the scenarios and prints how they went; returns 1 where one failed."""
    paths = [path for path in sorted(FOLDER.glob("*.toml")) if not names or path.stem in names]
    program = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin")
    if program is None or not paths:
        sys.stderr.write("there is no such scenario\n" if program else "mosquitto isn't installed\n")
        return 2
    outcomes: list[Outcome] = []
    differing = 0
    with tempfile.TemporaryDirectory() as folder, private_broker(Path(program), Path(folder)) as broker:
        broker.start()
        with ProcessPoolExecutor(AT_ONCE) as pool:
            for found in pool.map(_play, paths, [broker.url] * len(paths)):
                outcomes += found
                differing += bool(differences(found))
                _print(found)
    count = {verdict: sum(outcome.verdict is verdict for outcome in outcomes) for verdict in Verdict}
    told = ", ".join(f"{number} {verdict}" for verdict, number in count.items())
    sys.stdout.write(f"{len(paths)} scenarios on {len(LEVELS)} levels: {told}; {differing} differ\n")
    return 1 if count[Verdict.FAILED] else 0


def _print(found: Sequence[Outcome]) -> None:
    name = found[0].scenario.name
    for outcome in found:
        if outcome.why:
            sys.stdout.write(f"{name}: {outcome.verdict} on {outcome.level}: {outcome.why}\n")
    for difference in differences(found):
        sys.stdout.write(f"{name}: {difference}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
