"""What `tablectl probe` needs of rooms that its own may not see: the driver of one device, alone."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from drivers.faults import fault_of
from drivers.link import LinkError
from drivers.wheel.driver import WheelDriver, WheelSettings
from tablectl.app.devices import driver_of, wheel_settings
from tablectl.app.parts import StartError
from tablectl.core.effects import Command, RunSelfTest, ShowTestPattern
from tablectl.core.faults import Code
from tablectl.core.ports import Clock, Commanded, DeviceCounters, Driver, Teller
from tablectl.shell.clock import SystemClock
from tablectl.shell.config import Config, load, port_address, state_dir
from tablectl.shell.config_devices import WheelSection
from tablectl.shell.journal_file import JournalBusyError, JournalError, lock
from tablectl.shell.rules import RulesError
from tablectl.tools import probe as tool
from tablectl.tools.probe import DeviceEndedError, Options, Ports, Watcher

_SELF_TESTS: Final[Mapping[str, Command]] = MappingProxyType(
    {"draw": RunSelfTest(operation=1), "display": ShowTestPattern(operation=1)}
)
"""What has a device of this kind test itself."""


def probe(path: Path, overrides: Mapping[str, str], device: str, options: Options) -> int:
    """Looks at one device of the table in this configuration; returns the exit status.

    Raises:
        OSError: the configuration can't be read.
        ConfigError: the configuration is wrong.
        StartError: it has no such device, its calibration can't be used, or the table's daemon runs.
    """
    config = load(path, overrides)
    if device not in config.devices:
        known = ", ".join(config.devices) or "none"
        raise StartError(f"{path} has no device {device!r}; it has {known}", os.EX_USAGE)
    _refuse_beside_a_daemon(config)
    try:
        ports = _ports(config, device)
        if options.self_test and ports.self_test is None:
            kind = config.devices[device].kind
            raise StartError(f"{device} is a {kind}, which has no test that it could be asked for", os.EX_USAGE)
        return tool.probe(options, ports)
    except RulesError as error:
        raise StartError(str(error), os.EX_CONFIG) from None


def _refuse_beside_a_daemon(config: Config) -> None:
    """A device server lets two programs in and gives each a part of the bytes, so the port alone can't tell."""
    if not (state_dir(config) / "lock").exists():
        return
    try:
        lock(state_dir(config)).close()
    except JournalBusyError:
        table = f"{config.table.site}/{config.table.name}"
        msg = f"the daemon of {table} runs and has its devices' ports: stop it first, or look at its own pages"
        raise StartError(msg, os.EX_UNAVAILABLE) from None
    except JournalError:
        return  # whoever may not see the lock finds out at the port


def _ports(config: Config, name: str) -> Ports:
    section, clock = config.devices[name], SystemClock()
    what = f"{section.kind}, {section.protocol}, {port_address(config, name)}"
    settings = wheel_settings(config, name, section) if isinstance(section, WheelSection) else None

    def driver(tell: Teller, watcher: Watcher) -> Driver:
        return _Alone(_driver(config, name, settings, tell, clock, watcher))

    pegs = settings.calibration if settings else None
    return Ports(name, what, section.simulated, driver, clock, pegs, _SELF_TESTS.get(section.kind))


def _driver(
    config: Config, name: str, wheel: WheelSettings | None, tell: Teller, clock: Clock, watcher: Watcher
) -> Driver:
    """The driver; nothing that the device sent before counts as known, so that all it keeps is told."""
    try:
        if wheel is not None:
            return WheelDriver(wheel, tell, clock, watcher=watcher)
        return driver_of(config, name, tell, clock, "")
    except LinkError as error:
        raise _ended(error) from None


@dataclass(frozen=True, slots=True)
class _Alone:
    """A driver whose link's errors are the probe's."""

    inner: Driver

    @property
    def name(self) -> str:
        """The device's name at this table."""
        return self.inner.name

    def counters(self) -> DeviceCounters:
        """What came so far."""
        return self.inner.counters()

    def command(self, command: Command) -> None:
        """Asks the device for something, where it is one that can be asked."""
        if isinstance(self.inner, Commanded):
            self.inner.command(command)

    async def run(self, up: Callable[[], None]) -> None:
        """Connects and reports facts until the link ends.

        Raises:
            DeviceEndedError: it ended, or there is none.
        """
        try:
            await self.inner.run(up)
        except LinkError as error:
            raise _ended(error) from None


def _ended(error: LinkError) -> DeviceEndedError:
    return DeviceEndedError(fault_of(error) or Code.LINK_LOST, str(error))
