"""`tablectl sim`: simulators at the ports of a configuration, given faults over their socket."""

import asyncio
import json
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from drivers.display.am03127 import Board
from drivers.display.connection import LedBoard
from drivers.link.handler import LinkSettings
from drivers.shoe.link_device import LinkedShoeHandler
from drivers.shuffler.device import ShufflerHandler
from tablectl.cli import main
from tablectl.core.effects import ShowDraw
from tablectl.core.facts import FaultRaised
from tablectl.core.facts.reports import DeviceAttached, DrawShown
from tablectl.core.faults import CATALOGUE, Code
from tablectl.core.outcomes import Series
from tablectl.features.sim.devices import SOCKET, ask, simulated
from tablectl.features.sim.hands import SimError
from tablectl.rule_tables import shipped
from tablectl.words import Language
from tests.drivers.linkbench import link_driver
from tests.support.patience import PATIENCE_S
from tests.support.told import MovableClock, Told, nothing, running
from tests.tools.spoken import foreign

shuffler_driver = link_driver(ShufflerHandler)
linked_shoe_driver = link_driver(LinkedShoeHandler)

DEVICES = {
    "shoe": {"kind": "shoe", "protocol": "angel_eye", "port": "serial:shoe"},
    "shuffler": {"kind": "shuffler", "protocol": "link", "port": "serial:shuffler"},
}
LINKED_SHOE = {"shoe": {"kind": "shoe", "protocol": "link", "port": "serial:shoe"}}


async def asked(folder: Path, **what: object) -> str:
    return await asyncio.to_thread(ask, folder, dict(what))


async def test_fault_asked_for_over_the_socket_comes_over_the_wire(tmp_path: Path) -> None:
    told = Told()
    settings = LinkSettings("shuffler", "serial:shuffler", 115200, tmp_path, simulated=True)
    async with simulated(DEVICES, tmp_path), running(shuffler_driver(settings, told, MovableClock()).run(nothing)):
        await told.nth(DeviceAttached)
        assert await asked(tmp_path, do="fault", code=308) == "shuffler: fault 308 (shuffler_jam)"
        assert (await told.nth(FaultRaised)).code == Code.SHUFFLER_JAM
        assert await asked(tmp_path, do="clear", code=308) == "shuffler: the cause of fault 308 is gone"
        await told.until(lambda: told.cleared(308))


async def test_shoe_on_our_link_stands_where_the_configuration_says_so(tmp_path: Path) -> None:
    told = Told()
    settings = LinkSettings("shoe", "serial:shoe", 115200, tmp_path, simulated=True)
    async with (
        simulated(LINKED_SHOE, tmp_path),
        running(linked_shoe_driver(settings, told, MovableClock()).run(nothing)),
    ):
        await told.nth(DeviceAttached)
        await asked(tmp_path, do="fault", code=202)
        assert (await told.nth(FaultRaised)).code == Code.SHOE_OVERDRAW
        with pytest.raises(SimError, match="can't come from a linked_shoe"):
            await asked(tmp_path, do="fault", code=209, device="shoe")


async def test_a_board_stands_where_the_configuration_says_so(tmp_path: Path) -> None:
    told, board = Told(), {"kind": "display", "protocol": "am03127", "port": "serial:board", "board": 3}
    settings = LinkSettings("board", "serial:board", 9600, tmp_path, simulated=True)
    driver = LedBoard(settings, Board(3), told, MovableClock())
    async with simulated({"board": board}, tmp_path), running(driver.run(nothing)):
        driver.command(ShowDraw(7, Series.UPPER, 3))
        assert (await told.nth(DrawShown)).draw_id == 7
        with pytest.raises(SimError, match="can't come from a led_board"):
            await asked(tmp_path, do="fault", code=408, device="board")


