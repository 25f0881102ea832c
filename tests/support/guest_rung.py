"""The rung of the virtual machine: the package on a real kernel, its devices on USB; `tests.hil` builds it."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from drivers.sim.stand import Stand
from tablectl.shell.config import Config, load
from tablectl.testing.acts import act_at
from tablectl.testing.aside import aside
from tablectl.testing.outside import around
from tablectl.testing.playing import Rig
from tablectl.testing.rungs import Choice
from tablectl.testing.scenario import Form, NotPlayableError, Scenario
from tablectl.testing.table import Doing, Person, TableUnderTest
from tablectl.testing.timeline import Timeline
from tests.hil.bench import Outside, SensorWheel, configuration
from tests.hil.guest import Guest
from tests.hil.rig import rig_in, table_up

BUILT: Final = Path("build/rig")
PATIENCE_S: Final = 240.0
"""An emulated processor takes ten times as long."""

PEOPLE: Final = {"dealer": Person("ana", "1111"), "supervisor": Person("rui", "2222")}
"""Those of the demonstration's tables."""

OF_THE_WHEEL: Final = ("spin",)
"""What a hand can do with the wheel here, whose sensor is another one than at a pseudo-terminal."""


def rung(choice: Choice) -> "GuestRung":
    """The rung, if the guest has been built.

    Raises:
        NotPlayableError: it hasn't.
    """
    if not (BUILT / "system.key").exists():
        raise NotPlayableError(f"the guest isn't built: there is no {BUILT}/system.key; `make rig` builds it")
    return GuestRung(BUILT, waits_out_clocks=choice.waits_out_clocks)


@dataclass(frozen=True, slots=True)
class GuestRung:
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
        async with aside(_up(self.built, scenario)) as found:
            table = await asyncio.to_thread(_table, found, scenario, waits_out_clocks=self.waits_out_clocks)
            async with around(table, timeline) as rig:
                yield rig

    def _can_play(self, scenario: Scenario) -> None:
        if scenario.settings:
            raise NotPlayableError(f"the guest's tables are set up already; this needs {dict(scenario.settings)}")
        for step in scenario.steps:
            if step.rest.get("by", "dealer") not in PEOPLE:
                raise NotPlayableError(f"nobody at the guest's tables is a {step.rest['by']}")
            if step.verb == "wheel" and step.what not in OF_THE_WHEEL:
                raise NotPlayableError(f"the guest's wheel can't {step.what}")
            if step.verb in {"fault", "clear"} and step.rest["device"] in {"wheel", "shoe"}:
                raise NotPlayableError(f"fault {step.what} of the {step.rest['device']} can't be brought about on USB")
            if step.verb == "time" and not self.waits_out_clocks:
                raise NotPlayableError("a clock of minutes isn't waited for here: --wait-out-clocks does")


@dataclass(frozen=True, slots=True)
class _Found:
    """A guest that is up, and what is outside of it."""

    guest: Guest
    devices: Outside
    broker: str
    config: Path


@contextmanager
def _up(built: Path, scenario: Scenario) -> Generator[_Found]:
    game = scenario.game.replace("_", "-")
    with rig_in(built, lambda _line: None) as rig, table_up(rig, game) as (guest, devices):
        config = rig.work / "q1.toml"
        config.write_text(configuration(game), "utf-8")
        yield _Found(guest, devices, rig.broker.url, config)


def _table(found: _Found, scenario: Scenario, *, waits_out_clocks: bool) -> TableUnderTest:
    config: Config = load(found.config)
    bench = found.devices.devices
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
    )


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
