"""Table under test as a level has it: addresses, and the far ends of its wires.

People and subscribers find it at the addresses.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import field
from pathlib import Path
from typing import Final, Protocol

from drivers.sim.stand import Stand
from tablectl.config.models import Config
from tablectl.lazy_dataclass import dataclass
from tablectl.testing.scenarios.device_steps import Acting, act_at
from tablectl.testing.scenarios.runner import Rig
from tablectl.testing.scenarios.scenario import Scenario
from tablectl.testing.timeline import Timeline

OWN_PIN: Final = "1111"

Doing = Callable[[], Awaitable[None]]
"""Something to be done to a device."""

Copying = Callable[[], Awaitable[bytes]]
"""Gives a tar archive of a journal's files."""

Cable = Callable[[str], Awaitable[None]]
"""What is done to the cable of the device of this name."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at the console.

    Args:
        name: as the configuration has it.
    """

    name: str
    pin: str = field(repr=False)


def _nothing() -> Sequence[str]:
    return ()


async def _here(doing: Doing) -> None:
    """The devices live in the loop that everything else is in."""
    await doing()


async def _no_cable(_device: str) -> None:
    """There is nothing to be done: the device's own end is the cable."""


@dataclass(frozen=True, slots=True)
class TableUnderTest:
    """A table at work.

    Args:
        config: that it was started with: its names and its devices are taken from it.
        console: the address of its console, as `http://127.0.0.1:8080`.
        broker: the address of its broker, as `mqtt://127.0.0.1`.
        stands: the simulated device at the far end of each wire.
        people: who signs on, by role.
        state: the folder of its journal, where it lies on this machine.
        journal: how a copy of it is had, where it lies on another one.
        said: the last lines of its log, where they can be read.
        waits_out_clocks: whether a clock of minutes is waited for.
        pulled: called when a device's own end was unplugged.
        put_back: called before its own end is plugged in.
        joined: called after that.
        act: how a device does the acts of a scenario.
        at_devices: runs what is done to a device where the devices live.
        patience_s: how long anything may take.
    """

    config: Config
    console: str
    broker: str
    stands: Mapping[str, Stand]
    people: Mapping[str, Person]
    state: Path | None = None
    said: Callable[[], Sequence[str]] = _nothing
    waits_out_clocks: bool = False
    pulled: Cable = _no_cable
    put_back: Cable = _no_cable
    joined: Cable = _no_cable
    act: Acting = act_at
    at_devices: Callable[[Doing], Awaitable[None]] = _here
    patience_s: float = 20.0
    journal: Copying | None = None

    @property
    def events(self) -> str:
        """The topic filter of everything that it publishes below `event/`."""
        return f"tablectl/v1/{self.config.table.site}/{self.config.table.name}/event/#"


class Level(Protocol):
    """Test level: a way to have a table.

    It is the pure core, a daemon on this machine, a virtual machine, or a bench with cables.
    """

    @property
    def name(self) -> str:
        """As the command line has it."""
        ...

    def rig(self, scenario: Scenario, timeline: Timeline) -> AbstractAsyncContextManager[Rig]:
        """A fresh table for a scenario, until the end of the block.

        Raises:
            NotPlayableError: this level can't play it.
        """
        ...
