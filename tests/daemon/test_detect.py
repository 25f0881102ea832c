"""`tablectl detect` with simulated devices at the far end of real ports: who is there, and the lines for it."""

import asyncio
import json
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from drivers.diagnostics.detect import serial_ports, usb_devices
from drivers.sim.buzzer import SimulatedBuzzer
from drivers.sim.dice import SimulatedDice
from drivers.sim.display import SimulatedDisplay
from drivers.sim.draw import SimulatedDraw
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedShoe
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.wheel import SimulatedWheel
from tablectl.config import load
from tests.support.patience import PATIENCE_S
from tests.support.warm import tablectl_path

TABLE = '[table]\nsite = "macau"\nname = "t1"\ngame = "football_poker"\n[football_poker]\ndealing = "shuffler"\n'


async def detect(*arguments: str) -> tuple[int, str, str]:
    """Its exit status, and what it printed on stdout and stderr."""
    command = [tablectl_path(), "detect", *arguments]
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE)
    async with asyncio.timeout(PATIENCE_S):
        said, noted = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode(), noted.decode()


@asynccontextmanager
async def plugged(folder: Path, made: Mapping[str, Callable[[PtyEnd], object]]) -> AsyncGenerator[dict[str, object]]:
    """A device of each kind at a port of its name."""
    ports = {name: PtyEnd(link=folder / name) for name in made}
    devices = {name: made[name](port) for name, port in ports.items()}
    for port in ports.values():
        await port.plug()
    try:
        yield devices
    finally:
        for port in ports.values():
            await port.unplug()


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        ("shuffler", SimulatedShuffler),
        ("draw", SimulatedDraw),
        ("display", SimulatedDisplay),
        ("dice", SimulatedDice),
        ("buzzer", SimulatedBuzzer),
    ],
)
async def test_a_device_on_our_link_says_who_it_is(tmp_path: Path, kind: str, made: Callable[[PtyEnd], object]) -> None:
    async with plugged(tmp_path, {"port": made}):
        status, said, _ = await detect(str(tmp_path / "port"), "--json")
    (found,) = json.loads(said)
    assert status == 0
    assert (found["kind"], found["protocol"], found["simulated"]) == (kind, "link", True)
    assert found["serial"]


async def test_an_encoder_adapter_is_known_by_its_answer(tmp_path: Path) -> None:
    async with plugged(tmp_path, {"port": lambda port: SimulatedWheel(port, seed=1, speed=0)}):
        _, said, _ = await detect(str(tmp_path / "port"), "--json")
    assert json.loads(said)[0]["protocol"] == "qsb"


async def test_shoe_is_known_by_a_card_and_only_by_that(tmp_path: Path) -> None:
    async with plugged(tmp_path, {"port": SimulatedShoe}) as devices:
        shoe = devices["port"]
        assert isinstance(shoe, SimulatedShoe)
        assert (await detect(str(tmp_path / "port")))[0] == 1
        async with asyncio.TaskGroup() as group:
            detecting = group.create_task(detect(str(tmp_path / "port"), "--listen", "20", "--json"))
            while not detecting.done():
                await shoe.draw("As")
                await asyncio.wait({detecting}, timeout=0.3)
    found = json.loads(detecting.result()[1])
    assert found[0]["protocol"] == "angel_eye"
    assert "As" not in detecting.result()[1]


async def test_what_it_proposes_is_a_configuration_that_is_taken(tmp_path: Path) -> None:
    devices = {"one": SimulatedShuffler, "two": SimulatedDraw, "three": SimulatedDisplay}
    async with plugged(tmp_path, devices):
        status, said, _ = await detect(*(str(tmp_path / name) for name in devices))
        assert status == 0
    file = tmp_path / "t1.toml"
    await asyncio.to_thread(file.write_text, TABLE + said)
    config = await asyncio.to_thread(load, file)
    assert sorted(config.devices) == ["display", "draw", "shuffler"]
    assert config.devices["draw"].port == f"serial:{tmp_path / 'two'}"


async def test_two_of_a_kind_get_two_names(tmp_path: Path) -> None:
    async with plugged(tmp_path, {"one": SimulatedBuzzer, "two": SimulatedBuzzer}):
        _, said, _ = await detect(str(tmp_path / "one"), str(tmp_path / "two"))
    assert "[devices.buzzer]" in said
    assert "[devices.buzzer2]" in said


async def test_a_port_that_can_not_be_used_says_why(tmp_path: Path) -> None:
    status, said, noted = await detect(str(tmp_path / "none"))
    assert (status, said) == (1, "")
    assert "there is no device at" in noted


@pytest.mark.parametrize("scheme", ["", "serial:"])
async def test_path_that_is_not_absolute_begins_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    async with plugged(tmp_path / "run", {"dice": SimulatedDice}):
        status, said, _ = await detect(f"{scheme}run/dice")
    assert status == 0
    assert f'port = "serial:{tmp_path / "run" / "dice"}"' in said


async def test_port_that_goes_away_meanwhile_says_so_in_a_line() -> None:
    async def gone(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.close()

    async with await asyncio.start_server(gone, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        status, said, noted = await detect(f"tcp://127.0.0.1:{port}")
    assert (status, said) == (1, "")
    assert noted.splitlines() == [f"tcp://127.0.0.1:{port}: tcp://127.0.0.1:{port} is gone; plug it in"]


def test_adapters_are_named_by_their_socket(tmp_path: Path) -> None:
    (tmp_path / "pci-0:1.0-port0").touch()
    assert serial_ports(tmp_path) == [f"serial:{tmp_path / 'pci-0:1.0-port0'}"]


def test_known_usb_devices_are_named_by_number_and_serial(tmp_path: Path) -> None:
    for name, vendor, product in (("1-1", "1209", "0001"), ("1-2", "8087", "0024")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "idVendor").write_text(f"{vendor}\n")
        (tmp_path / name / "idProduct").write_text(f"{product}\n")
    (tmp_path / "1-1" / "serial").write_text("W7\n")
    assert [(found.port, found.kind) for found in usb_devices(tmp_path)] == [("usb:1209:0001:W7", "wheel")]
