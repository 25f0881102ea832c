"""The cable level: simulated devices speak through adapters to a table that somebody else started."""

import asyncio
import io
import os
import threading
import tty
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tablectl.testing.bench_inventory import read_rig
from tablectl.testing.levels.cable import CableLevel
from tablectl.testing.patch_cable import Patch
from tablectl.testing.scenarios.parser import demo_table, read_scenario
from tablectl.testing.scenarios.scenario import NotPlayableError
from tablectl.testing.scenarios.suite import Verdict, played
from tablectl.testing.timeline import Lane
from tests.support.broker import private_broker
from tests.support.daemon import Daemon, fork_server

SCENARIOS = Path(__file__).parents[1] / "scenarios"
DEVICES = ("shoe", "shuffler")


@dataclass(slots=True)
class NullModem:
    """A cable with an adapter at each end, as the files `<name>.table` and `<name>.rig`."""

    folder: Path
    name: str

    def lay(self) -> None:
        """Carries bytes both ways as long as this process lives."""
        near, far = os.openpty(), os.openpty()
        for (_, end), side in ((near, "table"), (far, "rig")):
            tty.setraw(end)
            (self.folder / f"{self.name}.{side}").symlink_to(os.ttyname(end))
        for source, target in ((near[0], far[0]), (far[0], near[0])):
            threading.Thread(target=_carry, args=(source, target), daemon=True).start()


def _carry(source: int, target: int) -> None:
    while data := os.read(source, 4096):
        os.write(target, data)


@pytest.fixture(name="rig", scope="module")
def _rig(tmp_path_factory: pytest.TempPathFactory, mosquitto: Path) -> Iterator[Path]:
    """The rig's file of a bench with one place, its table at work."""
    folder = tmp_path_factory.mktemp("bench")
    for name in ("state", "run", "broker"):
        (folder / name).mkdir()
    for name in DEVICES:
        NullModem(folder, name).lay()
    with private_broker(mosquitto, folder / "broker") as broker:
        broker.start()
        config = _config(folder, broker.url)
        daemon = Daemon(fork_server(), config, folder, {})
        daemon.start()
        yield _rig_file(folder, f"http://127.0.0.1:{daemon.port}", broker.url)
        daemon.stop()


def _config(folder: Path, broker: str) -> Path:
    text = demo_table("q_poker").read_text("utf-8").replace("mqtt://127.0.0.1:1883", broker)
    for name in DEVICES:
        text = text.replace(f"serial:{name}", f"serial:{folder}/{name}.table")
    config = folder / "q1.toml"
    config.write_text(f'{text}\n[paths]\nstate = "{folder}/state"\nruntime = "{folder}/run"\n', "utf-8")
    return config


def _rig_file(folder: Path, console: str, broker: str) -> Path:
    (folder / "ana.pin").write_text("1111\n")
    (folder / "rui.pin").write_text("2222\n")
    lines = [
        "[places.bench1]",
        f'config = "q1.toml"\nconsole = "{console}"\nbroker = "{broker}"',
        f'journal = ["tar", "-cC", "{folder}/state", "journal.db", "journal.db-wal"]',
        "[places.bench1.people]",
        'dealer = {name = "ana", pin_file = "ana.pin"}\nsupervisor = {name = "rui", pin_file = "rui.pin"}',
        *(f'[places.bench1.devices.{name}]\nadapter = "{folder}/{name}.rig"\nbaudrate = 9600' for name in DEVICES),
        'unplug = ["true"]\nplug = ["true"]',
    ]
    file = folder / "rig.toml"
    file.write_text("\n".join(lines), "utf-8")
    return file


def _cable(rig: Path) -> CableLevel:
    found = read_rig(rig)
    return CableLevel(found.place(), found.locks, "tess")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["q_round_from_the_shuffler", "q_jam_before_the_deal", "q_round_from_the_shoe"])
def test_scenario_goes_as_written_through_cable_whatever_was_played_before(rig: Path, name: str) -> None:
    outcome = asyncio.run(played(read_scenario(SCENARIOS / f"{name}.toml"), _cable(rig)))
    assert (outcome.verdict, outcome.why) == (Verdict.PASSED, "")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("w_round", "bench1 plays q_poker, not wheel_of_fortune"),
        (
            "q_shoe_unplugged_while_idle",
            "bench1 can't pull the cable of the shoe: give its adapter `unplug`",
        ),
    ],
)
def test_what_a_place_can_not_play_says_why(rig: Path, name: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())  # nobody is there to be asked
    outcome = asyncio.run(played(read_scenario(SCENARIOS / f"{name}.toml"), _cable(rig)))
    assert outcome.verdict is Verdict.SKIPPED
    assert why in outcome.why


def test_remote_facts_lie_between_request_and_message_on_the_axis(rig: Path) -> None:
    outcome = asyncio.run(played(read_scenario(SCENARIOS / "q_round_from_the_shoe.toml"), _cable(rig)))
    assert (outcome.verdict, outcome.why) == (Verdict.PASSED, "")
    moments = outcome.timeline.in_order()
    facts = [moment for moment in moments if moment.lane is Lane.FACT]
    assert sum(fact.text.startswith("CardDrawn") for fact in facts) == 6
    assert sum(fact.text.startswith("RoundOpened") for fact in facts) == 1  # none of an earlier scenario's
    opened = next(nth for nth, moment in enumerate(moments) if moment.text.startswith("RoundOpened"))
    said = next(nth for nth, moment in enumerate(moments) if moment.text.startswith("round.opened"))
    asked = next(nth for nth, moment in enumerate(moments) if moment.lane is Lane.STEP and "open_round" in moment.text)
    assert asked < opened < said


async def test_an_adapter_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotPlayableError, match=r"the adapter .*/none can't be opened"):
        Patch(tmp_path / "inside", tmp_path / "none", 9600).plug()
