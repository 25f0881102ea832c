"""`tablectl probe` as a process of its own, with simulated devices at the far end of real ports."""

import asyncio
import fcntl
import json
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from drivers.sim.display import SimulatedDisplay
from drivers.sim.draw import SimulatedDraw
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedShoe
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.wheel import SimulatedWheel
from drivers.transport.serial_tcp import SerialAddress, open_link
from tablectl.rule_tables import shipped
from tests.support.patience import PATIENCE_S
from tests.support.warm import tablectl_path

CONFIGURED = {
    game: str(shipped(f"tables/{game}.demo.toml")) for game in ("q-poker", "wheel-of-fortune", "football-poker")
}


@dataclass(slots=True)
class Probe:
    """The running command and what it has said."""

    process: Process
    said: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    async def until(self, kind: str, **wanted: object) -> dict[str, Any]:
        """The next object of this type and with these values."""
        assert self.process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            while line := await self.process.stdout.readline():
                self.said.append(json.loads(line))
                if self.said[-1]["type"] == kind and wanted.items() <= self.said[-1].items():
                    return self.said[-1]
        raise AssertionError(f"it ended before {kind} {wanted}: {self.said}")

    async def stopped(self) -> int:
        """Its exit status after Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        return await ended(self.process)


async def ended(process: Process) -> int:
    async with asyncio.timeout(PATIENCE_S):
        return await process.wait()


def command(folder: Path, game: str, device: str, *options: str) -> Sequence[str]:
    changes = (f"paths.runtime={folder}", f"paths.state={folder / 'state'}")
    given = [word for change in changes for word in ("--set", change)]
    return [tablectl_path(), "probe", device, "--config", CONFIGURED[game], *given, *options]


@asynccontextmanager
async def probing(folder: Path, game: str, device: str, *options: str) -> AsyncGenerator[Probe, None]:
    process = await asyncio.create_subprocess_exec(
        *command(folder, game, device, "--json", *options), stdout=PIPE, limit=1 << 20
    )
    try:
        yield Probe(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def output(folder: Path, game: str, device: str, *options: str) -> tuple[int | None, str]:
    """Exit status and all that it said, once it has ended by itself."""
    process = await asyncio.create_subprocess_exec(
        *command(folder, game, device, *options), stdout=PIPE, stderr=asyncio.subprocess.STDOUT
    )
    async with asyncio.timeout(PATIENCE_S):
        said, _ = await process.communicate()
    return process.returncode, said.decode()


@asynccontextmanager
async def plugged(path: Path) -> AsyncGenerator[PtyEnd, None]:
    port = PtyEnd(link=path)
    await port.plug()
    try:
        yield port
    finally:
        await port.unplug()


async def test_a_spin_is_told_with_its_section_and_its_curve(tmp_path: Path) -> None:
    async with plugged(tmp_path / "wheel") as port:
        wheel = SimulatedWheel(port, seed=3, speed=0)
        async with probing(tmp_path, "wheel-of-fortune", "wheel") as probe:
            attached = await probe.until("fact", fact="DeviceAttached")
            assert attached["words"] == "attached: US Digital QSB, serial 7457, firmware 17 (simulated)"
            await wheel.spin(4.0)
            await probe.until("fact", fact="SpinStopped")
            truth = await wheel.spin(5.0)
            stopped = await probe.until("fact", fact="SpinStopped")
            assert stopped["fields"]["spin"]["section"] == truth.section
            curve = await probe.until("curve")
            assert 250 < max(curve["speed_deg_s"]) < 700
            state = await probe.until("state", up=True)
            while state["wheel"]["direction"] is not None:
                state = await probe.until("state", up=True)
            assert state["wheel"]["section"] == truth.section
            assert state["counters"]["frames"] > 1000
            assert state["counters"]["rejected"] == 0
            assert await probe.stopped() == 0


async def test_a_card_is_told_and_not_named(tmp_path: Path) -> None:
    async with plugged(tmp_path / "shoe") as port:
        shoe = SimulatedShoe(port)
        async with probing(tmp_path, "q-poker", "shoe") as probe:
            await probe.until("fact", fact="DeviceAttached")
            await shoe.draw("As")
            drawn = await probe.until("fact", fact="CardDrawn")
            assert (drawn["words"], drawn["fields"]["card"]) == ("a card left the shoe: read", None)
            assert await probe.stopped() == 0
        async with probing(tmp_path, "q-poker", "shoe", "--cards") as probe:
            await probe.until("fact", fact="DeviceAttached")
            await shoe.draw("Kd")
            assert "K♦" in (await probe.until("fact", fact="CardDrawn"))["words"]


async def test_data_a_device_keeps_for_its_table_is_shown(tmp_path: Path) -> None:
    async with plugged(tmp_path / "shuffler") as port:
        shuffler = SimulatedShuffler(port)
        async with probing(tmp_path, "q-poker", "shuffler") as probe:
            await probe.until("fact", fact="DeviceAttached")
            shuffler.open_lid()
            noted = await probe.until("fact", fact="DeviceNoted")
            assert "lid" in noted["words"]
            assert await probe.stopped() == 0
        assert shuffler.line.unacked == 1
        assert shuffler.shuffles == []
        async with probing(tmp_path, "q-poker", "shuffler") as probe:
            assert (await probe.until("fact", fact="DeviceNoted"))["words"] == noted["words"]
        shuffler.close()


async def test_a_device_that_goes_away_ends_the_look(tmp_path: Path) -> None:
    async with plugged(tmp_path / "shoe") as port, probing(tmp_path, "q-poker", "shoe") as probe:
        await probe.until("fact", fact="DeviceAttached")
        await port.unplug()
        end = await probe.until("end")
        assert end["fault"]["code"] == 101
        assert await ended(probe.process) == 1


async def test_after_its_time_it_ends_in_words(tmp_path: Path) -> None:
    async with plugged(tmp_path / "shoe"):
        status, said = await output(tmp_path, "q-poker", "shoe", "--seconds", "0.5")
    assert status == 0
    first, *_, last = said.splitlines()
    assert first == f"shoe: shoe, angel_eye, serial:{tmp_path / 'shoe'}, simulated. Ctrl-C ends."
    assert last == "in all: 0 bytes, 0 frames, 0 rejected, 1 fact"


async def test_a_port_that_another_program_has_is_refused(tmp_path: Path) -> None:
    async with plugged(tmp_path / "shoe"):
        link = await open_link(SerialAddress("shoe"), baudrate=4800, base_dir=tmp_path)
        status, said = await output(tmp_path, "q-poker", "shoe")
        link.close()
    assert status == os.EX_UNAVAILABLE
    assert "is used by another program: stop that program" in said


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[None]:
    """The table's daemon has its state folder."""
    (tmp_path / "state").mkdir()
    with (tmp_path / "state" / "lock").open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