async def test_a_cable_is_pulled_and_put_back(tmp_path: Path) -> None:
    async with simulated(DEVICES, tmp_path):
        assert await asked(tmp_path, do="unplug", device="shoe") == "shoe: unplugged"
        assert not await asyncio.to_thread((tmp_path / "shoe").is_symlink)
        assert await asked(tmp_path, do="plug", device="shoe") == "shoe: plugged in"
        assert await asyncio.to_thread((tmp_path / "shoe").is_symlink)


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ({"do": "fault", "code": 999}, "no fault 999"),
        ({"do": "fault", "code": 501}, "none of its devices"),
        ({"do": "fault", "code": 101}, "name the device: one of shoe, shuffler"),
        ({"do": "fault", "code": 308, "device": "shoe"}, "can't come from a shoe"),
        ({"do": "fault", "code": 308, "device": "lamp"}, "no device 'lamp'"),
        ({"do": "clear", "code": 316}, "over at once"),
        ({"do": "unplug", "device": "lamp"}, "no device 'lamp'"),
        ({"do": "dance"}, "write fault CODE"),
        ([1], "write fault CODE"),
    ],
)
async def test_what_can_t_be_done_is_refused_in_words(tmp_path: Path, what: Any, told: str) -> None:
    async with simulated(DEVICES, tmp_path):
        with pytest.raises(SimError, match=re.escape(told)):
            await asyncio.to_thread(ask, tmp_path, what)


async def test_a_line_that_is_no_json_is_answered(tmp_path: Path) -> None:
    async with simulated(DEVICES, tmp_path):
        reader, writer = await asyncio.open_unix_connection(str(tmp_path / SOCKET))
        writer.write(b"fault 308\n")
        assert "one line of JSON" in json.loads(await reader.readline())["error"]
        writer.close()


async def test_the_socket_is_its_owners_and_goes_with_the_simulation(tmp_path: Path) -> None:
    path = tmp_path / SOCKET
    async with simulated(DEVICES, tmp_path):
        assert stat.S_IMODE((await asyncio.to_thread(path.stat)).st_mode) == 0o600
        with pytest.raises(OSError, match="another simulation"):
            async with simulated({}, tmp_path):
                pass
    assert not await asyncio.to_thread(path.exists)


def test_nobody_answers_where_no_simulation_runs(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["sim", "fault", "308", "--folder", str(tmp_path)])
    assert result.exit_code == 1
    assert "start one with tablectl sim run" in result.output


NAMES: Final = (
    *(
        "tablectl sim",
        "fault",
        "clear",
        "unplug",
        "plug",
        "buzzer",
        "dice",
        "display",
        "draw",
        "led_board",
        "linked_shoe",
    ),
    *("shoe", "shuffler", "wheel", *(entry.key for entry in CATALOGUE.values())),
)
"""Words of the command line, kinds of devices, names of faults."""

SAID: Final = (
    *(["fault", "308"], ["fault", "213"], ["fault", "208", "--device", "shoe"], ["fault", "110"], ["clear", "308"]),
    *(["clear", "213"], ["unplug", "shoe"], ["plug", "shoe"], ["plug", "wheel"], ["fault", "601"], ["fault", "101"]),
    *(["fault", "999"], ["fault", "115"], ["fault", "801"], ["fault", "501", "--device", "shoe"]),
    *(
        ["deal"],
        ["deal", "--card", "Kd"],
        ["packet"],
        ["spin"],
        ["throw", "1", "2", "3"],
        ["draw", "--combination", "3"],
    ),
)
"""Requests to the simulation of a table with a shoe and a shuffler; some can't be met."""


@pytest.mark.parametrize("language", ["pt", "zh-Hant"])
def test_simulation_answers_in_the_language_of_the_person(
    language: Language, process: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    assert process.stdout is not None
    assert process.stdout.readline()
    for words in SAID:
        line = ["sim", "--lang", language, *words, "--folder", str(tmp_path)]
        result = CliRunner().invoke(main, line)
        assert result.exit_code in {0, 1}
        assert foreign(result.output, language, NAMES) == set(), words


def test_every_fault_that_can_be_brought_about_is_listed() -> None:
    lines = CliRunner().invoke(main, ["sim", "faults"]).output.splitlines()
    assert next(line for line in lines if line.startswith("308")) == "308  shuffler_jam                shuffler"


@pytest.fixture(name="process")
def _process(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    config = str(shipped("tables/q-poker.demo.toml"))
    command = [sys.executable, "-P", "-m", "tablectl", "sim", "run", "--config", config, "--folder", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def test_the_commands_work_from_a_terminal(process: "subprocess.Popen[str]", tmp_path: Path) -> None:
    assert process.stdout is not None
    assert process.stdout.readline().startswith("simulated in")
    done = CliRunner().invoke(main, ["sim", "fault", "308", "--folder", str(tmp_path)])
    assert (done.exit_code, done.output) == (0, "shuffler: fault 308 (shuffler_jam)\n")
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 0
    assert not (tmp_path / "shuffler").is_symlink()
