"""The levels by their names."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Final, cast

from tablectl.config import load
from tablectl.lazy_dataclass import dataclass
from tablectl.testing.bench_inventory import read_rig
from tablectl.testing.blocking import aside
from tablectl.testing.levels.cable import CableLevel
from tablectl.testing.levels.core_past import CorePast, core_past
from tablectl.testing.levels.core_table import CoreRig
from tablectl.testing.levels.pty import PtyLevel
from tablectl.testing.scenarios.parser import demo_table
from tablectl.testing.scenarios.runner import Rig
from tablectl.testing.scenarios.scenario import NotPlayableError, Scenario
from tablectl.testing.table_under_test import Level
from tablectl.testing.timeline import Timeline

NAMES: Final = ("core", "pty", "vm", "cable")
RIG: Final = Path("config/rig.toml")
GUEST: Final = "tests.hil.level:level"
"""Who makes the level of the virtual machine, in a checkout of this project; a rig's file may name another."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Choices for a test level.

    Args:
        broker: an address, for tables on this machine; else each has its own broker.
        config: the table's configuration, for the pty level; else the demonstration's of the game.
        rig: the file with the rig's places; `config/rig.toml`, if not given.
        place: the place whose table is played on; the only one, if not given.
        owner: the person who plays, as the places have it.
        waits_out_clocks: whether a clock of minutes is waited for.
        keeps: where journals and logs of the pty level are kept.
    """

    broker: str = ""
    config: Path | None = None
    rig: Path | None = None
    place: str = ""
    owner: str = ""
    waits_out_clocks: bool = False
    keeps: Path | None = None


def level_named(name: str, choice: Choice) -> Level:
    """The level of this name.

    Raises:
        NotPlayableError: something that it needs is missing: what, and how to get it.
    """
    match name:
        case "core":
            return CoreLevel()
        case "pty":
            return PtyLevel(choice.broker, choice.config, choice.waits_out_clocks, choice.keeps)
        case "cable":
            rig = read_rig(choice.rig or RIG)
            return CableLevel(rig.place(choice.place), rig.locks, choice.owner, choice.waits_out_clocks)
        case "vm":
            return _guest(choice)
        case _:
            raise NotPlayableError(f"there is no level {name!r}, only: {', '.join(NAMES)}")


def _guest(choice: Choice) -> Level:
    """Make the level of a virtual machine.

    Its provider isn't installed with tablectl: it needs QEMU, and root for an image.
    """
    file = choice.rig or RIG
    provider = (read_rig(file).guest if file.exists() else "") or GUEST
    module, _, name = provider.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")  # a checkout's own tests lie in the folder that one is in
    try:
        make = cast("Callable[[Choice], Level]", getattr(import_module(module), name))
    except (ImportError, AttributeError) as error:
        raise NotPlayableError(
            f"there is no virtual machine here ({error}): in a checkout of tablectl, `make rig` builds it, and "
            f'`tablectl dev rig run` is called there; or name your own in {file}: [vm] provider = "module:function"'
        ) from None
    return make(choice)


@dataclass(frozen=True, slots=True)
class CoreLevel:
    """Tables that are nothing but their rules."""

    @property
    def name(self) -> str:
        """As the command line has it."""
        return "core"

    @asynccontextmanager
    async def rig(self, scenario: Scenario, timeline: Timeline) -> AsyncGenerator[Rig]:
        """A fresh table for a scenario."""
        amends = any(step.verb == "amend" for step in scenario.steps)
        async with aside(core_past() if amends else nullcontext()) as past:
            yield await asyncio.to_thread(_rig, scenario, timeline, past)


def _rig(scenario: Scenario, timeline: Timeline, past: CorePast | None) -> CoreRig:
    return CoreRig(load(demo_table(scenario.game), scenario.settings), timeline, past)
