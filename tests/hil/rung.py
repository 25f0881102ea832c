"""The rung of the virtual machine: a scenario's table is the shipped package in a restored guest, devices on USB."""

import asyncio
import json
import secrets
import tomllib
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import urlsplit
from zlib import crc32

from drivers.sim.pty import PtyEnd
from drivers.sim.stand import Stand
from drivers.sim.wheel import SimulatedWheel
from tablectl.shell.config import Config, load
from tablectl.testing.aside import aside, own_folder
from tablectl.testing.outside import around
from tablectl.testing.playing import Rig as Playing
from tablectl.testing.pty_rung import own_broker
from tablectl.testing.rungs import Choice
from tablectl.testing.scenario import NotPlayableError, Scenario
from tablectl.testing.table import OWN_PIN, Person, Rung, TableUnderTest
from tablectl.testing.timeline import Timeline
from tablectl.testing.vocabulary import ROLES
from tests.hil.bench import DEVICES, End, address, connect, made, port
from tests.hil.ends import RedirEnd
from tests.hil.guest import CONSOLE_PORT, Guest
from tests.hil.qmp import MachineError
from tests.hil.rig import REPOSITORY, START_WITHIN_S, Rig, unit
from tests.hil.usb_device import adapter
from tests.support.broker import Broker

BUILT: Final = REPOSITORY / "build" / "rig"


def rung(choice: Choice) -> Rung:
    """The rung that plays in the guest which `make rig` has built.

    Raises:
        NotPlayableError: it hasn't.
    """
    if not (BUILT / "system.key").exists():
        raise NotPlayableError(f"there is no guest in {BUILT}: sudo make rig")
    return GuestRung(choice.broker, choice.waits_out_clocks)


@dataclass(frozen=True, slots=True)
class GuestRung:
    """Tables in the guest.

    Args:
        broker: an address on this machine, where one is there already; else each table has its own.
        waits_out_clocks: whether a clock of minutes is waited for.
    """

    broker: str = ""
    waits_out_clocks: bool = False

    @property
    def name(self) -> str:
        """As the command line has it."""
        return "vm"

    @asynccontextmanager
    async def rig(self, scenario: Scenario, timeline: Timeline) -> AsyncGenerator[Playing]:
        """A fresh table in a fresh guest, until the end of the block.

        Raises:
            NotPlayableError: the guest doesn't come up, or a clock would have to be waited for.
        """
        if not self.waits_out_clocks and any(step.verb == "time" for step in scenario.steps):
            raise NotPlayableError("a clock of minutes isn't waited for here: --wait-out-clocks does")
        async with AsyncExitStack() as stack:
            folder = await stack.enter_async_context(aside(own_folder()))
            broker = self.broker or await stack.enter_async_context(own_broker(folder))
            table = await stack.enter_async_context(self._table(scenario, folder, broker))
            yield await stack.enter_async_context(around(table, timeline))

    @asynccontextmanager
    async def _table(self, scenario: Scenario, folder: Path, broker: str) -> AsyncGenerator[TableUnderTest]:
        game = scenario.game.replace("_", "-")
        names = DEVICES[game]
        machines: list[Guest] = []
        ends, stands = _stands(names, folder, machines)
        for end in ends.values():
            await end.open()
        text = await asyncio.to_thread(_written, scenario, folder)
        try:
            rig = Rig(BUILT, folder, lambda _line: None, Broker(Path(), folder, urlsplit(broker).port or 1883))
            guest = await asyncio.to_thread(_restored, rig, game, names)
            machines.append(guest)
            for end in ends.values():
                await end.plug()
            await asyncio.to_thread(_begun, guest, game, text)
            people = {role: Person(role, OWN_PIN) for role in ROLES}
            console = f"http://127.0.0.1:{guest.console_port}"
            config = await asyncio.to_thread(load, folder / "table.toml")
            yield _at_work(config, console, broker, stands, people, waits_out_clocks=self.waits_out_clocks)
        except MachineError as error:
            raise NotPlayableError(str(error)) from None
        finally:
            for guest in machines:
                await asyncio.to_thread(guest.cut)
            for end in ends.values():
                await end.close()


