"""The pty level's tables end with whoever has them, however they end."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from tablectl.features.common.errors import first_of
from tablectl.testing.levels.pty import PtyLevel
from tablectl.testing.scenarios.parser import read_scenario
from tablectl.testing.scenarios.runner import play
from tablectl.testing.scenarios.scenario import Scenario
from tablectl.testing.scenarios.suite import Verdict, played
from tablectl.testing.timeline import Timeline
from tests.support.patience import PATIENCE_S

SCENARIOS = Path(__file__).parents[1] / "scenarios"
ROUND = read_scenario(SCENARIOS / "q_round_from_the_shoe.toml")
SITTING = """
import asyncio
from pathlib import Path
from tablectl.testing.levels.pty import PtyLevel
from tablectl.testing.scenarios.parser import read_scenario
from tablectl.testing.scenarios.scenario import Scenario
from tablectl.testing.timeline import Timeline

async def sit():
    async with PtyLevel().rig(read_scenario(Path({scenario!r})), Timeline()):
        print("up", flush=True)
        await asyncio.sleep(600)

if __name__ == "__main__":
    asyncio.run(sit())
"""


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
def test_neither_daemon_nor_broker_outlive_a_rig_that_is_killed(tmp_path: Path) -> None:
    program = tmp_path / "sit.py"
    program.write_text(SITTING.format(scenario=str(SCENARIOS / "w_round.toml")))
    with subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, text=True) as rig:
        assert rig.stdout is not None
        assert rig.stdout.readline() == "up\n"
        family = psutil.Process(rig.pid).children(recursive=True)
        os.kill(rig.pid, signal.SIGKILL)
    _, alive = psutil.wait_procs(family, timeout=PATIENCE_S)
    assert len(family) >= 3
    assert alive == []


def the_daemon(*, besides: Sequence[psutil.Process]) -> psutil.Process:
    """The process, of those that this one has started since, that holds a journal."""
    family = [one for one in psutil.Process().children(recursive=True) if one not in besides]
    return next(one for one in family if any(file.path.endswith("journal.db") for file in one.open_files()))


async def play_without_a_daemon(scenario: Scenario) -> None:
    timeline, others = Timeline(), psutil.Process().children(recursive=True)
    async with PtyLevel().rig(scenario, timeline) as rig:
        await asyncio.to_thread(lambda: the_daemon(besides=others).kill())
        await play(scenario, rig, timeline)


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
async def test_a_daemon_that_died_is_named_where_the_scenario_fails() -> None:
    with pytest.raises(ExceptionGroup) as raised:
        await play_without_a_daemon(ROUND)
    told = str(first_of(raised.value))
    assert "q_round_from_the_shoe.toml:5: q_round_from_the_shoe, step 1: ask = 'confirm_pack'" in told
    assert "log: the daemon ended with exit status -9" in told


def test_a_level_without_mosquitto_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablectl.features.demo.processes.ROOTS_PATH", "/nowhere")
    monkeypatch.setenv("PATH", "/nowhere")
    outcome = asyncio.run(played(read_scenario(SCENARIOS / "w_round.toml"), PtyLevel()))
    assert outcome.verdict is Verdict.SKIPPED
    assert outcome.why == (
        "mosquitto isn't installed, and a table under test needs a broker: apt-get install mosquitto"
    )


def test_a_clock_of_minutes_is_not_waited_for_unasked() -> None:
    outcome = asyncio.run(played(read_scenario(SCENARIOS / "t_time_is_up.toml"), PtyLevel()))
    assert (outcome.verdict, "--wait-out-clocks" in outcome.why) == (Verdict.SKIPPED, True)


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
def test_a_journal_is_kept_where_that_is_asked_for(tmp_path: Path) -> None:
    scenario = read_scenario(SCENARIOS / "w_supervisor_voids.toml")
    outcome = asyncio.run(played(scenario, PtyLevel(keeps=tmp_path / "kept")))
    assert (outcome.verdict, outcome.why) == (Verdict.PASSED, "")
    assert (tmp_path / "kept" / scenario.name / "state" / "journal.db").exists()
    again = asyncio.run(played(scenario, PtyLevel(keeps=tmp_path / "kept")))
    assert (again.verdict, "is there already" in again.why) == (Verdict.SKIPPED, True)
