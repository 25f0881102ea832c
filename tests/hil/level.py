"""The level of the virtual machine: a scenario's table is the shipped package in a guest of its own, devices on USB."""

import asyncio
import base64
import json
import tomllib
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from drivers.sim.stand import Stand
from tablectl.config import load
from tablectl.testing.blocking import aside
from tablectl.testing.levels.levels import Choice
from tablectl.testing.levels.outside import around
from tablectl.testing.scenarios.device_steps import act_at
from tablectl.testing.scenarios.journal_check import FILES
from tablectl.testing.scenarios.runner import Rig
from tablectl.testing.scenarios.scenario import Form, NotPlayableError, Scenario
from tablectl.testing.table_under_test import Doing, Person, TableUnderTest
from tablectl.testing.timeline import Timeline
from tests.hil.bench import Outside, SensorWheel, configuration
from tests.hil.guest import Guest, end_all
from tests.hil.qmp import MachineError
from tests.hil.rig import rig_in, table_up, unit

BUILT: Final = Path("build/rig")
PATIENCE_S: Final = 240.0
"""An emulated processor takes ten times as long."""

PEOPLE: Final = {
    "dealer": Person("ana", "1111"),
    "supervisor": Person("rui", "2222"),
    "technician": Person("tim", "1111"),
}
"""Those of the guest's tables."""

OF_THE_WHEEL: Final = ("spin",)
"""What a hand can do with the wheel here, whose sensor is another one than at a pseudo-terminal."""


def level(choice: Choice) -> "GuestLevel":
    """The level, if the guest has been built.

    Raises:
        NotPlayableError: it hasn't.
    """
    if not (BUILT / "system.key").exists():
        raise NotPlayableError(f"the guest isn't built: there is no {BUILT}/system.key; `make rig` builds it")
    return GuestLevel(BUILT, waits_out_clocks=choice.waits_out_clocks)


@dataclass(frozen=True, slots=True)
class GuestLevel:
    """Guests from the saved state, one for each scenario.

    Args:
        waits_out_clocks: whether a clock of minutes is waited for.
    """

    built: Path
    waits_out_clocks: bool

    @property
    def name(self) -> str:
        """As the command line has it."""
        return "vm"

    @asynccontextmanager
    async def rig(self, scenario: Scenario, timeline: Timeline) -> AsyncGenerator[Rig]:
        """A fresh guest with its table started, until the end of the block.

        Raises:
            NotPlayableError: the scenario needs something that isn't in the guest.
        """
        self._can_play(scenario)
        async with aside(_up(self.built, scenario), end_all) as found:
            table = await asyncio.to_thread(_table, found, waits_out_clocks=self.waits_out_clocks)
            async with around(table, timeline) as rig:
                yield rig

    def _can_play(self, scenario: Scenario) -> None:
        for step in scenario.steps:
            if step.rest.get("by", "dealer") not in PEOPLE:
                raise NotPlayableError(f"nobody at the guest's tables is a {step.rest['by']}")
            if step.verb == "wheel" and step.what not in OF_THE_WHEEL:
                raise NotPlayableError(f"the guest's wheel can't {step.what}")
            if step.verb in {"fault", "clear"} and step.rest["device"] in {"wheel", "shoe"}:
                raise NotPlayableError(f"fault {step.what} of the {step.rest['device']} can't be caused on USB")
            if step.verb == "time" and not self.waits_out_clocks:
                raise NotPlayableError("a clock of minutes isn't waited for here: --wait-out-clocks does")


@dataclass(frozen=True, slots=True)
class _Found:
    """A guest that is up, and what is outside of it.

    Args:
        config: what its table was started with, on this side.
    """

    guest: Guest
    devices: Outside
    broker: str
    config: Path
    game: str


@contextmanager
def _up(built: Path, scenario: Scenario) -> Generator[_Found]:
    game = scenario.game.replace("_", "-")
    text = set_up(game, scenario.settings)
    try:
        with rig_in(built, lambda _line: None) as rig, table_up(rig, game, text=text) as (guest, devices):
            config = rig.work / "q1.toml"
            config.write_text(text, "utf-8")
            yield _Found(guest, devices, rig.broker.url, config, game)
    except MachineError as error:
        raise NotPlayableError(f"{error} {' '.join(getattr(error, '__notes__', ()))}".strip()) from None


def _table(found: _Found, *, waits_out_clocks: bool) -> TableUnderTest:
    config, bench = load(found.config), found.devices.devices
    stands = {
        name: Stand(cast("Any", bench.simulators[name]), cast("Any", bench.ports[name])) for name in config.devices
    }
    return TableUnderTest(
        config,
        f"http://127.0.0.1:{found.guest.console_port}",
        found.broker,
        stands,
        PEOPLE,
        waits_out_clocks=waits_out_clocks,
        act=_act,
        at_devices=lambda doing: _over_there(found.devices, doing),
        patience_s=PATIENCE_S,
        journal=lambda: asyncio.to_thread(_journal, found.guest, found.game),
    )


def _journal(guest: Guest, game: str) -> bytes:
    """An archive of the table's journal; the daemon stands still meanwhile, so that the two files fit each other."""
    pid = f"$(systemctl show -P MainPID {unit(game)})"
    pack = f"tar -czC /var/lib/tablectl/{game} {' '.join(FILES)} | base64 -w0"
    try:
        return base64.b64decode(guest.run(f"kill -STOP {pid}; {pack}; kill -CONT {pid}"))
    except (MachineError, ValueError) as error:
        raise OSError(str(error)) from None


async def _over_there(devices: Outside, doing: Doing) -> None:
    """Does something in the loop that the devices live in."""

    async def done() -> None:
        await doing()

    await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(done(), devices.loop))


async def _act(stand: Stand, kind: str, act: str, rest: Form) -> None:
    wheel = cast("object", stand.simulator)
    if isinstance(wheel, SensorWheel):
        wheel.spin()
    else:
        await act_at(stand, kind, act, rest)


# --- a scenario's own settings ----------------------------------------------------------------------------------------


def set_up(game: str, settings: Mapping[str, str]) -> str:
    """The configuration of the guest's table, with a scenario's settings over it."""
    tree: dict[str, Any] = tomllib.loads(configuration(game))
    for key, value in settings.items():
        *path, last = key.split(".")
        branch = tree
        for part in path:
            branch = branch.setdefault(part, {})
        branch[last] = _value(value)
    return toml(tree)


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