def _at_work(
    config: Config,
    console: str,
    broker: str,
    stands: Mapping[str, Stand],
    people: Mapping[str, Person],
    *,
    waits_out_clocks: bool,
) -> TableUnderTest:
    return TableUnderTest(config, console, broker, stands, people, waits_out_clocks=waits_out_clocks)


def _restored(rig: Rig, game: str, names: tuple[str, ...]) -> Guest:
    saved = rig.about_to_begin(game)
    guest = rig.machine(names)
    guest.restore(saved)
    connect(guest, names)
    return guest


def _begun(guest: Guest, game: str, text: str) -> None:
    """Gives the daemon that waits its configuration, and waits until it is up."""
    guest.put("/root/table.toml", text)
    guest.run(f"cat /root/table.toml > /etc/tablectl/{game}.toml")
    guest.until(f"systemctl is-active -q {unit(game)}", "the table is up", timeout_s=START_WITHIN_S)


def _stands(names: tuple[str, ...], folder: Path, machines: list[Guest]) -> tuple[dict[str, End], dict[str, Stand]]:
    ends: dict[str, End] = {}
    stands: dict[str, Stand] = {}
    for name in names:
        if name == "wheel":  # a scenario's wheel speaks as a QSB does, over a serial adapter
            end: End = RedirEnd(adapter("WHEEL-1"), folder / "wheel.sock")
            simulator: Any = SimulatedWheel(cast("PtyEnd", end), seed=secrets.randbits(32), speed=0)
        else:
            end, simulator = made(name, folder, lambda: machines[-1])
        if hasattr(simulator, "shuffle_s"):
            simulator.shuffle_s = 0.0
        ends[name], stands[name] = end, Stand(simulator, end)
    return ends, stands


def _written(scenario: Scenario, folder: Path) -> str:
    """The configuration of a scenario's table in the guest."""
    game = scenario.game.replace("_", "-")
    own = REPOSITORY / "config" / "tables" / f"{game}.demo.toml"
    tree: dict[str, Any] = tomllib.loads(own.read_text("utf-8"))
    pin_hash = tree["people"]["ana"]["pin_hash"]
    tree["people"] = {role: {"role": role, "pin_hash": pin_hash, "simulated": True} for role in ROLES}
    tree["table"]["name"] = f"s-{crc32(scenario.name.encode()):08x}"
    tree["console"]["listen"] = f"127.0.0.1:{CONSOLE_PORT}"
    for name, device in tree["devices"].items():
        device["port"] = f"serial:{port(name)}" if name == "wheel" else address(name)
    for key, value in scenario.settings.items():
        *path, last = key.split(".")
        branch = tree
        for part in path:
            branch = branch.setdefault(part, {})
        branch[last] = _value(value)
    text = toml(tree)
    (folder / "table.toml").write_text(text, encoding="utf-8")
    return text


def _value(text: str) -> Any:
    """What a setting's text stands for: a TOML value, or the text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def toml(tree: Mapping[str, Any]) -> str:
    """A configuration's tree, written as TOML: a table for each key, tables in it in one line."""
    lines: list[str] = []
    for key, table in tree.items():
        if key in {"devices", "people"}:
            for name, each in table.items():
                lines += [f"[{key}.{name}]", *_pairs(each)]
        else:
            lines += [f"[{key}]", *_pairs(table)]
    return "\n".join(lines) + "\n"


def _pairs(table: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {_inline(value)}" for key, value in table.items()]


def _inline(value: Any) -> str:
    match value:
        case dict():
            return "{" + ", ".join(_pairs(cast("dict[str, Any]", value))) + "}"
        case list():
            return "[" + ", ".join(_inline(one) for one in value) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)
