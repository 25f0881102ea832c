"""Scenarios played by the core alone, their journals kept in a folder as a daemon leaves them."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tablectl.config import load
from tablectl.config.models import Config
from tablectl.daemon.signing.keys import public_key, signing_key
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.rows import Remembered
from tablectl.testing.levels.core_past import CorePast
from tablectl.testing.levels.core_table import ORIGIN
from tablectl.testing.levels.levels import _rig
from tablectl.testing.scenarios.parser import demo_table, read_scenario
from tablectl.testing.scenarios.runner import Rig
from tablectl.testing.scenarios.scenario import Scenario
from tablectl.testing.scenarios.suite import Verdict, played
from tablectl.testing.timeline import Timeline

SCENARIOS: Final = Path(__file__).parents[1] / "scenarios"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A table's journal after a scenario.

    Args:
        events: all that it published, in order.
    """

    folder: Path
    config: Config
    events: Sequence[Mapping[str, Any]]

    @property
    def rounds(self) -> list[str]:
        """The ids of the rounds, in the order in which they were opened."""
        opened = (event for event in self.events if event["type"].endswith(".round.opened.v1"))
        return list(dict.fromkeys(event["subject"] for event in opened))


@dataclass(slots=True)
class _KeptLevel:
    """The core level with a journal that stays."""

    past: CorePast
    name: str = "core"

    @asynccontextmanager
    async def rig(self, scenario: Scenario, timeline: Timeline) -> AsyncGenerator[Rig]:
        yield await asyncio.to_thread(_rig, scenario, timeline, self.past)


def recorded(path: Path, folder: Path) -> Recorded:
    """A scenario's journal in a new folder.

    Raises:
        AssertionError: it goes otherwise than written.
    """
    scenario = read_scenario(path)
    with closing(open_journal(folder)) as journal:
        public_key(folder)
        past = CorePast(journal)
        outcome = asyncio.run(played(scenario, _KeptLevel(past)))
        assert (outcome.verdict, outcome.why) == (Verdict.PASSED, "")
        if past._new:
            journal.append(past._new, None)
        journal.remember(Remembered.PUBLISHED, str(journal.last_sequence))
        journal.signed_checkpoint(ORIGIN.source.removeprefix("/"), signing_key(folder))
        events = [json.loads(event.payload) for event in journal.events_after(0, 100_000)]
    return Recorded(folder, load(demo_table(scenario.game), scenario.settings), events)
