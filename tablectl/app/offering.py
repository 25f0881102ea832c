"""What the console offers of a table: each request under its verb, to the roles that may make it."""

from collections.abc import Mapping
from typing import TypeVar

from tablectl.console.verbs import VERBS
from tablectl.core.ports import Clock
from tablectl.shell.config import Config
from tablectl.shell.offered import DeviceLine
from tablectl.shell.table import LiveTable
from tablectl.shell.window import TableWindow

S = TypeVar("S")


def verbs_for(role: str) -> Mapping[type, str]:
    """The verb of every request that a role may make; of all requests, where no role is named."""
    return {verb.asks: name for name, verb in VERBS.items() if not role or role in verb.roles}


def window_of(config: Config, table: LiveTable[S], clock: Clock) -> TableWindow[S]:
    """The table as persons and pages see it."""
    devices = tuple(DeviceLine(name, device.kind, device.simulated) for name, device in config.devices.items())
    return TableWindow(table, config.table.site, config.table.name, clock, verbs_for, devices)
