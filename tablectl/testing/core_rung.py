"""The core rung: the fold alone, in no time."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tablectl.shell.config import load
from tablectl.testing.core_rig import CoreRig
from tablectl.testing.playing import Rig
from tablectl.testing.reading import demo_table
from tablectl.testing.scenario import Scenario
from tablectl.testing.timeline import Timeline


@dataclass(frozen=True, slots=True)
class CoreRung:
    """Tables that are nothing but their rules."""

    @property
    def name(self) -> str:
        """As the command line has it."""
        return "core"

    @asynccontextmanager
    async def rig(self, scenario: Scenario, timeline: Timeline) -> AsyncGenerator[Rig]:
        """A fresh table for a scenario."""
        yield await asyncio.to_thread(_rig, scenario, timeline)


def _rig(scenario: Scenario, timeline: Timeline) -> CoreRig:
    return CoreRig(load(demo_table(scenario.game), scenario.settings), timeline)