@pytest.mark.usefixtures("locked")
async def test_beside_the_table_s_daemon_it_is_refused(tmp_path: Path) -> None:
    async with plugged(tmp_path / "shoe"):
        status, said = await output(tmp_path, "q-poker", "shoe")
    assert status == os.EX_UNAVAILABLE
    assert said.startswith("tablectl: the daemon of demo/")
    assert "stop it first" in said


@pytest.mark.parametrize(
    ("device", "status", "said"),
    [("shoe", 1, "fault 102: The device's port is not there"), ("wheel", os.EX_USAGE, "has no device 'wheel'")],
)
async def test_a_device_that_is_not_there_is_named(tmp_path: Path, device: str, status: int, said: str) -> None:
    found, told = await output(tmp_path, "q-poker", device)
    assert found == status
    assert said in told


async def test_draw_system_tests_itself_and_probe_ends_with_outcome(tmp_path: Path) -> None:
    async with plugged(tmp_path / "draw") as port:
        draw = SimulatedDraw(port)
        async with probing(tmp_path, "football-poker", "draw", "--self-test") as probe:
            await probe.until("fact", words="noted: self test begun")
            await probe.until("fact", words="noted: self test passed")
            assert await ended(probe.process) == 0
        draw.stuck = 7
        async with probing(tmp_path, "football-poker", "draw", "--self-test") as probe:
            await probe.until("end")
            notes = [said["words"] for said in probe.said if said.get("fact") == "DeviceNoted"]
            # What nobody has stored is told again first, and isn't the outcome of this test.
            assert notes[:2] == ["noted: self test passed", "noted: self test begun"]
            assert notes[-1] not in notes[:2]
            assert await ended(probe.process) == 1


async def test_a_display_lights_all_that_it_has_for_a_probe(tmp_path: Path) -> None:
    async with plugged(tmp_path / "display") as port:
        SimulatedDisplay(port)
        async with probing(tmp_path, "football-poker", "display", "--self-test") as probe:
            await probe.until("fact", words="noted: test pattern")
            assert await ended(probe.process) == 0


async def test_a_device_without_a_test_says_so(tmp_path: Path) -> None:
    status, said = await output(tmp_path, "q-poker", "shuffler", "--self-test")
    assert (status, said) == (64, "tablectl: shuffler is a shuffler, which has no test that it could be asked for\n")
