"""Driver of one device for `tablectl probe`, without its table."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from drivers.devices import device_of, fault_of
from drivers.transport.serial_tcp import LinkError
from drivers.wheel.connection import WheelSettings
from drivers.wheel.device import WheelDriver
from drivers.wheel.facts import Watcher
from tablectl.config import load
from tablectl.config.checks import port_address, state_dir
from tablectl.config.devices import WheelSection
from tablectl.config.models import Config
from tablectl.core.effects import Command
from tablectl.core.faults import Code
from tablectl.core.protocols import Clock, Commanded, DeviceCounters, Driver, Teller
from tablectl.daemon.devices.drivers import driver_of, wheel_settings
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.room_settings import StartError
from tablectl.features.probe import session
from tablectl.features.probe.options import DeviceEndedError, Options, Ports
from tablectl.journal.database import JournalBusyError, JournalError, lock
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import RulesError


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
        return session.probe(options, ports)
    except RulesError as error:
        raise StartError(str(error), os.EX_CONFIG) from None


def _refuse_beside_a_daemon(config: Config) -> None:
    """Refuse to probe where the table's daemon runs.

    A device server lets two programs in and gives each a part of the bytes, so the port alone can't tell.
    """
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
    return Ports(
        name, what, section.simulated, driver, clock, pegs, device_of(section.kind, section.protocol).self_test
    )


def _driver(
    config: Config, name: str, wheel: WheelSettings | None, tell: Teller, clock: Clock, watcher: Watcher
) -> Driver:
    """Return the driver.

    Nothing that the device sent before counts as known, so that all it keeps is reported.
    """
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
        """Return the counters so far."""
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
